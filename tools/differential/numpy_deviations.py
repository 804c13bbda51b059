"""Intended deviations of NumPy's functions on tensors from the same functions on arrays: a table with reasons."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy_arguments import Array


class Case(NamedTuple):
    """A call of a NumPy function. `out` is the type of the array that receives the result, or None for a new array.

    If `brain` is True, Suanzi's operands are bfloat16.
    """

    name: str
    function: Callable[..., Any]
    args: list[Any]
    options: dict[str, Any]
    out: str | None = None
    brain: bool = False


def mapped(value: Any, change: Callable[[Array], Any]) -> Any:
    """Return nested arguments with each array x replaced by `change(x)`."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, dict):
        return {key: mapped(part, change) for key, part in value.items()}
    return type(value)(mapped(part, change) for part in value) if isinstance(value, list | tuple) else value


def arrays(case: Case) -> list[Array]:
    found: list[Array] = []
    mapped((case.args, case.options), lambda x: found.append(x))
    return found


def has_floats(case: Case) -> bool:
    return any(x.dtype.kind in "fc" for x in arrays(case))


class Known(NamedTuple):
    """An intended deviation from NumPy: patterns of functions and messages, the reason, and a condition on the case."""

    names: str
    detail: str
    reason: str
    when: Callable[[Case], bool] = lambda case: True


def _has_infinity(case: Case) -> bool:
    return any(bool(np.any(np.isinf(x))) for x in arrays(case) if x.dtype.kind in "fc")


def _has_unsigned(case: Case) -> bool:
    return any(x.dtype.kind == "u" for x in arrays(case))


def _is_cut(case: Case) -> bool:
    """Return True if the call's `dtype` converts floating-point elements to integers or bools."""
    return np.dtype(case.options.get("dtype", float)).kind in "biu" and has_floats(case)


def _is_repeated(x: Array) -> bool:
    return x.size > 1 and bool(x[0] == x[1])


def _is_empty(case: Case) -> bool:
    return any(x.size == 0 for x in arrays(case))


_FOLDS = r".*\.reduce|sum|prod|max|min|amax|amin|all|any"
_EXTREMES = r"(nan)?(max|min|argmax|argmin|median)|am(ax|in)|(maximum|minimum|(less|greater)(_equal)?)(\..*)?|clip"
_QUANTILES = "(nan)?(quantile|percentile)"

KNOWN = [
    # Calls that Suanzi refuses and NumPy accepts.
    Known(
        ".*", "has no counterpart in suanzi|suanzi has no counterpart", "Suanzi refuses options that it does not have"
    ),
    Known(".*", "no common type|do not promote", "uint64 and signed integers have no common type here"),
    Known(".*", r"complex\d+ cannot become|complex ends cannot become", "an imaginary part is not dropped silently"),
    Known("f(max|min)(\\..*)?", "is not one of bool, integer, floating", "complex numbers have no order here"),
    Known("compress|choose", "^refused by NumPy alone", "converts within a kind", lambda case: case.out is not None),
    Known("ptp", "has no order", "complex numbers have no order here"),
    Known("ldexp.*", "^refused by NumPy alone", "NumPy has no exponents in uint64"),
    Known(
        "ldexp.*", "exponents of type float", "the exponents are no floating numbers", lambda c: "dtype" in c.options
    ),
    Known("ptp", "^at ", "computed in the type of x, in NumPy in that of out", lambda case: case.out is not None),
    Known(r"(bitwise_\w+|gcd)\..*", "^refused by NumPy alone", "NumPy computes in the type of out or of initial"),
    Known("trapezoid|trapz", "^at ", "NumPy takes sums of bool for or", lambda case: case.args[0].dtype == bool),
    Known("trapezoid|trapz", "^at ", "NumPy's differences of unsigned integers wrap", _has_unsigned),
    Known("poly.*|vander|roots", "^type float32 instead of float64", "bfloat16 stays", lambda case: case.brain),
    Known("polyfit", "^at ", "NumPy multiplies halves by weights in their type", lambda case: "w" in case.options),
    Known("sort_complex", "AxisError", "a number is one element here"),
    Known(_EXTREMES, "has no order|is not one of bool, integer, floating", "complex numbers have no order here"),
    Known("searchsorted|digitize", "is not one of bool, integer, floating", "complex numbers have no order here"),
    Known(".*", "out= cannot hold the result", "reductions convert within a kind, as ufuncs do"),
    Known("(nan)?(std|var|mean)", "is not floating|is not one of floating", "a mean is no integer"),
    Known("linalg.(vector_)?norm", "of no elements", "a negative order has nothing to take"),
    Known(".*", "cannot become .* casting = '(safe|no)'", "integers take the type of floating operands here"),
    Known("cov|corrcoef", "DimensionsMismatchError", "shapes must fit, though there is nothing", _is_empty),
    Known("histogram(2d|dd|_bin_edges)?", "edges do not rise", "each bin has a width here, and one edge bounds none"),
    # Calls that NumPy refuses and Suanzi accepts.
    Known(_QUANTILES, "numpy boolean subtract", "bool is taken as 0 and 1 here"),
    Known(_QUANTILES, "IndexError|cannot reshape array of size 0", "quantiles of nothing are NaN"),
    Known("cov", "ZeroDivisionError", "no observations have NaN as their covariances"),
    Known("nan(std|var|mean)", "AxisError", "a number has an axis 0 here, whatever its type"),
    Known(r"fft\.i?fftshift|sort|argsort", "not enough values|AxisError", "a number is one element here"),
    Known(
        rf"{_FOLDS}|argmax|argmin|nanmax|nanmin",
        "zero-size array|of an empty sequence",
        "no element of the result is wanted",
    ),
    Known(r"power(\.outer)?", "Integers to negative integer powers", "docs/coming-from.md: truncated"),
    Known(r"linalg\..*|roots|poly.*", "float16 is unsupported", "halves are computed in float32"),
    Known(".*", "casting rule", "a number has no type to be cast from", lambda c: any(type(x) is bool for x in c.args)),
    # Results whose types differ from the types of NumPy's results.
    Known(_QUANTILES, "^type ", "quantiles have the type of x, or float32"),
    Known("cov|corrcoef", "^type .* instead of (float64|complex128)", "covariances have the type of x"),
    Known(r"fft\..*", "^type (float32|complex64) instead of", "halves are transformed to float32"),
    Known("histogram(_bin_edges)?", "^type float32 instead of", "edges of halves are float32, and so are densities"),
    Known("average", "^type ", "integers take the type of floating weights, as everywhere here"),
    Known("reciprocal", "", "true division of integers gives float32", lambda c: not has_floats(c) or _is_cut(c)),
    # Results whose values differ from the values of NumPy's results.
    Known(_QUANTILES, "^at ", "float32 does not hold all integers", lambda case: case.args[0].dtype.kind in "biu"),
    Known(f"nan{_QUANTILES[6:]}", "^at .*nan", "NumPy subtracts equal infinities", _has_infinity),
    Known(_QUANTILES, "^shape", "NumPy loses the shape of q where there is nothing", _is_empty),
    Known(r"floor_divide.*|divmod.*", "^at ", "docs/coming-from.md: quotients are rounded down", _has_infinity),
    Known(_FOLDS, "^at ", "computed in the type of x, in NumPy in that of out", lambda case: case.out is not None),
    Known("interp", "nan", "NumPy gives a number at NaN where one point is known", lambda case: case.args[1].size == 1),
    Known("interp", "^at ", "at the first of several points at one place", lambda case: _is_repeated(case.args[1])),
    Known("round|around", "^refused by NumPy alone", "NumPy divides integers", lambda case: case.out is not None),
    Known("linspace", "instead of nan$", "the steps of one number have its shape", lambda case: case.args[2] < 2),
    Known(".*", "^at ", "docs/coming-from.md: past the limits of integers the nearest", _is_cut),
    Known("cov", "^at .*nan", "NaN where there are too few observations", lambda case: min(case.args[0].shape) < 3),
    Known("argsort", r"shape \(\) instead of \(1,\)", "a number is one element here"),
    Known(r"fft\..*", "^at .*nan", "NumPy divides nothing by 0", _is_empty),
    Known("sign", "^at ", "infinite complex numbers", lambda case: "complex" in str(case.options.get("dtype"))),
]


def is_known(case: Case, detail: str) -> bool:
    return any(
        re.fullmatch(known.names, case.name) and re.search(known.detail, detail) and known.when(case) for known in KNOWN
    )
