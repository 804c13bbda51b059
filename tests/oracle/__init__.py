"""The tests' additions to the oracle of the conformance kit.

The additions are complex functions by mpmath, operands, and functions of whole arrays such as sums and convolutions.

The element types, the comparison and the rules of elementwise operations are in `suanzi.conformance.oracle`. No module
of this package imports any part of Suanzi except the conformance kit.
"""
