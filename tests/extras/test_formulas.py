"""Each formula of the core returns the same bits as operators that compute the formula step by step.

The tests call formulas alone, before reductions, in fused functions and in several threads.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
from elements import elements
from suanzi import Tensor, _core, extras
from suanzi.operators.registry import record_of


def _times_logistic(x: Tensor, t: Tensor) -> Tensor:
    root = suanzi.exp(suanzi.abs(t) * -0.5)
    factor = suanzi.where(t >= 0, 1, root)
    return suanzi.maximum(x, -1e30) * factor * factor / (root * root + 1)


def _sigmoid(x: Tensor) -> Tensor:
    power = suanzi.exp(-suanzi.abs(x))
    return suanzi.where(x >= 0, 1, power) / (power + 1)


def _mish(x: Tensor) -> Tensor:
    root = suanzi.exp(suanzi.abs(x) * -0.5)
    e = root * root
    factor = suanzi.where(x >= 0, 1, root)
    upper = suanzi.where(x >= 0, (e + e) + 1, e + 2)
    lower = suanzi.where(x >= 0, (e * e + e * e) + 1, e * e + 2) + (e + e)
    return suanzi.maximum(x, -1e30) * factor * factor * upper / lower


def _by_tanh(x: Tensor) -> Tensor:
    return _times_logistic(x, (x + x * x * x * 0.044715) * (2 * math.sqrt(2 / math.pi)))


# Each formula has a public function, and a function that computes the formula's steps with operators.
STEPS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = {
    "sigmoid": (extras.sigmoid, _sigmoid),
    "silu": (extras.silu, lambda x: _times_logistic(x, x)),
    "softplus": (extras.softplus, lambda x: suanzi.maximum(x, 0) + suanzi.log1p(suanzi.exp(-suanzi.abs(x)))),
    "mish": (extras.mish, _mish),
    "hardswish": (extras.hardswish, lambda x: suanzi.maximum(x, -3) * (suanzi.clip(x + 3, 0, 6) / 6)),
    "gelu by tanh": (lambda x: extras.gelu(x, approximate="tanh"), _by_tanh),
}
TYPES = ["float16", "bfloat16", "float32", "float64", "bool", "int8", "uint8", "int16", "int32", "int64", "uint64"]


def expected(name: str, x: Tensor) -> Tensor:
    """Return the result of a formula's steps, computed in the type that the core uses, and rounded once."""
    floating = x.dtype.kind_name == "real floating"
    half = x.dtype.itemsize == 2
    wide = suanzi.float64 if name == "gelu by tanh" or not floating else suanzi.float32 if half else x.dtype
    return suanzi.astype(STEPS[name][1](suanzi.astype(x, wide)), x.dtype if floating else suanzi.float32)


def operand(dtype: str) -> Tensor:
    """Return all values of a type of at most 16 bits, or random bits, small numbers and limits of a wider type."""
    rng = np.random.default_rng(2)
    if dtype == "bool":
        return suanzi.tensor([False, True] * 500)
    if dtype == "bfloat16":
        return suanzi.astype(suanzi.tensor((np.arange(2**16, dtype=np.uint32) << 16).view(np.float32)), dtype)
    kind = np.dtype(dtype)
    if kind.itemsize <= 2:
        return suanzi.tensor(np.arange(2 ** (8 * kind.itemsize)).astype(f"u{kind.itemsize}").view(kind))
    drawn = rng.integers(0, 256, 4000 * kind.itemsize, dtype=np.uint8).view(kind)
    limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    small = (rng.standard_normal(4000) * 30).astype(np.int64 if kind.kind != "f" else kind)
    ends = np.array([limits.max, limits.min] * 9, kind)
    return suanzi.tensor(np.concatenate([drawn, np.abs(small).astype(kind), small.astype(kind), ends]))


def bits(x: Tensor) -> Any:
    return x.dtype, x.shape, elements(x)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", STEPS)
def test_steps(name: str, dtype: str) -> None:
    function, x = STEPS[name][0], operand(dtype)
    for part in (x, x[:7], x[3:700], x[::2], x[: x.size // 4 * 4].reshape((4, -1)).T):
        assert bits(function(part)) == bits(expected(name, part))


SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e-45, -1e-45, 1e-310, 88.8, -88.8, -104, -745.2]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("times", [1, 1000])
def test_special_values_in_short_and_long_tensors(name: str, dtype: str, times: int) -> None:
    x = suanzi.tensor(SPECIAL * times, dtype=dtype)
    assert bits(STEPS[name][0](x)) == bits(expected(name, x))


FOLDED: dict[str, Callable[[Tensor], Tensor]] = {
    "softmax": extras.softmax,
    "log_softmax": lambda x: extras.log_softmax(x, 0),
    "nanmax": lambda x: extras.nanmax(x, axis=1),
    "nanmin": extras.nanmin,
    "nansum": lambda x: extras.nansum(x, axis=0),
    "nanprod": lambda x: extras.nanprod(x, axis=1, keepdims=True),
    "nanmean": extras.nanmean,
    "nanstd": lambda x: extras.nanstd(x, axis=-1, correction=1),
    "nanvar": lambda x: extras.nanvar(x, 0, True),
}
ALL = {name: function for name, (function, _) in STEPS.items()} | FOLDED


def matrix(dtype: str) -> Tensor:
    values = np.random.default_rng(5).standard_normal((300, 1050)) * 4
    values[::7, ::5] = np.nan
    return suanzi.astype(suanzi.tensor(values), dtype)


def refuse(*_: Any) -> Any:
    raise AssertionError("a call of an extra is traced")


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
@pytest.mark.parametrize("name", ALL)
def test_calls_are_alike(name: str, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are not traced, and return the same bits as within a fused function, also with a single thread."""
    function, x = ALL[name], matrix(dtype)
    fused = suanzi.fuse(lambda x: function(x))
    expected = bits(fused(x))
    assert bits(fused(x)) == expected
    monkeypatch.setattr("suanzi.fusion.fuse", refuse)
    monkeypatch.setattr("suanzi.fusion.function.Recording", refuse)
    assert [bits(function(x)) for _ in range(3)] == [expected] * 3
    before = suanzi.get_num_threads()
    try:
        suanzi.set_num_threads(1)
        assert bits(function(x)) == expected
    finally:
        suanzi.set_num_threads(before)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 1), (0, 2), (1, 2)], ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 4), (3, 700, 40), (40, 3, 700), (1, 70000, 1), (70000, 1, 3)], ids=str)
def test_folds_on_the_way(shape: tuple[int, ...], axis: Any) -> None:
    values = np.random.default_rng(5).standard_normal(shape)
    values[:, ::3] = np.nan
    for x in (
        suanzi.tensor(values),
        suanzi.permute_dims(suanzi.tensor(values), (2, 0, 1)),
        suanzi.tensor(values)[:, ::2],
    ):
        for name in ("sum", "max", "prod"):
            found = _core.fold_formula(name, "filled", (x,), 0.5, axis, True, None)
            assert bits(found) == bits(suanzi.reduce(suanzi.where(suanzi.isnan(x), 0.5, x), name, axis, True))


@pytest.mark.parametrize("name", STEPS)
def test_in_a_fused_function_they_are_a_part_of_it(name: str) -> None:
    function, x = STEPS[name][0], matrix("float32")
    fused = suanzi.fuse(lambda x: suanzi.sum(function(x * 2)[:, 1:] + 1, axis=1))
    alone = suanzi.sum(function(x * 2)[:, 1:] + 1, axis=1)
    assert bits(fused(x)) == bits(fused(x)) == bits(alone)
    text = fused.explain(x)
    assert text.startswith("1 fused part")
    assert f"{name.replace(' ', '_')}, " in text  # the plan shows the formula as one operator


def test_formulas_in_many_threads() -> None:
    """A formula that eight threads call at the same time returns the same bits in each thread as in a single thread."""
    x = matrix("float32")
    known, found = bits(extras.silu(x)), []
    threads = [threading.Thread(target=lambda: found.append(bits(extras.silu(x)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [known] * 8


@pytest.mark.parametrize(("name", "operands", "numbers"), _core.formulas)
def test_records(name: str, operands: int, numbers: int) -> None:
    record = record_of(name)
    assert record is not None
    assert record.family == "elementwise"
    assert (len(record.operands), record.options) == (operands, ("number",) * numbers)
    with pytest.raises(suanzi.TypeMismatchError, match="arguments are needed, but 99 are given"):
        record.builtin(*[None] * 99)


def test_what_is_no_formula() -> None:
    x = suanzi.ones(3)
    with pytest.raises(suanzi.InvalidArgumentError, match="fold_formula: formula 'exp'"):
        _core.fold_formula("sum", "exp", (x,), None, None, False, None)
    with pytest.raises(suanzi.TypeMismatchError, match="1 operands and 0 numbers are given, but filled takes 1 and 1"):
        _core.fold_formula("sum", "filled", (x,), None, None, False, None)
    with pytest.raises(suanzi.OutOfRangeError):
        extras.nanmax(x, axis=2)
