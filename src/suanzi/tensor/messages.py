"""The parts of messages that repeat a caller's values, each cut short, and the longest message.

The errors themselves are in status.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

LONGEST = 480  # characters of a message
_OF_A_VALUE = 100
_ITEMS = 6  # shown items of a list or a tuple
_LEVELS = 4  # shown levels of lists in lists
_BITS = 128  # bits of a shown integer: Python itself writes none of more than some thousand digits
_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
_BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")")}


def cut(text: str, length: int = LONGEST) -> str:
    """The text, of a longer one the beginning and the end."""
    if len(text) <= length:
        return text
    end = length // 3
    return f"{text[: length - end - 3]}...{text[-end:]}"


def shown(value: object) -> str:
    """A value as a message repeats it: on one line, cut short, whatever its own ``__repr__`` does.

    For Python's own types, the function reads no more than it shows.

    Examples
    --------
    >>> shown([0] * 300_000)
    '[0, 0, 0, 0, 0, 0, ...]'
    >>> shown(10**100_000)
    'an integer of 332193 bits'
    """
    return cut(_represented(value, _LEVELS), _OF_A_VALUE)


def hint(subject: str, about: object = None) -> str:
    """The end of a message that says what to write instead, from the table of hints; empty where it has nothing.

    The tables are loaded here, when an error is made. Whatever goes wrong with a hint, the message does without it.
    """
    try:
        text: str = import_module("suanzi.hints.answers").text(subject, about)
    except Exception:  # an object of the caller's may raise anything
        return ""
    return text


def explain(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> None:
    """Adds to the message of the error of a call what to write instead, where the tables know that."""
    if len(error.args) != 1 or not isinstance(error.args[0], str):
        return
    message = error.args[0]
    more = import_module("suanzi.hints.answers").of_call(function, args, kwargs, error)
    # The call tells more than the step that failed, which may have had a hint of its own.
    if more and len(text := message.partition("; use ")[0] + more) <= LONGEST:
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
    except Exception:  # RecursionError, or what a class of the caller's raises
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
    """Return the frame of the user's that called the package, and its level as warnings count: the caller's is 1."""
    frame, level = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1  # type: ignore[assignment]
    return frame, level
