"""The declaration of activations: functions of one real tensor, most of which keep the shape."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from suanzi.operators.registry import INDENT, UNARY, operator

Function = TypeVar("Function", bound=Callable[..., Any])

_PARAMETERS = {"x": "x : Tensor\n    A real tensor of any shape."}
_SECTIONS = {
    "Parameters": "",
    "Returns": "Tensor\n    A tensor of the type of `x`, or of float32 for integers and bool.",
}
_HEADING = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def activation(*statuses: str) -> Callable[[Function], Function]:
    """Return a decorator that records an activation and completes its docstring. `statuses` are the statuses that an
    activation returns besides `UNARY`.
    """

    def record(function: Function) -> Function:
        if function.__doc__ is not None:  # Python with -OO removes docstrings
            function.__doc__ = _in_sections(function.__doc__)
        name, allowed = f"nn.{function.__name__}", (*UNARY, *statuses)
        declared = operator("BIF", allowed, name=name, family="blockwise", by_steps=True, parameters=_PARAMETERS)
        return declared(function)

    return record


def _in_sections(doc: str) -> str:
    """Return the docstring `doc`, completed by the sections that all activations share. A section that `doc` already
    has is kept in place of the shared section.
    """
    summary, *parts = _HEADING.split(inspect.cleandoc(doc))
    sections = _SECTIONS | dict(zip(parts[::2], parts[1::2], strict=True))
    texts = [f"{title}\n{'-' * len(title)}\n{text}".rstrip() for title, text in sections.items()]
    return textwrap.indent("\n\n".join([summary.rstrip(), *texts]), INDENT)
