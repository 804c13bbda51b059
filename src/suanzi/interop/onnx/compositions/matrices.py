"""Products with matrices that a model stores, and distances of rows. The first product packs the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import suanzi
from suanzi import DimensionsMismatchError, Tensor, _core


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Return the product of `x` and a matrix of shape (inputs, outputs), as in ONNX, plus a vector."""
    return suanzi.linear(x, weight.T, bias)


def squared_distances(a: Tensor, b: Tensor) -> Tensor:
    """Return the squared distance of each row of `a` to each row of `b`. Both operands are matrices of float64."""
    total = suanzi.zeros((a.shape[0], b.shape[0]), dtype=suanzi.float64)
    for column in range(a.shape[1]):  # differences keep all digits for points that are close to each other
        apart = suanzi.expand_dims(a[:, column], 1) - b[:, column]
        suanzi.multiply_add(apart, apart, total, out=total)
    return total


@dataclass(frozen=True)
class Codes:
    """A matrix of float32 that a model stores as codes of int8 or uint8: ``(codes - zero) * scale``."""

    codes: Tensor
    scale: Tensor  # the shape is (1, 1), (1, columns) or (rows, 1)
    zero: Tensor | None = None  # a tensor with the shape of `scale` and the type of `codes`

    dtype: ClassVar[suanzi.DType] = suanzi.float32
    ndim: ClassVar[int] = 2

    @property
    def shape(self) -> tuple[int, ...]:
        return self.codes.shape

    @property
    def size(self) -> int:
        return self.codes.size

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes

    @property
    def T(self) -> Codes:
        return Codes(self.codes.T, self.scale.T, None if self.zero is None else self.zero.T)

    @property
    def is_scaled_by_columns(self) -> bool:
        return self.scale.shape[0] == 1 and (self.zero is None or self.zero.shape[0] == 1)

    @property
    def by_columns(self) -> tuple[Tensor, Tensor | None]:
        """Return the scale and the zero point of each column."""
        scale, zero = (
            None if x is None else suanzi.expand(x.reshape((x.size,)), self.shape[1:]) for x in (self.scale, self.zero)
        )
        assert scale is not None
        return scale, zero


class Weight:
    """A function that multiplies its operand by a matrix and adds a vector.

    The first call packs the matrix, and the packed matrix replaces the stored matrix. Packing at load would make
    loading a tenth slower. All calls use the packed matrix, so that the bits of a row depend neither on other rows nor
    on earlier calls. A matrix of codes stays encoded, and the product decodes one panel at a time. For a few rows, the
    decoding takes half as long as reading the decoded matrix from memory.
    """

    def __init__(self, matrix: Tensor | Codes, takes_matrices: bool) -> None:
        self.columns = matrix.shape[1]
        self.takes_matrices = takes_matrices  # True if operands must be matrices
        self.matrix: Tensor | Codes | None = matrix
        self.panels: Tensor | None = None
        self.scaling = matrix.by_columns if isinstance(matrix, Codes) else (None, None)

    def __call__(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        if self.takes_matrices and x.ndim != 2:
            raise DimensionsMismatchError(f"Gemm: A of shape {x.shape} is not a matrix")
        matrix = self.matrix
        if matrix is not None:
            self.panels = _core.to_panels(matrix.codes if isinstance(matrix, Codes) else matrix)
            self.matrix = None  # set last, because another thread that finds no matrix uses the panels
        assert self.panels is not None
        return _core.multiply_panels(x, self.panels, self.columns, bias, *self.scaling)

    def __reduce__(self) -> tuple[type[Weight], tuple[Tensor | Codes, bool]]:
        """Pickle the unpacked matrix, because a process with another SIMD level packs the matrix differently."""
        matrix = self.matrix
        if matrix is None:
            assert self.panels is not None
            count, rows, width = self.panels.shape
            by_rows = suanzi.transpose(self.panels, (1, 0, 2))
            matrix = suanzi.reshape(by_rows, (rows, count * width))[:, : self.columns]
            scale, zero = self.scaling
            if scale is not None:
                matrix = Codes(matrix, scale.reshape((1, -1)), None if zero is None else zero.reshape((1, -1)))
        return Weight, (matrix, self.takes_matrices)
