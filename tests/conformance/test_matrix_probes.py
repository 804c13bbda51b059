"""The quick profile of the kit finds faults of decompositions, products, transforms and interpolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mutants import Mutant

import suanzi
from suanzi.conformance import Profile, asked
from suanzi.conformance.oracle import families
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES
from suanzi.conformance.oracle.models import fourier, interpolation
from suanzi.operators.registry import lookup

pytestmark = pytest.mark.one_level

Function = Callable[..., Any]
Array = Any


def results(*changes: Callable[[Array], Array] | None) -> Callable[[Function], Function]:
    """Make a fault that changes several results. The first change applies to the first result, and so on.

    For a change of None, the fault leaves the result unchanged.
    """

    def fault(function: Function) -> Function:
        def call(*operands: Any, **options: Any) -> Any:
            several = function(*operands, **options)
            parts = several if isinstance(several, tuple) else (several,)
            made = tuple(
                x if change is None else suanzi.tensor(np.array(change(x.numpy()), x.numpy().dtype, order="C"))
                for x, change in zip(parts, changes, strict=True)
            )
            return made if isinstance(several, tuple) else made[0]

        return call

    return fault


def options(**changed: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Make a fault that changes the values of options which the call passes."""

    def fault(function: Function) -> Function:
        def call(*operands: Any, **given: Any) -> Any:
            return function(*operands, **{k: changed[k](v) if k in changed else v for k, v in given.items()})

        return call

    return fault


def first_operand(change: Callable[[Array], Array]) -> Callable[[Function], Function]:
    def fault(function: Function) -> Function:
        def call(x: Any, *rest: Any, **given: Any) -> Any:
            return function(suanzi.tensor(np.array(change(x.numpy()), order="C")), *rest, **given)

        return call

    return fault


def where(shows: Callable[[Array], bool], change: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: change(x) if shows(x) else x


def turned(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def last_lost(x: Array) -> Array:
    return np.where(np.arange(x.shape[-1]) == x.shape[-1] - 1, 0, x)


FAULTS: dict[str, tuple[str, Callable[[Function], Function]]] = {
    "the permutation transposed": ("lu", results(turned, None, None)),
    "factors scaled": ("lu", results(None, lambda x: x * 2, lambda x: x / 2)),
    "upper ignored": ("cholesky", options(upper=lambda _: False)),
    "the diagonal negative": ("cholesky", results(np.negative)),
    "complete ignored": ("qr", options(mode=lambda _: "reduced")),
    "ascending": ("svd", results(lambda u: u[..., ::-1], lambda s: s[..., ::-1], lambda v: v[..., ::-1, :])),
    "full_matrices ignored": ("svd", options(full_matrices=lambda _: True)),
    "singular values ascending": ("svdvals", results(lambda s: s[..., ::-1])),
    "rtol ignored": ("matrix_rank", options(rtol=lambda _: None)),
    "residuals of 0": ("lstsq", results(None, np.zeros_like, None, None)),
    "singular values of least squares": ("lstsq", results(None, None, None, lambda s: s[..., ::-1])),
    "the inverse of the transposed": ("inv", results(turned)),
    "the last of rank 4": ("inv", results(where(lambda x: x.ndim == 4, lambda x: np.resize(x[:1], x.shape)))),
    "the size of the determinant": ("det", results(np.abs)),
    "the sign always 1": ("slogdet", results(lambda s: np.where(s == 0, 0, 1), None)),
    "no infinite logarithm": ("slogdet", results(None, lambda x: np.where(np.isinf(x), 0, x))),
    "eigenvectors of length 2": ("eig", results(None, lambda v: v * 2)),
    "one pair repeated": ("eig", results(lambda w: w[..., :1] + 0 * w, lambda v: v[..., :1] + 0 * v)),
    "made symmetric": ("eig", first_operand(lambda x: (x + turned(x)) / 2 if x.dtype == np.float32 else x)),
    "eigenvalues conjugated": ("eigvals", results(np.conj)),
    "eigenvalues descending": ("eigh", results(lambda w: w[..., ::-1], lambda v: v[..., ::-1])),
    "columns for rows": ("matrix_norm", options(ord=lambda order: {1: np.inf, np.inf: 1}.get(order, order))),
    "the norm of another axis": ("vector_norm", options(axis=lambda axis: 1 if axis == -2 else axis)),
    "a large solution": ("solve", results(where(lambda x: x.shape[-1:] == (40,), last_lost))),
    "a large product": ("matmul", results(where(lambda x: max(x.shape, default=0) > 100, last_lost))),
    "rank 5": ("matmul", results(where(lambda x: x.ndim == 5, lambda x: x[::-1]))),
    "a NaN in a product": ("matmul", results(lambda x: np.nan_to_num(x) if x.dtype == np.float32 else x)),
    "one axis of products": ("tensordot", options(axes=lambda axes: axes if axes != 1 else ([-1], [-1]))),
    "the transform of 1009": ("fft.fft", results(where(lambda x: 1009 in x.shape, lambda x: x * 1.0001))),
    "norm without n": ("fft.ifft", options(norm=lambda _: "backward")),
    "no axes to shift": (
        "fft.fftshift",
        lambda f: lambda x, axes=None: f(x, axes=(-1 if x.ndim else ()) if axes is None else axes),
    ),
    "corners of cubic": ("interpolate", options(align_corners=lambda _: False)),
    "one factor for all": (
        "interpolate",
        results(where(lambda x: x.ndim == 4 and x.shape[2] != x.shape[3], last_lost)),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_the_quick_profile(name: str) -> None:
    function, fault = FAULTS[name]
    provider = Mutant(function, fault)
    probes = (probe for f, probe in asked(lookup(function).of, provider, Profile.QUICK) if f == function)
    assert any(probe.judge(provider).fault for probe in probes)


@pytest.mark.parametrize("name", ["float32", "complex64", "uint8", "bool"])
def test_the_families_are_what_they_are_called(name: str) -> None:
    t = ELEMENT_TYPES[name]
    assert all(families.is_regular(x) for _, x in families.families("regular", t))
    assert all(families.is_positive(x) for _, x in families.families("positive", t))
    several = dict(families.families("any", t))
    assert families.ranks(several["of zeros"]) == 0
    if t.kind in "FC":
        assert families.ranks(several["of rank 2"]) == families.ranks(several["tall, of rank 2"]) == 2
        assert not np.array_equal(several["general"], several["general"].conj().T)
        assert np.linalg.det(several["a permutation"].astype(np.complex128)).real < 0 or t.kind == "C"
        assert np.abs(np.linalg.eigvals(several["rotations"]).imag).min() > 0.5
        assert np.linalg.matrix_rank(np.linalg.eig(several["defective"])[1], tol=1e-3) < 3


@pytest.mark.parametrize("n", [1, 2, 7, 64, 135, 300, 301, 1009])
def test_transforms_are_numpys(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(2, n)) + 1j
    for inverse, of_numpy in ((False, np.fft.fft), (True, np.fft.ifft)):
        for norm in ("backward", "ortho", "forward"):
            assert np.allclose(
                fourier.transform(x, n, -1, inverse, norm), of_numpy(x, norm=norm), rtol=1e-12, atol=1e-9
            )


@pytest.mark.parametrize("mode", interpolation.MODES)
def test_weights_add_up_to_1(mode: str) -> None:
    plain, aligned, stretched, _ = interpolation.MODES[mode]
    for rule in filter(None, (plain, aligned, stretched)):
        for n, m in ((7, 5), (5, 7), (1, 3), (3, 1), (4, 4)):
            for i in range(m):
                weights = rule(n, m, i, n / m)
                assert sum(weights.values()) == pytest.approx(1)
                assert set(weights) <= set(range(n))
