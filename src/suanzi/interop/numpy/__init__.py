"""NumPy's functions of tensors, by its protocols: `ufuncs` for those of elements, `functions` for the others.

`suanzi.tensor.protocols` imports either at the first call of its kind, and offers tensors as arrays.
"""
