"""A case of dense.py: one operator on one kind of input, with its goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

SIZES = (1_000, 100_000, 10_000_000)


@dataclass(frozen=True)
class Comparison:
    """One operator on one kind of input; the name begins with the operator's, a remark may follow."""

    name: str
    make: Callable[[int], dict[str, Callable[[], object]]]  # the rivals ("suanzi", "numpy", "torch") for a size
    dtype: str = "float32"
    sizes: tuple[int, ...] = SIZES
    goals: dict[int, float] = field(default_factory=dict)  # bounds on the ratio, by size

    def calls(self, size: int) -> dict[str, Callable[[], object]]:
        """The rivals on the same input of ``size`` elements."""
        return self.make(size)
