"""Tensors as text in NumPy's style, and options for this text.

The options are NumPy's options, unless `set_printoptions` changes the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any, ParamSpec

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor.composed import explained
from suanzi.tensor.dtypes import DType, bfloat16, bool_, complex64, complex128, float64, string
from suanzi.tensor.exchange import Array, array_of, objects_of
from suanzi.tensor.messages import hint
from suanzi.tensor.status import InvalidArgumentError

P = ParamSpec("P")

_DESTROYED = "tensor(<destroyed>)"


# --- options ---

_SIGNS = ("-", "+", " ")
_MODES = ("fixed", "unique", "maxprec", "maxprec_equal")


def _count(operator: str, name: str, value: Any) -> int:
    count = _core.read_integer(operator, name, value)
    if count < 0:
        raise InvalidArgumentError(f"{operator}: {name} = {count} is negative")
    return count


def _word(words: tuple[str, ...]) -> Callable[[str, str, Any], str]:
    return lambda operator, name, value: words[_core.read_choice(operator, name, value, words)]


# The function that reads and checks the value of each option. NumPy has the same options.
_OPTIONS: dict[str, Callable[[str, str, Any], Any]] = {
    "precision": _count,
    "threshold": _count,
    "edgeitems": _count,
    "linewidth": _count,
    "suppress": _core.read_truth,
    "sign": _word(_SIGNS),
    "floatmode": _word(_MODES),
}
# Options set by `set_printoptions` for every thread, and options of `printoptions` within the running block.
_set: dict[str, Any] = {}
_within: ContextVar[dict[str, Any]] = ContextVar("suanzi.printoptions")


def _read(operator: str, given: dict[str, Any]) -> dict[str, Any]:
    return {name: _OPTIONS[name](operator, name, value) for name, value in given.items() if value is not None}


def _ours() -> dict[str, Any]:
    """Return the options that differ from NumPy's options."""
    return {**_set, **_within.get({})}


@explained
def set_printoptions(
    *,
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    suppress: bool | None = None,
    sign: str | None = None,
    floatmode: str | None = None,
) -> None:
    """Set the options for printing tensors. Options that a call does not name do not change.

    At first every option follows `numpy.set_printoptions`. An option that is set to NumPy's value also follows
    `numpy.set_printoptions`.

    Parameters
    ----------
    precision : int, optional
        The number of digits after the point.
    threshold : int, optional
        The greatest number of elements of a tensor that is printed completely. For a larger tensor, only the elements
        at the ends of each dimension are printed.
    edgeitems : int, optional
        The number of elements printed at each end of a dimension.
    linewidth : int, optional
        The number of characters of a line.
    suppress : bool, optional
        If True, small numbers are printed without an exponent, as in NumPy. Large numbers, such as 1e8, are still
        printed with an exponent.
    sign : {"-", "+", " "}, optional
        The sign before positive numbers: nothing, a plus, or a space.
    floatmode : {"fixed", "unique", "maxprec", "maxprec_equal"}, optional
        The choice of printed digits, as in `numpy.set_printoptions`.

    Raises
    ------
    InvalidArgumentError
        An option has a value of the right type that the option does not accept.
    TypeMismatchError
        The value of an option does not have the type that is stated above.

    Examples
    --------
    >>> import suanzi
    >>> before = suanzi.get_printoptions()
    >>> suanzi.set_printoptions(precision=2)
    >>> suanzi.tensor([1.0, 3.0]) / 3
    tensor([0.33, 1.  ])
    >>> suanzi.set_printoptions(**before)
    """
    given = locals()
    global _set
    of_numpy: Any = np.get_printoptions()
    options = {**_set, **_read("set_printoptions", given)}
    _set = {name: value for name, value in options.items() if value != of_numpy[name]}


def get_printoptions() -> dict[str, Any]:
    """Return the options for printing tensors, in the form that `set_printoptions` accepts.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.get_printoptions()["threshold"]
    1000
    """
    options = {**np.get_printoptions(), **_ours()}
    return {name: options[name] for name in _OPTIONS}


@contextmanager
def printoptions(
    *,
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    suppress: bool | None = None,
    sign: str | None = None,
    floatmode: str | None = None,
) -> Iterator[None]:
    """Set options for tensors printed within a block, only in the current thread or task.

    Parameters
    ----------
    precision, threshold, edgeitems, linewidth, suppress, sign, floatmode : optional
        The options, as in `set_printoptions`.

    Examples
    --------
    >>> import suanzi
    >>> with suanzi.printoptions(precision=3, suppress=True):
    ...     print(suanzi.tensor([1e-9, 123.456789]))
    [  0.    123.457]
    """
    given = locals()
    token = _within.set({**_within.get({}), **_read("printoptions", given)})
    try:
        yield
    finally:
        _within.reset(token)


def with_options(write: Callable[P, str]) -> Callable[P, str]:
    """Wrap a function that makes text, so that NumPy prints with Suanzi's options."""

    @wraps(write)
    def written(*args: P.args, **kwargs: P.kwargs) -> str:
        ours = _ours()
        if not ours:
            return write(*args, **kwargs)
        with np.printoptions(**ours):
            return write(*args, **kwargs)

    return written


# --- text ---

_OF_INTEGERS = tuple("bcdoxX")  # the last letters of formats that Python has only for integers


def _is_evident(dtype: DType) -> bool:
    """Return whether `suanzi.tensor` would choose the type again for the printed elements, so that the text can omit
    the type.
    """
    default = _core.default_dtype()
    return dtype is bool_ or dtype is default or dtype is (complex128 if default is float64 else complex64)


def printable(x: Tensor) -> Array:
    if x.dtype is string:
        return objects_of(x)
    # NumPy prints float32 in the shortest form, but other libraries' types with a fixed precision.
    return array_of(x).astype(np.float32) if x.dtype is bfloat16 else array_of(x)


def text_of(x: Tensor, write: Callable[[Array], str]) -> str:
    """Return the text that `write` makes of an array of a tensor's elements.

    The array is a copy, because NumPy reads the elements twice, and another thread may write into the tensor in
    between. For a tensor that NumPy summarizes, the copy has only the elements at the ends of the dimensions, and one
    more element in each dimension, for which NumPy prints dots.
    """
    array = printable(x)
    options: Any = np.get_printoptions()
    count = options["edgeitems"]
    if array.size <= options["threshold"] or array.ndim == 0 or count <= 0:
        return write(array.copy())
    ends = [np.r_[: min(n, count + 1), max(n - count, count + 1) : n] for n in array.shape]
    with np.printoptions(threshold=0):
        return write(array[np.ix_(*ends)])


@with_options
def represent(x: Tensor) -> str:
    """Return the text of a tensor, such as ``tensor([1., 2.])``. The text contains the element type unless the type is
    evident, and the shape if elements are omitted.
    """
    if _core.is_destroyed(x):
        return _DESTROYED
    options: Any = np.get_printoptions()
    # An empty tensor may have a shape that is too large for NumPy.
    write = partial(np.array2string, separator=", ", prefix="tensor(", suffix=")")
    text = text_of(x, write) if x.size else "[]"
    extras = []
    if x.size > options["threshold"] or (x.size == 0 and x.ndim != 1):
        extras.append(f"shape={x.shape}")
    if not _is_evident(x.dtype):
        extras.append(f"dtype={x.dtype}")
    body = f"tensor({text}"
    if not extras:
        return f"{body})"
    tail = ", ".join(extras) + ")"
    last_line = len(body) - body.rfind("\n") - 1
    fits = last_line + len(", ") + len(tail) <= options["linewidth"]
    gap = " " if fits else "\n" + " " * len("tensor(")
    return f"{body},{gap}{tail}"


@with_options
def as_text(x: Tensor) -> str:
    """Return text such as ``[1. 2.]``, like NumPy's ``str``."""
    if _core.is_destroyed(x):
        return _DESTROYED
    return text_of(x, str) if x.size else "[]"


def formatted(x: Tensor, spec: str) -> str:
    """Return ``format(x, spec)``. A specification applies to the element of a scalar."""
    if not spec or _core.is_destroyed(x):
        return as_text(x)
    if x.size != 1:
        raise InvalidArgumentError(f"format: a tensor of shape {x.shape} is not one element{hint('format')}")
    element = x.item()
    try:
        return format(element, spec)
    except ValueError as error:
        whole = spec[-1:] in _OF_INTEGERS and isinstance(element, float)
        raise InvalidArgumentError(f"format: {error}{hint('whole') if whole else ''}") from None
