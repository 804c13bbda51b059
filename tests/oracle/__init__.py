"""What every operation should give, computed in a higher precision and by other means.

Nothing here imports the library or its conformance kit: a mistake there cannot hide itself here. Values are Python
integers, fractions, NumPy's long double, or mpmath; an element type's rounding and its ulp are in `formats`.
"""
