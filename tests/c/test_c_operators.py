"""Each of the 134 operators returns the same bits in C as in Python."""

from __future__ import annotations

import ctypes as ct
from typing import Any

import pytest
from c_cases import SPECIAL, elementwise, takes
from interface import check, facts_of, facts_of_tensor, handles, integers_of, library

import suanzi as sz
from suanzi.conformance.providers.c_header import NONE, ints
from suanzi.operators.catalogue import CATALOGUE

pytestmark = pytest.mark.one_level

NAMES = [name.removeprefix("fft.") for name in CATALOGUE]
# Functions that return no tensor. Each of these functions has a test below.
QUERIES = ("shape", "size", "rank", "is_contiguous", "destroy")


def pairs(in_c: Any, in_python: Any) -> list[tuple[Any, Any]]:
    """Return pairs of a handle and a tensor, one pair for each result of a call."""
    if isinstance(in_python, sz.Tensor):
        return [(in_c, in_python)]
    assert len(in_c) == len(in_python)
    return list(zip(in_c, in_python, strict=True))


def test_every_operator_has_calls() -> None:
    written = {*SPECIAL, *QUERIES}
    assert {name for name in NAMES if name not in written and not takes(name)} == set()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in QUERIES])
def test_same_bits(name: str) -> None:
    case, count = SPECIAL.get(name, elementwise(name)), 0
    with handles(keeps=name in ("fft", "ifft")) as c:  # Fourier transforms cache tables of roots
        for in_c, in_python in case(c):
            for handle, tensor in pairs(in_c, in_python):
                assert facts_of(handle) == facts_of_tensor(tensor)
                count += 1
    assert count > 0


@pytest.mark.parametrize("shape", [(), (3,), (2, 0, 5), (2, 3)])
def test_queries(shape: tuple[int, ...]) -> None:
    x = sz.zeros(shape)
    with handles() as c:
        size, rank, contiguous = ct.c_int64(), ct.c_int64(), ct.c_bool()
        for handle, tensor in ((c.of(x), x), (c.call("transpose", c.of(x), None, 0), sz.transpose(x))):
            check(library().suanzi_size(handle, ct.byref(size)))
            check(library().suanzi_rank(handle, ct.byref(rank)))
            check(library().suanzi_is_contiguous(handle, ct.byref(contiguous)))
            assert (size.value, rank.value) == (sz.size(tensor), sz.rank(tensor))
            assert contiguous.value == sz.is_contiguous(tensor)
            assert integers_of(handle, "shape") == sz.shape(tensor)
            assert integers_of(handle, "strides") == tensor.stride()


def test_dims() -> None:
    """suanzi_dims returns the same pointer to the sizes at each call.

    For a sparse tensor, the sizes are the sizes of the equal dense tensor.
    """
    sparse = sz.sparse_tensor((2, 3), [[0, 1], [1, 2]], sz.ones((2, 5)))
    with handles() as c:
        blocks = [c.of(part) for part in (sparse.indices, sparse.values)]
        made = c.call("sparse_tensor", *ints((2, 3)), *blocks, -1, None, NONE, None, None)
        quantized = c.call("quantized_tensor", *ints((4, 2)), None, None, None, None, 0, None, None)
        views = [(c.of(sz.zeros(shape)), shape) for shape in ((), (3,), (2, 0, 5), (1, 2, 3, 4, 5, 6))]
        for handle, shape in (*views, (made, (2, 3, 5)), (c.call("clone", made), (2, 3, 5)), (quantized, (4, 2))):
            dims, again = ct.POINTER(ct.c_int64)(), ct.POINTER(ct.c_int64)()
            check(library().suanzi_dims(handle, ct.byref(dims)))
            check(library().suanzi_dims(handle, ct.byref(again)))
            assert tuple(dims[: len(shape)]) == shape == integers_of(handle, "shape")
            assert ct.addressof(dims.contents) == ct.addressof(again.contents)
        assert library().suanzi_dims(made, None) == sz.Status.INVALID_ARGUMENT.value
        assert library().suanzi_dims(c.scalar(1), ct.byref(dims)) == sz.Status.TYPE_MISMATCH.value


def test_destroy() -> None:
    with handles() as c:
        x = c.of([1.0, 2.0])
        check(library().suanzi_destroy(ct.byref(x)))
        assert x.value is None
        assert library().suanzi_destroy(ct.byref(x)) == sz.Status.UNINITIALIZED_OBJECT.value


def test_empty_is_legal() -> None:
    """suanzi_empty leaves elements uninitialised, but each bool is 0 or 1."""
    with handles() as c:
        facts = facts_of(c.call("empty", (ct.c_int64 * 2)(30, 40), 2, 0, None, None))
    assert facts[:3] == ("bool", (30, 40), (1, 0))
    assert set(facts[3]) <= {0, 1}
