"""Times `suanzi.nn.conv` and PyTorch's convolution on one thread, for layers of ResNet-50 and MobileNet-v2.

Run ``pip install '.[bench]'``, then ``python benchmarks/convolution.py`` (a minute), with
``--save docs/results/convolution.md`` for the document.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import suanzi
from suanzi import _core
from suanzi.bench.cases.networks import LAYERS, Layer
from suanzi.conformance.report import environment
from suanzi.nn import conv

TITLE = "# Convolutions beside PyTorch"
METHOD = """`python benchmarks/convolution.py --save docs/results/convolution.md` writes this page.

The table has layers of ResNet-50 and MobileNet-v2 at batch 1, in float32 and with a bias. Both libraries use one thread
in one process, and the program calls the libraries in turns. A time is the least processor time of a call, because
other programs disturb the wall clock. A ratio below 1 means that Suanzi takes less time."""
ROUNDS, SECONDS = 6, 0.06


def least(call: Callable[[], Any]) -> float:
    """Call a function for SECONDS, and return the least processor time of a call in seconds."""
    best, end = math.inf, time.thread_time() + SECONDS
    while (start := time.thread_time()) < end:
        call()
        best = min(best, time.thread_time() - start)
    return best


def times(layer: Layer) -> tuple[float, float]:
    """Return the seconds of a layer's convolution in suanzi and in PyTorch, after a comparison of the results."""
    import torch

    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(shape).astype("float32") for shape in layer.shapes]
    options = (layer.stride, layer.kernel // 2, 1, layer.groups)
    ours, theirs = [suanzi.tensor(a) for a in arrays], [torch.from_numpy(a) for a in arrays]

    def call_ours() -> Any:
        return conv(*ours, *options)

    def call_theirs() -> Any:
        return torch.nn.functional.conv2d(*theirs, *options)

    np.testing.assert_allclose(call_ours().numpy(), call_theirs().numpy(), rtol=1e-3, atol=1e-3)
    found = [(least(call_ours), least(call_theirs)) for _ in range(ROUNDS)]
    return min(a for a, _ in found), min(b for _, b in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", type=Path, help="write the table to a Markdown file")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    suanzi.set_num_threads(1)
    rows, logarithms = [], []
    for layer in LAYERS:
        ours, theirs = times(layer)
        places = (-(-layer.size // layer.stride)) ** 2
        work = 2e-9 * places * layer.out * (layer.channels // layer.groups) * layer.kernel**2
        logarithms.append(math.log(ours / theirs))
        rows.append([layer.name, *(f"{1e3 * s:.3f} ms" for s in (ours, theirs)), f"{ours / theirs:.2f}"])
        print(*rows[-1], f"{work / ours:.0f} GFLOPS", sep="  ", flush=True)
    mean = math.exp(sum(logarithms) / len(logarithms))
    lines = (["layer", "suanzi", "PyTorch", "ratio"], ["---"] * 4, *rows)
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    greatest = max(float(row[3]) for row in rows)
    summary = f"The geometric mean of the ratios is {mean:.2f}, and the greatest ratio is {greatest:.2f}."
    print(summary)
    if options.save:
        machine = (
            f"The processor is {environment()['processor']} at SIMD level {_core.simd_level()}. The version of PyTorch "
            f"is {metadata.version('torch')}."
        )
        options.save.write_text("\n\n".join([TITLE, METHOD, machine, summary, table]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
