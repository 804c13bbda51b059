"""Products with a constant matrix, which is packed once as the kernels of products read it.

A library packs a matrix anew at every call: for a few rows that takes longer than to multiply them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import suanzi
from suanzi import DimensionsMismatchError, Tensor, _core, tuning
from suanzi.interop.onnx.chains import linear
from suanzi.interop.onnx.folding import Call


class Weight:
    """A matrix that operands are multiplied by, and a vector is added to.

    From the first operand of several rows on it is packed, and that takes its place in memory. It is not packed at
    load, which would take a tenth longer.
    """

    def __init__(self, matrix: Tensor, takes_matrices: bool) -> None:
        self.columns = matrix.shape[1]
        self.takes_matrices = takes_matrices  # and nothing of another rank
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
        """As the matrix: a process with another SIMD level packs otherwise."""
        matrix = self.matrix
        if matrix is None:
            assert self.panels is not None
            count, rows, width = self.panels.shape
            by_rows = suanzi.transpose(self.panels, (1, 0, 2))
            matrix = suanzi.reshape(by_rows, (rows, count * width))[:, : self.columns]
        return Weight, (matrix, self.takes_matrices)


class _Factor(NamedTuple):
    """The second factor of a product, as a call has it."""

    slot: int
    transposed: bool = False
    takes_matrices: bool = False


def with_weights(
    calls: Iterable[Call], slots: list[Any], constants: Collection[int], results: Iterable[int]
) -> list[Call]:
    """The calls with a `Weight` where one multiplies by a large constant matrix, which is taken out of the slots."""
    weights: dict[_Factor, Weight] = {}
    changed: list[Call] = []
    for call in calls:
        factor = _factor(call)
        if factor is not None and factor.slot in constants and _is_large(slots[factor.slot]):
            matrix = slots[factor.slot].T if factor.transposed else slots[factor.slot]
            if call.name != "Gemm" or _is_vector(call.inputs[2:], matrix.shape[1], slots, constants):
                weight = weights.setdefault(factor, Weight(matrix, factor.takes_matrices))
                call = call._replace(function=weight, inputs=(call.inputs[0], *call.inputs[2:]))
        changed.append(call)
    readers = Counter(results)
    for call in changed:
        readers.update(call.inputs)
    for factor in weights:
        if not readers[factor.slot]:
            slots[factor.slot] = None
    return changed


def _factor(call: Call) -> _Factor | None:
    """What a call multiplies by, where it does nothing but that and to add a vector."""
    if call.function in (suanzi.matmul, linear):
        return _Factor(call.inputs[1])
    if call.name == "Gemm":
        given = call.attributes
        if given["alpha"] == given["beta"] == 1 and not given["transA"]:
            return _Factor(call.inputs[1], bool(given["transB"]), takes_matrices=True)
    return None


def _is_large(x: Any) -> bool:
    floats = (suanzi.float32, suanzi.float64)
    return isinstance(x, Tensor) and x.ndim == 2 and x.dtype in floats and x.size >= tuning.PACKED_MATRIX


def _is_vector(added: tuple[int, ...], columns: int, slots: list[Any], constants: Collection[int]) -> bool:
    """Whether what is added is nothing, or known to be one vector for all rows."""
    return all(slot in constants and getattr(slots[slot], "shape", None) == (columns,) for slot in added)
