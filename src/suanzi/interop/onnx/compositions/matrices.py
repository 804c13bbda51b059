"""Products with matrices that a model stores: packed once, where more than a single row is multiplied."""

from __future__ import annotations

import suanzi
from suanzi import DimensionsMismatchError, Tensor, _core


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The product with a matrix, as ONNX has it, and a vector added."""
    return suanzi.linear(x, weight.T, bias)


class Weight:
    """A matrix that operands are multiplied by, and a vector is added to.

    From the first operand of several rows on it is packed, and that takes its place in memory. It is not packed at
    load, which would take a tenth longer.
    """

    def __init__(self, matrix: Tensor, takes_matrices: bool) -> None:
        self.columns = matrix.shape[1]
        self.takes_matrices = takes_matrices  # True if it takes matrices only
        self.matrix: Tensor | None = matrix
        self.panels: Tensor | None = None

    def __call__(self, x: Tensor, bias: Tensor | None = None) -> Tensor:
        if self.takes_matrices and x.ndim != 2:
            raise DimensionsMismatchError(f"Gemm: shape {x.shape} is not that of a matrix")
        matrix = self.matrix
        if matrix is not None:
            if x.size <= matrix.shape[0]:  # a single row reads the matrix once as it is, faster than packed
                return suanzi.matmul(x, matrix) if bias is None else linear(x, matrix, bias)
            self.panels = _core.to_panels(matrix)
            self.matrix = None  # after it: another thread that finds none looks for the panels
        assert self.panels is not None
        return _core.multiply_panels(x, self.panels, self.columns, bias)

    def __reduce__(self) -> tuple[type[Weight], tuple[Tensor, bool]]:
        """The matrix is stored as it is: a process with another SIMD level packs otherwise."""
        matrix = self.matrix
        if matrix is None:
            assert self.panels is not None
            count, rows, width = self.panels.shape
            by_rows = suanzi.transpose(self.panels, (1, 0, 2))
            matrix = suanzi.reshape(by_rows, (rows, count * width))[:, : self.columns]
        return Weight, (matrix, self.takes_matrices)
