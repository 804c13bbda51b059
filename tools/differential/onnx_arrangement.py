"""Cases of ONNX operators that move, select, order or create elements. `MAKERS` has a function for each operator."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from onnx.helper import np_dtype_to_tensor_dtype
from onnx_drawing import Array, Case, Drawing


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


MAKERS: dict[str, Callable[[Drawing], Case | None]] = {
    **dict.fromkeys(["Scatter", "ScatterElements"], _scatter_elements),
    **dict.fromkeys(["DepthToSpace", "SpaceToDepth"], _blocks),
    "CenterCropPad": _center_crop_pad,
    "Compress": _compress,
    "Concat": _concat,
    "ConstantOfShape": _constant_of_shape,
    "Expand": _expand,
    "EyeLike": _eye_like,
    "Flatten": _flatten,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "GatherND": _gather_nd,
    "OneHot": _one_hot,
    "Pad": _pad,
    "Range": _range,
    "Reshape": _reshape,
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
}
