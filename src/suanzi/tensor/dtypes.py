"""The element types (6.2), with one object for each type, and the conversion of users' values to element types.

The native core decides how two types promote.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal, NoReturn, Self, TypeAlias

import numpy as np

from suanzi.tensor.absent import missing
from suanzi.tensor.messages import hint, shown
from suanzi.tensor.status import TypeMismatchError


class DType:
    """An element type, such as `suanzi.float32` (元素类型).

    Libraries that know NumPy's types can use an element type like a type of NumPy: for example, `suanzi.float32` equals
    ``numpy.dtype("float32")`` and has the same hash.

    Attributes
    ----------
    name : str
        The name, such as ``"float32"``.
    kind : str
        NumPy's letter: ``"b"`` for bool, ``"u"``, ``"i"``, ``"f"``, ``"c"``, and ``"T"`` for strings. The letter of
        bfloat16 is also ``"f"``, unlike the letter of ml_dtypes' type.
    kind_name : str
        The array API's word: ``"bool"``, ``"unsigned integer"``, ``"signed integer"``, ``"real floating"`` or
        ``"complex floating"``, and ``"string"`` for strings.
    itemsize : int
        The number of bytes of one element.
    code : int
        The type's number in the native core.
    is_integer : bool
        True for signed and unsigned integers.
    """

    def __new__(cls, *row: Any) -> Self:
        """Raise TYPE_MISMATCH if a user calls the class, because only Suanzi makes element types."""
        if len(row) != 5:
            message = (
                f"DType: an element type is not made by its class{hint('class of types', row[0] if row else None)}"
            )
            raise TypeMismatchError(message)
        return super().__new__(cls)

    def __init__(self, name: str, kind: str, kind_name: str, itemsize: int, code: int) -> None:
        self.name = name
        self.kind = kind
        self.kind_name = kind_name
        self.itemsize = itemsize
        self.code = code
        self.is_integer = kind_name.endswith("integer")

    def __getattr__(self, name: str) -> NoReturn:
        raise missing("DType", name, self)

    @property
    def char(self) -> str:
        """NumPy's letter of the element type, such as ``"f"`` for float32. SciPy's sparse arrays read the letter."""
        return self.numpy.char

    @cached_property
    def numpy(self) -> np.dtype[Any]:
        """The corresponding NumPy type. The package ml_dtypes provides bfloat16 and is imported only for bfloat16.

        The type of strings is NumPy's ``StringDType``, or object before NumPy 2.
        """
        if self.name == "string":
            return np.dtypes.StringDType() if hasattr(np.dtypes, "StringDType") else np.dtype(object)
        if self.name != "bfloat16":
            return np.dtype(self.name)
        import ml_dtypes

        bfloat: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat

    @property
    def byteorder(self) -> str:
        """NumPy's letter of the byte order: ``"="`` for the machine's order, ``"|"`` for no order. zarr reads the
        letter.
        """
        return self.numpy.byteorder

    @property
    def names(self) -> None:
        """None: an element has no named fields, unlike an element of NumPy's records. polars reads this attribute."""
        return None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The corresponding NumPy type. ``numpy.dtype(self)`` reads this attribute."""
        return self.numpy

    __numpy_dtype__ = dtype  # the attribute's name since NumPy 2.4

    @property
    def type(self) -> type[np.generic]:
        """NumPy's class of one element."""
        return self.numpy.type

    def __eq__(self, other: object) -> bool:
        return self is other or (not isinstance(other, DType) and _spelled(other) is self)

    @cached_property
    def _hash(self) -> int:
        return hash(self.numpy)

    def __hash__(self) -> int:
        return self._hash

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest value of an integer type."""
        bits = 8 * self.itemsize
        if self.kind_name == "unsigned integer":
            return 0, 2**bits - 1
        return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1

    def __repr__(self) -> str:
        return f"suanzi.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __call__(self, *data: object) -> NoReturn:
        """Raise TYPE_MISMATCH for the call, because element types make no numbers, unlike NumPy's types."""
        raise TypeMismatchError(f"{self.name}: an element type is not a function{hint('call of a type', self.name)}")


# The order is the same as in native/base/dtype.h: the position is the code.
_TABLE = (
    ("bool", "b", "bool", 1),
    ("uint8", "u", "unsigned integer", 1),
    ("uint16", "u", "unsigned integer", 2),
    ("uint32", "u", "unsigned integer", 4),
    ("uint64", "u", "unsigned integer", 8),
    ("int8", "i", "signed integer", 1),
    ("int16", "i", "signed integer", 2),
    ("int32", "i", "signed integer", 4),
    ("int64", "i", "signed integer", 8),
    ("float16", "f", "real floating", 2),
    ("bfloat16", "f", "real floating", 2),
    ("float32", "f", "real floating", 4),
    ("float64", "f", "real floating", 8),
    ("complex64", "c", "complex floating", 8),
    ("complex128", "c", "complex floating", 16),
    ("string", "T", "string", 16),
)
DTYPES = tuple(DType(*row, code) for code, row in enumerate(_TABLE))
(
    bool_,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
    string,
) = DTYPES
NUMBERS = DTYPES[: string.code]  # all types except string (bool is included)

_BY_NAME = {dtype.name: dtype for dtype in DTYPES}
# NumPy has several names for one type (long, longlong), so kind and size identify the type.
_BY_NUMPY = {(dtype.numpy.kind, dtype.itemsize): dtype for dtype in NUMBERS if dtype is not bfloat16}
_NUMPY_STRINGS = "UT"  # the kinds of NumPy's string types, of fixed and of any length
# The element type that each Python type names.
_BY_PYTHON = {bool: bool_, int: int64, float: float32, complex: complex64, str: string}

_AMBIGUOUS = ("float", "int", "complex")  # names that NumPy reads as float64 and similar types

# The names that type checkers accept: Suanzi's names, and NumPy's commonest names. Pass a str that is known only at run
# time through `as_dtype`. fmt: off
DTypeName: TypeAlias = Literal[
    "bool",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "string",
    "b1",
    "u1",
    "u2",
    "u4",
    "u8",
    "i1",
    "i2",
    "i4",
    "i8",
    "f2",
    "f4",
    "f8",
    "c8",
    "c16",
    "half",
    "single",
    "double",
    "str",
]
# fmt: on
DTypeClass: TypeAlias = type[bool] | type[int] | type[float] | type[complex] | type[str] | type[np.generic]
DTypeLike: TypeAlias = "DType | DTypeName | DTypeClass | np.dtype[Any]"


def as_dtype(value: DTypeLike | str, operator: str = "as_dtype") -> DType:
    """Return the element type that a value names.

    Parameters
    ----------
    value : DType, str, type or numpy.dtype
        An element type, the name or NumPy's code of an element type (``"f4"``), a type of NumPy, ml_dtypes or PyTorch,
        or a Python type. The Python types are ``bool``, ``int`` (int64), ``float`` (float32), ``complex`` (complex64)
        and ``str`` (string). Elements have the machine's byte order. The function does not accept a NumPy type with the
        other byte order (``">f4"`` on most machines).
    operator : str, optional
        The name of the function that the error message begins with.

    Returns
    -------
    DType

    Raises
    ------
    TypeMismatchError
        `value` does not name an element type.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.as_dtype("bfloat16")
    suanzi.bfloat16
    """
    if isinstance(value, DType):
        return value
    found = _BY_PYTHON.get(value) if isinstance(value, type) else None
    found = found or _spelled(value)
    if found is None:
        why = "; elements are in this machine's byte order" if _is_swapped(value) else hint("element type", value)
        raise TypeMismatchError(f"{operator}: {shown(value)} is not an element type{why}")
    return found


def dtype_of_array(dtype: np.dtype[Any], operator: str) -> DType:
    """Return the element type that corresponds to the type of a NumPy array. The byte order of the array does not
    matter.
    """
    return as_dtype(dtype if dtype.isnative else dtype.newbyteorder("="), operator)


def is_known(dtype: np.dtype[Any]) -> bool:
    """Return whether an element type corresponds to the type of a NumPy array. The byte order does not matter."""
    return _spelled(dtype if dtype.isnative else dtype.newbyteorder("=")) is not None


def _is_swapped(value: object) -> bool:
    """Return whether a value names a NumPy type in the byte order that the machine does not have."""
    if isinstance(value, np.dtype):
        return not value.isnative
    if not isinstance(value, str) or value[:1] not in ("<", ">"):
        return False
    try:
        return not np.dtype(value).isnative
    except (TypeError, ValueError, SyntaxError):
        return False


def _spelled(value: object) -> DType | None:
    """Return the element type that equals a type of another library, a NumPy class or a name, or None for other values.

    The function accepts only bool among Python's types, because NumPy's ``float`` differs from Suanzi's ``float``.
    """
    if value is bool:
        return bool_
    if isinstance(value, str):
        return _BY_NAME.get(value) or _from_code(value)
    if isinstance(value, np.dtype):
        return _from_numpy(value)
    if isinstance(value, type):
        # JAX's classes of numbers also have a `dtype`.
        found = _concrete(value) if issubclass(value, np.generic) else getattr(value, "dtype", None)
        return _from_numpy(found) if isinstance(found, np.dtype) else None
    if type(value).__name__ == "dtype":  # PyTorch's type, whose text is "torch.float32"
        return _BY_NAME.get(str(value).rpartition(".")[2])
    return None


def _from_code(text: str) -> DType | None:
    """Return the type of a NumPy short code, such as ``"<f4"`` or ``"d"``."""
    if text in _AMBIGUOUS:
        return None
    try:
        return _from_numpy(np.dtype(text))
    except (TypeError, ValueError, SyntaxError):
        return None


def _concrete(scalar: type[np.generic]) -> np.dtype[Any]:
    try:
        return np.dtype(scalar)
    except TypeError:  # an abstract type such as numpy.floating
        return np.dtype(object)


def _from_numpy(dtype: np.dtype[Any]) -> DType | None:
    if not dtype.isnative:
        return None
    # NumPy composes a type's name at each call, so the function reads only the names of other libraries' types.
    if dtype.kind == "V":
        return bfloat16 if dtype.name == "bfloat16" else None
    if dtype.kind in _NUMPY_STRINGS:
        return string
    return _BY_NUMPY.get((dtype.kind, dtype.itemsize))
