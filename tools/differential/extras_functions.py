"""Compares functions of `suanzi.extras` with rationals and mpmath, on random operands of every type and layout.

    python tools/differential/extras_functions.py --seed 1 --cases 20000

Every function in `suanzi.extras.__all__` has a rule, by its name. The bound is the accuracy in the function's
docstring. One call in ten is also made in a fused function, whose result must have the same bits.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable

from exact import COMPLEX, operand
from extras_case import Case, refused
from extras_counts import bincount, covariance, histogram
from extras_elements import activation, diff, kron, softmax, stacked
from extras_reductions import REDUCTIONS, place, quantile, reduction
from runner import Outcome, main

import suanzi
from suanzi import extras

RULES: dict[str, Callable[[random.Random, str], Outcome]] = {
    **dict.fromkeys(("relu", "sigmoid", "silu", "softplus", "mish", "hardswish", "erf", "erfc", "gelu"), activation),
    **dict.fromkeys(("softmax", "log_softmax"), softmax),
    **dict.fromkeys(REDUCTIONS, reduction),
    **dict.fromkeys(("nanargmax", "nanargmin"), place),
    **dict.fromkeys(("quantile", "median", "nanquantile", "nanmedian"), quantile),
    "bincount": bincount,
    **dict.fromkeys(("histogram", "Histogram"), lambda rng, _: histogram(rng, "histogram")),
    **dict.fromkeys(("cov", "corrcoef"), covariance),
    "diff": diff,
    "kron": kron,
    **dict.fromkeys(("hstack", "vstack"), stacked),
}
# Functions of real numbers only. Each function refuses complex numbers and strings.
OF_REAL = [*(n for n, rule in RULES.items() if rule in (activation, softmax, place, quantile)), "nanmax", "nanmin"]


def other_kinds(rng: random.Random) -> Outcome:
    """Call a function with complex numbers, strings or an axis that does not exist, and check the error."""
    name = rng.choice(OF_REAL)
    case = Case(rng, name)
    more = [0.5] if name.endswith("quantile") else []
    if rng.random() < 0.4 and RULES[name] is not activation:
        return refused(case, suanzi.OutOfRangeError, operand(rng, "float32", (2, 3)), *more, axis=rng.choice([2, -3]))
    x = operand(rng, rng.choice(COMPLEX), (2, 3)) if rng.random() < 0.5 else suanzi.tensor(["a", "b"])
    return refused(case, suanzi.TypeMismatchError, x, *more)


def draw(rng: random.Random) -> Outcome:
    if rng.random() < 0.03:
        return other_kinds(rng)
    name = rng.choice(extras.__all__)
    return RULES[name](rng, name)


if __name__ == "__main__":
    sys.exit(main(draw, __doc__, 20_000))
