"""Reductions (Table 2, 规约操作): `folds`, `statistics`, and the prefix sums and products in `scans`."""

from suanzi.operators.reduction import folds, scans, statistics

__all__ = ["folds", "scans", "statistics"]
