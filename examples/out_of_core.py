"""Computes statistics of an array that is larger than the memory of the computing processes.

python examples/out_of_core.py [--size 640] [--limit 256] [--workers 2] [--picture eigenvalues.png]

Worker processes draw random walks of 16 steps, ten million walks by default. Each process holds a few chunks at a time,
in no more memory than the limit in MiB. No process holds the whole array. For each block of 4096 walks, the program
keeps the sums of the columns and the sums of the products of every two columns. From these sums, the program computes
the covariances and their eigenvalues, and prints the eigenvalues beside the theoretical values. One process then
repeats the computation in chunks of another size. The results have the same bits, because the size of chunks changes
neither the random numbers nor the blocks, and the blocks are summed in order.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import os
import sys

os.environ["SUANZI_NUM_THREADS"] = "1"  # the number of processes equals the number of processors

import picture
import suanzi as sz

try:
    import dask
    from dask.diagnostics import ProgressBar
    from distributed import Client, LocalCluster, progress

    from suanzi.interop import dask as chunked
except ImportError as error:
    sys.exit(f"out_of_core.py: {error}: pip install '.[examples]' brings Dask")

STEPS = 16
BLOCK = 4096  # walks per block
SEED = 20250131


def moments(walks):
    """Return the moments of each block of walks in a chunk: sums of columns, and of products of every two columns."""
    parts = []
    for first in range(0, walks.shape[0], BLOCK):
        block = sz.astype(walks[first : first + BLOCK], sz.float64)
        parts.append(sz.concat([sz.sum(block, axis=0, keepdims=True), block.T @ block]))
    return sz.stack(parts)


def moments_of_blocks(blocks, blocks_in_chunk):
    """Return a Dask array of the moments of all blocks of walks. Dask computes the array chunk by chunk on request."""
    steps = chunked.normal((blocks * BLOCK, STEPS), seed=SEED, chunks=(blocks_in_chunk * BLOCK, STEPS))
    walks = steps.cumsum(axis=1)
    whole, rest = divmod(blocks, blocks_in_chunk)
    chunks = (blocks_in_chunk,) * whole + (rest,) * (rest > 0), STEPS + 1, STEPS
    return walks.map_blocks(moments, chunks=chunks, new_axis=2, dtype="float64")


def by_workers(array, workers, limit):
    """Compute a Dask array in worker processes, and return the array and the peak memory of each process in MiB.

    Dask ends a process that exceeds the limit.
    """
    with (
        LocalCluster(workers, threads_per_worker=1, memory_limit=f"{limit} MiB", dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        running = client.compute(array)
        progress(running)
        return running.result(), client.run(peak_memory).values()


def peak_memory():
    """Return the peak memory of this process in MiB. `resource` would include the memory of the parent process."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=640, help="size of the array, in MiB")
    parser.add_argument("--limit", type=int, default=256, help="memory of each worker, in MiB")
    parser.add_argument("--workers", type=int, default=2)
    picture.add_option(parser)
    options = parser.parse_args()
    # If workers could not start within the limit, Dask would restart the workers for ever.
    if options.limit < (least := peak_memory() + 32):
        parser.error(f"--limit {options.limit}: Python and Dask alone take more; give at least {least}")

    blocks = max(1, options.size * 2**20 // (BLOCK * STEPS * 4))
    n = blocks * BLOCK
    print(f"{n:,} walks of {STEPS} steps: {n * STEPS * 4 / 2**20:,.0f} MiB")
    print(f"{options.workers} processes of at most {options.limit} MiB, in chunks of 8 MiB:")
    parts, peaks = by_workers(moments_of_blocks(blocks, 32), options.workers, options.limit)
    print(f"\npeak memory of each process: {', '.join(f'{peak} MiB' for peak in peaks)}")

    sums = sz.sum(parts, axis=0)
    means = sums[0] / n
    covariances = sums[1:] / n - sz.outer(means, means)
    found = sz.flip(sz.linalg.eigvalsh(covariances))
    print("\nvariance of steps 1, 4 and 16, and theory:   ", end="")
    print(", ".join(f"{covariances[k - 1, k - 1].item():.3f} ({k})" for k in (1, 4, 16)))
    theory = [0.25 / math.sin((2 * k - 1) * math.pi / (4 * STEPS + 2)) ** 2 for k in range(1, STEPS + 1)]
    print("greatest eigenvalues of the covariances:     ", end="")
    print(", ".join(f"{found[k].item():.3f} ({theory[k]:.3f})" for k in range(3)))

    if options.picture:
        with picture.drawn(options.picture) as axes:
            axes.bar(range(1, STEPS + 1), found.numpy(), label="found")
            axes.plot(range(1, STEPS + 1), theory, "k_", markersize=14, label="theory")
            axes.set(yscale="log", xlabel="eigenvalue", title="covariances of random walks of 16 steps")
            axes.legend()

    print("\none process, in chunks of 1.25 MiB:")
    with ProgressBar(), dask.config.set(scheduler="synchronous"):
        again = moments_of_blocks(blocks, 5).compute()
    digests = [hashlib.sha256(part.numpy().tobytes()).hexdigest() for part in (parts, again)]
    print(f"SHA-256 of the moments: {digests[0][:16]} by workers, {digests[1][:16]} by one process")
    if digests[0] != digests[1]:
        sys.exit("out_of_core.py: the results differ")
    print("the same bits")


if __name__ == "__main__":
    main()
