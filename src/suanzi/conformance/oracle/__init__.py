"""The expected results of operators, computed in higher precision by independent methods.

The oracle imports no module of Suanzi outside this folder, so that the oracle cannot repeat Suanzi's mistakes. The
checks of `suanzi conformance` and Suanzi's tests share the oracle's table of element types, comparison and rules.
"""
