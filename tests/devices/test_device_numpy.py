"""NumPy's functions that combine Suanzi's functions return the CPU's results. The results stay on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from placing import here, sz, there

from samples import fails
from suanzi import TypeMismatchError

pytestmark = pytest.mark.one_level

OPERANDS: dict[str, Any] = {
    "x": sz.tensor([[0.25, 0.5, 0.75], [0.125, 0.625, 0.875]]),
    "v": sz.tensor([0.5, 0.25, 0.875, 0.375]),
    "i": sz.tensor([6, 4, 0, 9], dtype="int64"),
    "b": sz.tensor([[True, False, True], [False, False, True]]),
    "z": sz.tensor([1 + 2j, -0.5j, 3.0]),
}
CALLS = [
    *("np.cbrt(x)", "np.exp2(x)", "np.deg2rad(x)", "np.fmax(x, 0.5)", "np.heaviside(x - 0.5, 0.5)", "np.modf(3 * x)"),
    *("np.gcd(i, 4)", "np.lcm(i, 6)", "np.logaddexp2(x, x)", "np.angle(z)", "np.angle(x)", "np.isposinf(x)"),
    *("np.unwrap(9 * v)", "np.ptp(x, axis=0)", "np.ediff1d(v)", "np.gradient(v)", "np.gradient(x, 2.0, axis=1)"),
    *("np.trapezoid(v)", "np.trapezoid(v, dx=2)", "np.trapezoid(v, v)", "np.convolve(v, v[:2])", "np.correlate(v, v)"),
    *("np.inner(v, v)", "np.vdot(z, z)", "np.polyval(v, x)", "np.polyadd(v, v[:2])", "np.polyder(v)"),
    *("np.flatnonzero(x > 0.5)", "np.argwhere(x > 0.5)", "np.lexsort((v, i))", "np.compress(b[0], x, axis=1)"),
    *("np.extract(b, x)", "np.select([x > 0.6, x > 0.3], [x, -x], 9.0)", "np.append(v, v)", "np.delete(v, [1, 2])"),
    *("np.insert(v, 1, 0.5)", "np.resize(v, (2, 3))", "np.block([[x], [x]])", "np.dstack([x, x])", "np.fliplr(x)"),
    *("np.packbits(b)", "np.maximum.accumulate(v)", "np.bitwise_or.reduce(i)", "np.union1d(i, i)", "np.vander(v, 3)"),
    *("np.intersect1d(i, i[:2])", "np.setxor1d(i, i[:2])", "np.logspace(v, 2.0, 3)", "np.geomspace(v, 2.0, 3)"),
    *("np.histogram2d(v, v, 2)", "np.apply_along_axis(np.max, 1, x)", "np.triu_indices_from(x)"),
    *('x.astype("float64", order="F")', "np.linalg.multi_dot([x, x.T, x])"),
]


@pytest.mark.parametrize("call", CALLS)
def test_calls(call: str) -> None:
    if "trapezoid" in call and not hasattr(np, "trapezoid"):
        pytest.skip("this NumPy lacks the function")
    expected = eval(call, {"np": np, **OPERANDS})
    found = here(eval(call, {"np": np, **{name: there(x) for name, x in OPERANDS.items()}}))
    for part, other in zip(*([x] if isinstance(x, sz.Tensor) else x for x in (found, expected)), strict=True):
        assert part.dtype is other.dtype
        np.testing.assert_allclose(part.numpy(), other.numpy(), rtol=1e-6, atol=1e-7)


def test_functions_that_write_are_refused() -> None:
    """Functions that would write into a copy of an operand are refused, because the written elements would be lost."""
    x = there(sz.zeros(3))
    for call, name in (
        (lambda: np.copyto(x, np.ones(3)), "numpy.copyto"),
        (lambda: np.put(x, [0], 1), "numpy.put"),
        (lambda: np.fill_diagonal(there(sz.zeros((2, 2))), 1), "numpy.fill_diagonal"),
        (lambda: np.frexp(x), "numpy.frexp"),
    ):
        with fails(TypeMismatchError, name):
            call()


def test_protocols() -> None:
    x = there(sz.arange(4))
    assert x.tobytes() == np.arange(4, dtype=np.float32).tobytes()
    assert "tensor 4, float32" in x._repr_html_()
    for name in ("__array_interface__", "__arrow_c_array__"):
        assert not hasattr(x, name)


X, POINTS, VALUES = (
    sz.tensor(x, dtype="float64") for x in ([1.0, -3.0, 2.0], [0.0, 1.0, 2.0, 3.0], [1.0, 3.0, 5.0, 8.0])
)
COUNTS = sz.tensor([1, 2, 3], dtype="uint64")


@pytest.mark.parametrize(("function", "operands"), [
    (np.roots, [X]),
    (np.roots, [X[:1]]),
    (np.poly, [X]),
    (lambda x: np.vander(x, 0), [X]),
    (np.average, [X]),
    (lambda x, y: np.polyfit(x, y, 1, cov="unscaled"), [POINTS, VALUES]),
    (lambda x, y: np.polyfit(x, y, 1, full=True), [POINTS[:2], VALUES[:2]]),
    (lambda x: sz.array_api.minimum(1.5, x), [COUNTS]),
    (lambda x: sz.array_api.where(x > 1, 1j, x), [COUNTS]),
])  # fmt: skip
def test_tensors_that_a_function_makes(function: Any, operands: list[Any]) -> None:
    """Tensors that a function makes beside its operands are on the device of the operands."""
    found, expected = function(*map(there, operands)), function(*operands)
    together = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for on_device, part in together:
        if isinstance(part, sz.Tensor):
            assert on_device.device == there(X).device
            np.testing.assert_allclose(here(on_device).numpy(), part.numpy(), rtol=1e-12, atol=1e-14)
