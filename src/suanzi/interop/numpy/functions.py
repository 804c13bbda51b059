"""The table of the NumPy functions that accept tensors (`__array_function__`), with the parameters of each function.

`numpy.concatenate([x, y])` is `suanzi.concat([x, y])` if one of the operands is a tensor. A row of the table has
NumPy's parameters in NumPy's order. Suanzi refuses a NumPy function without a counterpart in Suanzi. For such a
function, a program can convert tensors by `numpy.asarray`. The first call of a NumPy function with a tensor imports
this module.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from itertools import takewhile
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import Tensor, TypeMismatchError, _core, extras
from suanzi.interop.numpy import (
    calculus,
    compositions,
    creation,
    elements,
    in_numpy,
    indices,
    others,
    picking,
    polynomials,
    sets,
    spaces,
    summaries,
)
from suanzi.interop.numpy.arguments import AS_ARRAY, as_numpys, check_kth, converted, element_type, operand, written
from suanzi.interop.numpy.folds import folding
from suanzi.tensor.composed import composed
from suanzi.tensor.dtypes import DType
from suanzi.tensor.exchange import as_tensor, decides
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, SuanziError

Function = Callable[..., Any]


# --- functions that are more than aliases ---


def _flat_if_none(function: Function, default: int | None = None) -> Function:
    """Make a function that flattens the tensor for ``axis=None``, as NumPy does, and then calls `function`."""

    def call(x: Tensor, *operands: Any, axis: int | None = default, **options: Any) -> Any:
        if axis is None:
            x, axis = suanzi.flatten(x), 0
        return function(x, *operands, axis=axis, **options)

    return call


def _clip(x: Any, a_min: Any = None, a_max: Any = None, out: Any = None, min: Any = None, max: Any = None) -> Tensor:
    low, high = a_min if min is None else min, a_max if max is None else max
    bounds = [None if bound is None else operand("numpy.clip", bound) for bound in (low, high)]
    return suanzi.clip(as_tensor(x, None, "numpy.clip"), *bounds, out=out)


def _joining(name: str, function: Function) -> Function:
    """Make a function that converts the operands to `dtype`, if `dtype` is given, and then calls `function`."""

    def call(parts: Any, dtype: Any = None, casting: str = "same_kind", **options: Any) -> Tensor:
        tensors = [suanzi.array_api.asarray(part) for part in parts]
        if dtype is not None or casting not in ("same_kind", "unsafe"):
            common = suanzi.array_api.result_type(*tensors) if dtype is None else element_type(name, dtype)
            tensors = [converted(name, part, common, casting) for part in tensors]
        return function(tensors, **options)  # type: ignore[no-any-return]

    return call


def _ordered(name: str, function: Function) -> Function:
    """Make a function that accepts each `kind` of sort that NumPy has, and always sorts stably by `function`."""

    def call(x: Any, axis: int | None = -1, kind: Any = None, stable: Any = None) -> Tensor:
        known = isinstance(kind, str) and kind[:1].lower() in ("q", "m", "h", "s")
        if not (kind is None or known) or (known and stable is not None):
            raise InvalidArgumentError(
                f"{name}: kind = {shown(kind)} with stable = {shown(stable)} is not a way of sorting"
            )
        return _flat_if_none(function)(as_tensor(x, None, name), axis=axis)  # type: ignore[no-any-return]

    return call


def _size(x: Tensor, axis: int | None = None) -> int:
    return x.size if axis is None else x.shape[_core.read_axis("numpy.size", axis, x.ndim)]


def _of_matrix(function: Function) -> Function:
    """Make a function of matrices that also accepts a vector. As in NumPy, the vector becomes each row of a matrix."""

    def call(x: Tensor, k: int = 0) -> Tensor:
        found: Tensor = function(suanzi.broadcast_to(x, (x.size, x.size)) if x.ndim == 1 else x, k)
        return found

    return call


def _cumulative(name: str, function: Function) -> Function:
    """Make a function that calls `function`, but requires `axis` for a tensor of more than one dimension."""

    def call(x: Tensor, axis: int | None = None, **options: Any) -> Tensor:
        if axis is None and x.ndim > 1:
            raise InvalidArgumentError(f"{name}: shape {x.shape} has several axes, of which axis= names one")
        return _flat_if_none(function)(x, axis=axis, **options)  # type: ignore[no-any-return]

    return call


def _norm_of(function: Function, default: Any) -> Function:
    """Make a function that calls the norm `function` with the order `default` in place of None."""

    def call(x: Tensor, ord: Any = None, **options: Any) -> Tensor:
        return function(x, ord=default if ord is None else ord, **options)  # type: ignore[no-any-return]

    return call


def _cond(x: Tensor, p: Any = None) -> Tensor:
    return suanzi.cond(x, ord=2 if p is None else p)


def _diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return suanzi.diagonal(x, offset, axis1, axis2)


def _of_planes(name: str) -> Function:
    """Make a Fourier transform along two axes, by default the last two, from a function of `suanzi.fft`."""
    function: Function = getattr(suanzi.fft, name)

    def call(x: Tensor, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Tensor:
        result: Tensor = function(x, s=s, axes=axes, norm=norm or "backward")
        return result

    return call


def _meshgrid(*vectors: Any, **options: Any) -> Any:
    """Make grids of coordinates, and flatten operands of several dimensions, as NumPy does."""
    return suanzi.meshgrid(*(suanzi.flatten(x) if isinstance(x, Tensor) else x for x in vectors), **options)


def _matrix_rank(x: Tensor, **options: Any) -> Tensor:
    """Return the rank of matrices. As in NumPy, a vector or a number has rank 1 if some element is not 0."""
    if x.ndim < 2:
        return suanzi.astype(suanzi.any(x != 0), suanzi.int64)
    return suanzi.matrix_rank(x, **options)


def _partition(x: Tensor, kth: Any, axis: int | None = -1) -> Tensor:
    """Sort the tensor completely along `axis`, so that every element that `kth` selects is in its place."""
    check_kth("numpy.partition", x, kth, axis)
    ordered: Tensor = _flat_if_none(suanzi.sort)(x, axis=axis)
    return ordered


def _argpartition(x: Tensor, kth: Any, axis: int | None = -1) -> Tensor:
    check_kth("numpy.argpartition", x, kth, axis)
    order: Tensor = _flat_if_none(suanzi.argsort)(x, axis=axis)
    return order


def _outer(x1: Tensor, x2: Tensor) -> Tensor:
    return suanzi.outer(suanzi.flatten(x1), suanzi.flatten(x2))


def _close(function: Function) -> Function:
    """Make a comparison whose tolerances may be tensors of one number."""

    def call(x: Tensor, y: Any, **options: Any) -> Any:
        return function(x, y, **{name: v.item() if isinstance(v, Tensor) else v for name, v in options.items()})

    return call


def _unique(x: Tensor, axis: int | None = None, equal_nan: bool = True, sorted: bool = True, **asked: bool) -> Any:
    """Return the distinct elements in order, even for ``sorted=False``. `equal_nan=False` keeps all NaNs."""
    if equal_nan:
        return suanzi.unique(x, axis=axis, **asked)
    if axis is not None:
        raise InvalidArgumentError("numpy.unique: equal_nan = False has no counterpart in suanzi beside an axis")
    values, *others = suanzi.array_api.unique_all(x)
    names = ("return_index", "return_inverse", "return_counts")
    wanted = [part for name, part in zip(names, others, strict=True) if asked.get(name)]
    return (values, *wanted) if wanted else values


def _without_nan(scan: Function, neutral: int) -> Function:
    """Make a scan that replaces NaN by the number `neutral`, and then calls `scan`."""

    def call(x: Tensor, **options: Any) -> Any:
        floating = x.dtype.kind_name.endswith("floating")
        return scan(suanzi.where(suanzi.isnan(x), neutral, x) if floating else x, **options)

    return _flat_if_none(call)


def _broadcast_arrays(*operands: Any) -> tuple[Any, ...]:
    """Broadcast operands to one shape. An operand None, which matplotlib passes, becomes a NumPy array of None."""
    tensors = [None if x is None else suanzi.array_api.asarray(x) for x in operands]
    shape = suanzi.array_api.broadcast_shapes(*(() if x is None else x.shape for x in tensors))
    return tuple(np.full(shape, None) if x is None else suanzi.broadcast_to(x, shape) for x in tensors)


_OTHER_PAD_MODES = ("empty", "linear_ramp", "maximum", "mean", "median", "minimum")  # NumPy's modes without counterpart


def _pad(x: Tensor, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Tensor:
    """Pad with one value. `constant_values` may be pairs for the ends of axes, but all values must be equal."""
    if callable(mode) or mode in _OTHER_PAD_MODES:
        raise InvalidArgumentError(f"numpy.pad: mode = {shown(mode)} has no counterpart in suanzi; {AS_ARRAY}")
    values = np.unique(constant_values)
    if values.size != 1:
        raise InvalidArgumentError("numpy.pad: several constant_values have no counterpart in suanzi")
    return suanzi.array_api.pad(x, pad_width, mode, constant_values=values[0])


# --- the table ---


class Row(NamedTuple):
    """The function of Suanzi for a NumPy function, and the form in which each NumPy parameter is passed on."""

    function: Function
    parameters: dict[str, str | None]  # NumPy's names: "/" for an operand, Suanzi's keyword, or None if refused
    defaults: dict[str, Any]  # NumPy's default values, which are allowed for refused parameters
    many: bool  # True if the function accepts any number of operands
    raw: bool  # True if the function receives all arguments unchanged
    leading: int  # the number of operands before all other parameters

    def changes_nothing(self, parameter: str, value: Any) -> bool:
        """Return whether a call may have a refused parameter with a given value. A tensor has no subclasses, so `subok`
        has no effect.
        """
        default = self.defaults.get(parameter)
        return (
            parameter == "subok"
            or value is None
            or value is np._NoValue
            or (type(value) is type(default) and bool(value == default))
        )


def _defaults(function: Function) -> dict[str, Any]:
    """Return the default values of a NumPy function. An older NumPy does not show the defaults of its C functions."""
    try:
        return {name: p.default for name, p in inspect.signature(function).parameters.items()}
    except ValueError:
        return {}


def _row(numpy_function: Function, function: str | Function, text: str) -> Row:
    """Parse NumPy's parameters: ``a/`` is an operand, ``ddof=correction`` is renamed, and ``kind!`` is refused.

    ``*`` at the beginning means any number of operands. ``...`` means that `function` reads the arguments itself.
    """
    parameters: dict[str, str | None] = {}
    raw = text == "..."
    for word in text.split() if not raw else ():
        name, _, ours = word.partition("=")
        if name.endswith("/"):
            parameters[name[:-1]] = "/"
        elif name.endswith("!"):
            parameters[name[:-1]] = None
        else:
            parameters[name] = ours or name
    found = attrgetter(function)(suanzi) if isinstance(function, str) else function
    many = parameters.pop("*", None) is not None
    leading = 0 if many else len(list(takewhile(lambda how: how == "/", parameters.values())))
    return Row(found, parameters, _defaults(numpy_function), many, raw, leading)


_FOLD = "a/ axis dtype out keepdims initial where"
_EXTREME = "a/ axis out keepdims initial where"
_TRUTH = "a/ axis out keepdims where"
_MOMENT = "a/ axis dtype out ddof=correction keepdims where! mean! correction"
_NAN_FOLD = "a/ axis dtype out! keepdims initial! where!"
_NAN_MOMENT = "a/ axis dtype! out! ddof=correction keepdims where! mean! correction"
_PLACE = "a/ axis out! keepdims"
_LIKE = "a/ dtype order subok! shape device"
_QUANTILE = "a/ q axis out! overwrite_input! method keepdims weights!"
_FFT, _FFTN = "a/ n axis norm out!", "a/ s axes norm out!"
_PAIR = "a/ b/"

# Suanzi's functions, with NumPy's parameters, by NumPy's names without `numpy.`.
_ROWS: dict[str, tuple[str | Function, str]] = {
    # Reductions.
    "sum": (folding("numpy.sum", "add"), _FOLD),
    "prod": (folding("numpy.prod", "multiply"), _FOLD),
    "max": (folding("numpy.max", "maximum"), _EXTREME),
    "min": (folding("numpy.min", "minimum"), _EXTREME),
    "amax": (folding("numpy.amax", "maximum"), _EXTREME),
    "amin": (folding("numpy.amin", "minimum"), _EXTREME),
    "all": (folding("numpy.all", "logical_and"), _TRUTH),
    "any": (folding("numpy.any", "logical_or"), _TRUTH),
    "mean": ("mean", "a/ axis dtype out keepdims where!"),
    "average": (summaries.average, "a/ axis weights returned keepdims"),
    "std": ("std", _MOMENT),
    "var": ("var", _MOMENT),
    "argmax": ("argmax", _PLACE),
    "argmin": ("argmin", _PLACE),
    "count_nonzero": ("count_nonzero", "a/ axis keepdims"),
    "cumsum": (_flat_if_none(suanzi.cumulative_sum), "a/ axis dtype out"),
    "cumprod": (_flat_if_none(suanzi.cumulative_prod), "a/ axis dtype out"),
    "nancumsum": (_without_nan(suanzi.cumulative_sum, 0), "a/ axis dtype out"),
    "nancumprod": (_without_nan(suanzi.cumulative_prod, 1), "a/ axis dtype out"),
    "cumulative_sum": (_cumulative("numpy.cumulative_sum", suanzi.cumulative_sum), "x/ axis dtype out include_initial"),
    "cumulative_prod": (
        _cumulative("numpy.cumulative_prod", suanzi.cumulative_prod),
        "x/ axis dtype out include_initial",
    ),
    "median": ("extras.median", "a/ axis out! overwrite_input! keepdims"),
    "nanmedian": ("extras.nanmedian", "a/ axis out! overwrite_input! keepdims"),
    "quantile": ("extras.quantile", _QUANTILE),
    "nanquantile": ("extras.nanquantile", _QUANTILE),
    "percentile": (summaries.percentiles("numpy.percentile", extras.quantile), _QUANTILE),
    "nanpercentile": (summaries.percentiles("numpy.nanpercentile", extras.nanquantile), _QUANTILE),
    "nansum": ("extras.nansum", _NAN_FOLD),
    "nanprod": ("extras.nanprod", _NAN_FOLD),
    "nanmax": ("extras.nanmax", "a/ axis out! keepdims initial! where!"),
    "nanmin": ("extras.nanmin", "a/ axis out! keepdims initial! where!"),
    "nanmean": ("extras.nanmean", "a/ axis dtype! out! keepdims where!"),
    "nanvar": ("extras.nanvar", _NAN_MOMENT),
    "nanstd": ("extras.nanstd", _NAN_MOMENT),
    "nanargmax": ("extras.nanargmax", _PLACE),
    "nanargmin": ("extras.nanargmin", _PLACE),
    "bincount": (summaries.bincount, "x/ weights minlength"),
    "histogram": (summaries.histogram, "a/ bins range density weights"),
    "histogram_bin_edges": (summaries.histogram_bin_edges, "a/ bins range weights"),
    "histogram2d": (summaries.histogram2d, "x/ y/ bins range density weights"),
    "histogramdd": (summaries.histogramdd, "sample bins range density weights"),
    "cov": (summaries.cov, "m/ y rowvar bias ddof fweights aweights dtype!"),
    "corrcoef": (summaries.corrcoef, "x/ y rowvar dtype!"),
    # Joining and splitting.
    "concatenate": (_joining("numpy.concatenate", suanzi.concat), "arrays/ axis out dtype casting"),
    "concat": (_joining("numpy.concat", suanzi.concat), "arrays/ axis out dtype casting"),
    "stack": (_joining("numpy.stack", suanzi.stack), "arrays/ axis out dtype casting"),
    "hstack": (_joining("numpy.hstack", extras.hstack), "tup/ dtype casting"),
    "vstack": (_joining("numpy.vstack", extras.vstack), "tup/ dtype casting"),
    "column_stack": (picking.column_stack, "tup/"),
    "split": (picking.split, "ary/ indices_or_sections/ axis"),
    "array_split": (picking.array_split, "ary/ indices_or_sections/ axis"),
    "unstack": ("unstack", "x/ axis"),
    "tile": ("tile", "A/ reps=repetitions"),
    "repeat": ("repeat", "a/ repeats axis"),
    "meshgrid": (_meshgrid, "* indexing copy! sparse!"),
    "broadcast_arrays": (_broadcast_arrays, "* subok!"),
    "kron": ("extras.kron", _PAIR),
    "diff": (compositions.diff, "a/ n axis prepend append"),
    # Shapes.
    "reshape": ("Tensor.reshape", "a/ shape order newshape=shape copy!"),
    "ravel": ("Tensor.ravel", "a/ order"),
    "transpose": ("transpose", "a/ axes"),
    "permute_dims": ("permute_dims", "a/ axes"),
    "matrix_transpose": ("matrix_transpose", "x/"),
    "swapaxes": ("swapaxes", "a/ axis1 axis2"),
    "moveaxis": ("moveaxis", "a/ source destination"),
    **{f"atleast_{rank}d": (picking.at_least(rank), "*") for rank in (1, 2, 3)},
    "expand_dims": ("expand_dims", "a/ axis"),
    "squeeze": ("squeeze", "a/ axis"),
    "broadcast_to": ("broadcast_to", "array/ shape subok!"),
    "pad": (_pad, "array/ pad_width mode constant_values stat_length! end_values! reflect_type!"),
    "flip": ("flip", "m/ axis"),
    "roll": ("roll", "a/ shift axis"),
    "rot90": ("rot90", "m/ k axes"),
    "shape": ("shape", "a/"),
    "size": (_size, "a/ axis"),
    "ndim": ("rank", "a/"),
    # Elements.
    "where": (compositions.where, "condition/ x/ y/"),
    "clip": (_clip, "a/ a_min a_max out min max"),
    "take": (indices.take, "a/ indices axis out! mode"),
    "take_along_axis": ("take_along_axis", "arr/ indices/ axis"),
    "diagonal": (_diagonal, "a/ offset axis1 axis2"),
    "diag": ("diag", "v/ k=offset"),
    "trace": (summaries.trace, "a/ offset axis1 axis2 dtype out"),
    "tril": (_of_matrix(suanzi.tril), "m/ k"),
    "triu": (_of_matrix(suanzi.triu), "m/ k"),
    "sort": (_ordered("numpy.sort", suanzi.sort), "a/ axis kind order! stable"),
    "argsort": (_ordered("numpy.argsort", suanzi.argsort), "a/ axis kind order! stable"),
    "digitize": (indices.digitize, "x/ bins/ right"),
    "interp": (compositions.interp, "x/ xp/ fp/ left right period"),
    "ravel_multi_index": (indices.ravel_multi_index, "multi_index/ dims mode order"),
    "unravel_index": (indices.unravel_index, "indices/ shape order"),
    "partition": (_partition, "a/ kth/ axis kind! order!"),
    "argpartition": (_argpartition, "a/ kth/ axis kind! order!"),
    "searchsorted": (indices.searchsorted, "a/ v/ side sorter"),
    "unique": (_unique, "ar/ return_index return_inverse return_counts axis equal_nan sorted"),
    **{f"unique_{part}": (f"array_api.unique_{part}", "x/") for part in ("all", "counts", "inverse", "values")},
    "nonzero": ("nonzero", "a/"),
    "round": ("round", "a/ decimals out"),
    "around": ("round", "a/ decimals out"),
    "nan_to_num": (compositions.nan_to_num, "x/ copy nan posinf neginf"),
    "fix": ("trunc", "x/ out"),
    "sinc": (compositions.sinc, "x/"),
    "i0": (compositions.i0, "x/"),
    "isreal": (compositions.is_real, "x/"),
    "iscomplex": (compositions.is_complex, "x/"),
    "real": ("real", "val/"),
    "imag": ("imag", "val/"),
    "isclose": (_close(suanzi.isclose), "a/ b/ rtol atol equal_nan"),
    "allclose": (_close(suanzi.allclose), "a/ b/ rtol atol equal_nan"),
    "array_equal": (compositions.array_equal, "a1/ a2/ equal_nan"),
    "copy": ("clone", "a/ order! subok!"),
    "astype": (compositions.astype, "x/ dtype copy device!"),
    "zeros_like": (creation.zeros_like, _LIKE),
    "ones_like": (creation.ones_like, _LIKE),
    "empty_like": (creation.empty_like, "prototype/ dtype order subok! shape device"),
    "full_like": (creation.full_like, "a/ fill_value/ dtype order subok! shape device"),
    # Products.
    "dot": ("dot", "a/ b/ out!"),
    "outer": (_outer, "a/ b/ out!"),
    "tensordot": ("tensordot", "a/ b/ axes"),
    "cross": ("cross", "a/ b/ axisa! axisb! axisc! axis"),
    "einsum": (compositions.einsum, "..."),
    "linalg.norm": (summaries.norm, "x/ ord axis keepdims"),
    "linalg.vector_norm": (_norm_of(suanzi.vector_norm, 2), "x/ axis keepdims ord"),
    "linalg.matrix_norm": (_norm_of(suanzi.matrix_norm, "fro"), "x/ keepdims ord"),
    "linalg.inv": ("inv", "a/"),
    "linalg.pinv": ("pinv", "a/ rcond=rtol hermitian! rtol"),
    "linalg.det": ("det", "a/"),
    "linalg.slogdet": ("slogdet", "a/"),
    "linalg.solve": ("solve", _PAIR),
    "linalg.lstsq": (compositions.lstsq, "a/ b/ rcond"),
    "linalg.cholesky": ("cholesky", "a/ upper"),
    "linalg.qr": ("qr", "a/ mode"),
    "linalg.svd": (compositions.svd, "a/ full_matrices compute_uv hermitian!"),
    "linalg.svdvals": ("svdvals", "x/"),
    "linalg.eig": ("eig", "a/"),
    "linalg.eigvals": ("eigvals", "a/"),
    "linalg.eigh": ("eigh", "a/ UPLO!"),
    "linalg.eigvalsh": ("eigvalsh", "a/ UPLO!"),
    "linalg.matrix_rank": (_matrix_rank, "A/ tol! hermitian! rtol"),
    "linalg.matrix_power": ("matrix_power", "a/ n"),
    "linalg.cond": (_cond, "x/ p"),
    "linalg.outer": ("outer", "x1/ x2/"),
    "linalg.cross": ("cross", "x1/ x2/ axis"),
    "linalg.matmul": ("matmul", "x1/ x2/"),
    "linalg.vecdot": ("vecdot", "x1/ x2/ axis"),
    "linalg.tensordot": ("tensordot", "x1/ x2/ axes"),
    "linalg.matrix_transpose": ("matrix_transpose", "x/"),
    "linalg.diagonal": (compositions.matrix_diagonal, "x/ offset"),
    "linalg.trace": (compositions.matrix_trace, "x/ offset dtype"),
    "linalg.multi_dot": (compositions.multi_dot, "arrays/ out!"),
    "linalg.tensorinv": (compositions.tensorinv, "a/ ind"),
    "linalg.tensorsolve": (compositions.tensorsolve, "a/ b/ axes"),
    # Transforms.
    **{f"fft.{name}": (f"fft.{name}", _FFT) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft.{name}": (f"fft.{name}", _FFTN) for name in ("fftn", "ifftn", "rfftn", "irfftn")},
    **{f"fft.{name}2": (_of_planes(f"{name}n"), _FFTN) for name in ("fft", "ifft", "rfft", "irfft")},
    "fft.fftshift": ("fft.fftshift", "x/ axes"),
    "fft.ifftshift": ("fft.ifftshift", "x/ axes"),
    **{
        name: (composed(function, f"numpy.{name}"), text)
        for module in (elements, calculus, polynomials, sets, picking, spaces)
        for name, (function, text) in module.ROWS.items()
    },
}
# Functions that accept a number with axis 0 or -1, as if the number had one dimension.
_OF_NUMBERS = {
    f"numpy.{name}"
    for name in (
        *("argmax", "argmin", "cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod"),
        *("nansum", "nanprod", "nanmax", "nanmin", "nanargmax", "nanargmin", "repeat", "take", "squeeze"),
        *("nanmean", "nanvar", "nanstd", "count_nonzero", "ptp"),
    )
}


def _functions(names: Iterable[str]) -> dict[Any, str]:
    """Return the NumPy functions with given names, without the functions that the installed NumPy lacks."""
    found: dict[Any, str] = {}
    for name in names:
        try:
            found.setdefault(attrgetter(name)(np), name)
        except AttributeError:
            continue
    return found


_NAMES = _functions(_ROWS)
_NUMPY_ITSELF = _functions(in_numpy.UNCHANGED)
_WRITING = _functions(in_numpy.WRITES)
_made: dict[Any, tuple[str, Row]] = {}


def call(function: Function, types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a call by NumPy's protocol `__array_function__`."""
    is_beside = False
    for kind in types:
        if not issubclass(kind, Tensor | np.ndarray):
            return NotImplemented
        is_beside = is_beside or decides(kind)
    made = _made.get(function)
    if made is None or is_beside:
        if function in _NUMPY_ITSELF:
            return in_numpy.on_arrays(f"numpy.{_NUMPY_ITSELF[function]}", function, args, kwargs)
        if function in _WRITING:
            return in_numpy.writing(_WRITING[function], function, args, kwargs)
        if function in creation.OF_NO_TENSOR:  # the argument ``like=`` is a tensor
            return creation.created(function, args, kwargs)
        if is_beside:
            return others.function_beside(function, args, kwargs)
        name = _NAMES.get(function)
        if name is None:
            where = getattr(function, "__module__", "numpy")
            if where in ("numpy.strings", "numpy.char"):
                return others.as_ours(others.function_beside(function, args, kwargs))
            what = f"{where}.{getattr(function, '__name__', shown(function))}"
            raise TypeMismatchError(f"{what}: suanzi has no counterpart; {AS_ARRAY}")
        row = _row(function, *_ROWS[name])
        if name in summaries.IN_DOUBLE:
            row = row._replace(function=summaries.in_double(row.function))
        made = _made[function] = f"numpy.{name}", row
    try:
        return _apply(*made, args, kwargs)
    except SuanziError as error:
        raise as_numpys(error) from None


def _apply(name: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if row.raw:
        return row.function(*args, **kwargs)
    if not kwargs and len(args) <= row.leading:
        return row.function(*(x if isinstance(x, Tensor) else _operands(name, x) for x in args))
    operands = list(args) if row.many else []
    options: dict[str, Any] = {}
    out = None
    for parameter, value in kwargs.items() if row.many else _by_name(name, row, args, kwargs):
        how = row.parameters.get(parameter)
        if how == "/":
            operands.append(value)
        elif parameter == "out":
            out = value
        elif value is np._NoValue or (how is None and row.changes_nothing(parameter, value)):
            continue
        elif how is None:
            raise InvalidArgumentError(f"{name}: {parameter} = {shown(value)} has no counterpart in suanzi; {AS_ARRAY}")
        elif value is not None or how not in options:  # two of NumPy's names may mean the same parameter
            if options.get(how):
                raise InvalidArgumentError(f"{name}: {parameter} = {shown(value)} is given twice, by two names")
            if how == "dtype" and value is not None:
                value = element_type(name, value)
            options[how] = operand(name, value) if isinstance(value, np.ndarray) and value.ndim else value
    operands = [x if isinstance(x, Tensor) else _operands(name, x) for x in operands]
    if row.leading == 1 and isinstance(operands[0], bool | int | float | complex | np.generic):
        # Only another argument, such as `out`, is a tensor, so NumPy determines the number's type.
        operands[0] = elements.beside((*options.values(), out), as_tensor(operands[0], None, name))
    axis = options.get("axis")
    if isinstance(axis, int | np.integer) and axis in (0, -1) and name in _OF_NUMBERS and operands[0].ndim == 0:
        options["axis"] = None
    if out is None:
        return row.function(*operands, **options)
    takes_out = row.parameters.get("out") is not None
    if takes_out and "casting" in row.parameters and options.get("dtype") is not None:
        raise InvalidArgumentError(f"{name}: out= and dtype= exclude each other")
    # Suanzi's `out` converts to more types within a kind than NumPy's `out`.
    fits = takes_out and isinstance(out, Tensor) and _have_type(operands, out.dtype)
    casting = options.get("casting", "same_kind")
    return written(name, partial(row.function, *operands, **options), out, fits, casting=casting)


def _have_type(operands: list[Any], dtype: DType) -> bool:
    return all(_have_type(x, dtype) if isinstance(x, list) else getattr(x, "dtype", dtype) is dtype for x in operands)


def _by_name(name: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Return pairs of NumPy's parameter names and arguments, in NumPy's order."""
    if not kwargs and len(args) <= len(row.parameters):
        return zip(row.parameters, args, strict=False)
    if len(args) > len(row.parameters):
        raise InvalidArgumentError(f"{name}: {len(args)} arguments given, of which {len(row.parameters)} are known")
    given = {**dict(zip(row.parameters, args, strict=False)), **kwargs}
    unknown = {name for name in given.keys() - row.parameters.keys() if not row.changes_nothing(name, given[name])}
    if unknown:
        raise InvalidArgumentError(f"{name}: {min(unknown)} has no counterpart in suanzi; {AS_ARRAY}")
    return [(parameter, given[parameter]) for parameter in row.parameters if parameter in given]


def _operands(name: str, value: Any) -> Any:
    """Return an operand, or a list of operands, as tensors. None, which the called function may refuse, stays None."""
    if value is None:
        return None
    if isinstance(value, list | tuple) and any(isinstance(x, Tensor | np.ndarray) for x in value):
        return [operand(name, x) for x in value] if any(isinstance(x, Tensor) for x in value) else value
    return operand(name, value)
