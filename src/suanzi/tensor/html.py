"""Tensors as HTML for notebooks: a table for one or two dimensions, and text for other numbers of dimensions."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor.dtypes import string
from suanzi.tensor.exchange import Array, objects_of
from suanzi.tensor.printing import printable, represent, with_options

_ROWS, _COLUMNS = 20, 12  # the most rows and columns shown (of larger tensors, both ends are shown)
_GAP = "…"


def as_html(x: Tensor) -> str:
    """Return an HTML table of the elements below the shape and the type. Return the text of ``repr`` if the tensor has
    no elements or does not have one or two dimensions.
    """
    if _core.is_destroyed(x) or x.ndim not in (1, 2) or not x.size:
        return f"<pre>{escape(represent(x))}</pre>"
    sizes = " × ".join(map(str, x.shape))
    rows = _cells(x if x.ndim == 2 else x[None])
    cells = "\n".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>\n<caption>tensor {sizes}, {escape(x.dtype.name)}</caption>\n{cells}\n</table>"


_BETWEEN = "|"


@with_options
def _joined(values: Array) -> str:
    """Format numbers as NumPy formats an array of these numbers, and separate the texts by `_BETWEEN`."""
    options: Any = {"max_line_width": 1 << 30, "threshold": values.size + 1}
    return np.array2string(values, separator=_BETWEEN, **options)[1:-1]


def _texts(values: Array) -> list[str]:
    if values.dtype == object:
        return [str(value) for value in values]
    return [text.strip() for text in _joined(values).split(_BETWEEN)]


def _cells(x: Tensor) -> list[list[str]]:
    rows, columns = (_places(n, most) for n, most in zip(x.shape, (_ROWS, _COLUMNS), strict=True))
    chosen = x[np.array([i for i in rows if i >= 0])][:, np.array([i for i in columns if i >= 0])]
    texts = iter(_texts(objects_of(chosen).ravel() if x.dtype is string else printable(chosen).ravel()))
    return [[next(texts) if i >= 0 and j >= 0 else _GAP for j in columns] for i in rows]


def _places(count: int, most: int) -> list[int]:
    """Return the positions shown along an axis. -1 means omitted positions."""
    if count <= most:
        return list(range(count))
    half = most // 2
    return [*range(half), -1, *range(count - half, count)]
