"""The expected results of every elementwise operator, computed in higher precision by independent methods.

The oracle imports nothing of the library outside this folder, so that it cannot repeat the library's mistakes. The
checks of `suanzi conformance` and the tests use the same table of element types, the same comparison and the same
rules.
"""
