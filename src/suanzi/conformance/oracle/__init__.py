"""The expected results of operators, computed in higher precision by independent methods.

The oracle imports no module of Suanzi outside this folder, so that the oracle cannot repeat Suanzi's mistakes. The
checks of `suanzi conformance` and the tests use the same table of element types, the same comparison and the same
rules.
"""
