"""Random calls of the functions of `suanzi.nn`, and random calls with sparse and quantized operands.

Some calls are invalid.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from drawn import ROUNDED, Draw, Drawn
from placing import sz

from samples import NAMES
from suanzi import nn
from suanzi.quantized import QUANTIZED_TYPES

# Functions that choose, move or compare elements, and return the same bits on a device as on the CPU. Pools are not in
# the set, because pools may return zeros of another sign.
EXACT = {"relu", "max_unpool", "pixel_shuffle", "pixel_unshuffle", "one_hot", "embedding", "nms"}
# Sums of products. Operands have no infinities, because the order in which PyTorch adds decides which sums are NaN.
SUMS = {"conv", "conv_transpose", "linear_packed", "scaled_dot_product_attention", "gru", "lstm", "rnn"}
ROUNDED |= {f"nn.{name}" for name in nn.__all__ if name not in EXACT}


_PADDINGS = ("valid", "same", "same_upper", "same_lower")


class Function(NamedTuple):
    """The name of a function and the function, in place of an operator's record."""

    name: str
    function: Callable[..., Any]


class NetworkDraw(Draw):
    """A source of random calls of the functions of `suanzi.nn`."""

    def call(self) -> Drawn:
        name = self.one(*nn.__all__)
        function = getattr(nn, name)
        self.special = 0.0 if name in SUMS else 0.1
        self.dtype = self.one(*NAMES) if self.chance(0.15) else self.one("float32", "float32", "float64", "float16")
        self.spatial = tuple(self.whole(1, 7) for _ in range(self.one(1, 2, 2, 2, 3)))
        operands, options = getattr(self, f"_{name}", self._of_image)()
        if self.chance(0.06):
            place = self.one(*[i for i, x in enumerate(operands) if isinstance(x, sz.Tensor)])
            operands[place] = self._any(self._shape(), self.one(*NAMES))
        while operands and operands[-1] is None:
            operands.pop()
        for parameter in inspect.signature(function).parameters.values():
            draw = self._options().get(parameter.name)
            if draw and parameter.name not in options and (parameter.default is parameter.empty or self.chance(0.4)):
                options[parameter.name] = draw()
        return Drawn(Function(f"nn.{name}", function), operands, options, None)

    # --- operands ---

    def _any(self, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        return self._view(self.elements(shape, dtype or self.dtype, self.chance(self.special)))

    def _maybe(self, shape: tuple[int, ...]) -> Any:
        return self._any(shape) if self.chance(0.5) else None

    def _image(self, channels: int | None = None) -> Any:
        return self._any((self.one(1, 2, 2, 0 if self.chance(0.2) else 1), channels or self.whole(1, 5), *self.spatial))

    def _of_image(self) -> Any:
        return [self._image() if self.chance(0.7) else self._any(self._shape())], {}

    def _kernel(self) -> tuple[int, ...]:
        return tuple(self.whole(1, min(size, 3) + 1) for size in self.spatial)

    def _conv(self) -> Any:
        groups, inside, outside = self.one(1, 1, 2, 3), self.whole(1, 4), self.whole(1, 4)
        weight = self._any((groups * outside, inside, *self._kernel()))
        return [self._image(groups * inside), weight, self._maybe((groups * outside,))], {"groups": groups}

    def _conv_transpose(self) -> Any:
        groups, inside, outside = self.one(1, 1, 2), self.whole(1, 4), self.whole(1, 4)
        weight = self._any((groups * inside, outside, *self._kernel()))
        return [self._image(groups * inside), weight, self._maybe((groups * outside,))], {"groups": groups}

    def _batch_norm(self) -> Any:
        x = self._image()
        return [x, self._any((x.shape[1],)), sz.abs(self._any((x.shape[1],))), *self._factors(x.shape[1:2])], {}

    def _factors(self, shape: tuple[int, ...]) -> list[Any]:
        return [self._maybe(shape), self._maybe(shape)]

    def _group_norm(self) -> Any:
        groups = self.whole(1, 3)
        x = self._image(groups * self.whole(1, 3))
        return [x, groups, *self._factors(x.shape[1:2])], {}

    def _instance_norm(self) -> Any:
        x = self._image()
        return [x, *self._factors(x.shape[1:2])], {}

    def _layer_norm(self) -> Any:
        x = self._any(self._shape(1))
        shape = x.shape[self.whole(0, x.ndim) :]
        return [x, shape, *self._factors(shape)], {}

    def _rms_norm(self) -> Any:
        operands, options = self._layer_norm()
        return operands[:3], options

    def _prelu(self) -> Any:
        x = self._image()
        return [x, self._any(self.one((x.shape[1],), (1,), ()))], {}

    def _embedding(self) -> Any:
        return [self._indices(self._shape(), 5), self._any((5, 3))], {}

    def _indices(self, shape: tuple[int, ...], bound: int) -> Any:
        found = self.rng.integers(0, bound + (1 if self.chance(0.1) else 0), shape)
        return sz.astype(sz.tensor(found), self.one("int64", "int32", "uint8", "int8"))

    def _one_hot(self) -> Any:
        return [self._indices(self._shape(), 4)], {"num_classes": self.one(-1, 4, 6)}

    def _pixel_shuffle(self) -> Any:
        factor = self.whole(1, 3)
        self.spatial = tuple(self.whole(1, 4) for _ in range(2))
        return [self._image(factor**2 * self.whole(1, 3)), factor], {}

    def _pixel_unshuffle(self) -> Any:
        factor = self.whole(1, 3)
        self.spatial = tuple(factor * self.whole(1, 4) for _ in range(2))
        return [self._image(), factor], {}

    def _max_unpool(self) -> Any:
        x = self._image(2)
        return [x, self._indices(x.shape, max(x.shape[-1], 1))], {"kernel_size": self.one(1, 2)}

    def _grid_sample(self) -> Any:
        x, count = self._image(), len(self.spatial)
        return [x, self._any((x.shape[0], *[self.whole(1, 4) for _ in range(count)], count), self.one("float32"))], {}

    def _roi_align(self) -> Any:
        self.spatial, regions = (self.whole(2, 7), self.whole(2, 7)), self.whole(0, 4)
        x = self._image()
        return [x, self._any((regions, 4)), self._indices((regions,), max(x.shape[0], 1))], {}

    def _nms(self) -> Any:
        boxes, floating = self.whole(0, 8), self.one("float32", "float64")
        corner = sz.tensor(self.rng.uniform(0, 5, (boxes, 2)), dtype=floating)
        scores = sz.tensor(self.rng.normal(size=boxes).round(1), dtype=floating)
        return [sz.concat([corner, corner + 2], axis=1), scores], {}

    def _scaled_dot_product_attention(self) -> Any:
        heads, queries, keys, depth = (self.whole(1, 5) for _ in range(4))
        mask = self.one(None, self._any((queries, keys), "bool"), self._any((queries, keys)))
        query, key, value = (self._any((2, heads, n, depth)) for n in (queries, keys, keys))
        return [query, key, value, mask], {}

    def _linear_packed(self) -> Any:
        x = self._any((self.whole(1, 4), 16), self.one("float32", "float16"))
        return [x, self._any((3, 1, 8), "uint8"), self._any((3, 1), x.dtype.name)], {"bits": 4}

    def _recurrent(self, gates: int, states: int) -> Any:
        steps, batch, features, size = self.whole(0, 4), self.whole(1, 4), self.whole(1, 4), self.whole(1, 4)
        both = self.chance(0.3)
        ways = self.one((), (2 if both else 1,)) if not both else (2,)
        rows = gates * size
        weights = [(*ways, rows, features), (*ways, rows, size)]
        bias = [self._maybe((*ways, rows)) for _ in range(2)]
        initial = [self._maybe((*ways, batch, size)) for _ in range(states)]
        lengths = self._indices((batch,), steps + 1) if self.chance(0.3) else None
        options = {"direction": "bidirectional" if both else self.one("forward", "reverse"), "batch_first": False}
        x = self._any((steps, batch, features))
        return [x, *map(self._any, weights), *bias, *initial, lengths], options

    def _lstm(self) -> Any:
        return self._recurrent(4, 2)

    def _gru(self) -> Any:
        return self._recurrent(3, 1)

    def _rnn(self) -> Any:
        return self._recurrent(1, 1)

    # --- options ---

    def _options(self) -> dict[str, Callable[[], Any]]:
        count = len(self.spatial)

        def each(*choices: int) -> Any:
            return self.one(self.one(*choices), tuple(self.one(*choices) for _ in range(count)))

        return {
            "output_size": lambda: each(1, 2, 3),
            "return_indices": lambda: self.chance(0.5),
            "kernel_size": lambda: each(1, 2, 2, 3),
            "stride": lambda: each(1, 2, 3),
            "padding": lambda: self.one(*_PADDINGS, each(0, 1), each(0, 1), [(1, 0)] * count),
            "dilation": lambda: each(1, 1, 2),
            "ceil_mode": lambda: self.chance(0.5),
            "count_include_pad": lambda: self.chance(0.5),
            "divisor_override": lambda: self.one(None, 3),
            "training": lambda: self.chance(0.5),
            "eps": lambda: self.one(1e-5, 0.1),
            "alpha": lambda: self.one(0.5, 1, 2.0),
            "beta": lambda: self.one(0.5, 0.25),
            "negative_slope": lambda: self.one(0.5, 0),
            "approximate": lambda: self.one("none", "tanh"),
            "norm_type": lambda: self.one(1, 2, 3.0),
            "axis": lambda: self.one(-1, 0, 1),
            "size": lambda: self.whole(1, 5),
            "mode": lambda: self.one("bilinear", "nearest", "bicubic", "avg", "max"),
            "padding_mode": lambda: self.one("zeros", "border", "reflection"),
            "align_corners": lambda: self.chance(0.5),
            "sampling_ratio": lambda: self.one(-1, 2),
            "aligned": lambda: self.chance(0.5),
            "spatial_scale": lambda: self.one(1.0, 0.5),
            "iou_threshold": lambda: self.one(0.0, 0.3, 1.0),
            "score_threshold": lambda: self.one(None, 0.0),
            "max_output_boxes": lambda: self.one(None, 2),
            "is_causal": lambda: self.chance(0.5),
            "scale": lambda: self.one(0.5, 1.0),
            "softcap": lambda: self.one(0.0, 5.0),
            "dtype": lambda: self.one(*NAMES),
            "clip": lambda: self.one(None, 0.5),
            "linear_before_reset": lambda: self.chance(0.5),
            "input_forget": lambda: self.chance(0.5),
        }


class KindDraw:
    """A source that takes calls from another source, and makes some of the tensors sparse or quantized."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def call(self) -> Drawn:
        while True:
            call = self.draw.call()
            found = [self._of_a_kind(x) for x in call.operands]
            if any(a is not b for a, b in zip(found, call.operands, strict=True)):
                return call._replace(operands=found, out=None)

    def _of_a_kind(self, x: Any) -> Any:
        if isinstance(x, list):
            return [self._of_a_kind(item) for item in x]
        if not isinstance(x, sz.Tensor) or not self.draw.chance(0.6):
            return x
        if self.draw.chance(0.5):
            status, made = sz.attempt(sz.to_sparse, x)
        else:
            kind = str(self.draw.one(*QUANTIZED_TYPES))
            axis = {"axis": self.draw.whole(0, x.ndim)} if x.ndim and kind.endswith("channel") else {}
            status, made = sz.attempt(sz.quantize, x, dtype=kind, **axis)
        return x if status else made
