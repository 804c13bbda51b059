"""The types, shapes and errors that the CPU determines for calls on devices.

The module calls the operator on the CPU with stand-ins for the operands, and keeps the CPU's results by operator, types
and options. A stand-in is a CPU tensor with the type, and if needed the shape or strides, of an operand on a device.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from suanzi import _core, tuning
from suanzi._core import Tensor
from suanzi.devices.tensor import DestroyedTensor, DeviceTensor, has_gaps, order_of, to_cpu
from suanzi.kinds import devices as registry
from suanzi.kinds.call import Call
from suanzi.operators.creation.filled import ones, zeros
from suanzi.operators.shapes import common
from suanzi.operators.transform.shape import permute_dims
from suanzi.tensor.device import CPU, Device, device_of
from suanzi.tensor.dtypes import DTYPES, DType, bool_, string
from suanzi.tensor.status import InvalidArgumentError, SuanziError, TypeMismatchError, UninitializedObjectError

_empty: dict[DType, Tensor] = {dtype: zeros((0,), dtype=dtype, device=CPU) for dtype in DTYPES}
# Element values of stand-ins: 0 is a valid index, and 1 is an invertible matrix.
_one: dict[DType, Tensor] = {
    dtype: zeros((), dtype=dtype, device=CPU)
    if dtype.is_integer or dtype.name in ("string", "bool")
    else ones((), dtype=dtype, device=CPU)
    for dtype in DTYPES
}


def mapped(x: Any, function: Callable[[Any], Any], kinds: tuple[type[Any], ...] = (DeviceTensor,)) -> Any:
    """Return `x`, in which the values of `function` replace the tensors of the given classes, also in lists and
    tuples.
    """
    if type(x) in kinds:
        return function(x)
    if isinstance(x, (list, tuple)):
        items = [mapped(item, function, kinds) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
    return x


def empty_of(dtype: DType) -> Tensor:
    """Return a tensor of a given type without elements."""
    return _empty[dtype]


def one_of(dtype: DType) -> Tensor:
    """Return a tensor of a given type without dimensions. An integer is 0, which is a valid index. A number of another
    type is 1, which is an invertible matrix.
    """
    return _one[dtype]


def without_elements(x: DeviceTensor) -> Tensor:
    """Return a stand-in that has the type of `x` and no elements."""
    return _empty[x.dtype]


def image(x: DeviceTensor) -> Tensor:
    """Return a stand-in for `x` of at most one element, for queries about type, number of dimensions and emptiness."""
    return _core.reshape(_one[x.dtype] if x.size else _empty[x.dtype], image_shape(x.shape))


def image_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple([min(extent, 1) for extent in shape])


def spread(x: DeviceTensor) -> Tensor:
    """Return a stand-in with the type and the shape of `x`. All elements share one address in memory."""
    return _core.expand(_one[x.dtype], x.shape)


def strided(x: DeviceTensor) -> Tensor:
    """Return a stand-in with the shape and the strides of `x`, for queries about views. The elements are int8, and the
    memory of the stand-in is never accessed.
    """
    return rows_of(x.shape, x.stride())


def strided_elements(x: DeviceTensor) -> Tensor:
    """Return a stand-in with the shape, the strides and the element type of `x`. The memory of the stand-in is never
    accessed.
    """
    return _core.reinterpret(rows_of(x.shape, x.stride(), _OF_SIZE[x.dtype.itemsize]), x.dtype)


_OF_SIZE = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64, 16: np.complex128}


def rows_of(shape: tuple[int, ...], strides: tuple[int, ...], kind: type[np.generic] = np.int8) -> Tensor:
    span = (
        1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)) if 0 not in shape else 1
    )
    size = np.dtype(kind).itemsize
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0)
    flat = np.frombuffer(mmap.mmap(-1, span * size, flags=flags), kind)
    array = np.lib.stride_tricks.as_strided(flat, shape, [stride * size for stride in strides])
    shared = _core.share_buffer(array, None)
    assert shared is not None
    return shared


# --- operands ---


def on_devices(arguments: Any) -> Iterator[Any]:
    """Yield the tensors among arguments and in lists and tuples of tensors, on all devices."""
    for x in arguments:
        if isinstance(x, (list, tuple)):
            yield from on_devices(x)
        elif isinstance(x, Tensor):
            yield x


def device_of_call(call: Call) -> Device:
    """Return the device on which a call computes, which is the CPU if only numbers of the call came from a device.

    Raise UNINITIALIZED_OBJECT if an operand is destroyed, and INVALID_ARGUMENT if operands are on several devices.
    """
    found: Device | None = None
    makes = "device" in call.places and call.record.called != "to_device"
    for x in on_devices(call):
        if type(x) is DestroyedTensor:
            raise UninitializedObjectError(f"{call.name}: the tensor has been destroyed")
        if makes and type(x) is not DeviceTensor:
            continue  # data on the host will be copied
        there = getattr(x, "device", CPU)
        if found is None:
            found = there
        elif there is not found and there != found and not makes:
            if any(y.dtype is string for y in on_devices(call) if hasattr(y, "dtype")):
                lies = found if found != CPU else there
                raise TypeMismatchError(f"{call.name}: strings exist on the CPU only, and an operand is on {lies}")
            raise InvalidArgumentError(f"{call.name}: operands on {found} and {there}; to_device moves them")
    if found is not None:
        return found
    named = CPU if call.device is None else device_of(call.device, call.name)
    if named == CPU:
        return CPU
    from suanzi.devices.platforms import same

    return same(named, call.name)


# Options that may be tensors. In any other option, the host replaces tensors by the numbers of their elements.
_TENSORS = frozenset(("repeats", "rtol", "fill_value", "value", "low", "high", "mean", "std", "scale", "zero_point"))
_DATA = frozenset(("data", "indices", "values", "indptr", "key"))
_OF_NUMBERS = (DeviceTensor, Tensor, tuple, list)
# Options whose tensors only choose the device of a new tensor, if the call has no operand and names no device.
_FILLING = frozenset(("fill_value", "low", "high", "mean", "std"))


def by_default(call: Call) -> bool:
    """Return whether the caller has named no device, and the call uses the device that `set_default_device` has set."""
    return call.device is not None and call.device is registry.default


def with_numbers(call: Call) -> Call:
    """Return the call with Python numbers in place of tensors among its options, on the CPU or on a device. The numbers
    that fill a new tensor stay tensors, on the CPU if another argument chooses the device.
    """
    named = {}
    makes = "device" in call.places and (call.record.operands or not (call.device is None or by_default(call)))
    for name in call.record.options:
        if name not in call.places:  # `reduce` has fewer parameters
            continue
        x = getattr(call, name)
        if makes and name in _FILLING and type(x) is DeviceTensor:
            named[name] = to_cpu(x, call.name)
        elif type(x) in _OF_NUMBERS and name not in _TENSORS and name not in _DATA:
            told = mapped(x, lambda given: given.tolist(), (DeviceTensor, Tensor))
            if told is not x:
                named[name] = told
    return call.replaced(**named) if named else call


# --- answers ---


class Types(NamedTuple):
    """The types of an elementwise operator: the type of the result, and the type to which the operands promote."""

    result: DType
    operands: DType


_types: dict[Any, Types] = {}
# Python numbers within these bounds fit every type of their kind.
_INT, _FLOAT = 127, 6e4


def _key(x: Any) -> Any:
    """Return the part for an operand in the key under which `types` stores a result. Return None if the value of a
    number may change the result.
    """
    if type(x) is DeviceTensor:
        return x.dtype
    if x is None or type(x) is bool:
        return type(x)
    if type(x) is int:
        return int if 0 <= x <= _INT else None
    if type(x) is float:
        return float if not isfinite(x) or abs(x) < _FLOAT else None
    if type(x) is complex:
        return complex if abs(x) < _FLOAT else None
    return None


def types(call: Call) -> Types:
    """Return the type of an elementwise call's result, and the type to which the operands promote. Raise the
    same error as the CPU if the types do not promote, or if a number does not fit the type.
    """
    record = call.record
    operands = [getattr(call, name) for name in record.operands]
    parts = [_key(x) for x in operands]
    options = tuple([getattr(call, name) for name in record.options])
    key = None if None in parts else (call.name, record.name, *parts, *options)
    try:
        found = _types.get(key)
    except TypeError:  # an option that cannot be hashed is invalid
        key = found = None
    if found is not None:
        return found
    stand_ins = [without_elements(x) if type(x) is DeviceTensor else x for x in operands]
    result = call.on(*stand_ins).dtype
    found = Types(result, promoted(record.name, stand_ins, result))
    if key is not None and len(_types) < tuning.MOST_ANSWERS:
        _types[key] = found
    return found


def promoted(name: str, operands: list[Any], result: DType) -> DType:
    """Return the type to which operands promote. If a number does not fit the type of the first tensor, which
    comparisons allow, return the type of the first tensor.
    """
    if name == "where":
        operands = operands[1:]
    tensors = [x for x in operands if isinstance(x, Tensor)]
    if not tensors:
        return result
    if len(operands) == 1:
        return tensors[0].dtype
    try:
        first, *others = sorted((x for x in operands if x is not None), key=lambda x: not isinstance(x, Tensor))
        for other in others:
            first = _core.where(_empty[bool_], first, other)
        return first.dtype  # type: ignore[no-any-return]
    except SuanziError:
        return tensors[0].dtype


def check_out(given: DType, result: DType) -> None:
    """Raise the CPU's error for an `out` that cannot hold a result. All operators share the rule for `out`."""
    empty = _empty[result]
    _core.where(_empty[bool_], empty, empty, _empty[given])


_kept: dict[Any, Any] = {}


def _hashed(x: Any) -> Any:
    """Return an argument as a part of a key. Raise TypeError if the argument cannot be hashed."""
    if type(x) is DeviceTensor:
        return x.dtype, x.shape
    if isinstance(x, (list, tuple)):
        return type(x), tuple([_hashed(item) for item in x])
    if isinstance(x, slice):  # the bounds are not tensors (`indexing.item`)
        return slice, _hashed((x.start, x.stop, x.step))
    hash(x)
    return type(x), x


def kept(kind: str, call: Call, ask: Callable[[], Any], *more: Any) -> Any:
    """Return the result of `ask`, which queries the CPU about a call. `kind` names the query. The function stores the
    result for later calls with equal types, shapes and options, if the options can be hashed.
    """
    try:
        key = (kind, call.name, call.record.name, *map(_hashed, call), *more)
        found = _kept.get(key)
    except TypeError:
        return ask()
    if found is None:
        found = ask()
        if len(_kept) >= tuning.MOST_ANSWERS:
            _kept.clear()
        _kept[key] = found
    return found


def with_stand_ins(call: Call, stand_in: Callable[[DeviceTensor], Any]) -> Any:
    """Return the CPU's result of a call with stand-ins in place of the device's tensors."""
    try:
        return _with_stand_ins(call, stand_in)
    except SuanziError as error:
        ours = complaint(call) if stand_in is image else None  # `complaint` reports the operands' true shapes
        raise ours or error from None


def _with_stand_ins(call: Call, stand_in: Callable[[DeviceTensor], Any]) -> Any:
    named = {name: mapped(getattr(call, name), stand_in) for name in call.places if name != "out"}
    if "out" in call.places:
        named["out"] = None
    if "device" in call.places:
        named["device"] = None
    asked = call.replaced(**named)
    return call.builtin(*asked)


def facts(x: Any) -> Any:
    """Return the type and shape of a tensor, or of each item of a list or tuple. Return any other value unchanged."""
    if isinstance(x, Tensor):
        return x.dtype, x.shape
    if isinstance(x, (list, tuple)):
        return [facts(item) for item in x]
    return x


def small(call: Call) -> Any:
    """Return the type and the shape of the CPU's result for the `image` of each operand, a stand-in of at most one
    element.
    """
    return kept("small", call, lambda: facts(with_stand_ins(call, image)))


def whole(call: Call) -> Any:
    """Return the type and the shape of the CPU's result for the shapes of the call's operands, or None if the operands
    are large.
    """
    if is_large(call):
        return None
    return kept("whole", call, lambda: facts(with_stand_ins(call, spread)))


def is_large(call: Call) -> bool:
    """Return whether the CPU would need long for a call with stand-ins of the operands' shapes."""
    return bool(sum(x.size for x in on_devices(call)) > tuning.MOST_ASKED)


def deeper(call: Call, *further: str, **replaced: Any) -> None:
    """Raise the CPU's error for a call, also if the operands are large.

    The tensors of the parameters `further` get one more dimension of size 0, so that the CPU moves no elements. The
    caller passes only parameters for which this dimension does not change the checks of the call. `replaced` has
    arguments that take the place of the call's own, such as an axis counted from the first dimension.
    """

    def ask() -> bool:
        try:
            _with_stand_ins(
                call.replaced(**replaced, **{name: _deeper(getattr(call, name)) for name in further}), spread
            )
        except SuanziError:
            with_stand_ins(call, spread)  # the call raises the error for the true shapes
        return True

    kept("deeper", call, ask)


def _deeper(x: Any) -> Any:
    return _core.expand(_one[x.dtype], (*x.shape, 0)) if type(x) is DeviceTensor else x


def check_broadcast(call: Call, *operands: Any) -> None:
    """Raise the CPU's error if the device tensors among `operands` do not broadcast to one shape."""
    if common([x.shape for x in operands if type(x) is DeviceTensor]) is None:
        with_stand_ins(call, spread)


def complaint(call: Call) -> SuanziError | None:
    """Return the error that the CPU raises for the types and shapes of the call's operands. The result is None if the
    CPU raises no error. For large operands the result is also None if the CPU accepts operands of single elements.
    """
    try:
        if call.record.family == "elementwise":
            _recorded(call)
        elif not is_large(call) or _fails_at_once(call):
            _with_stand_ins(call, spread)
    except SuanziError as error:
        return error
    except Exception:
        return None
    return None


def _fails_at_once(call: Call) -> bool:
    """Return whether the CPU refuses the call for any sizes, or the record's rule finds no shape of a result. In both
    cases, the CPU refuses the call's own sizes without a long computation.
    """
    rule = call.record.shape
    try:
        _with_stand_ins(call, image)
        return rule is not None and rule(call) is None
    except SuanziError:
        return True


def _recorded(call: Call) -> None:
    """Check the operands of an elementwise operator by a recording on stand-ins, which computes nothing."""
    graph = _core.FusedGraph()

    def input(x: DeviceTensor) -> Tensor:
        return graph.add_input(x.dtype, x.shape, None)

    operands = [mapped(getattr(call, name), input) for name in call.record.operands]
    options = [getattr(call, name) for name in call.record.options]
    graph.record(call.builtin, (*operands, *options, *([None] if call.has_out else [])))


# --- orders ---


def dense_operands(arguments: Any) -> Iterator[DeviceTensor]:
    """Yield the dense device tensors among arguments and in lists and tuples of tensors."""
    for x in arguments:
        if type(x) is DeviceTensor:
            yield x
        elif isinstance(x, (list, tuple)):
            yield from dense_operands(x)


class Arrangement(NamedTuple):
    """The order, the repeated dimensions and the gaps of a tensor, which determine the memory order of results."""

    order: tuple[int, ...]  # the order of dimensions in memory, the fastest first
    repeated: tuple[int, ...]  # dimensions of stride 0, along which all elements share one address
    has_gaps: bool


def arrangement(x: DeviceTensor) -> Arrangement:
    t, order = x.data, order_of(x)
    repeated = tuple([axis for axis, stride in enumerate(t.stride()) if stride == 0 and t.shape[axis] > 1])
    for axis in repeated:
        t = t.narrow(axis, 0, 1)
    return Arrangement(order, repeated, has_gaps(t))


def order(call: Call) -> tuple[int, ...]:
    """Return the memory order of the dimensions of the CPU's result for operands with the same `Arrangement` as the
    call's operands.

    The order is () if a call with small stand-ins does not show the order, as for operators of neural networks, whose
    results are row-major.
    """

    def ask() -> tuple[int, ...]:
        try:
            found = _with_stand_ins(call, _small_one)
        except SuanziError:
            return ()
        return _core.order(found) if isinstance(found, Tensor) else ()

    return kept("order", call, ask, *map(arrangement, dense_operands(call)))  # type: ignore[no-any-return]


def _small_one(x: DeviceTensor) -> Tensor:
    """Return a small tensor on the CPU with the same order of dimensions, repeated dimensions and gaps in memory as
    `x`.
    """
    order, repeated, apart = arrangement(x)
    slowest = order[::-1]
    most = 2 if x.ndim <= tuning.MOST_DIMENSIONS_ASKED else 1
    shape = tuple([min(extent, most) for extent in x.shape])
    own = [1 if axis in repeated else shape[axis] for axis in slowest]
    rows = zeros(tuple([n + (apart and n > 1) for n in own]), dtype=x.dtype, device=CPU)
    if apart:
        rows = rows[tuple(map(slice, own))]
    found = permute_dims(rows, tuple([slowest.index(axis) for axis in range(x.ndim)]))
    if repeated or apart or not x.ndim:
        return _core.expand(found, shape)
    ordered = _core.in_order(found, order)  # strides do not order dimensions of size 1
    return found if ordered is None else ordered


# --- views ---


class View(NamedTuple):
    """The layout of a view of a device tensor, relative to the first element of the viewed tensor."""

    dtype: DType | None
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    order: tuple[int, ...] | None  # the order of dimensions, if strides do not show the order


def view(call: Call, x: DeviceTensor) -> Any:
    """Return the layout of the view that a call makes of `x`, or a list of the layouts of several views. The CPU makes
    the views of a stand-in for `x`. The layout () means the tensor itself.
    """

    def ask() -> Any:
        stand_in = strided(x)
        start = _core.address(stand_in)

        def of(result: Any) -> Any:
            if result is stand_in:
                return ()
            if isinstance(result, (list, tuple)):
                return [of(item) for item in result]
            ambiguous = result.size < 2 or 1 in result.shape
            order = _core.order(result) if ambiguous else None
            return View(None, result.shape, result.stride(), _core.address(result) - start if result.size else 0, order)

        return of(with_stand_ins(call, lambda given: stand_in if given is x else spread(given)))

    return kept("view", call, ask, x.stride())
