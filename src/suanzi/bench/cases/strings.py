"""Cases of string tensors, beside NumPy's strings of any length (StringDType)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import suanzi
from suanzi.bench.cases.case import AsIs, Call, Case, Operands

_SIZES = (1_000, 100_000, 1_000_000)
_NOT_SLOWER = dict.fromkeys(_SIZES, 1.0)

Function = Callable[..., Any]


def _texts(n: int, start: int = 0) -> AsIs:
    return AsIs([f"item number {(start + 7919 * i) % n}" for i in range(n)])


def _pair(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
    return Operands((_texts(n), _texts(n, 1)))


def _numpys(data: list[str]) -> Any:
    return np.array(data, dtype="T")


_TENSORS: dict[str, Function] = {"suanzi": suanzi.tensor, "numpy": _numpys}


def _of_pair(ours: Function, numpys: Function) -> dict[str, Callable[..., Call]]:
    """Return, for each library, a function that prepares the call of the library's function on two string tensors."""

    def prepared(library: str, function: Function, *lists: Any) -> Call:
        return partial(function, *map(_TENSORS[library], lists))

    return {"suanzi": partial(prepared, "suanzi", ours), "numpy": partial(prepared, "numpy", numpys)}


def _choosing(library: str, x: list[str], y: list[str]) -> Call:
    even = np.arange(len(x)) % 2 == 0
    pair = map(_TENSORS[library], (x, y))
    return partial(suanzi.where, suanzi.tensor(even), *pair) if library == "suanzi" else partial(np.where, even, *pair)


def _assign(x: Any, y: Any) -> None:
    x[::2] = y[1::2]


def _case(operator: str, remark: str, own: dict[str, Callable[..., Call]]) -> Case:
    variant = f"strings, {remark}" if remark else "strings"
    return Case(operator, _pair, variant, _SIZES, ("string",), _NOT_SLOWER, own=own)


def _alike(function: Function) -> dict[str, Callable[..., Call]]:
    return _of_pair(function, function)


CASES: list[Case] = [
    _case("tensor", "of a list", {name: lambda x, _, make=make: lambda: make(x) for name, make in _TENSORS.items()}),
    _case("equal", "", _of_pair(suanzi.equal, np.equal)),
    _case("equal", "with one", _alike(lambda x, _: x == "item number 5")),
    _case("less", "", _of_pair(suanzi.less, np.less)),
    _case("where", "", {name: partial(_choosing, name) for name in _TENSORS}),
    _case("clone", "", _of_pair(lambda x, _: x.clone(), lambda x, _: x.copy())),
    _case("clone", "reversed", _of_pair(lambda x, _: x[::-1].clone(), lambda x, _: x[::-1].copy())),
    _case("slice", "x[::2] = y[1::2]", _alike(_assign)),
    _case("tensor", "tolist", _alike(lambda x, _: x.tolist())),
]
