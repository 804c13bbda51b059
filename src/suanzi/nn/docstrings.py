"""The sections that the docstrings of activations share: functions of one real tensor, element by element."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_SHARED = {
    "Parameters": "x : Tensor\n    Real, any shape.",
    "Returns": "Tensor\n    A tensor of the type of `x`; integers and bool give float32.",
    "Raises": "TypeMismatchError\n    `x` is complex or of strings.",
}
_HEADING = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def activation(function: Function) -> Function:
    """Complete the docstring of an activation: the shared sections come first, followed by the lines of its own
    sections.
    """
    if function.__doc__ is None:  # python -OO
        return function
    summary, *parts = _HEADING.split(inspect.cleandoc(function.__doc__))
    own = {title: text.rstrip() for title, text in zip(parts[::2], parts[1::2], strict=True)}
    sections = _SHARED | own
    for title in _SHARED.keys() & own:
        sections[title] = f"{_SHARED[title]}\n{own[title]}"
    texts = [f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items()]
    function.__doc__ = "\n\n".join([summary.rstrip(), *texts])
    return function
