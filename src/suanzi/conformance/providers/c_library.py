"""A shared library with the C interface as a provider. The authors of the library need not write or compile a provider.

Operators have the signatures of Suanzi's Python functions. The header's parameter names determine the place of each
argument. The table `_NAMES` has the parameters with other names in C. The table `_SPECIAL` has the few operators whose
arguments or results are arranged differently in C.
"""

from __future__ import annotations

import ctypes as ct
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..oracle.element_types import Array
from ..provider import BlockedError, Provider
from ..status import Status, StatusError
from . import c_header as c
from . import c_rules
from .c_arguments import (
    DEVICES,
    Converter,
    device,
    element_type,
    integers,
    layout,
    scalar,
    truth,
)
from .c_calls import NUMPY_TYPES, CallError, Calls, CTensor
from .c_elements import elements
from .c_signatures import SIGNATURES

INTERFACE = "C interface"  # the claim to keep the rules of suanzi.h, which `probes.c_rules` tests
Arguments = dict[str, Any]
# The parameter names in C, and the names of the same parameter in Python. An operator uses one of the Python names.
_NAMES = {
    "dims": ("shape",),
    "axes": ("axis", "axes"),
    "shifts": ("shift",),
    "sizes": ("size", "sections_or_sizes"),
    "factors": ("scale_factor",),
    "before": ("pad_width",),
    "order": ("ord",),
    "type": ("dtype",),
    "value": ("fill_value", "value"),
    "mode": ("mode", "rounding"),
    "recompute": ("recompute_scale_factor",),
}
_COUNTS = ("rank", "count", "length_count")  # parameters that count the elements of the preceding lists
_POINTERS = ("int64_t*", "double*")
_MAYBE_ONE = ("axis", "n", "zero_point", "rtol")  # pointers to one number, not to several
_LISTED = ("parts", "results")  # results that fill an array


class CLibrary(Provider):
    """The provider of a shared library with the C interface, given by the library's path."""

    claims = frozenset((INTERFACE,))

    def __init__(self, path: str | Path, device: str = "") -> None:
        self.calls, self.device = Calls(path), device
        self.name = Path(path).name
        self.element_types = frozenset(name for name in (*NUMPY_TYPES, "string") if self._takes(name))

    def _takes(self, name: str) -> bool:
        """Return whether the library can make a tensor of the element type `name`."""
        memory = np.array(["a"]) if name == "string" else np.ones(1, NUMPY_TYPES[name])
        try:
            self.calls.tensor(memory, name, (1,))
        except CallError:
            return False
        return True

    def find(self, operator: str) -> Callable[..., Any] | None:
        function = operator.removeprefix("fft.")
        if not self.calls.has(function) or f"suanzi_{function}" not in c.prototypes():
            return None
        signature = SIGNATURES.get(operator)
        if signature is None:
            return None

        def call(*operands: Any, **options: Any) -> Any:
            bound = signature.bind(*operands, **options)
            bound.apply_defaults()
            given = dict(bound.arguments)
            _refuse_destroyed(signature, given)
            if given.pop("out", None) is not None:
                raise BlockedError("has no parameter for the result: out= is not in C")
            if "device" in given:
                given["device"] = (self.device or None) if given["device"] is None else given["device"]
            make: Callable[..., Any] = _SPECIAL.get(function, _plain)
            return make(self.calls, function, given)

        return call

    def element_type(self, name: str) -> Any:
        return name

    def from_numpy(self, array: Array) -> Any:
        return self.calls.from_array(array)

    def to_numpy(self, tensor: Any) -> Array:
        if self.calls.has("kind") and self.calls.value("kind", tensor, ct.c_int32) == 1:
            (tensor,) = self.calls.results("to_dense", tensor.handle, count=1)
        return self.calls.array(tensor)

    def order(self, tensor: Any) -> tuple[int, ...]:
        return self.calls.order(tensor)

    def device_of(self, tensor: Any) -> str:
        if not self.calls.has("device"):
            raise BlockedError("has no suanzi_device, which returns a tensor's device")
        found = c.Device()
        self.calls.call("device", tensor.handle, ct.byref(found))
        return f"{DEVICES[found.type]}:{found.index}" if found.type < len(DEVICES) else f"device {found.type}"

    def version(self) -> str:
        has = self.calls.has("implementation")
        return self.calls.functions["suanzi_implementation"]().decode(errors="replace") if has else ""

    def rule(self, name: str, *given: Any) -> Any:
        return c_rules.RULES[name](self, *given)

    def set_threads(self, count: int) -> None:
        if self.calls.has("set_num_threads"):
            self.calls.call("set_num_threads", count)


def _refuse_destroyed(signature: inspect.Signature, given: Arguments) -> None:
    """Refuse a destroyed tensor as an optional argument.

    In C a destroyed tensor is NULL, which means a missing argument.
    """
    for name, value in given.items():
        if signature.parameters[name].default is None and isinstance(value, CTensor) and not value.handle:
            raise StatusError(Status.UNINITIALIZED_OBJECT, f"{name}: a destroyed tensor cannot be an argument in C")


# --- calls that the parameters determine ---


def _plain(calls: Calls, function: str, given: Arguments, count: int = 0) -> Any:
    """Call the function, and return the result or the results.

    `count` is the number of tensors in the function's array of results.
    """
    convert = Converter(calls, function)
    declared = c.parameters(f"suanzi_{function}")
    results = [p for p in declared if p.type == "SuanziTensor*" and p.name != "tensors"]
    made = _made(convert, [p for p in declared if p not in results], given)
    if results[-1].name in _LISTED:
        return tuple(calls.results(function, *made, count=count, listed=True))
    found = calls.results(function, *made, count=len(results))
    return found[0] if len(found) == 1 else tuple(found)


def _made(convert: Converter, declared: list[c.Parameter], given: Mapping[str, Any]) -> list[Any]:
    """Return C's argument for each parameter. The count of a list follows the list."""
    made: list[Any] = []
    lengths: set[int] = set()
    for parameter in declared:
        name = next((n for n in (parameter.name, *_NAMES.get(parameter.name, ())) if n in given), None)
        if name is None and parameter.name in _COUNTS:
            if len(lengths) > 1:
                raise StatusError(
                    Status.DIMENSIONS_MISMATCH,
                    f"{convert.function}: the lists have different lengths, but C has one count",
                )
            made.append(max(lengths, default=0))
            lengths = set()
        elif name is None:
            raise BlockedError(f"{convert.function}: the kit does not know the parameter {parameter.name}")
        elif parameter.name == "tensors" or (parameter.type in _POINTERS and parameter.name not in _MAYBE_ONE):
            pointer, length = convert.several(parameter, given[name])
            made.append(pointer)
            lengths |= set() if pointer is None else {length}
        else:
            made.append(convert.one(parameter, given[name]))
    return made


# --- calls that are arranged differently ---


def _tensor(calls: Calls, function: str, given: Arguments) -> CTensor:
    """Call `tensor` or `from_reference`. In C, both functions accept an address, a length and a description."""
    data, dtype, shape = given["data"], given["dtype"], given["shape"]
    element_type(dtype)
    described = device(given["device"]), layout(given["layout"])
    if data is None:
        sizes = c.ints([] if shape is None else integers(shape))
        return calls.results(function, None, 0, *sizes, element_type(dtype), *described, *_OWNER[function], count=1)[0]
    if function == "from_reference" and not isinstance(data, CTensor | np.ndarray):
        raise StatusError(Status.TYPE_MISMATCH, f"{type(data).__name__} where C accepts an address")
    memory, name = _memory(calls, data, dtype)
    asked = memory.shape if shape is None else tuple(integers(shape))
    if memory.ndim > 1 and memory.shape != asked:
        raise StatusError(
            Status.DIMENSIONS_MISMATCH, f"{function}: data of shape {memory.shape} do not fit the shape {asked}"
        )
    make = calls.reference if function == "from_reference" else calls.tensor
    return make(memory, name, asked, *described)


_OWNER = {"tensor": (), "from_reference": (c.RELEASE(), None)}


def _memory(calls: Calls, data: Any, dtype: str | None) -> tuple[Array, str]:
    """Return the elements of data in memory order, and the name of the element type."""
    if isinstance(data, CTensor):
        data = calls.array(data)
    if isinstance(data, np.ndarray) and dtype in (None, _name(data)):
        return np.ascontiguousarray(data).reshape(data.shape), _name(data)
    return elements(data, dtype)


def _name(array: Array) -> str:
    return "string" if array.dtype.kind == "U" else array.dtype.name


def _destroy(calls: Calls, function: str, given: Arguments) -> None:
    calls.call(function, ct.byref(_handle(given["x"])))


def _handle(x: Any) -> Any:
    if x is None:
        return ct.c_void_p()
    if not isinstance(x, CTensor):
        raise StatusError(Status.TYPE_MISMATCH, f"{type(x).__name__} where C accepts a tensor")
    return x.handle


def _query(kind: Any) -> Callable[..., Any]:
    def ask(calls: Calls, function: str, given: Arguments) -> Any:
        found = kind()
        calls.call(function, _handle(given["x"]), ct.byref(found))
        return found.value

    return ask


def _shape_of(calls: Calls, function: str, given: Arguments) -> tuple[int, ...]:
    handle = _handle(given["x"])
    if not handle:
        calls.call(function, None, None, 0)
    return calls.shape(given["x"])


def _split(calls: Calls, function: str, given: Arguments) -> Any:
    asked = given["sections_or_sizes"]
    if isinstance(asked, CTensor):
        asked = calls.array(asked).tolist()
    sizes = integers(asked)
    if isinstance(asked, list | tuple):
        return _plain(calls, function, {**given, "sizes": sizes, "count": len(sizes)}, len(sizes))
    return _plain(calls, function, {**given, "sizes": None, "count": sizes[0]}, max(sizes[0], 0))


def _unstack(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `unstack`, which has a result for each slice along the axis."""
    x, (axis,) = given["x"], integers(given["axis"])
    shape = calls.shape(x) if isinstance(x, CTensor) and x.handle else ()
    count = shape[axis] if -len(shape) <= axis < len(shape) else 1
    return _plain(calls, function, {**given, "count": count}, count)


def _meshgrid(calls: Calls, function: str, given: Arguments) -> Any:
    indexing, given["tensors"] = given["indexing"], [*given["tensors"]]
    if indexing not in ("xy", "ij"):
        raise StatusError(Status.INVALID_ARGUMENT, f"meshgrid: indexing {indexing!r}")
    return _plain(calls, function, {**given, "cartesian": indexing == "xy"}, len(given["tensors"]))


def _slice(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `slice`. C requires all bounds, so the function replaces an omitted bound by 0 or by a number beyond the
    ends of every tensor.
    """
    lists = {name: _listed(given[name]) for name in ("begin", "end", "stride")}
    many = max(len(values) for values in lists.values())
    lists = {name: values or [None] * many for name, values in lists.items()}
    steps = [1 if step is None else step for step in lists["stride"]]
    down = [isinstance(step, int) and step < 0 for step in steps] + [False] * many
    begin = [(LAST if d else 0) if v is None else v for v, d in zip(lists["begin"], down, strict=False)]
    end = [(-LAST - 1 if d else LAST) if v is None else v for v, d in zip(lists["end"], down, strict=False)]
    return _plain(calls, function, {**given, "begin": begin, "end": end, "stride": steps})


LAST = 2**63 - 1


def _listed(values: Any) -> list[Any]:
    return [] if values is None else list(values) if isinstance(values, list | tuple) else [values]


def _pad(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `pad` with NumPy's forms of widths: a number for all ends, or a pair for all axes or for each axis."""
    if not _handle(given["x"]):
        return _plain(calls, function, {**given, "before": [], "after": []})
    rank, widths = len(calls.shape(given["x"])), given["pad_width"]
    flat = [w for pair in _listed(widths) for w in _listed(pair)]
    integers(flat)
    try:
        pairs = np.broadcast_to(np.array(widths, np.int64), (rank, 2)).tolist()
    except ValueError:
        raise StatusError(
            Status.DIMENSIONS_MISMATCH, f"{function}: each axis needs a width before and a width after"
        ) from None
    return _plain(calls, function, {**given, "before": [b for b, _ in pairs], "after": [a for _, a in pairs]})


def _nonzero(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `nonzero`. The columns of C's matrix of coordinates are the items of Python's tuple."""
    matrix = _plain(calls, function, {"x": given["x"]})
    if not truth(given["as_tuple"]):
        return matrix
    return tuple(calls.from_array(np.ascontiguousarray(column)) for column in calls.array(matrix).T)


def _interpolate(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `interpolate`. A single number as the size or the scale factor is repeated for each spatial dimension."""
    spatial = max(len(calls.shape(given["x"])) - 2, 0) if _handle(given["x"]) else 1
    same = {name: [given[name]] * spatial for name in ("size", "scale_factor") if isinstance(given[name], int | float)}
    return _plain(calls, function, {**given, **same})


def _with_bias(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `linear` or `bilinear`. A number as the bias becomes a vector of the weight's type, because C accepts
    numbers only as operands of elementwise operators.
    """
    bias, weight = given["bias"], given["weight"]
    if bias is None or isinstance(bias, CTensor) or not _handle(weight):
        return _plain(calls, function, given)
    dtype = calls.value("dtype", weight, ct.c_int32)
    sizes = c.ints(calls.shape(weight)[:1])
    return _plain(
        calls, function, {**given, "bias": calls.results("full", *sizes, scalar(bias), dtype, None, None, count=1)[0]}
    )


def _multinomial(calls: Calls, function: str, given: Arguments) -> Any:
    if given["output"] not in ("counts", "indices"):
        raise StatusError(Status.INVALID_ARGUMENT, f"multinomial: output {given['output']!r}")
    return _plain(calls, function, {**given, "indices": given["output"] == "indices"})


def _qr(calls: Calls, function: str, given: Arguments) -> Any:
    if given["mode"] not in ("reduced", "complete"):
        raise StatusError(Status.INVALID_ARGUMENT, f"qr: mode {given['mode']!r}")
    return _plain(calls, function, {**given, "complete": given["mode"] == "complete"})


def _astype(calls: Calls, function: str, given: Arguments) -> Any:
    same = not truth(given["copy"]) and calls.array(given["x"]).dtype.name == given["dtype"]
    return given["x"] if same else _plain(calls, function, given)


def _arange(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `arange`. A single bound is passed as `stop`."""
    if given["stop"] is None:
        given |= {"start": None, "stop": given["start"]}
    return _plain(calls, function, given)


def _roll(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `roll`. A single shift is repeated for each axis in a list of axes."""
    axis, shift = given["axis"], given["shift"]
    alike = isinstance(axis, list | tuple) and not isinstance(shift, list | tuple)
    return _plain(calls, function, {**given, "shift": [shift] * len(axis)} if alike else given)


def _sparse_tensor(calls: Calls, function: str, given: Arguments) -> Any:
    """Call `sparse_tensor`. Lists become tensors in C, and coordinates become int64."""
    element_type(given["dtype"])  # refuses a wrong type before the values are read
    parts = {name: _as_tensor(calls, given[name], "int64") for name in ("indices", "indptr")}
    parts["values"] = _as_tensor(calls, given["values"], given["dtype"])
    return _plain(calls, function, {**given, **parts, "nnz": -1 if given["nnz"] is None else given["nnz"]})


def _quantized_tensor(calls: Calls, function: str, given: Arguments) -> Any:
    """Call a quantized creation function, whose lists and numbers become tensors in C."""
    return _plain(calls, function, {**given, **{name: _as_tensor(calls, given[name]) for name in ("data", "scale")}})


def _as_tensor(calls: Calls, value: Any, dtype: str | None = None) -> Any:
    if value is None or isinstance(value, CTensor):
        return value
    if isinstance(value, np.ndarray):
        return calls.from_array(value)
    memory, name = _memory(calls, value, dtype)
    return calls.tensor(memory, name, memory.shape)


_SPECIAL: dict[str, Callable[..., Any]] = {
    "tensor": _tensor,
    "from_reference": _tensor,
    "destroy": _destroy,
    "shape": _shape_of,
    "size": _query(ct.c_int64),
    "rank": _query(ct.c_int64),
    "is_contiguous": _query(ct.c_bool),
    "split": _split,
    "unstack": _unstack,
    "meshgrid": _meshgrid,
    "slice": _slice,
    "pad": _pad,
    "nonzero": _nonzero,
    "interpolate": _interpolate,
    "multinomial": _multinomial,
    "qr": _qr,
    "astype": _astype,
    "arange": _arange,
    "roll": _roll,
    "sparse_tensor": _sparse_tensor,
    "quantized_tensor": _quantized_tensor,
    "linear": _with_bias,
    "bilinear": _with_bias,
}
