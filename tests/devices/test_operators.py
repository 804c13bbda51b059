"""Operators return the same results on a device as on the CPU, in calls of each function and for all types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from other_kinds import moved, parts_of, places_of
from placing import GPU, assert_same, here, outcome, sz, there

from calls import CALLS
from samples import NAMES
from suanzi import DimensionsMismatchError, InvalidArgumentError, TypeMismatchError
from suanzi.operators.registry import lookup, records

pytestmark = pytest.mark.one_level

NUMBERS = tuple(name for name in NAMES if name != "bool")
# Operators that return the same bits on a device as on the CPU. These operators are exact, move or compare elements, or
# round once by IEEE arithmetic.
EXACT = {"add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "fmod", "trunc_divide", "divide"}
EXACT |= {"maximum", "minimum", "clip", "abs", "negative", "positive", "sign", "copysign", "square", "reciprocal"}
EXACT |= {"floor", "ceil", "trunc", "rint", "round", "where", "conj", "complex", "isclose", "nextafter", "signbit"}
EXACT |= {"sqrt", "multiply_add"}
COMPLEX_BITS = {"add", "subtract", "negative", "positive", "conj", "equal", "not_equal", "where", "multiply"}
COMPLEX_BITS |= {"true_divide", "divide", "reciprocal", "square", "abs", "sign", "multiply_add", "isclose"}
# Operators with several right results or with unset memory, and a call whose `sorter` does not sort the operand.
NOT_COMPARED = {"eig", "eigh", "eigvals", "qr", "svd", "lu", "pinv", "lstsq", "empty_like", "destroy", "searchsorted"}
NOT_COMPARED |= {"Tensor.numpy"}
ELEMENTWISE = [r for r in records() if r.family == "elementwise"]
VALUES = [0, 1, 2, 3, 5, 7, 100, 127, 128, 200, 255, 2**15 - 1, 2**16 - 1, 2**31 - 1, 2**32 - 1, 2**53 + 1, 2**63 - 1]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.75, 1e-3, 6e4, 1e30, 1e-40, 5e-324, np.inf, -np.inf, np.nan, 1 / 3, 89.0]


def elements(name: str, seed: int = 0) -> Any:
    """Return a tensor of small numbers, special numbers and limits of a type, in random order."""
    dtype = sz.as_dtype(name)
    draw = np.random.default_rng(seed)
    if name == "bool":
        return sz.tensor(draw.integers(0, 2, 40).astype(bool))
    if dtype.is_integer:
        info = np.iinfo(dtype.numpy)
        found = [
            v for v in (*VALUES, *(-v for v in VALUES), info.min, info.max, info.max - 1) if info.min <= v <= info.max
        ]
        return sz.tensor(draw.permutation(np.array(found, dtype.numpy)))
    with np.errstate(all="ignore"):
        real = np.array(draw.permutation([*FLOATS, *draw.normal(size=20)]))
        if name.startswith("complex"):
            real = np.where(np.isfinite(real), real, 2.0)
            real = real + 1j * draw.permutation(real)
        return sz.tensor(real.astype(dtype.numpy))


def widest(expected: Any, name: str) -> float | None:
    """Return the greatest allowed difference from the CPU's result in ulps, or None if the bits must be equal."""
    complexes = str(expected.dtype.name).startswith("complex") if hasattr(expected, "dtype") else False
    if expected.dtype.kind not in "fc":
        return None
    if name in (COMPLEX_BITS if complexes else EXACT):
        return None
    return 40.0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("record", ELEMENTWISE, ids=lambda r: r.name)
def test_elements_of_all_types(record: Any, name: str) -> None:
    count = 1 if record.name == "clip" else len(record.operands)
    operands = [elements(name, seed) for seed in range(count)]
    if record.name == "clip":
        operands += [None, operands[0][0]]
    given = operands + [None] * (len(record.parameters) - len(operands) - len(record.options))
    options: dict[str, Any] = {"rounding": "floor"} if record.name == "divide" else {}
    expected = outcome(lambda: record.function(*operands, **options))
    found = outcome(lambda: record.function(*there(operands), **options))
    assert given is not None
    if isinstance(expected, tuple):
        assert found == expected
        return
    if record.name == "pow" and name.startswith("complex"):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        return
    if name.startswith("complex") and widest(expected, record.name):  # infinite complex results may differ
        finite = np.isfinite(expected.numpy())
        assert_same(here(found)[finite], expected[finite], 40.0)
        return
    assert_same(here(found), expected, widest(expected, record.name))


@pytest.mark.parametrize("call", CALLS, ids=lambda c: c.name)
def test_calls_of_all_functions(call: Any) -> None:
    """Calls on the device return the CPU's results, or raise TYPE_MISMATCH with the reason."""
    if not call.makers:
        pytest.skip("makes a tensor of no other")
    operands = call.operands(64)
    if any(x.dtype == sz.string for x in operands) or call.function == "Tensor.__repr__":
        pytest.skip("strings exist on the CPU only, and text names the device")
    expected = call.run(*operands)
    status, found = sz.attempt(lambda: call.run(*moved(call.operands(64))))
    if status:
        assert status == sz.Status.TYPE_MISMATCH
        assert "on the CPU alone" in str(found)
        return
    known = {record.name for record in records()}
    exact = call.function in known and lookup(call.function).family in ("random",)
    if exact or _is_a_factor(call.function):
        return
    assert places_of(found) <= {GPU}
    assert_same(parts_of(found), parts_of(expected), 200.0)


def _is_a_factor(name: str) -> bool:
    """Return whether a function has several right results, or a result without defined numbers."""
    return name in NOT_COMPARED


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_arithmetic_has_the_cpus_bits(name: str) -> None:
    dtype, parts = sz.as_dtype(name).numpy, [0.0, -0.0, 1.0, -2.5, 1e300, 1e-310, 3e38, 1e-42, np.inf, -np.inf, np.nan]
    with np.errstate(all="ignore"):
        some = np.array([complex(a, b) for a in parts for b in parts]).astype(dtype)
    x, y = sz.tensor(some[:, None]), sz.tensor(some[None])
    for function in (sz.add, sz.subtract, sz.multiply, sz.true_divide):
        assert_same(here(function(there(x), there(y))), function(x, y))
    assert_same(here(sz.multiply_add(there(x), there(y), there(x))), sz.multiply_add(x, y, x))
    for function in (sz.abs, sz.sign, sz.square, sz.reciprocal):
        assert_same(here(function(there(x))), function(x))


def test_square_roots_of_complex64_are_rounded_once() -> None:
    draw = np.random.default_rng(11)
    z = (draw.normal(size=(5000, 2)).astype(np.float32) * np.float32(2.0) ** draw.integers(-99, 99, (5000, 2))).astype(
        np.float32
    )
    z = z.view(np.complex64)
    with np.errstate(all="ignore"):
        expected = np.sqrt(z.astype(np.complex128)).astype(np.complex64)
    assert here(sz.sqrt(there(sz.tensor(z)))).numpy().tobytes() == expected.tobytes()


def test_integers_are_rounded_once_to_halves() -> None:
    draw = np.random.default_rng(5)
    for name in ("int64", "uint64"):
        info = np.iinfo(name)
        a = draw.integers(info.min, info.max, 4000, dtype=name, endpoint=True)
        shifts = draw.integers(0, 60, 4000).astype(name)
        x = sz.tensor(np.concatenate([a >> shifts, (a >> shifts) << shifts, np.array([info.min, info.max], name)]))
        for half in ("float16", "bfloat16"):
            assert_same(here(sz.astype(there(x), half)), sz.astype(x, half))


def _plain(x: Any) -> Any:
    """Return results with lists in place of tuples and named tuples."""
    return [_plain(item) for item in x] if isinstance(x, (list, tuple)) else x


def test_numbers_that_stand_as_tensors() -> None:
    """Tensors may replace numbers in slices and options, and each call reads the tensor anew."""
    x = sz.reshape(sz.arange(12, dtype="float32"), (3, 4))
    for number in (0, 1, 2):
        n = sz.tensor(number, dtype="int64")
        for call in (
            lambda x, n: x[:n],
            lambda x, n: x[n:, :n],
            lambda x, n: sz.roll(x, n, axis=1),
            lambda x, n: sz.tril(x, n),
            lambda x, n: sz.expand_dims(x, n),
            lambda x, n: sz.topk(x, n),
            lambda x, n: sz.tile(x, (n, 2)),
        ):
            assert_same(here(call(there(x), there(n))), _plain(call(x, n)))


def test_long_sums_and_large_deviations() -> None:
    x = sz.uniform((7, 4001), -1.0, 1.0, seed=3)
    assert_same(here(sz.sum(there(x), axis=1)), sz.sum(x, axis=1), 1.0)
    large = sz.tensor([[1e308, -1e308, 1.5e308]], dtype="float64")
    for function in (sz.std, sz.norm2):
        assert_same(here(function(there(large), axis=1)), function(large, axis=1), 8.0)
    ends = sz.tensor([[3.4028234e38, 0.0], [1e-45, 1e-45]])
    assert_same(here(sz.norm2(there(ends), axis=1)), sz.norm2(ends, axis=1), 1.0)
    assert_same(here(sz.reduce(there(x), "var", axis=1)), sz.reduce(x, "var", axis=1), 4.0)
    for axis in (0, -1):  # tensors without dimensions have no axes
        assert outcome(lambda: sz.sum(there(x[0, 0]), axis=axis)) == outcome(lambda: sz.sum(x[0, 0], axis=axis))  # noqa: B023


def test_strings_beside_a_device() -> None:
    text = sz.tensor(["a", "b"])
    with pytest.raises(sz.TypeMismatchError, match="strings exist on the CPU only"):
        sz.take(text, there(sz.tensor([0, 1], dtype="int64")))
    with sz.set_default_device(GPU):
        assert sz.tensor(["a"]).device == "cpu"
        assert sz.zeros(2, dtype="string").device == "cpu"
    with pytest.raises(sz.TypeMismatchError, match="strings exist on the CPU only"):
        sz.tensor(["a"], device=GPU)


def test_reductions_of_all_types() -> None:
    for name in NAMES:
        x = sz.reshape(elements(name)[:12], (3, 4))
        for record in records():
            if record.family != "reduction" or record.name == "reduce":
                continue
            for options in ({}, {"axis": 0}, {"axis": (0, 1), "keepdims": True}, {"axis": ()}):
                expected = outcome(lambda: record.function(x, **options))  # noqa: B023
                found = outcome(lambda: record.function(there(x), **options))  # noqa: B023
                if isinstance(expected, tuple):
                    assert found == expected, (name, record.name, options)
                    continue
                ulp = None if record.name in ("max", "min", "all", "any") else 64.0
                if record.name not in ("max", "min", "all", "any") and expected.dtype.kind in "fc":
                    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                    continue
                assert_same(here(found), expected, ulp)


def test_casts_between_all_types() -> None:
    for source in NAMES:
        x = elements(source)
        for target in NAMES:
            expected = outcome(lambda: sz.astype(x, target))  # noqa: B023
            found = outcome(lambda: sz.astype(there(x), target))  # noqa: B023
            if isinstance(expected, tuple):
                assert found == expected
            else:
                assert_same(here(found), expected)


@pytest.mark.parametrize("mode", ["half_even", "half_up", "half_away", "half_down", "floor", "ceil", "trunc"])
@pytest.mark.parametrize("name", NUMBERS)
def test_rounding(name: str, mode: str) -> None:
    x = elements(name)
    if name.startswith(("float", "bfloat")):
        numbers = np.random.default_rng(1).normal(size=200) * 100
        halves = np.arange(-20, 20) * 0.125
        x = sz.tensor(np.concatenate([numbers, halves, halves * 0.01]).astype(sz.as_dtype(name).numpy))
    for decimals in (0, 1, 2, -1, -2, 5):
        assert_same(here(sz.round(there(x), decimals, mode=mode)), sz.round(x, decimals, mode=mode))


def test_scalars_beside_tensors() -> None:
    numbers = (True, 0, 1, -1, 300, 2**40, 2**70, 0.1, -1e300, float("nan"), float("inf"), 1j, 3.5)
    for name in NAMES:
        x = elements(name)
        for number in numbers:
            for function in (sz.add, sz.multiply, sz.less, sz.equal, sz.maximum, sz.true_divide, sz.remainder):
                for order in (1, -1):
                    expected = outcome(lambda: function(*(x, number)[::order]))  # noqa: B023
                    found = outcome(lambda: function(*(there(x), number)[::order]))  # noqa: B023
                    if isinstance(expected, tuple):
                        assert found == expected, (name, number, function.__name__)
                        continue
                    if name.startswith("complex") or expected.dtype.kind == "c":
                        assert found.dtype == expected.dtype
                        continue
                    assert_same(here(found), expected)


def test_products_of_integers_are_exact() -> None:
    draw = np.random.default_rng(3)
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"):
        dtype = sz.as_dtype(name).numpy
        a, b = (draw.integers(0, 2**62, size).astype(dtype) for size in ((5, 7), (7, 3)))
        x, y = sz.tensor(a), sz.tensor(b)
        assert_same(here(sz.matmul(there(x), there(y))), sz.matmul(x, y))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("int8", "int32"), ("uint8", "int64"), ("int8", "float32"), ("int32", "float32"), ("int16", "complex64")],
)
def test_products_in_a_wider_type(name: str, dtype: str) -> None:
    """The sums of integers are not rounded before the end."""
    draw = np.random.default_rng(6)
    limits = np.iinfo(name)
    x, y = (sz.tensor(draw.integers(limits.min, limits.max, size, dtype=name)) for size in ((5, 7), (7, 3)))
    bias = sz.tensor([1, -2, 3], dtype="int8")
    for call in (
        lambda at: sz.matmul(at(x), at(y), dtype=dtype),
        lambda at: sz.dot(at(x), at(y), dtype=dtype),
        lambda at: sz.dot(at(x), at(y[:, 0]), dtype=dtype),
        lambda at: sz.linear(at(x), at(y.T), dtype=dtype),
        lambda at: sz.linear(at(x), at(y.T), at(bias), dtype=dtype),
        lambda at: sz.einsum("ij,jk->ki", at(x), at(y), dtype=dtype),
    ):
        assert_same(here(call(there)), call(lambda t: t))


def test_products_of_large_integers_and_halves() -> None:
    """The integers need not fit float16, and each product is rounded once."""
    x, y = sz.tensor([[70_000, 3, -90_000]] * 3, dtype="int32"), sz.tensor([[0.5, 0.0, 0.25]] * 3, dtype="float16")
    for function in (sz.matmul, sz.dot, sz.vecdot, sz.linear, sz.cross, sz.tensordot):
        assert_same(here(function(there(x), there(y))), function(x, y))
    wide = sz.tensor(3916823757318275955, dtype="uint64")
    for out in ("float32", "complex64", "float16"):  # the operands become bfloat16 for any type of `out`
        found, expected = (sz.zeros((), dtype=out) for _ in range(2))
        sz.multiply(there(sz.tensor(-4.0, dtype="bfloat16")), there(wide), out=(found := there(found)))
        assert_same(here(found), sz.multiply(sz.tensor(-4.0, dtype="bfloat16"), wide, out=expected))


@pytest.mark.parametrize("axis", [0, -1])
def test_vecdot_counts_the_axis_in_each_operand(axis: int) -> None:
    x, y = sz.arange(18, dtype="float32").reshape(3, 2, 3), sz.tensor([1.0, 10.0, 100.0])
    assert_same(here(sz.vecdot(there(x), there(y), axis=axis)), sz.vecdot(x, y, axis=axis))
    assert_same(here(sz.vecdot(there(y), there(x), axis=axis)), sz.vecdot(y, x, axis=axis))


def test_products_of_large_operands_that_do_not_fit() -> None:
    """The errors of products, solvers and factorisations name the operands' shapes."""
    x, line = sz.ones((4097, 1024), device=GPU), sz.ones(3, device=GPU)
    for call in (
        lambda: sz.matmul(x, x),
        lambda: sz.matmul(x, line),
        lambda: sz.matmul(sz.astype(x, "int8"), sz.astype(x, "int8")),
        lambda: sz.dot(x, line),
        lambda: sz.solve(x, line),
        lambda: sz.inv(x),
        lambda: sz.lstsq(x, line),
    ):
        with pytest.raises(DimensionsMismatchError, match=r"\(4097, 1024\)"):
            call()
    with pytest.raises(DimensionsMismatchError, match=r"\(2,\) and \(3,\)"):
        sz.matmul(sz.ones((2, 4097, 1024), device=GPU), sz.ones((3, 1024, 2), device=GPU))


@pytest.mark.parametrize("name", ["eigh", "eigvalsh"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1j * np.inf])
def test_eigenvalues_of_matrices_that_are_not_finite(name: str, bad: complex) -> None:
    """`eigh` and `eigvalsh` check the upper triangle as well as the lower triangle."""
    for place in ((0, 1), (1, 0), (1, 1)):
        matrix = np.eye(2) * (1 if isinstance(bad, float) else 1 + 0j)
        matrix[place] = bad
        with pytest.raises(InvalidArgumentError, match="NaN or infinite"):
            getattr(sz, name)(there(sz.tensor(matrix)))


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_signs_of_determinants_that_are_nan(dtype: str) -> None:
    x = sz.tensor([[[1, np.nan], [0, 1]], [[1, 0], [np.inf, 2]], [[0, 1], [1, 0]]], dtype=dtype)
    sign, size = (here(y).numpy() for y in sz.slogdet(there(x)))
    assert np.isnan([sign.real[:2], sign.imag[:2] if dtype == "complex128" else size[:2], size[:2]]).all()
    assert (sign[2], size[2]) == (-1, 0)


def test_tensors_of_different_shapes_are_not_equal() -> None:
    """`array_equal` compares no types if the shapes differ."""
    x, y = sz.zeros((2, 2), dtype="uint64"), sz.zeros((2, 3), dtype="int8")
    assert sz.array_equal(there(x), there(y)) is False
    assert sz.array_equal(there(y), -1) is False
    with pytest.raises(TypeMismatchError):
        sz.array_equal(there(x), there(y[:, :2]))


def test_products_of_integers_by_limbs() -> None:
    """Products of integer matrices in limbs, for devices without integer products, equal PyTorch's products."""
    import torch

    from suanzi.devices.products import _of_integers

    draw = np.random.default_rng(4)
    for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
        a, b = (torch.from_numpy(draw.integers(-(2**62), 2**62, size)).to(dtype) for size in ((5, 70), (70, 3)))
        assert torch.equal(_of_integers(a, b), torch.matmul(a, b))


def test_nothing_lies_on_the_cpu() -> None:
    assert sz.add(sz.ones(2, device=GPU), 1).device == GPU


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int32"])
def test_variances_of_too_few_elements_are_undefined(name: str, dtype: str) -> None:
    function = getattr(sz, name)
    for x in (sz.tensor([1, 2, 4], dtype=dtype), sz.zeros((0, 2), dtype=dtype), sz.ones((1, 3), dtype=dtype)):
        for options in ({"correction": 3}, {"correction": 5.5, "keepdims": True}, {"correction": 3, "axis": -1}):
            assert_same(here(function(there(x), **options)), function(x, **options))
        assert_same(here(function(there(x), axis=(), correction=1)), function(x, axis=(), correction=1))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int32"])
def test_variances_of_nothing(name: str, dtype: str) -> None:
    function, x = getattr(sz, name), there(sz.zeros((0, 2), dtype=dtype))
    for correction in (0, 1, 2.5):
        assert function(x, axis=1, correction=correction).shape == (0,)
        assert function(x, axis=(), correction=correction).shape == (0, 2)
        assert np.isnan(function(x, axis=0, correction=correction).numpy()).tolist() == [True, True]
    assert function(x, correction=-1).item() == 0  # no squares, divided by 0 - (-1)
    assert np.isnan(function(x, correction=np.nan).item())


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("count", [2, 300, 3000])
def test_products_that_leave_the_range_on_the_way(dtype: str, count: int) -> None:
    """The elements are powers of two, so that every product in the range is exact."""
    double = dtype in ("float64", "complex128")
    order = 900 if double else 120
    lines = np.repeat(2.0 ** np.array([order, -order]), count)
    lines[-1] *= 4
    table = np.stack([lines, lines[::-1], -lines], -1).reshape(2, count, 3)
    x = there(sz.tensor(table, dtype=dtype))
    assert sz.prod(x, axis=(0, 1)).tolist() == [4, 4, 4]
    assert sz.prod(x, axis=(1, 0), keepdims=True).tolist() == [[[4, 4, 4]]]
    assert sz.prod(x).item() == 64
    assert sz.prod(there(sz.tensor([*lines, 0.0], dtype=dtype))).item() == 0
    assert not np.isfinite(sz.prod(there(sz.tensor([*lines, np.nan], dtype=dtype))).item())
    if dtype[0] == "f":
        assert sz.prod(there(sz.tensor([*lines, np.inf], dtype=dtype))).item() == np.inf
        assert sz.prod(there(sz.tensor([*lines, *lines[:count], *lines[:count]], dtype=dtype))).item() == np.inf


@pytest.mark.parametrize("dtype", ["int16", "int32", "int64"])
def test_sums_of_integers_in_halves(dtype: str) -> None:
    """Integers become halves before the sum, as in NumPy. The sum is rounded once."""
    numbers = [2049, 1, 4097, 3, -2051]
    x, halves = there(sz.tensor(numbers, dtype=dtype)), np.array(numbers, np.float16).astype(np.float64)
    assert sz.sum(x, dtype="float16").item() == np.float16(halves.sum())
    assert sz.cumulative_sum(x, dtype="float16").tolist() == np.float16(halves.cumsum()).tolist()
    if dtype != "int16":
        wide = there(sz.tensor([70_000, -140_000, 70_000], dtype=dtype))
        assert np.isnan(sz.sum(wide, dtype="float16").item())


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_places_of_no_rows(name: str) -> None:
    x = sz.zeros((0, 0, 2), device=GPU)
    assert [getattr(sz, name)(x, axis=axis).shape for axis in (0, 1)] == [(0, 2), (0, 2)]


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_transforms_of_nothing_are_zeros(name: str) -> None:
    function = getattr(sz.fft, name)
    empty = sz.zeros((3, 0))
    assert_same(here(function(there(empty), n=4)), function(empty, n=4))


def test_a_value_to_fill_with_must_fit() -> None:
    x, mask = sz.tensor([1, 2], dtype="uint32"), sz.tensor([True, False])
    for value in (sz.tensor(-2, dtype="int16"), sz.tensor(7, dtype="int16"), sz.tensor(1.5), sz.tensor([3])):
        expected = outcome(lambda value=value: sz.masked_fill(x, mask, value))
        found = outcome(lambda value=value: here(sz.masked_fill(there(x), there(mask), there(value))))
        if isinstance(expected, tuple):
            assert found == expected
        else:
            assert_same(found, expected)


@pytest.mark.parametrize("source", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("target", ["float16", "bfloat16", "float32", "complex64"])
@pytest.mark.parametrize("name", ["add", "multiply", "true_divide", "remainder", "hypot"])
def test_results_written_to_another_type_are_rounded_once(name: str, source: str, target: str) -> None:
    x, y = (sz.uniform(500, low, 4, seed=1).astype(source) for low in (-4, 1))
    out = sz.zeros(500, dtype=target)
    expected = outcome(lambda: getattr(sz, name)(x, y, out=out))
    found = outcome(lambda: here(getattr(sz, name)(x.to_device(GPU), y.to_device(GPU), out=out.to_device(GPU))))
    if isinstance(expected, tuple):
        assert found == expected
    else:
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_names_the_matrix_and_the_pivot(upper: bool) -> None:
    x = np.eye(3, dtype=np.float32) + np.zeros((2, 3, 1, 1), np.float32)
    x[1, 2, 1, 1] = -1
    for given, named in ((x, "matrix 5 of the batch"), (x[1, 2], "matrix")):
        with pytest.raises(sz.InvalidArgumentError, match=rf"^cholesky: {named} is not positive definite: pivot 1 is"):
            sz.linalg.cholesky(there(sz.tensor(given)), upper=upper)


def test_inv_names_the_matrix_and_the_pivot() -> None:
    x = np.eye(3, dtype=np.float32) + np.zeros((2, 3, 1, 1), np.float32)
    x[1, 2, 1, 1] = 0
    with pytest.raises(sz.InvalidArgumentError, match=r"^inv: matrix 5 of the batch is singular: pivot 1 is 0"):
        sz.linalg.inv(there(sz.tensor(x)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("place", [(1, 2), (2, 1), (2, 2)])
def test_qr_of_a_matrix_with_nan(dtype: str, place: tuple[int, int]) -> None:
    """A column with NaN, and all later columns, depend on the NaN. Earlier columns of Q do not depend on the NaN."""
    x = np.float64([[3, 1, 2], [0, 5, 4], [1, 2, 7]])
    x[place] = np.nan
    for mode in ("reduced", "complete"):
        q = here(sz.linalg.qr(there(sz.tensor(x, dtype=dtype)), mode=mode))[0].numpy()
        assert np.isnan(q[:, place[1] :]).all()
        assert np.isfinite(q[:, : place[1]]).all()
