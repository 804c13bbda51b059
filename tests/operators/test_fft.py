"""The tests compare Fourier transforms with their definition and with SciPy in extended precision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import scipy.fft
from hypothesis import given, settings
from hypothesis import strategies as st

import suanzi
from layouts import LAYOUTS, bits
from samples import NAMES, destroyed, fails, sample
from suanzi import Tensor, memory
from suanzi.conformance.oracle.element_types import Array

LINES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
BOXES = ("fftn", "ifftn", "rfftn", "irfftn")
FROM_REAL = ("rfft", "ihfft", "rfftn")
TO_REAL = ("irfft", "hfft", "irfftn")
NORMS = ("backward", "ortho", "forward")
# The rounding unit of each type: half of the distance from 1 to the next number.
UNIT = {"float32": 2.0**-24, "complex64": 2.0**-24, "float64": 2.0**-53, "complex128": 2.0**-53}
COMPLEX = {"float32": "complex64", "float64": "complex128"}


def call(name: str, x: Array | Tensor, **options: Any) -> Tensor:
    result: Tensor = getattr(suanzi.fft, name)(x if isinstance(x, Tensor) else suanzi.tensor(x), **options)
    return result


def extended(x: Array) -> Array:
    if x.dtype.name == "bfloat16":
        x = x.astype(np.float32)
    return x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)


def reference(name: str, x: Array, **options: Any) -> Array:
    """Return the result of SciPy's transform of the given name, computed in extended precision."""
    return np.asarray(getattr(scipy.fft, name)(extended(x), **options))


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Array:
    rng = np.random.default_rng([seed, *shape])
    imaginary = 1j * rng.standard_normal(shape) if dtype.startswith("complex") else 0
    return np.asarray(rng.standard_normal(shape) + imaginary).astype(dtype)


def operand(name: str, n: int, real: str, lines: tuple[int, ...] = (), seed: int = 0) -> tuple[Array, dict[str, Any]]:
    """Return an operand in the precision of `real` for a transform of length n, and the transform's options."""
    if name in TO_REAL:
        return numbers((*lines, n // 2 + 1), COMPLEX[real], seed), {"n": n}
    return numbers((*lines, n), real if name in FROM_REAL else COMPLEX[real], seed), {}


def error(result: Tensor, expected: Array) -> float:
    """Return the Euclidean distance of result and expectation, divided by the expected norm and the rounding unit."""
    found = result.numpy()
    assert found.shape == expected.shape
    assert found.dtype.kind == expected.dtype.kind
    length = np.linalg.norm(expected.ravel().astype(np.clongdouble))
    distance = np.linalg.norm((found - expected).ravel().astype(np.clongdouble))
    return float(distance / length / UNIT[found.dtype.name]) if length else float(distance)


def check(result: Tensor, expected: Array, n: int) -> None:
    """Check that the error of a transform of length n is at most the bound that the documentation states."""
    assert error(result, expected) <= 1 + np.log2(2 * n), n


def by_definition(x: Array, inverse: bool = False) -> Array:
    """Compute the Fourier transform along the last axis as sums of products with the roots of unity."""
    n = x.shape[-1]
    angle = np.arange(n, dtype=np.longdouble) * (8 * np.arctan(np.longdouble(1)) / n)
    roots = np.cos(angle) + (1j if inverse else -1j) * np.sin(angle)
    sums = extended(x) @ roots[np.outer(np.arange(n), np.arange(n)) % n]
    return np.asarray(sums / n if inverse else sums)


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_every_short_length_by_definition(real: str) -> None:
    for n in range(1, 130):
        x = numbers((2, n), COMPLEX[real])
        check(call("fft", x), by_definition(x), n)
        check(call("ifft", x), by_definition(x, inverse=True), n)


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_many_vectors_of_short_lengths(real: str, norm: str) -> None:
    """The bound holds for each of many vectors. For short lengths, few roundings make up the error."""
    for n in range(1, 9):
        x = numbers((3000, n), COMPLEX[real], n)
        for name in ("fft", "ifft"):
            found, expected = call(name, x, norm=norm).numpy(), reference(name, x, norm=norm)
            lengths, distances = (
                np.linalg.norm(t.astype(np.clongdouble), axis=1) for t in (expected, found - expected)
            )
            assert (distances / lengths / UNIT[found.dtype.name]).max() <= 1 + np.log2(2 * n), (name, n)


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("lines", [(), (21,)], ids=["line", "lines"])
def test_every_length_to_300(name: str, real: str, lines: tuple[int, ...]) -> None:
    for n in range(1, 301):
        x, options = operand(name, n, real, lines)
        check(call(name, x, **options), reference(name, x, **options), n)


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("name", LINES)
def test_every_length_to_80_along_other_axes(name: str, real: str) -> None:
    for n in range(1, 81):
        x, options = operand(name, n, real, (3, 7))
        expected = reference(name, x, **options)
        for axis in (0, 1):
            moved = np.ascontiguousarray(np.moveaxis(x, -1, axis))
            check(call(name, moved, axis=axis, **options), np.moveaxis(expected, -1, axis), n)


# The lengths are powers of 2, even and odd products of small primes, primes, and products of large primes.
LONG = [*(2**k for k in range(9, 18)), 1000, 2025, 3125, 6561, 9600, 10000, 50625, 100000, 120120]
LONG += [1009, 2018, 3 * 1009, 4099, 10007, 67 * 67, 8 * 8209, 100003]


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("n", LONG)
def test_long_lengths(n: int, real: str) -> None:
    for name in LINES:
        x, options = operand(name, n, real)
        check(call(name, x, **options), reference(name, x, **options), n)


@pytest.mark.parametrize("real", ["float32", "float64"])
@pytest.mark.parametrize("n", [2**20, 3 * 5**8, 300007])
def test_very_long_lengths(n: int, real: str) -> None:
    x = numbers((n,), COMPLEX[real])
    check(call("fft", x), reference("fft", x), n)
    check(call("irfft", x[: n // 2 + 1], n=n), reference("irfft", x[: n // 2 + 1], n=n), n)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("layout", ["contiguous", "strided", "transposed", "negative", "broadcast"])
@pytest.mark.parametrize("shape", [(5, 12, 7), (3, 100, 20), (2, 200, 3), (18, 131, 1)], ids=str)
def test_layouts_and_axes(name: str, layout: str, shape: tuple[int, ...]) -> None:
    a = numbers(shape, "float64" if name in FROM_REAL else "complex128")
    if layout == "broadcast":
        a = np.broadcast_to(a[:1], shape)
    x = LAYOUTS[layout](a)
    for axis in range(3):
        n = max(shape[axis], 2)
        check(call(name, x, n=n, axis=axis), reference(name, a, n=n, axis=axis), n)


@pytest.mark.parametrize("dtype", NAMES)
def test_element_types(dtype: str) -> None:
    a = sample((3, 20), dtype)
    wide = a.astype(np.float32) if dtype in ("float16", "bfloat16") else a
    twice = dtype in ("float64", "complex128")
    for name in (*LINES, *BOXES):
        if dtype.startswith("complex") and name in FROM_REAL:
            continue
        result = call(name, suanzi.tensor(wide, dtype=dtype))
        names = ("float64", "complex128") if twice else ("float32", "complex64")
        assert result.dtype.name == names[name not in TO_REAL]
        assert result.is_contiguous()
        check(result, reference(name, wide.astype(np.complex128) if name in TO_REAL else wide), 60)


@pytest.mark.parametrize("name", LINES)
def test_padded_and_cut_off(name: str) -> None:
    for length, n, lines in itertools.product((1, 7, 64, 200), (1, 2, 9, 64, 131, 200, 256), ((), (20,))):
        a = numbers((*lines, length), "float32" if name in FROM_REAL else "complex64")
        check(call(name, a, n=n), reference(name, a, n=n), n)
        columns = np.ascontiguousarray(a.T)
        check(call(name, columns, n=n, axis=0), reference(name, a, n=n).T, n)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("norm", NORMS)
def test_norms(name: str, norm: str) -> None:
    for n in (6, 128, 134):
        x, options = operand(name, n, "float64", (2,))
        check(call(name, x, norm=norm, **options), reference(name, x, norm=norm, **options), n)


BOX_CASES: list[dict[str, Any]] = [
    {},
    {"axes": (0, 2)},
    {"axes": (2, 0)},
    {"axes": (-1,)},
    {"s": (4, 20)},
    {"s": (3, 40, 9), "axes": (2, 1, 0)},
    {"s": (5, 5), "axes": (1, 0), "norm": "ortho"},
    {"norm": "forward"},
]


@pytest.mark.parametrize("options", BOX_CASES, ids=str)
@pytest.mark.parametrize("name", BOXES)
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_several_axes(name: str, options: dict[str, Any], real: str) -> None:
    a = numbers((6, 10, 33), real if name in FROM_REAL else COMPLEX[real])
    x = suanzi.tensor(a)
    result = call(name, x, **options)
    check(result, reference(name, a, **options), 2**11)
    assert x.numpy().tobytes() == a.tobytes()


def test_lengths_of_minus_one_and_no_axes() -> None:
    a = numbers((4, 6), "complex128")
    check(call("fftn", a, s=(-1, 8)), reference("fftn", a, s=(4, 8)), 32)
    check(call("irfftn", a, s=(3, -1)), reference("irfftn", a, s=(3, 10)), 32)
    x = suanzi.tensor(a)
    copy = call("fftn", x, axes=())
    copy[0, 0] = 7.0
    assert x.numpy().tobytes() == a.tobytes()
    assert call("fftn", suanzi.tensor(2.0)).numpy() == np.complex64(2)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, Array, dict[str, Any]]:
    name = draw(st.sampled_from(LINES + BOXES))
    shape = tuple(draw(st.lists(st.integers(1, 70), min_size=1, max_size=3)))
    options: dict[str, Any] = {"norm": draw(st.sampled_from(NORMS))}
    axes = tuple(draw(st.permutations(range(len(shape)))))[: draw(st.integers(1, len(shape)))]
    lengths = tuple(draw(st.integers(1, 80)) for _ in axes)
    options |= {"n": lengths[0], "axis": axes[0]} if name in LINES else {"s": lengths, "axes": axes}
    dtype = draw(st.sampled_from(["float32", "float64", "complex64", "complex128"]))
    if name in FROM_REAL:
        dtype = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    return name, numbers(shape, dtype, draw(st.integers(0, 9))), options


@settings(max_examples=150, deadline=None)
@given(cases())
def test_any_shape_axes_lengths_and_norm(case: tuple[str, Array, dict[str, Any]]) -> None:
    name, a, options = case
    n = int(np.prod(options["s"])) if name in BOXES else options["n"]
    check(call(name, a, **options), reference(name, a, **options), n)


@pytest.mark.parametrize("n", [1, 16, 60, 64, 97, 243, 1024, 10007, 65536])
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_there_and_back(n: int, real: str) -> None:
    x = suanzi.tensor(numbers((2, n), COMPLEX[real]))
    check(call("ifft", call("fft", x)), extended(x.numpy()), n * n)
    y = suanzi.tensor(numbers((2, n), real))
    check(call("irfft", call("rfft", y), n=n), extended(y.numpy()), n * n)
    check(call("hfft", call("ihfft", y), n=n), extended(y.numpy()), n * n)
    check(call("ifftn", call("fftn", x)), extended(x.numpy()), n * n)


@pytest.mark.parametrize("n", [2, 15, 64, 97, 128, 1000, 4099, 65536])
def test_what_is_exact_of_real_numbers(n: int) -> None:
    """Some properties of transforms of real numbers hold to the bit, such as symmetry and a real first number."""
    x = numbers((n,), "float32")
    whole = call("fft", x).numpy()
    np.testing.assert_array_equal(whole[1:], whole[1:][::-1].conj())
    assert whole[0].imag == 0
    np.testing.assert_array_equal(call("fft", 4 * x).numpy(), 4 * whole)
    np.testing.assert_array_equal(call("rfft", x).numpy(), whole[: n // 2 + 1])
    np.testing.assert_array_equal(call("ihfft", x, norm="forward").numpy(), whole[: n // 2 + 1].conj())


@pytest.mark.parametrize("n", [2, 15, 64, 128, 183, 1000, 65536])
def test_what_is_exact_of_complex_numbers(n: int) -> None:
    """The transform of a leading 1 is exact. The inverse has the same bits as the transform with exchanged parts."""
    front = np.zeros(n, np.complex64)
    front[0] = 1
    assert call("fft", front).tolist() == [1] * n
    z = numbers((n,), "complex64")
    forward = call("fft", z).numpy()
    inverse = call("ifft", (z.imag + 1j * z.real).astype(np.complex64), norm="forward").numpy()
    np.testing.assert_array_equal(inverse.real, forward.imag)
    np.testing.assert_array_equal(inverse.imag, forward.real)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["fft", "ifft"])
@pytest.mark.parametrize("n", [4, 8, 16, 32, 64, 97, 100, 1000])
def test_a_line_gives_the_same_bits_wherever_it_lies(n: int, name: str, dtype: str) -> None:
    """The transform of a line has the same bits beside any other lines, in any memory order, and along any axis."""
    a = numbers((40, n), dtype)
    rows = call(name, a).numpy()
    np.testing.assert_array_equal(call(name, a[::-1].copy()).numpy(), rows[::-1])
    np.testing.assert_array_equal(call(name, a[:, ::-1].copy()[:, ::-1].copy()).numpy(), rows)
    np.testing.assert_array_equal(call(name, np.ascontiguousarray(a.T), axis=0).numpy(), rows.T)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("n", [4, 8, 16, 32, 64])
def test_short_rows_at_any_distance(n: int, dtype: str) -> None:
    """Short rows have the same bits, few or many, with gaps, reversed, in dimensions that do not merge, or in place."""
    for name in ("fft", "ifft"):
        a = numbers((19, n), dtype)
        rows = call(name, a).numpy()
        for count in range(1, 19):
            np.testing.assert_array_equal(call(name, a[:count]).numpy(), rows[:count])
        whole = numbers((6, 19, n + 3), dtype)
        whole[1:5:2, ::-1, 2 : n + 2] = a
        x = suanzi.tensor(whole)
        np.testing.assert_array_equal(getattr(suanzi.fft, name)(x[1:5:2, ::-1, 2 : n + 2])[0].numpy(), rows)
        np.testing.assert_array_equal(getattr(suanzi.fft, name)(x[3, ::-1, 2 : n + 2]).numpy(), rows)
        np.testing.assert_array_equal(getattr(suanzi.fft, name)(x[3, 18::-5, 2 : n + 2]).numpy(), rows[::5])


@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
@pytest.mark.parametrize("n", [4, 15, 64, 97, 1024, 4099])
def test_what_is_not_finite_spreads_over_its_line(n: int, shape: tuple[int, ...]) -> None:
    for value in (np.nan, np.inf, -np.inf):
        for name in LINES:
            x, options = operand(name, n, "float32", shape)
            x[..., 1] = value
            assert not np.isfinite(call(name, x, **options).numpy()).any()
    x = numbers((3, n), "complex64")
    x[1, 0] = np.nan
    finite = np.isfinite(call("fft", x).numpy())
    assert finite[[0, 2]].all()
    assert not finite[1].any()


@pytest.mark.parametrize("n", [60, 128, 1024])
def test_numbers_at_the_ends_of_the_range(n: int) -> None:
    x = numbers((n,), "float64")
    expected = call("fft", x).numpy()
    for exponent, tolerance in ((-1060, 1e-2), (1000, 1e-12)):
        found = call("fft", np.ldexp(x, exponent)).numpy()
        for part, wanted in ((found.real, expected.real), (found.imag, expected.imag)):
            np.testing.assert_allclose(np.ldexp(part, -exponent), wanted, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [2, 3, 4, 6, 8, 16, 100, 1000])
def test_real_numbers_of_which_twice_overflows(n: int, dtype: str) -> None:
    largest = float(np.finfo(dtype).max)
    a = np.zeros((2, n), dtype)
    a[:, n // 3] = 0.9 * largest
    for name in ("fft", "rfft", "ifft", "ihfft"):
        expected = getattr(scipy.fft, name)(a.astype(np.float64) / largest)
        for x, axis in ((suanzi.tensor(a), 1), (suanzi.tensor(a.T), 0)):
            found = getattr(suanzi.fft, name)(x, axis=axis).numpy()
            np.testing.assert_allclose((found / largest).T if axis == 0 else found / largest, expected, atol=1e-6)


def test_nothing_to_transform() -> None:
    for name in LINES:
        assert call(name, suanzi.zeros((0, 6), dtype="float32")).shape[0] == 0
        assert call(name, suanzi.zeros((6, 0)), axis=0).shape[1] == 0
    assert call("fftn", suanzi.zeros((0, 6)), axes=(1,)).shape == (0, 6)
    assert call("fft", suanzi.zeros((0, 2)), n=2**40).shape == (0, 2**40)
    assert call("fft", suanzi.zeros(0), n=3).tolist() == [0, 0, 0]
    assert call("rfft", suanzi.zeros((20, 0)), n=256).tolist() == [[0] * 129] * 20


THREADED: list[tuple[str, tuple[int, ...], str, dict[str, Any]]] = [
    ("fft", (300, 100), "complex64", {}),
    ("fft", (300, 256), "complex128", {}),
    ("fft", (300, 131), "complex128", {}),
    ("fft", (128, 500), "float32", {"axis": 0}),
    ("ifft", (2**17,), "complex64", {}),
    ("fft", (2, 3**9), "complex128", {}),
    ("fft", (100003,), "complex64", {}),
    ("rfft", (2**17 + 2,), "float32", {}),
    ("irfft", (300, 257), "complex64", {}),
    ("fftn", (60, 70, 40), "complex64", {}),
    ("rfftn", (60, 70, 40), "float64", {}),
]


@pytest.mark.parametrize(("name", "shape", "dtype", "options"), THREADED, ids=lambda value: str(value))
def test_bits_do_not_depend_on_threads(name: str, shape: tuple[int, ...], dtype: str, options: dict[str, Any]) -> None:
    x = suanzi.tensor(numbers(shape, dtype))
    before = suanzi.get_num_threads()
    found = set()
    try:
        for n in (1, 2, 5):
            suanzi.set_num_threads(n)
            found.add(bits(call(name, x, **options)))
    finally:
        suanzi.set_num_threads(before)
    assert len(found) == 1


def test_threads_of_the_caller() -> None:
    """Threads share the cached plans of transforms. A thread may drop a plan while other threads use the plan."""
    lengths = [*range(60, 220), 4096, 8209] * 2
    data = {n: numbers((n,), "complex64") for n in lengths}
    expected = {n: bits(call("fft", data[n])) for n in lengths}
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda n: bits(call("fft", data[n])), lengths))
    assert found == [expected[n] for n in lengths]


def test_plans_are_bounded() -> None:
    before = memory.statistics()["in_use"]
    for n in range(2000, 2600):
        call("fft", suanzi.zeros(n, dtype="complex64"))
    assert memory.statistics()["in_use"] - before < 2**24


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 1000])
@pytest.mark.parametrize("d", [1, 0.1, -2.5])
def test_frequencies(n: int, d: float) -> None:
    for dtype in ("float32", "float64"):
        for name in ("fftfreq", "rfftfreq"):
            found = getattr(suanzi.fft, name)(n, d=d, dtype=dtype)
            assert found.dtype.name == dtype
            np.testing.assert_allclose(found.numpy(), getattr(np.fft, name)(n, d), rtol=4 * UNIT[dtype])
    assert suanzi.fft.fftfreq(n).dtype is suanzi.float32
    assert suanzi.fft.rfftfreq(n, dtype="bfloat16").dtype is suanzi.bfloat16


@pytest.mark.parametrize("dtype", [*NAMES, "string"])
def test_shifts(dtype: str) -> None:
    for shape, axes in itertools.product(((1, 2), (5, 4), (6, 7), (0, 3)), (None, 0, -1, (1, 0), ())):
        a = np.arange(np.prod(shape)).reshape(shape).astype(str) if dtype == "string" else sample(shape, dtype)
        x = suanzi.tensor(a) if a.size else suanzi.zeros(shape, dtype=dtype)
        for name in ("fftshift", "ifftshift"):
            found = getattr(suanzi.fft, name)(x, axes=axes)
            assert found.tolist() == getattr(np.fft, name)(a, axes=axes).tolist()


def test_options_may_be_positional() -> None:
    x = suanzi.tensor(numbers((4, 6), "complex64"))
    assert bits(suanzi.fft.fft(x, 3, 0, "ortho")) == bits(suanzi.fft.fft(x, n=3, axis=0, norm="ortho"))
    assert bits(suanzi.fft.fftn(x, (3, 3), (0, 1))) == bits(suanzi.fft.fftn(x, s=(3, 3), axes=(0, 1)))


X = suanzi.ones((2, 3))
DIMENSIONS, TYPE = suanzi.DimensionsMismatchError, suanzi.TypeMismatchError
RANGE, INVALID, ALLOC = suanzi.OutOfRangeError, suanzi.InvalidArgumentError, suanzi.AllocFailedError
Refusal = tuple[type[suanzi.SuanziError], str, tuple[Any, ...], dict[str, Any]]


def refusals() -> Iterator[Refusal]:
    for name in LINES:
        for n in (0, -1, -(2**63)):
            yield INVALID, name, (X,), {"n": n}
        yield RANGE, name, (X,), {"n": 2**64}
        yield TYPE, name, (X,), {"n": 2.5}
        yield TYPE, name, (X,), {"n": True}
        yield INVALID, name, (suanzi.zeros((2, 0)),), {}
        yield RANGE, name, (X,), {"axis": 2}
        yield RANGE, name, (X,), {"axis": -3}
        yield RANGE, name, (suanzi.ones(()),), {}
        yield TYPE, name, (X,), {"axis": None}
        yield TYPE, name, (X,), {"axis": (0,)}
        yield INVALID, name, (X,), {"norm": "unit"}
        yield INVALID, name, (X,), {"norm": "\ud800"}
        yield TYPE, name, (X,), {"norm": 1}
        yield ALLOC, name, (X,), {"n": 2**62}
    yield INVALID, "irfft", (suanzi.ones((2, 1)),), {}
    for name in BOXES:
        yield INVALID, name, (X,), {"axes": (0, 0)}
        yield INVALID, name, (X,), {"axes": (1, -1)}
        yield RANGE, name, (X,), {"axes": (0, 2)}
        yield TYPE, name, (X,), {"axes": "0"}
        yield INVALID, name, (X,), {"s": (2, 0)}
        yield INVALID, name, (X,), {"s": (2, -2)}
        yield INVALID, name, (X,), {"s": (2,), "axes": (0, 1)}
        yield DIMENSIONS, name, (X,), {"s": (2, 2, 2)}
        yield INVALID, name, (X,), {"norm": "unit"}
        yield INVALID, name, (suanzi.zeros((0, 3)),), {}
        yield ALLOC, name, (X,), {"s": (2**31, 2**31)}
    for name in ("rfftn", "irfftn"):
        yield INVALID, name, (X,), {"axes": ()}
        yield INVALID, name, (suanzi.ones(()),), {}
    for name in FROM_REAL:
        yield TYPE, name, (suanzi.ones(4, dtype="complex64"),), {}
    for name in ("fftfreq", "rfftfreq"):
        yield INVALID, name, (0,), {}
        yield INVALID, name, (-5,), {}
        yield TYPE, name, (2.0,), {}
        yield RANGE, name, (2**70,), {}
        yield INVALID, name, (4,), {"d": 0.0}
        yield TYPE, name, (4,), {"d": 1j}
        yield TYPE, name, (4,), {"d": "1"}
        yield TYPE, name, (4,), {"dtype": "int32"}
        yield TYPE, name, (4,), {"dtype": "complex64"}
        yield ALLOC, name, (2**62,), {}
    for name in ("fftshift", "ifftshift"):
        yield RANGE, name, (X,), {"axes": 2}
        yield INVALID, name, (X,), {"axes": (0, 0)}
        yield TYPE, name, (X,), {"axes": 0.5}
    for name in (*LINES, *BOXES, "fftshift", "ifftshift"):
        yield TYPE, name, (1.0,), {}
        yield TYPE, name, (np.ones(3),), {}
        yield suanzi.UninitializedObjectError, name, (destroyed(),), {}
    for name in (*LINES, *BOXES):
        yield TYPE, name, (suanzi.tensor(["a", "b"]),), {}


@pytest.mark.one_level
@pytest.mark.parametrize(("error", "name", "arguments", "options"), list(refusals()))
def test_refusals(
    error: type[suanzi.SuanziError], name: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    function: Callable[..., Tensor] = getattr(suanzi.fft, name)
    with fails(error, f"fft.{name}"):
        function(*arguments, **options)
