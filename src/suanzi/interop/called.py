"""Errors of functions that call other functions of Suanzi. An error names the function that the user called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from suanzi.tensor.status import SuanziError


@contextmanager
def called(operator: str) -> Iterator[None]:
    """Within a `with` block, let errors of any function name `operator`, the function that the user called."""
    try:
        yield
    except SuanziError as error:
        text = str(error)
        raise type(error)(f"{operator}: {text.partition(': ')[2] or text}") from None
