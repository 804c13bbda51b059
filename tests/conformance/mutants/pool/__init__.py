"""Calls of every function, grouped by the function's operands. The tests search these calls for a witness, which is a
call that shows a fault.
"""

from __future__ import annotations

from . import creating, elementwise, linear, moving, reducing
from .creating import quantized_of, sparse_of
from .elementwise import one, two
from .form import Form

FORMS: dict[str, Form] = {
    name: form for room in (elementwise, moving, reducing, linear, creating) for name, form in room.FORMS.items()
}

__all__ = ["FORMS", "one", "quantized_of", "sparse_of", "two"]
