"""Compares NumPy's functions and ufuncs of tensors with NumPy's results for the same arrays in higher precision.

The run draws every row of `interop.numpy.functions` and every ufunc with a counterpart, with its methods and options.
Operands are arrays of all types and any strides, with NaN, infinities and extremes, or without elements. NumPy computes
float16 and float32 in float64, float64 in long double, and integers exactly. A result may differ from NumPy's result by
some roundings of the result's type. If all operands have one type, the result must have NumPy's type. A call that only
NumPy or only Suanzi refuses is a difference, unless the table in `numpy_deviations` lists the difference.

    python tools/differential/numpy_protocol.py --cases 100000 --seed 1
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

import suanzi
from suanzi.interop.numpy import folds, functions, ufuncs

sys.path.insert(0, str(Path(__file__).parent))
import numpy_arguments as arguments
import numpy_compositions  # noqa: F401  (adds to the arguments)
from numpy_arguments import Array, Drawing
from numpy_deviations import Case, arrays, has_floats, is_known, mapped
from runner import AGREES, DIFFERS, REFUSED, SKIPPED, Outcome, main

BRAIN = suanzi.bfloat16.numpy


# --- drawing calls ---


def _existing(names: Any) -> list[str]:
    found = []
    for name in names:
        try:
            attrgetter(name)(np)
        except AttributeError:
            continue
        found.append(name)
    return found


FUNCTIONS = _existing(functions._ROWS)
UFUNCS = [
    name
    for name, ufunc in vars(np).items()
    if isinstance(ufunc, np.ufunc) and ufunc.__name__ == name and ufuncs.counterpart(ufunc)
]
PRODUCTS = {"matmul", "vecdot", "matvec", "vecmat"}
# Functions that only move or select elements. The results of these functions must have the same bits as NumPy's
# results.
MOVES = {
    *("concatenate", "concat", "stack", "hstack", "vstack", "column_stack", "split", "array_split", "unstack", "tile"),
    *("repeat", "meshgrid", "broadcast_arrays", "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose"),
    *("swapaxes", "moveaxis", "atleast_1d", "atleast_2d", "atleast_3d", "expand_dims", "squeeze", "broadcast_to"),
    *("pad", "flip", "roll", "rot90", "where", "take", "take_along_axis", "diagonal", "diag", "tril", "triu", "sort"),
    *("real", "imag", "copy", "zeros_like", "ones_like", "full_like", "fft.fftshift", "fft.ifftshift", "max", "min"),
    *("amax", "amin", "nanmax", "nanmin", "clip", "nan_to_num", "unique", "unique_values", "fix", "maximum", "minimum"),
    *("negative", "positive", "floor", "ceil", "trunc", "rint", "copysign", "nextafter", "conjugate"),
}
# Functions that add numbers. The tolerance of their results depends on the greatest summand.
SUMS = {
    *("histogram2d", "histogramdd", "histogram_bin_edges", "logaddexp2", "gradient", "trapezoid", "trapz", "convolve"),
    *("correlate", "inner", "vdot", "polyval", "polymul", "polydiv", "polyint", "vander", "logspace", "geomspace"),
    *("ediff1d", "unwrap"),
    *("sum", "prod", "mean", "average", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "nansum", "nanprod"),
    *("nancumsum", "nancumprod", "nanmean", "std", "var", "nanstd", "nanvar", "cov", "corrcoef", "trace", "dot"),
    *("outer", "tensordot", "einsum", "kron", "cross", "linspace", "interp", "diff", "quantile", "percentile"),
    *(
        "logaddexp",
        "nanquantile",
        "nanpercentile",
        "median",
        "nanmedian",
        "histogram",
        "bincount",
        "sinc",
        "i0",
        "round",
        "around",
    ),
    *PRODUCTS,
}
# Functions whose results are not unique, such as vectors up to a factor, with the quantities that the run compares.
DERIVED: dict[str, Callable[[Any], Any]] = {
    "linalg.svd": lambda r: r[1],
    "linalg.qr": lambda r: [abs(part) for part in r],
    "linalg.eig": lambda r: np.sort(np.round(np.real(r[0]), 3)),
    "linalg.eigvals": lambda r: np.sort(np.round(np.real(r), 3)),
    "linalg.eigh": lambda r: r[0],
    "linalg.lstsq": lambda r: [r[0], r[3]],
    "partition": lambda r: np.sort(r, None),
    "argpartition": lambda r: np.sort(r, None),
    "unique_values": lambda r: np.sort(r),
    "unique_inverse": lambda r: r[0][r[1]],
    "empty_like": lambda r: r.shape,
    "roots": lambda r: np.sort(np.round(np.real(r), 3)),
}


def _ufunc_case(d: Drawing) -> Case:
    name = d.rng.choice(UFUNCS)
    ufunc = getattr(np, name)
    kinds = "".join(kind for kind in "bifc" if _takes(ufunc, kind)) or "f"
    if name in PRODUCTS:
        operands, _ = arguments._product(d)
        if name == "vecdot":
            operands = [d.array((3, 4), d.dtype(kinds), "small")] * 2
        if name in ("matvec", "vecmat"):
            operands = [d.array((3, 3), "f8", "small"), d.array((3,), "f8", "small")][:: 1 if name == "matvec" else -1]
        return Case(name, ufunc, operands, {})
    method = d.pick("reduce", "accumulate") if name in folds.FOLDS and d.chance(0.6) else "__call__"
    method = "outer" if ufunc.nin == 2 and d.chance(0.1) else method
    shape, dtype, style = d.shape(0, 3 if method != "outer" else 2), d.dtype(kinds), d.style()
    if np.dtype(dtype).kind == "c" and style == "extreme":  # libraries differ about infinite complex numbers
        style = "plain"
    if method in ("reduce", "accumulate"):
        past = name == "multiply" and dtype == "float64"  # products of extreme numbers leave the range
        return _fold_case(d, name, ufunc, method, d.array(shape, dtype, "plain" if past else style))
    operands = [d.array(shape, dtype, style)]
    for _ in range(ufunc.nin - 1):
        other = dtype if d.chance(0.7) else d.dtype(kinds)
        mixed = np.dtype(other).kind != np.dtype(dtype).kind
        operands.append(d.array(d.broadcast(shape), other, "small" if mixed else style))
        if mixed:
            operands[0] = d.array(shape, dtype, "small")
        elif d.chance(0.15) and method != "outer":
            operands[d.rng.randrange(2)] = d.pick(1, 2, 0.5, True)
    options: dict[str, Any] = {}
    if d.chance(0.2):
        options["dtype"] = d.dtype("bif" if style == "extreme" else "bifc")
        if d.chance(0.3):
            options["casting"] = d.pick("same_kind", "unsafe", "safe", "no")
    out = d.dtype() if d.chance(0.12) and ufunc.nout == 1 else None
    if out and d.chance(0.4):
        options["where"] = np.asarray(d.values(shape, "bool", ""))
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    return Case(name if method == "__call__" else f"{name}.{method}", function, operands, options, out)


def _fold_case(d: Drawing, name: str, ufunc: np.ufunc, method: str, x: Array) -> Case:
    options: dict[str, Any] = {}
    if d.chance(0.6):
        options["axis"] = d.axes(x.ndim) if method == "reduce" else d.axis(x.ndim)
    if d.chance(0.25):
        options["dtype"] = d.dtype()
    if method == "reduce":
        options |= {key: arguments.OPTIONS[key](d, x) for key in ("keepdims", "initial", "where") if d.chance(0.25)}
    return Case(f"{name}.{method}", getattr(ufunc, method), [x], options, d.dtype() if d.chance(0.08) else None)


def _takes(ufunc: np.ufunc, kind: str) -> bool:
    letters = {"b": "?", "i": "l", "f": "d", "c": "D"}
    return any(letters[kind] in loop.partition("->")[0] for loop in ufunc.types)


def _function_case(d: Drawing) -> Case:
    name = d.rng.choice(FUNCTIONS)
    function = attrgetter(name)(np)
    row = functions._row(function, *functions._ROWS[name])
    if name in arguments.OPERANDS:
        operands, options = arguments.OPERANDS[name](d)
    else:
        count = 2 if row.many else sum(how == "/" for how in row.parameters.values())
        shape, dtype, style = d.shape(), d.dtype(), d.style()
        if np.dtype(dtype).kind == "c" and style == "extreme" and name not in MOVES:
            style = "plain"
        if re.search("std|var|prod|mean", name) and dtype == "float64" and style == "extreme":
            style = "plain"  # products and squares of extreme numbers leave the range
        operands, options = [d.array(shape, dtype, style) for _ in range(count)], {}
    first = next((x for x in operands if isinstance(x, np.ndarray)), np.zeros(()))
    for parameter, how in row.parameters.items():
        if how in ("/", None) or parameter in options or parameter in arguments.WITHOUT.get(name, ()):
            continue
        if parameter in arguments.OPTIONS and d.chance(1 if parameter in arguments.ALWAYS else 0.25):
            options[parameter] = arguments.OPTIONS[parameter](d, first)
            if parameter == "axis" and "keepdims" in row.parameters:
                options["axis"] = d.axes(first.ndim)
    if name in ("sort", "argsort"):  # NumPy's argsort keeps the order of equal elements only on request
        options = {"stable" if "stable" in options else "kind": options.get("stable") or "stable"} | {
            key: value for key, value in options.items() if key == "axis"
        }
    has_out = "out" in row.parameters and row.parameters["out"]
    return Case(name, function, operands, options, d.dtype() if has_out and d.chance(0.08) else None)


# --- calling ---


def _tensor(array: Array) -> suanzi.Tensor:
    return suanzi.from_reference(array)


def _called(case: Case, change: Callable[[Array], Any], out: Any = None) -> Any:
    options = mapped(case.options, change) | ({} if out is None else {"out": out})
    operands = mapped(case.args, change)
    name = case.name.partition(".")[0] if "linalg" not in case.name and "fft" not in case.name else case.name
    return DERIVED.get(name, lambda r: r)(_plain(case.function(*operands, **options)))


def _plain(value: Any) -> Any:
    if isinstance(value, suanzi.Tensor):
        return value.numpy()
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _in_brain(d: Drawing, case: Case) -> Case:
    """Return the case, or sometimes the case with operands of bfloat16 in Suanzi and the same numbers in NumPy."""
    floats = {x.dtype for x in arrays(case) if x.dtype.kind in "fc"}
    plain = case.out is None and "dtype" not in case.options and _base(case) not in ("nextafter", "nan_to_num")
    if floats != {np.dtype(np.float32)} or not plain or not d.chance(0.3):
        return case

    def rounded(x: Array) -> Array:
        return x.astype(BRAIN).astype(np.float32) if x.dtype == np.float32 else x

    return case._replace(args=mapped(case.args, rounded), options=mapped(case.options, rounded), brain=True)


def _brain(array: Array) -> suanzi.Tensor:
    return suanzi.from_reference(array.astype(BRAIN) if array.dtype == np.float32 else array)


def _attempt(call: Callable[[], Any]) -> tuple[Any, str]:
    """Return the result of a call and "", or None and the text of its error. Unexpected errors propagate."""
    try:
        return call(), ""
    except (suanzi.SuanziError, ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError) as error:
        return None, f"{type(error).__name__}: {error}"
    except (np.linalg.LinAlgError, RuntimeError) as error:
        return None, f"{type(error).__name__}: {error}"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _widened(case: Case, integers: bool) -> Case:
    """Return the case in higher precision: with wide operands, and without a narrow type for the result."""
    most = max((x.dtype.itemsize for x in arrays(case) if x.dtype.kind in "fc"), default=8)
    halves = any(x.dtype.itemsize > 8 for x in arrays(case) if x.dtype.kind == "c")
    long = (most >= 8 or halves) and "linalg" not in case.name

    def wide(x: Array) -> Array:
        if x.dtype.kind == "c":
            return x.astype(np.clongdouble if long else np.complex128)
        if x.dtype.kind == "f" or (integers and x.dtype.kind in "iu"):
            return x.astype(np.longdouble if long else np.float64)
        return x

    options = {key: value for key, value in case.options.items() if key not in ("dtype", "casting")}
    return case._replace(args=mapped(case.args, wide), options=mapped(options, wide), out=None)


# --- comparing ---


def _same(found: Array, expected: Array) -> Array:
    """Return a mask of the equal elements of two arrays. NaNs are equal, and zeros of different signs are not equal."""
    equal = (found == expected) | ((found != found) & (expected != expected))
    return np.asarray(equal)


def _precision(case: Case, part: Array) -> np.dtype[Any]:
    """Return the coarsest type to which a result may be rounded. With `out`, the operands' types count as well."""
    types = [part.dtype, *(x.dtype for x in arrays(case) if case.out is not None and x.dtype.kind in "fc")]
    if case.out is not None and not any(x.dtype.kind in "fc" for x in arrays(case)):
        types.append(np.dtype(np.float32))
    types.append(np.dtype(case.options.get("dtype", part.dtype)))
    limits = [np.finfo(t) for t in types if t.kind in "fc"] or [np.finfo(np.float64)]
    return max(limits, key=lambda limit: limit.eps).dtype


def _near(found: Array, wide: Array, roundings: float, scale: Any, dtype: np.dtype[Any], brain: bool = False) -> Array:
    """Return a mask of the elements that agree within `roundings` roundings of the value or of `scale`."""
    if found.dtype.kind == "c" or wide.dtype.kind == "c":
        scale = np.maximum(np.abs(np.where(np.isfinite(wide), wide, 0)), scale)
        parts = ((x.real, y.real) if part == 0 else (x.imag, y.imag) for part in (0, 1) for x, y in [(found, wide)])
        first, second = (_near(x, y, roundings, scale, dtype, brain) for x, y in parts)
        return (first & second) | (np.isnan(found) & np.isnan(wide))
    limits = np.finfo(dtype)
    eps, least = (2.0**-7, 2.0**-133) if brain else (limits.eps, limits.smallest_subnormal)
    value = found.astype(np.longdouble)
    wide = wide.astype(np.longdouble)
    tolerance = roundings * (eps * np.maximum(np.abs(wide), scale) + np.longdouble(least))
    near = np.abs(value - wide) <= tolerance
    most = np.longdouble(limits.max) * (1 - min(roundings * eps, 0.5))
    overflown = (np.abs(wide) >= most) & (np.abs(value) >= most) & (np.sign(wide) == np.sign(value))
    return np.asarray(near | overflown | (value == wide) | (np.isnan(value) & np.isnan(wide)))


def _magnitude(case: Case, wide: Array) -> Any:
    """Return a scale for the rounding errors of sums: the greatest result or summand, or 0 for other functions."""
    if _base(case) not in SUMS and "linalg" not in case.name and "fft" not in case.name:
        return 0.0
    sizes = [float(np.max(np.abs(x[np.isfinite(x)]), initial=0)) for x in arrays(case) if x.dtype.kind in "fciu"]
    largest = float(np.max(np.abs(wide[np.isfinite(wide)]), initial=0)) if wide.dtype.kind in "fc" else 0.0
    power = 2 if re.search("var|cov|dot|prod|einsum|kron|cross|outer|mat|vec", case.name) else 1
    return max(largest, *(np.longdouble(size) ** power for size in sizes), 1.0 if case.name == "sinc" else 0.0)


def _base(case: Case) -> str:
    name = case.name
    for ending in (".reduce", ".accumulate", ".outer"):
        if name.endswith(ending):
            folded = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
            name = name.removesuffix(ending)
            return folded.get(name, name) if ending != ".outer" else name
    return name


def _promised(case: Case, found: Array, expected: Array) -> bool:
    """Return False if the result has another type than NumPy's result although Suanzi promises NumPy's type."""
    if found.dtype == expected.dtype or case.out is not None:
        return True
    types = {x.dtype for x in arrays(case) if x.dtype != bool} or {np.dtype(bool)}
    if "dtype" in case.options:
        return False
    if len(types) > 1 or any(isinstance(x, int | float) for x in case.args[:2]):
        return True
    only = next(iter(types))
    return only.kind in "biu" and expected.dtype.kind in "fc"


def _compared(case: Case, found: Any, expected: Any) -> str:
    """Return the first difference of Suanzi's results from NumPy's results, or an empty text."""
    parts, wanted = list(_leaves(found)), list(_leaves(expected))
    if len(parts) != len(wanted):
        return f"{len(parts)} results instead of {len(wanted)}"
    wide = _wide(case, expected) if any(getattr(x, "dtype", np.dtype(bool)).kind in "fc" for x in wanted) else wanted
    for part, array, precise in zip(parts, wanted, wide, strict=True):
        if detail := _differs(case, part, array, precise):
            return detail
    return ""


def _differs(case: Case, part: Any, array: Any, precise: Any) -> str:
    """Return the difference of one result from NumPy's result (also in higher precision), or an empty text."""
    if not isinstance(array, np.ndarray | np.generic):
        same = np.shape(part) == np.shape(array) and bool(np.all(_same(np.asarray(part), np.asarray(array))))
        return "" if same else f"{part} instead of {array}"
    part = np.asarray(part)
    if case.brain and part.dtype == BRAIN:
        part = part.astype(np.float32)
    if part.shape != array.shape:
        return f"shape {part.shape} instead of {array.shape}"
    if not _promised(case, part, array):
        return f"type {part.dtype} instead of {array.dtype}"
    types = {x.dtype for x in arrays(case)}
    moves = _base(case) in MOVES and len(types) < 2 and case.out is None
    if array.dtype.kind in "biu" or moves:
        near, expected = _same(part, array.astype(part.dtype) if array.dtype.kind in "fc" else array), array
    else:
        expected = np.asarray(precise)
        limits = (_roundings(case), _magnitude(case, expected), _precision(case, part), case.brain)
        near = _near(part, expected, *limits)
        if "dtype" in case.options:  # NumPy first rounds the operands to the type `dtype`
            near |= _near(part, np.asarray(array), *limits)
    if np.all(near):
        return ""
    wrong = ~np.atleast_1d(near)
    shown = f"{np.atleast_1d(part)[wrong][:3]} instead of {np.atleast_1d(expected)[wrong][:3]}"
    return f"at {np.argwhere(wrong)[:3].tolist()}: {shown} ({part.dtype})"


def _wide(case: Case, expected: Any) -> list[Any]:
    """Return NumPy's results in higher precision, or NumPy's own results if NumPy refuses the call in higher precision
    or if `out` has a mask or integers.
    """
    chosen = case.out is not None and ("where" in case.options or not has_floats(case))
    value, refused = _attempt(lambda: _called(_widened(case, not has_floats(case)), lambda x: x))
    return list(_leaves(expected if chosen or refused else value))


def _roundings(case: Case) -> float:
    if "linalg" in case.name or case.name in ("polyfit", "roots", "poly"):
        return 2e4
    if any(x.dtype.kind == "c" for x in arrays(case)) or "c" in np.dtype(case.options.get("dtype", bool)).kind:
        return 64
    return 64 if _base(case) in SUMS or "fft" in case.name else 8


def draw(rng: random.Random) -> Outcome:
    d = Drawing(rng)
    case = _ufunc_case(d) if d.chance(0.45) else _function_case(d)
    into: list[Any] = [None, None]
    if case.out is not None:
        shape, refused = _attempt(
            lambda: np.shape(
                _called(case._replace(options={k: v for k, v in case.options.items() if k != "where"}), lambda x: x)
            )
        )
        if not refused:
            into = [np.zeros(shape, case.out) for _ in range(2)]
        else:
            case = case._replace(out=None, options={k: v for k, v in case.options.items() if k != "where"})
    case = _in_brain(d, case)
    before = mapped((case.args, case.options), lambda x: x.copy())
    expected, refused = _attempt(lambda: _called(case, lambda x: x, into[0]))
    found, refused_here = _attempt(
        lambda: _called(case, _brain if case.brain else _tensor, None if into[1] is None else _tensor(into[1]))
    )
    detail = ""
    if bool(refused) != bool(refused_here):
        detail = f"refused by NumPy alone: {refused}" if refused else f"refused here alone: {refused_here}"
    elif not refused:
        detail = _compared(case, found, expected)
        if not detail and not _unchanged(before, (case.args, case.options)):
            detail = "an operand was changed"
    elif not detail:
        return Outcome(case.name, REFUSED)
    if not detail:
        return Outcome(case.name, AGREES)
    if is_known(case, detail):
        return Outcome(case.name, SKIPPED)
    shown = mapped((case.args, case.options), lambda x: f"{x.dtype}{x.tolist()}")
    return Outcome(case.name, DIFFERS, f"{shown}{' out=' + case.out if case.out else ''}\n{detail}")


def _unchanged(before: Any, after: Any) -> bool:
    pairs = zip(_leaves_of(before), _leaves_of(after), strict=True)
    return all(np.array_equal(x, y, equal_nan=x.dtype.kind in "fc") for x, y in pairs)


def _leaves_of(value: Any) -> list[Array]:
    found: list[Array] = []
    mapped(value, lambda x: found.append(x))
    return found


if __name__ == "__main__":
    sys.exit(main(draw, __doc__, 20_000))
