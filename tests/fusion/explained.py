"""A function that reads the text that `explain` returns for a fused function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphs

import suanzi

OWN = "an operator of its own, which divides the program"


def steps(function: Callable[..., Any], *inputs: Any) -> list[str]:
    """Check that fusion changes no result, and return the operators of each step in the text of `explain`."""
    fused = suanzi.fuse(function)
    expected = function(*inputs)
    for _ in range(2):
        given = fused(*inputs)
        for a, b in zip(expected, given, strict=True) if isinstance(expected, tuple) else [(expected, given)]:
            assert graphs.difference(a, b) is None
    return [line.split(": ")[-1] for line in fused.explain(*inputs).splitlines()[1:] if "kept" not in line]
