"""The calls that `slow_list.py` times, the libraries for comparison, and the limits for slower calls.

The function of a case accepts the library's module, and then the operands as the library's tensors. `call_of` does not
convert numbers and lists.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Random = np.random.Generator
Call = Callable[[], object]
Make = Callable[..., Call]


@dataclass
class Case:
    """A call to time, for each of several libraries. Every library makes its operands from the same arrays."""

    name: str
    operands: Callable[[Random], tuple[Any, ...]]
    calls: dict[str, Make]
    bound: str = ""


def _module(library: str) -> Any:
    if library == "torch":
        import torch

        torch.set_num_threads(1)
        return torch
    if library == "scipy":
        import scipy.sparse

        return scipy.sparse
    if library == "numpy":
        return np
    import suanzi
    import suanzi.extras

    return suanzi


def call_of(case: Case, library: str, rng: Random) -> Call:
    """Return a case's call for a library. The library "before", an older tree of suanzi, has the call of "suanzi"."""
    name = "suanzi" if library == "before" else library
    module = _module(name)
    own = {"suanzi": lambda x: module.tensor(x), "torch": lambda x: module.from_numpy(x)}.get(name, lambda x: x)
    operands = case.operands(rng)
    return case.calls[name](module, *(own(x) if isinstance(x, np.ndarray) else x for x in operands))


def _normal(shape: Any, dtype: str = "float32", scale: float = 1.0) -> Callable[[Random], tuple[Any]]:
    return lambda rng: ((rng.standard_normal(shape) * scale).astype(dtype),)


def _all(make: Make, *others: str) -> dict[str, Make]:
    """Return the calls of a case for suanzi and the other given libraries, which have the same functions."""
    return dict.fromkeys(("suanzi", *others), make)


_SCALE, _ZERO, _CODES = 0.05, 3, "qint8_asymmetric"


def _quantized() -> Iterator[Case]:
    def created(sz: Any, x: Any) -> Call:
        return lambda: sz.quantized_tensor(None, x, scale=_SCALE, zero_point=_ZERO, dtype=_CODES)

    def encoded(sz: Any, x: Any) -> Call:
        return lambda: sz.quantize(x, _SCALE, _ZERO, dtype=_CODES)

    for n in (1000, 100_000, 10_000_000):
        yield Case(
            f"quantized_tensor of {n:,} codes",
            lambda rng, n=n: (rng.integers(-127, 128, n, np.int8),),
            {
                "suanzi": created,
                "numpy": lambda _, x: x.copy,
                "torch": lambda torch, x: lambda: torch._make_per_tensor_quantized_tensor(x, _SCALE, _ZERO),
            },
            "3 us of reading and checking five arguments in Python; NumPy's is a copy alone",
        )
        yield Case(
            f"quantize {n:,} float32",
            _normal(n),
            {
                "suanzi": encoded,
                "numpy": lambda _, x: lambda: np.clip(np.rint(x / np.float32(_SCALE)) + _ZERO, -128, 127).astype("i1"),
                "torch": lambda torch, x: lambda: torch.quantize_per_tensor(x, _SCALE, _ZERO, torch.qint8),
            },
            "arguments read in Python; quotients rounded exactly, where PyTorch multiplies by a rounded reciprocal",
        )
    for n in (1000, 100_000):
        for name, more in (("negative", ()), ("reshape", ((n // 10, 10),))):

            def of_codes(sz: Any, x: Any, name: str = name, more: Any = more) -> Call:
                codes = encoded(sz, x)()
                return lambda: getattr(sz, name)(codes, *more)

            yield Case(f"{name} of {n:,} quantized", _normal(n), {"suanzi": of_codes}, "a `Call` made in Python")


def _systems() -> Iterator[Case]:
    def gelsd(torch: Any, a: Any, b: Any) -> Call:
        return lambda: torch.linalg.lstsq(a, b[:, None], driver="gelsd")

    for m, n in ((100, 50), (200, 200), (512, 256)):
        for dtype in ("float32", "float64"):

            def operands(rng: Random, m: int = m, n: int = n, dtype: str = dtype) -> tuple[Any, ...]:
                return tuple(rng.standard_normal(shape).astype(dtype) for shape in ((m, n), m))

            ours: dict[str, Make] = {"suanzi": lambda sz, a, b: lambda: sz.lstsq(a, b)}
            yield Case(
                f"lstsq ({m}, {n}) {dtype}, singular values",
                operands,
                {**ours, "numpy": lambda _, a, b: lambda: np.linalg.lstsq(a, b, None), "torch": gelsd},
            )
            yield Case(
                f"lstsq ({m}, {n}) {dtype}",
                operands,
                {**ours, "torch": lambda torch, a, b: lambda: torch.linalg.lstsq(a, b[:, None])},
                "singular values, which are a result and decide the rank; PyTorch's default, a pivoted QR, gives none",
            )


def _rows() -> Iterator[Case]:
    for rows, columns in ((10_000, 10), (10_000, 49), (1000, 1000)):
        for name in ("max", "any", "sum"):

            def in_torch(torch: Any, x: Any, name: str = name) -> Call:
                function = getattr(torch, "amax" if name == "max" else name)
                return lambda: function(x, 1)

            yield Case(
                f"{name} of bool ({rows:,}, {columns:,}), axis 1",
                lambda rng, shape=(rows, columns): (rng.random(shape) < 0.01,),
                {**_all(lambda lib, x, name=name: lambda: getattr(lib, name)(x, axis=1), "numpy"), "torch": in_torch},
                "22 ns a row of the walk over rows, whatever their length",
            )


def _creation() -> Iterator[Case]:
    libraries = "numpy", "torch"
    for n in (1000, 100_000):
        for shape in ((n,), (n // 10, 10)):
            yield Case(
                f"iteration over {shape}",
                _normal(shape),
                _all(lambda _, x: lambda: deque(x, 0), *libraries),
                "a tensor for each element, where NumPy makes a scalar, which has neither shape nor strides",
            )
    for n in (1, 10, 1000, 100_000):
        for kind in ("floats", "integers"):
            yield Case(
                f"tensor of a list of {n:,} {kind}",
                lambda rng, n=n, kind=kind: (
                    (rng.random(n) if kind == "floats" else rng.integers(0, 999, n)).tolist(),
                ),
                {
                    "suanzi": lambda sz, x: lambda: sz.tensor(x),
                    "numpy": lambda _, x: lambda: np.array(x),
                    "torch": lambda torch, x: lambda: torch.tensor(x),
                },
                "0.4 us for reading the arguments, the type of the result among them",
            )

        def array(rng: Random, n: int = n) -> tuple[Any]:
            return (memoryview(rng.random(n, np.float32)),)  # call_of does not convert the buffer

        yield Case(
            f"tensor of an array of {n:,}",
            array,
            {
                "suanzi": lambda sz, x: (lambda y: lambda: sz.tensor(y))(np.asarray(x)),
                "numpy": lambda _, x: (lambda y: lambda: np.array(y))(np.asarray(x)),
                "torch": lambda torch, x: (lambda y: lambda: torch.tensor(y))(np.asarray(x)),
            },
            "0.5 us for reading the arguments and the buffer protocol",
        )
        yield Case(
            f"from_reference of {n:,}",
            array,
            {
                "suanzi": lambda sz, x: (lambda y: lambda: sz.from_reference(y))(np.asarray(x)),
                "numpy": lambda _, x: lambda: np.asarray(x),
                "torch": lambda torch, x: (lambda y: lambda: torch.from_numpy(y))(np.asarray(x)),
            },
            "0.3 us for reading the arguments in Python",
        )


def _arithmetic() -> Iterator[Case]:
    libraries = "numpy", "torch"
    for exponent in (0, 20, 60):
        for dtype in ("float32", "float64"):

            def pair(rng: Random, size: float = 2.0**exponent, dtype: str = dtype) -> tuple[Any, ...]:
                return (rng.uniform(-1, 1, 100_000) * size).astype(dtype), rng.uniform(0.5, 2, 100_000).astype(dtype)

            yield Case(
                f"remainder of 100,000 to 2^{exponent}, {dtype}",
                pair,
                _all(lambda lib, x, y: lambda: lib.remainder(x, y), *libraries),
                "quotients that have more digits than a float64 are divided in steps",
            )
    for n in (1000, 100_000):
        yield Case(
            f"np.interp of {n:,} in 1,000",
            lambda rng, n=n: (rng.random(n), np.sort(rng.random(1000)), rng.standard_normal(1000)),
            _all(lambda _, x, xp, fp: lambda: np.interp(x, xp, fp), "numpy"),
        )
        for dtype in ("float32", "float64"):
            yield Case(
                f"round of {n:,} {dtype}, 2 decimals",
                _normal(n, dtype, 100.0),
                _all(lambda lib, x: lambda: lib.round(x, decimals=2), *libraries),
                "the nearest decimal, exactly; PyTorch multiplies, rounds and divides",
            )


def _products() -> Iterator[Case]:
    def in_torch(torch: Any, x: Any, axis: int | None) -> Call:
        return (lambda: torch.prod(x)) if axis is None else lambda: torch.prod(x, axis)

    for words, low in (("near 1", 0.9), ("within 1", -1.0)):
        for shape, axis in (((1000,), None), ((1_000_000,), None), ((1000, 1000), 1), ((1000, 1000), 0)):
            for dtype in ("float32", "float64"):

                def operands(
                    rng: Random, low: float = low, shape: Any = shape, t: str = dtype, axis: Any = axis
                ) -> Any:
                    return rng.uniform(low, 2 - low if low > 0 else 1, shape).astype(t), axis

                yield Case(
                    f"prod of {shape} {words}, axis {axis}, {dtype}",
                    operands,
                    {**_all(lambda lib, x, axis: lambda: lib.prod(x, axis=axis), "numpy"), "torch": in_torch},
                    "exponents are added up where a product left float64, and mantissas multiplied apart where these "
                    "do not decide",
                )


def _statistics() -> Iterator[Case]:
    def edges(rng: Random, dtype: str) -> Any:
        return np.sort(rng.standard_normal(101)).astype(dtype)

    for n, dtype in ((1000, "float64"), (1_000_000, "float64"), (1_000_000, "float32")):
        by_number = {
            "suanzi": lambda sz, x: lambda: sz.extras.histogram(x, 100),
            "numpy": lambda _, x: lambda: np.histogram(x, 100),
            "torch": lambda torch, x: lambda: torch.histogram(x, 100),
        }
        by_edges = {
            "suanzi": lambda sz, x, e: lambda: sz.extras.histogram(x, e),
            "numpy": lambda _, x, e: lambda: np.histogram(x, e),
            "torch": lambda torch, x, e: lambda: torch.histogram(x, e),
        }
        yield Case(f"histogram of {n:,} {dtype}, 100 bins", _normal(n, dtype), by_number, "eight operators in turn")
        yield Case(
            f"histogram of {n:,} {dtype}, 101 edges",
            lambda rng, n=n, t=dtype: (rng.standard_normal(n).astype(t), edges(rng, t)),
            by_edges,
            "seven operators in turn, of which searchsorted takes half of the time",
        )
    for shape in ((10, 100), (10, 10_000), (100, 10_000)):
        for name in ("cov", "corrcoef"):
            yield Case(
                f"{name} of {shape} float64",
                _normal(shape, "float64"),
                {
                    "suanzi": lambda sz, x, name=name: lambda: getattr(sz.extras, name)(x),
                    "numpy": lambda _, x, name=name: lambda: getattr(np, name)(x),
                    "torch": lambda torch, x, name=name: lambda: getattr(torch, name)(x),
                },
                "weights are multiplied though all are 1; variances are looked at, whether they left the range",
            )


def _scattered() -> Iterator[Case]:
    for n, m in ((1000, 1000), (100_000, 100_000), (1_000_000, 1000)):
        for dtype in ("float32", "float16", "float64"):
            yield Case(
                f"scatter, add, {n:,} into {m:,}, {dtype}",
                lambda rng, n=n, m=m, t=dtype: (np.zeros(m, t), rng.integers(0, m, n), rng.random(n).astype(t)),
                {
                    "suanzi": lambda sz, x, i, u: lambda: sz.scatter(x, i, u, axis=0, mode="add"),
                    "torch": lambda torch, x, i, u: lambda: torch.scatter_add(x, 0, i, u),
                },
                "every index is checked before anything is written; sums are made in float64 and rounded once",
            )
    yield Case(
        "scatter_nd, add, 10,000 rows of 64 into 1,000, float32",
        lambda rng: (np.zeros((1000, 64), "f4"), rng.integers(0, 1000, (10_000, 1)), rng.random((10_000, 64), "f4")),
        {
            "suanzi": lambda sz, x, i, u: lambda: sz.scatter_nd(x, i, u, mode="add"),
            "torch": lambda torch, x, i, u: (lambda rows: lambda: torch.index_add(x, 0, rows, u))(i[:, 0]),
        },
        "elements are added one by one, where PyTorch adds rows of vectors; sums are made in float64",
    )


def _sparse() -> Iterator[Case]:
    def call(function: Callable[[Any, Any, Any], Call]) -> dict[str, Make]:
        """Return calls of a function on a compressed sparse row matrix and the same matrix in dense form."""
        return {
            "suanzi": lambda sz, x: function(sz, sz.to_sparse(x, "csr"), x),
            "scipy": lambda scipy, x: function(np, scipy.csr_array(x), x),
        }

    for n, density in ((200, 0.05), (2000, 0.01)):

        def matrix(rng: Random, n: int = n, density: float = density) -> tuple[Any]:
            return (np.where(rng.random((n, n)) < density, rng.random((n, n), np.float32), np.float32(0)),)

        words = f"({n:,}, {n:,}) with {density:.0%}"
        for axis in (0, 1):
            yield Case(
                f"sum of sparse {words}, axis {axis}", matrix, call(lambda _, s, x, a=axis: lambda: s.sum(axis=a))
            )
        yield Case(
            f"sparse {words} times 16 columns", matrix, call(lambda _, s, x: (lambda y: lambda: s @ y)(x[:, :16] + 0))
        )
        yield Case(
            f"sparse {words} times dense, by element",
            matrix,
            call(lambda _, s, x: lambda: s * x),
            "a line of memory for each element of the dense operand",
        )


CASES = [
    case
    for family in (_quantized, _systems, _rows, _creation, _arithmetic, _products, _statistics, _scattered, _sparse)
    for case in family()
]
