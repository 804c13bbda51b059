"""Arrays and other arguments as text that can be pasted into Python with `numpy` imported.

Small arrays are written in full. If `made` has stored the formula of a large array, the text is the formula. If the
elements of a large array repeat or count up, the text is an expression. Other arrays become base64 of compressed bytes,
up to a limit. An array with strides is written as slices of its memory.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

import numpy as np

from .oracle.element_types import Array

_WRITTEN_OUT = 64  # the most elements that are written in full
_LONGEST_PERIOD = 1100
_LONGEST_BASE64 = 100_000  # characters
_FORMULAS: dict[tuple[str, tuple[int, ...], int], str] = {}  # the formula for each type, shape and hash of the elements


def made(formula: str) -> Array:
    """Return the array that a formula of `numpy` makes, and store the formula as the text of the array."""
    array: Array = eval(formula, {"numpy": np})
    _FORMULAS[_key(array)] = formula
    return array


def _key(x: Array) -> tuple[str, tuple[int, ...], int]:
    return x.dtype.name, x.shape, zlib.crc32(np.ascontiguousarray(x).view(np.uint8).data)


def imports(text: str) -> list[str]:
    """Return the imports that a text needs."""
    modules = ("numpy", "base64", "zlib")
    needed = [module for module in modules if f"{module}." in text]
    return [f"import {module}" for module in (*needed, *(["ml_dtypes"] if "bfloat16" in text else []))]


def plain_text(x: Any) -> str:
    """Return a number, a text, or a sequence of numbers and texts as code."""
    if isinstance(x, np.generic):
        return array_text(np.asarray(x)) + "[()]"
    if isinstance(x, np.ndarray):
        return array_text(x)
    if isinstance(x, list):
        return f"[{', '.join(map(plain_text, x))}]"
    if isinstance(x, tuple):
        return f"({', '.join(map(plain_text, x))}{',' * (len(x) == 1)})"
    if isinstance(x, float | complex) and not np.isfinite(x):
        return f"{type(x).__name__}('{x}')"
    return repr(x)


def replica(x: Array) -> Array:
    """Return a copy of an array and of the surrounding memory, with the same strides."""
    memory, offset = _memory(x)
    if memory is None or x.flags.c_contiguous:
        return x.copy()
    return _strided(memory.copy(), offset, x.shape, x.strides)


def array_text(x: Array) -> str:
    """Return an expression that makes an array with the same strides."""
    apart = tuple(0 if n > 1 and s == 0 else slice(None) for n, s in zip(x.shape, x.strides, strict=True))
    if x.size and 0 in apart:
        kept = tuple(slice(0, 1) if a == 0 else a for a in apart)
        return f"numpy.broadcast_to({array_text(x[kept])}, {x.shape})"
    if x.flags.c_contiguous or x.size <= 1:
        return _contiguous_text(np.ascontiguousarray(x).reshape(x.shape))
    memory, offset = _memory(x)
    if memory is None:
        return _contiguous_text(np.ascontiguousarray(x))
    for shape in _memory_shapes(memory, x):
        shaped = memory.reshape(-1)[: prod(shape)].reshape(shape)
        if (slices := _slices(shaped, offset, x)) is not None:
            return _contiguous_text(shaped) + slices
    given = f"{_contiguous_text(memory.reshape(-1))}[{offset}:], {x.shape}, {x.strides}"
    return f"numpy.lib.stride_tricks.as_strided({given})"


def _contiguous_text(x: Array) -> str:
    name = _type_text(x)
    if x.size == 0:
        return f"numpy.zeros({x.shape}, {name})"
    if x.size <= _WRITTEN_OUT:
        return _literal(x)
    if x.dtype.kind == "U":
        return _repeated(x) or f"numpy.array({x.ravel().tolist()!r}).reshape({x.shape})"
    if (formula := _FORMULAS.get(_key(x))) is not None:
        return formula
    if x.tobytes() == x.ravel()[:1].tobytes() * x.size:
        return f"numpy.resize({_literal(x.ravel()[:1])}, {x.shape})"
    return _counted(x) or _repeated(x) or _compressed(x)


def _type_text(x: Array) -> str:
    return f'"{x.dtype.str if x.dtype.kind == "U" else x.dtype.name}"'


def _literal(x: Array) -> str:
    """Return the elements as text if the text restores the same bits, or else the elements' bytes."""
    elements = np.empty(x.shape, object)
    for at in np.ndindex(x.shape):
        elements[at] = _Verbatim(_element(x[at]))
    text = f"numpy.array({elements.tolist()!r}, {_type_text(x)})"
    try:
        again = eval(text, {"numpy": np})
    except Exception:
        return _compressed(x)
    return text if again.shape == x.shape and again.tobytes() == x.tobytes() else _compressed(x)


class _Verbatim:
    """A text whose `repr` is the text itself."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _element(x: Any) -> str:
    if x.dtype.kind == "c":
        parts = [_element(x.real), _element(x.imag)]
        return f"complex({', '.join(parts)})"
    if x.dtype.kind in "fV":  # the shortest number that rounds to the same element
        scientific = x.dtype.kind == "f" and x != 0 and not 1e-4 < abs(float(x)) < 1e8
        text = np.format_float_scientific(x) if scientific else str(x)
        return {"nan": "numpy.nan", "inf": "numpy.inf", "-inf": "-numpy.inf"}.get(text, text)
    return repr(x.item())


@np.errstate(all="ignore")  # the steps may leave the type's range; the comparison of the bytes finds that
def _counted(x: Array) -> str | None:
    """Return an expression for numbers, or bit patterns, that increase by the same step."""
    flat = x.ravel()
    if x.dtype.kind in "iuf" and (np.abs(flat[:2].astype(np.float64)) < 2**53 / x.size).all():
        first, second = (int(v) for v in flat[:2].astype(object))
        step = second - first
        if step:
            text = f"numpy.arange({first}, {first + step * x.size}, {step}).astype({_type_text(x)})"
            if np.arange(first, first + step * x.size, step).astype(x.dtype).tobytes() == flat.tobytes():
                return f"{text}.reshape({x.shape})" if x.ndim != 1 else text
    if x.dtype.itemsize == 4 and x.dtype.kind == "f":
        bits = flat.view(np.uint32)
        first = int(bits[0])
        if first + x.size <= 2**32 and np.array_equal(bits, np.arange(first, first + x.size, dtype=np.uint32)):
            text = f'numpy.arange({first:#x}, {first + x.size:#x}, dtype="uint32").view({_type_text(x)})'
            return f"{text}.reshape({x.shape})" if x.ndim != 1 else text
    return None


def _repeated(x: Array) -> str | None:
    """Return an expression for elements that repeat with a period."""
    flat = x.ravel()
    items = np.ascontiguousarray(flat).view(np.dtype((np.void, x.dtype.itemsize)))
    data, size = items.tobytes(), x.dtype.itemsize
    for period in range(2, min(_LONGEST_PERIOD, x.size // 2) + 1):
        shift = period * size
        if data[:64] == data[shift : shift + 64] and data[shift:] == data[:-shift]:
            return f"numpy.resize({array_text(flat[:period].copy())}, {x.shape})"
    return None


def _compressed(x: Array) -> str:
    text = base64.b64encode(zlib.compress(x.tobytes(), 9)).decode()
    if len(text) > _LONGEST_BASE64:
        return f"<{x.dtype} of shape {x.shape}, which are too many elements for text>"
    made_of = f'numpy.frombuffer(zlib.decompress(base64.b64decode("{text}")), {_type_text(x)}).copy()'
    return made_of if x.ndim == 1 else f"{made_of}.reshape({x.shape})"


# Strides.


def _memory(x: Array) -> tuple[Array | None, int]:
    """Return the contiguous array whose memory contains an array, or None, and the place of the array's first
    element.
    """
    memory = x
    while isinstance(base := getattr(memory.base, "base", None) if _is_dummy(memory.base) else memory.base, np.ndarray):
        if base.dtype != x.dtype:
            break
        memory = base
    if not memory.flags.c_contiguous:
        memory = memory.T if memory.flags.f_contiguous else np.empty(0, x.dtype)
    offset = x.__array_interface__["data"][0] - memory.__array_interface__["data"][0]
    inside = 0 <= offset < memory.nbytes and offset % x.itemsize == 0 and not any(s % x.itemsize for s in x.strides)
    return (memory, offset // x.itemsize) if inside else (None, 0)


def _is_dummy(base: Any) -> bool:
    """Return whether `base` is the object that `as_strided` puts between an array and its memory."""
    return base is not None and not isinstance(base, np.ndarray)


def _strided(memory: Array, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    return np.lib.stride_tricks.as_strided(memory.reshape(-1)[offset:], shape, strides)


def _memory_shapes(memory: Array, x: Array) -> Iterator[tuple[int, ...]]:
    """Yield possible shapes of the memory that contains a slice. NumPy does not store the memory's shape before a
    reshape.
    """
    yield memory.shape
    strides = sorted((abs(s) // x.itemsize for s, n in zip(x.strides, x.shape, strict=True) if n > 1), reverse=True)
    for steps in product((1, 2, 3, 4), repeat=max(len(strides) - 1, 0)):
        shape: list[int] = []  # the shape of the inner dimensions
        for stride, step in zip(strides[-2::-1], steps, strict=True):
            row, rest = divmod(stride, step * prod(shape))
            if rest or row == 0:
                break
            shape.insert(0, row)
        else:
            yield (memory.size // prod(shape), *shape)


def _slices(memory: Array, offset: int, x: Array) -> str | None:
    """Return the slices of the memory, and the order of dimensions, that make the array, or None."""
    sizes = memory.shape
    steps = [prod(sizes[axis + 1 :]) for axis in range(memory.ndim)]  # the steps in elements, not in bytes
    begins, left = [], offset
    for step in steps:
        begins.append(left // step)
        left %= step
    axes: list[int] = []
    for n, stride in zip(x.shape, (s // x.itemsize for s in x.strides), strict=True):
        fits = (a for a, step in enumerate(steps) if a not in axes and n > 1 and abs(stride) % step == 0)
        axis = next((a for a in fits if abs(stride) // steps[a] * (n - 1) < sizes[a]), None)
        if axis is None:
            return None
        axes.append(axis)
    places = {axis: place for place, axis in enumerate(axes)}
    parts = []
    for axis, begin in enumerate(begins):
        if axis not in places:
            parts.append(str(begin))
            continue
        n, step = x.shape[places[axis]], x.strides[places[axis]] // x.itemsize // steps[axis]
        end = begin + step * (n - 1) + (1 if step > 0 else -1)
        parts.append(_slice_text(begin, end, step, sizes[axis]))
    order = tuple(places[axis] for axis in sorted(places))
    inverse = tuple(order.index(place) for place in range(x.ndim))
    text = f"[{', '.join(parts)}]" + ("" if inverse == tuple(range(x.ndim)) else f".transpose({inverse})")
    again = eval(f"memory{text}", {"memory": memory})
    same = again.shape == x.shape and again.strides == x.strides
    return text if same and again.__array_interface__["data"] == x.__array_interface__["data"] else None


def _slice_text(begin: int, end: int, step: int, size: int) -> str:
    first = "" if begin == (0 if step > 0 else size - 1) else str(begin)
    last = "" if (end < 0 if step < 0 else end + step > size) else str(end)
    return f"{first}:{last}" + ("" if step == 1 else f":{step}")
