"""Tests of functions that make tensors from lists of tensors, from arrays, and from objects that export memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import AllocFailedError, DimensionsMismatchError, InvalidArgumentError, TypeMismatchError
from suanzi import array_api as xp


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(), (1,), (0,), (3,), (2, 3)], ids=str)
def test_tensors_in_lists(shape: tuple[int, ...], dtype: str) -> None:
    """`tensor` stacks the tensors of a list, whatever their layout. Tensors of different types are promoted."""
    rng = np.random.default_rng(len(shape))
    t = suanzi.as_dtype(dtype)
    parts = [suanzi.tensor(rng.integers(0, 2, shape).astype(t.numpy), dtype=dtype) for _ in range(6)]
    strided = [suanzi.stack([x, x], -1)[..., 0] for x in parts]
    wanted = np.stack([x.numpy() for x in parts])
    for given in (parts, tuple(parts), strided, [parts[0], *strided[1:]]):
        found = suanzi.tensor(given)
        assert found.dtype is t
        assert np.array_equal(found.numpy(), wanted)
        assert np.array_equal(suanzi.tensor([list(given[:3]), given[3:]]).numpy(), wanted.reshape(2, 3, *shape))
    if shape == ():
        assert suanzi.tensor([parts[0], suanzi.tensor(1.5, dtype="float64")]).ndim == 1
        assert suanzi.tensor(parts, dtype="complex128").dtype is suanzi.complex128
    elif shape != (0,):
        with fails(DimensionsMismatchError, "tensor"):
            suanzi.tensor([parts[0], suanzi.zeros((9, *shape), dtype=dtype)])
    with fails(DimensionsMismatchError, "tensor"):
        suanzi.tensor([[parts[0], parts[1]], [parts[2]]])


def test_destroyed_tensors_in_lists() -> None:
    gone = suanzi.ones(())
    suanzi.destroy(gone)
    for given in ([gone, suanzi.ones(())], [suanzi.ones(()), gone]):
        with fails(suanzi.UninitializedObjectError, "tensor"):
            suanzi.tensor(given)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32", "complex64", ">f4", "<i8", "U3"])
def test_copies_of_arrays(dtype: str) -> None:
    """`tensor` copies arrays of any strides and byte order. The copies are contiguous and share no memory."""
    whole = np.arange(60).reshape(3, 4, 5).astype(dtype)
    for a in (
        whole,
        whole.T,
        whole[::-1, ::2],
        whole[:0],
        whole[1, 2, 3:4],
        np.broadcast_to(whole[:, :, :1], (3, 4, 2)),
    ):
        before = a.copy()
        x = suanzi.tensor(a)
        assert x.is_contiguous()
        assert np.array_equal(x.numpy(), before)
        if a.size and a.flags.writeable:
            a[...] = a.dtype.type(9)
            assert np.array_equal(x.numpy(), before)
            a[...] = before
    assert suanzi.tensor(np.array(5, whole.dtype)).shape == ()


def test_memory_that_its_owner_refuses() -> None:
    """PyTorch refuses to export a parameter, which requires a gradient."""

    class Parameter:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("use tensor.detach()")

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

    for function, said in ((suanzi.tensor, "read"), (suanzi.from_reference, "shared"), (suanzi.from_dlpack, "shared")):
        with pytest.raises(InvalidArgumentError, match=rf"of a Parameter cannot be {said}: use tensor\.detach\(\)"):
            function(Parameter())


def test_devices_without_a_number() -> None:
    """PyTorch raises ValueError for a tensor on its device "meta", which DLPack does not know."""

    class Meta:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError

        def __dlpack_device__(self) -> tuple[int, int]:
            raise ValueError("unknown device type meta")

    for function, said in ((suanzi.tensor, "read"), (suanzi.from_reference, "shared"), (suanzi.from_dlpack, "shared")):
        with pytest.raises(
            InvalidArgumentError, match=f"^{function.__name__}: .* Meta cannot be {said}: unknown device"
        ):
            function(Meta())


@pytest.mark.parametrize("device", [2, 4, 10])  # kDLCUDA, kDLOpenCL and kDLROCM in dlpack.h
def test_memory_on_a_device_that_does_not_exist(device: int) -> None:
    class Elsewhere:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("the device is absent")

        def __dlpack_device__(self) -> tuple[int, int]:
            return device, 0

    for function in (suanzi.tensor, suanzi.from_reference, suanzi.from_dlpack):
        with pytest.raises(InvalidArgumentError, match=f"^{function.__name__}: the memory of a Elsewhere"):
            function(Elsewhere())


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        ([1, 2**53 + 1], suanzi.int64),
        ([2**63 - 1, -(2**63)], suanzi.int64),
        ([2**64 - 1, 0], suanzi.uint64),
        ([True, False], suanzi.bool),
        ([np.int8(3), np.int8(-4)], suanzi.int8),
        ([1, 0.5], suanzi.float64),
        ([2**70, 1], suanzi.float64),
    ],
)
def test_arrays_of_objects_in_lists(numbers: list[Any], dtype: Any) -> None:
    array = np.array(numbers, object)
    for data, expected in (([array], [numbers]), ((array, array), [numbers, numbers])):
        made = suanzi.tensor(data)
        assert made.dtype is dtype
        assert made.tolist() == expected


@pytest.mark.parametrize("device", [(), [], {}, ""], ids=repr)
def test_dlpack_devices_without_a_number(device: Any) -> None:
    class Nowhere:
        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("the device is absent")

        def __dlpack_device__(self) -> Any:
            return device

    for function in (suanzi.tensor, suanzi.from_reference, suanzi.from_dlpack):
        with pytest.raises(InvalidArgumentError, match=rf"^{function.__name__}: .* Nowhere .* returns no device"):
            function(Nowhere())


@pytest.mark.parametrize("copy", ["no", 3, 0, np.array([1, 2])], ids=repr)
def test_from_dlpack_reads_copy(copy: Any) -> None:
    for function in (suanzi.from_dlpack, xp.from_dlpack):
        for data in (np.arange(3), suanzi.arange(3)):
            with pytest.raises(TypeMismatchError, match=r"^from_dlpack: copy must be True or False, not"):
                function(data, copy=copy)
    array = np.arange(3)
    shared, copied = (suanzi.from_dlpack(array, copy=c) for c in (np.False_, np.True_))
    array[0] = 7
    assert (shared[0].item(), copied[0].item()) == (7, 0)


def test_sequences_that_no_memory_holds() -> None:
    x, endless = suanzi.ones(3), range(2**62)
    for operator, call in (
        ("tensor", lambda: suanzi.tensor(endless)),
        ("index", lambda: x[endless]),
        ("quantize", lambda: suanzi.quantize(x, endless)),  # type: ignore[arg-type]
        ("asarray", lambda: xp.asarray(endless)),
    ):
        with pytest.raises(AllocFailedError, match=rf"^{operator}: data range\(0, {2**62}\) has more elements"):
            call()
