"""Random functions of tensors. Fusion must not change a bit of the results.

``python tests/fusion/graphs.py --graphs 100000`` checks 100,000 functions, shows a progress bar, and prints the first
function that differs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import suanzi
from suanzi.fusion.function import FusedFunction

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the imports of a run as a script

from elements import elements, signed

UNARY = (
    "abs", "negative", "positive", "square", "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "floor",
    "ceil", "trunc", "rint", "sign", "isnan", "isfinite", "signbit", "atan", "sinh", "reciprocal", "logical_not",
    "bitwise_invert", "conj", "rsqrt",
)  # fmt: skip
BINARY = (
    "add", "subtract", "multiply", "true_divide", "floor_divide", "remainder", "maximum", "minimum", "equal",
    "not_equal", "less", "greater_equal", "logical_and", "logical_xor", "bitwise_and", "bitwise_or", "copysign",
    "atan2", "hypot", "pow", "logaddexp", "nextafter",
)  # fmt: skip
REDUCTIONS = ("sum", "mean", "max", "min", "var", "std", "all", "any", "prod", "logsumexp", "norm2")
TYPES = (
    "float32", "float32", "float32", "float64", "float16", "bfloat16", "int8", "uint8", "int32", "int64", "uint64",
    "bool", "complex64", "complex128",
)  # fmt: skip
NUMBERS = (0, 1, 2, -3, 0.5, -1.25, 3.0, 1e-3, 7, True)

Step = Callable[[list[Any]], Any]


def random_tensor(chance: random.Random, shape: tuple[int, ...], numbers: np.random.Generator) -> suanzi.Tensor:
    """Return a random tensor of a random type and layout.

    Some tensors contain a NaN, an infinity or another special number.
    """
    dtype = chance.choice(TYPES)
    values = numbers.normal(0, 3, shape)
    if dtype.startswith(("float", "bfloat", "complex")) and chance.random() < 0.3 and values.size:
        flat = values.reshape(-1)
        flat[numbers.integers(0, flat.size)] = chance.choice((np.nan, np.inf, -np.inf, -0.0, 1e38, 1e-40))
    if dtype.startswith("u") or dtype == "bool":
        values = np.abs(values)
    with np.errstate(all="ignore"):
        x = suanzi.astype(suanzi.tensor(np.ascontiguousarray(values)), dtype)
    if dtype.startswith("complex"):
        x = x * (1 + 0.5j)
    lying = chance.random()
    if lying < 0.2 and x.ndim > 1:
        order = tuple(chance.sample(range(x.ndim), x.ndim))
        x = suanzi.tensor(x.numpy(), dtype=dtype, layout=order) if dtype != "bfloat16" else x
    elif lying < 0.3 and x.ndim > 1:
        x = x.T
    elif lying < 0.4 and x.ndim and x.shape[-1] > 1:
        x = x[..., ::-1]
    return x


class Graph:
    """A random function, with random operands in the attribute `inputs`."""

    def __init__(self, seed: int, most: int = 30) -> None:
        self.chance = random.Random(seed)
        numbers = np.random.default_rng(seed)
        chance = self.chance
        sizes = [chance.choice((0, 1, 1, 2, 3, 5, 17, 64, 300)) for _ in range(chance.randint(0, 3))]
        if chance.random() < 0.15:
            sizes = [chance.choice((40, 700)), chance.choice((33, 1500))]
        self.inputs = []
        for _ in range(chance.randint(1, 3)):
            shape = tuple(1 if chance.random() < 0.2 else n for n in sizes[chance.choice((0, 0, 0, 1)) :])
            self.inputs.append(random_tensor(chance, shape, numbers))
        self.text: list[str] = []
        self.steps: list[Step] = []
        self.results: list[int] = []
        self._build(chance.randint(1, most))

    def _build(self, count: int) -> None:
        """Draw up to `count` steps that succeed without fusion, and drop steps that fail."""
        values: list[Any] = list(self.inputs)
        for _ in range(2 * count):
            text, step = self._draw(values)
            try:
                value = step(values)
            except suanzi.SuanziError:
                continue
            if not isinstance(value, suanzi.Tensor) or value.size > 2_000_000:
                continue
            values.append(value)
            self.steps.append(step)
            self.text.append(f"v{len(values) - 1} = {text}  # {value.shape} {value.dtype}")
            if len(self.steps) == count:
                break
        made = range(len(self.inputs), len(values))
        self.results = sorted({len(values) - 1, *(i for i in made if self.chance.random() < 0.15)})

    def _operand(self, values: list[Any]) -> int:
        """Draw the index of one of the values. Recent values are more likely."""
        n = len(values)
        return n - 1 - min(int(self.chance.expovariate(0.6)), n - 1)

    def _draw(self, values: list[Any]) -> tuple[str, Step]:
        chance, i, j = self.chance, self._operand(values), self._operand(values)
        kind = chance.random()
        if kind < 0.35:
            return _step(chance.choice(UNARY), i)
        if kind < 0.55:
            return _step(chance.choice(BINARY), i, j)
        if kind < 0.68:
            number = chance.choice(NUMBERS)
            name = chance.choice(BINARY)
            if chance.random() < 0.3:
                return f"{name}({number}, v{i})", lambda v: _called(name, number, v[i])
            return f"{name}(v{i}, {number})", lambda v: _called(name, v[i], number)
        if kind < 0.73:
            return f"where(v{j}, v{i}, 1)", lambda v: suanzi.where(v[j], v[i], 1)
        if kind < 0.77:
            return f"clip(v{i}, -1, 2)", lambda v: suanzi.clip(v[i], -1, 2)
        if kind < 0.80:
            dtype = chance.choice(TYPES)
            return f"astype(v{i}, {dtype})", lambda v: suanzi.astype(v[i], dtype)
        if kind < 0.88:
            return self._reduction(values[i], i)
        return self._view(values[i], i)

    def _reduction(self, x: Any, i: int) -> tuple[str, Step]:
        chance = self.chance
        name, keep = chance.choice(REDUCTIONS), chance.random() < 0.7
        axis: Any = None if not x.ndim or chance.random() < 0.2 else chance.choice((-1, -1, -1, 0))
        text = f"{name}(v{i}, axis={axis}, keepdims={keep})"
        if name == "norm2":
            return text, lambda v: suanzi.linalg.vector_norm(v[i], axis=axis, keepdims=keep)
        return text, lambda v: getattr(suanzi, name)(v[i], axis=axis, keepdims=keep)

    def _view(self, x: Any, i: int) -> tuple[str, Step]:
        which = self.chance.randrange(13)
        if which == 0:
            return f"v{i}.T", lambda v: v[i].T
        if which == 1:
            return f"v{i}[..., ::2]", lambda v: v[i][..., ::2]
        if which == 2:
            return f"v{i}[None]", lambda v: v[i][None]
        if which == 3:
            return f"sort(v{i})", lambda v: suanzi.sort(v[i], axis=-1)
        if which == 4:
            return f"v{i}[1:]", lambda v: v[i][1:]
        if which == 5:
            return f"v{i}[..., None]", lambda v: v[i][..., None]
        if which == 6:
            return f"v{i}[:, None, ::-1]", lambda v: v[i][:, None, ::-1]
        if which == 7:
            return f"v{i}[0]", lambda v: v[i][0]
        if which == 8:
            return f"expand_dims(v{i}, 0)", lambda v: suanzi.expand_dims(v[i], 0)
        if which == 9:
            return f"flatten(v{i})", lambda v: suanzi.flatten(v[i])
        if which == 10:
            wide = (2, *x.shape)
            return f"broadcast_to(v{i}, {wide})", lambda v: suanzi.broadcast_to(v[i], wide)
        if which == 11:
            order = tuple(self.chance.sample(range(x.ndim), x.ndim))
            return f"permute_dims(v{i}, {order})", lambda v: suanzi.permute_dims(v[i], order)
        return f"cumulative_sum(v{i})", lambda v: suanzi.cumulative_sum(v[i], axis=-1)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        values = list(inputs)
        for step in self.steps:
            values.append(step(values))
        return tuple(values[i] for i in self.results)


def _step(name: str, *operands: int) -> tuple[str, Step]:
    text = ", ".join(f"v{i}" for i in operands)
    return f"{name}({text})", lambda v: _called(name, *(v[i] for i in operands))


def _called(name: str, *operands: Any) -> Any:
    """Return the result of an operator. If the operator reads an operand's signs, 1 replaces the operand's NaNs."""
    if name in ("signbit", "copysign"):
        operands = (*operands[:-1], signed(operands[-1]))
    return getattr(suanzi, name)(*operands)


def difference(a: Any, b: Any) -> str | None:
    """Return a text that describes the difference between two tensors, or None for equal tensors."""
    if (a.dtype, a.shape, a.layout) != (b.dtype, b.shape, b.layout):
        return f"{a.dtype} {a.shape} {a.layout} and {b.dtype} {b.shape} {b.layout}"
    return None if elements(a) == elements(b) else f"elements of {a.dtype} {a.shape}"


def check(seed: int, most: int = 30) -> bool:
    """Return whether the random function of a seed was traced.

    Fail if fusion changes a bit in the first or second call.
    """
    graph = Graph(seed, most)
    if not graph.steps:
        return False
    fused: Any = FusedFunction(graph)
    expected = graph(*graph.inputs)
    for call in ("first", "second"):
        for number, (a, b) in enumerate(zip(expected, fused(*graph.inputs), strict=True)):
            if (found := difference(a, b)) is not None:
                inputs = "\n".join(f"v{i}: {x.shape} {x.dtype} {x.layout}" for i, x in enumerate(graph.inputs))
                steps = "\n".join(graph.text)
                plan = fused.explain(*graph.inputs)
                raise AssertionError(
                    f"seed {seed}, {call} call, result v{graph.results[number]}: {found}\n{inputs}\n{steps}\n{plan}"
                )
    return not fused.explain(*graph.inputs).startswith("not traced")


def main(check: Callable[[int], bool], what: str, count: int) -> None:
    """Run the command line. Check as many random functions as the option named `what` states (default `count`)."""
    from tqdm import tqdm

    parser = argparse.ArgumentParser(description=f"Random functions ({what}), fused and not.")
    parser.add_argument(f"--{what}", dest="count", type=int, default=count)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    traced = sum(check(seed) for seed in tqdm(range(given.first, given.first + given.count)))
    print(f"{traced} of {given.count} functions were traced; every one has the same bits fused and not")


if __name__ == "__main__":
    main(check, "graphs", 100_000)
