"""A user's program in which type checkers must find no error (see test_programs.py).

The test also runs the program and checks that the variables have their declared types.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

import suanzi as sz
from suanzi import DType, QuantizedTensor, SparseTensor, Status, Tensor

PRECISION: Final = "float64"
Floats = npt.NDArray[np.float64]


class Model:
    """A layer with a dense weight. Methods return the weight as a sparse or a quantized tensor."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        self.weight = weight
        self.bias = bias
        self.history: list[float] = []

    def __call__(self, x: Tensor) -> Tensor:
        y = sz.linear(x, self.weight, self.bias)
        return sz.maximum(y, 0.0)

    def sparse_weight(self, threshold: float) -> SparseTensor:
        kept = sz.where(sz.abs(self.weight) > threshold, self.weight, 0.0)
        return sz.to_sparse(kept, "csr")

    def quantized_weight(self) -> QuantizedTensor:
        return sz.quantize(self.weight, 0.125, dtype="qint8")

    def fit(self, x: Tensor, target: Tensor, *, steps: int = 3, rate: float = 0.01) -> float:
        for _ in range(steps):
            error = x @ self.weight.T - target
            gradient = 2.0 * (error.T @ x) / x.shape[0]
            self.weight = self.weight - rate * gradient
            self.history.append(float(sz.mean(sz.square(error))))
        return self.history[-1]


def readings(count: int, seed: int = 1) -> Tensor:
    """Return numbers like the readings of an instrument. NaN marks a few missing numbers."""
    generator = sz.random.Generator(seed)
    values = generator.normal((count, 3), 0.0, 1.0)
    values[generator.bernoulli(sz.full((count,), 0.1)).astype("bool"), 0] = float("nan")
    return values


def summary(x: Tensor) -> dict[str, float]:
    present = x[~sz.isnan(x)]
    return {
        "mean": present.mean().item(),
        "deviation": sz.std(present, correction=1).item(),
        "median": float(sz.extras.median(present)),
        "greatest": max(present.tolist()),
    }


def as_rows(x: Tensor) -> list[list[float]]:
    return x.tolist()


def counted(labels: Iterable[str]) -> dict[str, int]:
    words = sz.tensor(list(labels))
    names, counts = sz.unique(words, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def nearest(points: Tensor, centre: Sequence[float]) -> int:
    distances = sz.vector_norm(points - sz.tensor(centre), axis=1)
    return sz.argmin(distances).item()


def beside_arrays(x: Tensor, array: Floats) -> Tensor:
    """Combine a tensor and a NumPy array by operators, with the array on the left or on the right."""
    both: Tensor = array + x
    both = both * array - array / (x + 10.0)
    mask: Tensor = array > x
    turned: Tensor = array @ x.T
    waves: Tensor = np.sin(x)
    both[mask] = 0.0
    both += array
    shared: npt.NDArray[np.float64] = np.asarray(both, dtype=np.float64)
    assert shared.shape == x.shape
    return sz.sum(both) + sz.sum(turned) + sz.sum(waves)


def of_sparse(adjacency: SparseTensor, x: Tensor) -> Tensor:
    """Compute with a sparse tensor. Some results are sparse, and other results are dense."""
    scaled: SparseTensor = adjacency * 2
    halved = adjacency * 0.5
    stored = halved.nnz + scaled.nnz
    both: SparseTensor = scaled + adjacency
    squared: SparseTensor = adjacency @ adjacency.T
    positive: SparseTensor = both > 0
    neighbours: Tensor = adjacency @ x
    back: Tensor = x.T @ adjacency
    degrees: Tensor = adjacency.sum(axis=1)
    first: SparseTensor = sz.sin(both)[0]
    weights: SparseTensor = both.abs().sqrt().reshape(-1)
    dense: Tensor = (adjacency + sz.ones(adjacency.shape)).exp()
    parts = [positive.astype("int32").values, squared.values, weights.values, first.to_dense(), dense, back, degrees]
    total = neighbours.sum() + stored
    for part in parts:
        total = total + sz.sum(part)
    return total


def of_quantized(q: QuantizedTensor) -> Tensor:
    """Compute with a quantized tensor. Some results are quantized, and other results are dense."""
    doubled: QuantizedTensor = q + q
    shifted: QuantizedTensor = sz.maximum(q, 0) * 2.0
    product: QuantizedTensor = q @ q.T
    larger: Tensor = q > 0.5
    order: Tensor = q.argsort(axis=0)
    best = sz.topk(q, 1)
    values: QuantizedTensor = best.values
    parts: tuple[QuantizedTensor, ...] = sz.split(q.reshape(-1), 2)
    joined: QuantizedTensor = sz.concat([parts[0], parts[1]])
    real: Tensor = q.astype("float32")
    rows: list[list[float]] = q.tolist()
    assert len(rows) == q.shape[0]
    assert best.indices.shape == values.shape
    sums = (x.dequantize().sum() for x in (doubled, shifted, product, values, joined))
    return sum(sums, start=real.sum()) + larger.sum(dtype="float32") + order.sum(dtype=sz.float32)


def networks(x: Tensor, s: SparseTensor, q: QuantizedTensor) -> dict[str, float]:
    """Apply layers to dense, sparse and quantized tensors."""
    pictures = sz.reshape(x, (1, 1, *x.shape))
    codes: QuantizedTensor = sz.quantize(pictures, 0.125, dtype="qint8")
    weight: QuantizedTensor = sz.quantize(sz.ones((2, 1, 1, 1)), 0.125, dtype="qint8")
    rectified: Tensor = sz.nn.relu(x)
    kept: SparseTensor = sz.nn.relu(s)
    positive: QuantizedTensor = sz.nn.relu(q)
    convolved: QuantizedTensor = sz.nn.conv(codes, weight, padding=1)
    pooled: QuantizedTensor = sz.nn.avg_pool(sz.nn.max_pool(convolved, 2), 1)
    values, places = sz.nn.max_pool(codes, (1, 2), return_indices=True)
    greatest: QuantizedTensor = sz.nn.global_max_pool(values)
    where: Tensor = places
    layer: QuantizedTensor = sz.linear(q, q, sz.zeros(q.shape[0]))
    product: SparseTensor = sz.linear(s, s)
    mixed: Tensor = sz.linear(s, sz.ones(s.shape))
    likely: Tensor = sz.nn.softmax(rectified, axis=-1)
    parts = [kept.to_dense(), product.to_dense(), mixed, likely, where]
    parts += [x.dequantize() for x in (positive, pooled, greatest, layer)]
    return {f"layer {i}": sz.sum(part, dtype="float64").item() for i, part in enumerate(parts)}


def types(wanted: DType | None = None) -> list[DType]:
    """Return the types of tensors. Suanzi's objects, strings, NumPy types and Python classes name the element types."""
    made = [sz.zeros(2, dtype=wanted), sz.ones((2,), dtype="bfloat16"), sz.full(2, 3, dtype=np.int16)]
    made += [sz.arange(3, dtype="f4"), sz.linspace(0, 1, 5, dtype=PRECISION), sz.eye(2, dtype=complex)]
    return [x.dtype for x in made]


def named_by_the_user(name: str) -> Tensor:
    """Return a tensor of an element type whose name is known only at run time."""
    return sz.zeros(2, dtype=sz.as_dtype(name))


def stored(x: Tensor) -> tuple[Tensor, Tensor]:
    with tempfile.TemporaryDirectory() as folder:
        one, many = os.path.join(folder, "x.npy"), os.path.join(folder, "weights.safetensors")
        sz.save(one, x)
        sz.save(many, {"x": x})
        weights = sz.load(many, named=True)
        alone = sz.load(one, named=False)
        untold = sz.load(many)["x"]
        assert untold.shape == alone.shape
        return alone, weights["x"]


def tried(function: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor) -> str:
    status, result = sz.attempt(function, x, y)
    if status is Status.STATUS_SUCCESS:
        return "fits"
    return str(result)


@sz.fuse
def smooth(x: Tensor, width: float) -> Tensor:
    return sz.exp(-sz.square(x / width)) + 1


def main() -> dict[str, float]:
    x = readings(20)
    facts = summary(x)
    clean = sz.where(sz.isnan(x), 0.0, x)
    model = Model(sz.ones((2, 3)), sz.zeros(2))
    facts["loss"] = model.fit(clean, sz.zeros((20, 2)))
    facts["output"] = float(model(clean)[0, 0])
    u, s, vh = sz.linalg.svd(clean, full_matrices=False)
    facts["rebuilt"] = float(sz.abs((u * s) @ vh - clean).max())
    spectrum = sz.fft.rfft(clean, axis=0)
    facts["power"] = sz.sum(sz.real(spectrum * spectrum.conj())).item()
    facts["words"] = counted(["a", "b", "a"])["a"] + nearest(clean, [0.0, 0.0, 0.0])
    facts["arrays"] = float(beside_arrays(clean.astype("float64"), np.ones((20, 3))))
    facts["sparse"] = float(of_sparse(sz.to_sparse(sz.eye(3) + 1), sz.ones((3, 2))))
    facts["kept"] = model.sparse_weight(0.5).nnz
    facts["quantized"] = float(of_quantized(model.quantized_weight()))
    facts |= networks(clean, sz.to_sparse(sz.eye(3)), model.quantized_weight())
    facts["types"] = len(types()) + named_by_the_user("int8").itemsize
    facts["rows"] = len(as_rows(clean)) + sum(part.size for part in stored(clean))
    facts["smooth"] = smooth(clean, 2.0).sum().item()
    indices = sz.nonzero(clean > 0)
    facts["positive"] = indices[0].shape[0]
    print(tried(sz.add, clean, sz.ones(2)), tried(sz.matmul, clean, clean))
    return facts


if __name__ == "__main__":
    print(main())
