"""Cases of ONNX operators that compute: elementwise operators, reductions, normalisations and products.

`MAKERS` has a function for each operator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import defs
from onnx_drawing import Array, Case, Drawing


def elementwise(d: Drawing) -> Case:
    shape = d.shape()
    inputs: list[Array | None] = []
    for i, formal in enumerate(d.schema.inputs):
        times = d.chance.randint(1, 4) if formal.option == defs.OpSchema.FormalParameterOption.Variadic else 1
        for k in range(times):
            # Operators that add or multiply receive no extreme numbers, because 0 times infinity is not defined, and
            # sums beyond float32's range are infinite in float32.
            tame = i == 1 if d.schema.name == "SwiGLU" else d.schema.name in ("Sum", "Mean") and d.dtype().itemsize > 2
            inputs.append(d.data(d.beside(shape) if i + k else shape, d.dtype(i), wild=not tame))
    attributes: dict[str, Any] = {}
    for name, attribute in d.schema.attributes.items():
        if attribute.type == defs.OpSchema.AttrType.FLOAT and d.chance.random() < 0.5:
            attributes[name] = d.number(0.05, 2)
    if d.schema.name in ("Sum", "Mean"):
        return Case(inputs, attributes, magnitude="terms")
    if d.schema.name in ("Swish", "SwiGLU", "Mish", "Selu", "Elu", "Celu"):
        return Case(inputs, attributes, magnitude="power")
    return Case(inputs, attributes, magnitude=float("beta" in d.schema.attributes and d.dtype() == np.float64))


def _binary(d: Drawing) -> Case:
    """Draw the operands of a binary operator. Before opset 7 an attribute allows the second operand to broadcast."""
    if d.version >= 7:
        shape = d.shape()
        shapes = [shape, d.beside(shape)]
        d.chance.shuffle(shapes)
        inputs: list[Array | None] = [d.data(s, d.dtype(i)) for i, s in enumerate(shapes)]
        return Case(inputs, {})
    shape = d.shape(1)
    start = d.chance.randint(0, len(shape) - 1)
    stop = d.chance.randint(start + 1, len(shape))
    if d.chance.random() < 0.3:
        return Case([d.data(shape, d.dtype(0)), d.data(shape, d.dtype(1))], {})
    return Case([d.data(shape, d.dtype(0)), d.data(shape[start:stop], d.dtype(1))], {"broadcast": 1, "axis": start})


def _pow(d: Drawing) -> Case:
    case = _binary(d)
    x, y = case.inputs
    assert x is not None
    assert y is not None
    if y.dtype.kind in "iu" or x.dtype.kind in "iu":
        y = d.rng.integers(0, 6, y.shape).astype(y.dtype)
    if x.dtype.kind in "iu":
        x = d.data(x.shape, x.dtype, wild=False)
    return Case([x, y], case.attributes)


def _mod(d: Drawing) -> Case:
    case = _binary(d)
    x, y = case.inputs
    assert x is not None
    assert y is not None
    if x.dtype.kind in "iu":
        y = np.where(y == 0, 1, y).astype(y.dtype)
    return Case([x, y], {"fmod": 1 if x.dtype.kind not in "iu" or d.chance.random() < 0.5 else 0})


def _div(d: Drawing) -> Case:
    case = _binary(d)
    x, y = case.inputs
    assert x is not None
    assert y is not None
    if x.dtype.kind in "iu":
        y = np.where(np.isin(y, [0, -1] if x.dtype.kind == "i" else [0]), 3, y).astype(y.dtype)
    return Case([x, y], case.attributes)


def _shift(d: Drawing) -> Case:
    case = _binary(d)
    x, y = case.inputs
    assert x is not None
    assert y is not None
    return Case([x, y % (8 * x.dtype.itemsize)], {"direction": d.chance.choice(["LEFT", "RIGHT"])})


def _clip(d: Drawing) -> Case:
    x = d.data(d.shape())
    low, high = sorted([d.number(-2, 2), d.number(-2, 2)])
    if d.version < 11:
        return Case([x], d.maybe(min=low, max=high))
    if x.dtype.kind in "iu":
        low, high = abs(math.floor(low)), abs(math.floor(low)) + 3
    ends = [None if d.chance.random() < 0.3 else np.array(end).astype(x.dtype) for end in (low, high)]
    return Case([x, *ends], {})


def _fold_of(kind: str) -> Callable[[Drawing], Case]:
    """Return a function that draws a case of a reduction. The axes are an attribute or an input, by version."""

    def make(d: Drawing) -> Case:
        shape = d.shape(smallest=0 if kind in ("sum", "prod") else 1)
        extreme = kind in ("max", "min")
        x = d.data(shape, wild=extreme or (d.dtype().kind in "iu" and kind != "log"))
        axes = d.axes(len(shape))
        attributes = d.maybe(keepdims=d.chance.randint(0, 1), noop_with_empty_axes=d.chance.randint(0, 1))
        if kind == "log":
            x = np.abs(x)
        if "axes" in d.schema.attributes:
            attributes.pop("noop_with_empty_axes", None)
            if axes:
                attributes["axes"] = axes
            return Case([x], attributes, magnitude="sum")
        return Case([x, np.int64(axes)] if axes or d.chance.random() < 0.5 else [x], attributes, magnitude="sum")

    return make


def _arg_search(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    x = d.data(shape, wild=d.dtype().kind in "iu")
    options = d.maybe(keepdims=d.chance.randint(0, 1), select_last_index=d.chance.randint(0, 1))
    return Case([np.rint(x).astype(x.dtype), *[]], options | {"axis": d.axis(len(shape))})


def _along(d: Drawing) -> Case:
    """Draw a case of Softmax, or of a similar operator with one input and the attribute `axis`."""
    shape = d.shape(1, smallest=1)
    x = d.data(shape, wild=False)
    return Case([x], {"axis": d.axis(len(shape))} if d.chance.random() < 0.8 else {}, magnitude="log")


def _lp_normalization(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    return Case([d.data(shape, wild=False)], {"axis": d.axis(len(shape)), "p": d.chance.randint(1, 2)})


def _scan(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = np.array(d.axis(len(shape)), d.dtype(1))
    flags = d.maybe(exclusive=d.chance.randint(0, 1), reverse=d.chance.randint(0, 1))
    x = d.data(shape, wild=False)
    return Case([x, axis], flags, magnitude=np.sum(np.abs(x.astype(np.float64))) if d.schema.name == "CumSum" else 0)


def _channels(d: Drawing, count: int, positive: Sequence[int], types: Sequence[int]) -> tuple[Array, list[Array]]:
    shape = (d.chance.randint(1, 3), d.chance.randint(1, 5), *d.shape(1, 3, 1))
    vectors = [d.data(shape[1:2], d.dtype(i), wild=False, scale=1.0) for i in types]
    for i in positive:
        vectors[i] = (np.abs(vectors[i]) + np.array(0.1, vectors[i].dtype)).astype(vectors[i].dtype)
    return d.data(shape, d.dtype(0), wild=False), vectors[:count]


def _batch_normalization(d: Drawing) -> Case:
    x, (scale, bias, mean, variance) = _channels(d, 4, [3], [1, 2, 3, 4])
    attributes = d.maybe(epsilon=d.number(1e-6, 0.1), momentum=d.number(0.1, 0.9))
    magnitude = 30 * float(np.abs(x.astype(np.float64)).max(initial=1)) + 30
    if "training_mode" in d.schema.attributes and d.chance.random() < 0.3:
        return Case([x, scale, bias, mean, variance], attributes | {"training_mode": 1}, 3, magnitude**2)
    return Case([x, scale, bias, mean, variance], attributes, 1, magnitude)


def _instance_normalization(d: Drawing) -> Case:
    x, vectors = _channels(d, 2, [], [1, 2])
    return Case([x, *vectors], d.maybe(epsilon=d.number(1e-6, 0.1)), magnitude=_spread_of(x))


def _layer_normalization(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = d.axis(len(shape))
    inner = shape[axis:]
    x = d.data(shape, wild=False)
    vectors = [d.data(inner, d.dtype(1), wild=False, scale=1.0) for _ in range(d.chance.randint(1, 2))]
    rms = d.schema.name == "RMSNormalization"
    attributes: dict[str, Any] = {"axis": axis, **d.maybe(epsilon=d.number(1e-6, 0.1))}
    return Case([x, *vectors[: 1 if rms else 2]], attributes, 1 if rms else d.chance.choice([1, 3]), _spread_of(x))


def _spread_of(x: Array) -> float:
    """Return the bound of a normalised x's error in rounding units. The bound is large if x varies little."""
    wide = x.astype(np.float64)
    return 100 + 100 * float(np.abs(wide).max(initial=0) / max(np.std(wide) if wide.size else 1, 0.01))


def _mean_variance(d: Drawing) -> Case:
    shape = d.shape(2, 4, 1)
    x = d.data(shape, wild=False)
    return Case([x], {"axes": d.axes(len(shape)) or [0]} if len(shape) < 4 else {}, magnitude="spread")


def _order(d: Drawing) -> dict[str, Any]:
    """Draw the attribute `p` if the operator is GlobalLpPool. The attribute is a float in the first version."""
    if d.schema.name != "GlobalLpPool":
        return {}
    order = d.chance.randint(1, 3)
    return {"p": float(order) if d.schema.since_version == 1 else order}


def _pool(d: Drawing) -> Case:
    x = d.data(d.shape(3, 5, 1), wild=False)
    return Case([x], _order(d), magnitude=most(x))


def _lrn(d: Drawing) -> Case:
    x = d.data(d.shape(3, 4, 1), wild=False)
    options = d.maybe(alpha=d.number(1e-4, 1), beta=d.number(0.3, 1), bias=d.number(0.5, 2))
    return Case([x], {"size": d.chance.choice([1, 3, 5]), **options})


def most(x: Array) -> float:
    return float(np.nanmax(np.abs(x.astype(np.float64)), initial=0))


def _matmul(d: Drawing) -> Case:
    m, k, n = (d.chance.randint(1, 5) for _ in range(3))
    stack = d.shape(0, 2, 1)
    a, b = d.data((*stack, m, k), wild=False), d.data((*d.beside(stack), k, n), wild=False)
    return Case([a, b], magnitude=most(a) * most(b) * k)


def _gemm(d: Drawing) -> Case:
    m, k, n = (d.chance.randint(1, 6) for _ in range(3))
    attributes = d.maybe(alpha=d.number(-2, 2), beta=d.chance.choice([0.0, 1.0, d.number(-2, 2)]), transA=1, transB=1)
    a = d.data((k, m) if attributes.get("transA") else (m, k), wild=False)
    b = d.data((n, k) if attributes.get("transB") else (k, n), wild=False)
    c = d.data(d.beside((m, n)), wild=attributes.get("beta") == 0)
    inputs = [a, b, c] if d.version < 11 or d.chance.random() < 0.8 else [a, b]
    return Case(inputs, attributes, magnitude=2 * (most(a) * most(b) * k + (most(c) if np.isfinite(most(c)) else 0)))


def _einsum(d: Drawing) -> Case:
    sizes = {letter: d.chance.randint(1, 4) for letter in "ijkl"}
    equation = d.chance.choice(["ij,jk->ik", "i,i,i->", "ij,j->i", "ijk->kj", "ii->i", "ij,kj,jl->il", "i,j->ij"])
    words = equation.partition("->")[0].split(",")
    inputs: list[Array | None] = [d.data([sizes[c] for c in word], wild=False) for word in words]
    magnitude = math.prod(most(x) for x in inputs if x is not None) * 64
    return Case(inputs, {"equation": equation}, magnitude=magnitude)


def _det(d: Drawing) -> Case:
    n = d.chance.randint(1, 4)
    x = d.data((*d.shape(0, 2, 1), n, n), wild=False)
    return Case([x], magnitude=(most(x) * n) ** n)


MAKERS: dict[str, Callable[[Drawing], Case | None]] = {
    **dict.fromkeys(["Add", "Sub", "Mul", "And", "Or", "Xor", "Equal", "Greater", "Less"], _binary),
    **dict.fromkeys(["ArgMax", "ArgMin"], _arg_search),
    **dict.fromkeys(["Softmax", "LogSoftmax", "Hardmax"], _along),
    **dict.fromkeys(["CumSum", "CumProd"], _scan),
    **dict.fromkeys(["LayerNormalization", "RMSNormalization"], _layer_normalization),
    **dict.fromkeys(["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"], _pool),
    **dict.fromkeys(["ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare"], _fold_of("sum")),
    **dict.fromkeys(["ReduceMax", "ReduceMin"], _fold_of("max")),
    "BatchNormalization": _batch_normalization,
    "BitShift": _shift,
    "Clip": _clip,
    "Det": _det,
    "Div": _div,
    "Einsum": _einsum,
    "Gemm": _gemm,
    "InstanceNormalization": _instance_normalization,
    "LRN": _lrn,
    "LpNormalization": _lp_normalization,
    "MatMul": _matmul,
    "MeanVarianceNormalization": _mean_variance,
    "Mod": _mod,
    "Pow": _pow,
    "ReduceLogSum": _fold_of("log"),
    "ReduceLogSumExp": _fold_of("log"),
    "ReduceProd": _fold_of("prod"),
}
