"""`strides` counts bytes, as NumPy's arrays do, and `stride` counts elements, as PyTorch's tensors do."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.linalg import circulant

import suanzi
from samples import NAMES, destroyed, fails, sample
from suanzi import InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError, UninitializedObjectError

pytestmark = pytest.mark.one_level

SHAPE = (2, 3, 4)
KEYS: tuple[Any, ...] = (
    ...,
    (slice(None, None, -1), ..., slice(None, None, -2)),
    (slice(None), slice(1, None)),
    (0, slice(None, None, 2)),
    (0, 0, 0),
    (None, ..., None),
)


def views(name: str) -> list[tuple[Tensor, Any]]:
    """Return tensors and equal arrays that NumPy made in the same way."""
    a = sample(SHAPE, name)
    found = [(suanzi.tensor(a), a)]
    for axes in permutations(range(3)):
        found.append((suanzi.permute_dims(found[0][0], axes), a.transpose(axes)))
    found += [(suanzi.expand(x, (2, *x.shape)), np.broadcast_to(b, (2, *b.shape))) for x, b in found]
    found += [(x.real, b.real) for x, b in found if name.startswith("complex")]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_strides_count_bytes(name: str) -> None:
    seen = set()
    for x, a in views(name):
        for key in KEYS:
            y, b = x[key], a[key]
            if np.ndim(b) == 0:
                assert (y.strides, y.stride()) == ((), ())
                continue
            kept = [axis for axis in range(b.ndim) if b.shape[axis] > 1]  # the stride of one element means nothing
            assert [y.strides[axis] for axis in kept] == [b.strides[axis] for axis in kept]
            assert y.stride() == tuple(step // b.itemsize for step in y.strides)
            seen |= {np.sign(b.strides[axis]) for axis in kept}
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "bfloat16"])
def test_buffers_have_the_same_strides(name: str) -> None:
    for x in (suanzi.tensor(sample(SHAPE, name)), suanzi.tensor(sample(SHAPE, name), layout=(1, 2, 0))[:, ::-1]):
        assert x.strides == x.numpy().strides == memoryview(x).strides


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_layouts(order: tuple[int, ...]) -> None:
    for name, size in (("int8", 1), ("float16", 2), ("float32", 4), ("complex128", 16), ("string", 16)):
        x = suanzi.full(SHAPE, "a" if name == "string" else 1, dtype=name, layout=order)
        step = 1
        for axis in order:
            assert (x.stride(axis), x.strides[axis]) == (step, step * size)
            step *= SHAPE[axis]


def test_one_axis() -> None:
    x: Any = suanzi.zeros(SHAPE)[:, ::-1]
    assert x.stride() == x.stride(None) == (12, -4, 1)
    assert [x.stride(axis) for axis in range(-3, 3)] == [12, -4, 1, 12, -4, 1]
    assert x.stride(np.int8(1)) == x.stride(suanzi.tensor(1, dtype="int64")) == -4
    assert all(type(step) is int for step in (*x.strides, *x.stride(), x.stride(0)))
    for axis in (3, -4, 2**63):
        with fails(OutOfRangeError, "stride"):
            x.stride(axis)
    with fails(OutOfRangeError, "stride"):
        suanzi.tensor(1.0).stride(0)
    for wrong in (1.0, True, "0", (0,)):
        with fails(TypeMismatchError, "stride"):
            x.stride(wrong)
    with pytest.raises(TypeError, match="at most one argument"):
        x.stride(0, 1)
    with fails(UninitializedObjectError, "stride"):
        destroyed().stride()


def test_an_axis_that_destroys_the_tensor() -> None:
    x: Any = suanzi.zeros(3)

    class Axis:
        def __index__(self) -> int:
            x.destroy()
            return 0

    with fails(UninitializedObjectError, "stride"):
        x.stride(Axis())


def test_strides_are_not_set() -> None:
    x: Any = suanzi.zeros(3)
    with pytest.raises(AttributeError, match=r"as_strided\(x, x\.shape, x\.strides\)"):
        x.strides = (8,)


def test_windows() -> None:
    """`as_strided` reads the memory of a tensor by the strides of the tensor."""
    a = np.arange(40, dtype="float32").reshape(5, 8)
    x, as_strided = suanzi.from_reference(a), np.lib.stride_tricks.as_strided

    def windows(m: Any) -> Any:
        return as_strided(m, (*(n - 2 for n in m.shape), 3, 3), m.strides * 2)

    for y, b in ((x, a), (x.T, a.T), (x[1:, ::2], a[1:, ::2]), (x[::-1, ::-1], a[::-1, ::-1])):
        assert windows(y).tolist() == windows(b).tolist()
        assert np.shares_memory(windows(y), a)


@pytest.mark.parametrize("name", ["float64", "float32", "int16", "complex64"])
def test_circulant_matrices(name: str) -> None:
    for a in (sample((5,), name), sample((6,), name)[::-2], sample((2, 3), name)):
        assert np.array_equal(circulant(suanzi.tensor(a)), circulant(a))


def test_messages_count_elements() -> None:
    x = suanzi.zeros((2, 3)).T
    with pytest.raises(InvalidArgumentError, match=r"^reshape: strides of \(1, 3\) elements do not allow shape \(6,\)"):
        suanzi.array_api.reshape(x, (6,), copy=False)
    with pytest.raises(InvalidArgumentError, match=r"with strides of \(1, 3\) elements would need a copy"):
        suanzi.from_reference(x.numpy(), shape=(6,))
    with pytest.raises(BufferError, match=r"negative strides of \(-1,\) elements are not exported"):
        suanzi.zeros(3)[::-1].__dlpack__(copy=False)
