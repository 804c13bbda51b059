"""The type `Form`: functions that return calls on the arrays of a maker. The pool has a form for each function."""

from __future__ import annotations

from collections.abc import Callable

from ..calls import Call
from ..elements import Maker

Form = Callable[[Maker], list[Call]]
"""A function that returns the calls of a function on elements of one type."""

LARGE = 2**17 + 3
