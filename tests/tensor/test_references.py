"""`from_reference` with a shape returns a view if NumPy returns a view. Types in the other byte order are refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
import suanzi.interop.mindspore as ms
from samples import assert_same, fails
from suanzi import InvalidArgumentError, TypeMismatchError, array_api

COPIES = np.lib.NumpyVersion(np.__version__) >= "2.1.0"  # reshape has `copy` in this version and later
OTHER = ">" if sys.byteorder == "little" else "<"
TYPES = [f"{OTHER}{code}" for code in ("f4", "f8", "f2", "i2", "i8", "u4", "c8", "c16", "U3")]


def test_a_view_of_data_with_gaps() -> None:
    a = np.arange(12.0)
    x = suanzi.from_reference(a[::2], shape=(2, 3))
    assert_same(x, a[::2].reshape(2, 3))
    x[1, 2] = 7
    assert a[10] == 7


def factors(draw: st.DrawFn, size: int) -> tuple[int, ...]:
    shape = []
    while size > 1 and len(shape) < 4:
        n = draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0]))
        shape.append(n)
        size //= n
    return (*shape, size) if size != 1 or draw(st.booleans()) else tuple(shape)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, tuple[int, ...], tuple[int, ...] | None]:
    """Draw a slice of an array, a shape with as many elements, and a memory order of the shape or None."""
    whole = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    a = np.arange(prod(whole), dtype=np.float32).reshape(whole)
    part = a[tuple(slice(None, None, draw(st.sampled_from([1, 1, 2, -1, -2]))) for _ in whole)]
    part = part.transpose(draw(st.permutations(range(part.ndim))))
    if draw(st.integers(0, 5)) == 0:
        part = np.broadcast_to(part, (2, *part.shape))
    shape = factors(draw, part.size)
    order = tuple(draw(st.permutations(range(len(shape))))) if draw(st.booleans()) else None
    return part, shape, order


@pytest.mark.skipif(not COPIES, reason="NumPy does not say whether there is a view")
@given(cases())
def test_there_is_a_view_where_numpy_has_one(case: tuple[Any, tuple[int, ...], tuple[int, ...] | None]) -> None:
    a, shape, order = case
    slowest_first = tuple(range(len(shape))) if order is None else order[::-1]
    try:
        flat = np.reshape(a, [shape[axis] for axis in slowest_first], copy=False)
    except ValueError:
        with fails(InvalidArgumentError, "from_reference"):
            suanzi.from_reference(a, shape=shape, layout=order)
        return
    expected = flat.transpose([slowest_first.index(axis) for axis in range(len(shape))])
    x = suanzi.from_reference(a, shape=shape, layout=order)
    assert_same(x, expected)
    assert np.shares_memory(x.numpy(), a)


def test_a_reference_as_another_number_of_elements() -> None:
    for data in (np.zeros(6)[::2], np.zeros(6), bytearray(6)):
        with fails(suanzi.DimensionsMismatchError, "from_reference"):
            suanzi.from_reference(data, shape=(4, 4))


# --- the other byte order


ENTRIES: dict[str, Callable[[Any], Any]] = {
    "tensor": lambda t: suanzi.tensor([1], dtype=t),
    "from_reference": lambda t: suanzi.from_reference(bytearray(48), dtype=t),
    "zeros": lambda t: suanzi.zeros(2, dtype=t),
    "empty": lambda t: suanzi.empty(2, dtype=t),
    "full": lambda t: suanzi.full(2, 1, dtype=t),
    "arange": lambda t: suanzi.arange(2, dtype=t),
    "eye": lambda t: suanzi.eye(2, dtype=t),
    "zeros_like": lambda t: suanzi.zeros_like(suanzi.ones(2), dtype=t),
    "uniform": lambda t: suanzi.uniform(2, 0, 1, dtype=t),
    "astype": lambda t: suanzi.astype(suanzi.ones(2), t),
    "view": lambda t: suanzi.ones(4).view(t),
    "sum": lambda t: suanzi.sum(suanzi.ones(4), dtype=t),
    "sparse_tensor": lambda t: suanzi.sparse_tensor((2,), [[0]], [1.0], dtype=t),
    "as_dtype": suanzi.as_dtype,
    "Tensor": lambda t: ms.Tensor([1], dtype=t),
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("entry", ENTRIES)
def test_a_type_in_another_byte_order_is_none(entry: str, dtype: str) -> None:
    for named in (dtype, np.dtype(dtype)):
        with pytest.raises(TypeMismatchError, match=rf"^{entry}: .*{dtype}.* is not an element type; .* byte order"):
            ENTRIES[entry](named)


def test_the_namespace_of_the_array_api_has_none_either() -> None:
    other = np.dtype(f"{OTHER}f4")
    for call in (lambda: array_api.asarray([1], dtype=other), lambda: array_api.astype(suanzi.ones(2), other)):
        with pytest.raises(TypeMismatchError, match="byte order"):
            call()


@pytest.mark.parametrize("dtype", TYPES)
def test_it_equals_no_element_type(dtype: str) -> None:
    own = suanzi.as_dtype(dtype[1:])
    assert own == dtype[1:]
    assert own != dtype
    assert own != np.dtype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_of_it_are_converted_and_not_shared(dtype: str) -> None:
    a = np.array(["a", "b"] if "U" in dtype else [1, 2]).astype(dtype)
    assert suanzi.tensor(a).tolist() == a.tolist()
    assert suanzi.tensor(a).dtype is suanzi.as_dtype(a.dtype.newbyteorder("="))
    with fails(InvalidArgumentError, "from_reference"):
        suanzi.from_reference(a)


@pytest.mark.parametrize("dtype", ["=f4", "f4", "u1", ">u1", "<u1", "|u1", "?", np.dtype("float64")])
def test_types_in_the_order_of_the_machine(dtype: Any) -> None:
    assert suanzi.zeros(1, dtype=dtype).dtype.numpy == np.dtype(dtype)
