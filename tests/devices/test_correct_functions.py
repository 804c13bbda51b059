"""In the mode "correct", blocks of float32 results on a device have the same hashes as in the conformance kit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from placing import GPU, sz

import suanzi
from suanzi.conformance.probes import rounding

BLOCKS = (1015, 3109)
ERRORS = ("erf", "erfc")  # functions of `suanzi.extras`, for which the kit has no hashes
WITH_TABLE = sorted(set(rounding.table()) - {"sqrt", "reciprocal"} | {*ERRORS})


def function_of(name: str) -> Any:
    return getattr(sz.extras if name in ERRORS else sz, name)


@pytest.fixture(autouse=True)
def correct(gpu: str) -> Iterator[None]:
    sz.zeros(1, device=gpu)
    suanzi.devices.set_functions("correct")
    yield
    suanzi.devices.set_functions("vendor")


@pytest.mark.parametrize("name", sorted(rounding.table()))
def test_hashes(name: str) -> None:
    """Blocks of results for operands near 1, and for negative operands, have the same hashes as in the kit."""
    for block in BLOCKS:
        x = sz.tensor(rounding.inputs(block).copy()).to_device(GPU)
        found = getattr(sz, name)(x).numpy()
        found[np.isnan(found)] = np.float32(np.nan)
        assert rounding.hash_of(found.astype("<f4")) == rounding.table()[name].blocks[block].tobytes(), block


def test_modes() -> None:
    x = sz.uniform(10_000, -3, 3, seed=1)
    there = x.to_device(GPU)
    wide = sz.astype(sz.exp(sz.astype(there, "float64")), "float32")
    assert sz.exp(there).numpy().tobytes() == wide.numpy().tobytes()
    assert sz.exp(x).numpy().tobytes() == wide.numpy().tobytes()
    with pytest.raises(suanzi.InvalidArgumentError, match="set_functions: 'fast'"):
        suanzi.devices.set_functions("fast")


def operands_of(name: str) -> np.ndarray:
    """Return the operands in a function's table of the module `suanzi.devices.close_calls`."""
    from suanzi.devices import close_calls

    operands: np.ndarray = close_calls.tables()[name][0]
    return operands


@pytest.mark.parametrize("name", WITH_TABLE)
def test_close_calls(name: str) -> None:
    """Results have the same bits as on the CPU, even if the float64 result is next to a float32 midpoint."""
    operands = operands_of(name)
    x = sz.tensor(np.concatenate([np.nextafter(operands, np.float32(0)), operands, np.float32([np.nan, 1])]))
    function = function_of(name)
    for view in (x, x[::2], x.reshape((-1, 2))):
        assert np.array_equal(function(view.to_device(GPU)).numpy(), function(view).numpy(), equal_nan=True)


@pytest.mark.parametrize("name", ERRORS)
def test_error_functions_are_rounded_correctly(name: str) -> None:
    mpmath = pytest.importorskip("mpmath")
    x = np.random.default_rng(3).normal(size=2000).astype(np.float32) * np.float32(3)
    with mpmath.workdps(40):
        expected = [float(getattr(mpmath, name)(float(t))) for t in x]
    found = function_of(name)(sz.tensor(x).to_device(GPU)).numpy()
    assert found.tobytes() == np.float32(expected).tobytes()


def test_results_come_from_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """`exp` returns the same results as on the CPU, even if PyTorch's `exp` of float64 is off by three ulps."""
    import torch

    from suanzi.devices import elementwise

    exact = torch.exp

    def exp(x: torch.Tensor) -> torch.Tensor:
        return exact(x) * (1 + 3 * 2.0**-52)

    monkeypatch.setitem(elementwise.WAYS, "exp", elementwise.Way(exp))
    x = sz.tensor(operands_of("exp"))
    assert sz.exp(x.to_device(GPU)).numpy().tobytes() == sz.exp(x).numpy().tobytes()
