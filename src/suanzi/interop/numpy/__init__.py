"""NumPy's functions on tensors, by its protocols: `ufuncs` for elementwise functions, `functions` for other functions.

`suanzi.tensor.protocols` imports each module at the first call of its protocol, and exports tensors as arrays.
"""
