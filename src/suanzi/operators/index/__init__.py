"""Index operations (Table 2, 索引操作): where elements are, and in what order."""

from suanzi.operators.index import search, sorting

__all__ = ["search", "sorting"]
