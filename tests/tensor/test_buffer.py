"""Tests of the buffer protocol as C code reads it. A tensor fills in the requested fields of a Py_buffer."""

from __future__ import annotations

import ctypes
from math import prod

import numpy as np
import pytest

import suanzi

pytestmark = pytest.mark.one_level

WRITABLE, FORMAT, ND, STRIDES = 0x1, 0x4, 0x8, 0x10 | 0x8


class View(ctypes.Structure):
    """The C structure Py_buffer (Python's documentation, 'Buffer Protocol')."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


@pytest.mark.parametrize("name", ["bool", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)), "float32"])
def test_numpy_knows_the_type_by_its_number(name: str) -> None:
    """NumPy's arrays on a tensor's buffer have the type number of NumPy's own arrays. C code compares type numbers, and
    NumPy has two numbers for 64-bit integers.
    """
    x = suanzi.zeros(2, dtype=name)
    assert np.asarray(memoryview(x)).dtype.num == np.dtype(name).num


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4), (2, 1, 2)])
@pytest.mark.parametrize("flags", [0, WRITABLE, FORMAT, ND, ND | FORMAT, STRIDES, STRIDES | FORMAT | WRITABLE])
def test_what_a_view_holds(shape: tuple[int, ...], flags: int) -> None:
    x = suanzi.zeros(shape)
    view = View()
    assert ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), ctypes.byref(view), flags) == 0
    try:
        assert (view.len, view.itemsize, view.readonly) == (4 * prod(shape), 4, 0)
        assert view.format == (b"f" if flags & FORMAT else None)
        # If the consumer requests no shape, the buffer is one row of bytes.
        assert view.ndim == (len(shape) if flags & ND else min(len(shape), 1))
        if shape:
            assert bool(view.shape) == (flags & ND != 0)
            assert bool(view.strides) == (flags & STRIDES == STRIDES)
        if flags & ND:
            assert tuple(view.shape[: view.ndim]) == shape
    finally:
        ctypes.pythonapi.PyBuffer_Release(ctypes.byref(view))
