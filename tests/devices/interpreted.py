"""Compares the results of fused functions in Triton's interpreter with the CPU's results.

Triton reads the environment at import, so the tests run this file as a separate program.

PYTHONPATH=src:tests:tests/devices:tests/fusion python tests/devices/interpreted.py      prints the kinds of kernels
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import graphs
import interpreter
import numpy as np
from formulas import layer_norm, softmax
from placing import GPU, here, there

import suanzi
from elements import elements
from suanzi.devices.state import functions
from suanzi.fusion.function import FusedFunction
from suanzi.fusion.on_devices import DevicePass

sz: Any = suanzi
# The bits of a function's results may differ from the CPU's bits if the steps or types contain one of these words. The
# order of addition changes sums and values computed from sums. Functions of halves are rounded twice.
INEXACT = ("sum(", "mean(", "var(", "std(", "prod(", "logsumexp(", "norm2(", "complex", "float16", "float64")
kinds: Counter[str] = Counter()


def count(fused: Any) -> None:
    """Count the kernels of a fused function by kind, and check that no kernel has failed."""
    for traced in fused._programs.values():
        for step in traced.program.steps:
            if isinstance(step, DevicePass):
                kinds.update(group.kind for group in step.groups)
                assert all(launch.works for launch in step.launches.values())


def check(function: Any, *tensors: Any, ulp: int = 0, numbers: tuple[Any, ...] = ((),)) -> None:
    """Compare a fused function's results on the device and on the CPU, within `ulp` ulps of the greatest element."""
    fused: Any = suanzi.fuse(function)
    for given in (*numbers, *numbers):
        found, expected = fused(*there(tensors), *given), function(*tensors, *given)
        pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
        for a, b in pairs:
            assert (a.dtype, a.shape, a.layout, a.device) == (b.dtype, b.shape, b.layout, GPU), (a.layout, b.layout)
            if ulp == 0:
                assert elements(here(a)) == elements(b), function
            else:
                x, y = a.numpy().astype(np.float64), b.numpy().astype(np.float64)
                unit = np.finfo(np.float64).eps if b.dtype == "float64" else 2.0**-23
                assert np.abs(x - y).max() <= ulp * unit * np.abs(y).max(), np.abs(x - y).max()
    count(fused)
    assert not fused.explain(*there(tensors), *numbers[0]).startswith("not traced")


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + sz.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def elementwise() -> None:
    """Check fused elementwise functions with broadcasts, several orders of dimensions, and several types."""
    x, y = (sz.uniform((16, 300), -3, 3, seed=seed) for seed in (1, 2))
    row, column = sz.uniform(300, -1, 1, seed=3), sz.uniform((16, 1), -1, 1, seed=4)
    check(lambda a, b, c: a * b + c, x, column, row)
    check(lambda a, b: sz.sqrt(sz.abs((a * 1.7 + b) / (b - 0.3))) * sz.maximum(a, b) - sz.minimum(a, 0.5), x, y)
    check(gelu, x)
    check(lambda a, b: (a.T * 2 + b.T, sz.clip(a, -1, 2), a > b), x, y)
    check(lambda a, b: a[:, ::2] * 3 - b[:, None, 1::2][:, 0], x, y)
    check(lambda a, s, t: a * s + (t - s), x, numbers=((0.1, 2.0), (-0.0, 1e30)))
    check(lambda a, s: sz.astype(a, "float64") * s, x, numbers=((0.1,), (1 / 3,)))
    check(lambda a, s: sz.astype(a, "bfloat16") + s, x, numbers=((0.1,), (1 / 3,)))
    zeros = sz.tensor([0.0, -0.0, float("nan"), float("inf"), -float("inf"), 2.5, -0.5, 3e9, -1.0])
    check(lambda a, b: (sz.maximum(a, b), sz.minimum(a, b), sz.sign(a), sz.rint(a), -a), zeros, zeros[::-1])
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool"):
        check(lambda a, dtype=dtype: sz.astype(a, dtype), zeros)
        n = sz.astype(sz.abs(x) * 40, dtype)
        check(lambda a: (a + a, a * a, sz.maximum(a, a[::-1]), a == a[::-1], sz.astype(a, "float32") / 3, a & a), n)
    for dtype in ("float16", "bfloat16"):
        check(lambda a: (a * a + 1, a / 3, sz.sqrt(sz.abs(a)), sz.max(a, axis=-1)), sz.astype(x, dtype))


def folds() -> None:
    """Check fused reductions along rows, along columns and of all elements, for few and for many elements."""
    x, w = sz.uniform((16, 300), -3, 3, seed=1), sz.uniform(300, -1, 1, seed=3)
    check(softmax, x, ulp=4)
    check(layer_norm, x, w, w, ulp=8)
    check(lambda a: a / sz.max(sz.abs(a), axis=-1, keepdims=True), x)
    check(lambda a: (sz.min(a, axis=-1), sz.any(a > 2.9, axis=-1), sz.all(a < 2.9, axis=-1), sz.max(a)), x)
    check(lambda a: sz.sqrt(sz.sum(a * a, axis=-1)) + 1, x, ulp=4)
    check(lambda a: sz.sum(a, axis=(0, 2)), sz.reshape(x, (4, 4, 300)), ulp=4)
    check(lambda a: sz.mean(a, axis=1, keepdims=True) * 2, sz.reshape(x, (4, 12, 100)), ulp=4)
    check(lambda a: sz.sum(sz.astype(a * 10, "int8"), axis=-1), x)
    large = sz.uniform((3, 40_000), -1, 1, seed=7)
    check(softmax, large, ulp=4)
    check(lambda a: (sz.max(a * 2), sz.min(a, axis=0), sz.any(a > 0.9, axis=0)), large)
    check(lambda a: (sz.sum(a * a + 1), sz.mean(a, axis=-1)), large, ulp=4)
    check(lambda a: sz.sum(a, axis=0), sz.uniform((2000, 70), -1, 1, seed=8), ulp=4)


def random_functions(first: int, last: int) -> None:
    """Check random functions. Without inexact steps, a result has the same bits as on the CPU or as without fusion."""
    for seed in range(first, last):
        graph = graphs.Graph(seed)
        fused: Any = FusedFunction(graph)
        inputs = there(tuple(graph.inputs))
        try:
            eager = graph(*inputs)
        except suanzi.SuanziError:
            continue
        inexact = any(word in line for line in graph.text for word in INEXACT)
        inexact |= any(word in str(x.dtype) for x in graph.inputs for word in INEXACT)
        for a, b, c in zip(fused(*inputs), graph(*graph.inputs), eager, strict=True):
            assert (a.dtype, a.shape, a.device) == (b.dtype, b.shape, GPU)
            same = elements(here(a)) in (elements(b), elements(here(c)))
            assert same or inexact, f"seed {seed}\n" + "\n".join(graph.text)
        count(fused)


def main() -> None:
    """Run all checks. Warnings of `fuse` are errors."""
    interpreter.prepare()
    warnings.simplefilter("ignore")
    warnings.filterwarnings("error", message="fuse: ")
    functions.correct = True
    elementwise()
    folds()
    random_functions(0, 12)
    print(dict(kinds))
    assert kinds["flat"] > 40
    assert kinds["rows"] > 10
    assert kinds["fold"] > 5


if __name__ == "__main__":
    main()
