"""Errors of functions that carry out other functions: they name the function that the user called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from suanzi.tensor.status import SuanziError


@contextmanager
def called(operator: str) -> Iterator[None]:
    """Name this operator in all errors that its steps raise."""
    try:
        yield
    except SuanziError as error:
        text = str(error)
        raise type(error)(f"{operator}: {text.partition(': ')[2] or text}") from None
