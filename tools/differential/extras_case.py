"""One call of a function of `suanzi.extras`, and its differences from the exact values."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from exact import COMPLEX, FLOATING, INTEGERS, PARTS, Exact, agrees, is_finite, is_nan, unit
from runner import AGREES, DIFFERS, REFUSED, SKIPPED, Outcome

import suanzi
from suanzi import Tensor, extras

NAN = math.nan
TINY = {4: Fraction(1, 2**24), 8: Fraction(1, 2**53)}  # relative error of an operation in float32 and in float64
FUSED = 0.1  # share of calls that are made in a fused function, too


class Case:
    """One call of a function of `suanzi.extras`: its text, and its comparison with the call in a fused function."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.name = rng, name
        self.said = ""
        self.again: Callable[[], str | None] = lambda: None

    def call(self, *operands: Any, **options: Any) -> Any:
        shown = [f"{x!r} of strides {x.stride()}" if isinstance(x, Tensor) else repr(x) for x in operands]
        self.said = f"{self.name}({', '.join([*shown, *(f'{k}={v!r}' for k, v in options.items())])})"
        found = getattr(extras, self.name)(*operands, **options)
        if self.rng.random() < FUSED and isinstance(operands[0], Tensor) and isinstance(found, Tensor):
            self.again = lambda: self.fused(found, operands, options)
        return found

    def fused(self, found: Tensor, operands: Sequence[Any], options: dict[str, Any]) -> str | None:
        """Call the function within a fused function, and return the difference from the result `found`, or None."""
        x, *more = operands
        function = suanzi.fuse(lambda x: getattr(extras, self.name)(x, *more, **options))
        try:
            again = function(x)
        except suanzi.TraceError:  # the function depends on values
            return None
        same = again.dtype == found.dtype and again.shape == found.shape
        same = same and all(repr(a) == repr(b) for a, b in zip(listed(again), listed(found), strict=True))
        return None if same else f"gives {found!r}, fused {again!r}"

    def outcome(self, problem: str | None) -> Outcome:
        problem = problem or self.again()
        if problem is None:
            return Outcome(self.name, AGREES)
        return Outcome(self.name, DIFFERS, f"{self.said}\n{problem}")

    def skipped(self) -> Outcome:
        return Outcome(self.name, SKIPPED)


def listed(x: Tensor) -> list[Any]:
    return suanzi.flatten(x).tolist()  # type: ignore[no-any-return]


def kind_problem(found: Tensor, dtype: str, shape: Sequence[int]) -> str | None:
    if str(found.dtype).removeprefix("suanzi.") == dtype and found.shape == tuple(shape):
        return None
    return f"gives {found.dtype} of shape {found.shape} in place of {dtype} of shape {tuple(shape)}"


def values_problem(
    found: Tensor, wanted: Sequence[Exact], dtype: str, bound: Callable[[int], tuple[float, Fraction]]
) -> str | None:
    """Return the first difference of `found` from the exact values, or None. `bound(i)` limits the error at place i."""
    for i, (a, b) in enumerate(zip(suanzi.flatten(found).tolist(), wanted, strict=True)):
        units, more = bound(i)
        if dtype in COMPLEX:
            parts = b if isinstance(b, tuple) else (b, Fraction(0))
            if is_nan(b) and (math.isnan(a.real) or math.isnan(a.imag)):
                continue
            more += Fraction(units) * max((unit(x, PARTS[dtype]) for x in parts if is_finite(x)), default=Fraction(0))
            good = all(agrees(x, y, PARTS[dtype], 0, more) for x, y in zip((a.real, a.imag), parts, strict=True))
        elif dtype in FLOATING:
            good = agrees(a, b, dtype, units, more)
        else:
            good = a == b
        if not good:
            said = [
                float(x) if is_finite(x) and abs(x) < Fraction(2) ** 1023 else x
                for x in (b if isinstance(b, tuple) else (b,))
            ]
            return f"element {i} is {a!r}, exactly {said!r} (allowed: {units} units and {shown(more)})"
    return None


def shown(value: Fraction) -> str:
    """Convert a number, which may be beyond float64, to text."""
    return mpmath.nstr(mpmath.mpf(value.numerator) / value.denominator, 8)


def dtype_of(x: Tensor) -> str:
    return str(x.dtype).removeprefix("suanzi.")


def floating(dtype: str) -> str:
    return dtype if dtype in FLOATING or dtype in COMPLEX else "float32"


def rounding(dtype: str, many: float) -> tuple[float, Fraction]:
    """Return the bound of the error of `many` operations: units in the result's last place, and a relative error."""
    if dtype in ("float16", "bfloat16"):
        return 0.5, TINY[4] * Fraction(many)
    if dtype in INTEGERS or dtype == "bool":
        return 0.5, TINY[8] * Fraction(many)
    return many, Fraction(0)


def refused(case: Case, error: type[Exception], *operands: Any, **options: Any) -> Outcome:
    try:
        found = case.call(*operands, **options)
    except error as caught:
        named = str(caught).removeprefix("nn.").startswith(f"{case.name}: ")
        return Outcome(case.name, REFUSED if named else DIFFERS, f"{case.said}\n{caught}")
    return case.outcome(f"gives {found!r} and does not raise {error.__name__}")


def parts_of(values: Sequence[Exact]) -> list[list[Exact]]:
    """Return the list of the real parts and the list of the imaginary parts, or one list if the values are real."""
    if values and isinstance(values[0], tuple):
        return [[v[0] for v in values], [v[1] for v in values]]
    return [list(values)]
