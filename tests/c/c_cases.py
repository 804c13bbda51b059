"""Pairs of a C call and an equivalent Python call, for each operator."""

from __future__ import annotations

import ctypes as ct
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from interface import FLOAT32, INT64, Handles

import suanzi as sz
from suanzi.conformance.providers.c_header import DTYPES, NONE, RELEASE, int_at, ints, layout, number, prototypes
from suanzi.operators.registry import lookup

Pair = tuple[Any, Any]
Case = Callable[[Handles], Iterator[Pair]]

SAMPLES = {
    "B": sz.tensor([[True, False, True], [False, False, True]], dtype="bool"),
    "I": sz.tensor([[3, -2, 5], [0, 7, -9]], dtype="int16"),
    "F": sz.tensor([[0.5, -1.25, 3.0], [float("nan"), 0.0, 1e30]]),
    "C": sz.tensor([[1 + 2j, -0.5j, 3], [0, 1e-3 - 4j, 2.5]], dtype="complex64"),
    "S": sz.tensor([["算子", "b", ""], ["a", "operator", "b"]]),
}
# The samples in column-major order, and rows that broadcast with the samples.
COLUMNS = {
    letter: sz.from_reference(np.asfortranarray(np.asarray(x))) for letter, x in SAMPLES.items() if letter != "S"
}
ROWS = {letter: x[1] for letter, x in SAMPLES.items()}
HALVES = [sz.tensor([0.1, -2.5, 6e4], dtype=name) for name in ("float16", "bfloat16")]

X = sz.tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7)
MATRIX = sz.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]], dtype="float64")
STACK = sz.tensor(np.linspace(-1, 2, 24, dtype=np.float32).reshape(2, 4, 3))
PLACES = sz.tensor([2, 0, -1], dtype="int64")


def takes(name: str) -> int:
    """Return the number of operands of a C function, or 0 for a function that also has other parameters."""
    parameters = prototypes()[f"suanzi_{name}"][1]
    operands = [p for p in parameters if p.startswith("const SuanziTensor ")]
    return len(operands) if len(parameters) == len(operands) + 1 else 0


def elementwise(name: str) -> Case:
    """Return a case that calls an elementwise operator on operands of each kind of element type.

    The operands have different layouts and shapes. Scalars are among the operands.
    """
    arity = takes(name)

    def calls(c: Handles) -> Iterator[Pair]:
        function = getattr(sz, name)
        letters = lookup(name).accepts
        for letter in letters:
            if arity == 1:
                operands: list[list[Any]] = [[SAMPLES[letter]]] + [[COLUMNS[letter]]] * (letter != "S")
            else:
                operands = [[SAMPLES[letter]] * arity, [SAMPLES[letter], *[ROWS[letter]] * (arity - 1)]]
            for given in operands:
                yield c.call(name, *map(c.of, given)), function(*given)
        for half in HALVES if "F" in letters else []:
            yield c.call(name, *[c.of(half)] * arity), function(*[half] * arity)
        for value, letter in ((2, "I"), (-1.5, "F"), (0.5j, "C"), ("b", "S")):
            if arity == 2 and letter in letters and not (name.endswith("shift") and letter == "F"):
                yield c.call(name, c.of(SAMPLES[letter]), c.scalar(value)), function(SAMPLES[letter], value)
                yield c.call(name, c.scalar(value), c.of(ROWS[letter])), function(value, ROWS[letter])

    return calls


def each(*cases: tuple[Callable[[Handles], Any], Callable[[], Any]]) -> Case:
    """Return a case that runs the given pairs of a C call and a Python call."""

    def calls(c: Handles) -> Iterator[Pair]:
        for in_c, in_python in cases:
            yield in_c(c), in_python()

    return calls


def filled(name: str, *middle: Any, **options: Any) -> Case:
    """Return a case that calls a creation function with two element types and two orders of dimensions."""

    def calls(c: Handles) -> Iterator[Pair]:
        for dtype, order in product((NONE, INT64), (None, (0, 1))):
            given = {"dtype": "float32" if dtype == NONE else "int64", "layout": order, **options}
            handle = c.call(name, *ints((2, 3)), *middle, dtype, None, layout(order))
            yield handle, getattr(sz, name)((2, 3), **given)

    return calls


def tensor_calls(c: Handles) -> Iterator[Pair]:
    data = np.arange(6, dtype=np.float32)
    for size, order in ((6, None), (6, (0, 1)), (4, None), (6, (1, 0))):
        handle = c.call("tensor", data.tobytes(), 4 * size, *ints((2, 3)), FLOAT32, None, layout(order))
        yield handle, sz.tensor(data[:size], shape=(2, 3), layout=order)
    for x in (*SAMPLES.values(), *HALVES):
        yield c.of(x), x


def reference_calls(c: Handles) -> Iterator[Pair]:
    data = np.arange(6, dtype=np.float32)
    for order in (None, (0, 1)):
        at = data.ctypes.data
        handle = c.call("from_reference", at, data.nbytes, *ints((2, 3)), FLOAT32, None, layout(order), RELEASE(), None)
        yield handle, sz.from_reference(data, shape=(2, 3), layout=order)


def reduce_calls(c: Handles) -> Iterator[Pair]:
    names = ["sum", "prod", "mean", "max", "min", "all", "any", "var", "std", "norm1", "norm2", "logsumexp"]
    for op, name in enumerate(names):
        yield c.call("reduce", c.of(X), op, *ints((0, -1)), False, NONE), sz.reduce(X, name, axis=(0, -1))
        yield c.call("reduce", c.of(X), op, None, 0, True, NONE), sz.reduce(X, name, keepdims=True)
    yield c.call("reduce", c.of(X), 0, *ints((1,)), False, 12), sz.reduce(X, "sum", axis=1, dtype="float64")


def round_calls(c: Handles) -> Iterator[Pair]:
    x = sz.tensor([0.5, 1.5, -2.5, 1.25, -0.75])
    for mode, name in enumerate(("half_even", "half_up", "half_away", "half_down", "floor", "ceil", "trunc")):
        for decimals in (0, 1, -1):
            yield c.call("round", c.of(x), decimals, mode), sz.round(x, decimals, name)


def divide_calls(c: Handles) -> Iterator[Pair]:
    for rounding, name in enumerate((None, "trunc", "floor")):
        for letter in "IF":
            x, y = SAMPLES[letter], ROWS[letter]
            yield c.call("divide", c.of(x), c.of(y), rounding), sz.divide(x, y, rounding=name)  # type: ignore[arg-type]


def clip_calls(c: Handles) -> Iterator[Pair]:
    x = SAMPLES["I"]
    for low, high in ((-1, 4), (None, 4), (-1, None), (None, None)):
        bounds = [None if bound is None else c.scalar(bound) for bound in (low, high)]
        yield c.call("clip", c.of(x), *bounds), sz.clip(x, low, high)
    yield c.call("clip", c.of(x), c.of(ROWS["I"]), None), sz.clip(x, ROWS["I"], None)


def where_calls(c: Handles) -> Iterator[Pair]:
    mask = SAMPLES["B"]
    for x in SAMPLES.values():
        yield c.call("where", c.of(mask), c.of(x), c.of(x[1])), sz.where(mask, x, x[1])
    yield c.call("where", c.of(mask), c.of(SAMPLES["F"]), c.scalar(0.0)), sz.where(mask, SAMPLES["F"], 0.0)


def scatter_calls(c: Handles) -> Iterator[Pair]:
    x, index = X[0], sz.tensor([[0, 1, 1, 2], [2, 2, 0, 1]], dtype="int32")
    for mode, name in enumerate(("update", "add", "mul", "min", "max")):
        updates = X[1, :2]
        handle = c.call("scatter", c.of(x), c.of(index), c.of(updates), 0, mode)
        yield handle, sz.scatter(x, index, updates, axis=0, mode=name)
        yield c.call("scatter", c.of(x), c.of(index), c.scalar(2), 0, mode), sz.scatter(x, index, 2, axis=0, mode=name)


def interpolate_calls(c: Handles) -> Iterator[Pair]:
    x = sz.tensor(np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4))
    for mode, name in ((0, "nearest"), (1, "nearest-exact"), (3, "bilinear"), (4, "bicubic"), (6, "area")):
        yield (
            c.call("interpolate", c.of(x), *sized((5, 7)), mode, False, False, False),
            sz.interpolate(x, (5, 7), mode=name),
        )
    factors = (ct.c_double * 2)(1.5, 2.0)
    for recompute in (False, True):
        handle = c.call("interpolate", c.of(x), None, factors, 2, 3, True, False, recompute)
        wanted = sz.interpolate(
            x, scale_factor=(1.5, 2.0), mode="bilinear", align_corners=True, recompute_scale_factor=recompute
        )
        yield handle, wanted
    line, box = x[0], sz.tensor(np.arange(24, dtype=np.float32).reshape(1, 1, 2, 3, 4))
    yield (
        c.call("interpolate", c.of(line), *sized((6,)), 2, False, False, False),
        sz.interpolate(line, 6, mode="linear"),
    )
    handle = c.call("interpolate", c.of(box), *sized((3, 2, 5)), 5, False, False, False)
    yield handle, sz.interpolate(box, (3, 2, 5), mode="trilinear")


def sized(sizes: tuple[int, ...]) -> tuple[Any, None, int]:
    """Return three arguments of a C function: the sizes, NULL for the scale factors, and the number of sizes."""
    numbers, count = ints(sizes)
    return numbers, None, count


def norm_calls(c: Handles) -> Iterator[Pair]:
    inf = float("inf")
    for order, name in enumerate(("fro", "nuc", 1, -1, 2, -2, inf, -inf)):
        handle = c.call("matrix_norm", c.of(STACK), order, order % 2 == 0)
        yield handle, sz.matrix_norm(STACK, ord=name, keepdims=order % 2 == 0)  # type: ignore[arg-type]


def search_calls(name: str) -> Case:
    return each(
        (lambda c: c.call(name, c.of(X), None, True), lambda: getattr(sz, name)(X, keepdims=True)),
        (lambda c: c.call(name, c.of(X), int_at(-1), False), lambda: getattr(sz, name)(X, axis=-1)),
    )


def fft_calls(name: str) -> Case:
    def calls(c: Handles) -> Iterator[Pair]:
        function = getattr(sz.fft, name)
        for norm, word in enumerate(("backward", "ortho", "forward")):
            yield c.call(name, c.of(X), None, -1, norm), function(X, norm=word)
            yield c.call(name, c.of(SAMPLES["C"]), int_at(5), 0, norm), function(SAMPLES["C"], 5, 0, word)

    return calls


def sparse_calls(c: Handles) -> Iterator[Pair]:
    places, values = sz.tensor([[1, 2], [0, 1], [1, 2]], dtype="int64"), sz.tensor([1.0, 2.0, 3.0])
    x = c.call("sparse_tensor", *ints((2, 3)), c.of(places), c.of(values), 3, None, NONE, None, None)
    wanted = sz.sparse_tensor((2, 3), places, values)
    yield c.call("to_dense", x), wanted.to_dense()
    yield c.call("sparse_indices", x), wanted.indices
    yield c.call("sparse_values", c.call("clone", x)), wanted.values
    columns, starts = sz.tensor([2, 1, 2], dtype="int32"), sz.tensor([0, 1, 3], dtype="int64")
    rows = c.call(
        "sparse_tensor", *ints((2, 3)), c.of(columns), c.of(values), -1, c.of(starts), NONE, None, layout((0, 1), 1)
    )
    in_rows = sz.sparse_tensor((2, 3), columns, values, indptr=starts, layout=sz.Layout("sparse", (0, 1)))
    yield c.call("to_dense", rows), in_rows.to_dense()
    yield c.call("sparse_indptr", rows), in_rows.indptr
    for dtype in ("int8", "float64", "complex64", "bool"):
        number = DTYPES.index(dtype)
        x = c.call("sparse_tensor", *ints((2, 3)), c.of(places), c.of(values), -1, None, number, None, None)
        yield c.call("sparse_values", x), sz.sparse_tensor((2, 3), places, values, dtype=dtype).values


def matmul_calls(c: Handles) -> Iterator[Pair]:
    yield c.call("matmul", c.of(STACK), c.of(X[0])), sz.matmul(STACK, X[0])
    yield c.call("matmul", c.of(MATRIX), c.of(MATRIX[0])), sz.matmul(MATRIX, MATRIX[0])
    rows = sz.to_sparse(MATRIX[:2], "csr")
    parts = [c.of(part) for part in (rows.indices, rows.values, rows.indptr)]
    x = c.call("sparse_tensor", *ints((2, 3)), *parts[:2], -1, parts[2], NONE, None, None)
    yield c.call("matmul", x, c.of(MATRIX)), rows @ MATRIX
    square = sz.to_sparse(MATRIX, "csr")
    parts = [c.of(part) for part in (square.indices, square.values, square.indptr)]
    y = c.call("sparse_tensor", *ints((3, 3)), *parts[:2], -1, parts[2], NONE, None, None)
    yield c.call("to_dense", c.call("matmul", x, y)), (rows @ square).to_dense()


def quantized_calls(c: Handles) -> Iterator[Pair]:
    names = (
        *("qint8", "qint16", "quint8", "qint8_asymmetric", "quint16", "qint16_asymmetric"),
        *("qint8_per_channel", "qint16_per_channel"),
    )
    data, codes = sz.tensor([[0.5, -1.0, 0.3], [2.0, 0.0, -3.5]]), sz.tensor([1, 2, 3, 4], dtype="int64")
    for number_of, name in enumerate(names):
        channels = name.endswith("per_channel")
        zero = None if name in ("qint8", "qint16") or channels else 3
        scale = sz.tensor([0.25, 0.5]) if channels else sz.tensor(0.25)
        for values, given in ((data, None), (data, scale), (codes, scale), (None, None)):
            point = None if given is None else zero
            x = c.call(
                "quantized_tensor",
                *ints((2, 3)),
                None if values is None else c.of(values),
                None if given is None else c.of(given),
                None if point is None else int_at(point),
                None,
                number_of,
                None,
                layout((0, 1)),
            )
            wanted = sz.quantized_tensor((2, 3), values, scale=given, zero_point=point, dtype=name, layout=(0, 1))
            yield c.call("quantized_codes", x), wanted.codes
            yield c.call("quantized_scale", x), wanted.parameters.scale
            yield c.call("dequantize", c.call("clone", x)), wanted.dequantize()


def lists(c: Handles, *tensors: Any) -> tuple[Any, int]:
    """Return an array of handles on copies of tensors, and the number of handles."""
    pointers = [c.of(x).value for x in tensors]
    return (ct.c_void_p * len(pointers))(*pointers), len(pointers)


A, B = X[0], X[1]
SEED = 7
P = sz.tensor([[0.25, 0.5, 0.25], [0.0, 0.125, 0.5]])
SPECIAL: dict[str, Case] = {
    "tensor": tensor_calls,
    "from_reference": reference_calls,
    "zeros": filled("zeros"),
    "full": filled("full", number(3), fill_value=3),
    "empty": each((lambda c: c.call("empty", *ints((0, 3)), NONE, None, None), lambda: sz.empty((0, 3)))),
    "contiguous": each((lambda c: c.call("contiguous", c.of(COLUMNS["F"])), lambda: sz.contiguous(COLUMNS["F"]))),
    "uniform": filled("uniform", number(-2), number(5), SEED, low=-2, high=5, seed=SEED),
    "normal": each(
        (lambda c: c.call("normal", *ints((9,)), None, None, SEED, NONE, None, None), lambda: sz.normal(9, seed=SEED)),
        (
            lambda c: c.call("normal", *ints((9,)), number(1.5), number(2), SEED, 13, None, None),
            lambda: sz.normal(9, 1.5, 2, SEED, dtype="complex64"),
        ),
    ),
    "bernoulli": each((lambda c: c.call("bernoulli", c.of(P), SEED), lambda: sz.bernoulli(P, SEED))),
    "multinomial": each(
        (lambda c: c.call("multinomial", c.of(P), 9, True, SEED, False), lambda: sz.multinomial(P, 9, seed=SEED)),
        (
            lambda c: c.call("multinomial", c.of(P), 2, False, SEED, True),
            lambda: sz.multinomial(P, 2, False, SEED, output="indices"),
        ),
    ),
    "randperm": each((lambda c: c.call("randperm", 9, INT64, SEED, None), lambda: sz.randperm(9, "int64", SEED))),
    "arange": each(
        (lambda c: c.call("arange", None, number(5), None, NONE, None), lambda: sz.arange(5)),
        (
            lambda c: c.call("arange", number(9), number(-2), number(-3), INT64, None),
            lambda: sz.arange(9, -2, -3, dtype="int64"),
        ),
    ),
    "linspace": each(
        (lambda c: c.call("linspace", number(-1), number(2.5), 7, NONE, None), lambda: sz.linspace(-1, 2.5, 7))
    ),
    "sparse_tensor": sparse_calls,
    "quantized_tensor": quantized_calls,
    "clone": each((lambda c: c.call("clone", c.of(COLUMNS["I"])), lambda: sz.clone(COLUMNS["I"]))),
    "diag": each(
        (lambda c: c.call("diag", c.of(MATRIX), 1), lambda: sz.diag(MATRIX, 1)),
        (lambda c: c.call("diag", c.of(MATRIX[0]), -1), lambda: sz.diag(MATRIX[0], -1)),
    ),
    "astype": each(
        *(
            (lambda c, k=k: c.call("astype", c.of(SAMPLES["I"]), k), lambda k=k: sz.astype(SAMPLES["I"], DTYPES[k]))
            for k in range(15)
        )
    ),
    "reshape": each((lambda c: c.call("reshape", c.of(X), *ints((4, -1))), lambda: sz.reshape(X, (4, -1)))),
    "expand_dims": each((lambda c: c.call("expand_dims", c.of(A), *ints((0, -1))), lambda: sz.expand_dims(A, (0, -1)))),
    "squeeze": each(
        (lambda c: c.call("squeeze", c.of(X[:1, :1]), None, 0), lambda: sz.squeeze(X[:1, :1])),
        (lambda c: c.call("squeeze", c.of(X[:1, :1]), *ints((1,))), lambda: sz.squeeze(X[:1, :1], 1)),
    ),
    "transpose": each(
        (lambda c: c.call("transpose", c.of(X), None, 0), lambda: sz.transpose(X)),
        (lambda c: c.call("transpose", c.of(X), *ints((1, -1, 0))), lambda: sz.transpose(X, (1, -1, 0))),
    ),
    "split": each(
        (
            lambda c: c.call_list("split", c.of(X), ints((1, 3))[0], 2, -1, False, results=2),
            lambda: sz.split(X, (1, 3), -1),
        ),
        (lambda c: c.call_list("split", c.of(X), None, 3, 1, False, results=3), lambda: sz.split(X, 3, 1)),
        (lambda c: c.call_list("split", c.of(X), None, 3, 2, True, results=3), lambda: sz.split(X, 3, 2, uneven=True)),
    ),
    "concat": each(
        (lambda c: c.call("concat", *lists(c, A, B), int_at(1)), lambda: sz.concat([A, B], 1)),
        (lambda c: c.call("concat", *lists(c, A, SAMPLES["I"]), None), lambda: sz.concat([A, SAMPLES["I"]], None)),
    ),
    "stack": each((lambda c: c.call("stack", *lists(c, A, B, A), -1), lambda: sz.stack([A, B, A], -1))),
    "unstack": each((lambda c: c.call_list("unstack", c.of(X), 1, 3, results=3), lambda: sz.unstack(X, 1))),
    "slice": each(
        (
            lambda c: c.call("slice", c.of(X), ints((-1, 0))[0], ints((-9, 9))[0], ints((-2, 3))[0], *ints((2, 1))),
            lambda: sz.slice(X, (-1, 0), (-9, 9), (-2, 3), axis=(2, 1)),
        ),
        (
            lambda c: c.call("slice", c.of(X), ints((1,))[0], ints((2**63 - 1,))[0], None, None, 1),
            lambda: sz.slice(X, (1,), (None,)),
        ),
        (
            lambda c: c.call("slice", c.of(A), ints((2**63 - 1,))[0], ints((-(2**63),))[0], ints((-1,))[0], None, 1),
            lambda: sz.slice(A, (None,), (None,), (-1,)),
        ),
    ),
    "tile": each((lambda c: c.call("tile", c.of(A), *ints((2, 1, 3))), lambda: sz.tile(A, (2, 1, 3)))),
    "pad": each(
        *(
            (
                lambda c, k=k: c.call("pad", c.of(A), ints((1, 2))[0], *ints((2, 0)), k, None),
                lambda w=w: sz.pad(A, ((1, 2), (2, 0)), w),
            )
            for k, w in enumerate(("constant", "edge", "reflect", "symmetric", "wrap"))
        ),
        (
            lambda c: c.call("pad", c.of(SAMPLES["S"]), ints((1, 0))[0], *ints((0, 1)), 0, number("x")),
            lambda: sz.pad(SAMPLES["S"], ((1, 0), (0, 1)), value="x"),
        ),
    ),
    "reverse": each(
        (lambda c: c.call("reverse", c.of(X), *ints((0, 2)), None, 0, 0), lambda: sz.reverse(X, (0, 2))),
        (
            lambda c: c.call("reverse", c.of(X), *ints((2,)), *ints((1, 3)), 0),
            lambda: sz.reverse(X, 2, lengths=[1, 3], batch_axis=0),
        ),
    ),
    "roll": each(
        (lambda c: c.call("roll", c.of(X), ints((1, -2))[0], *ints((0, 2))), lambda: sz.roll(X, (1, -2), (0, 2))),
        (lambda c: c.call("roll", c.of(X), ints((5,))[0], None, 1), lambda: sz.roll(X, 5)),
    ),
    "crop": each(
        (
            lambda c: c.call("crop", c.of(X), ints((1, 0, 2))[0], *ints((1, 2, -1))),
            lambda: sz.crop(X, (1, 0, 2), (1, 2, -1)),
        )
    ),
    "clip": clip_calls,
    "gather": each(
        (lambda c: c.call("gather", c.of(A), c.of(PLACES), 0), lambda: sz.gather(A, PLACES)),
        (lambda c: c.call("gather", c.of(SAMPLES["S"]), c.of(PLACES), 1), lambda: sz.gather(SAMPLES["S"], PLACES, 1)),
    ),
    "scatter": scatter_calls,
    "expand": each((lambda c: c.call("expand", c.of(A), *ints((2, -1, 4))), lambda: sz.expand(A, (2, -1, 4)))),
    "flatten": each((lambda c: c.call("flatten", c.of(X), 1, -1), lambda: sz.flatten(X, 1, -1))),
    "flip": each(
        (lambda c: c.call("flip", c.of(X), None, 0), lambda: sz.flip(X)),
        (lambda c: c.call("flip", c.of(X), *ints((-1,))), lambda: sz.flip(X, -1)),
    ),
    "where": where_calls,
    "meshgrid": each(
        *(
            (
                lambda c, w=w: c.call_list("meshgrid", *lists(c, A[0], B[:, 0]), w == "xy", results=2),
                lambda w=w: sz.meshgrid(A[0], B[:, 0], indexing=w),
            )
            for w in ("xy", "ij")
        )
    ),
    "index_select": each(
        (lambda c: c.call("index_select", c.of(X), c.of(PLACES), 1), lambda: sz.index_select(X, PLACES, 1))
    ),
    "divide": divide_calls,
    "trace": each((lambda c: c.call("trace", c.of(STACK), -1), lambda: sz.trace(STACK, -1))),
    "isclose": each(
        (
            lambda c: c.call("isclose", c.of(SAMPLES["F"]), c.of(ROWS["F"]), 0.5, 0.75, True),
            lambda: sz.isclose(SAMPLES["F"], ROWS["F"], rtol=0.5, atol=0.75, equal_nan=True),
        )
    ),
    "round": round_calls,
    "reduce": reduce_calls,
    "cumulative_sum": each(
        (
            lambda c: c.call("cumulative_sum", c.of(X), int_at(1), NONE, False, True, True),
            lambda: sz.cumulative_sum(X, axis=1, exclusive=True, reverse=True),
        ),
        (
            lambda c: c.call("cumulative_sum", c.of(SAMPLES["I"]), int_at(0), FLOAT32, True, False, False),
            lambda: sz.cumulative_sum(SAMPLES["I"], axis=0, dtype="float32", include_initial=True),
        ),
    ),
    "argmax": search_calls("argmax"),
    "argmin": search_calls("argmin"),
    "argsort": each(
        (lambda c: c.call("argsort", c.of(X), -1, False), lambda: sz.argsort(X)),
        (
            lambda c: c.call("argsort", c.of(SAMPLES["S"]), 0, True),
            lambda: sz.argsort(SAMPLES["S"], 0, descending=True),
        ),
    ),
    "topk": each(
        (lambda c: c.call("topk", c.of(X), 2, -1, True, True, results=2), lambda: sz.topk(X, 2)),
        (
            lambda c: c.call("topk", c.of(X), 2, 0, False, False, results=2),
            lambda: sz.topk(X, 2, 0, largest=False, sorted=False),
        ),
    ),
    "nonzero": each((lambda c: c.call("nonzero", c.of(X)), lambda: sz.nonzero(X, as_tuple=False))),
    "imag": each(*((lambda c, k=k: c.call("imag", c.of(SAMPLES[k])), lambda k=k: sz.imag(SAMPLES[k])) for k in "BIFC")),
    "real": each(*((lambda c, k=k: c.call("real", c.of(SAMPLES[k])), lambda k=k: sz.real(SAMPLES[k])) for k in "BIFC")),
    "fft": fft_calls("fft"),
    "ifft": fft_calls("ifft"),
    "matmul": matmul_calls,
    "dot": each((lambda c: c.call("dot", c.of(STACK), c.of(MATRIX)), lambda: sz.dot(STACK, MATRIX))),
    "lu": each((lambda c: c.call("lu", c.of(STACK), results=3), lambda: sz.lu(STACK))),
    "cholesky": each(
        *(
            (lambda c, u=u: c.call("cholesky", c.of(MATRIX), u), lambda u=u: sz.cholesky(MATRIX, upper=u))
            for u in (False, True)
        )
    ),
    "qr": each(
        (lambda c: c.call("qr", c.of(STACK), False, results=2), lambda: sz.qr(STACK)),
        (lambda c: c.call("qr", c.of(STACK), True, results=2), lambda: sz.qr(STACK, mode="complete")),
    ),
    "svd": each(
        *(
            (lambda c, f=f: c.call("svd", c.of(STACK), f, results=3), lambda f=f: sz.svd(STACK, full_matrices=f))
            for f in (False, True)
        )
    ),
    "solve": each((lambda c: c.call("solve", c.of(MATRIX), c.of(MATRIX[0])), lambda: sz.solve(MATRIX, MATRIX[0]))),
    "lstsq": each(
        (lambda c: c.call("lstsq", c.of(STACK[0]), c.of(A[0]), None, results=4), lambda: sz.lstsq(STACK[0], A[0])),
        (
            lambda c: c.call("lstsq", c.of(MATRIX), c.of(MATRIX), ct.byref(ct.c_double(0.5)), results=4),
            lambda: sz.lstsq(MATRIX, MATRIX, rtol=0.5),
        ),
    ),
    "inv": each((lambda c: c.call("inv", c.of(MATRIX)), lambda: sz.inv(MATRIX))),
    "eig": each((lambda c: c.call("eig", c.of(MATRIX), results=2), lambda: sz.eig(MATRIX))),
    "matrix_norm": norm_calls,
    "linear": each(
        (
            lambda c: c.call("linear", c.of(STACK), c.of(MATRIX[:2]), c.of(A[0, :2])),
            lambda: sz.linear(STACK, MATRIX[:2], A[0, :2]),
        ),
        (lambda c: c.call("linear", c.of(STACK), c.of(MATRIX[:2]), None), lambda: sz.linear(STACK, MATRIX[:2])),
    ),
    "bilinear": each(
        (
            lambda c: c.call("bilinear", c.of(A[:2]), c.of(STACK[0, :2]), c.of(STACK), c.of(A[0, :2])),
            lambda: sz.bilinear(A[:2], STACK[0, :2], STACK, A[0, :2]),
        )
    ),
    "interpolate": interpolate_calls,
}
