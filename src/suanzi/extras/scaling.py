"""Powers of two that keep sums and products within float64's range. Scaling by a power of two does not round."""

from __future__ import annotations

from collections.abc import Callable

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Axes
from suanzi.operators.arithmetic import abs, maximum
from suanzi.operators.complex_numbers import complex, imag, real
from suanzi.operators.exponential import log2
from suanzi.operators.power import pow
from suanzi.operators.query import isfinite, isnan
from suanzi.operators.reduction.folds import all, max
from suanzi.operators.rounding import floor
from suanzi.operators.transform.elements import clip, where
from suanzi.tensor.dtypes import complex64, complex128, float64

# The greatest magnitude of an exponent e. For magnitudes up to `_MOST`, 2^e and 2^-e are normal numbers of float64.
_MOST = 1000.0


def may_overflow(x: Tensor) -> bool:
    """Return whether sums and products of the elements in float64 may leave the range of float64. The result is True
    for float64 and complex128, and False for narrower types.
    """
    return x.dtype in (float64, complex128)


def exponents(x: Tensor, axis: Axes) -> Tensor:
    """Return an integer e for each slice along axes. 2^e is about the greatest absolute value of the slice.

    The result keeps the axes with size 1. NaNs are ignored, and e is 0 for a slice of zeros.
    """
    parts = (real(x), imag(x)) if _is_complex(x) else (x,)
    sizes = [where(isnan(part), 0, abs(part)) for part in parts]
    peak = max(maximum(sizes[0], sizes[-1]), axis, True)
    return clip(floor(log2(where(peak > 0, peak, 1))), -_MOST, _MOST)


def power_of_two(exponent: Tensor) -> Tensor:
    return pow(2.0, exponent)


def times_power(x: Tensor, exponent: Tensor) -> Tensor:
    """Return ``x * 2^exponent``. The two parts of complex numbers are multiplied one by one."""
    factor = power_of_two(exponent)
    return complex(real(x) * factor, imag(x) * factor) if _is_complex(x) else x * factor


def rescued(found: Tensor, again: Callable[[], Tensor]) -> Tensor:
    """Replace results that are not finite by the results of `again`. The function `again` runs only if a result is not
    finite, or while Suanzi traces a function.
    """
    if not _core.is_tracing() and all(isfinite(found)):
        return found
    return where(isfinite(found), found, again())


def _is_complex(x: Tensor) -> bool:
    return x.dtype in (complex64, complex128)
