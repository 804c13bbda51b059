"""What is measured: every elementwise operator and reduction with its counterparts in NumPy and PyTorch.

A row names the operator, the kind of input that suits it and, where they differ, what the peers call it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import suanzi

Array = Any


@dataclass(frozen=True)
class Case:
    """One operator: how its operands are drawn, and the three calls."""

    name: str
    operands: tuple[str, ...] = ("real",)
    floating: str = "float32"  # the type of what is drawn as real numbers
    numpy: Callable[..., object] | None = None
    torch: Callable[..., object] | None = None
    suanzi: Callable[..., object] | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def dtype(self) -> str:
        """The element type of the last operand."""
        return TYPE.get(self.operands[-1], self.floating)

    def calls(self, size: int) -> dict[str, Callable[[], object]]:
        """The rivals on the same operands of ``size`` elements."""
        rng = np.random.default_rng(20251121)
        arrays = [DRAW[kind](rng, size).astype(TYPE.get(kind, self.floating)) for kind in self.operands]
        ours = [suanzi.tensor(a) for a in arrays]
        theirs = [torch.from_numpy(a.copy()) for a in arrays]
        own = self.suanzi or getattr(suanzi, self.name)
        numpy_call = self.numpy or getattr(np, self.name, None)
        torch_call = self.torch or getattr(torch, self.name, None)
        calls = {"suanzi": bind(own, ours)}
        if numpy_call:
            calls["numpy"] = bind(numpy_call, arrays)
        if torch_call:
            calls["torch"] = bind(torch_call, theirs)
        return calls


def bind(function: Callable[..., object], operands: list[Array]) -> Callable[[], object]:
    """The call without a loop over the operands, whose cost would show on tiny ones."""
    match operands:
        case [x]:
            return lambda: function(x)
        case [x, y]:
            return lambda: function(x, y)
        case [x, y, z]:
            return lambda: function(x, y, z)
    raise AssertionError(len(operands))


DRAW: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "real": lambda rng, n: rng.uniform(-10, 10, n),
    "positive": lambda rng, n: rng.uniform(0.01, 10, n),
    "unit": lambda rng, n: rng.uniform(-0.99, 0.99, n),
    "above_one": lambda rng, n: rng.uniform(1, 10, n),
    "exponent": lambda rng, n: rng.uniform(-3, 3, n),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "int": lambda rng, n: rng.integers(1, 1000, n),
    "long": lambda rng, n: rng.integers(-(10**9), 10**9, n),
    "shift": lambda rng, n: rng.integers(0, 8, n),
    "complex": lambda rng, n: rng.uniform(-2, 2, n) + 1j * rng.uniform(-2, 2, n),
}
TYPE = {"bool": "bool", "int": "int32", "long": "int64", "shift": "int32", "complex": "complex64"}

TWO = ("real", "real")
POSITIVE = ("positive",)
UNIT = ("unit",)


def alike(name: str, call: Callable[[Any], object], **options: Any) -> Case:
    """What is written alike for all three."""
    return Case(name, suanzi=call, numpy=call, torch=call, **options)


ELEMENTWISE = [
    Case("add", TWO),
    Case("subtract", TWO),
    Case("multiply", TWO),
    Case(
        "multiply_add",
        ("real",) * 3,
        numpy=lambda a, b, c: a * b + c,
        torch=lambda a, b, c: torch.addcmul(c, a, b),
    ),
    Case("divide", TWO),
    Case("true_divide", TWO),
    Case("floor_divide", TWO),
    alike("floor_divide by 7", lambda x: x // 7, operands=("long",)),
    alike("floor_divide of int32 by 7", lambda x: x // 7, operands=("int",)),
    Case("remainder", TWO),
    alike("remainder by 7", lambda x: x % 7, operands=("long",)),
    Case("fmod", TWO),
    Case("maximum", TWO),
    Case("minimum", TWO),
    Case("abs"),
    Case("negative"),
    Case("reciprocal"),
    Case("sign"),
    Case(
        "clip",
        suanzi=lambda x: suanzi.clip(x, -1.0, 1.0),
        numpy=lambda x: np.clip(x, -1, 1),
        torch=lambda x: torch.clip(x, -1, 1),
    ),
    Case("where", ("bool", "real", "real")),
    Case("equal", TWO, torch=torch.eq),
    Case("not_equal", TWO),
    Case("greater", TWO),
    Case("greater_equal", TWO),
    Case("less", TWO),
    Case("less_equal", TWO),
    Case("isclose", TWO),
    Case("isfinite"),
    Case("isinf"),
    Case("isnan"),
    Case("logical_and", ("bool", "bool")),
    Case("logical_or", ("bool", "bool")),
    Case("logical_xor", ("bool", "bool")),
    Case("logical_not", ("bool",)),
    Case("bitwise_and", ("int", "int")),
    Case("bitwise_or", ("int", "int")),
    Case("bitwise_xor", ("int", "int")),
    Case("bitwise_invert", ("int",), numpy=np.invert, torch=torch.bitwise_not),
    Case("bitwise_left_shift", ("int", "shift"), numpy=np.left_shift),
    Case("bitwise_right_shift", ("int", "shift"), numpy=np.right_shift),
    Case("pow", ("positive", "exponent"), numpy=np.power),
    alike("pow by 2", lambda x: x**2),
    alike("pow by 3", lambda x: x**3),
    Case("sqrt", POSITIVE),
    Case("rsqrt", POSITIVE, numpy=lambda x: 1 / np.sqrt(x)),
    Case("square"),
    Case("floor"),
    Case("ceil"),
    Case("trunc"),
    Case("rint", torch=torch.round),
    Case(
        "round",
        suanzi=lambda x: suanzi.round(x, decimals=2),
        numpy=lambda x: np.round(x, 2),
        torch=lambda x: torch.round(x, decimals=2),
    ),
    Case("sin"),
    Case("cos"),
    Case("tan"),
    Case("asin", UNIT, numpy=np.arcsin),
    Case("acos", UNIT, numpy=np.arccos),
    Case("atan", numpy=np.arctan),
    Case("atan2", TWO, numpy=np.arctan2),
    Case("sinh"),
    Case("cosh"),
    Case("tanh"),
    Case("asinh", numpy=np.arcsinh),
    Case("acosh", ("above_one",), numpy=np.arccosh),
    Case("atanh", UNIT, numpy=np.arctanh),
    Case("exp"),
    Case("expm1"),
    Case("log", POSITIVE),
    Case("log1p", POSITIVE),
    Case("log10", POSITIVE),
    Case("log2", POSITIVE),
    Case("complex", TWO, numpy=lambda a, b: a + 1j * b),
    *(
        Case(
            f"astype {name}",
            floating=source,
            suanzi=lambda x, name=name: x.astype(name),
            numpy=lambda x, name=name: x.astype(name),
            torch=lambda x, name=name: x.to(getattr(torch, name)),
        )
        for source, name in (("float64", "int32"), ("float32", "float64"), ("float32", "uint8"))
    ),
    Case("conj", ("complex",), torch=lambda z: torch.conj(z).resolve_conj()),
]

REDUCTIONS = [
    Case("sum"),
    Case("prod", UNIT),
    Case("mean"),
    Case("max", torch=torch.max),
    Case("min", torch=torch.min),
    Case("all", ("bool",)),
    Case("any", ("bool",)),
]
