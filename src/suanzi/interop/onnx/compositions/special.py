"""The error function, which the standard does not name."""

from __future__ import annotations

import math
from functools import reduce

import suanzi
from suanzi import Tensor

# W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969),
# 631-637, in the coefficients of his program CALERF; highest power first. Near 0 erf(x) = x p(x^2)/q(x^2); from there
# on erfc(x) = exp(-x^2) p(x)/q(x); and from 4 on, with z = 1/x^2, exp(-x^2)/x (1/sqrt(pi) - z p(z)/q(z)).
_NEAR, _FAR = 0.46875, 4.0
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
        reduce(lambda total, c: suanzi.multiply_add(total, x, c), polynomial[1:], suanzi.full_like(x, polynomial[0]))
        for polynomial in coefficients
    )
    return above / below


def erf(x: Tensor) -> Tensor:
    """The error function of floating elements; of others it is computed in float32 and cut off."""
    if x.dtype not in (suanzi.float32, suanzi.float64):
        return suanzi.astype(erf(suanzi.astype(x, suanzi.float32)), x.dtype)
    size = suanzi.abs(x)
    middle, far = suanzi.clip(size, _NEAR, _FAR), suanzi.maximum(size, _FAR)
    z = suanzi.reciprocal(suanzi.square(far))
    tail = suanzi.exp(suanzi.negative(suanzi.square(far))) / far * (1 / math.sqrt(math.pi) - z * _ratio(z, _LARGE))
    complement = suanzi.exp(suanzi.negative(suanzi.square(middle))) * _ratio(middle, _MIDDLE)
    complement = suanzi.where(suanzi.greater(size, _FAR), tail, complement)
    small = suanzi.clip(x, -_NEAR, _NEAR)
    near = small * _ratio(suanzi.square(small), _SMALL)
    return suanzi.where(suanzi.greater(size, _NEAR), suanzi.sign(x) * (1 - complement), near)
