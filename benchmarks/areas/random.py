"""Random tensors and matrices by their diagonals.

Every rival draws with its default generator, which is set up once; ours is set up in each call, by a seed of its own
or, where the remark says so, by one of the system.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

import numpy as np
import torch

import suanzi
from comparison import Comparison

Calls = dict[str, Callable[[], object]]

_GENERATOR = np.random.default_rng(1)
_SEED = 20251121
_LARGE = 10_000_000
# Nothing is slower than the faster peer; long tensors of numbers take half of its time.
_GOALS = {1_000: 1.0, 100_000: 1.0, _LARGE: 1.0}
_HALF = {**_GOALS, _LARGE: 0.5}


def _uniform(n: int) -> Calls:
    return {
        "suanzi": lambda: suanzi.uniform(n, 0.0, 1.0, _SEED),
        "numpy": lambda: _GENERATOR.random(n, dtype=np.float32),
        "torch": lambda: torch.rand(n),
    }


def _uniform_system(n: int) -> Calls:
    return {**_uniform(n), "suanzi": lambda: suanzi.uniform(n, 0.0, 1.0)}


def _uniform64(n: int) -> Calls:
    return {
        "suanzi": lambda: suanzi.uniform(n, 0.0, 1.0, _SEED, dtype=suanzi.float64),
        "numpy": lambda: _GENERATOR.random(n),
        "torch": lambda: torch.rand(n, dtype=torch.float64),
    }


def _integers(name: str) -> Callable[[int], Calls]:
    ours, theirs = getattr(suanzi, name), getattr(torch, name)
    return lambda n: {
        "suanzi": lambda: suanzi.uniform(n, 0, 99, _SEED, dtype=ours),
        "numpy": lambda: _GENERATOR.integers(0, 100, n, dtype=name),
        "torch": lambda: torch.randint(0, 100, (n,), dtype=theirs),
    }


def _normal(n: int) -> Calls:
    return {
        "suanzi": lambda: suanzi.normal(n, seed=_SEED),
        "numpy": lambda: _GENERATOR.standard_normal(n, dtype=np.float32),
        "torch": lambda: torch.randn(n),
    }


def _normal64(n: int) -> Calls:
    return {
        "suanzi": lambda: suanzi.normal(n, seed=_SEED, dtype=suanzi.float64),
        "numpy": lambda: _GENERATOR.standard_normal(n),
        "torch": lambda: torch.randn(n, dtype=torch.float64),
    }


def _bernoulli(n: int) -> Calls:
    p = _GENERATOR.random(n, dtype=np.float32)
    ours, theirs = suanzi.tensor(p), torch.from_numpy(p)
    return {
        "suanzi": lambda: suanzi.bernoulli(ours, _SEED),
        "numpy": lambda: (_GENERATOR.random(n, dtype=np.float32) < p).astype(np.float32),
        "torch": lambda: torch.bernoulli(theirs),
    }


def _counts(draws: int) -> Callable[[int], Calls]:
    def make(n: int) -> Calls:
        p = _GENERATOR.random(n)
        p /= p.sum()
        ours = suanzi.tensor(p)
        return {
            "suanzi": lambda: suanzi.multinomial(ours, draws, seed=_SEED),
            "numpy": lambda: _GENERATOR.multinomial(draws, p),
        }

    return make


def _indices(draws: int, replacement: bool) -> Callable[[int], Calls]:
    def make(n: int) -> Calls:
        p = _GENERATOR.random(n)
        p /= p.sum()
        ours, theirs = suanzi.tensor(p), torch.from_numpy(p)
        return {
            "suanzi": lambda: suanzi.multinomial(ours, draws, replacement, _SEED, output="indices"),
            "numpy": lambda: _GENERATOR.choice(n, draws, replacement, p),
            "torch": lambda: torch.multinomial(theirs, draws, replacement),
        }

    return make


def _randperm(n: int) -> Calls:
    return {
        "suanzi": lambda: suanzi.randperm(n, seed=_SEED),
        "numpy": lambda: _GENERATOR.permutation(n).astype(np.float32),
        "torch": lambda: torch.randperm(n, dtype=torch.float32),
    }


def _randperm64(n: int) -> Calls:
    return {
        "suanzi": lambda: suanzi.randperm(n, suanzi.int64, _SEED),
        "numpy": lambda: _GENERATOR.permutation(n),
        "torch": lambda: torch.randperm(n),
    }


def _eye(size: int) -> Calls:
    n = isqrt(size)
    return {
        "suanzi": lambda: suanzi.eye(n),
        "numpy": lambda: np.eye(n, dtype=np.float32),
        "torch": lambda: torch.eye(n),
    }


def _of_matrix(name: str, transposed: bool = False, further: tuple[Any, ...] = ()) -> Callable[[int], Calls]:
    def make(size: int) -> Calls:
        x = _GENERATOR.random((isqrt(size), isqrt(size)), dtype=np.float32)
        ours, theirs = suanzi.tensor(x), torch.from_numpy(x)
        if transposed:
            x, ours, theirs = x.T, ours.T, theirs.T
        calls = (getattr(library, name) for library in (suanzi, np, torch))
        a, b, c = calls
        return {
            "suanzi": lambda: a(ours, *further),
            "numpy": lambda: b(x, *further).copy() if name == "diag" else b(x, *further),
            "torch": lambda: c(theirs, *further).clone() if name == "diag" else c(theirs, *further),
        }

    return make


def _diag_of_vector(size: int) -> Calls:
    x = _GENERATOR.random(isqrt(size), dtype=np.float32)
    ours, theirs = suanzi.tensor(x), torch.from_numpy(x)
    return {
        "suanzi": lambda: suanzi.diag(ours),
        "numpy": lambda: np.diag(x),
        "torch": lambda: torch.diag(theirs),
    }


def _stacked(name: str) -> Callable[[int], Calls]:
    def make(size: int) -> Calls:
        x = _GENERATOR.random((size // 100, 10, 10), dtype=np.float32)
        ours, theirs = suanzi.tensor(x), torch.from_numpy(x)
        a, b, c = (getattr(library, name) for library in (suanzi, np, torch))
        return {"suanzi": lambda: a(ours), "numpy": lambda: b(x), "torch": lambda: c(theirs)}

    return make


CASES: list[Comparison] = [
    Comparison("uniform", _uniform, goals=_HALF),
    Comparison("uniform system seed", _uniform_system, goals=_HALF),
    Comparison("uniform", _uniform64, "float64", goals=_GOALS),
    *(Comparison("uniform", _integers(name), name, goals=_GOALS) for name in ("uint8", "int32", "int64")),
    Comparison("normal", _normal, goals=_HALF),
    Comparison("normal", _normal64, "float64", goals=_GOALS),
    Comparison("bernoulli", _bernoulli, goals=_GOALS),
    Comparison("multinomial counts of 1", _counts(1), "float64", goals=_GOALS),
    Comparison("multinomial counts of 10^6", _counts(1_000_000), "float64", goals=_GOALS),
    Comparison("multinomial 1000 indices", _indices(1000, True), "float64", goals=_GOALS),
    Comparison("multinomial 10^5 indices", _indices(100_000, True), "float64", goals=_GOALS),
    Comparison("multinomial distinct", _indices(100, False), "float64", goals=_GOALS),
    Comparison("randperm", _randperm, goals=_GOALS),
    Comparison("randperm", _randperm64, "int64", goals=_GOALS),
    Comparison("eye", _eye, goals=_GOALS),
    Comparison("diag of a matrix", _of_matrix("diag"), goals=_GOALS),
    Comparison("diag of a vector", _diag_of_vector, goals=_GOALS),
    *(
        case
        for name in ("tril", "triu")
        for case in (
            Comparison(name, _of_matrix(name), goals=_GOALS),
            Comparison(f"{name} transposed", _of_matrix(name, transposed=True), goals=_GOALS),
            Comparison(f"{name} of 10 by 10", _stacked(name), goals=_GOALS),
        )
    ),
]
