"""Reasons for which a stated aspect of an operator was not tested with a provider."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from .oracle.element_types import too_wide
from .standard import standard
from .verdicts import Verdict

IN_FULL_ALONE = ("correct rounding",)  # aspects that the quick profile leaves out


class Reason(NamedTuple):
    """A reason, in English and Chinese."""

    english: str
    chinese: str


_NOT_CLAIMED = Reason("the provider does not claim the aspect", "实现没有声明该方面")
_FULL_ALONE = Reason("only the full profile tests the aspect", "仅在完整范围（full）中检查")
_TYPES = Reason("the provider lacks the element types that the checks need", "实现缺少检查所需的元素类型")
_DIGITS = Reason("the machine's long doubles are too narrow for the checks", "本机的 long double 精度不足以检查")
_ENDED = Reason("the checks were interrupted", "检查被中断")


@cache
def without_probe() -> dict[str, dict[str, Reason]]:
    """Return, for each operator in `not_asked.toml`, the aspects for which the kit has no probe, and the reasons."""
    tables = tomllib.loads(files(__package__).joinpath("not_asked.toml").read_text(encoding="utf-8"))
    found: dict[str, dict[str, Reason]] = {}
    for aspect, entry in tables.items():
        for operator in entry["operators"]:
            found.setdefault(operator, {})[aspect] = Reason(entry["reason"], entry["reason_zh"])
    return found


def not_asked(
    verdict: Verdict, element_types: Collection[str], claims: Collection[str], profile: str
) -> Iterator[tuple[str, Reason]]:
    """Return the stated aspects of an operator that no probe tested, each with the reason."""
    for aspect in verdict.not_asked:
        if standard().aspects[aspect].optional and aspect not in claims:
            yield aspect, _NOT_CLAIMED
        elif aspect in (listed := without_probe().get(verdict.operator, {})):
            yield aspect, listed[aspect]
        elif aspect in IN_FULL_ALONE and profile == "quick":
            yield aspect, _FULL_ALONE
        else:
            yield aspect, _of_types(element_types)


def _of_types(element_types: Collection[str]) -> Reason:
    """Return the reason why an aspect for which the kit has probes was not tested."""
    if not set(standard().element_types) <= set(element_types):
        return _TYPES
    return _DIGITS if too_wide() else _ENDED
