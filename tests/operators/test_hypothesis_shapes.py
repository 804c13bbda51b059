"""Tests of elementwise operations and reductions on shapes, strides and types that Hypothesis draws, up to rank 5."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes

import suanzi
from cases import call
from layouts import check
from oracle.precise import RULES
from oracle.reductions import OPERATIONS, accepts
from oracle.reductions import reference as reduction_reference
from suanzi import Tensor, _core
from suanzi.conformance.inputs import random, specials
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array, ElementType
from suanzi.conformance.oracle.rules import Rule, common_type, reference
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError

SAMPLE = [
    "add",
    "subtract",
    "multiply_add",
    "true_divide",
    "floor_divide",
    "remainder",
    "maximum",
    "abs",
    "sign",
    "clip",
    "less",
    "equal",
    "isnan",
    "logical_xor",
    "bitwise_xor",
    "bitwise_left_shift",
    "square",
    "rint",
    "complex",
    "conj",
    "where",
]


@st.composite
def arrangements(draw: st.DrawFn, shape: tuple[int, ...], f: ElementType, tame: bool = False) -> tuple[Array, Tensor]:
    """Draw an array of a shape and a type, and a view of a larger tensor. The view has the elements of the array."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from((1, 1, 2, 3, -1, -2))) for _ in shape]
    before = [draw(st.integers(0, 2)) for _ in shape]
    lengths = [shape[axis] for axis in order]
    around = [b + max(n - 1, 0) * abs(s) + 1 for n, s, b in zip(lengths, steps, before, strict=True)]
    base = (_tame if tame else _elements)(f, around, draw(st.integers(0, 10**6)))
    index = tuple(_span(n, s, b) for n, s, b in zip(lengths, steps, before, strict=True))
    axes = tuple(int(i) for i in np.argsort(order))
    return np.asarray(base[index]).transpose(axes), _core.transpose(suanzi.tensor(base)[index], axes)


def _span(length: int, step: int, first: int) -> slice:
    """Return a slice of `length` indices, `step` apart, whose least index is `first`."""
    if length == 0:
        return slice(first, first)
    last = first + (length - 1) * abs(step)
    if step > 0:
        return slice(first, last + 1, step)
    return slice(last, first - 1 if first else None, step)


def _elements(f: ElementType, shape: list[int], seed: int) -> Array:
    rng = np.random.default_rng(seed)
    count = int(np.prod(shape))
    values = random(f, count, rng)
    if f.kind != "C":
        chosen = rng.random(count) < 0.2
        values[chosen] = rng.choice(specials(f), int(chosen.sum()))
    return values.reshape(shape)


def _tame(f: ElementType, shape: list[int], seed: int) -> Array:
    """Draw elements. Sums and products of floating-point numbers stay in the range, in any order. Integers may wrap."""
    count = int(np.prod(shape))
    if f.kind in "BUS":
        return random(f, count, np.random.default_rng(seed)).reshape(shape)
    values = 1 + np.random.default_rng(seed).uniform(-1, 1, count) / 64
    return values.astype(f.numpy).reshape(shape)


@st.composite
def calls(draw: st.DrawFn, rule: Rule) -> tuple[list[Array], list[Tensor]]:
    shapes = draw(mutually_broadcastable_shapes(num_shapes=rule.arity, max_dims=5, max_side=4, min_side=0))
    formats = st.sampled_from(list(ELEMENT_TYPES.values()) if draw(st.booleans()) else rule.accepted())
    first = draw(formats)
    types = [first if draw(st.booleans()) else draw(formats) for _ in range(rule.arity)]
    if rule.conditional:
        types[0] = ELEMENT_TYPES["bool"]
    pairs = [draw(arrangements(s, f)) for s, f in zip(shapes.input_shapes, types, strict=True)]
    return [a for a, _ in pairs], [x for _, x in pairs]


@pytest.mark.parametrize("name", SAMPLE)
@given(data=st.data())
def test_elementwise(name: str, data: st.DataObject) -> None:
    rule = RULES[name]
    arrays, tensors = data.draw(calls(rule))
    types = [a.dtype.name for a in arrays]
    what = f"{name} of {types}, shapes {[a.shape for a in arrays]}"
    if common_type(rule, types) is None:
        assert suanzi.attempt(call, rule, *tensors)[0] is suanzi.Status.TYPE_MISMATCH, what
        return
    expected = reference(rule, arrays)
    check(call(rule, *tensors), expected, arrays, what)
    out = suanzi.empty(expected.values.shape[::-1], dtype=getattr(suanzi, expected.element_type.name))
    turned = _core.transpose(out, tuple(reversed(range(out.ndim))))
    check(call(rule, *tensors, out=turned), expected, arrays, f"{what} into out")


@given(data=st.data(), shape=array_shapes(min_dims=0, max_dims=5, min_side=1, max_side=6))
def test_functions(data: st.DataObject, shape: tuple[int, ...]) -> None:
    rule = RULES[data.draw(st.sampled_from(("exp", "sin", "sqrt", "atan", "log1p", "tanh")))]
    f = ELEMENT_TYPES[data.draw(st.sampled_from(("float16", "bfloat16", "float32", "float64", "int8")))]
    array, tensor = data.draw(arrangements(shape, f))
    check(call(rule, tensor), reference(rule, [array]), [array], f"{rule.name} of {f.name} {shape}")


@given(*[array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=4)] * 2)
def test_shapes_broadcast_or_not(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = suanzi.zeros(a), suanzi.zeros(b)
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(DimensionsMismatchError, match=r"add: .* broadcast"):
            suanzi.add(x, y)
    else:
        assert suanzi.add(x, y).shape == shape


@pytest.mark.parametrize("op", OPERATIONS)
@given(data=st.data(), shape=array_shapes(min_dims=0, max_dims=5, min_side=0, max_side=5))
def test_reductions(op: str, data: st.DataObject, shape: tuple[int, ...]) -> None:
    f = data.draw(st.sampled_from([f for f in ELEMENT_TYPES.values() if accepts(op, f)]))
    array, tensor = data.draw(arrangements(shape, f, op in ("sum", "mean", "prod")))
    axes: Any = data.draw(st.none() | st.sets(st.integers(0, max(len(shape) - 1, 0))).map(tuple))
    assume(axes is None or all(a < len(shape) for a in axes))
    options: dict[str, Any] = {"axis": axes, "keepdims": data.draw(st.booleans())}
    dtype = None
    if op in ("sum", "prod", "mean") and data.draw(st.booleans()):
        wide = ("complex128",) if f.kind == "C" else ("float32", "float64")
        dtype = data.draw(st.sampled_from(("uint8", "int64") if op == "prod" and f.kind in "BUS" else wide))
        options["dtype"] = getattr(suanzi, dtype)
    reduce = getattr(suanzi, op)
    what = f"{op} of {f.name} {shape}, {options}"
    kept = [n for i, n in enumerate(shape) if axes is not None and i not in axes]
    if op in ("max", "min") and array.size == 0 and np.prod(kept) != 0:
        with pytest.raises(InvalidArgumentError, match=op):
            reduce(tensor, **options)
        return
    expected = reduction_reference(op, array, axes, options["keepdims"], dtype)
    check(reduce(tensor, **options), expected, [], what)
