"""Index operations (Table 2, 索引操作): where elements are, and in what order."""
