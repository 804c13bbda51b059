"""The interface of a library for suanzi-conformance; replace NumPy here by your own library.

Run: suanzi-conformance --provider mine:Provider --profile quick add sin reshape zeros
(`mine` is this file's name; suanzi-conformance --list says how each operator is called.)
"""

import numpy as np


# A call that is refused raises an exception whose attribute `status` is a code of the standard's Table 1. NumPy's
# exceptions have no status: here the class of an exception determines the status.
TYPE_MISMATCH, DIMENSIONS_MISMATCH, UNINITIALIZED_OBJECT, INVALID_ARGUMENT = 1, 2, 3, 4
ALLOC_FAILED, OUT_OF_RANGE, INTERNAL_ERROR = 5, 6, 7
STATUSES = {
    MemoryError: ALLOC_FAILED,
    OverflowError: OUT_OF_RANGE,
    IndexError: OUT_OF_RANGE,
    ValueError: DIMENSIONS_MISMATCH,
    TypeError: TYPE_MISMATCH,
    AttributeError: TYPE_MISMATCH,
}


class RefusedError(Exception):
    """A call that is refused with a status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def with_status(function):
    """Return the operator with exceptions that have a status."""

    def call(*operands, **options):
        try:
            return function(*operands, **options)
        except Exception as error:
            if not hasattr(error, "status"):
                error.status = next(
                    (code for kind, code in STATUSES.items() if isinstance(error, kind)), INTERNAL_ERROR
                )
            raise

    return call


# The operators: functions of your tensors, with the parameters of the standard.


def add(x1, x2, *, out=None):
    return np.add(x1, x2, out=out)


def sin(x, *, out=None):
    return np.sin(x.astype(np.float32) if x.dtype.kind in "biu" else x, out=out)


def reshape(x, shape):
    if sum(size == -1 for size in shape) > 1 or any(size < -1 for size in shape):
        raise RefusedError(INVALID_ARGUMENT, f"reshape: {shape} is not a shape")
    return x.reshape(shape)


def zeros(shape, *, dtype=None, device=None, layout=None):
    axes = list(range(len(shape)))
    order = axes[::-1] if layout is None else list(layout)  # as in `Provider.order`
    if any(size < 0 for size in shape) or device not in (None, "cpu") or sorted(order) != axes:
        raise RefusedError(INVALID_ARGUMENT, f"zeros: shape {shape}, device {device} or layout {layout} is invalid")
    slowest_first = order[::-1]
    memory = np.zeros([shape[axis] for axis in slowest_first], np.float32 if dtype is None else dtype)
    return memory.transpose(np.argsort(slowest_first).astype(int))


OPERATORS = {"add": add, "sin": sin, "reshape": reshape, "zeros": zeros}


class Provider:
    """A library in the form in which the kit calls libraries. Any class with these members is valid."""

    name = "mine"
    version = np.__version__
    # The element types that the library has. Without this line, the kit uses the types that from_numpy accepts.
    element_types = (
        *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )

    def find(self, operator):
        """The operator of the given name, or None if the library lacks the operator."""
        return with_status(OPERATORS[operator]) if operator in OPERATORS else None

    def from_numpy(self, array):
        """A tensor of your library with the elements of a NumPy array, which may have any strides."""
        return array

    def to_numpy(self, tensor):
        """The elements of a tensor of your library, as a NumPy array of the same type and shape."""
        return np.asarray(tensor)

    # A provider may omit all members below.

    claims = ()  # claims beyond the standard that the kit judges; docs/conformance.md lists them

    def element_type(self, name):
        """The value that your operators accept as their dtype; by default the name."""
        return np.dtype(name)

    def order(self, tensor):
        """The logical order of a tensor's memory (6.4): its axes, the fastest first."""
        return sorted(range(tensor.ndim), key=lambda axis: (abs(tensor.strides[axis]), -axis))

    def device_of(self, tensor):
        """The name of the device on which a tensor is."""
        return "cpu"
