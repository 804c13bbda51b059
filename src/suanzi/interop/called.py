"""Errors of functions that other functions carry out: they name the function that was called."""

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
