"""What dense.py measures: each module of this package has a list CASES."""

AREAS: tuple[str, ...] = ("gathering", "products", "random", "rearranging", "scanning", "searching", "sorting")
AREAS: tuple[str, ...] = ("gathering", "matrices", "random", "rearranging", "scanning", "searching")
