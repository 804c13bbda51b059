"""Random inputs and attributes for single ONNX operators, from which `onnx_operators.py` makes models.

The inputs of an operator without an entry broadcast against each other, and the operator's attributes are random
numbers. Operators that are new in the table therefore need no entry.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx_arrangement
import onnx_numbers
from onnx.helper import np_dtype_to_tensor_dtype
from onnx_drawing import FLOATS, Array, Case, Drawing
from onnx_numbers import most


def drawn(d: Drawing) -> Case | None:
    """Draw a case of the operator of `d`, or return None if the drawn types do not fit each other."""
    case = MAKERS.get(d.schema.name, onnx_numbers.elementwise)(d)
    if case is None:
        return None
    return case._replace(attributes={name: value for name, value in case.attributes.items() if value != []})


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
    magnitude = 4 * most(x)
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
        return Case([x], {"scales": scales, **mode}, magnitude=4 * most(x))
    return Case([x, np.float32(scales)], mode, magnitude=4 * most(x))


def _dft(d: Drawing) -> Case:
    onesided, inverse = d.chance.randint(0, 1), 0
    if not onesided:
        inverse = d.chance.randint(0, 1)
    shape = (*d.shape(1, 3, 1), 1 if onesided else d.chance.randint(1, 2))
    axis = d.chance.randrange(len(shape) - 1)
    x = d.data(shape, wild=False)
    magnitude = 4 * most(x) * shape[axis]
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
    """Return None for an operator whose results are random, because the results cannot be compared."""


MAKERS: dict[str, Callable[[Drawing], Case | None]] = {
    **onnx_numbers.MAKERS,
    **onnx_arrangement.MAKERS,
    **dict.fromkeys(["Cast", "CastLike"], _cast),
    **dict.fromkeys(["QuantizeLinear", "DequantizeLinear"], _quantize),
    **dict.fromkeys(["Bernoulli", "Multinomial", "RandomNormal", "RandomUniform"], _none),
    **dict.fromkeys(["RandomNormalLike", "RandomUniformLike"], _none),
    "BitCast": _bit_cast,
    "DFT": _dft,
    "Dropout": _dropout,
    "Gelu": _gelu,
    "IsInf": _is_inf,
    "MatMulInteger": _matmul_integer,
    "PRelu": _prelu,
    "QLinearMatMul": _qlinear,
    "Resize": _resize,
    "Upsample": _upsample,
}
