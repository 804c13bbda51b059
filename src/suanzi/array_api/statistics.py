"""Sums, means and variances with the array API's types. Means and variances of integers are float64."""

from __future__ import annotations

from suanzi.array_api.defaults import giving_default_type, naming_types
from suanzi.operators.reduction import folds, scans, statistics

cumulative_prod = naming_types(scans.cumulative_prod)
cumulative_sum = naming_types(scans.cumulative_sum)
prod = naming_types(folds.prod)
sum = naming_types(folds.sum)

mean = giving_default_type(statistics.mean)
std = giving_default_type(statistics.std)
var = giving_default_type(statistics.var)
