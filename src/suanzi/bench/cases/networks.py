"""Cases of `suanzi.nn`: shapes of layers of ResNet-50, MobileNet-v2, a transformer and a two-layer LSTM."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from suanzi import nn
from suanzi.bench.cases.case import Call, Case, Make, Operands
from suanzi.bench.cases.operands import numbers

Shapes = tuple[tuple[int, ...], ...]


class Layer(NamedTuple):
    """A convolution of square images with square kernels."""

    name: str
    channels: int
    out: int
    kernel: int
    stride: int
    size: int
    groups: int = 1

    @property
    def shapes(self) -> Shapes:
        """The shapes of a layer's image, weight and bias."""
        weight = (self.out, self.channels // self.groups, self.kernel, self.kernel)
        return (1, self.channels, self.size, self.size), weight, (self.out,)


LAYERS = (
    Layer("ResNet-50, first", 3, 64, 7, 2, 224),
    Layer("ResNet-50, stage 1, 1 x 1", 64, 64, 1, 1, 56),
    Layer("ResNet-50, stage 1, 3 x 3", 64, 64, 3, 1, 56),
    Layer("ResNet-50, stage 1, expanding", 64, 256, 1, 1, 56),
    Layer("ResNet-50, stage 1, reducing", 256, 64, 1, 1, 56),
    Layer("ResNet-50, stage 2, stride 2", 128, 128, 3, 2, 56),
    Layer("ResNet-50, stage 2, 3 x 3", 128, 128, 3, 1, 28),
    Layer("ResNet-50, stage 2, expanding", 128, 512, 1, 1, 28),
    Layer("ResNet-50, stage 3, stride 2", 256, 256, 3, 2, 28),
    Layer("ResNet-50, stage 3, shortcut", 512, 1024, 1, 2, 28),
    Layer("ResNet-50, stage 3, 3 x 3", 256, 256, 3, 1, 14),
    Layer("ResNet-50, stage 3, expanding", 256, 1024, 1, 1, 14),
    Layer("ResNet-50, stage 4, 3 x 3", 512, 512, 3, 1, 7),
    Layer("ResNet-50, stage 4, expanding", 512, 2048, 1, 1, 7),
    Layer("ResNet-50, stage 4, reducing", 2048, 512, 1, 1, 7),
    Layer("MobileNet-v2, first", 3, 32, 3, 2, 224),
    Layer("MobileNet-v2, depthwise 112", 32, 32, 3, 1, 112, 32),
    Layer("MobileNet-v2, depthwise 112, stride 2", 96, 96, 3, 2, 112, 96),
    Layer("MobileNet-v2, depthwise 56", 144, 144, 3, 1, 56, 144),
    Layer("MobileNet-v2, depthwise 28", 192, 192, 3, 1, 28, 192),
    Layer("MobileNet-v2, depthwise 14", 384, 384, 3, 1, 14, 384),
    Layer("MobileNet-v2, depthwise 7", 960, 960, 3, 1, 7, 960),
    Layer("MobileNet-v2, pointwise 112", 32, 16, 1, 1, 112),
    Layer("MobileNet-v2, pointwise 56", 24, 144, 1, 1, 56),
    Layer("MobileNet-v2, pointwise 14", 384, 64, 1, 1, 14),
    Layer("MobileNet-v2, pointwise 7", 320, 1280, 1, 1, 7),
)
_STEPS, _STATE = 100, 512


def _operands(
    shapes: Shapes, batched: int = 1, axis: int = 0, kind: str = "share", scale: float = 1.0, **options: Any
) -> Make:
    """Return a function that makes one operand per shape. The first `batched` operands grow along `axis` until the
    first operand has the requested size.
    """

    def make(n: int, t: np.dtype[Any], rng: np.random.Generator) -> Operands:
        count = max(1, round(n / prod(shapes[0])))
        grown = [(*s[:axis], s[axis] * count, *s[axis + 1 :]) if i < batched else s for i, s in enumerate(shapes)]
        return Operands(tuple(numbers(kind, shape, t, rng) * t.type(scale) for shape in grown), options)

    return make


def _case(operator: str, variant: str, shapes: Shapes, batched: int = 1, axis: int = 0, **options: Any) -> Case:
    return Case(f"nn.{operator}", _operands(shapes, batched, axis, **options), variant, sizes=(prod(shapes[0]),))


def _convolutions() -> Iterator[Case]:
    for layer in LAYERS:
        options = {"stride": layer.stride, "padding": layer.kernel // 2, "groups": layer.groups}
        yield _case("conv", layer.name, layer.shapes, **options)


def _our_layers(x: Any, *weights: Any) -> Call:
    first, second = weights[:4], weights[4:]
    return lambda: nn.lstm(nn.lstm(x, *first)[0], *second)[0]


def _torch_layers(x: Any, *weights: Any) -> Call:
    import torch

    states = [torch.zeros(2, x.shape[1], _STATE) for _ in range(2)]
    return lambda: torch.lstm(x, states, weights, True, 2, 0.0, False, False, False)[0]


def _lstm(steps: int, batch: int, size: int) -> Case:
    gates = 4 * _STATE
    layers = [((gates, inner), (gates, _STATE), (gates,), (gates,)) for inner in (size, _STATE)]
    own: dict[str, Callable[..., Call]] = {"suanzi": _our_layers, "torch": _torch_layers}
    shapes = ((steps, batch, size), *layers[0], *layers[1])
    variant = f"two layers of {_STATE}, {steps} steps, batch of {batch}"
    # Larger weights would let rounding errors grow from step to step, so that no two libraries would agree.
    make = _operands(shapes, axis=1, kind="unit", scale=_STATE**-0.5)
    return Case("nn.lstm", make, variant, (prod(shapes[0]),), own=own)


CASES: list[Case] = [
    *_convolutions(),
    _case("max_pool", "ResNet-50", ((1, 64, 112, 112),), kernel_size=3, stride=2, padding=1),
    _case("global_avg_pool", "ResNet-50", ((1, 2048, 7, 7),)),
    _case("global_avg_pool", "MobileNet-v2", ((1, 1280, 7, 7),)),
    _case("batch_norm", "ResNet-50, stage 1", ((1, 256, 56, 56), *[(256,)] * 4)),
    _case("batch_norm", "MobileNet-v2, 14", ((1, 384, 14, 14), *[(384,)] * 4)),
    _case("layer_norm", "transformer", ((128, 768),), normalized_shape=768),
    _case("scaled_dot_product_attention", "transformer", ((1, 12, 128, 64),) * 3, batched=3),
    _lstm(_STEPS, 1, 256),
    _lstm(_STEPS, 32, 256),
]
