"""Tensors in the place of numbers, on other devices than the operands or in calls without operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from placing import GPU, sz

GIVEN = np.float32([[3, 1, 2], [0, 5, 4]])
CALLS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "sort": (lambda x, k: sz.sort(x, k), np.sort(GIVEN, 1)),
    "topk": (lambda x, k: sz.topk(x, k)[0], np.float32([[3], [5]])),
    "flip": (lambda x, k: sz.flip(x, k), np.flip(GIVEN, 1)),
    "roll": (lambda x, k: sz.roll(x, k, k), np.roll(GIVEN, 1, 1)),
    "concat": (lambda x, k: sz.concat([x, x], k), np.concatenate([GIVEN, GIVEN], 1)),
    "sum": (lambda x, k: sz.sum(x, k), np.sum(GIVEN, 1)),
    "reshape": (lambda x, k: sz.reshape(x, (k, 6)), np.reshape(GIVEN, (1, 6))),
    "tile": (lambda x, k: sz.tile(x, (1, k)), GIVEN),
    "max_pool": (lambda x, k: sz.nn.max_pool(x.reshape((1, 1, 2, 3)), k), np.reshape(GIVEN, (1, 1, 2, 3))),
    "slice": (lambda x, k: x[k:], GIVEN[1:]),
}
MAKERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "zeros": (lambda k, **to: sz.zeros(k, **to), [0, 0]),
    "ones": (lambda k, **to: sz.ones(k, **to), [1, 1]),
    "full": (lambda k, **to: sz.full(k, 7, **to), [7, 7]),
    "eye": (lambda k, **to: sz.eye(k, **to), [[1, 0], [0, 1]]),
    "arange": (lambda k, **to: sz.arange(k, **to), [0, 1]),
    "linspace": (lambda k, **to: sz.linspace(0, 1, k, **to), [0, 1]),
    "uniform": (lambda k, **to: sz.uniform(k, 3, 3, **to), [3, 3]),
    "normal": (lambda k, **to: sz.normal(k, 3, 0, **to), [3, 3]),
    "randperm": (lambda k, **to: sz.sort(sz.randperm(k, **to)), [0, 1]),
}
PLACES = [("cpu:0", GPU), (GPU, "cpu:0"), (GPU, GPU)]


def whole(k: int, place: str) -> Any:
    return sz.tensor(k, dtype="int64", device=place)


@pytest.mark.parametrize(("of_operand", "of_number"), PLACES)
@pytest.mark.parametrize("name", CALLS)
def test_numbers_on_another_device(name: str, of_operand: str, of_number: str) -> None:
    function, expected = CALLS[name]
    found = function(sz.tensor(GIVEN).to_device(of_operand), whole(1, of_number))
    assert str(found.device) == of_operand
    assert np.array_equal(found.numpy(), expected)


@pytest.mark.parametrize("of_number", ["cpu:0", GPU])
@pytest.mark.parametrize("name", MAKERS)
def test_numbers_of_new_tensors(name: str, of_number: str) -> None:
    """Numbers do not choose the device of a new tensor."""
    function, expected = MAKERS[name]
    k = whole(2, of_number)
    made = [(function(k), "cpu:0"), *[(function(k, device=place), place) for place in ("cpu:0", GPU)]]
    with sz.set_default_device(GPU):
        made.append((function(k), GPU))
    for found, place in made:
        assert str(found.device) == place
        assert found.tolist() == expected


@pytest.mark.parametrize("place", ["cpu:0", GPU])
def test_numbers_that_fill_a_tensor(place: str) -> None:
    """A named device, or the device of an operand, takes precedence over the device of a number."""
    for k in (whole(2, "cpu:0"), whole(2, GPU)):
        like = sz.zeros(3, device=place)
        for found in (
            sz.full(3, k, device=place),
            sz.uniform(3, k, k, device=place),
            sz.full_like(like, k),
            sz.uniform_like(like, k, k),
        ):
            assert str(found.device) == place
            assert found.tolist() == [2, 2, 2]


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like", "full_like", "uniform_like", "normal_like"])
def test_a_named_device_takes_precedence_over_an_operand(name: str) -> None:
    filling = {"full_like": [7], "uniform_like": [0, 1, 3], "normal_like": [0, 1, 3]}.get(name, [])
    x = sz.zeros((2, 3)).T
    expected = getattr(sz, name)(x, *filling, device="cpu:0")
    for given in ("cpu:0", GPU):
        for named in ("cpu:0", GPU):
            found = getattr(sz, name)(x.to_device(given), *filling, device=named)
            assert str(found.device) == named
            assert (found.shape, found.strides) == (x.shape, x.strides)
            if name not in ("empty_like", "normal_like"):
                assert found.tolist() == expected.tolist()
