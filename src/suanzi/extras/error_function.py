"""The error function and its complement.

W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969), 631-637,
in the coefficients of his program CALERF; highest power first. Near 0 erf(x) = x p(x^2)/q(x^2); from there on
erfc(x) = exp(-x^2) p(x)/q(x); and from 4 on, with z = 1/x^2, exp(-x^2)/x (1/sqrt(pi) - z p(z)/q(z)).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce

from suanzi._core import Tensor
from suanzi.extras.operands import real_function
from suanzi.operators.arithmetic import abs, multiply_add, negative, reciprocal
from suanzi.operators.comparison import greater, less
from suanzi.operators.creation.filled import full_like
from suanzi.operators.exponential import exp
from suanzi.operators.power import square
from suanzi.operators.rounding import trunc
from suanzi.operators.transform.elements import clip, sign, where

_NEAR, _FAR = 0.46875, 4.0
_NOTHING_LEFT = 30.0  # from here on erfc is less than the least positive float64
_SMALL = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
_MIDDLE = (
    (
        *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1),
        *(2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3),
        1.23033935479799725e3,
    ),
    (
        *(1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3),
        *(3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
    ),
)
_LARGE = (
    (
        *(1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1),
        *(1.60837851487422766e-2, 6.58749161529837803e-4),
    ),
    (
        *(1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2),
        2.33520497626869185e-3,
    ),
)


def _ratio(x: Tensor, coefficients: tuple[tuple[float, ...], tuple[float, ...]]) -> Tensor:
    above, below = (
        reduce(lambda total, c: multiply_add(total, x, c), polynomial[1:], full_like(x, polynomial[0]))
        for polynomial in coefficients
    )
    return above / below


def _bell(x: Tensor) -> Tensor:
    """exp(-x^2)."""
    return exp(negative(square(x)))


def _exact_bell(x: Tensor) -> Tensor:
    """exp(-x^2) without the rounding of x^2: Cody parts x in two, the first with few digits."""
    first = trunc(x * 16) / 16
    return exp(negative(square(first))) * exp((first - x) * (first + x))


def _tail(size: Tensor, bell: Callable[[Tensor], Tensor]) -> Tensor:
    """erfc of numbers above _NEAR; nothing that can be used of others."""
    middle, far = clip(size, _NEAR, _FAR), clip(size, _FAR, _NOTHING_LEFT)
    z = reciprocal(square(far))
    beyond = bell(far) / far * (1 / math.sqrt(math.pi) - z * _ratio(z, _LARGE))
    return where(greater(size, _FAR), beyond, bell(middle) * _ratio(middle, _MIDDLE))


def _centre(x: Tensor) -> Tensor:
    """erf of numbers up to _NEAR; nothing that can be used of others but NaN."""
    small = clip(x, -_NEAR, _NEAR)
    return small * _ratio(square(small), _SMALL)


def erf_in_own_type(x: Tensor) -> Tensor:
    """The error function of float32 or float64, computed in that type."""
    size = abs(x)
    return where(greater(size, _NEAR), sign(x) * (1 - _tail(size, _bell)), _centre(x))


@real_function(in_float64=True)
def erf(x: Tensor, /) -> Tensor:
    """The error function, element by element (误差函数).

    Parameters
    ----------
    x : Tensor
        Real, any shape.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32. Computed in float64: float32 and shorter types are
        correctly rounded but for cases within 2^-20 units of a tie, float64 is within 4 units in the last place.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.erf(suanzi.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.8427008,  0.       ,  0.8427008])
    """
    return erf_in_own_type(x)


@real_function(in_float64=True)
def erfc(x: Tensor, /) -> Tensor:
    """One minus the error function, exact where that is small (互补误差函数).

    Parameters
    ----------
    x : Tensor
        Real, any shape.

    Returns
    -------
    Tensor
        Of the type of `x`; integers and bool give float32. Computed in float64; in that type within 8 units in the last
        place, down to the least normal number.

    Raises
    ------
    TypeMismatchError
        `x` is complex or of strings.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.extras.erfc(suanzi.tensor([0.0, 5.0]))
    tensor([1.0000000e+00, 1.5374598e-12])
    """
    return erfc_in_own_type(x)


def erfc_in_own_type(x: Tensor) -> Tensor:
    """The complement for float64, computed in that type."""
    size = abs(x)
    tail = _tail(size, _exact_bell)
    return where(greater(size, _NEAR), where(less(x, 0), 2 - tail, tail), 1 - _centre(x))
