"""Creation and destruction of tensors (7.2.1, 张量创建与销毁). Each module covers one source of elements."""

from suanzi.operators.creation import data, filled, matrices, quantized, random, sequences, sparse

__all__ = ["data", "filled", "matrices", "quantized", "random", "sequences", "sparse"]
