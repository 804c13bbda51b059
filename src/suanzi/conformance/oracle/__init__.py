"""The expected results of every elementwise operator, computed in a higher precision and by other means.

Nothing here imports the library outside this folder: a mistake there cannot hide itself here. The checks of `suanzi
conformance` and the tests use the same table of element types, the same comparison and the same rules.
"""
