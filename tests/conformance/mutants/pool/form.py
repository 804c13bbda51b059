"""The type of the tables in the neighbouring modules: functions that make calls from arrays of elements."""

from __future__ import annotations

from collections.abc import Callable

from ..calls import Call
from ..elements import Maker

Form = Callable[[Maker], list[Call]]
"""The calls of a function on elements of one type."""

LARGE = 2**17 + 3
