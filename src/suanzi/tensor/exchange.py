"""Exchange of memory: other libraries' memory as a Tensor, and a Tensor as a NumPy array.

NumPy arrays represent the memory of all other libraries. The module `protocols` contains the protocols of a Tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Rational, Real
from typing import Any, TypeAlias

import numpy as np

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.tensor import arrow, dlpack
from suanzi.tensor.device import CPU, is_elsewhere
from suanzi.tensor.dtypes import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype_of_array,
    float64,
    string,
    uint16,
)
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    AllocFailedError,
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
)

Array: TypeAlias = np.ndarray[Any, Any]


def array_of(x: Tensor) -> Array:
    """Return a tensor's memory as a NumPy array that outlives `destroy`. Strings and device tensors are copied."""
    if _core.read_tensor("numpy", x).dtype is string:
        return objects_of(x).astype(string.numpy)
    if type(x) is not Tensor:
        return x.numpy()
    if x.dtype is not bfloat16:
        return np.asarray(memoryview(x))  # type: ignore[arg-type]  # tools/stubs.py says why
    bits = _core.share_buffer(x, uint16)  # the buffer protocol lacks bfloat16
    assert bits is not None
    return np.asarray(memoryview(bits)).view(bfloat16.numpy)  # type: ignore[arg-type]


def objects_of(x: Tensor) -> Array:
    """Return the elements of a string tensor as an array of Python strings."""
    array = np.empty(x.size, object)
    array[:] = _core.tolist(_core.reshape(x, (x.size,)))
    return array.reshape(x.shape)


def decides(kind: type[Any]) -> bool:
    """Return whether a class of arrays has its own protocols for NumPy's functions, as classes of arrays with units
    have.
    """
    return (
        kind is not np.ndarray
        and issubclass(kind, np.ndarray)
        and (
            kind.__array_ufunc__ is not np.ndarray.__array_ufunc__
            or kind.__array_function__ is not np.ndarray.__array_function__
        )
    )


def _refuse_missing(data: Any, operator: str) -> None:
    """Raise an error for missing elements, also in nested sequences: TYPE_MISMATCH for elements that the mask of an
    array hides, and INVALID_ARGUMENT for nulls of Arrow and pandas. Raise TYPE_MISMATCH also for an array with a unit.
    """
    left, seen = [data], set[int]()  # a list may contain itself
    without_nulls = set[type[Any]]()  # classes, which are fewer than the items
    while left:
        item = left.pop()
        if isinstance(item, list | tuple):
            if id(item) not in seen:
                seen.add(id(item))
                left.extend(item)
        elif hasattr(item, "filled") and np.any(getattr(item, "mask", True)):
            raise TypeMismatchError(
                f"{operator}: a {type(item).__name__} has elements missing; its filled() is an array"
            )
        elif (kind := type(item)) not in without_nulls:
            if decides(kind):
                _refuse_unit(item, operator)
            elif arrow.may_hold_nulls(kind):
                arrow.refuse_nulls(item, operator)
            else:
                without_nulls.add(kind)


_NO_UNITS = ("None", "", "dimensionless")  # the texts of the units of plain numbers


def _refuse_unit(array: Array, operator: str) -> None:
    """Raise an error for an array with a unit, because a tensor would have the numbers without the unit."""
    unit = getattr(array, "unit", getattr(array, "units", None))  # the attributes of astropy and unyt
    if str(unit) not in _NO_UNITS:
        name = type(array).__name__
        raise TypeMismatchError(f"{operator}: a {name} has a unit ({unit}); use its value, an array of plain numbers")


def shared_array(data: Any, operator: str) -> Array | None:
    """Return an object's memory as a NumPy array without a copy, or None if the object does not offer the memory."""
    if type(data) is not np.ndarray:
        _refuse_missing(data, operator)
    return _memory_of(data, operator)


def _memory_of(data: Any, operator: str) -> Array | None:
    if isinstance(data, np.ndarray):
        return data
    try:
        if isinstance(data, np.generic):
            return None
        if hasattr(data, "__array_interface__"):
            return np.asarray(data)
        if (buffer := _buffer_of(data)) is not None:
            return np.asarray(buffer)
        if hasattr(data, "__dlpack__"):
            return dlpack.import_array(data)
        if hasattr(data, "__array__"):
            return np.asarray(data, copy=False)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise not_shared(data, operator, error) from error
    return None


def not_shared(data: Any, operator: str, reason: Exception) -> InvalidArgumentError:
    """Return the error for the memory of an object that another library does not give."""
    done = "shared" if operator in ("from_reference", "from_dlpack") else "read"
    return InvalidArgumentError(f"{operator}: the memory of a {type(data).__name__} cannot be {done}: {reason}")


def imported(exporter: Any, operator: str) -> Tensor:
    """Return the memory of an object with ``__dlpack__`` as a tensor, through DLPack only."""
    _refuse_missing(exporter, operator)
    try:
        array = dlpack.import_array(exporter)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise not_shared(exporter, operator, error) from error
    shared = reference(array, operator)
    if shared is None:
        raise InvalidArgumentError(f"{operator}: the memory of a {type(exporter).__name__} is not aligned")
    return shared


def _buffer_of(data: Any) -> memoryview | None:
    """Return an object's buffer, or None if the object has no buffer or offers the memory only by DLPack."""
    try:
        return memoryview(data)
    except TypeError:
        return None
    except BufferError:
        if hasattr(data, "__dlpack__"):
            return None
        raise


def reference(array: Array, operator: str) -> Tensor | None:
    """Return a tensor on an array's memory, or None if no tensor can have the array's layout.

    The array must be aligned and in the machine's byte order, with strides that are multiples of an element's size.
    """
    if (shared := _core.share_buffer(array, None)) is not None:
        return shared
    dtype = dtype_of_array(array.dtype, operator)
    if dtype is string:
        raise InvalidArgumentError(f"{operator}: strings of NumPy have no memory that a tensor can use")
    return _shared(array, dtype) if array.dtype.isnative else None


def taken(array: Array, dtype: DType, operator: str) -> Tensor:
    """Return a tensor with the elements of a NumPy array of type `dtype` in the machine's byte order. The tensor shares
    the array's memory, or has copies of the elements if the array is small or cannot be shared.
    """
    if dtype is string:
        values, _ = source(array, operator)
        return values
    shared = _shared(array, dtype) if array.nbytes > tuning.FEW_BYTES else None
    return _core.copy_buffer(_with_format(array, dtype), dtype) if shared is None else shared


def _shared(array: Array, dtype: DType) -> Tensor | None:
    return _core.share_buffer(_with_format(array, dtype), dtype)


def _with_format(array: Array, dtype: DType) -> Array:
    """Return the array itself, or a view as uint16 if `dtype` is bfloat16. The buffer protocol lacks bfloat16."""
    return array.view(np.uint16) if dtype is bfloat16 else array


# The function that makes a tensor on a device from an object with memory on the device, by DLPack. suanzi.devices sets
# the function.
from_device: Callable[[Any, str], Tensor] | None = None
_ON_HOST = (1, 3)  # kDLCPU and kDLCUDAHost in dlpack.h


def lies_on_a_device(data: Any, operator: str) -> bool:
    """Return whether an object of another library says by DLPack that the object's memory is not host memory. Raise
    INVALID_ARGUMENT if DLPack has no number for the device.
    """
    if type(data) is np.ndarray or not hasattr(type(data), "__dlpack_device__") or isinstance(data, Tensor):
        return False
    try:
        return int(data.__dlpack_device__()[0]) not in _ON_HOST
    except LookupError as error:
        raise not_shared(data, operator, ValueError("its __dlpack_device__ returns no device")) from error
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise not_shared(data, operator, error) from error


def of_device(data: Any, operator: str) -> Tensor:
    """Return a tensor on the device memory of another library's object."""
    if from_device is None:
        raise InvalidArgumentError(f"{operator}: the memory of the {type(data).__name__} is not on the host")
    return from_device(data, operator)


PLAIN = (list, tuple, int, float, complex)  # bool is also an int


def _default_for(found: DType) -> DType:
    """Return the type for data that have no element type. `found` is the type that NumPy has chosen for the data. Bools
    stay bool, complex numbers have the precision of the default type, and other numbers have the default type.
    """
    default = _core.default_dtype()
    if found.kind == "c":
        return complex128 if default is float64 else complex64
    return bool_ if found is bool_ else default


def source(data: Any, operator: str = "index") -> tuple[Tensor, bool]:
    """Return any data as a tensor to read from, shared if possible, and whether the data have an element type.

    Lists and Python numbers have no type: NumPy finds a type that is wide enough for the values of a list or a number.
    Strings are always copied.
    """
    if isinstance(data, Tensor):
        return _core.read_tensor(operator, data), True
    if type(data) is np.ndarray and (shared := _core.share_buffer(data, None)) is not None:
        return shared, True
    if isinstance(data, PLAIN) and (numbers := _core.numbers(operator, data)) is not None:
        return numbers, False
    first = _first_element(data)
    if isinstance(first, str):
        return _core.text(operator, data), True
    if isinstance(first, Tensor) and first is not data and is_elsewhere(first):
        data = _on_the_host(data)
    if isinstance(first, Tensor) and (stacked := _core.stacked(operator, data)) is not None:
        return stacked, True
    if not isinstance(data, PLAIN) and (found := arrow.imported(data, operator)) is not None:
        return found, True
    array = _shared_or_none(data, operator)
    typed = array is not None or _is_typed(first)
    if array is None:
        array = _collected(data, operator)
    if _holds_strings(array):
        return _core.reshape(_core.text(operator, array.ravel().tolist()), array.shape), True
    if (shared := reference(array, operator)) is not None:
        return shared, typed
    dtype = dtype_of_array(array.dtype, operator)
    return _core.copy_buffer(_with_format(array.astype(dtype.numpy, order="C"), dtype), dtype), typed


def _on_the_host(data: Any) -> Any:
    """Replace tensors on devices, also in nested sequences, by copies on the host."""
    if isinstance(data, list | tuple):
        return [_on_the_host(item) for item in data]
    return data.to_device(CPU) if is_elsewhere(data) else data


def _holds_some_elsewhere(data: Any) -> bool:
    return any(map(_holds_some_elsewhere, data)) if isinstance(data, list | tuple) else is_elsewhere(data)


def elements(data: Any, dtype: DType | None, operator: str, may_overflow: bool = False) -> tuple[Tensor, DType, bool]:
    """Return elements for a new tensor, the type of the new tensor, and whether the elements already are a new tensor
    of this type.

    Python's numbers are converted one by one. Data with a type are shared if possible and converted later. A conversion
    may only round an element (native/ops/elementwise/fits.h). If `may_overflow` is True, a floating-point element may
    also become infinite.
    """
    if isinstance(data, PLAIN) and (numbers := _core.numbers_as(operator, data, dtype, may_overflow)) is not None:
        return numbers, numbers.dtype, True
    values, typed = source(data, operator)
    if typed and (dtype is None or dtype is values.dtype):
        return values, values.dtype, False
    wanted = _type_for(values, typed, dtype, operator)
    if dtype is None:
        _check_exact(data, values, operator)
    if _may_be_rounded(data, values, typed, wanted):
        return _one_by_one(data, wanted, operator, may_overflow), wanted, True
    if not may_overflow or wanted.is_integer:
        _core.check_fits(operator, values, wanted)
    if typed or values.size == 0:  # an empty list has no type that could be converted
        return values, wanted, False
    return _core.astype(values, wanted, False), wanted, True


def _type_for(values: Tensor, typed: bool, dtype: DType | None, operator: str) -> DType:
    """Return `dtype`, or the element type for given values if `dtype` is None. Raise TYPE_MISMATCH for unfit values."""
    if dtype is None:
        return values.dtype if typed else _default_for(values.dtype)
    foreign = (values.dtype is string) != (dtype is string) and (typed or values.size > 0)
    if foreign or (
        values.dtype.kind_name == "complex floating" and dtype.kind_name not in ("bool", "complex floating")
    ):
        raise TypeMismatchError(f"{operator}: {values.dtype} data cannot become {dtype}")
    return dtype


_DIGITS = {2: 8, 4: 24, 8: 53}  # the least number of significand bits of floating types, by the bytes of the type


def _check_exact(data: Any, values: Tensor, operator: str) -> None:
    """Raise OUT_OF_RANGE if the default type would round an integer in data without an element type."""
    if values.dtype.is_integer:
        exact = 2 ** _DIGITS[_core.default_dtype().itemsize]  # all integers up to this bound are exact
        array = array_of(values)
        integers = values.tolist() if array.size and (array.max() > exact or array.min() < -exact) else []
    else:
        integers = [int.__int__(v) for v in np.array(_on_the_host(data), object).flat if isinstance(v, int)]
    _core.numbers_as(operator, integers, None, False)


def _may_be_rounded(data: Any, values: Tensor, typed: bool, wanted: DType) -> bool:
    """Return whether NumPy may have rounded integers to the floating type that NumPy chose for a mixed list."""
    if values.size == 0 or values.dtype.kind_name not in ("real floating", "complex floating"):
        return False
    return isinstance(data, list | tuple) and wanted.is_integer if typed else values.dtype is not wanted


def _one_by_one(data: Any, dtype: DType, operator: str, may_overflow: bool) -> Tensor:
    """Convert nested sequences of numbers of any class to a type that must represent each number."""
    array = np.array(_on_the_host(data), object)
    numbers = _core.numbers_as(operator, [_python_number(v) for v in array.flat], dtype, may_overflow)
    assert numbers is not None
    return _core.reshape(numbers, array.shape)


def _python_number(value: Any) -> Any:
    if isinstance(value, np.ndarray | Tensor):  # an item without dimensions
        value = value.item()
    if isinstance(value, Rational) and value.denominator == 1:
        return int(value.numerator)
    return value if isinstance(value, float | complex | np.generic) else float(value)


def as_tensor(data: Any, dtype: DType | None = None, operator: str = "index") -> Tensor:
    """Return any data, such as a key, assigned elements, or an operand of an operator, as a tensor.

    The values of lists must fit the target type, like a single number. Floating types round values, and values beyond
    the range become infinite. Data with a type keep the type.
    """
    if dtype is not None and isinstance(data, PLAIN):
        return elements(data, dtype, operator, True)[0]
    values, typed = source(data, operator)
    return values if dtype is None or typed else elements(data, dtype, operator, True)[0]


def _shared_or_none(data: Any, operator: str) -> Array | None:
    """Return an object's memory as `shared_array` does, a copy if the memory cannot be shared, or None if the object
    does not offer memory.
    """
    if isinstance(data, PLAIN):
        return None
    if type(data) is not np.ndarray:
        _refuse_missing(data, operator)
        data = dlpack.resolved(arrow.with_plain_types(data))
    try:
        return _memory_of(data, operator)
    except InvalidArgumentError:
        if not hasattr(data, "__array__") or hasattr(data, "__dlpack__"):
            raise
    try:
        return np.asarray(data)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise not_shared(data, operator, error) from error


def _first_element(data: Any) -> Any:
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return data


def _holds_strings(array: Array) -> bool:
    """Return whether an array has a string type, or begins with a Python string."""
    return array.dtype.kind in "UT" or (array.dtype == object and array.size > 0 and isinstance(array.flat[0], str))


def _is_typed(element: Any) -> bool:
    return isinstance(element, Tensor | np.generic | np.ndarray) or hasattr(element, "__array__")


def _collected(data: Any, operator: str) -> Array:
    """Convert nested sequences of numbers to a NumPy array."""
    _refuse_missing(data, operator)
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise DimensionsMismatchError(f"{operator}: the sequences in data differ in length or depth") from error
    except (TypeError, OverflowError) as error:
        if _holds_some_elsewhere(data):
            return _collected(_on_the_host(data), operator)
        raise TypeMismatchError(f"{operator}: data is not made of numbers: {error}") from error
    except MemoryError as error:
        raise AllocFailedError(f"{operator}: data {shown(data)} has more elements than the memory can hold") from error
    except (BufferError, RuntimeError) as error:  # an item does not give its memory, such as a tensor with a gradient
        raise InvalidArgumentError(f"{operator}: the memory of an item of data cannot be read: {error}") from error
    if array.dtype.kind in "UT":  # NumPy has also converted numbers to strings
        array = np.array(data, object)
        for i, element in enumerate(array.flat):
            array.flat[i] = element.item() if hasattr(element, "item") else element
    if array.dtype != object or _holds_strings(array):
        return array
    strangers = (type(v).__name__ for v in array.flat if not isinstance(v, Real))
    if (name := next(strangers, None)) is not None:
        raise TypeMismatchError(f"{operator}: data holds a {name}, which is not a number")
    found = np.asarray(array.ravel().tolist())  # an array of objects inside a list, such as a data frame of integers
    if found.dtype.kind in "biu":
        return found.reshape(array.shape)
    integers = all(isinstance(v, Integral) for v in array.flat)
    largest = np.iinfo(np.uint64).max
    if integers and array.size and array.min() >= 0 and array.max() <= largest:  # NumPy takes float64 for [0, largest]
        return array.astype(np.uint64)
    try:  # integers beyond 64 bits become float64
        return array.astype(np.float64)
    except OverflowError as error:
        raise OutOfRangeError(f"{operator}: data holds an integer beyond the range of float64") from error
