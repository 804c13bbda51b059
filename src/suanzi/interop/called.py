"""Errors of functions that other functions carry out: they name the function that was called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from suanzi.tensor.status import SuanziError


@contextmanager
def called(operator: str) -> Iterator[None]:
    """What goes wrong inside goes wrong in this operator."""
    try:
        yield
    except SuanziError as error:
        text = str(error)
        raise type(error)(f"{operator}: {text.partition(': ')[2] or text}") from None
