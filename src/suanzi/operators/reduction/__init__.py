"""Reductions (Table 2, 规约操作): sums and extremes, statistics, and prefix sums and products."""

from suanzi.operators.reduction import folds, scans, statistics

__all__ = ["folds", "scans", "statistics"]
