"""The tests' additions to the oracle of the conformance kit: complex functions by mpmath, operands, and whole arrays.

The element types, the comparison and the rules of elementwise operations are in `suanzi.conformance.oracle`. No module
of this package imports any part of Suanzi except the conformance kit.
"""
