"""Tests of the text of tensors, which equals NumPy's text of the same elements."""

from __future__ import annotations

import inspect
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import suanzi
from samples import NAMES, fails, sample
from suanzi import InvalidArgumentError, OutOfRangeError, TypeMismatchError

pytestmark = pytest.mark.one_level

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
EVIDENT = ("bool", "float32", "complex64")


def printed(name: str) -> Any:
    """Return the NumPy type whose text equals the text of the type `name`. For bfloat16, the result is float32."""
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


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2},
        {"threshold": 5, "edgeitems": 1},
        {"linewidth": 30},
        {"suppress": True, "precision": 3},
        {"sign": "+", "floatmode": "fixed"},
        {"threshold": 10**6},
    ],
)
def test_options_of_our_own(options: Any) -> None:
    """A tensor's text equals NumPy's text with the same options. Suanzi's options do not change NumPy's options."""
    a = (np.arange(1200, dtype=np.float32) / 7).reshape(20, 60) * np.float32(1e-3)
    x, before, plain = suanzi.tensor(a), suanzi.get_printoptions(), np.get_printoptions()
    with np.printoptions(**options):
        text, long = str(a), repr(x)
    with suanzi.printoptions(**options):
        assert (str(x), repr(x)) == (text, long)
        assert suanzi.get_printoptions() == {**before, **options}
        assert np.get_printoptions() == plain
    assert str(x) == str(a)
    suanzi.set_printoptions(**options)
    try:
        assert (str(x), repr(x)) == (text, long)
    finally:
        suanzi.set_printoptions(**before)
    assert str(x) == str(a)


def test_options_within_options() -> None:
    x = suanzi.tensor([1 / 3])
    with suanzi.printoptions(precision=2):
        with suanzi.printoptions(sign="+"):
            assert repr(x) == "tensor([+0.33])"
        assert repr(x) == "tensor([0.33])"


def test_options_in_other_threads() -> None:
    """`set_printoptions` affects all threads, and `printoptions` affects only the current thread."""
    x, before = suanzi.tensor([1 / 3]), suanzi.get_printoptions()
    suanzi.set_printoptions(precision=3)
    try:
        with suanzi.printoptions(precision=1), ThreadPoolExecutor(1) as pool:
            assert (repr(x), pool.submit(repr, x).result()) == ("tensor([0.3])", "tensor([0.333])")
    finally:
        suanzi.set_printoptions(**before)


def test_options_of_other_kinds_of_tensor() -> None:
    x = suanzi.tensor([1 / 3, 0])
    with suanzi.printoptions(precision=2):
        assert "0.33" in repr(suanzi.to_sparse(x))
        assert "0.333" not in repr(suanzi.to_sparse(x))
        assert repr(suanzi.quantize(x, scale=1 / 3, dtype="qint8")).startswith("quantized_tensor([0.33, 0.  ]")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"precision": -1}, InvalidArgumentError),
        ({"precision": 1.5}, TypeMismatchError),
        ({"edgeitems": -1}, InvalidArgumentError),
        ({"linewidth": "wide"}, TypeMismatchError),
        ({"threshold": 2**70}, OutOfRangeError),
        ({"suppress": 1}, TypeMismatchError),
        ({"sign": "x"}, InvalidArgumentError),
        ({"floatmode": "nonsense"}, InvalidArgumentError),
    ],
)
def test_wrong_options(options: Any, error: Any) -> None:
    before = suanzi.get_printoptions()
    with fails(error, "set_printoptions"):
        suanzi.set_printoptions(**{"precision": 3, **options})
    with fails(error, "printoptions"), suanzi.printoptions(**options):
        pass
    assert suanzi.get_printoptions() == before


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


@pytest.mark.parametrize("text", [repr, str])
def test_elements_that_change_while_they_are_printed(text: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy reads the elements twice. Another thread may write in between, here after the first reading."""
    x = suanzi.full(3, float("inf"))
    sparse = suanzi.to_sparse(x)
    expected = text(x), text(sparse)
    formatter = inspect.unwrap(np.array2string).__globals__["FloatingFormat"]
    read = formatter.fillFormat

    def read_and_write(self: Any, data: Any) -> None:
        read(self, data)
        x[...] = 1.5
        sparse.values[...] = 1.5

    monkeypatch.setattr(formatter, "fillFormat", read_and_write)
    assert text(x) == expected[0]
    assert x.tolist() == [1.5] * 3
    sparse.values[...] = float("inf")
    assert text(sparse) == expected[1]


@given(
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=9),
    st.integers(0, 5),
    st.integers(0, 40),
    st.sampled_from(NAMES),
)
def test_summaries_of_any_shape(shape: tuple[int, ...], edgeitems: int, threshold: int, name: str) -> None:
    a = sample(shape, name)
    with np.printoptions(edgeitems=edgeitems, threshold=threshold):
        assert str(suanzi.tensor(a)) == str(a.astype(printed(name)))
