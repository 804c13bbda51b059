"""Random functions of sparse, quantized and dense tensors. Fusion must not change a bit of the results.

``python tests/fusion/kinds.py --chains 10000`` checks 10,000 functions, shows a progress bar, and prints the first
function that differs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from graphs import main

import suanzi
from elements import elements
from suanzi.fusion.function import FusedFunction

UNARY = (
    "abs", "negative", "positive", "square", "sqrt", "expm1", "log1p", "sin", "tanh", "floor", "rint", "sign", "isnan",
    "conj", "cos", "exp",
)  # fmt: skip
BINARY = (
    "add", "subtract", "multiply", "maximum", "minimum", "true_divide", "floor_divide", "remainder", "pow", "equal",
    "not_equal", "less", "greater_equal", "logical_and", "logical_or", "bitwise_and",
)  # fmt: skip
NUMBERS = (0, 1, 2, -3, 0.5, -1.25, 7, True)
TYPES = ("float32", "float32", "float64", "float16", "bfloat16", "int8", "int64", "bool", "complex64")
QUANTIZED = (
    "qint8", "qint16", "quint8", "quint16", "qint8_asymmetric", "qint16_asymmetric", "qint8_per_channel",
    "qint16_per_channel",
)  # fmt: skip

Step = Callable[[list[Any]], Any]


def sparse_tensor(
    chance: random.Random, numbers: np.random.Generator, shape: tuple[int, ...], dtype: str
) -> suanzi.SparseTensor:
    """Return a random sparse tensor: COO with repeated coordinates, coalesced, or CSR, and sometimes with blocks."""
    count = chance.choice((0, 1, 5, 40))
    places = np.stack([numbers.integers(0, n, count) for n in shape], axis=1)
    block = chance.choice(((), (), (), (2,)))
    values = suanzi.astype(suanzi.tensor(numbers.normal(0, 3, (count, *block))), dtype)
    x = suanzi.sparse_tensor(shape, suanzi.tensor(places), values)
    return [x, x.coalesce(), x.to_csr()][chance.randrange(3)]


def quantized_tensor(
    chance: random.Random, numbers: np.random.Generator, shape: tuple[int, ...], dtype: str
) -> suanzi.QuantizedTensor:
    x = suanzi.tensor(numbers.normal(chance.choice((0, 2)), 3, shape), dtype="float32")
    x = x.T if chance.random() < 0.2 and shape[0] == shape[1] else x
    return suanzi.quantize(x, dtype=dtype)


class Chain:
    """A random function, with random arguments in the attribute `inputs`.

    The method `arguments` makes further arguments of the same kinds.
    """

    def __init__(self, seed: int, most: int = 12) -> None:
        self.chance = chance = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.shape = chance.choice(((6, 6), (30, 20), (1, 9)))
        self.kinds = [chance.choice(("sparse", "sparse", "quantized", "dense")) for _ in range(chance.randint(1, 3))]
        self.types = [chance.choice(QUANTIZED if kind == "quantized" else TYPES) for kind in self.kinds]
        self.inputs = self.arguments()
        self.text: list[str] = []
        self.steps: list[Step] = []
        values: list[Any] = list(self.inputs)
        count = chance.randint(1, most)
        for _ in range(3 * count):
            text, step = self._draw(len(values))
            try:
                value = step(values)
            except (suanzi.SuanziError, AttributeError):
                continue
            values.append(value)
            self.steps.append(step)
            self.text.append(f"v{len(values) - 1} = {text}  # {type(value).__name__} {value.dtype}")
            if len(self.steps) == count:
                break
        made = range(len(self.inputs), len(values))
        self.results = sorted({len(values) - 1, *(i for i in made if chance.random() < 0.2)})

    def arguments(self) -> list[Any]:
        made: list[Any] = []
        for kind, dtype in zip(self.kinds, self.types, strict=True):
            before = [x for x in made if isinstance(x, suanzi.SparseTensor) and x.dtype.kind_name != "bool"]
            if kind == "sparse" and before and self.chance.random() < 0.5:
                made.append(suanzi.abs(before[0]))  # both tensors share a pattern if `before[0]` is coalesced
            elif kind == "sparse":
                made.append(sparse_tensor(self.chance, self.numbers, self.shape, dtype))
            elif kind == "quantized":
                made.append(quantized_tensor(self.chance, self.numbers, self.shape, dtype))
            else:
                made.append(suanzi.astype(suanzi.tensor(self.numbers.normal(0, 3, self.shape)), dtype))
        return made

    def _draw(self, count: int) -> tuple[str, Step]:
        chance = self.chance
        i, j = (count - 1 - min(int(chance.expovariate(0.5)), count - 1) for _ in range(2))
        kind = chance.random()
        if kind < 0.35:
            name = chance.choice(UNARY)
            return f"{name}(v{i})", lambda v: getattr(suanzi, name)(v[i])
        name = chance.choice(BINARY)
        if kind < 0.6:
            return f"{name}(v{i}, v{j})", lambda v: getattr(suanzi, name)(v[i], v[j])
        if kind < 0.78:
            number = chance.choice(NUMBERS)
            if chance.random() < 0.3:
                return f"{name}({number}, v{i})", lambda v: getattr(suanzi, name)(number, v[i])
            return f"{name}(v{i}, {number})", lambda v: getattr(suanzi, name)(v[i], number)
        if kind < 0.84:
            dtype = chance.choice(TYPES)
            return f"astype(v{i}, {dtype})", lambda v: suanzi.astype(v[i], dtype)
        others: list[tuple[str, Step]] = [
            (f"v{i}.dequantize()", lambda v: v[i].dequantize()),
            (f"quantize(v{i})", lambda v: suanzi.quantize(v[i], 0.25, dtype="qint8")),
            (f"v{i}.to_dense()", lambda v: v[i].to_dense()),
            (f"to_sparse(v{i})", lambda v: suanzi.to_sparse(v[i])),
            (f"sum(v{i})", lambda v: suanzi.sum(v[i], axis=0)),
            (f"v{i}.T", lambda v: v[i].T),
            (f"v{i}.coalesce()", lambda v: v[i].coalesce()),
            (f"v{i}.values", lambda v: v[i].values),
            (f"clip(v{i}, -1)", lambda v: suanzi.clip(v[i], -1, None)),
        ]
        return chance.choice(others)

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        values = list(inputs)
        for step in self.steps:
            values.append(step(values))
        return tuple(values[i] for i in self.results)


def parts_of(x: Any) -> tuple[Any, list[suanzi.Tensor]]:
    """Return the kind and the attributes of a tensor, and the dense tensors that store the tensor's data."""
    if isinstance(x, suanzi.SparseTensor):
        indptr = [x.indptr] if x.format == "csr" else []
        return ("sparse", x.shape, x.format, x.is_coalesced, x.layout), [x.values, x.indices, *indptr]
    if isinstance(x, suanzi.QuantizedTensor):
        return ("quantized", x.shape, x.dtype, x.zero_point, x.axis, x.layout), [x.codes, x.scale]
    return ("dense", x.layout), [x]


def difference(a: Any, b: Any) -> str | None:
    (one, ours), (other, theirs) = parts_of(a), parts_of(b)
    if one != other:
        return f"{one} and {other}"
    for x, y in zip(ours, theirs, strict=True):
        if (x.dtype, x.shape) != (y.dtype, y.shape):
            return f"{x.dtype} {x.shape} and {y.dtype} {y.shape}"
        if elements(x) != elements(y):
            return f"elements of {x.dtype} {x.shape}: {x} and {y}"
    return None


def check(seed: int, most: int = 12) -> bool:
    """Return whether the random function of a seed was traced. Fail if fusion changes a bit or an error of any call."""
    chain = Chain(seed, most)
    if not chain.steps:
        return False
    fused: Any = FusedFunction(chain)
    for number, inputs in enumerate((chain.inputs, chain.inputs, chain.arguments(), chain.inputs, chain.arguments())):
        try:
            expected = chain(*inputs)
        except (suanzi.SuanziError, AttributeError) as error:  # some errors depend on values
            try:
                fused(*inputs)
            except type(error):
                continue
            raise AssertionError(f"seed {seed}, call {number}: no {error!r}") from error
        for result, (a, b) in enumerate(zip(expected, fused(*inputs), strict=True)):
            if (found := difference(a, b)) is not None:
                kinds = "\n".join(f"v{i}: {parts_of(x)[0]} {x.dtype}" for i, x in enumerate(inputs))
                steps = "\n".join(chain.text)
                place = f"seed {seed}, call {number}, result v{chain.results[result]}"
                raise AssertionError(f"{place}: {found}\n{kinds}\n{steps}\n{fused.explain(*inputs)}")
    return not fused.explain(*chain.inputs).startswith("not traced")


if __name__ == "__main__":
    main(check, "chains", 10_000)
