"""The functions of native/ops/formulas, registered for the table `elementwise.WAYS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from suanzi.devices.elementwise import way
from suanzi.devices.state import functions
from suanzi.devices.types import HALVES, converted

Function = Callable[..., torch.Tensor]

_FALLEN_OFF = -1e30  # for smaller x, the product of x and a function that decays like exp(x) is -0
_ROOT_OF_HALF = 0.7071067811865476


def _formula(name: str) -> Callable[[Function], Function]:
    """Return a decorator that registers a function for a formula in `elementwise.WAYS`. The function computes in
    float32 for float16 and bfloat16, and in float64 for elements that are not floating. The result is rounded once.
    """

    def add(function: Function) -> Function:
        def of_bits(x: torch.Tensor) -> torch.Tensor:
            return function(converted(x.view(torch.uint64), torch.float64))

        @way(name, operands=True, uint64=of_bits)
        def formula(x: torch.Tensor) -> torch.Tensor:
            wide = torch.float32 if x.dtype in HALVES else x.dtype if x.is_floating_point() else torch.float64
            return function(x.to(wide))

        return function

    return add


def _times_logistic(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """Return x times the logistic function of t.

    The logistic function underflows before the product does, so x is multiplied twice by the root of exp(t) if t < 0.
    """
    root = torch.exp(torch.abs(t) * -0.5)
    factor = torch.where(t >= 0, torch.ones_like(root), root)
    return torch.clamp(x, min=_FALLEN_OFF) * factor * factor / (root * root + 1)


@_formula("sigmoid")
def sigmoid(x: torch.Tensor) -> torch.Tensor:
    power = torch.exp(-torch.abs(x))
    return torch.where(x >= 0, torch.ones_like(power), power) / (power + 1)


@_formula("silu")
def silu(x: torch.Tensor) -> torch.Tensor:
    return _times_logistic(x, x)


@_formula("gelu")
def gelu(x: torch.Tensor) -> torch.Tensor:
    # PyTorch's function adds 1 to erf, and so loses all digits of small results. In float32, the rounding of the
    # argument of erfc leaves a relative error of x^2 2^-24. Some devices lack float64.
    wide = torch.clamp(x.to(torch.float64) if functions.correct else x, min=_FALLEN_OFF)
    return (wide * 0.5 * torch.erfc(wide * -_ROOT_OF_HALF)).to(x.dtype)


@_formula("gelu_by_tanh")
def gelu_by_tanh(x: torch.Tensor) -> torch.Tensor:
    return _times_logistic(x, (x + x * x * x * 0.044715) * 1.5957691216057308)  # 2 sqrt(2 / pi)


@_formula("softplus")
def softplus(x: torch.Tensor) -> torch.Tensor:
    return torch.clamp(x, min=0.0) + torch.log1p(torch.exp(-torch.abs(x)))


@_formula("mish")
def mish(x: torch.Tensor) -> torch.Tensor:
    """Return x times the hyperbolic tangent of softplus(x), in a form whose parts do not overflow."""
    root = torch.exp(torch.abs(x) * -0.5)
    power, positive = root * root, x >= 0
    factor = torch.where(positive, torch.ones_like(root), root)
    upper = torch.where(positive, 1 + 2 * power, 2 + power)
    lower = torch.where(positive, 1 + 2 * power * power, 2 + power * power) + 2 * power
    return torch.clamp(x, min=_FALLEN_OFF) * factor * factor * upper / lower


@_formula("hardswish")
def hardswish(x: torch.Tensor) -> torch.Tensor:
    return torch.clamp(x, min=-3.0) * (torch.clamp(x + 3, 0.0, 6.0) / 6)


@way("lesser_power")
def lesser_power(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x == 0, torch.zeros_like(x), torch.exp(x))


@way("greatest", operands=True)
def greatest(x: torch.Tensor) -> torch.Tensor:
    return (x == 0).to(torch.int64)


@way("filled", "filled_wide")
def filled(x: torch.Tensor, value: Any) -> torch.Tensor:
    return torch.where(torch.isnan(x), torch.full((), value, dtype=x.dtype, device=x.device), x)


@way("missing", operands=True)
def missing(x: torch.Tensor) -> torch.Tensor:
    return torch.isnan(x)


@way("present", operands=True)
def present(x: torch.Tensor) -> torch.Tensor:
    return (~torch.isnan(x)).to(torch.int64)


@way("squared_deviation", operands=True)
def squared_deviation(x: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
    wide = x.to(torch.float64)
    distance = wide - mean.to(torch.float64)
    return torch.where(torch.isnan(wide), torch.zeros_like(distance), distance * distance)
