"""The probes of variances, norms, logsumexp and the prefix sums and products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..inputs import accumulated, types
from ..oracle.compare import Expected, exactly
from ..oracle.element_types import Array, ElementType, as_extended, convert, exact, floating, real_part
from ..probe import Probe, Refusal, Value
from ..status import Status


def _logsumexp(x: Array, axis: Any) -> Array:
    largest = x.max(axis=axis, keepdims=True)
    rest = np.log(np.exp(x - largest).sum(axis=axis, keepdims=True))
    return np.asarray(np.squeeze(largest + rest, axis=axis))


_STATISTICS: dict[str, tuple[str, Callable[..., Any]]] = {
    "var": ("BIFC", np.var),
    "std": ("BIFC", np.std),
    "norm1": ("BIFC", lambda x, axis: np.abs(x).sum(axis=axis)),
    "norm2": ("BIFC", lambda x, axis: np.sqrt((np.abs(x) ** 2).sum(axis=axis))),
    "logsumexp": ("BIF", _logsumexp),
}
_ROUNDINGS = {"F": 0.51, "C": 1.51}  # error bounds in ulp; absolute values of complex elements are rounded as well


def _sample(t: ElementType, shape: tuple[int, ...], salt: int = 0) -> Array:
    rng = np.random.default_rng((len(t.name), salt))
    if t.kind in "BUS":
        return np.asarray(rng.integers(0 if t.kind != "S" else -9, 2 if t.kind == "B" else 10, shape)).astype(t.numpy)
    x = rng.uniform(0.5, 2.0, shape) * rng.choice([-1, 1], shape)
    return np.asarray(x + 1j * rng.uniform(-1, 1, shape) if t.kind == "C" else x).astype(t.numpy)


def _statistic(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    kinds, compute = _STATISTICS[operator]
    for t in types(available, kinds):
        x = _sample(t, (7, 13))
        result = real_part(floating(t))
        wide = as_extended(exact(x))
        # Variances accumulated in float64 may be off by more than the last place.
        bound = _ROUNDINGS["C" if t.kind == "C" else "F"] + 2.0 ** (result.precision - 53 + 6)
        for label, array, reference in (("", x, wide), (", transposed", x.T, wide.T)):
            for axis in (None, 0, 1, (0, 1)):
                found = np.asarray(compute(reference, axis=axis))
                expected = Expected(result, found, bound)
                yield Value(operator, f"{t.name}, axis={axis}{label}", (array,), expected, {"axis": axis})
    yield Refusal(operator, "no such axis", (np.ones(3, np.float32),), Status.OUT_OF_RANGE, {"axis": 1})


# NumPy's function for each scan, and the initial value.
_SCANS: dict[str, tuple[Callable[..., Any], int]] = {
    "cumulative_sum": (np.cumsum, 0),
    "cumulative_prod": (np.cumprod, 1),
}


def _scanned(operator: str, t: ElementType, x: Array, axis: int | None, options: dict[str, Any]) -> Expected:
    accumulate, unit = _SCANS[operator]
    result = accumulated(t)
    values = convert(exact(x), result)
    lines = np.moveaxis(np.ravel(values) if axis is None else values, axis or 0, -1)
    step = slice(None, None, -1 if options.get("reverse") else 1)
    initial = np.full((*lines.shape[:-1], 1), unit, lines.dtype)
    found = accumulate(np.concatenate([initial, lines[..., step]], axis=-1), axis=-1)
    kept = slice(
        0 if "exclusive" in options or "include_initial" in options else 1, -1 if "exclusive" in options else None
    )
    found = np.moveaxis(found[..., kept][..., step], -1, axis or 0)
    if t.kind in "BUS":
        return Expected(result, convert(found, result))
    size = np.abs(accumulate(np.concatenate([initial, np.abs(lines)], axis=-1), axis=-1)).max() * 2.0
    slack = size * 2.0 ** (result.precision - 53 + 8)
    return Expected(result, found, 1.0 if t.kind == "C" else 0.51, np.maximum(np.abs(found), slack))


def _scan(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    for t in types(available):
        x = _sample(t, (4, 9), 1)
        for label, array in (("", x), (", transposed", x.T), (", negative stride", x[::-1, ::-1])):
            for axis in (None, 0, 1):
                yield Value(
                    operator,
                    f"{t.name}, axis={axis}{label}",
                    (array,),
                    _scanned(operator, t, array, axis, {}),
                    {"axis": axis},
                )
        for options in ({"exclusive": True}, {"reverse": True}, {"include_initial": True, "reverse": True}):
            expected = _scanned(operator, t, x, 1, options)
            yield Value(operator, f"{t.name} {options}", (x,), expected, {"axis": 1, **options})
    yield from _exact_scans(operator, available)
    yield Value(operator, "nothing", (np.zeros((0,), np.float32),), exactly(np.zeros((0,), np.float32)))
    yield Refusal(operator, "no such axis", (np.ones(3, np.float32),), Status.OUT_OF_RANGE, {"axis": 1})


def _exact_scans(operator: str, available: frozenset[str]) -> Iterator[Probe]:
    """Make probes of scans whose exact results show the method: -0 at the beginning, and so many ones that a sum in a
    16-bit type stops growing. Sums that begin with 0, or round every partial sum, give other results.
    """
    zero = -0.0 if operator == "cumulative_sum" else 1.0
    rows = np.array([[-0.0, -0.0, 0.0, 1.0], [-0.0, 3.0, -3.0, -0.0], [zero, -0.0, -0.0, 2.0]])
    for t in types(available, "F"):
        for label, x in (("zeros of both signs", rows), ("4096 ones", np.ones((1, 4096)))):
            accumulate = _SCANS[operator][0]
            expected = Expected(t, accumulate(x.astype(np.longdouble), axis=1), 0.51)
            yield Value(
                operator,
                f"{t.name}, {label}",
                (x.astype(t.numpy),),
                expected,
                {"axis": 1},
                "boundary values",
                telling=True,
                claim="correct rounding",
            )


PROBES: dict[str, Callable[[str, frozenset[str]], Iterator[Probe]]] = {
    **dict.fromkeys(_STATISTICS, _statistic),
    **dict.fromkeys(_SCANS, _scan),
}
