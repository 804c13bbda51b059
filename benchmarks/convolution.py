"""Times `suanzi.nn.conv` at the layers of ResNet-50 and MobileNet-v2 beside PyTorch, each on one thread.

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
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import _core
from suanzi.conformance.report import environment
from suanzi.nn import conv

TITLE = "# Convolutions beside PyTorch"
METHOD = """Written by `python benchmarks/convolution.py --save docs/results/convolution.md`.

Layers of ResNet-50 and MobileNet-v2 at batch 1, float32, with a bias. Both libraries use one thread in one process and
are called in turns; a time is the least of the processor time of a call, as other programs disturb the wall clock. A
ratio below 1 says that suanzi takes less time. Where few output channels share the patches, packing these takes a part
of the time that can be seen: two fifths in the first layer of MobileNet-v2, of 27 terms, 32 channels and stride 2."""
ROUNDS, SECONDS = 6, 0.06


class Layer(NamedTuple):
    """A convolutional layer with a square image and a square kernel."""

    name: str
    channels: int
    out: int
    kernel: int
    stride: int
    size: int
    groups: int = 1


LAYERS = (
    Layer("ResNet-50, first", 3, 64, 7, 2, 224),
    Layer("ResNet-50, stage 1, 1 x 1", 64, 64, 1, 1, 56),
    Layer("ResNet-50, stage 1, 3 x 3", 64, 64, 3, 1, 56),
    Layer("ResNet-50, stage 1, expanding", 64, 256, 1, 1, 56),
    Layer("ResNet-50, stage 1, reducing", 256, 64, 1, 1, 56),
    Layer("ResNet-50, stage 2, stride 2", 128, 128, 3, 2, 56),
    Layer("ResNet-50, stage 2, 3 x 3", 128, 128, 3, 1, 28),
    Layer("ResNet-50, stage 2, expanding", 128, 512, 1, 1, 28),
    Layer("ResNet-50, stage 3, stride 2", 256, 256, 3, 2, 28),
    Layer("ResNet-50, stage 3, shortcut", 512, 1024, 1, 2, 28),
    Layer("ResNet-50, stage 3, 3 x 3", 256, 256, 3, 1, 14),
    Layer("ResNet-50, stage 3, expanding", 256, 1024, 1, 1, 14),
    Layer("ResNet-50, stage 4, 3 x 3", 512, 512, 3, 1, 7),
    Layer("ResNet-50, stage 4, expanding", 512, 2048, 1, 1, 7),
    Layer("ResNet-50, stage 4, reducing", 2048, 512, 1, 1, 7),
    Layer("MobileNet-v2, first", 3, 32, 3, 2, 224),
    Layer("MobileNet-v2, depthwise 112", 32, 32, 3, 1, 112, 32),
    Layer("MobileNet-v2, depthwise 112, stride 2", 96, 96, 3, 2, 112, 96),
    Layer("MobileNet-v2, depthwise 56", 144, 144, 3, 1, 56, 144),
    Layer("MobileNet-v2, depthwise 28", 192, 192, 3, 1, 28, 192),
    Layer("MobileNet-v2, depthwise 14", 384, 384, 3, 1, 14, 384),
    Layer("MobileNet-v2, depthwise 7", 960, 960, 3, 1, 7, 960),
    Layer("MobileNet-v2, pointwise 112", 32, 16, 1, 1, 112),
    Layer("MobileNet-v2, pointwise 56", 24, 144, 1, 1, 56),
    Layer("MobileNet-v2, pointwise 14", 384, 64, 1, 1, 14),
    Layer("MobileNet-v2, pointwise 7", 320, 1280, 1, 1, 7),
)


def least(call: Callable[[], Any]) -> float:
    """Return the least processor time of a call within some time."""
    best, end = math.inf, time.thread_time() + SECONDS
    while (start := time.thread_time()) < end:
        call()
        best = min(best, time.thread_time() - start)
    return best


def times(layer: Layer) -> tuple[float, float]:
    """Return the seconds of a call of suanzi and of PyTorch, after a comparison of their results."""
    import torch

    rng = np.random.default_rng(1)
    shapes = (
        (1, layer.channels, layer.size, layer.size),
        (layer.out, layer.channels // layer.groups, layer.kernel, layer.kernel),
        (layer.out,),
    )
    arrays = [rng.standard_normal(shape).astype("float32") for shape in shapes]
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
    summary = f"The geometric mean of the ratios is {mean:.2f}, the greatest {max(float(row[3]) for row in rows):.2f}."
    print(summary)
    if options.save:
        machine = f"{environment()['processor']}, SIMD level {_core.simd_level()}; PyTorch {metadata.version('torch')}."
        options.save.write_text("\n\n".join([TITLE, METHOD, machine, summary, table]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
