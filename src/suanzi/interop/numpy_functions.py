"""NumPy's functions of tensors (`__array_function__`): which function of ours each is, and how arguments are called.

`numpy.concatenate([x, y])` with a tensor among them is `suanzi.concat([x, y])`. A row of the table has NumPy's
parameters in their order. What has no counterpart is refused: whoever wants an array says so by `numpy.asarray`.
Imported at the first use.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import Tensor, TypeMismatchError, _core, extras
from suanzi.interop import numpy_compositions, numpy_creation
from suanzi.interop.numpy_ufuncs import in_target, operand
from suanzi.tensor.exchange import Array
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError

Function = Callable[..., Any]


# --- functions that are more than another name ---


def _flat_if_none(function: Function, default: int | None = None) -> Function:
    """NumPy's way with ``axis=None``: the elements of all dimensions in a row."""

    def call(x: Tensor, *operands: Any, axis: int | None = default, **options: Any) -> Any:
        if axis is None:
            x, axis = suanzi.flatten(x), 0
        return function(x, *operands, axis=axis, **options)

    return call


def _split(x: Tensor, places: Any, axis: int = 0, uneven: bool = False) -> list[Tensor]:
    """NumPy's numbers say where to cut, ours how large the parts are."""
    if isinstance(places, int | np.integer):
        return list(suanzi.split(x, int(places), axis, uneven=uneven))
    axis = _core.read_axis("numpy.split", axis, x.ndim)
    length = x.shape[axis]
    cuts = [slice(int(at), None).indices(length)[0] for at in places]
    before: tuple[Any, ...] = (slice(None),) * axis
    return [x[(*before, slice(begin, end))] for begin, end in pairwise([0, *cuts, length])]


def _array_split(x: Tensor, places: Any, axis: int = 0) -> list[Tensor]:
    return _split(x, places, axis, uneven=True)


def _where(condition: Any, *choices: Any) -> Any:
    return suanzi.where(condition, *choices) if choices else suanzi.nonzero(condition)


def _norm(x: Tensor, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    if ord is None and axis is None:
        return suanzi.linalg.vector_norm(x, keepdims=keepdims)
    if (x.ndim if axis is None else np.size(axis)) == 1:
        return suanzi.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=2 if ord is None else ord)
    if axis is not None:
        raise InvalidArgumentError("numpy.linalg.norm: axis of a matrix norm has no counterpart in suanzi")
    return suanzi.linalg.matrix_norm(x, keepdims=keepdims, ord="fro" if ord is None else ord)


def _clip(x: Tensor, a_min: Any = None, a_max: Any = None, out: Any = None, min: Any = None, max: Any = None) -> Tensor:
    low, high = a_min if min is None else min, a_max if max is None else max
    return suanzi.clip(x, low, high, out=out)


def _diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    return suanzi.diagonal(x, offset, axis1, axis2)


def _einsum(*operands: Any, optimize: Any = None, order: Any = None, casting: Any = None, dtype: Any = None) -> Tensor:
    """Without NumPy's advice on the order of the products and on memory: ours finds its own."""
    if dtype is not None:
        operands = tuple(suanzi.astype(x, dtype, copy=False) if isinstance(x, Tensor) else x for x in operands)
    return suanzi.einsum(*operands)


def _of_planes(name: str) -> Function:
    """A transform along the last two axes."""
    function: Function = getattr(suanzi.fft, name)

    def call(x: Tensor, s: Any = None, axes: Any = (-2, -1), norm: Any = None) -> Tensor:
        result: Tensor = function(x, s=s, axes=axes, norm=norm or "backward")
        return result

    return call


def _partition(x: Tensor, kth: Any, axis: int | None = -1) -> Tensor:
    """Sorted, so that every element is where `kth` may ask for it."""
    ordered: Tensor = _flat_if_none(suanzi.sort)(x, axis=axis)
    return ordered


def _argpartition(x: Tensor, kth: Any, axis: int | None = -1) -> Tensor:
    order: Tensor = _flat_if_none(suanzi.argsort)(x, axis=axis)
    return order


def _trace(x: Tensor, offset: int = 0, dtype: Any = None, out: Any = None) -> Tensor:
    return suanzi.trace(x if dtype is None else suanzi.astype(x, dtype), offset, out=out)


def _outer(x1: Tensor, x2: Tensor) -> Tensor:
    return suanzi.outer(suanzi.flatten(x1), suanzi.flatten(x2))


def _shares(percents: Any) -> Any:
    return np.asarray(percents) / 100


def _percentile(x: Tensor, q: Any, **options: Any) -> Tensor:
    return extras.quantile(x, _shares(q), **options)


def _nanpercentile(x: Tensor, q: Any, **options: Any) -> Tensor:
    return extras.nanquantile(x, _shares(q), **options)


def _average(x: Tensor, axis: Any = None, weights: Any = None, keepdims: bool = False) -> Tensor:
    """NumPy's weights have the shape of `x`, or its sizes along the axes."""
    if weights is None:
        return suanzi.mean(x, axis, keepdims)
    weights = operand("numpy.average", weights)
    axes = [_core.read_axis("numpy.average", a, x.ndim) for a in np.atleast_1d(range(x.ndim) if axis is None else axis)]
    if weights.shape != x.shape:
        if axis is None or weights.shape != tuple(x.shape[a] for a in axes):
            raise DimensionsMismatchError(
                f"numpy.average: weights of shape {weights.shape} are neither for all of {x.shape} nor for axis {axis}"
            )
        ordered = suanzi.permute_dims(weights, tuple(np.argsort(axes).tolist()))
        weights = suanzi.reshape(ordered, tuple(n if a in axes else 1 for a, n in enumerate(x.shape)))
    total = suanzi.sum(suanzi.broadcast_to(weights, x.shape), axis, keepdims)
    if bool(suanzi.any(total == 0)):
        raise InvalidArgumentError("numpy.average: the weights sum to 0")
    return suanzi.sum(x * weights, axis, keepdims) / total


def _with_more(function: Function, what: str) -> Function:
    """Of the variables of `x` and those of `y`, a row each."""

    def call(x: Tensor, y: Any = None, **options: Any) -> Tensor:
        if y is None:
            return function(x, **options)  # type: ignore[no-any-return]
        y = operand(what, y)
        rows = [suanzi.reshape(part, (1, -1)) if part.ndim < 2 else part for part in (x, y)]
        return function(suanzi.concat(rows, 0), **options)  # type: ignore[no-any-return]

    return call


def _close(function: Function) -> Function:
    """Tolerances may be tensors of one number."""

    def call(x: Tensor, y: Any, **options: Any) -> Any:
        return function(x, y, **{name: v.item() if isinstance(v, Tensor) else v for name, v in options.items()})

    return call


def _unique(x: Tensor, axis: int | None = None, equal_nan: bool = True, sorted: bool = True, **asked: bool) -> Any:
    """In order, also where NumPy need not; each NaN for itself on request, as array-api-compat makes it."""
    if equal_nan:
        return suanzi.unique(x, axis=axis, **asked)
    if axis is not None:
        raise InvalidArgumentError("numpy.unique: equal_nan = False has no counterpart in suanzi beside an axis")
    values, *others = suanzi.array_api.unique_all(x)
    names = ("return_index", "return_inverse", "return_counts")
    wanted = [part for name, part in zip(names, others, strict=True) if asked.get(name)]
    return (values, *wanted) if wanted else values


def _without_nan(scan: Function, neutral: int) -> Function:
    """A scan that takes NaN for the number that changes nothing."""

    def call(x: Tensor, **options: Any) -> Any:
        floating = x.dtype.kind_name.endswith("floating")
        return scan(suanzi.where(suanzi.isnan(x), neutral, x) if floating else x, **options)

    return _flat_if_none(call)


def _at_least(rank: int) -> Function:
    """With new dimensions in front; a third one behind, where NumPy has it."""

    def reshaped(x: Tensor) -> Tensor:
        shape = (1,) * (min(rank, 2) - x.ndim) + x.shape
        return suanzi.reshape(x, shape + (1,) * (rank - len(shape)))

    def call(*operands: Any) -> Any:
        found = [reshaped(suanzi.array_api.asarray(x)) for x in operands]
        return tuple(found) if len(found) > 1 else found[0]

    return call


def _column_stack(parts: Any) -> Tensor:
    tensors = [suanzi.array_api.asarray(x) for x in parts]
    return suanzi.concat([suanzi.reshape(x, (x.size, 1)) if x.ndim < 2 else x for x in tensors], 1)


def _broadcast_arrays(*operands: Any) -> tuple[Any, ...]:
    """Also with None among them, as matplotlib calls it: that becomes an array of NumPy, full of it."""
    tensors = [None if x is None else suanzi.array_api.asarray(x) for x in operands]
    shape = suanzi.array_api.broadcast_shapes(*(() if x is None else x.shape for x in tensors))
    return tuple(np.full(shape, None) if x is None else suanzi.broadcast_to(x, shape) for x in tensors)


def _pad(x: Tensor, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Tensor:
    """NumPy's values may be pairs, one for each end; here all are one."""
    values = np.unique(constant_values)
    if values.size != 1:
        raise InvalidArgumentError("numpy.pad: several constant_values have no counterpart in suanzi")
    return suanzi.array_api.pad(x, pad_width, mode, constant_values=values[0])


# --- the table ---


class Row(NamedTuple):
    """A function of ours, and NumPy's parameters: how each is passed on, in the order of NumPy's."""

    function: Function
    parameters: dict[str, str | None]  # by NumPy's name: "/" for an operand, the keyword here, None: not taken
    defaults: dict[str, Any]  # NumPy's, which may be given where a parameter is not taken
    many: bool  # whether it takes any number of operands

    def changes_nothing(self, parameter: str, value: Any) -> bool:
        default = self.defaults.get(parameter)
        return value is None or value is np._NoValue or (type(value) is type(default) and bool(value == default))


def _defaults(function: Function) -> dict[str, Any]:
    """Of a function of NumPy's; of those that an older NumPy has in C none are known."""
    try:
        return {name: p.default for name, p in inspect.signature(function).parameters.items()}
    except ValueError:
        return {}


def _row(numpy_function: Function, function: str | Function, text: str) -> Row:
    """A row of words: ``a/`` is an operand, ``ddof=correction`` has another name here, ``kind!`` is not taken."""
    parameters: dict[str, str | None] = {}
    for word in text.split():
        name, _, ours = word.partition("=")
        if name.endswith("/"):
            parameters[name[:-1]] = "/"
        elif name.endswith("!"):
            parameters[name[:-1]] = None
        else:
            parameters[name] = ours or name
    found = attrgetter(function)(suanzi) if isinstance(function, str) else function
    many = parameters.pop("*", None) is not None
    return Row(found, parameters, _defaults(numpy_function), many)


_FOLD = "a/ axis dtype out keepdims initial! where!"
_EXTREME = "a/ axis out keepdims initial! where!"
_TRUTH = "a/ axis out keepdims where!"
_MOMENT = "a/ axis dtype out ddof=correction keepdims where! mean! correction"
_NAN_FOLD = "a/ axis dtype out! keepdims initial! where!"
_NAN_MOMENT = "a/ axis dtype! out! ddof=correction keepdims where! mean! correction"
_PLACE = "a/ axis out! keepdims"
_LIKE = "a/ dtype order subok! shape device"
_QUANTILE = "a/ q axis out! overwrite_input! method keepdims weights!"
_FFT, _FFTN = "a/ n axis norm out!", "a/ s axes norm out!"
_PAIR = "a/ b/"

# By NumPy's name, without `numpy.`.
_ROWS: dict[str, tuple[str | Function, str]] = {
    # reductions
    "sum": ("sum", _FOLD),
    "prod": ("prod", _FOLD),
    "max": ("max", _EXTREME),
    "min": ("min", _EXTREME),
    "amax": ("max", _EXTREME),
    "amin": ("min", _EXTREME),
    "all": ("all", _TRUTH),
    "any": ("any", _TRUTH),
    "mean": ("mean", "a/ axis dtype out keepdims where!"),
    "average": (_average, "a/ axis weights returned! keepdims"),
    "std": ("std", _MOMENT),
    "var": ("var", _MOMENT),
    "argmax": ("argmax", _PLACE),
    "argmin": ("argmin", _PLACE),
    "count_nonzero": ("count_nonzero", "a/ axis keepdims"),
    "cumsum": (_flat_if_none(suanzi.cumulative_sum), "a/ axis dtype out"),
    "cumprod": (_flat_if_none(suanzi.cumulative_prod), "a/ axis dtype out"),
    "nancumsum": (_without_nan(suanzi.cumulative_sum, 0), "a/ axis dtype out"),
    "nancumprod": (_without_nan(suanzi.cumulative_prod, 1), "a/ axis dtype out"),
    "cumulative_sum": ("cumulative_sum", "x/ axis dtype out include_initial"),
    "cumulative_prod": ("cumulative_prod", "x/ axis dtype out include_initial"),
    "median": ("extras.median", "a/ axis out! overwrite_input! keepdims"),
    "nanmedian": ("extras.nanmedian", "a/ axis out! overwrite_input! keepdims"),
    "quantile": ("extras.quantile", _QUANTILE),
    "nanquantile": ("extras.nanquantile", _QUANTILE),
    "percentile": (_percentile, _QUANTILE),
    "nanpercentile": (_nanpercentile, _QUANTILE),
    "nansum": ("extras.nansum", _NAN_FOLD),
    "nanprod": ("extras.nanprod", _NAN_FOLD),
    "nanmax": ("extras.nanmax", "a/ axis out! keepdims initial! where!"),
    "nanmin": ("extras.nanmin", "a/ axis out! keepdims initial! where!"),
    "nanmean": ("extras.nanmean", "a/ axis dtype! out! keepdims where!"),
    "nanvar": ("extras.nanvar", _NAN_MOMENT),
    "nanstd": ("extras.nanstd", _NAN_MOMENT),
    "nanargmax": ("extras.nanargmax", _PLACE),
    "nanargmin": ("extras.nanargmin", _PLACE),
    "bincount": ("extras.bincount", "x/ weights minlength"),
    "histogram": ("extras.histogram", "a/ bins range density weights"),
    "cov": (_with_more(extras.cov, "numpy.cov"), "m/ y rowvar! bias! ddof=correction fweights aweights"),
    "corrcoef": (_with_more(extras.corrcoef, "numpy.corrcoef"), "x/ y rowvar!"),
    # joining and taking apart
    "concatenate": ("concat", "arrays/ axis out dtype! casting!"),
    "concat": ("concat", "arrays/ axis out dtype! casting!"),
    "stack": ("stack", "arrays/ axis out dtype! casting!"),
    "hstack": ("extras.hstack", "tup/ dtype! casting!"),
    "vstack": ("extras.vstack", "tup/ dtype! casting!"),
    "column_stack": (_column_stack, "tup/"),
    "split": (_split, "ary/ indices_or_sections/ axis"),
    "array_split": (_array_split, "ary/ indices_or_sections/ axis"),
    "unstack": ("unstack", "x/ axis"),
    "tile": ("tile", "A/ reps=repetitions"),
    "repeat": ("repeat", "a/ repeats axis"),
    "meshgrid": ("meshgrid", "* indexing copy! sparse!"),
    "broadcast_arrays": (_broadcast_arrays, "* subok!"),
    "kron": ("extras.kron", _PAIR),
    "diff": (numpy_compositions.diff, "a/ n axis prepend append"),
    # shapes
    "reshape": ("Tensor.reshape", "a/ shape order newshape=shape copy!"),
    "ravel": ("Tensor.ravel", "a/ order"),
    "transpose": ("transpose", "a/ axes"),
    "permute_dims": ("permute_dims", "a/ axes"),
    "matrix_transpose": ("matrix_transpose", "x/"),
    "swapaxes": ("swapaxes", "a/ axis1 axis2"),
    "moveaxis": ("moveaxis", "a/ source destination"),
    **{f"atleast_{rank}d": (_at_least(rank), "*") for rank in (1, 2, 3)},
    "expand_dims": ("expand_dims", "a/ axis"),
    "squeeze": ("squeeze", "a/ axis"),
    "broadcast_to": ("broadcast_to", "array/ shape subok!"),
    "pad": (_pad, "array/ pad_width mode constant_values stat_length! end_values! reflect_type!"),
    "flip": ("flip", "m/ axis"),
    "roll": ("roll", "a/ shift axis"),
    "rot90": ("rot90", "m/ k axes"),
    "shape": ("shape", "a/"),
    "size": ("size", "a/ axis!"),
    "ndim": ("rank", "a/"),
    # elements
    "where": (_where, "condition/ x/ y/"),
    "clip": (_clip, "a/ a_min a_max out min max"),
    "take": (_flat_if_none(suanzi.gather), "a/ indices/ axis out! mode!"),
    "take_along_axis": ("take_along_axis", "arr/ indices/ axis"),
    "diagonal": (_diagonal, "a/ offset axis1 axis2"),
    "diag": ("diag", "v/ k=offset"),
    "trace": (_trace, "a/ offset axis1! axis2! dtype out"),
    "tril": ("tril", "m/ k"),
    "triu": ("triu", "m/ k"),
    "sort": (_flat_if_none(suanzi.sort, -1), "a/ axis kind! order! stable"),
    "argsort": (_flat_if_none(suanzi.argsort, -1), "a/ axis kind! order! stable"),
    "digitize": (numpy_compositions.digitize, "x/ bins/ right"),
    "interp": (numpy_compositions.interp, "x/ xp/ fp/ left right period!"),
    "linspace": (numpy_compositions.linspace, "start/ stop/ num endpoint retstep! dtype axis device!"),
    "ravel_multi_index": (numpy_compositions.ravel_multi_index, "multi_index/ dims mode! order!"),
    "unravel_index": (numpy_compositions.unravel_index, "indices/ shape order!"),
    "partition": (_partition, "a/ kth/ axis kind! order!"),
    "argpartition": (_argpartition, "a/ kth/ axis kind! order!"),
    "searchsorted": ("searchsorted", "a/ v/ side sorter"),
    "unique": (_unique, "ar/ return_index return_inverse return_counts axis equal_nan sorted"),
    **{f"unique_{part}": (f"array_api.unique_{part}", "x/") for part in ("all", "counts", "inverse", "values")},
    "isin": ("array_api.isin", "element/ test_elements/ assume_unique! invert kind!"),
    "nonzero": ("nonzero", "a/"),
    "round": ("round", "a/ decimals out"),
    "around": ("round", "a/ decimals out"),
    "nan_to_num": (numpy_compositions.nan_to_num, "x/ copy nan posinf neginf"),
    "fix": ("trunc", "x/ out"),
    "sinc": (numpy_compositions.sinc, "x/"),
    "i0": (numpy_compositions.i0, "x/"),
    "isreal": (numpy_compositions.is_real, "x/"),
    "iscomplex": (numpy_compositions.is_complex, "x/"),
    "real": ("real", "val/"),
    "imag": ("imag", "val/"),
    "isclose": (_close(suanzi.isclose), "a/ b/ rtol atol equal_nan"),
    "allclose": (_close(suanzi.allclose), "a/ b/ rtol atol equal_nan"),
    "array_equal": ("array_equal", "a1/ a2/ equal_nan!"),
    "copy": ("clone", "a/ order! subok!"),
    "zeros_like": (numpy_creation.zeros_like, _LIKE),
    "ones_like": (numpy_creation.ones_like, _LIKE),
    "empty_like": (numpy_creation.empty_like, "prototype/ dtype order subok! shape device"),
    "full_like": (numpy_creation.full_like, "a/ fill_value/ dtype order subok! shape device"),
    # products
    "dot": ("dot", "a/ b/ out!"),
    "outer": (_outer, "a/ b/ out!"),
    "tensordot": ("tensordot", "a/ b/ axes"),
    "cross": ("cross", "a/ b/ axisa! axisb! axisc! axis"),
    "einsum": (_einsum, "* out! optimize order casting dtype"),
    "linalg.norm": (_norm, "x/ ord axis keepdims"),
    "linalg.vector_norm": ("linalg.vector_norm", "x/ axis keepdims ord"),
    "linalg.matrix_norm": ("linalg.matrix_norm", "x/ keepdims ord"),
    "linalg.inv": ("inv", "a/"),
    "linalg.pinv": ("pinv", "a/ rcond! hermitian! rtol"),
    "linalg.det": ("det", "a/"),
    "linalg.slogdet": ("slogdet", "a/"),
    "linalg.solve": ("solve", _PAIR),
    "linalg.lstsq": (numpy_compositions.lstsq, "a/ b/ rcond"),
    "linalg.cholesky": ("cholesky", "a/ upper"),
    "linalg.qr": ("qr", "a/ mode"),
    "linalg.svd": ("svd", "a/ full_matrices compute_uv! hermitian!"),
    "linalg.svdvals": ("svdvals", "x/"),
    "linalg.eig": ("eig", "a/"),
    "linalg.eigvals": ("eigvals", "a/"),
    "linalg.eigh": ("eigh", "a/ UPLO!"),
    "linalg.eigvalsh": ("eigvalsh", "a/ UPLO!"),
    "linalg.matrix_rank": ("matrix_rank", "A/ tol! hermitian! rtol"),
    "linalg.matrix_power": ("matrix_power", "a/ n"),
    "linalg.cond": ("cond", "x/ p=ord"),
    # transforms
    **{f"fft.{name}": (f"fft.{name}", _FFT) for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")},
    **{f"fft.{name}": (f"fft.{name}", _FFTN) for name in ("fftn", "ifftn", "rfftn", "irfftn")},
    **{f"fft.{name}2": (_of_planes(f"{name}n"), _FFTN) for name in ("fft", "ifft", "rfft", "irfft")},
    "fft.fftshift": ("fft.fftshift", "x/ axes"),
    "fft.ifftshift": ("fft.ifftshift", "x/ axes"),
}
# Functions that write arrays, print, or tell of types: NumPy's own, of arrays on the memory of the tensors.
_OF_NUMPY = (
    *("save", "savez", "savez_compressed", "savetxt", "array2string", "array_repr", "array_str", "copyto"),
    *("shares_memory", "may_share_memory", "iscomplexobj", "isrealobj", "result_type", "can_cast", "min_scalar_type"),
)


def _functions(names: Iterable[str]) -> dict[Any, str]:
    """NumPy's functions by which it asks; an older NumPy does not have all."""
    found: dict[Any, str] = {}
    for name in names:
        try:
            found.setdefault(attrgetter(name)(np), name)
        except AttributeError:
            continue
    return found


_NAMES = _functions(_ROWS)
_NUMPY_ITSELF = _functions(_OF_NUMPY)
_made: dict[str, Row] = {}


def call(function: Function, types: Iterable[type], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What `__array_function__` gives."""
    if not all(issubclass(kind, Tensor | np.ndarray) for kind in types):
        return NotImplemented
    if function in _NUMPY_ITSELF:
        return function(*(_as_arrays(x) for x in args), **{name: _as_arrays(x) for name, x in kwargs.items()})
    if function in numpy_creation.OF_NO_TENSOR:  # with ``like=`` a tensor
        return numpy_creation.created(function, args, kwargs)
    name = _NAMES.get(function)
    if name is None:
        where = getattr(function, "__module__", "numpy")
        what = f"{where}.{getattr(function, '__name__', shown(function))}"
        raise TypeMismatchError(f"{what}: suanzi has no counterpart; numpy.asarray(x) makes an array of a tensor")
    if name not in _made:
        _made[name] = _row(function, *_ROWS[name])
    return _apply(f"numpy.{name}", _made[name], args, kwargs)


def _apply(name: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = dict(kwargs) if row.many else _by_name(name, row, args, kwargs)
    operands, options = list(args) if row.many else [], {}
    out = given.pop("out", None)
    for parameter, value in given.items():
        how = row.parameters.get(parameter)
        if how == "/":
            operands.append(value)
        elif value is np._NoValue or (how is None and row.changes_nothing(parameter, value)):
            continue
        elif how is None:
            raise InvalidArgumentError(f"{name}: {parameter} = {shown(value)} has no counterpart in suanzi")
        else:
            options[how] = operand(name, value) if isinstance(value, np.ndarray) and value.ndim else value
    if isinstance(out, Tensor) and row.parameters.get("out"):
        options["out"] = out
    result = row.function(*(_operands(name, x) for x in operands), **options)
    return result if out is None or result is out else in_target(name, result, out)


def _by_name(name: str, row: Row, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by NumPy's names, in its order."""
    if len(args) > len(row.parameters):
        raise InvalidArgumentError(f"{name}: {len(args)} arguments given, of which {len(row.parameters)} are known")
    given = {**dict(zip(row.parameters, args, strict=False)), **kwargs}
    unknown = {name for name in given.keys() - row.parameters.keys() if not row.changes_nothing(name, given[name])}
    if unknown:
        raise InvalidArgumentError(f"{name}: {min(unknown)} has no counterpart in suanzi")
    return {parameter: given[parameter] for parameter in row.parameters if parameter in given}


def _operands(name: str, value: Any) -> Any:
    """An operand, or a list of them; None is for the function to judge."""
    if value is None:
        return None
    if isinstance(value, list | tuple) and any(isinstance(x, Tensor) for x in value):
        return [operand(name, x) for x in value]
    return operand(name, value) if not isinstance(value, list | tuple) or _is_of_numbers(value) else value


def _is_of_numbers(value: Any) -> bool:
    return bool(value) and not any(isinstance(x, Tensor | np.ndarray) for x in value)


def _as_arrays(value: Any) -> Any:
    if isinstance(value, Tensor):
        array: Array = value.numpy()
        return array
    return type(value)(map(_as_arrays, value)) if type(value) in (list, tuple) else value
