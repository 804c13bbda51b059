"""The methods of Tensor for the protocols of other libraries, such as NumPy, DLPack, Dask and the array API, and the
import by DLPack.

The module `exchange` exchanges the memory itself. The core implements the buffer protocol. If a package in a higher
layer implements a protocol, the first call loads the package.
"""

from __future__ import annotations

import weakref
from importlib import import_module
from operator import index
from types import ModuleType
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor import arrow, dlpack
from suanzi.tensor.composed import composed, with_own_tiles
from suanzi.tensor.dtypes import bfloat16, string
from suanzi.tensor.exchange import Array, array_of, imported, lies_on_a_device, of_device
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    InvalidArgumentError,
    NotExportedError,
    TypeMismatchError,
    attributes_that_may_fail,
)

_DLPACK_CPU = (1, 0)  # kDLCPU in dlpack.h, and the index of the device
_MOST_VERSION = 2**31 - 1  # the greatest version that NumPy accepts
# Releases of NumPy before 2.1 export arrays only without a version number and without a copy.
_EXPORTS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def numpy(x: Tensor) -> Array:
    """Return a tensor as a NumPy array on the same memory. bfloat16 becomes ml_dtypes' type.

    Strings are copied into NumPy's ``StringDType``, or before NumPy 2 into an array of objects.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.zeros(2)
    >>> x.numpy()[0] = 5
    >>> print(x)
    [5. 0.]
    """
    return array_of(x)


def array(x: Tensor, dtype: Any = None, copy: bool | None = None) -> Array:
    """Return ``numpy.asarray(x)``, on shared memory unless `dtype` or `copy` require a copy or `x` has strings."""
    shared = array_of(x)
    if x.dtype is string and copy is False:
        raise InvalidArgumentError("__array__: strings cannot become an array without a copy")
    if dtype is None or shared.dtype == dtype:
        return shared.copy() if copy else shared
    if copy is False:
        raise InvalidArgumentError(f"__array__: {x.dtype} cannot become {np.dtype(dtype)} without a copy")
    return shared.astype(dtype)


def to_dlpack(
    x: Tensor,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule on the tensor's memory.

    The capsule of a view with negative strides refers to a copy. Some consumers do not support negative strides, and
    one of these consumers ends the process.
    """
    if _core.read_tensor("__dlpack__", x).dtype is string:
        raise TypeMismatchError("__dlpack__: DLPack has no strings")
    if stream is not None or dl_device is not None:
        _check_export(stream, dl_device)
    if not (copy is None or isinstance(copy, bool | np.bool_)):
        raise TypeMismatchError(f"__dlpack__: copy {shown(copy)} is not True, False or None")
    backwards = x.ndim > 0 and min(x.strides) < 0
    if backwards and copy is not None and not copy:
        strides = shown(x.stride())
        raise NotExportedError(f"__dlpack__: negative strides of {strides} elements are not exported without a copy")
    shared = array_of(x)
    carrier = shared.view(np.uint16) if x.dtype is bfloat16 else shared
    options: dict[str, Any] = {}
    if _EXPORTS_VERSIONS:
        options = {"max_version": _version(max_version), "copy": True if copy or backwards else None}
    elif copy or backwards:
        carrier = carrier.copy()
    try:
        capsule = carrier.__dlpack__(**options)
    except BufferError as error:  # only newer versions of DLPack can mark read-only memory
        raise NotExportedError(f"__dlpack__: {error}") from None
    if x.dtype is bfloat16:
        dlpack.relabel(capsule, dlpack.UNSIGNED, dlpack.BFLOAT)
    return capsule


def _check_export(stream: Any, dl_device: Any) -> None:
    """Raise an error if a consumer requests a stream, or a device other than the CPU."""
    if stream is not None:
        raise NotExportedError(f"__dlpack__: stream {shown(stream)} is not None, and the CPU has no streams")
    if dl_device is not None and _pair(dl_device, "dl_device") != _DLPACK_CPU:
        raise NotExportedError(f"__dlpack__: device {shown(dl_device)} is not the CPU, which is {_DLPACK_CPU}")


def _version(max_version: Any) -> tuple[int, ...] | None:
    if max_version is None:
        return None
    major, minor = _pair(max_version, "max_version")
    return max(-_MOST_VERSION, min(major, _MOST_VERSION)), max(-_MOST_VERSION, min(minor, _MOST_VERSION))


def _pair(value: Any, what: str) -> tuple[int, ...]:
    try:
        numbers = tuple(map(index, value))
    except TypeError:
        numbers = ()
    if len(numbers) != 2:
        raise TypeMismatchError(f"__dlpack__: {what} {shown(value)} is not a pair of integers")
    return numbers


def dlpack_device(x: Tensor) -> tuple[int, int]:
    """Return DLPack's pair of numbers for the CPU."""
    _core.read_tensor("__dlpack_device__", x)
    return _DLPACK_CPU


# The memory of each tensor whose address Suanzi has passed on, by the tensor's id. An entry stays until the tensor is
# collected. The consumer refers only to the tensor, and `destroy` must not free the memory while the consumer reads the
# memory.
_told: dict[int, tuple[weakref.ref[Tensor], Tensor | None]] = {}


def array_interface(x: Tensor) -> dict[str, Any]:
    """Return NumPy's array interface on the tensor's memory.

    The format is described at https://numpy.org/doc/stable/reference/arrays.interface.html. The strides of a contiguous
    tensor are None. The memory is kept as long as the tensor object exists, even after `destroy`.
    """
    if _core.read_tensor("__array_interface__", x).dtype is string:
        raise TypeMismatchError("__array_interface__: strings have no memory that NumPy can read; numpy() makes a copy")
    if x.dtype is bfloat16:
        raise TypeMismatchError("__array_interface__: the interface has no bfloat16; numpy() uses ml_dtypes' type")
    exporter: Any = x  # the stub of Tensor hides the buffer protocol from NumPy's stubs
    shared = memoryview(exporter)
    key = id(x)
    if key not in _told:
        _told[key] = weakref.ref(x, lambda _: _told.pop(key, None)), _core.share_buffer(x, None)
    return {
        "shape": x.shape,
        "typestr": x.dtype.numpy.str,
        "data": (_core.address(x), shared.readonly),
        "strides": None if _core.is_contiguous(x) else shared.strides,
        "version": 3,
    }


def jax_array(x: Tensor) -> Any:
    """Return a copy of the tensor as a JAX array. JAX calls this method for an operand that is a tensor of Suanzi."""
    return import_module("jax.numpy").array(array_of(x))


def torch_function(function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
    """Call a PyTorch function with PyTorch tensors on the memory of Suanzi's tensors. The results are PyTorch tensors.

    The function does not accept a tensor as `out`, because PyTorch would write into a copy of a tensor with negative
    strides.
    """
    if kwargs and "out" in kwargs:
        raise TypeMismatchError(f"{function.__name__}: out= accepts PyTorch's tensors; use torch.from_dlpack(x)")
    given = _as_torch((args, kwargs or {}), import_module("torch").from_dlpack)
    return function(*given[0], **given[1])


def _as_torch(value: Any, from_dlpack: Any) -> Any:
    """Replace tensors in arguments by PyTorch tensors, also in lists, tuples and dictionaries."""
    if isinstance(value, Tensor):
        return from_dlpack(value)
    if type(value) in (list, tuple):
        return type(value)(_as_torch(part, from_dlpack) for part in value)
    if type(value) is dict:
        return {key: _as_torch(part, from_dlpack) for key, part in value.items()}
    return value


@composed
def from_dlpack(x: Any, /, *, copy: bool | None = None) -> Tensor:
    """Make a tensor from any object with ``__dlpack__``, on the same memory unless a copy is requested.

    Parameters
    ----------
    x : object
        An object of any library that supports DLPack, on the CPU or on a device that PyTorch supports.
    copy : bool, optional
        If True, always copy. In all other cases, never copy.

    Returns
    -------
    Tensor

    Raises
    ------
    TypeMismatchError
        The object has no ``__dlpack__``, or Suanzi lacks the object's element type.
    InvalidArgumentError
        The memory cannot be shared, or is on a device that Suanzi does not support.

    Examples
    --------
    >>> import numpy, suanzi
    >>> suanzi.from_dlpack(numpy.arange(3))
    tensor([0, 1, 2], dtype=int64)
    """
    copies = copy is not None and _core.read_truth("from_dlpack", "copy", copy)
    x = dlpack.resolved(x) if copies else x
    if isinstance(x, Tensor):
        shared = _core.transpose(_core.read_tensor("from_dlpack", x), tuple(range(x.ndim)))
    elif not hasattr(x, "__dlpack__"):
        raise TypeMismatchError(f"from_dlpack: {type(x).__name__} has no __dlpack__")
    elif lies_on_a_device(x, "from_dlpack"):
        shared = of_device(x, "from_dlpack")
    else:
        shared = imported(x, "from_dlpack")
    return _core.clone(shared) if copies else shared


@with_own_tiles
def array_ufunc(x: Tensor, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Call Suanzi's function for one of NumPy's ufuncs."""
    return import_module("suanzi.interop.numpy.ufuncs").call(ufunc, method, inputs, options)


@with_own_tiles
def array_function(x: Tensor, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call Suanzi's function for a function of NumPy that is not a ufunc."""
    return import_module("suanzi.interop.numpy.functions").call(function, types, args, kwargs)


def dask_tokenize(x: Tensor) -> tuple[Any, ...]:
    """Return a name for the tensor as a chunk of a Dask array. Dask calls this method first, so the method also
    registers tensors with Dask.
    """
    found: tuple[Any, ...] = import_module("suanzi.interop.dask").token(x)
    return found


ARRAY_API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")  # each version includes older versions


def array_namespace(x: Tensor, /, *, api_version: str | None = None) -> ModuleType:
    """Return `suanzi.array_api`, the namespace of the Python array API for tensors.

    The status is INVALID_ARGUMENT for a version that the standard does not have, and for a version above 2025.12.
    """
    _core.read_tensor("__array_namespace__", x)
    known = isinstance(api_version, str) and api_version in ARRAY_API_VERSIONS
    if api_version is not None and not known:
        versions = ", ".join(ARRAY_API_VERSIONS)
        raise InvalidArgumentError(f"__array_namespace__: {shown(api_version)} is not one of the versions {versions}")
    return import_module("suanzi.array_api")


for _name, _attribute in {
    "numpy": numpy,
    "to_numpy": numpy,  # pandas, Polars and matplotlib use the name to_numpy
    "__array__": array,
    "__array_ufunc__": array_ufunc,
    "__array_function__": array_function,
    "__array_namespace__": array_namespace,
    "__array_interface__": property(array_interface),
    "__arrow_c_array__": arrow.exported,
    "__arrow_c_schema__": arrow.schema,
    "__jax_array__": jax_array,
    "__torch_function__": staticmethod(torch_function),
    "__array_priority__": 1000,  # in an operator of an ndarray and a tensor, NumPy calls the tensor's method
    "__dask_tokenize__": dask_tokenize,
    "__dlpack__": to_dlpack,
    "__dlpack_device__": dlpack_device,
}.items():
    setattr(Tensor, _name, _attribute)
attributes_that_may_fail(Tensor, "__array_interface__")
