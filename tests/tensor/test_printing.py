"""Tensors as text, against NumPy's own."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from samples import NAMES, sample

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
EVIDENT = ("bool", "float32", "complex64")


def printed(name: str) -> Any:
    """The type in which NumPy prints the elements: bfloat16 as the float32 that it is."""
    return np.dtype("float32" if name == "bfloat16" else name)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@given(SHAPES, st.sampled_from(NAMES))
def test_str_is_that_of_numpy(shape: tuple[int, ...], name: str) -> None:
    a = sample(shape, name)
    assert str(suanzi.tensor(a)) == str(a.astype(printed(name)))


@given(SHAPES, st.sampled_from([n for n in NAMES if n != "bfloat16"]))
def test_repr_is_that_of_numpy_under_another_name(shape: tuple[int, ...], name: str) -> None:
    a = sample(shape, name)
    elements = np.array2string(a, separator=", ", prefix="tensor(", suffix=")")
    text = repr(suanzi.tensor(a))
    assert text.startswith(f"tensor({elements}")
    assert (f"dtype={name}" in text) == (name not in EVIDENT)
    assert (f"shape={shape}" in text) == ((a.size == 0 and a.ndim != 1) or a.size > 1000)


@given(
    hnp.arrays(
        st.sampled_from([np.float16, np.float32, np.float64, np.complex64]),
        hnp.array_shapes(max_dims=2, max_side=5),
        elements={"allow_nan": True, "allow_infinity": True},
    )
)
def test_any_floating_number(a: Any) -> None:
    assert str(suanzi.tensor(a)) == str(a)


@pytest.mark.parametrize(
    ("data", "options", "text"),
    [
        ([], {}, "tensor([])"),
        (3, {}, "tensor(3.)"),
        ([1, 2], {}, "tensor([1., 2.])"),
        ([True, False], {}, "tensor([ True, False])"),
        ([1, 2], {"dtype": "int8"}, "tensor([1, 2], dtype=int8)"),
        ([1j], {"dtype": "complex128"}, "tensor([0.+1.j], dtype=complex128)"),
        ([0.1, 1e10], {"dtype": "bfloat16"}, "tensor([1.00097656e-01, 9.99922074e+09], dtype=bfloat16)"),
        ([[1, 2], [3, 4]], {}, "tensor([[1., 2.],\n        [3., 4.]])"),
    ],
)
def test_examples(data: Any, options: Any, text: str) -> None:
    assert repr(suanzi.tensor(data, **options)) == text


def test_long_tensors_are_summarised() -> None:
    x = suanzi.arange(2000)
    assert (
        repr(x)
        == "tensor([0.000e+00, 1.000e+00, 2.000e+00, ..., 1.997e+03, 1.998e+03,\n        1.999e+03], shape=(2000,))"
    )
    assert str(x) == str(np.arange(2000, dtype=np.float32))
    assert squeezed(repr(suanzi.zeros((2000, 2), dtype="int8"))).endswith("shape=(2000, 2), dtype=int8)")


def test_print_options_of_numpy_apply() -> None:
    x = suanzi.tensor([1 / 3, 2 / 3])
    with np.printoptions(precision=2):
        assert repr(x) == "tensor([0.33, 0.67])"
    with np.printoptions(threshold=1):
        assert "shape=(2,)" in repr(x)
    with np.printoptions(linewidth=20):
        assert max(map(len, repr(suanzi.arange(9, dtype="int16")).splitlines())) <= 20


def test_the_type_moves_to_the_next_line_where_it_does_not_fit() -> None:
    text = repr(suanzi.arange(23, dtype="int64"))
    assert all(len(line) <= 75 for line in text.splitlines())
    assert repr(suanzi.full(16, 10, dtype="int16")).splitlines()[-1] == "       dtype=int16)"


@pytest.mark.parametrize("view", [lambda x: x.T, lambda x: x[::-1, ::2], lambda x: suanzi.expand(x, (2, 3, 4))])
def test_views(view: Any) -> None:
    a = sample((3, 4))
    assert str(view(suanzi.tensor(a))) == str(view(suanzi.tensor(a)).numpy())


def test_empty_shapes_larger_than_memory() -> None:
    x = suanzi.zeros((2**62, 2**62, 0))
    assert (str(x), repr(x)) == ("[]", f"tensor([], shape=({2**62}, {2**62}, 0))")
