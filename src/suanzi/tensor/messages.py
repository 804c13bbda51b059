"""The parts of messages that repeat a caller's values in short form, and the length limit of messages.

The module `status` contains the errors themselves.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import FrameType
from typing import Any

LONGEST = 480  # the most characters of a message
_OF_A_VALUE = 100
_ITEMS = 6  # the most items shown of a list or a tuple
_LEVELS = 4  # the most levels shown of nested lists
_BITS = 128  # the most bits shown of an integer: Python writes no more than some thousand digits
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")")}


def cut(text: str, length: int = LONGEST) -> str:
    """Return a text, or only the beginning and the end of a long text."""
    if len(text) <= length:
        return text
    end = length // 3
    return f"{text[: length - end - 3]}...{text[-end:]}"


def shown(value: object) -> str:
    """Return a value as text for a message: on one line and cut short, whatever the value's own ``__repr__`` does.

    The function reads only the shown part of a value of Python's own types.

    Examples
    --------
    >>> shown([0] * 300_000)
    '[0, 0, 0, 0, 0, 0, ...]'
    >>> shown(10**100_000)
    'an integer of 332193 bits'
    """
    return cut(_represented(value, _LEVELS), _OF_A_VALUE)


def hint(subject: str, about: object = None) -> str:
    """Return the hint that ends a message and says what to write instead, or an empty text if the tables have no hint.

    The tables are loaded only when an error occurs. If the search for a hint raises an error, the message has no hint.
    """
    return found_hint("text", subject, about)


def found_hint(search: str, *about: Any, module: str = "answers") -> str:
    """Return the hint that the function `search` of a module of `suanzi.hints` finds, or an empty text."""
    try:
        text: str = getattr(import_module(f"suanzi.hints.{module}"), search)(*about)
    except Exception:  # the caller's object may raise any error
        return ""
    return text


def explain(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> None:
    """Add a hint about a call to the message of the call's error, if the tables have a hint."""
    if len(error.args) != 1 or not isinstance(error.args[0], str):
        return
    message = error.args[0]
    more = found_hint("of_call", function, args, kwargs, error, module="calls")
    # A hint about the whole call replaces the hint of the failed step, because the step's hint is based on fewer facts.
    if not message.endswith(more) and len(text := message.partition("; use ")[0] + more) <= LONGEST:
        error.args = (text,)


def _represented(value: Any, levels: int) -> str:
    kind: type = type(value)
    if kind is str:
        return repr(cut(value, _OF_A_VALUE))
    if kind is int and value.bit_length() > _BITS:
        return f"an integer of {value.bit_length()} bits"
    if kind in _BRACKETS:
        return _items(value, _BRACKETS[kind], levels)
    if kind is slice:
        return f"slice{_items((value.start, value.stop, value.step), _BRACKETS[tuple], levels)}"
    try:
        return " ".join(repr(value).split())
    except Exception:  # RecursionError, or an error of a caller's class
        return f"<{kind.__name__}>"


def _items(values: Any, brackets: tuple[str, str], levels: int) -> str:
    opening, closing = brackets
    if levels == 0:
        return f"{opening}...{closing}"
    texts = [_represented(value, levels - 1) for value in values[:_ITEMS]]
    if len(values) > _ITEMS:
        texts.append("...")
    comma = "," if len(values) == 1 and closing == ")" else ""
    return f"{opening}{', '.join(texts)}{comma}{closing}"


def outer_frame() -> tuple[FrameType | None, int]:
    """Return the user's frame that called the package, and the frame's `stacklevel` for a warning of the function that
    calls `outer_frame`.
    """
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1  # type: ignore[assignment]
    return frame, level
