"""The form of the modules beside this one: the calls of a function, by the elements of their operands."""

from __future__ import annotations

from collections.abc import Callable

from ..calls import Call
from ..elements import Maker

Form = Callable[[Maker], list[Call]]
"""The calls of a function on elements of one type."""

LARGE = 2**17 + 3
