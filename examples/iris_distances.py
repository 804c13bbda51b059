"""Finds the nearest neighbour of every iris flower from all pairwise distances, with and without fusion.

The distances of n flowers from n other flowers are sums over an array of n × n × 4 differences. `suanzi.fuse` computes
the distances block by block, so that the whole array of differences is never in memory. The results have the same bits
with and without fusion. With `--repeat`, the flowers are repeated with a little noise, so that the difference in time
shows.

    python examples/iris_distances.py --repeat 20 [--picture distances.png]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import picture
import suanzi as sz
from iris import DATA, read, standardise


def distances(x: sz.Tensor, y: sz.Tensor) -> sz.Tensor:
    """Return the distance of each row of x from each row of y."""
    difference = x[:, None, :] - y[None, :, :]
    return sz.sqrt(sz.sum(sz.square(difference), axis=-1))


def timed(function: Callable[[sz.Tensor, sz.Tensor], sz.Tensor], x: sz.Tensor) -> tuple[sz.Tensor, float]:
    """Call a function twice. Return the result, and the milliseconds of the second call."""
    function(x, x)
    start = time.perf_counter()
    result = function(x, x)
    return result, 1e3 * (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=4, help="the number of copies of the 150 flowers")
    picture.add_option(parser)
    options = parser.parse_args()
    repeat = options.repeat
    measurements, labels, _ = read(DATA)
    noise = sz.normal((150 * repeat, 4), 0, 0.05, seed=1)
    x = standardise(sz.tile(measurements, (repeat, 1)) + noise)
    labels = sz.tile(labels, (repeat,))

    fused = sz.fuse(distances)
    unfused_result, unfused_time = timed(distances, x)
    result, fused_time = timed(fused, x)
    n = x.shape[0]
    print(fused.explain(x, x))
    print(f"unfused {unfused_time:8.2f} ms, {n * n * 4 * 4 * 2:,} bytes between the operators")
    print(f"fused   {fused_time:8.2f} ms, the same bits: {sz.array_equal(result, unfused_result)}")

    itself = sz.eye(n, dtype="bool")
    nearest = sz.argmin(sz.where(itself, float("inf"), result), axis=1)
    agree = sz.mean(sz.astype(sz.take(labels, nearest) == labels, "float32"))
    print(f"{100 * float(agree):.1f}% of {n} flowers are of the species of their nearest neighbour")
    if options.picture:
        flowers = len(measurements)
        with picture.drawn(options.picture) as axes:
            shown = axes.imshow(result[:flowers, :flowers].numpy(), cmap="magma")
            axes.set(xlabel="flower", ylabel="flower", title="distances; 50 flowers of each species")
            axes.figure.colorbar(shown)


if __name__ == "__main__":
    main()
