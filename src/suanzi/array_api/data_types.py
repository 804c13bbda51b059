"""Functions of element types: promotion, limits, and kinds."""

from __future__ import annotations

from typing import NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.array_api.defaults import is_of_integers, named, read
from suanzi.kinds.devices import placed
from suanzi.operators.arguments import DeviceLike
from suanzi.operators.creation.filled import empty
from suanzi.operators.operands import Scalar
from suanzi.tensor.dtypes import DTYPES, DType, DTypeLike, as_dtype
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError

KINDS = ("bool", "signed integer", "unsigned integer", "real floating", "complex floating")
_UNIONS = {"integral": KINDS[1:3], "numeric": KINDS[1:]}


class FloatInfo(NamedTuple):
    """The result of `finfo`. Every item except `dtype` is a Python number."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(NamedTuple):
    """The result of `iinfo`."""

    bits: int
    max: int
    min: int
    dtype: DType


def astype(x: Tensor, dtype: DTypeLike, /, *, copy: bool = True, device: DeviceLike | None = None) -> Tensor:
    """Convert as `suanzi.astype` does. If `device` is given, the result is a tensor on the device."""
    found = _core.astype(x, named(dtype), copy)
    return found if device is None else placed(found, device, "astype")


def _dtype_of(value: Tensor | DTypeLike, operator: str) -> DType:
    return value.dtype if isinstance(value, Tensor) else read(value, operator)


def result_type(*arrays_and_dtypes: Tensor | Scalar | DTypeLike) -> DType:
    """Return the type to which the types of given operands promote.

    Parameters
    ----------
    *arrays_and_dtypes : Tensor, DType or scalar
        The operands, at least one of which is not a scalar. Only the kind of a scalar counts. Beside integers, a real
        scalar counts as float64, and a complex scalar counts as complex128.

    Returns
    -------
    DType

    Raises
    ------
    TypeMismatchError
        The types do not promote.
    InvalidArgumentError
        Every argument is a scalar.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.result_type(xp.int8, xp.uint8, 1000)
    suanzi.int16
    """
    scalars = [v for v in arrays_and_dtypes if isinstance(v, int | float | complex)]
    types = [_dtype_of(v, "result_type") for v in arrays_and_dtypes if not isinstance(v, int | float | complex)]
    if not types:
        raise InvalidArgumentError("result_type: no argument is a tensor or an element type")
    found, *others = (empty((), dtype=dtype) for dtype in types)
    for operand in others:
        found = _promoted(found, operand)
    for scalar in scalars:
        has_kind = isinstance(scalar, int) or not is_of_integers(found)
        found = _promoted(found, type(scalar)(0) if has_kind else empty((), dtype=named(type(scalar))))
    return found.dtype


def _promoted(x: Tensor, y: Tensor | Scalar) -> Tensor:
    """Return a tensor of the type to which the types of two operands promote by the core's rule."""
    try:
        return _core.where(True, x, y)
    except TypeMismatchError:
        names = f"{x.dtype} and {y.dtype if isinstance(y, Tensor) else type(y).__name__}"
        raise TypeMismatchError(f"result_type: {names} do not promote") from None


def can_cast(from_: Tensor | DTypeLike, to: DTypeLike, /) -> bool:
    """Return whether one type promotes to another type.

    Parameters
    ----------
    from_ : Tensor or DType
        The type, or a tensor of the type.
    to : DType
        The type to test as the result of the promotion.

    Returns
    -------
    bool
        True if `from_` promotes to `to`. Integers promote to every floating type, as `result_type` says.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.can_cast(xp.int8, xp.int32), xp.can_cast(xp.float64, xp.float32)
    (True, False)
    """
    source, target = _dtype_of(from_, "can_cast"), read(to, "can_cast")
    try:
        return result_type(source, target) is target
    except TypeMismatchError:
        return False


def isdtype(dtype: DTypeLike, kind: DTypeLike | tuple[DTypeLike, ...]) -> bool:
    """Return whether an element type equals another type, or is of a given kind.

    Parameters
    ----------
    dtype : DType
        The type to test.
    kind : DType, str, or tuple of DType or str
        A type, or ``"bool"``, ``"signed integer"``, ``"unsigned integer"``, ``"integral"``, ``"real floating"``,
        ``"complex floating"`` or ``"numeric"``. If `kind` is a tuple, the result is True if one of the items matches.
        float16 and bfloat16 are of the kind ``"real floating"``.

    Returns
    -------
    bool

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.isdtype(xp.uint8, "integral"), xp.isdtype(xp.uint8, ("bool", xp.int8))
    (True, False)
    """
    asked = read(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any(isdtype(asked, one) for one in kind)
    if not isinstance(kind, str):
        return read(kind, "isdtype") is asked
    return asked.kind_name in kinds_of(kind, "isdtype")


def kinds_of(kind: str, operator: str) -> tuple[str, ...]:
    """Return the kinds that a name denotes: one kind, or several kinds for a name such as "numeric"."""
    kinds = _UNIONS.get(kind, (kind,))
    if kinds[0] not in KINDS:
        raise InvalidArgumentError(f"{operator}: {shown(kind)} is not one of {', '.join((*KINDS, *_UNIONS))}")
    return kinds


# The bits of the significand, including the implicit first bit, and the greatest exponent (IEEE 754-2019, table 3.5).
_FORMATS = {"float16": (11, 15), "bfloat16": (8, 127), "float32": (24, 127), "float64": (53, 1023)}
_PARTS = {"complex64": "float32", "complex128": "float64"}


def finfo(type: Tensor | DTypeLike, /) -> FloatInfo:
    """Return the limits of a floating type, or of the parts of a complex type.

    Parameters
    ----------
    type : DType or Tensor
        A type, or a tensor of the type.

    Returns
    -------
    FloatInfo
        A named tuple of ``bits``, ``eps``, ``max``, ``min``, ``smallest_normal`` and ``dtype``.

    Raises
    ------
    TypeMismatchError
        The type is neither floating nor complex.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.finfo(xp.complex64).bits, xp.finfo(xp.bfloat16).eps
    (32, 0.0078125)
    """
    asked = _dtype_of(type, "finfo")
    name = _PARTS.get(asked.name, asked.name)
    if name not in _FORMATS:
        raise TypeMismatchError(f"finfo: {asked} is not a floating type")
    digits, exponent = _FORMATS[name]
    eps = 2.0 ** (1 - digits)
    greatest = (2 - eps) * 2.0**exponent
    dtype = as_dtype(name)
    return FloatInfo(8 * dtype.itemsize, eps, greatest, -greatest, 2.0 ** (1 - exponent), dtype)


def iinfo(type: Tensor | DTypeLike, /) -> IntegerInfo:
    """Return the limits of an integer type.

    Parameters
    ----------
    type : DType or Tensor
        A type, or a tensor of the type.

    Returns
    -------
    IntegerInfo
        A named tuple of ``bits``, ``max``, ``min`` and ``dtype``.

    Raises
    ------
    TypeMismatchError
        The type is not an integer type.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.iinfo(xp.int8).max
    127
    """
    dtype = _dtype_of(type, "iinfo")
    if not dtype.is_integer:
        raise TypeMismatchError(f"iinfo: {dtype} is not an integer type")
    least, greatest = dtype.limits
    return IntegerInfo(8 * dtype.itemsize, greatest, least, dtype)


def types_of(kinds: tuple[str, ...]) -> dict[str, DType]:
    """Return the array API's types of the given kinds by name: all types except float16, bfloat16 and string."""
    ours = ("float16", "bfloat16", "string")
    return {dtype.name: dtype for dtype in DTYPES if dtype.kind_name in kinds and dtype.name not in ours}
