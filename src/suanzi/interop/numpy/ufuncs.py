"""NumPy's ufuncs of tensors (`__array_ufunc__`): Suanzi's function for each ufunc, and methods such as `reduce`.

`numpy.sin(x)` of a tensor is `suanzi.sin(x)`, and ``array + x`` is a tensor. Types promote by Suanzi's rules. `dtype=`
names the type of the result, as in NumPy. The ufunc decides which operands are converted to the type of the result.
NumPy computes a ufunc without a counterpart with arrays, and numbers in the results become tensors (`others`). The
first call of a ufunc with a tensor imports this module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import Tensor, TypeMismatchError
from suanzi.hints.functions import USE
from suanzi.interop.numpy import elements
from suanzi.interop.numpy.arguments import (
    AS_ARRAY,
    as_numpys,
    can_cast,
    check_target,
    converted,
    element_type,
    in_target,
    mask,
    number,
    operand,
    written,
)
from suanzi.interop.numpy.folds import folded, of_ufunc
from suanzi.operators.registry import records
from suanzi.tensor.composed import composed
from suanzi.tensor.dtypes import DType, as_dtype, bfloat16, complex64, complex128, float16
from suanzi.tensor.exchange import as_tensor, decides
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, SuanziError

Function = Callable[..., Any]

# NumPy's and SciPy's names of functions with other names in Suanzi.
_RENAMED = [
    "absolute",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "bitwise_not",
    "conjugate",
    "fabs",
    "invert",
    "left_shift",
    "mod",
    "power",
    "right_shift",
]
_OTHER_NAMES = {"expit": "extras.sigmoid", "erf": "extras.erf", "erfc": "extras.erfc"} | {
    name: USE[name].partition("(")[0] for name in _RENAMED
}
_OURS = {record.name for record in records()}


def _divmod(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    return suanzi.floor_divide(x1, x2), suanzi.remainder(x1, x2)


def _float_power(x1: Any, x2: Any, *, out: Tensor | None = None) -> Tensor:
    """Compute a power at least in double precision, unlike `numpy.power`."""
    return suanzi.pow(_in_double_precision(x1), _in_double_precision(x2), out=out)


def _matvec(x1: Any, x2: Any) -> Tensor:
    matrix, vector = (as_tensor(x, None, "numpy.matvec") for x in (x1, x2))
    return suanzi.squeeze(suanzi.matmul(matrix, suanzi.expand_dims(vector, -1)), -1)


def _vecmat(x1: Any, x2: Any) -> Tensor:
    """Multiply a vector by a matrix. As in NumPy, a complex vector is conjugated."""
    vector, matrix = (as_tensor(x, None, "numpy.vecmat") for x in (x1, x2))
    row = suanzi.expand_dims(suanzi.conj(vector) if vector.dtype.kind == "c" else vector, -2)
    return suanzi.squeeze(suanzi.matmul(row, matrix), -2)


def _in_double_precision(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return x
    return suanzi.astype(x, suanzi.complex128 if x.dtype.kind == "c" else suanzi.float64, copy=False)


# Functions that combine several functions of Suanzi, and accept no `out`.
_STEPS: dict[str, Function] = {"matvec": _matvec, "vecmat": _vecmat, **elements.UFUNCS}
_WITHOUT_OUT = {"vecdot", *_STEPS}
_COMPOSED: dict[str, Function] = {
    "divmod": _divmod,
    "float_power": _float_power,
    **{name: composed(function, f"numpy.{name}") for name, function in _STEPS.items()},
}


def counterpart(ufunc: np.ufunc) -> Function | None:
    """Return Suanzi's function for a ufunc of NumPy or `scipy.special`, or None if Suanzi has no such function."""
    name = ufunc.__name__
    of_scipy = getattr(sys.modules.get("scipy.special"), name, None) is ufunc
    if not of_scipy and getattr(np, name, None) is not ufunc:
        return None
    ours = name if name in _OURS else _OTHER_NAMES.get(name)
    function = _COMPOSED.get(name) or (attrgetter(ours)(suanzi) if ours else None)
    return _in_scipys_types(ufunc, function) if of_scipy and function else function


def _in_scipys_types(ufunc: np.ufunc, function: Function) -> Function:
    """Make a function that converts tensors of integers or bools to the type in which a ufunc of SciPy computes."""

    def in_type(x: Any) -> Any:
        if not isinstance(x, Tensor) or x.dtype.kind not in "bui":
            return x
        return suanzi.astype(x, as_dtype(ufunc.resolve_dtypes((x.dtype.numpy, None))[0]))

    def call(x: Any, **options: Any) -> Any:
        return function(in_type(x), **options)

    return call


_counterparts: dict[np.ufunc, Function] = {}  # counterparts found so far


def call(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return the result of a call by NumPy's protocol `__array_ufunc__`."""
    function = _counterparts.get(ufunc)
    if function is not None and method == "__call__" and not options and all(type(x) is Tensor for x in inputs):
        return function(*inputs)
    name = f"numpy.{ufunc.__name__}"
    targets = options.pop("out", None) or ()
    if not all(_is_ours(x) for x in (*inputs, *targets)):
        return _others().ufunc_beside(ufunc, method, inputs, {**options, "out": targets} if targets else options)
    if function is None and (function := counterpart(ufunc)):
        _counterparts[ufunc] = function
    if function is None or method not in _METHODS:
        return _others().in_numpy(ufunc, method, inputs, {**options, "out": targets} if targets else options)
    operands = [operand(name, x) for x in inputs]
    try:
        return _METHODS[method](Called(name, ufunc, function, operands, options, targets))
    except SuanziError as error:
        raise as_numpys(error) from None


_NOTHING: Mapping[str, Any] = {"casting": "same_kind", "order": "K", "where": True}


class Called(NamedTuple):
    """A call of a ufunc or of a method of the ufunc. `targets` is NumPy's tuple of one `out` for each result."""

    name: str
    ufunc: np.ufunc
    function: Function
    operands: list[Any]
    options: dict[str, Any]
    targets: tuple[Any, ...]

    def take(self, *known: str) -> list[Any]:
        """Return the values of the options `known`. Raise an error if another option has a value that changes the
        result.
        """
        values = [self.options.pop(option, None) for option in known]
        self.options.pop("subok", None)  # a tensor has no subclasses
        if "axes" in self.options and self._names_default_axes(self.options["axes"]):
            del self.options["axes"]
        for option, value in self.options.items():
            if value is not None and value is not _NOTHING.get(option) and value != _NOTHING.get(option):
                raise InvalidArgumentError(
                    f"{self.name}: {option} = {shown(value)} has no counterpart in suanzi; {AS_ARRAY}"
                )
        return values

    def _names_default_axes(self, axes: Any) -> bool:
        """Return whether `axes` names the axes that the ufunc uses without `axes`, as in NumPy's ``array @= x``."""
        if not isinstance(axes, list) or self.ufunc.signature is None:
            return False
        operands, _, result = self.ufunc.signature.partition("->")
        full = [part.count(",") + 1 for part in operands.strip("()").split("),(")]
        used = [min(count, np.ndim(x)) for count, x in zip(full, self.operands, strict=True)]
        of_result = result.strip("()").count(",") + 1 if result != "()" else 0
        used.append(of_result - (sum(full) - sum(used)))  # a result lacks the axes that the operands of `matmul` lack
        default = [tuple(range(-count, 0)) for count in used]
        named = [tuple(part) if isinstance(part, list | tuple) else (part,) for part in axes]
        return named == default or (default[-1] == () and named == default[:-1])


def _is_ours(x: Any) -> bool:
    """Return whether Suanzi may compute with an object. Suanzi computes with tensors, NumPy's arrays and scalars, and
    objects whose class lacks `__array_ufunc__`, but not with arrays of classes that have protocols of their own.
    """
    if isinstance(x, Tensor | np.ndarray | np.generic):
        return not decides(type(x))
    return not hasattr(type(x), "__array_ufunc__")


def _others() -> ModuleType:
    return import_module("suanzi.interop.numpy.others")  # most programs need no such call


# --- element types ---


def tells_truth(ufunc: np.ufunc) -> bool:
    """Return whether every result of a ufunc is a bool."""
    return all(loop.endswith(("->?", "->O")) for loop in ufunc.types)


def _loops(ufunc: np.ufunc, dtype: DType) -> list[str]:
    """Return the operand types of NumPy's loops with results of a given type, one letter per operand."""
    same = float16 if dtype is bfloat16 else dtype
    return [
        loop.partition("->")[0]
        for loop in ufunc.types
        if "O" not in loop and all(_from_letter(letter) is same for letter in loop.partition("->")[2])
    ]


def _from_letter(letter: str) -> DType | None:
    return None if letter in "gGmMO" else as_dtype(np.dtype(letter))


def _in_types(called: Called, dtype: DType, casting: str) -> list[Any]:
    """Return the operands in the types from which a ufunc computes a result of type `dtype`, usually `dtype` itself.

    Functions with bool results accept any type, so the operands stay unchanged. If a real `dtype` is computed from
    complex operands, as by `numpy.absolute`, the operands become complex.
    """
    name, operands = called.name, called.operands
    loops = _loops(called.ufunc, dtype)
    if not loops:
        raise TypeMismatchError(f"{name}: dtype = {dtype} is not the type of a result of this function")
    if tells_truth(called.ufunc):
        return operands
    is_complex = any(isinstance(x, Tensor) and x.dtype.kind == "c" for x in operands)
    if is_complex and dtype.kind == "f" and any("F" in loop or "D" in loop for loop in loops):
        dtype = complex64 if dtype.itemsize <= complex64.itemsize // 2 else complex128
        casting = "safe" if casting == "same_kind" else casting
    return [
        converted(name, x, dtype, casting) if isinstance(x, Tensor) else number(name, x, dtype, casting)
        for x in operands
    ]


def _check_types(called: Called, casting: str) -> None:
    """Raise an error if NumPy's rule `casting` forbids the conversion of the operands to the computing type."""
    tensors = [x for x in called.operands if isinstance(x, Tensor)]
    numbers = [x.item() if isinstance(x, np.generic) else x for x in called.operands]
    common = suanzi.array_api.result_type(*numbers)
    if not all(can_cast(x.dtype, common, casting) for x in tensors):
        types = " and ".join(x.dtype.name for x in tensors)
        raise TypeMismatchError(f"{called.name}: {types} cannot become {common} with casting = {shown(casting)}")


# --- the methods of a ufunc ---


def _call(called: Called) -> Any:
    name, ufunc, function = called.name, called.ufunc, called.function
    if not called.options and ufunc.nout == 1 and any(isinstance(x, Tensor) for x in called.operands):
        return _written(called, partial(function, *called.operands), called.operands)
    dtype, where, axis, casting = called.take("dtype", "where", "axis", "casting")
    casting = "same_kind" if casting is None else casting
    wanted = None if dtype is None else element_type(name, dtype)
    operands = list(called.operands) if wanted is None else _in_types(called, wanted, casting)
    if casting not in ("same_kind", "unsafe") and (wanted is None or tells_truth(ufunc)):
        _check_types(called, casting)
    if not any(isinstance(x, Tensor) for x in operands):  # all operands are numbers, and `out` is a tensor
        into = next((t for t in called.targets if isinstance(t, Tensor)), None)
        operands[0] = as_tensor(operands[0], into.dtype if into is not None else None, name)
    options = {} if axis is None else {"axis": axis}

    def compute(**out: Any) -> Any:
        result = function(*operands, **options, **out)
        for part in result if isinstance(result, tuple) else (result,):
            if wanted is not None and not out and part.dtype is not wanted:
                raise TypeMismatchError(f"{name}: dtype = {wanted} is not the type of its result, {part.dtype}")
        return result

    if ufunc.nout > 1 or (where is not None and where is not True) or casting != "same_kind" or wanted is not None:
        return _in_targets(name, compute(), called.targets, casting, where)
    return _written(called, compute, operands)


def _written(called: Called, compute: Callable[..., Any], operands: list[Any]) -> Any:
    """Return the result of `compute`, written into `out` if the call has an `out`. Suanzi's function writes to `out`
    only if `out` has the type of the operands.
    """
    if not called.targets:
        return compute()
    target = called.targets[0]
    fits = isinstance(target, Tensor) and called.ufunc.__name__ not in _WITHOUT_OUT
    fits = fits and all(x.dtype is target.dtype for x in operands if isinstance(x, Tensor))
    return written(called.name, compute, target, fits, repeats=True)


def _in_targets(name: str, result: Any, targets: tuple[Any, ...], casting: str, where: Any) -> Any:
    """Write each result into the result's `out`, at the elements that the mask `where` selects. Return the `out` of
    each result. If a result has no `out`, return the result itself.
    """
    chosen = True if where is None or where is True else mask(name, where).numpy()
    results = result if isinstance(result, tuple) else (result,)
    given = targets or (None,) * len(results)
    if chosen is not True and any(target is None for target in given):
        raise InvalidArgumentError(f"{name}: where= needs out=, which has the elements elsewhere")
    for part, target in zip(results, given, strict=True):
        if target is not None:
            check_target(name, part, target, casting, repeats=True)
    found = tuple(
        part if target is None else in_target(name, part, target, casting, chosen, repeats=True)
        for part, target in zip(results, given, strict=True)
    )
    return found if isinstance(result, tuple) else found[0]


def _reduce(called: Called) -> Any:
    name = f"{called.name}.reduce"
    axis = called.options.pop("axis", 0)
    dtype, keepdims, initial, where = called.take("dtype", "keepdims", "initial", "where")
    x = as_tensor(called.operands[0], None, name)
    fold = of_ufunc(name, called.ufunc)
    target = called.targets[0] if called.targets else None
    return folded(name, fold, x, axis, keepdims, dtype, initial, where, target)


def _accumulate(called: Called) -> Any:
    name = f"{called.name}.accumulate"
    fold = of_ufunc(name, called.ufunc)
    if fold.accumulate is None:
        raise TypeMismatchError(f"{name}: suanzi has no counterpart; {AS_ARRAY}")
    axis = called.options.pop("axis", 0)
    (dtype,) = called.take("dtype")
    wanted = None if dtype is None else element_type(name, dtype)
    if fold.truth and wanted not in (None, suanzi.bool):
        raise TypeMismatchError(f"{name}: dtype = {wanted} is not the type of a truth value")
    x = called.operands[0]
    compute = partial(fold.accumulate, x != 0 if fold.truth else x, axis=axis, dtype=wanted)
    return written(name, compute, called.targets[0] if called.targets else None, fold.takes_dtype)


def _outer(called: Called) -> Any:
    x1, x2 = (as_tensor(x, None, called.name) for x in called.operands)
    spread = suanzi.reshape(x1, (*x1.shape, *(1,) * x2.ndim))
    return _call(called._replace(operands=[spread, x2]))


_METHODS: dict[str, Callable[[Called], Any]] = {
    "__call__": _call,
    "reduce": _reduce,
    "accumulate": _accumulate,
    "outer": _outer,
}
