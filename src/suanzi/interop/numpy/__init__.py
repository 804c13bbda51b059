"""NumPy's functions on tensors, by NumPy's protocols: `ufuncs` for elementwise functions, and `functions` for other
functions.

`suanzi.tensor.protocols` imports each module at the first call of the module's protocol.
"""
