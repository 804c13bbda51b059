"""Kinds of wrong results: large tensors, high ranks, one element type, unusual operands, special numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import suanzi

from . import faults as f
from .faults import Array, Fault, Seen, When, operands_changed, result_changed
from .functions import NOT_NUMBERS, TYPES, Described, described

RANDOM = ("uniform", "normal", "bernoulli", "multinomial", "randperm", "uniform_like", "normal_like")


def large(function: Described) -> Iterator[Fault]:
    """Make faults of large tensors only: a wrong last or middle element, or many wrong elements at certain places."""

    def above(limit: int) -> When:
        return lambda seen: max(seen.sizes, default=0) > limit

    changes = {
        "the last element": f.last,
        "the last block": f.tail,
        "the middle element": f.middle,
        "all past 100,000": f.past_100000,
        "each 4096th": f.every_4096th,
        "each 65536th": f.every_65536th,
    }
    for limit in (1000, 4096, 8192, 16384, 65536, 100_000):
        for told, change in changes.items():
            name = f"{told} is wrong where there are more than {limit} elements"
            yield Fault("large sizes", function.name, name, result_changed(change, when=above(limit)), "large")
    for limit in (64, 128):
        name = f"the last element is wrong where a dimension is above {limit}"

        def wide(seen: Seen, limit: int = limit) -> bool:
            return any(x.ndim > 1 and max(x.shape, default=0) > limit for x in seen.operands)

        yield Fault("large sizes", function.name, name, result_changed(f.last, when=wide), "large")


def rank(function: Described) -> Iterator[Fault]:
    def of(least: int) -> When:
        return lambda seen: any(x.ndim >= least for x in (*seen.operands, *_tensors(seen.result)))

    changes = {
        "reversed": f.reversed_,
        "with its last two axes mixed": f.last_two_mixed,
        "reversed along the first axis": f.along_first,
        "wrong at its end": f.last,
    }
    for least in (3, 4, 5):
        for told, change in changes.items():
            name = f"the result is {told} where there are {least} dimensions or more"
            yield Fault("rank", function.name, name, result_changed(change, when=of(least)))


def one_type(function: Described) -> Iterator[Fault]:
    """Make faults of one element type only."""
    types = function.types if function.name not in NOT_NUMBERS else [t for several in TYPES.values() for t in several]
    for t in types:

        def has(seen: Seen, t: str = t) -> bool:
            return any(x.dtype.name == t for x in (*seen.operands, *_tensors(seen.result)))

        for told, change in (("the last element is wrong", f.last), ("elements are reversed", f.reversed_)):
            kind = "strings" if t == "string" else "one type"
            yield Fault(kind, function.name, f"{told} of {t}", result_changed(change, when=has))


def _tensors(result: object) -> list[suanzi.Tensor]:
    several = result if isinstance(result, tuple | list) else (result,)
    return [x for x in several if isinstance(x, suanzi.Tensor)]


def strange_operands(function: Described) -> Iterator[Fault]:
    """Make faults for unusual operands (strides, sizes, a tensor twice), and a fault that reads in memory order."""

    def strides(seen: Seen) -> list[tuple[int, ...]]:
        return [x.numpy().strides for x in seen.operands if x.dtype is not suanzi.string and x.size > 1]

    whens: dict[str, When] = {
        "expanded operands": lambda seen: any(0 in s for s in strides(seen)),
        "backward operands": lambda seen: any(min(s, default=0) < 0 for s in strides(seen)),
        "operands with gaps of rank 3": lambda seen: any(
            x.ndim > 2 and x.dtype is not suanzi.string and not x.is_contiguous() for x in seen.operands
        ),
        "operands with gaps": lambda seen: any(not x.is_contiguous() for x in seen.operands),
        "the same tensor twice": lambda seen: len({id(x) for x in seen.operands}) < len(seen.operands),
        "operands of size 0": lambda seen: any(x.size == 0 for x in seen.operands),
        "an operand without dimensions": lambda seen: any(x.ndim == 0 for x in seen.operands),
    }
    for told, when in whens.items():
        for how, change in (("wrong at the end", f.last), ("wrong everywhere", f.everywhere)):
            yield Fault("operands", function.name, f"results are {how} for {told}", result_changed(change, when=when))

    def in_memory(x: suanzi.Tensor) -> suanzi.Tensor:
        if x.dtype is suanzi.string or x.is_contiguous():
            return x
        f.array_of(x)
        array = x.numpy()
        slowest = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
        return suanzi.tensor(array.transpose(slowest).reshape(array.shape))

    def read(seen: Seen) -> None:
        for name, value in seen.given.items():
            if isinstance(value, suanzi.Tensor) and name != "out":
                seen.given[name] = in_memory(value)

    yield Fault("operands", function.name, "elements are read in the order of the memory", f.otherwise(read))


# --- precision ---


def _through(*types: str) -> Callable[[Array], Array]:
    """Make a change that converts elements of the first named type to the second type and back."""
    source, narrow = types

    def change(x: Array) -> Array:
        if x.dtype.name != source:
            return x
        if x.dtype.kind in "iu":
            info = np.iinfo(x.dtype)
            return np.clip(x.astype(narrow).astype(np.longdouble), info.min, info.max).astype(x.dtype)
        return x.astype(narrow).astype(source)

    return change


def _saturating(x: Array) -> Array:
    """Clip 64-bit integers to the range of int32."""
    return np.clip(x, -(2**31), 2**31 - 1).astype(x.dtype) if x.dtype.name in ("int64", "uint64") else x


def _wrapping(x: Array) -> Array:
    return x.astype(np.int32).astype(x.dtype) if x.dtype.name in ("int64", "uint64") else x


def _signed(x: Array) -> Array:
    """Replace uint64 numbers beyond the range of int64 by the greatest int64."""
    return np.minimum(x, np.uint64(2**63 - 1)) if x.dtype == np.uint64 else x


PRECISIONS: dict[str, Callable[[Array], Array]] = {
    **{
        f"{a} goes by way of {b}": _through(a, b)
        for a, b in (
            ("float64", "float32"),
            ("float32", "float16"),
            ("complex128", "complex64"),
            ("int64", "float64"),
            ("uint64", "float64"),
            ("int32", "float32"),
            ("uint32", "float32"),
            ("int64", "float32"),
        )
    },
    "64 bits are held to 32": _saturating,
    "64 bits are cut to 32": _wrapping,
    "uint64 is held to int64": _signed,
}


def precision(function: Described) -> Iterator[Fault]:
    for told, change in PRECISIONS.items():
        yield Fault("precision", function.name, f"an operand of {told}", operands_changed(change))
        yield Fault("precision", function.name, f"a result of {told}", result_changed(change))


# --- special numbers ---


def _where(chosen: Callable[[Array], Array], value: float) -> Callable[[Array], Array]:
    def change(x: Array) -> Array:
        return np.where(chosen(x), np.array(value).astype(x.dtype), x) if x.dtype.kind in "fc" else x

    return change


def _limited(x: Array) -> Array:
    return np.where(np.isinf(x), np.copysign(np.finfo(x.dtype).max, x), x) if x.dtype.kind == "f" else x


def _parts(change: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Make a change of the real and the imaginary parts of complex numbers."""

    def changed(x: Array) -> Array:
        if x.dtype.kind != "c":
            return x
        flat = np.ascontiguousarray(x).reshape(-1)
        return change(flat.view(flat.real.dtype)).view(x.dtype).reshape(x.shape)

    return changed


def _real(change: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: change(x) if x.dtype.kind == "f" else x


def _tiny(x: Array) -> Array:
    return np.abs(x) < np.finfo(x.dtype).tiny


SPECIALS: dict[str, Callable[[Array], Array]] = {
    "NaN is taken for 0": _real(_where(np.isnan, 0)),
    "NaN is taken for infinite": _real(_where(np.isnan, np.inf)),
    "infinite is taken for the greatest number": _real(_limited),
    "infinite is taken for NaN": _real(_where(np.isinf, np.nan)),
    "-0 is taken for 0": _real(_where(lambda x: x == 0, 0.0)),
    "denormals are taken for 0": _real(_where(_tiny, 0.0)),
    "infinities lose their sign": _real(lambda x: np.where(np.isinf(x), np.abs(x), x)),
    "complex parts that are NaN are taken for 0": _parts(_where(np.isnan, 0)),
    "complex parts that are infinite are taken for the greatest number": _parts(_limited),
    "complex parts that are -0 are taken for 0": _parts(_where(lambda x: x == 0, 0.0)),
    "imaginary parts are lost": lambda x: x.real.astype(x.dtype) if x.dtype.kind == "c" else x,
    "the least integer is taken for the next": lambda x: (
        np.maximum(x, np.iinfo(x.dtype).min + 1) if x.dtype.kind == "i" else x
    ),
    "the greatest integer is taken for the one before": lambda x: (
        np.minimum(x, np.iinfo(x.dtype).max - 1) if x.dtype.kind in "iu" else x
    ),
}


def specials(function: Described) -> Iterator[Fault]:
    for told, change in SPECIALS.items():
        if not function.exact and told.startswith(("-0", "denormals", "complex parts that are -0")):
            continue
        yield Fault("specials", function.name, f"in an operand {told}", operands_changed(change))
        yield Fault("specials", function.name, f"in the result {told}", result_changed(change))


# --- further results ---

SEVERAL = {
    "topk": 2,
    "lu": 3,
    "qr": 2,
    "svd": 3,
    "lstsq": 4,
    "eig": 2,
    "eigh": 2,
    "slogdet": 2,
    "unique": 4,
    "split": 4,
    "unstack": 3,
    "meshgrid": 3,
    "nonzero": 3,
    "broadcast_arrays": 3,
    "broadcast_tensors": 3,
}


def further(function: Described) -> Iterator[Fault]:
    changes = {
        "is 0": f.zeroed,
        "has the opposite sign": f.opposite,
        "is reversed": f.reversed_,
        "is wrong at its end": f.last,
        "is rolled": f.rolled,
        "has mixed axes": f.last_two_mixed,
    }
    for which in range(1, SEVERAL.get(function.name, 0)):
        for told, change in changes.items():
            if function.name in ("eig", "eigh") and told.startswith("has the opp"):
                continue  # the negative of an eigenvector is an eigenvector, too
            yield Fault(
                "further results", function.name, f"result {which + 1} {told}", result_changed(change, which=which)
            )
    if function.name in ("split", "unstack", "meshgrid", "nonzero"):
        yield Fault("further results", function.name, "results past the second are the second", _like_second)


def _like_second(function: f.Function) -> f.Function:
    def call(*operands: object, **options: object) -> object:
        found = function(*operands, **options)
        return tuple(found[min(i, 1)] for i in range(len(found))) if isinstance(found, tuple) else found

    return call


KINDS = (large, rank, one_type, strange_operands, precision, specials, further)
__all__ = ["KINDS", "described"]
