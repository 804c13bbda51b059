"""NumPy's functions that select, insert, delete or rearrange elements of tensors: `select`, `delete`, `block`.

Elements keep their bits, because the functions compute nothing with elements. NumPy itself computes the positions along
an axis, and NumPy's errors are converted to Suanzi's errors. The module `functions` contains the table of NumPy's
functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core, array_api
from suanzi.interop.numpy.arguments import can_cast, written
from suanzi.interop.numpy.elements import beside
from suanzi.tensor.dtypes import as_dtype, bool_, string
from suanzi.tensor.exchange import Array, as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SuanziError,
    TypeMismatchError,
)


def tensor_of(name: str, x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else as_tensor(x, None, name)


@contextmanager
def numpys_errors(name: str) -> Iterator[None]:
    """Within a `with` block, convert NumPy's errors to Suanzi's errors of the same built-in exception classes.
    OverflowError becomes OutOfRangeError, AttributeError becomes TypeMismatchError, and SystemError, which NumPy raises
    by mistake, becomes InvalidArgumentError.
    """
    try:
        yield
    except SuanziError:
        raise
    except (IndexError, OverflowError) as error:
        raise OutOfRangeError(f"{name}: {error}") from None
    except (TypeError, AttributeError) as error:
        raise TypeMismatchError(f"{name}: {error}") from None
    except (ValueError, SystemError) as error:
        raise InvalidArgumentError(f"{name}: {error.__cause__ or error}") from None


def _flat_or_along(name: str, x: Any, axis: Any) -> tuple[Tensor, int]:
    """Return the tensor and the axis, or the flattened tensor and 0 if `axis` is None."""
    given = tensor_of(name, x)
    if axis is None:
        return suanzi.flatten(given), 0
    return given, _core.read_axis(name, axis, given.ndim)


def of_positions(value: Any) -> Any:
    """Convert tensors of positions, also within lists, to arrays for NumPy. The arrays are copies: NumPy checks
    positions and then reads them again, and another thread may write into the tensor in between.
    """
    if isinstance(value, Tensor):
        array: Array = value.numpy().copy()
        return array
    return type(value)(map(of_positions, value)) if type(value) in (list, tuple) else value


# --- positions ---


def flatnonzero(x: Any) -> Tensor:
    return suanzi.nonzero(suanzi.flatten(tensor_of("numpy.flatnonzero", x)))[0]


def argwhere(x: Any) -> Tensor:
    """Return the positions of nonzero elements, one position per row. For a single number, a row has no columns."""
    given = tensor_of("numpy.argwhere", x)
    if given.ndim == 0:
        return suanzi.zeros((int(bool(given)), 0), dtype=suanzi.int64)
    return suanzi.stack(suanzi.nonzero(given), 1)


def lexsort(keys: Any, axis: int = -1) -> Tensor:
    """Return the indices that sort by the last key. Earlier keys decide between equal elements of later keys. The
    function sorts by one key after the other.
    """
    name = "numpy.lexsort"
    tensors = list(suanzi.unstack(keys, 0)) if isinstance(keys, Tensor) else [tensor_of(name, key) for key in keys]
    if not tensors:
        raise InvalidArgumentError(f"{name}: there are no keys")
    if any(key.shape != tensors[0].shape for key in tensors):
        raise DimensionsMismatchError(f"{name}: keys of shapes {shown([key.shape for key in tensors])} differ")
    if tensors[0].ndim == 0:
        return suanzi.zeros((), dtype=suanzi.int64)
    along = _core.read_axis(name, axis, tensors[0].ndim)
    order = suanzi.argsort(tensors[0], axis=along)
    for key in tensors[1:]:
        again = suanzi.argsort(suanzi.take_along_axis(key, order, along), axis=along)
        order = suanzi.take_along_axis(order, again, along)
    return order


def indices_of(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that returns the positions of a part of a matrix, such as a triangle. NumPy's `function` computes
    the positions from the matrix's shape.
    """

    def call(x: Tensor, **options: Any) -> Any:
        with numpys_errors(name):
            found = function(np.broadcast_to(np.zeros(()), x.shape), **options)
        return tuple(suanzi.tensor(part, device=x.device) for part in found)

    return call


# --- selected elements ---


def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Return the slices along an axis for which a condition is true. The condition may be shorter than the axis."""
    name = "numpy.compress"
    x, along = _flat_or_along(name, a, axis)
    chosen = tensor_of(name, condition)
    if chosen.ndim != 1:
        raise DimensionsMismatchError(f"{name}: a condition of shape {chosen.shape} does not have one dimension")
    places = suanzi.nonzero(chosen)[0]
    if places.size and int(places[-1]) >= x.shape[along]:
        raise OutOfRangeError(f"{name}: position {int(places[-1])} is outside [0, {x.shape[along]})")
    return written(name, lambda **_: suanzi.take(x, places, along), out, fits=False)


def extract(condition: Any, arr: Any) -> Tensor:
    """Return the elements where a condition is true, as a vector."""
    x = suanzi.flatten(tensor_of("numpy.extract", arr))
    places = flatnonzero(tensor_of("numpy.extract", condition))
    if places.size and int(places[-1]) >= x.size:
        raise OutOfRangeError(f"numpy.extract: position {int(places[-1])} is outside [0, {x.size})")
    return suanzi.take(x, places, 0)


def _choices(name: str, values: Sequence[Any], beside_these: Sequence[Any] = ()) -> list[Any]:
    """Return `values` as tensors of one type on one device. NumPy chooses the type if all values are Python numbers."""
    plain: list[Any] = [v if type(v) in (int, float, complex, bool) else tensor_of(name, v) for v in values]
    like = [*beside_these, *plain]
    if any(isinstance(v, Tensor) for v in plain):
        common = array_api.result_type(*plain)
    else:
        common = as_dtype(np.result_type(*plain), name)
    return [
        suanzi.astype(v, common, copy=False) if isinstance(v, Tensor) else beside(like, as_tensor(v, common, name))
        for v in plain
    ]


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """Take each element from the first choice whose condition is true for the element, or else from `default`."""
    name = "numpy.select"
    conditions = [tensor_of(name, c) for c in condlist]
    if len(conditions) != len(choicelist):
        raise InvalidArgumentError(f"{name}: {len(conditions)} conditions do not fit {len(choicelist)} choices")
    if not conditions:
        raise InvalidArgumentError(f"{name}: there are no conditions")
    for condition in conditions:
        if condition.dtype is not bool_:
            raise TypeMismatchError(f"{name}: the condition has type {condition.dtype}, not bool")
    *choices, found = _choices(name, [*choicelist, default], conditions)
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        found = suanzi.where(condition, choice, found)
    result: Tensor = found
    return result


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Take each element from one of the choices. The element of `a` at the same position is the index of the choice."""
    name = "numpy.choose"
    how = ("raise", "wrap", "clip")[_core.read_choice(name, "mode", mode, ("raise", "wrap", "clip"))]
    index = tensor_of(name, a)
    if not index.dtype.is_integer and index.dtype is not bool_:
        raise TypeMismatchError(f"{name}: numbers of choices of type {index.dtype} are not integers")
    given = list(suanzi.unstack(choices, 0)) if isinstance(choices, Tensor) else list(choices)
    if not given:
        raise InvalidArgumentError(f"{name}: there are no choices")
    parts = _choices(name, given, [index])
    index = suanzi.astype(index, suanzi.int64, copy=False)
    if how == "raise" and index.size and not 0 <= int(suanzi.min(index)) <= int(suanzi.max(index)) < len(parts):
        raise InvalidArgumentError(f"{name}: a number is outside [0, {len(parts)}), the choices")
    index = suanzi.remainder(index, len(parts)) if how == "wrap" else suanzi.clip(index, 0, len(parts) - 1)
    found = parts[0]
    for i, part in enumerate(parts):
        found = suanzi.where(index == i, part, found)
    return written(name, lambda **_: found, out, fits=False)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Apply each function to the elements where the function's condition is true. An additional function applies to all
    other elements.
    """
    name = "numpy.piecewise"
    given = tensor_of(name, x)
    if isinstance(condlist, Tensor | np.ndarray):
        conditions = [tensor_of(name, condlist)]
        conditions = conditions if condlist.ndim == given.ndim else list(suanzi.unstack(conditions[0], 0))
    else:
        listed = isinstance(condlist, list | tuple)
        several = listed and (given.ndim == 0 or isinstance([*condlist, None][0], Tensor | np.ndarray | list))
        conditions = [tensor_of(name, c) for c in (condlist if several else [condlist])]
    if not conditions:
        raise InvalidArgumentError(f"{name}: there are no conditions")
    conditions = [suanzi.broadcast_to(suanzi.astype(c, bool_, copy=False), given.shape) for c in conditions]
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = suanzi.logical_or(rest, condition)
        conditions.append(suanzi.logical_not(rest))
    if len(funclist) != len(conditions):
        raise InvalidArgumentError(f"{name}: {len(funclist)} functions do not fit {len(conditions)} conditions")
    found = suanzi.zeros_like(given)
    for condition, function in zip(conditions, funclist, strict=True):
        chosen = given[condition]
        if callable(function):
            if chosen.size:
                found[condition] = function(chosen, *args, **kwargs)
        else:
            found[condition] = function
    return found


# --- more or fewer elements ---


def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    name = "numpy.append"
    parts = [tensor_of(name, part) for part in (arr, values)]
    if axis is None:
        return suanzi.concat([suanzi.flatten(part) for part in parts], 0)
    return suanzi.concat(parts, axis)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Tensor:
    """Return a copy without the elements at one or several positions, in a slice, or where a mask is true."""
    name = "numpy.delete"
    x, along = _flat_or_along(name, arr, axis)
    with numpys_errors(name):
        kept = np.delete(np.arange(x.shape[along]), of_positions(obj))
    return suanzi.take(x, suanzi.tensor(kept, device=x.device), along)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Tensor:
    """Return a copy with values inserted before the positions `obj`. The tensor's element type must hold the values."""
    name = "numpy.insert"
    x, along = _flat_or_along(name, arr, axis)
    length = x.shape[along]
    with numpys_errors(name):
        places = _places(obj, length)
    new = values if isinstance(values, Tensor) else beside([x], as_tensor(values, x.dtype, name))
    if not can_cast(new.dtype, x.dtype, "same_kind"):
        raise TypeMismatchError(f"{name}: {new.dtype} cannot become {x.dtype}, the type of the other elements")
    new = suanzi.astype(new, x.dtype, copy=False)
    if new.ndim < x.ndim:
        new = suanzi.reshape(new, (*(1,) * (x.ndim - new.ndim), *new.shape))
    if places.ndim == 0:  # NumPy places the first axis of the values along the indexed axis
        new = suanzi.moveaxis(new, 0, along)
    count = new.shape[along] if places.size == 1 else places.size
    sizes = (*x.shape[:along], count, *x.shape[along + 1 :])
    new = suanzi.broadcast_to(new, sizes)
    with numpys_errors(name):
        at = places.item() if places.size == 1 else places
        order = np.insert(np.arange(length), at, length + np.arange(count))
    return suanzi.take(suanzi.concat([x, new], along), suanzi.tensor(order, device=x.device), along)


def _places(obj: Any, length: int) -> Array:
    """Return positions as an array for NumPy. A slice or a mask becomes an array of the selected positions."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(length), dtype=np.intp)
    found = np.asarray(of_positions(obj))
    if found.dtype == bool:
        return np.flatnonzero(found)
    return found.astype(np.intp) if found.size == 0 else found


def resize(a: Any, new_shape: Any) -> Tensor:
    """Return the elements in another shape. If the shape has more elements, the sequence of elements is repeated."""
    x = suanzi.flatten(tensor_of("numpy.resize", a))
    shape = _core.read_shape("numpy.resize", new_shape, 0)
    if not x.size:
        return suanzi.zeros(shape, dtype=x.dtype, device=x.device)
    places = suanzi.remainder(suanzi.arange(prod(shape), dtype=suanzi.int64, device=x.device), x.size)
    return suanzi.reshape(suanzi.take(x, places, 0), shape)


def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Tensor:
    """Return the part without the zeros at the beginning ("f") and the end ("b") of axes, by default of all axes."""
    name = "numpy.trim_zeros"
    x = tensor_of(name, filt)
    letters = trim.lower() if isinstance(trim, str) else ""
    if letters not in ("fb", "bf", "f", "b"):
        raise InvalidArgumentError(f"{name}: trim = {shown(trim)} is not one of f, b, fb")
    axes = range(x.ndim) if axis is None else _core.read_axes(name, axis, x.ndim)
    places = suanzi.nonzero(x) if x.ndim else ()
    parts = [slice(None)] * x.ndim
    for along in axes:
        if not places[along].size:
            parts[along] = slice(0, 0)
            continue
        first, last = int(suanzi.min(places[along])), int(suanzi.max(places[along]))
        parts[along] = slice(first if "f" in letters else None, last + 1 if "b" in letters else None)
    return x[tuple(parts)]


# --- shapes ---


def split(x: Any, places: Any, axis: int = 0, uneven: bool = False) -> list[Tensor]:
    """Split a tensor into equal parts or at indices. `suanzi.split` accepts sizes instead of indices."""
    name = "numpy.split"
    x = tensor_of(name, x)
    if not isinstance(places, list | tuple) and not getattr(places, "ndim", 0):
        count = int(places) if isinstance(places, bool) else _core.read_integer(name, "the number of parts", places)
        return list(suanzi.split(x, count, axis, uneven=uneven))
    axis = _core.read_axis(name, axis, x.ndim)
    length = x.shape[axis]
    cuts = [slice(_core.read_integer(name, "an index", at), None).indices(length)[0] for at in places]
    before: tuple[Any, ...] = (slice(None),) * axis
    return [x[(*before, slice(begin, end))] for begin, end in pairwise([0, *cuts, length])]


def array_split(x: Any, places: Any, axis: int = 0) -> list[Tensor]:
    return split(x, places, axis, uneven=True)


def split_along(name: str, axis: int, least: int) -> Callable[[Any, Any], list[Tensor]]:
    """Make a function that splits a tensor of at least `least` dimensions along one axis. A vector is split along axis
    0.
    """

    def call(x: Any, places: Any) -> list[Tensor]:
        x = tensor_of(name, x)
        if x.ndim < least:
            raise DimensionsMismatchError(f"{name}: shape {x.shape} has too few dimensions")
        return split(x, places, 0 if axis == 1 and x.ndim == 1 else axis)

    return call


def block(arrays: Any) -> Tensor:
    """Join nested lists of tensors: the innermost lists along the last axis, and the lists of each further level along
    the axis before the axis of the inner lists.
    """
    name = "numpy.block"

    def depth_of(value: Any) -> int:
        if not isinstance(value, list):
            return 0
        if not value:
            raise InvalidArgumentError(f"{name}: a list is empty")
        depths = {depth_of(part) for part in value}
        if len(depths) > 1:
            raise InvalidArgumentError(f"{name}: the lists differ in depth")
        return 1 + depths.pop()

    depth = depth_of(arrays)

    def leaves(value: Any) -> Iterator[Tensor]:
        if isinstance(value, list):
            for part in value:
                yield from leaves(part)
        else:
            yield tensor_of(name, value)

    rank = max([depth, *(x.ndim for x in leaves(arrays))])

    def joined(value: Any, level: int) -> Tensor:
        if level:
            return suanzi.concat([joined(part, level - 1) for part in value], -level)
        x = tensor_of(name, value)
        return suanzi.reshape(x, (*(1,) * (rank - x.ndim), *x.shape))

    return joined(arrays, depth)


def at_least(rank: int) -> Callable[..., Any]:
    """Make a function that returns operands with at least `rank` dimensions. As in NumPy, a first or second dimension
    is added in front, and a third dimension at the end.
    """

    def reshaped(x: Tensor) -> Tensor:
        shape = (1,) * (min(rank, 2) - x.ndim) + x.shape
        return suanzi.reshape(x, shape + (1,) * (rank - len(shape)))

    def call(*operands: Any) -> Any:
        found = [reshaped(suanzi.array_api.asarray(x)) for x in operands]
        return tuple(found) if len(found) > 1 else found[0]

    return call


def column_stack(parts: Any) -> Tensor:
    tensors = [suanzi.array_api.asarray(x) for x in parts]
    return suanzi.concat([suanzi.reshape(x, (x.size, 1)) if x.ndim < 2 else x for x in tensors], 1)


def dstack(parts: Any) -> Tensor:
    tensors = [tensor_of("numpy.dstack", x) for x in parts]
    deep = []
    for x in tensors:
        shape = (1, x.size, 1) if x.ndim < 2 else (*x.shape, 1) if x.ndim == 2 else x.shape
        deep.append(suanzi.reshape(x, shape))
    return suanzi.concat(deep, 2)


def rollaxis(a: Tensor, axis: int, start: int = 0) -> Tensor:
    name = "numpy.rollaxis"
    along = _core.read_axis(name, axis, a.ndim)
    begin = _core.read_integer(name, "start", start)
    begin += a.ndim if begin < 0 else 0
    if not 0 <= begin <= a.ndim:
        raise OutOfRangeError(f"{name}: start = {start} is outside [{-a.ndim}, {a.ndim}]")
    return suanzi.moveaxis(a, along, begin - 1 if along < begin else begin)


def flipped(name: str, axis: int, rank: int) -> Callable[[Tensor], Tensor]:
    def call(m: Tensor) -> Tensor:
        if m.ndim < rank:
            raise DimensionsMismatchError(f"{name}: shape {m.shape} has fewer than {rank} dimensions")
        return suanzi.flip(m, axis)

    return call


def diagflat(v: Any, k: int = 0) -> Tensor:
    return suanzi.diag(suanzi.flatten(tensor_of("numpy.diagflat", v)), k)


def array_equiv(a1: Any, a2: Any) -> bool:
    """Return whether two tensors are equal after broadcasting."""
    x, y = (tensor_of("numpy.array_equiv", x) for x in (a1, a2))
    try:
        return bool(suanzi.all(suanzi.equal(x, y)))
    except DimensionsMismatchError:
        return False


def ix_(*vectors: Any) -> tuple[Tensor, ...]:
    """Return each vector along an axis of its own. A mask becomes a vector of the selected positions."""
    found = []
    for i, vector in enumerate(vectors):
        x = tensor_of("numpy.ix_", vector)
        if x.ndim != 1:
            raise DimensionsMismatchError(f"numpy.ix_: shape {x.shape} does not have one dimension")
        x = suanzi.nonzero(x)[0] if x.dtype is bool_ else x
        x = suanzi.astype(x, suanzi.int64) if x.size == 0 and isinstance(vector, list | tuple) else x
        found.append(suanzi.reshape(x, (*(1,) * i, x.size, *(1,) * (len(vectors) - i - 1))))
    return tuple(found)


def sort_complex(a: Any) -> Tensor:
    """Return the elements as complex numbers, sorted by real parts. Imaginary parts decide between equal real parts."""
    x = tensor_of("numpy.sort_complex", a)
    if x.dtype.kind != "c":
        narrow = x.dtype in (suanzi.int8, suanzi.uint8, suanzi.int16, suanzi.uint16)
        return suanzi.astype(suanzi.sort(x), suanzi.complex64 if narrow else suanzi.complex128)
    return suanzi.take_along_axis(x, lexsort([suanzi.imag(x), suanzi.real(x)]), -1)


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, subok: bool = False, writeable: bool = False
) -> Tensor:
    """Return a view of all windows of a given shape. For each axis of the windows, the view has a new last axis."""
    name = "numpy.lib.stride_tricks.sliding_window_view"
    given = tensor_of(name, x)
    if type(given) is not Tensor or given.dtype is string:
        raise TypeMismatchError(f"{name}: views that repeat elements exist only for numbers on the CPU")
    with numpys_errors(name):
        array = np.lib.stride_tricks.sliding_window_view(given.numpy(), window_shape, axis, writeable=False)
    return suanzi.from_reference(array)


# --- functions of slices ---


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
    """Return a tensor in which the result of `func1d` replaces each vector along an axis."""
    name = "numpy.apply_along_axis"
    x = tensor_of(name, arr)
    along = _core.read_axis(name, axis, x.ndim)
    rows = suanzi.moveaxis(x, along, -1)
    outside = rows.shape[:-1]
    if 0 in outside:
        raise InvalidArgumentError(f"{name}: shape {x.shape} has no vectors along axis {along}")
    found = []
    for place in product(*map(range, outside)):
        made = func1d(rows[place], *args, **kwargs)
        found.append(made if isinstance(made, Tensor) else suanzi.tensor(np.asarray(made)))
    stacked = suanzi.reshape(suanzi.stack(found), (*outside, *found[0].shape))
    inside = range(len(outside), stacked.ndim)
    return suanzi.moveaxis(stacked, tuple(inside), tuple(along + i for i in range(len(inside)))) if inside else stacked


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Tensor:
    """Apply a function along one axis after the other. A reduced axis stays, with one element."""
    name = "numpy.apply_over_axes"
    x = tensor_of(name, a)
    for axis in np.atleast_1d(of_positions(axes)).tolist():
        along = _core.read_axis(name, axis, x.ndim)
        found = func(x, along)
        if found.ndim == x.ndim - 1:
            found = suanzi.expand_dims(found, along)
        if found.ndim != x.ndim:
            raise InvalidArgumentError(f"{name}: the function returns shape {found.shape} for shape {x.shape}")
        x = found
    return x


# --- bits ---


def packbits(a: Any, axis: int | None = None, bitorder: str = "big") -> Tensor:
    """Pack every eight elements, converted to bools, into the bits of one uint8. Missing bits at the end are 0."""
    name = "numpy.packbits"
    big = _core.read_choice(name, "bitorder", bitorder, ("big", "little")) == 0
    x, along = _flat_or_along(name, a, axis)
    if x.dtype is not bool_ and not x.dtype.is_integer:
        raise TypeMismatchError(f"{name}: element type {x.dtype} is not one of bool, integer")
    rows = suanzi.moveaxis(suanzi.astype(x != 0, suanzi.uint8), along, -1)
    lacking = -rows.shape[-1] % 8
    if lacking:
        rows = suanzi.concat([rows, suanzi.zeros((*rows.shape[:-1], lacking), dtype=suanzi.uint8, device=x.device)], -1)
    eights = suanzi.reshape(rows, (*rows.shape[:-1], rows.shape[-1] // 8, 8))
    found = suanzi.sum(suanzi.bitwise_left_shift(eights, _shifts(big, x)), -1, dtype=suanzi.uint8)
    return suanzi.moveaxis(found, -1, along)


def unpackbits(a: Any, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Tensor:
    """Return all bits of uint8 numbers. If `count` is given, return the first `count` bits, followed by zeros if there
    are fewer bits. A negative `count` leaves out the last -`count` bits.
    """
    name = "numpy.unpackbits"
    big = _core.read_choice(name, "bitorder", bitorder, ("big", "little")) == 0
    x, along = _flat_or_along(name, a, axis)
    if x.dtype is not suanzi.uint8:
        raise TypeMismatchError(f"{name}: element type {x.dtype} is not uint8")
    rows = suanzi.moveaxis(x, along, -1)
    bits = suanzi.bitwise_and(suanzi.bitwise_right_shift(suanzi.expand_dims(rows, -1), _shifts(big, x)), 1)
    found = suanzi.reshape(bits, (*rows.shape[:-1], rows.shape[-1] * 8))
    if count is not None:
        wanted = _core.read_integer(name, "count", count)
        if wanted > found.shape[-1]:
            zeros = suanzi.zeros((*found.shape[:-1], wanted - found.shape[-1]), dtype=suanzi.uint8)
            found = suanzi.concat([found, zeros], -1)
        found = found[..., :wanted]
    return suanzi.moveaxis(found, -1, along)


def _shifts(big: bool, x: Tensor) -> Tensor:
    shifts = suanzi.arange(8, dtype=suanzi.uint8, device=x.device)
    return suanzi.flip(shifts) if big else shifts


ROWS: dict[str, tuple[Callable[..., Any], str]] = {
    "flatnonzero": (flatnonzero, "a/"),
    "argwhere": (argwhere, "a/"),
    "lexsort": (lexsort, "keys axis"),
    "tril_indices_from": (indices_of("numpy.tril_indices_from", np.tril_indices_from), "arr/ k"),
    "triu_indices_from": (indices_of("numpy.triu_indices_from", np.triu_indices_from), "arr/ k"),
    "diag_indices_from": (indices_of("numpy.diag_indices_from", np.diag_indices_from), "arr/"),
    "compress": (compress, "condition/ a/ axis out"),
    "extract": (extract, "condition/ arr/"),
    "select": (select, "condlist choicelist default"),
    "choose": (choose, "a/ choices out mode"),
    "piecewise": (piecewise, "..."),
    "append": (append, "arr/ values/ axis"),
    "delete": (delete, "arr/ obj axis"),
    "insert": (insert, "arr/ obj values axis"),
    "resize": (resize, "a/ new_shape"),
    "trim_zeros": (trim_zeros, "filt/ trim axis"),
    "block": (block, "arrays"),
    "dstack": (dstack, "tup/"),
    "hsplit": (split_along("numpy.hsplit", 1, 1), "ary/ indices_or_sections/"),
    "vsplit": (split_along("numpy.vsplit", 0, 2), "ary/ indices_or_sections/"),
    "dsplit": (split_along("numpy.dsplit", 2, 3), "ary/ indices_or_sections/"),
    "rollaxis": (rollaxis, "a/ axis start"),
    "fliplr": (flipped("numpy.fliplr", 1, 2), "m/"),
    "flipud": (flipped("numpy.flipud", 0, 1), "m/"),
    "diagflat": (diagflat, "v/ k"),
    "array_equiv": (array_equiv, "a1/ a2/"),
    "ix_": (ix_, "*"),
    "lib.stride_tricks.sliding_window_view": (sliding_window_view, "x/ window_shape axis subok! writeable!"),
    "sort_complex": (sort_complex, "a/"),
    "apply_along_axis": (apply_along_axis, "..."),
    "apply_over_axes": (apply_over_axes, "..."),
    "packbits": (packbits, "a/ axis bitorder"),
    "unpackbits": (unpackbits, "a/ axis count bitorder"),
}
