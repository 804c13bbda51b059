"""Each line that ends in ``# wrong`` is a mistake that a type checker must find. Other lines are right."""

from __future__ import annotations

import numpy as np

import suanzi as sz
from suanzi import QuantizedTensor, SparseTensor, Tensor


def mistakes(x: Tensor, s: SparseTensor, q: QuantizedTensor, name: str) -> None:
    # Element types.
    sz.zeros(3, dtype="flaot32")  # wrong
    sz.ones((2, 3), dtype="float23")  # wrong
    sz.tensor([1.0], dtype="bool8")  # wrong
    sz.arange(3, dtype="int")  # wrong
    x.astype("flaot64")  # wrong
    sz.astype(x, "qint8")  # wrong
    sz.sum(x, dtype="foat32")  # wrong
    sz.zeros(3, dtype=name)  # wrong
    sz.zeros(3, dtype=list)  # wrong
    sz.quantize(x, 0.5, dtype="int8")  # wrong
    sz.quantize(x, 0.5, dtype=sz.int8)  # wrong
    sz.zeros(3, dtype=sz.qint8)  # wrong
    sz.zeros(3, dtype=sz.as_dtype(name))
    # Operands that are not tensors.
    sz.exp([1.0, 2.0])  # wrong
    sz.exp(1.0)  # wrong
    sz.add(1.0, 2.0)  # wrong
    sz.add(x, "a")  # wrong
    sz.add(x, np.ones(3))  # wrong
    sz.where(True, 1.0, 2.0)  # wrong
    x * {1.0}  # wrong
    x @ 2.0  # wrong
    # Kinds of tensor that an operator does not accept.
    sz.cos(s)  # wrong
    sz.exp(q)  # wrong
    s.exp()  # wrong
    q.sin()  # wrong
    sz.fft.fft(s)  # wrong
    sz.linalg.inv(s)  # wrong
    sz.linalg.solve(x, s)  # wrong
    sz.sum(q)  # wrong
    x + q  # wrong
    s + q  # wrong
    q @ x  # wrong
    s @ np.ones((3, 3))  # wrong
    sz.add(q, x)  # wrong
    sz.concat([x, s])  # wrong
    sz.sin(s, out=s)  # wrong
    s.tolist()  # wrong
    s[s > 0]  # wrong
    sz.nn.conv(q, x)  # wrong
    sz.nn.softmax(q)  # wrong
    sz.nn.conv(s, x)  # wrong
    sz.linear(q, x)  # wrong
    sz.linear(s, q)  # wrong
    # Results of another kind than declared.
    dense: Tensor = sz.sin(s)  # wrong
    dense = s + s  # wrong
    dense = sz.concat([s, s])  # wrong
    dense = q * 2  # wrong
    dense = sz.topk(q, 1).values  # wrong
    dense = sz.nn.relu(q)  # wrong
    dense = sz.nn.max_pool(q, 2)  # wrong
    dense = sz.nn.max_pool(x, 2, return_indices=True)  # wrong
    dense = sz.linear(s, s)  # wrong
    sz.linear(s, s, x)  # wrong
    sz.linear(x, x, q)  # wrong
    sz.nn.conv(x, x, q)  # wrong
    sparse: SparseTensor = s @ x  # wrong
    sparse = s.sum()  # wrong
    sparse = s + x  # wrong
    codes: QuantizedTensor = q > 0  # wrong
    codes = q.argmax()  # wrong
    codes = q.dequantize()  # wrong
    number: float = x.sum()  # wrong
    # Options.
    sz.sum(x, axis="rows")  # wrong
    sz.sum(x, axes=0)  # wrong
    sz.sum(x, dim=0)  # wrong
    sz.reshape(x, "flat")  # wrong
    sz.zeros(2, 3)  # wrong
    sz.round(x, mode="up")  # wrong
    sz.load("x.npy", named=True).sum()  # wrong
    sz.load("x.npz", named=False)["x"]  # wrong
    sz.nonexistent(x)  # wrong
    x.unsqueeze(0)  # wrong
    print(dense, sparse, codes, number)
