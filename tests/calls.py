"""A table with a sensible call of every public function, on operands of a given number of elements.

Tests and measurements that treat all functions alike (test_scratch.py, tools/soak.py) take their calls from this table.
Other tests check the results of the functions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isqrt
from typing import Any

import numpy as np

import suanzi
from suanzi import Tensor, _core
from suanzi.operators.registry import records

Maker = Callable[[int], Tensor]


@dataclass(frozen=True)
class Call:
    """A call of one function. `makers` create operands of a given number of elements, and `run` makes the call."""

    name: str  # the function's name, which a remark may follow
    makers: tuple[Maker, ...]
    run: Callable[..., Any]  # accepts the tensors, or the number of elements if the call has no tensors
    largest: int = 2**20  # the greatest number of elements for which the call is fast enough
    given: Mapping[str, Any] = field(
        default_factory=dict
    )  # further values that the function's scratch declaration names

    @property
    def function(self) -> str:
        """Return the name of the called function or method, without the remark that may follow the name."""
        return self.name.split()[0]

    def operands(self, size: int) -> list[Tensor]:
        return [make(size) for make in self.makers]

    def bound(self, operands: list[Tensor], size: int) -> Callable[[], Any]:
        """Return a function that calls `run` with the operands, or with `size` if the list of operands is empty."""
        arguments: list[Any] = [*operands] if operands else [size]
        return lambda: self.run(*arguments)


def vector(size: int) -> Tensor:
    """Make a vector of different numbers between 0.25 and 0.75, in random order."""
    return suanzi.tensor(np.linspace(0.25, 0.75, size, dtype=np.float32)[_shuffled(size)])


def square(size: int) -> Tensor:
    side = isqrt(size)
    return vector(side * side).reshape((side, side))


def row(size: int) -> Tensor:
    """Make a vector as long as one row of `square`."""
    return vector(isqrt(size))


def columns(size: int) -> Tensor:
    """Make a matrix of four long columns."""
    return vector(size // 4 * 4).reshape((-1, 4))


def threes(size: int) -> Tensor:
    """Make a matrix whose rows have three elements."""
    return vector(size // 3 * 3).reshape((-1, 3))


def tall(size: int) -> Tensor:
    """Make a matrix with four times as many rows as columns."""
    side = isqrt(size // 4)
    return vector(4 * side * side).reshape((4 * side, side))


def weights(size: int) -> Tensor:
    """Make a stack of two equal square matrices."""
    return suanzi.stack([square(size)] * 2)


def definite(size: int) -> Tensor:
    """Make a well-conditioned symmetric positive definite matrix."""
    side = isqrt(size)
    half = np.random.default_rng(1).standard_normal((side, side), np.float32) / np.float32(side)
    return suanzi.tensor(half @ half.T + np.eye(side, dtype=np.float32))


def batch(size: int) -> Tensor:
    """Make a batch of many small matrices."""
    return suanzi.expand(definite(16), (max(1, size // 16), 4, 4)).clone()


def integers(size: int) -> Tensor:
    return suanzi.tensor(_shuffled(size).astype(np.int32) % 5 + 1)


def mask(size: int) -> Tensor:
    return suanzi.tensor(_shuffled(size) % 2 == 0)


def square_mask(size: int) -> Tensor:
    side = isqrt(size)
    return mask(side * side).reshape((side, side))


def positions(size: int) -> Tensor:
    """Make a vector of the positions 0 to `size` - 1, in random order."""
    return suanzi.tensor(_shuffled(size).astype(np.int64))


def row_positions(size: int) -> Tensor:
    return positions(isqrt(size))


def square_positions(size: int) -> Tensor:
    """Make a square matrix whose elements are positions along the first axis of a matrix of equal shape."""
    side = isqrt(size)
    return suanzi.tensor(np.broadcast_to(_shuffled(side)[:, None], (side, side)).astype(np.int64))


def ascending(size: int) -> Tensor:
    return suanzi.tensor(np.arange(size, dtype=np.float32))


def close(size: int) -> Tensor:
    """Make a vector of numbers with equal leading bits, except for the first number, 1e30."""
    return suanzi.tensor(np.r_[np.float32(1e30), 1 + _shuffled(size - 1).astype(np.float32) * 2**-23])


def _shuffled(size: int) -> Any:
    return np.random.default_rng(size).permutation(size)


def _elementwise() -> Iterator[Call]:
    """Yield a call of each public elementwise operation of the core, with a vector for each operand."""
    public = {record.name: record for record in records()}
    for name, arity, _ in _core.operations:
        if name not in public or name == "where":
            continue
        accepts = public[name].accepts
        make = vector if "F" in accepts else integers
        yield Call(name, (make,) * arity, public[name].function)


REDUCTIONS = ("sum", "prod", "max", "min", "all", "any", "mean", "var", "std", "norm1", "norm2", "logsumexp")
FOURIER = (
    *("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"),
    *("fftn", "ifftn", "rfftn", "irfftn", "fftshift", "ifftshift"),
)
SMALL = 2**16  # the greatest number of elements of a matrix that a call decomposes


def _matrices() -> Iterator[Call]:
    """Yield calls of functions of matrices. Each function is called with one matrix, and with many small matrices."""
    names = "eig eigvals eigh eigvalsh lu cholesky qr svd svdvals matrix_norm cond inv pinv det slogdet matrix_rank"
    for name in names.split():
        yield Call(name, (definite,), getattr(suanzi.linalg, name), SMALL)
        yield Call(f"{name} of many", (batch,), getattr(suanzi.linalg, name), SMALL)


def _calls() -> Iterator[Call]:
    yield from _elementwise()
    for name in REDUCTIONS:
        function = getattr(suanzi, name)
        yield Call(name, (vector,), function)
        yield Call(f"{name} axis 0", (square,), lambda x, f=function: f(x, axis=0))
        yield Call(f"{name} axis 1", (square,), lambda x, f=function: f(x, axis=1))
    yield from _matrices()
    yield from TABLE


z = suanzi
TABLE: tuple[Call, ...] = (
    # Arithmetic, comparison, selection.
    Call("divide", (vector, vector), z.divide),
    Call("divide floor", (vector, vector), lambda x, y: z.divide(x, y, rounding="floor")),
    Call("clip least", (vector,), lambda x: z.clip(x, 0.3)),
    Call("trace", (square,), z.trace),
    Call("allclose", (vector, vector), z.allclose),
    Call("array_equal", (vector, vector), z.array_equal),
    Call("imag", (vector,), z.imag),
    Call("real", (vector,), z.real),
    Call("where", (mask, vector, vector), z.where),
    Call("masked_select", (vector, mask), z.masked_select),
    Call("masked_fill", (vector, mask), lambda x, m: z.masked_fill(x, m, x[0])),
    # Creation.
    Call("tensor", (), lambda n: z.tensor(np.ones(n, np.float32))),
    Call("tensor of a list", (), lambda n: z.tensor([1.0, 2.0, 3.0])),
    Call("from_reference", (), lambda n: z.from_reference(bytearray(n))),
    Call("contiguous", (square,), lambda x: z.contiguous(x.T)),
    Call("clone", (vector,), z.clone),
    Call("destroy", (vector,), lambda x: z.destroy(x[1:])),
    Call("zeros", (), z.zeros),
    Call("ones", (), z.ones),
    Call("full", (), lambda n: z.full(n, 0.5)),
    Call("empty", (), z.empty),
    Call("zeros_like", (vector,), z.zeros_like),
    Call("ones_like", (vector,), z.ones_like),
    Call("full_like", (vector,), lambda x: z.full_like(x, x[0])),
    Call("empty_like", (vector,), z.empty_like),
    Call("diag", (row,), z.diag),
    Call("diagonal", (square,), z.diagonal),
    Call("eye", (), lambda n: z.eye(isqrt(n))),
    Call("tril", (square,), z.tril),
    Call("triu", (square,), z.triu),
    Call("arange", (), z.arange),
    Call("linspace", (), lambda n: z.linspace(0, 1, n)),
    Call("uniform", (), z.uniform),
    Call("uniform_like", (vector,), z.uniform_like),
    Call("normal", (), z.normal),
    Call("normal_like", (vector,), z.normal_like),
    Call("bernoulli", (vector,), z.bernoulli),
    Call("multinomial", (square,), lambda p: z.multinomial(p, 8), given={"num_samples": 8}),
    Call(
        "multinomial indices",
        (square,),
        lambda p: z.multinomial(p, 4, False, output="indices"),
        given={"num_samples": 4},
    ),
    Call("multinomial of many", (vector,), lambda p: z.multinomial(p, 2**15), given={"num_samples": 2**15}),
    Call("randperm", (), z.randperm),
    Call("quantized_tensor", (), lambda n: z.quantized_tensor(n, np.ones(n, np.float32))),
    Call("quantized_tensor of less", (), lambda n: z.quantized_tensor(n, np.ones(n // 2, np.float32))),
    Call("quantize", (vector,), z.quantize),
    Call("dequantize", (vector,), lambda x: z.dequantize(z.quantize(x, 0.5, dtype="qint8"))),
    Call("requantize", (vector,), lambda x: z.requantize(z.quantize(x, 0.5, dtype="qint8"))),
    # Queries.
    Call("shape", (vector,), z.shape),
    Call("size", (vector,), z.size),
    Call("rank", (vector,), z.rank),
    Call("is_contiguous", (vector,), z.is_contiguous),
    # Searching and sorting.
    Call("argmax", (vector,), z.argmax),
    Call("argmax axis 0", (square,), lambda x: z.argmax(x, axis=0)),
    Call("argmin", (vector,), z.argmin),
    Call("argmin axis 0", (square,), lambda x: z.argmin(x, axis=0)),
    Call("nonzero", (vector,), z.nonzero),
    Call(
        "sparse_tensor",
        (lambda n: positions(n).reshape((n, 1)), vector),
        lambda i, x: z.sparse_tensor(x.shape, i, x),
        given={"shape": ()},
    ),
    Call("to_sparse", (square,), z.to_sparse),
    Call("nonzero matrix", (square,), lambda x: z.nonzero(x, as_tuple=False)),
    Call("count_nonzero", (vector,), z.count_nonzero),
    Call("argsort", (vector,), z.argsort),
    Call("argsort axis 0", (square,), lambda x: z.argsort(x, axis=0)),
    Call("sort", (vector,), z.sort),
    Call("sort axis 0", (square,), lambda x: z.sort(x, axis=0)),
    Call("topk", (vector,), lambda x: z.topk(x, 5)),
    Call("topk axis 0", (square,), lambda x: z.topk(x, 3, axis=0)),
    Call("topk of most", (vector,), lambda x: z.topk(x, x.size - 1)),
    Call("topk of columns", (columns,), lambda x: z.topk(x, 3, axis=0)),
    Call("sort of columns", (columns,), lambda x: z.sort(x, axis=0)),
    Call("argsort of columns", (columns,), lambda x: z.argsort(x, axis=0)),
    Call("argsort of close numbers", (close,), z.argsort),
    Call("sort of close numbers", (close,), z.sort),
    Call("argmax of columns", (columns,), lambda x: z.argmax(x, axis=0)),
    Call("unique", (vector,), z.unique),
    Call(
        "unique complete",
        (integers,),
        lambda x: z.unique(x, return_index=True, return_inverse=True, return_counts=True),
    ),
    Call("unique rows", (square,), lambda x: z.unique(x, axis=0), 2**16),
    Call("searchsorted", (ascending, vector), z.searchsorted),
    Call("searchsorted sorter", (vector, vector, positions), lambda x, y, i: z.searchsorted(x, y, "left", i)),
    # Reductions and scans.
    Call("reduce", (vector,), lambda x: z.reduce(x, "sum")),
    Call("cumulative_sum", (vector,), z.cumulative_sum),
    Call("cumulative_sum axis 0", (square,), lambda x: z.cumulative_sum(x, axis=0)),
    Call("cumulative_sum of columns", (columns,), lambda x: z.cumulative_sum(x, axis=0)),
    Call("cumulative_prod", (vector,), z.cumulative_prod),
    # Transformation.
    Call("astype", (vector,), lambda x: z.astype(x, "float64")),
    Call("gather", (vector, positions), z.gather),
    Call("gather axis 1", (square, row_positions), lambda x, i: z.gather(x, i, 1)),
    Call("take", (vector, positions), z.take),
    Call("take_along_axis", (square, square_positions), lambda x, i: z.take_along_axis(x, i, 0)),
    Call("gather_nd", (vector, positions), lambda x, i: z.gather_nd(x, i.reshape((-1, 1)))),
    Call("index_select", (square, row_positions), z.index_select),
    Call("index_select axis 1", (square, row_positions), lambda x, i: z.index_select(x, i, 1)),
    Call("gather_tiled", (square, row_positions), lambda x, i: z.gather_tiled(x, i, (16, 64))),
    Call("scatter", (vector, positions, vector), z.scatter),
    Call("scatter add", (square, square_positions, square), lambda x, i, u: z.scatter(x, i, u, mode="add")),
    Call("scatter_nd", (vector, positions, vector), lambda x, i, u: z.scatter_nd(x, i.reshape((-1, 1)), u)),
    Call("concat", (vector, vector), lambda x, y: z.concat([x, y])),
    Call("concat axis 1", (square, square), lambda x, y: z.concat([x, y], 1)),
    Call("stack", (vector, vector), lambda x, y: z.stack([x, y])),
    Call("stack axis 1", (vector, vector), lambda x, y: z.stack([x, y], 1)),
    Call("split", (square,), lambda x: z.split(x, [1, x.shape[0] - 1])),
    Call("unstack", (square,), z.unstack),
    Call("tile", (vector,), lambda x: z.tile(x, 2)),
    Call("repeat", (vector,), lambda x: z.repeat(x, 2), given={"repeats": z.tensor(2)}),
    Call("repeat by counts", (vector, integers), lambda x, n: z.repeat(x, n)),
    Call("meshgrid", (row, row), z.meshgrid),
    Call("broadcast_arrays", (square, row), z.broadcast_arrays),
    Call("broadcast_tensors", (square, row), z.broadcast_tensors),
    Call("slice", (vector,), lambda x: z.slice(x, 1, -1, 2)),
    Call("crop", (vector,), lambda x: z.crop(x, (1,), (3,))),
    Call("pad", (square,), lambda x: z.pad(x, 1)),
    Call("pad reflect", (square,), lambda x: z.pad(x, 1, "reflect")),
    Call("roll", (square,), lambda x: z.roll(x, 1)),
    Call("flip", (square,), z.flip),
    Call("reverse", (square,), z.reverse),
    Call("reverse of parts", (square,), lambda x: z.reverse(x, 1, lengths=[1] * x.shape[0])),
    Call("rot90", (square,), z.rot90),
    Call("moveaxis", (square,), lambda x: z.moveaxis(x, 0, 1)),
    Call("swapaxes", (square,), lambda x: z.swapaxes(x, 0, 1)),
    Call("reshape", (square,), lambda x: z.reshape(x, -1)),
    Call("reshape that copies", (square,), lambda x: z.reshape(x.T, -1)),
    Call("expand_dims", (vector,), z.expand_dims),
    Call("squeeze", (vector,), z.squeeze),
    Call("transpose", (square,), z.transpose),
    Call("permute_dims", (square,), lambda x: z.permute_dims(x, (1, 0))),
    Call("matrix_transpose", (square,), z.matrix_transpose),
    Call("expand", (vector,), lambda x: z.expand(x, (2, x.size))),
    Call("broadcast_to", (vector,), lambda x: z.broadcast_to(x, (2, x.size))),
    Call("flatten", (square,), z.flatten),
    # Matrices.
    Call("vector_norm", (vector,), z.linalg.vector_norm),
    Call("vector_norm axis 0", (square,), lambda x: z.linalg.vector_norm(x, axis=0, ord=3)),
    Call("matmul", (square, square), z.matmul, SMALL),
    Call("matmul of many", (batch, batch), z.matmul),
    Call("matmul of integers", (integers, integers), lambda x, y: z.matmul(x, y)),
    Call("dot", (vector, vector), z.dot),
    Call("cross", (threes, threes), z.cross),
    Call("cross of integers", (threes, lambda n: threes(n).astype("int32")), z.cross),
    Call("vecdot", (square, square), z.linalg.vecdot),
    Call("tensordot", (square, square), lambda x, y: z.tensordot(x, y, axes=((0,), (0,))), SMALL),
    Call("outer", (row, row), z.linalg.outer),
    Call("einsum", (square, square), lambda x, y: z.einsum("ij,jk->ik", x, y), SMALL),
    Call("einsum diagonal", (square,), lambda x: z.einsum("ii->i", x)),
    Call("matrix_power", (definite,), lambda x: z.linalg.matrix_power(x, 5), SMALL),
    Call("linear", (square, square, row), z.linear, SMALL),
    Call("bilinear", (square, square, weights), z.bilinear, 2**16),
    Call("qr complete", (tall,), lambda x: z.linalg.qr(x, mode="complete"), SMALL),
    Call("svd of a tall matrix", (tall,), z.linalg.svd, SMALL),
    Call("svd reduced", (tall,), lambda x: z.linalg.svd(x, full_matrices=False), SMALL),
    Call("pinv of a tall matrix", (tall,), z.linalg.pinv, SMALL),
    Call("lstsq of a tall matrix", (tall, tall), z.linalg.lstsq, SMALL),
    Call("matrix_norm one", (square,), lambda x: z.linalg.matrix_norm(x, ord=1)),
    Call("matrix_norm nuclear", (definite,), lambda x: z.linalg.matrix_norm(x, ord="nuc"), SMALL),
    Call("cond one", (definite,), lambda x: z.linalg.cond(x, ord=1), SMALL),
    Call("solve", (definite, row), z.solve, SMALL),
    Call("lstsq", (definite, row), z.linalg.lstsq, SMALL),
    # Signals and images.
    *(Call(f"fft.{name}", (vector,), getattr(z.fft, name)) for name in FOURIER),
    Call("fft.fft of rows", (square,), z.fft.fft),
    Call("fft.fft axis 0", (square,), lambda x: z.fft.fft(x, axis=0)),
    Call("fft.fftn of a square", (square,), z.fft.fftn),
    Call("fft.fftfreq", (), z.fft.fftfreq),
    Call("fft.rfftfreq", (), z.fft.rfftfreq),
    Call("interpolate", (square,), lambda x: z.interpolate(x[None, None], scale_factor=2, mode="bicubic")),
    Call("interpolate nearest", (vector,), lambda x: z.interpolate(x[None, None], scale_factor=2)),
    Call("interpolate smaller", (square,), lambda x: z.interpolate(x[None, None], scale_factor=0.5, mode="area")),
    # Methods, operators of Python and indexing.
    Call("Tensor.__add__", (vector, vector), lambda x, y: x + y),
    Call("Tensor.__iadd__", (vector, vector), operator.iadd),
    Call("Tensor.__getitem__ slice", (vector,), lambda x: x[1:-1:2]),
    Call("Tensor.__getitem__ positions", (vector, positions), lambda x, i: x[i]),
    Call("Tensor.__getitem__ mask", (vector, mask), lambda x, m: x[m]),
    Call("Tensor.__setitem__ slice", (vector,), lambda x: x.__setitem__(slice(1, None), x[0])),
    Call("Tensor.__setitem__ positions", (vector, positions), lambda x, i: x.__setitem__(i, x[0])),
    Call("Tensor.__setitem__ mask", (vector, mask), lambda x, m: x.__setitem__(m, x[0])),
    Call("Tensor.item", (vector,), lambda x: x[0].item()),
    Call("Tensor.numpy", (vector,), lambda x: x.numpy()),
    Call("Tensor.tolist", (vector,), lambda x: x[:3].tolist()),
    Call("Tensor.__repr__", (vector,), lambda x: repr(x[:])),
    Call("Tensor.__iter__", (vector,), lambda x: list(x[:3])),
)

CALLS = tuple(_calls())


def missing() -> set[str]:
    """Return the names of the functions that have a record but no call in the table."""
    return {record.name for record in records()} - {call.function for call in CALLS}
