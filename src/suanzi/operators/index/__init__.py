"""Index operations (Table 2, 索引操作): indices and order of elements."""

from suanzi.operators.index import search, sorting

__all__ = ["search", "sorting"]
