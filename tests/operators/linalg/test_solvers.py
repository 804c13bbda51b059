"""Results of solvers, inverses, determinants and ranks keep LAPACK's bounds on residuals, and agree with NumPy."""

# ruff: noqa: N806 - matrices have the names that they have in formulas.

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS
from operators.linalg.matrices import (
    FLOATING,
    HALF,
    INTEGERS,
    H,
    batches,
    close,
    deficient,
    definite,
    graded,
    norm,
    random,
    rounded_type,
    tensor,
    wide,
)
from samples import fails
from suanzi import AllocFailedError, DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError
from suanzi.conformance.oracle.element_types import Array

SIZES = [0, 1, 2, 3, 7, 8, 16, 17, 33]


def check_solution(a: Array, b: Array, x: Array, dtype: str, what: str) -> None:
    """Check that the solution of `a @ x = b` is backward stable. The residual is small relative to the operands."""
    n = a.shape[-1]
    close(wide(a) @ wide(x), wide(np.broadcast_to(b, x.shape)), n, dtype, norm(a) * norm(x) + norm(b), what)


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", SIZES)
def test_solve(n: int, dtype: str) -> None:
    for batch in batches(n):
        for make in (random, graded):
            a = make((*batch, n, n), dtype)
            for columns in (0, 1, 3, 17) if n < 50 else (2,):
                b = random((*batch, n, columns), dtype, "sides")
                x = suanzi.solve(tensor(a), tensor(b))
                assert x.shape == b.shape
                check_solution(a, b, x.numpy(), dtype, f"{a.shape} {columns}")
            vector = random((n,), dtype, "vector")
            x = suanzi.solve(tensor(a), tensor(vector))
            assert x.shape == (*batch, n)
            check_solution(a, vector[:, None], x.numpy()[..., None], dtype, f"{a.shape} vector")


@pytest.mark.parametrize("n", [2, 20, 40])
@pytest.mark.parametrize(("corner", "sign"), [(np.inf, 1), (-np.inf, -1)])
def test_the_sign_of_an_infinite_determinant(corner: float, sign: int, n: int) -> None:
    a = np.eye(n)
    a[0, 0] = corner
    assert [x.item() for x in suanzi.slogdet(suanzi.tensor(a))] == [sign, np.inf]


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_large_matrices(dtype: str) -> None:
    a, b = random((300, 300), dtype), random((300, 3), dtype)
    check_solution(a, b, suanzi.solve(tensor(a), tensor(b)).numpy(), dtype, "solve")
    x = suanzi.inv(tensor(a)).numpy()
    close(wide(a) @ wide(x), np.eye(300, dtype=complex), 300, dtype, norm(a) * norm(x))
    sign, logarithm = np.linalg.slogdet(a.astype(np.complex128))
    found = suanzi.slogdet(tensor(a))
    assert abs(found.sign.item() - sign) < 1e-2
    assert found.logabsdet.item() == pytest.approx(logarithm, abs=1e-2)


@pytest.mark.parametrize(
    ("left", "right", "shape"),
    [
        ((3, 3), (4, 3, 2), (4, 3, 2)),
        ((4, 3, 3), (3, 2), (4, 3, 2)),
        ((5, 1, 3, 3), (4, 3, 2), (5, 4, 3, 2)),
        ((2, 20, 20), (20, 3), (2, 20, 3)),
        ((0, 3, 3), (3, 2), (0, 3, 2)),
        ((1, 3, 3), (0, 3, 2), (0, 3, 2)),
        ((2, 3, 3), (3,), (2, 3)),
    ],
)
def test_batches_of_systems_broadcast(left: tuple[int, ...], right: tuple[int, ...], shape: tuple[int, ...]) -> None:
    a, b = random(left, "float64"), random(right, "float64")
    x = suanzi.solve(tensor(a), tensor(b))
    assert x.shape == shape
    columns = b[:, None] if b.ndim == 1 else b
    check_solution(a, columns, x.numpy()[..., None] if b.ndim == 1 else x.numpy(), "float64", f"{left} {right}")


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", SIZES)
def test_inv(n: int, dtype: str) -> None:
    for batch in batches(n):
        for make in (random, definite, graded):
            a = make((*batch, n, n), dtype)
            x = suanzi.inv(tensor(a)).numpy()
            unit = np.broadcast_to(np.eye(n, dtype=complex), a.shape)
            close(wide(a) @ wide(x), unit, n, dtype, norm(a) * norm(x), f"{a.shape} {make.__name__}")
            close(wide(x) @ wide(a), unit, n, dtype, norm(a) * norm(x), f"{a.shape} {make.__name__}")


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("n", SIZES)
def test_det_and_slogdet(n: int, dtype: str) -> None:
    for batch in batches(n):
        a = random((*batch, n, n), dtype) / np.asarray(np.sqrt(max(n, 1)), np.dtype(dtype).char.lower())
        a = a.astype(dtype)
        sign, logarithm = np.linalg.slogdet(a.astype(np.complex128))
        found_sign, found_logarithm = suanzi.slogdet(tensor(a))
        assert found_logarithm.dtype.name == a.real.dtype.name
        assert found_sign.dtype.name == dtype
        condition = float(np.max(np.linalg.cond(a.astype(np.complex128)), initial=1.0)) if n else 1.0
        np.testing.assert_allclose(found_sign.numpy(), sign, atol=30 * n * np.finfo(dtype).eps * condition + 1e-30)
        np.testing.assert_allclose(found_logarithm.numpy(), logarithm, atol=30 * n * np.finfo(dtype).eps * condition)
        np.testing.assert_allclose(
            suanzi.det(tensor(a)).numpy(),
            sign * np.exp(logarithm),
            rtol=30 * max(n, 1) * np.finfo(dtype).eps * condition,
            atol=float(np.finfo(dtype).tiny),
        )


@pytest.mark.parametrize("n", [3, 20])
@pytest.mark.parametrize("dtype", FLOATING)
def test_determinants_of_singular_matrices(n: int, dtype: str) -> None:
    a = np.zeros((2, n, n), dtype)
    a[1] = np.eye(n)
    a[1, 1] = 0
    assert np.array_equal(suanzi.det(tensor(a)).numpy(), np.zeros(2))
    sign, logarithm = suanzi.slogdet(tensor(a))
    assert np.array_equal(sign.numpy(), np.zeros(2))
    assert np.array_equal(logarithm.numpy(), np.full(2, -np.inf))


@pytest.mark.parametrize("n", [4, 20])
def test_a_determinant_does_not_overflow_on_the_way(n: int) -> None:
    diagonal = np.ones(n)
    diagonal[:4] = 1e200, 1e200, 1e-200, 1e-180
    assert suanzi.det(tensor(np.diag(diagonal))).item() == pytest.approx(1e20, rel=1e-12)
    assert suanzi.slogdet(tensor(np.diag(np.full(n, 1e-300)))).logabsdet.item() == pytest.approx(
        -690.7755 * n, rel=1e-6
    )
    assert suanzi.det(tensor(np.diag(np.full(n, 1e300)))).item() == np.inf
    assert suanzi.det(tensor(np.diag(np.full(n, 1e-300)))).item() == 0


@pytest.mark.parametrize("n", [2, 20])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_the_logarithm_of_a_determinant_that_overflows(n: int, dtype: str) -> None:
    diagonal = np.ones(n, dtype)
    diagonal[:2] = 1.5, 3e38
    assert suanzi.slogdet(tensor(np.diag(diagonal))).logabsdet.item() == pytest.approx(np.log(4.5e38), rel=1e-6)
    assert suanzi.det(tensor(np.diag(diagonal))).item() == np.inf
    diagonal[:2] = 1.5e-30, 3e38
    assert suanzi.det(tensor(np.diag(diagonal))).item() == pytest.approx(4.5e8, rel=1e-6)


@pytest.mark.parametrize("n", [2, 8, 16, 17, 40])
@pytest.mark.parametrize("dtype", FLOATING)
def test_which_matrix_is_singular(n: int, dtype: str) -> None:
    a = random((7, n, n), dtype)
    a[3, :, 1] = 0
    a[5] = 0
    pivot = 1 if n <= 16 else n - 1  # large matrices are eliminated column by column
    singular = rf"matrix 3 of the batch is singular: pivot {pivot} is 0(;|$)"
    with pytest.raises(InvalidArgumentError, match=rf"^inv: {singular}"):
        suanzi.inv(tensor(a))
    with pytest.raises(InvalidArgumentError, match=rf"^solve: {singular}"):
        suanzi.solve(tensor(a), suanzi.ones((n,), dtype=dtype))
    with pytest.raises(InvalidArgumentError, match=r"^inv: matrix is singular: pivot 0 is 0(;|$)"):
        suanzi.inv(tensor(a[5]))
    a = definite((7, n, n), dtype)
    a[4, 1, 1] = -1
    match = r"^cholesky: matrix 4 of the batch is not positive definite: pivot 1 is not positive(;|$)"
    for upper in (False, True):
        with pytest.raises(InvalidArgumentError, match=match):
            suanzi.cholesky(tensor(a), upper=upper)


@pytest.mark.parametrize("n", [1, 3, 16, 20, 60])
@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_end_everything_quickly(n: int, dtype: str, value: float) -> None:
    a = definite((2, n, n), dtype)
    a[1, n // 2, n // 3] = value
    x, b = tensor(a), suanzi.ones((n, 1), dtype=dtype)
    for name in ("svd", "svdvals", "eig", "eigvals", "eigh", "eigvalsh", "pinv", "matrix_rank"):
        with pytest.raises(InvalidArgumentError, match=rf"^{name}: matrix 1 of the batch has an element that is NaN"):
            getattr(suanzi, name)(x)
    with fails(InvalidArgumentError, "lstsq"):
        suanzi.lstsq(x, suanzi.ones((2, n, 1), dtype=dtype))
    with fails(InvalidArgumentError, "lstsq"):
        suanzi.lstsq(tensor(a[0]), suanzi.multiply(b, float(value)))
    for call in (suanzi.inv, lambda x: suanzi.solve(x, b), suanzi.slogdet, suanzi.cholesky, suanzi.lu, suanzi.qr):
        try:
            result = call(x)
        except InvalidArgumentError:
            continue
        first = result if isinstance(result, suanzi.Tensor) else result[1]
        assert np.isfinite(first.numpy()[0]).all()


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (5, 3), (3, 5), (20, 7), (7, 20), (60, 60), (0, 3), (3, 0), (0, 0)])
def test_lstsq(shape: tuple[int, ...], dtype: str) -> None:
    m, n = shape
    for make in (random, deficient):
        for batch in ((), (3,)):
            a, b = make((*batch, m, n), dtype), random((*batch, m, 2), dtype, "b")
            x, residuals, rank, values = suanzi.lstsq(tensor(a), tensor(b))
            assert x.shape == (*batch, n, 2)
            assert residuals.shape == (*batch, 2)
            assert rank.dtype is suanzi.int64
            assert values.shape == (*batch, min(shape))
            for index in np.ndindex(batch):
                expected = np.linalg.lstsq(a[index].astype(np.complex128), b[index].astype(np.complex128), 1e-4)
                condition = norm(np.linalg.pinv(a[index].astype(np.complex128), rcond=1e-4)) * norm(a[index])
                scale = (norm(expected[0]) + norm(b[index])) * max(condition, 1) ** 2
                assert rank.numpy()[index] == expected[2]
                close(x.numpy()[index], expected[0], max(shape), dtype, scale, f"{a.shape}")
                rest = (np.abs(wide(b)[index] - wide(a)[index] @ wide(x)[index]) ** 2).sum(0)
                close(residuals.numpy()[index], rest, max(shape), dtype, norm(b[index]) ** 2 * max(condition, 1) ** 2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize(
    ("shape", "sides"),
    [((16, 16), 3), ((17, 16), 1), ((17, 17), 17), ((40, 20), 1), ((40, 20), 21), ((200, 30), 4), ((20, 40), 2)],
)
def test_lstsq_on_every_way(shape: tuple[int, int], sides: int, dtype: str) -> None:
    """`lstsq` solves small systems by singular vectors, tall full-rank systems by QR, and other systems by LAPACK."""
    real = "float32" if dtype in ("float32", "complex64") else "float64"
    far = 1e-30 if real == "float32" else 1e-250
    for make in (random, deficient):
        for factor in (1.0, far, 1 / far):
            a = make(shape, dtype) * np.dtype(real).type(factor)
            b = random((shape[0], sides), dtype, "b")
            fit = suanzi.lstsq(tensor(a), tensor(b), rtol=1e-4)
            exact, goal = a.astype(np.complex128) / factor, b.astype(np.complex128)
            x, _, rank, values = np.linalg.lstsq(exact, goal, 1e-4)
            condition = values[0] / values[rank - 1]
            scale = (norm(x) + norm(goal) / values[rank - 1]) * condition
            assert fit.rank.item() == rank
            close(fit.solution.numpy().astype(np.complex128) * factor, x, max(shape), dtype, scale)
            close(fit.singular_values.numpy().astype(np.float64) / factor, values, max(shape), dtype, values[0])


def test_lstsq_takes_a_vector_and_a_tolerance() -> None:
    a, b = random((2, 5, 3), "float64"), random((5,), "float64")
    fit = suanzi.lstsq(tensor(a), tensor(b))
    assert fit.solution.shape == (2, 3)
    assert fit.residuals.shape == (2,)
    for i in range(2):
        expected = np.linalg.lstsq(a[i], b)
        np.testing.assert_allclose(fit.solution.numpy()[i], expected[0], rtol=1e-12)
        np.testing.assert_allclose(fit.residuals.numpy()[i], expected[1][0], rtol=1e-12)
    assert suanzi.lstsq(tensor(a), tensor(b), rtol=1.0).rank.numpy().tolist() == [0, 0]
    assert suanzi.lstsq(tensor(a[0]), suanzi.ones((5, 0), dtype="float64")).rank.item() == 3


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (5, 3), (3, 5), (20, 7), (60, 60), (0, 3), (3, 0)])
def test_pinv_and_matrix_rank(shape: tuple[int, ...], dtype: str) -> None:
    for make in (random, deficient):
        for batch in ((), (3,)):
            a = make((*batch, *shape), dtype)
            x = suanzi.pinv(tensor(a))
            assert x.shape == (*batch, *reversed(shape))
            A, X = wide(a), wide(x)
            scale = norm(a) * norm(x.numpy())
            close(A @ X @ A, A, max(shape), dtype, scale * norm(a))
            close(X @ A @ X, X, max(shape), dtype, scale * norm(x.numpy()))
            close(A @ X, H(A @ X), max(shape), dtype, scale)
            close(X @ A, H(X @ A), max(shape), dtype, scale)
            expected = np.linalg.matrix_rank(a) if a.size else np.zeros(batch, int)
            assert np.array_equal(suanzi.matrix_rank(tensor(a)).numpy(), expected)


def test_tolerances() -> None:
    x = tensor(np.diag([8.0, 4.0, 2.0, 1.0]))
    for rtol, rank in ((0.0, 4), (0.125, 3), (0.3, 2), (1.0, 0), (7, 0)):
        assert suanzi.matrix_rank(x, rtol=rtol).item() == rank
        assert np.count_nonzero(suanzi.pinv(x, rtol=rtol).numpy()) == rank
    for function in (suanzi.matrix_rank, suanzi.pinv, lambda x, rtol: suanzi.lstsq(x, x, rtol=rtol)):
        for rtol in (-1.0, np.nan):
            with fails(OutOfRangeError, "matrix_rank", "pinv", "lstsq"):
                function(x, rtol=rtol)
        with fails(TypeMismatchError, "matrix_rank", "pinv", "lstsq"):
            function(x, rtol="much")


SOLVERS = {
    "solve": lambda x: (suanzi.solve(x, x),),
    "inv": lambda x: (suanzi.inv(x),),
    "det": lambda x: (suanzi.det(x),),
    "slogdet": lambda x: suanzi.slogdet(x),
    "lstsq": lambda x: suanzi.lstsq(x, x),
    "pinv": lambda x: (suanzi.pinv(x),),
    "matrix_rank": lambda x: (suanzi.matrix_rank(x),),
}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_layouts_give_the_same_bits(name: str, layout: str, dtype: str) -> None:
    for shape in ((3, 8, 8), (1, 20, 20)):
        a = random(shape, dtype)
        if layout == "broadcast":
            a = np.ascontiguousarray(np.broadcast_to(a[:1], (4, *shape[1:])))
        for found, expected in zip(SOLVERS[name](LAYOUTS[layout](a)), SOLVERS[name](tensor(a)), strict=True):
            assert np.array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("name", SOLVERS)
def test_halves_are_computed_in_float32_and_integers_in_float64(name: str) -> None:
    for n in (3, 20):
        whole = np.rint(random((n, n), "float32") % 3 + 4 * np.eye(n))
        for dtype in (*HALF, *INTEGERS):
            x = suanzi.astype(tensor(np.eye(n) if dtype == "bool" else whole), dtype)
            if name == "lstsq" and dtype in HALF:
                continue  # the tolerance follows from the computing type, and the residual is 0 except for rounding
            wide = suanzi.astype(x, "float32" if dtype in HALF else "float64")
            for found, expected in zip(SOLVERS[name](x), SOLVERS[name](wide), strict=True):
                assert found.dtype is rounded_type(expected.dtype, dtype)
                assert np.array_equal(found.numpy(), suanzi.astype(expected, found.dtype).numpy()), dtype


@pytest.mark.parametrize("name", SOLVERS)
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    inputs = [tensor(random((300, 12, 12), "float32")), tensor(random((40, 24, 24), "float64"))]
    before = suanzi.get_num_threads()
    results = []
    for threads in (1, 2, 5):
        suanzi.set_num_threads(threads)
        results.append([t.numpy().tobytes() for x in inputs for t in SOLVERS[name](x)])
    suanzi.set_num_threads(before)
    assert results[0] == results[1] == results[2]


def test_mixed_types_promote() -> None:
    a, b = random((3, 3), "float32"), random((3, 2), "complex64")
    assert suanzi.solve(tensor(a), tensor(b)).dtype is suanzi.complex64
    assert (
        suanzi.solve(tensor(b[:2] @ np.ones((2, 2), np.complex64) + np.eye(2)), tensor(a[:2])).dtype
        is suanzi.complex128
    )
    assert suanzi.lstsq(suanzi.ones((3, 2), dtype="int8"), tensor(a)).solution.dtype is suanzi.float32
    assert suanzi.solve(suanzi.tensor([[2]]), suanzi.tensor([1])).item() == 0.5
    for whole in ("bool", "int8", "int32", "uint64"):
        for half in ("float16", "bfloat16"):
            left, right = suanzi.eye(2, dtype=whole), suanzi.ones(2, dtype=half)
            assert suanzi.solve(left, right).dtype == suanzi.lstsq(left, right).solution.dtype == half
            assert suanzi.solve(suanzi.eye(2, dtype=half), suanzi.ones(2, dtype=whole)).dtype == half


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        *((name, [(2, 3)]) for name in ("inv", "det", "slogdet", "cholesky", "eig", "eigvals", "eigh", "eigvalsh")),
        *((name, [(3,)]) for name in ("inv", "det", "lu", "qr", "svd", "svdvals", "eig", "pinv", "matrix_rank")),
        *((name, [()]) for name in ("inv", "slogdet", "lu", "qr", "svd", "eigh", "pinv", "matrix_norm", "cond")),
        ("solve", [(2, 3), (2,)]),
        ("solve", [(3, 3), (2,)]),
        ("solve", [(3, 3), (2, 1)]),
        ("solve", [(3, 3), ()]),
        ("solve", [(2, 3, 3), (3, 3, 1)]),
        ("solve", [(3,), (3,)]),
        ("lstsq", [(3, 2), (2,)]),
        ("lstsq", [(3, 2), ()]),
        ("lstsq", [(2, 3, 2), (3, 1)]),
        ("lstsq", [(3,), (3,)]),
    ],
)
def test_shapes_that_do_not_fit(name: str, shapes: list[tuple[int, ...]]) -> None:
    with fails(DimensionsMismatchError, name):
        getattr(suanzi, name)(*(suanzi.ones(shape) for shape in shapes))


EMPTY = ((2**62, 0), (0, 2**62), (2**62, 0, 3), (0, 2**62, 2**62), (2**40, 0, 0))
OF_SQUARES = ("inv", "det", "cholesky", "eig", "eigh")
# Calls whose operands have no elements, but whose results are too large for any memory.
TOO_LARGE = {
    *((name, (2**62, 0)) for name in ("lu", "svd")),
    ("svd", (0, 2**62)),
    *((name, (2**62, 0, 3)) for name in ("svd", "matrix_rank")),
    *((name, (2**40, 0, 0)) for name in ("matrix_rank", "det")),
}


@pytest.mark.parametrize("shape", EMPTY)
@pytest.mark.parametrize("name", ["lu", "qr", "svd", "svdvals", "pinv", "matrix_rank", *OF_SQUARES])
def test_matrices_without_elements_of_any_size(name: str, shape: tuple[int, ...]) -> None:
    function, x = getattr(suanzi, name), suanzi.zeros(shape)
    if name in OF_SQUARES and shape[-1] != shape[-2]:
        with fails(DimensionsMismatchError, name):
            function(x)
    elif (name, shape) in TOO_LARGE:
        with pytest.raises(AllocFailedError):
            function(x)
    else:
        result = function(x)
        parts = result if isinstance(result, tuple) else (result,)
        assert all(part.shape[: len(shape) - 2] == shape[:-2] for part in parts)
        assert sum(part.size for part in parts) == (name == "matrix_rank" and len(shape) == 2)


@given(n=st.integers(0, 18), columns=st.integers(0, 18), count=st.integers(0, 40), dtype=st.sampled_from(FLOATING))
@settings(max_examples=40, deadline=None)
def test_any_system(n: int, columns: int, count: int, dtype: str) -> None:
    a, b = definite((count, n, n), dtype), random((count, n, columns), dtype)
    x = suanzi.solve(tensor(a), tensor(b))
    assert x.shape == b.shape
    check_solution(a, b, x.numpy(), dtype, f"{a.shape}")


def test_values_of_scipy() -> None:
    a = scipy.linalg.hilbert(8)
    np.testing.assert_allclose(suanzi.inv(tensor(a)).numpy(), scipy.linalg.invhilbert(8), rtol=1e-6)
    assert suanzi.det(tensor(a)).item() == pytest.approx(scipy.linalg.det(a), rel=1e-6)


@pytest.mark.parametrize("dtype", FLOATING)
def test_tolerances_of_each_matrix(dtype: str) -> None:
    """A matrix in a batch has the same result as the same matrix alone with its own tolerance."""
    batch = np.stack([np.diag([1.0, 0.5, 0.25, 0.125]), np.diag([8.0, 8.0, 1.0, 0.0]), np.ones((4, 4))])
    x = suanzi.tensor(batch, dtype=dtype)
    for rtol in ([0.3, 0.0625, 0.0], [[0.3], [0.2]], [[0.125, 0.125, 7.0]], 0.3):
        tolerances = suanzi.tensor(rtol, dtype="float64")
        shape = np.broadcast_shapes((3,), np.shape(rtol))
        each = np.broadcast_to(rtol, shape)
        ranks, inverses = suanzi.matrix_rank(x, rtol=tolerances), suanzi.pinv(x, rtol=tolerances)
        assert (ranks.shape, inverses.shape) == (shape, (*shape, 4, 4))
        for at in np.ndindex(*shape):
            one = x[at[-1]]
            assert ranks[at].item() == suanzi.matrix_rank(one, rtol=float(each[at])).item()
            assert suanzi.array_equal(inverses[at], suanzi.pinv(one, rtol=float(each[at])))
            if np.ndim(rtol) <= 1:
                fit = suanzi.lstsq(x, suanzi.ones(4, dtype=dtype), rtol=tolerances)
                assert fit.rank[at].item() == suanzi.matrix_rank(one, rtol=float(each[at])).item()


def test_tolerances_that_are_refused() -> None:
    x = suanzi.ones((2, 3, 3))
    for function in (suanzi.matrix_rank, suanzi.pinv, lambda x, rtol: suanzi.lstsq(x, suanzi.ones(3), rtol=rtol)):
        for rtol, error in (
            (suanzi.tensor([0.5, -1.0]), OutOfRangeError),
            (suanzi.tensor([0.5, np.nan]), OutOfRangeError),
            (suanzi.tensor([0.5, 0.5, 0.5]), DimensionsMismatchError),
            (suanzi.tensor([1j, 1]), TypeMismatchError),
            (suanzi.tensor(["a", "b"]), TypeMismatchError),
        ):
            with fails(error, "matrix_rank", "pinv", "lstsq"):
                function(x, rtol=rtol)
    assert suanzi.matrix_rank(suanzi.ones((3, 3)), rtol=suanzi.tensor(1, dtype="int32")).item() == 0


LARGE = 2**24 + 1  # not representable in float32


@pytest.mark.parametrize("dtype", ["int32", "uint64"])
@pytest.mark.parametrize("n", [3, 20])
def test_integers_are_not_rounded_first(n: int, dtype: str) -> None:
    """Functions of integer matrices compute in float64, and round only the results to float32."""
    a = np.eye(n, dtype=dtype)
    a[:2, :2] = [[LARGE, 4097], [4097, 1]]
    exact, x = a.astype("f8"), suanzi.tensor(a)
    determinant = LARGE - 4097**2
    assert suanzi.det(x).item() == pytest.approx(determinant, rel=1e-6)
    assert suanzi.slogdet(x).logabsdet.item() == pytest.approx(np.log(-determinant), rel=1e-7)
    assert suanzi.matrix_rank(x).item() == n
    inverse = np.linalg.inv(exact)
    for found in (suanzi.inv(x), suanzi.pinv(x), suanzi.matrix_power(x, -1)):
        assert found.dtype is suanzi.float32
        np.testing.assert_allclose(found.numpy(), inverse, rtol=1e-6, atol=1e-6)
    b = a[:, 0] + a[:, 1]
    for sides in (b, (b % 100).astype("f4")):
        expected = np.linalg.solve(exact, sides.astype("f8"))
        for found in (suanzi.solve(x, suanzi.tensor(sides)), suanzi.lstsq(x, suanzi.tensor(sides)).solution):
            assert found.dtype is suanzi.float32
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-5)
    least = np.linalg.eigvalsh(exact)[0]
    assert suanzi.eigvalsh(x)[0].item() == pytest.approx(least, rel=1e-6)
    assert suanzi.eigvals(x).real.numpy().min() == pytest.approx(least, rel=1e-5)
    assert suanzi.cond(x).item() == pytest.approx(np.linalg.cond(exact), rel=1e-4)
    assert suanzi.eig(x)[1].dtype is suanzi.complex64
    assert suanzi.solve(x, suanzi.tensor(b.astype("c8"))).dtype is suanzi.complex64


def test_norms_of_integers() -> None:
    x = suanzi.tensor([[LARGE, 1], [1 - LARGE, 2]], dtype="int64")
    assert suanzi.matrix_norm(x, ord=1).item() == np.float32(2 * LARGE - 1)
    expected = ((LARGE + 1) ** 3 + (LARGE - 3) ** 3) ** (1 / 3)
    assert suanzi.vector_norm(suanzi.sum(x, axis=1), ord=3).item() == np.float32(expected)
