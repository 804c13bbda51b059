"""Inputs and attributes of single ONNX operators, drawn at random: what `onnx_operators.py` makes models of.

An operator that has no entry here has its inputs broadcast against each other and random numbers as attributes, so that
a new row of the table is drawn without being told.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from onnx import defs
from onnx.helper import np_dtype_to_tensor_dtype

Array = np.ndarray[Any, Any]
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
NAMES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16", "tensor(bool)": "bool"}
NAMES |= {f"tensor({s}int{n})": f"{s}int{n}" for s in ("", "u") for n in (8, 16, 32, 64)}
TYPES = {text: np.dtype(name) for text, name in NAMES.items()} | {"tensor(bfloat16)": BFLOAT16}
FLOATS = (*map(np.dtype, ("float16", "float32", "float64")), BFLOAT16)


class Case(NamedTuple):
    """What a node is given; None stands for an input that is left out."""

    inputs: list[Array | None]
    attributes: Mapping[str, Any] = MappingProxyType({})
    outputs: int = 1
    magnitude: Any = 0.0  # of the terms that add up to an element: a sum can be no better than its terms are


class Drawing:
    """One operator's version, the types of its variables, and random numbers."""

    def __init__(self, chance: random.Random, schema: defs.OpSchema) -> None:
        self.chance, self.schema, self.version = chance, schema, schema.since_version
        self.rng = np.random.default_rng(chance.getrandbits(64))
        self.types = {
            c.type_param_str: chance.choice(found)
            for c in schema.type_constraints
            if (found := _weighted([TYPES[t] for t in c.allowed_type_strs if t in TYPES]))
        }

    def dtype(self, i: int = 0) -> np.dtype[Any]:
        """The type of an input."""
        text = self.schema.inputs[min(i, len(self.schema.inputs) - 1)].type_str
        return self.types.get(text) or TYPES.get(text, np.dtype("int64"))

    def shape(self, least: int = 0, most: int = 4, smallest: int = 0) -> tuple[int, ...]:
        """Small odd shapes, seldom empty ones."""
        rank = self.chance.randint(least, most)
        sizes = [self.chance.choice([1, 1, 2, 3, 4, 5, 7]) for _ in range(rank)]
        if rank and not smallest and self.chance.random() < 0.03:
            sizes[self.chance.randrange(rank)] = 0
        return tuple(sizes)

    def beside(self, shape: Sequence[int]) -> tuple[int, ...]:
        """A shape that broadcasts to another."""
        sizes = [1 if self.chance.random() < 0.3 else n for n in shape]
        return tuple(sizes[self.chance.choice([0, 0, self.chance.randint(0, len(sizes))]) :])

    def data(self, shape: Sequence[int], dtype: Any = None, wild: bool = True, scale: float | None = None) -> Array:
        """Elements of many sizes, some of them special where the operator may be given such."""
        dtype = np.dtype(self.dtype() if dtype is None else dtype)
        if dtype.kind == "b":
            return self.rng.random(tuple(shape)) < 0.5
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            if wild and self.chance.random() < 0.3:
                return self.rng.integers(limits.min, limits.max, tuple(shape), dtype, endpoint=True)
            return self.rng.integers(max(limits.min, -20), 21, tuple(shape)).astype(dtype)
        if scale is None:
            scale = 10.0 ** self.chance.uniform(-3, 3 if wild else 1)
        values = self.rng.standard_normal(tuple(shape)) * scale
        if self.chance.random() < 0.2:
            values = np.rint(values)
        if wild and self.chance.random() < 0.3:
            info = ml_dtypes.finfo(dtype)
            large, tiny, least = float(info.max), float(info.smallest_normal), float(info.smallest_subnormal)
            special = [0.0, -0.0, math.inf, -math.inf, math.nan, large, -large, tiny, -least, large / 3, 1.0, -1.0]
            values = np.where(self.rng.random(values.shape) < 0.3, self.rng.choice(special, values.shape), values)
        with np.errstate(all="ignore"):
            return values.astype(dtype)

    def axis(self, rank: int, version: int = 11) -> int:
        """An axis, counted from the end only where the version may be told so."""
        return self.chance.randrange(-rank if self.version >= version else 0, rank)

    def axes(self, rank: int, version: int = 11) -> list[int]:
        """Some axes, each once."""
        chosen = self.chance.sample(range(rank), self.chance.randint(0, rank))
        return [a - rank if self.version >= version and self.chance.random() < 0.3 else a for a in chosen]

    def number(self, low: float, high: float) -> float:
        """A float as an attribute holds it."""
        return float(np.float32(self.chance.uniform(low, high)))

    def maybe(self, **attributes: Any) -> dict[str, Any]:
        """Some of these attributes; others stay as they are by default."""
        known = self.schema.attributes
        return {name: v for name, v in attributes.items() if name in known and self.chance.random() < 0.6}


def _weighted(dtypes: list[np.dtype[Any]]) -> list[np.dtype[Any]]:
    """Types with the floating ones, of which there are few, as often as all others."""
    floats = [t for t in dtypes if t in FLOATS]
    return floats * 3 + dtypes if floats else dtypes


def drawn(d: Drawing) -> Case | None:
    """A case of the operator; None where its types do not go together."""
    case = MAKERS.get(d.schema.name, _elementwise)(d)
    if case is None:
        return None
    return case._replace(attributes={name: value for name, value in case.attributes.items() if value != []})


def _elementwise(d: Drawing) -> Case:
    shape = d.shape()
    inputs: list[Array | None] = []
    for i, formal in enumerate(d.schema.inputs):
        times = d.chance.randint(1, 4) if formal.option == defs.OpSchema.FormalParameterOption.Variadic else 1
        for k in range(times):
            # What is nothing times infinity no type says; sums past the range of float32 are infinite in it.
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
    """Before opset 7 the second operand alone is broadcast, where an attribute says so."""
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
    """A reduction over axes, which are an attribute or an input."""

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
    """Softmax and its kin."""
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
    """What the elements of a normalised tensor may be wrong by in units of rounding, where the spread is small."""
    wide = x.astype(np.float64)
    return 100 + 100 * float(np.abs(wide).max(initial=0) / max(np.std(wide) if wide.size else 1, 0.01))


def _mean_variance(d: Drawing) -> Case:
    shape = d.shape(2, 4, 1)
    x = d.data(shape, wild=False)
    return Case([x], {"axes": d.axes(len(shape)) or [0]} if len(shape) < 4 else {}, magnitude="spread")


def _pool(d: Drawing) -> Case:
    x = d.data(d.shape(3, 5, 1), wild=False)
    return Case([x], {"p": d.chance.randint(1, 3)} if d.schema.name == "GlobalLpPool" else {}, magnitude=_most(x))


def _lrn(d: Drawing) -> Case:
    x = d.data(d.shape(3, 4, 1), wild=False)
    options = d.maybe(alpha=d.number(1e-4, 1), beta=d.number(0.3, 1), bias=d.number(0.5, 2))
    return Case([x], {"size": d.chance.choice([1, 3, 5]), **options})


def _most(x: Array) -> float:
    return float(np.nanmax(np.abs(x.astype(np.float64)), initial=0))


def _matmul(d: Drawing) -> Case:
    m, k, n = (d.chance.randint(1, 5) for _ in range(3))
    stack = d.shape(0, 2, 1)
    a, b = d.data((*stack, m, k), wild=False), d.data((*d.beside(stack), k, n), wild=False)
    return Case([a, b], magnitude=_most(a) * _most(b) * k)


def _gemm(d: Drawing) -> Case:
    m, k, n = (d.chance.randint(1, 6) for _ in range(3))
    attributes = d.maybe(alpha=d.number(-2, 2), beta=d.chance.choice([0.0, 1.0, d.number(-2, 2)]), transA=1, transB=1)
    a = d.data((k, m) if attributes.get("transA") else (m, k), wild=False)
    b = d.data((n, k) if attributes.get("transB") else (k, n), wild=False)
    c = d.data(d.beside((m, n)), wild=attributes.get("beta") == 0)
    inputs = [a, b, c] if d.version < 11 or d.chance.random() < 0.8 else [a, b]
    return Case(
        inputs, attributes, magnitude=2 * (_most(a) * _most(b) * k + (_most(c) if np.isfinite(_most(c)) else 0))
    )


def _einsum(d: Drawing) -> Case:
    sizes = {letter: d.chance.randint(1, 4) for letter in "ijkl"}
    equation = d.chance.choice(["ij,jk->ik", "i,i,i->", "ij,j->i", "ijk->kj", "ii->i", "ij,kj,jl->il", "i,j->ij"])
    words = equation.partition("->")[0].split(",")
    inputs: list[Array | None] = [d.data([sizes[c] for c in word], wild=False) for word in words]
    magnitude = math.prod(_most(x) for x in inputs if x is not None) * 64
    return Case(inputs, {"equation": equation}, magnitude=magnitude)


def _det(d: Drawing) -> Case:
    n = d.chance.randint(1, 4)
    x = d.data((*d.shape(0, 2, 1), n, n), wild=False)
    return Case([x], magnitude=(_most(x) * n) ** n)


def _gather(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = d.axis(len(shape))
    low = -shape[axis] if d.version >= 11 else 0
    return Case([d.data(shape), d.rng.integers(low, shape[axis], d.shape(0, 2)).astype(d.dtype(1))], {"axis": axis})


def _gather_elements(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = d.axis(len(shape))
    sizes = [d.chance.randint(1, n) for n in shape]
    return Case([d.data(shape), d.rng.integers(0, shape[axis], sizes).astype(d.dtype(1))], {"axis": axis})


def _gather_nd(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    depth = d.chance.randint(1, len(shape))
    rows = d.shape(1, 2)
    return Case([d.data(shape), np.stack([d.rng.integers(0, n, rows) for n in shape[:depth]], -1)], {})


def _scatter_elements(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = d.axis(len(shape))
    axis %= len(shape)
    sizes = [d.chance.randint(1, n) for n in shape]
    lines = [d.rng.permutation(shape[axis])[: sizes[axis]] for _ in range(math.prod(sizes) // sizes[axis])]
    others = [n for i, n in enumerate(sizes) if i != axis]
    indices = np.moveaxis(np.reshape(lines, (*others, sizes[axis])), -1, axis)
    options = {"reduction": d.chance.choice(_reductions(d))} if "reduction" in d.schema.attributes else {}
    return Case(
        [d.data(shape, wild=False), indices.astype(d.dtype(1)), d.data(sizes, wild=False)], {"axis": axis, **options}
    )


def _reductions(d: Drawing) -> list[str]:
    return ["none", "add", "mul"] + (["max", "min"] if d.version >= 18 else []) if d.dtype().kind != "b" else ["none"]


def _scatter_nd(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    depth = d.chance.randint(1, len(shape))
    every = np.stack(np.unravel_index(d.rng.permutation(math.prod(shape[:depth])), shape[:depth]), -1)
    indices = every[: d.chance.randint(1, len(every))].astype(np.int64)
    options = {"reduction": d.chance.choice(_reductions(d))} if "reduction" in d.schema.attributes else {}
    updates = d.data((len(indices), *shape[depth:]), wild=False)
    return Case([d.data(shape, wild=False), indices, updates], options)


def _reshape(d: Drawing) -> Case:
    shape = d.shape(smallest=1)
    sizes = list(d.chance.sample(shape, len(shape)))
    if sizes and d.chance.random() < 0.5:
        sizes[d.chance.randrange(len(sizes))] = -1
    if d.version < 5:
        return Case([d.data(shape)], {"shape": sizes})
    return Case([d.data(shape), np.int64(sizes)], {})


def _transpose(d: Drawing) -> Case:
    shape = d.shape()
    return Case([d.data(shape)], d.maybe(perm=d.chance.sample(range(len(shape)), len(shape))) if shape else {})


def _concat(d: Drawing) -> Case:
    shape = d.shape(1)
    axis = d.axis(len(shape))
    shapes = [list(shape) for _ in range(d.chance.randint(1, 3))]
    for each in shapes:
        each[axis] = d.chance.randint(0, 3)
    return Case([d.data(each) for each in shapes], {"axis": axis})


def _split(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = d.axis(len(shape))
    parts = [d.chance.randint(0, shape[axis]), 0]
    parts[1] = shape[axis] - parts[0]
    if d.version >= 18 and d.chance.random() < 0.4:
        return Case([d.data(shape)], {"axis": axis, "num_outputs": 2}, 2)
    if d.version < 13:
        return Case([d.data(shape)], {"axis": axis, "split": parts}, 2)
    return Case([d.data(shape), np.int64(parts)], {"axis": axis}, 2)


def _slice(d: Drawing) -> Case:
    shape = d.shape(1)
    along = d.chance.sample(range(len(shape)), d.chance.randint(1, len(shape)))
    starts, ends = ([d.chance.randint(-9, 9) for _ in along] for _ in range(2))
    if d.version < 10:
        return Case([d.data(shape)], {"starts": starts, "ends": ends, "axes": along})
    steps = [d.chance.choice([1, 2, -1, -3]) for _ in along]
    return Case([d.data(shape), *(np.array(v, d.dtype(1)) for v in (starts, ends, along, steps))], {})


def _pad(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    modes = ["constant", "edge", "reflect"] + (["wrap"] if d.version >= 19 else [])
    mode = d.chance.choice(modes)
    low = -2 if mode == "constant" else 0
    most = [3 if mode in ("constant", "edge") else n - 1 for n in shape] * 2
    pads = [d.chance.randint(low, m) for m in most]
    for i, n in enumerate(shape):
        if n + pads[i] + pads[i + len(shape)] < 0:
            pads[i] = 0
    x = d.data(shape)
    if d.version < 11:
        return Case([x], {"pads": pads, "mode": mode, "value": d.number(-1, 1)})
    return Case([x, np.int64(pads), *([d.data((), x.dtype, False)] if d.chance.random() < 0.5 else [])], {"mode": mode})


def _tile(d: Drawing) -> Case:
    shape = d.shape()
    return Case([d.data(shape), np.int64([d.chance.randint(0, 3) for _ in shape])], {})


def _expand(d: Drawing) -> Case:
    shape = d.shape(smallest=1)
    return Case([d.data(d.beside(shape)), np.int64([1 if d.chance.random() < 0.1 else n for n in shape])], {})


def _squeeze(d: Drawing) -> Case:
    shape = d.shape(1)
    axes = [i for i, n in enumerate(shape) if n == 1]
    if d.version < 13:
        return Case([d.data(shape)], {"axes": axes} if axes else {})
    return Case([d.data(shape), np.int64(axes)] if axes else [d.data(shape)], {})


def _unsqueeze(d: Drawing) -> Case:
    shape = d.shape(most=3)
    axes = d.chance.sample(range(len(shape) + 2), 2)
    return Case([d.data(shape)], {"axes": axes}) if d.version < 13 else Case([d.data(shape), np.int64(axes)], {})


def _flatten(d: Drawing) -> Case:
    shape = d.shape(1)
    return Case([d.data(shape)], {"axis": d.chance.randint(-len(shape) if d.version >= 11 else 0, len(shape))})


def _blocks(d: Drawing) -> Case:
    b, (n, c, h, w) = d.chance.randint(1, 3), (d.chance.randint(1, 3) for _ in range(4))
    deep = d.schema.name == "DepthToSpace"
    shape = (n, c * b * b, h, w) if deep else (n, c, h * b, w * b)
    return Case([d.data(shape)], {"blocksize": b, **d.maybe(mode=d.chance.choice(["DCR", "CRD"]))})


def _compress(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = d.chance.choice([None, d.axis(len(shape))])
    count = math.prod(shape) if axis is None else shape[axis]
    return Case([d.data(shape), d.rng.random(d.chance.randint(1, count)) < 0.5], {} if axis is None else {"axis": axis})


def _trilu(d: Drawing) -> Case:
    inputs: list[Array | None] = [d.data(d.shape(2)), np.int64(d.chance.randint(-4, 4))]
    return Case(inputs[: d.chance.randint(1, 2)], d.maybe(upper=d.chance.randint(0, 1)))


def _topk(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    axis = d.axis(len(shape))
    k = d.chance.randint(1, shape[axis])
    x = d.rng.permutation(np.arange(math.prod(shape)) % 120).reshape(shape).astype(d.dtype())
    x = np.unique(x, return_inverse=True)[1].reshape(shape).astype(d.dtype()) if x.dtype.kind == "b" else x
    if d.version < 10:
        return Case([x], {"axis": axis, "k": k}, 2)
    return Case([x, np.int64([k])], {"axis": axis, **d.maybe(largest=d.chance.randint(0, 1))}, 2)


def _unique(d: Drawing) -> Case:
    shape = d.shape(1, 2, 1)
    x = d.data(shape, wild=False, scale=2.0)
    x = x if x.dtype.kind == "b" else np.rint(x).astype(x.dtype)
    return Case([x + x.dtype.type(0)], {"axis": 0} if d.chance.random() < 0.4 else {}, 4)


def _one_hot(d: Drawing) -> Case:
    shape, depth = d.shape(0, 3), d.chance.randint(1, 5)
    indices = d.rng.integers(0, depth, shape).astype(d.dtype(0))
    axis = d.chance.randint(-len(shape) - 1, len(shape))
    return Case([indices, np.array(depth, d.dtype(1)), d.data((2,), d.dtype(2))], {"axis": axis})


def _reverse_sequence(d: Drawing) -> Case:
    shape = d.shape(2, smallest=1)
    return Case([d.data(shape), d.rng.integers(1, shape[0] + 1, shape[1])], {"batch_axis": 1, "time_axis": 0})


def _center_crop_pad(d: Drawing) -> Case:
    shape = d.shape(1, smallest=1)
    return Case([d.data(shape), np.array([d.chance.randint(1, 8) for _ in shape], d.dtype(1))], {})


def _eye_like(d: Drawing) -> Case:
    kind = np_dtype_to_tensor_dtype(d.types["T2"])
    return Case([d.data(d.shape(2, 2), d.types["T1"])], {"k": d.chance.randint(-3, 3), "dtype": kind})


def _range(d: Drawing) -> Case:
    dtype = d.dtype()
    start, step = d.chance.randint(-20, 20), d.chance.choice([-7, -2, 1, 3])
    limit = start + step * d.chance.randint(0, 9)
    part = 8 if dtype.kind not in "iu" else 1
    if dtype.kind == "u":
        start, limit, step = abs(start), abs(start) + abs(limit), abs(step)
    return Case([np.array(v / part).astype(dtype) for v in (start, limit, step)], {})


def _constant_of_shape(d: Drawing) -> Case:
    from onnx import numpy_helper

    value = d.data((1,), d.types["T2"])
    return Case([np.int64(d.shape())], {"value": numpy_helper.from_array(value)})


def _shape(d: Drawing) -> Case:
    return Case([d.data(d.shape())], d.maybe(start=d.chance.randint(-5, 5), end=d.chance.randint(-5, 5)))


def _cast(d: Drawing) -> Case | None:
    source, target = d.types["T1"], d.types["T2"]
    x = d.data(d.shape(), source, wild=target in FLOATS or target.kind == "b")
    if target.kind in "iu" and source in FLOATS:
        x = np.clip(x.astype(np.float64), 0, 100).astype(source)
    if d.schema.name == "CastLike":
        return Case([x, d.data((1,), target)], {})
    return Case([x], {"to": np_dtype_to_tensor_dtype(target)})


def _bit_cast(d: Drawing) -> Case | None:
    source, target = d.types["T1"], d.types["T2"]
    if source.itemsize != target.itemsize or "b" in (source.kind, target.kind):
        return None
    return Case([d.data(d.shape(), source)], {"to": np_dtype_to_tensor_dtype(target)})


def _quantize(d: Drawing) -> Case | None:
    shape = d.shape(1, smallest=1)
    axis = d.axis(len(shape))
    floats = d.schema.name == "QuantizeLinear"
    codes = d.dtype(2)
    scale_type = d.dtype(1)
    if codes.itemsize > 2 or (not floats and d.dtype(0) != codes):
        if floats or d.dtype(0).kind not in "iu":
            return None
        codes = d.dtype(0)
    per_axis = d.version >= 13 and d.chance.random() < 0.5
    count: tuple[int, ...] = (shape[axis],) if per_axis else ()
    least = 0.05 if scale_type in FLOATS else 1
    scale = (np.abs(d.data(count, scale_type, wild=False, scale=1.0)).astype(np.float64) + least).astype(scale_type)
    if floats and d.dtype(0) not in FLOATS:
        return None
    if floats and d.version < 23 and d.dtype(0) != scale_type and d.version >= 19:
        return None
    zero = d.data(count, codes, wild=False)
    if not floats and codes.itemsize == 4:
        zero = np.zeros(count, codes)
    x = d.data(shape, d.dtype(0), wild=not floats, scale=float(np.max(scale)) * 50)
    inputs: list[Array | None] = [x, scale, zero]
    return Case(inputs, {"axis": axis} if d.version >= 13 else {})


def _matmul_integer(d: Drawing) -> Case:
    m, k, n = (d.chance.randint(1, 5) for _ in range(3))
    a, b = d.data((m, k), d.dtype(0)), d.data((k, n), d.dtype(1))
    zeros = [d.data((), d.dtype(0), False), d.data((), d.dtype(1), False)]
    return Case([a, b, *zeros[: d.chance.randint(0, 2)]], {})


def _qlinear(d: Drawing) -> Case:
    m, k, n = (d.chance.randint(1, 40) for _ in range(3))
    scales = [np.abs(d.data((), d.dtype(i), False, 0.1)) + d.dtype(i).type(0.01) for i in (1, 4, 6)]
    scales = [s.astype(d.dtype(1)) for s in scales]
    zeros = [d.data((), d.dtype(i), False) for i in (2, 5, 7)]
    a, b = d.data((m, k), d.dtype(0)), d.data((k, n), d.dtype(3))
    return Case([a, scales[0], zeros[0], b, scales[1], zeros[1], scales[2], zeros[2]], {})


COORDINATES = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")


def _resize(d: Drawing) -> Case:
    shape = d.shape(1, 4, 1)
    scales = np.float32([d.chance.choice([0.5, 0.6, 0.7, 1, 1, 1.5, 2, 2.5, 1 / 3]) for _ in shape])
    scales = np.where(np.float32(shape) * scales < 1, np.float32(1), scales)
    x = d.data(shape, wild=False)
    magnitude = 4 * _most(x)
    if d.version < 11:
        mode = d.chance.choice(["nearest", "linear"]) if x.dtype.kind != "b" else "nearest"
        return Case([x, scales], {"mode": mode}, magnitude=magnitude)
    sizes = np.int64([d.chance.randint(1, 9) for _ in shape])
    attributes = {
        "mode": d.chance.choice(["nearest", "linear", "cubic"]) if x.dtype.kind != "b" else "nearest",
        "coordinate_transformation_mode": d.chance.choice(COORDINATES),
        **d.maybe(nearest_mode=d.chance.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])),
        **d.maybe(cubic_coeff_a=-0.5),
    }
    none = None if d.version >= 13 else np.float32([])
    if d.chance.random() < 0.5:
        return Case([x, none, scales], attributes, magnitude=magnitude)
    return Case([x, none, None if d.version >= 13 else np.float32([]), sizes], attributes, magnitude=magnitude)


def _upsample(d: Drawing) -> Case:
    shape = d.shape(1, 4, 1)
    scales = [float(d.chance.choice([1, 1.5, 2, 3])) for _ in shape]
    x = d.data(shape, wild=False)
    mode = {"mode": d.chance.choice(["nearest", "linear"]) if x.dtype.kind != "b" else "nearest"}
    if d.version < 9:
        return Case([x], {"scales": scales, **mode}, magnitude=4 * _most(x))
    return Case([x, np.float32(scales)], mode, magnitude=4 * _most(x))


def _dft(d: Drawing) -> Case:
    onesided, inverse = d.chance.randint(0, 1), 0
    if not onesided:
        inverse = d.chance.randint(0, 1)
    shape = (*d.shape(1, 3, 1), 1 if onesided else d.chance.randint(1, 2))
    axis = d.chance.randrange(len(shape) - 1)
    x = d.data(shape, wild=False)
    magnitude = 4 * _most(x) * shape[axis]
    flags = {"onesided": onesided, "inverse": inverse}
    if d.version < 20:
        return Case([x], {"axis": axis, **flags}, magnitude=magnitude)
    return Case([x, None, np.int64(axis)], flags, magnitude=magnitude)


def _dropout(d: Drawing) -> Case:
    return Case([d.data(d.shape())], {}, d.chance.randint(1, 2))


def _is_inf(d: Drawing) -> Case:
    return Case(
        [d.data(d.shape())], d.maybe(detect_negative=d.chance.randint(0, 1), detect_positive=d.chance.randint(0, 1))
    )


def _gelu(d: Drawing) -> Case:
    return Case([d.data(d.shape())], {"approximate": d.chance.choice(["none", "tanh"])}, magnitude="power")


def _prelu(d: Drawing) -> Case:
    shape = d.shape()
    return Case([d.data(shape), d.data(d.beside(shape), wild=False)], {})


def _none(d: Drawing) -> None:
    """Draws cannot be compared."""


MAKERS: dict[str, Callable[[Drawing], Case | None]] = {
    **dict.fromkeys(["Add", "Sub", "Mul", "And", "Or", "Xor", "Equal", "Greater", "Less"], _binary),
    **dict.fromkeys(["ArgMax", "ArgMin"], _arg_search),
    **dict.fromkeys(["Softmax", "LogSoftmax", "Hardmax"], _along),
    **dict.fromkeys(["CumSum", "CumProd"], _scan),
    **dict.fromkeys(["LayerNormalization", "RMSNormalization"], _layer_normalization),
    **dict.fromkeys(["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"], _pool),
    **dict.fromkeys(["Scatter", "ScatterElements"], _scatter_elements),
    **dict.fromkeys(["DepthToSpace", "SpaceToDepth"], _blocks),
    **dict.fromkeys(["Cast", "CastLike"], _cast),
    **dict.fromkeys(["QuantizeLinear", "DequantizeLinear"], _quantize),
    **dict.fromkeys(["Bernoulli", "Multinomial", "RandomNormal", "RandomUniform"], _none),
    **dict.fromkeys(["RandomNormalLike", "RandomUniformLike"], _none),
    **dict.fromkeys(["ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceSumSquare"], _fold_of("sum")),
    **dict.fromkeys(["ReduceMax", "ReduceMin"], _fold_of("max")),
    "BatchNormalization": _batch_normalization,
    "BitCast": _bit_cast,
    "BitShift": _shift,
    "CenterCropPad": _center_crop_pad,
    "Clip": _clip,
    "Compress": _compress,
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "DFT": _dft,
    "Det": _det,
    "Div": _div,
    "Dropout": _dropout,
    "Einsum": _einsum,
    "Expand": _expand,
    "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "Gelu": _gelu,
    "Gemm": _gemm,
    "InstanceNormalization": _instance_normalization,
    "IsInf": _is_inf,
    "LRN": _lrn,
    "LpNormalization": _lp_normalization,
    "MatMul": _matmul,
    "MatMulInteger": _matmul_integer,
    "MeanVarianceNormalization": _mean_variance,
    "Mod": _mod,
    "OneHot": _one_hot,
    "PRelu": _prelu,
    "Pad": _pad,
    "Pow": _pow,
    "QLinearMatMul": _qlinear,
    "Range": _range,
    "ReduceLogSum": _fold_of("log"),
    "ReduceLogSumExp": _fold_of("log"),
    "ReduceProd": _fold_of("prod"),
    "Reshape": _reshape,
    "Resize": _resize,
    "ReverseSequence": _reverse_sequence,
    "ScatterND": _scatter_nd,
    "Shape": _shape,
    "Slice": _slice,
    "Split": _split,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "TopK": _topk,
    "Transpose": _transpose,
    "Trilu": _trilu,
    "Unique": _unique,
    "Unsqueeze": _unsqueeze,
    "Upsample": _upsample,
}
