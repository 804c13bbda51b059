"""Functions of sets. NaNs are not equal to each other, so every NaN is a separate value."""

from __future__ import annotations

from typing import NamedTuple

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.creation import filled
from suanzi.operators.operands import Operand
from suanzi.operators.transform.joining import concat


class UniqueAllResult(NamedTuple):
    """The result of `unique_all`."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """The result of `unique_counts`."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """The result of `unique_inverse`."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """Return the distinct elements in ascending order, and the indices and the counts of the distinct elements.

    Parameters
    ----------
    x : Tensor
        A tensor of any shape and type.

    Returns
    -------
    UniqueAllResult
        The values as ``values``, and three int64 tensors. ``indices`` is the index of the first occurrence of each
        value in the flattened `x`. ``inverse_indices``, of the shape of `x`, is the index of each element among the
        values. ``counts`` is the number of elements of each value. NaNs come last, and every NaN is a separate value.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.unique_all(xp.asarray([3, 1, 3])).indices
    tensor([1, 0], dtype=int64)
    """
    missing = _nans(x)
    if missing is None:
        return UniqueAllResult(*_core.unique(x, True, True, True, None))
    flat, places = missing.flat, missing.places
    values, indices, inverse, counts = _core.unique(missing.numbers, True, True, True, None)
    inverse_indices = filled.empty_like(flat, dtype=inverse.dtype)
    inverse_indices[missing.present] = inverse
    inverse_indices[places] = _core.arange(values.size, values.size + places.size, 1, inverse.dtype, x.device)
    return UniqueAllResult(
        concat((values, flat[places])),
        concat((missing.present[indices], places)),
        _core.reshape(inverse_indices, x.shape),
        concat((counts, filled.ones_like(places, dtype=counts.dtype))),
    )


class _Missing(NamedTuple):
    """A flattened tensor divided into NaNs and numbers."""

    flat: Tensor
    places: Tensor  # the indices of NaNs
    present: Tensor  # the indices of numbers
    numbers: Tensor


def _nans(x: Tensor) -> _Missing | None:
    """Return a tensor divided into NaNs and numbers, or None if the tensor has no NaN."""
    if not _core.read_tensor("unique", x).dtype.kind_name.endswith("floating"):
        return None
    flat = _core.reshape(x, (x.size,))
    is_nan = _core.isnan(flat)
    if not bool(_core.any(is_nan, None, False, None)):
        return None
    (places,), (present,) = _core.nonzero(is_nan, True), _core.nonzero(_core.logical_not(is_nan), True)
    return _Missing(flat, places, present, flat[present])


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """Return the distinct elements in ascending order, and the counts of the elements, as `unique_all` does."""
    if _nans(x) is None:
        return UniqueCountsResult(*_core.unique(x, False, False, True, None))
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """Return the distinct elements in ascending order, and each element's index among the distinct elements."""
    if _nans(x) is None:
        return UniqueInverseResult(*_core.unique(x, False, True, False, None))
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """Return the distinct elements in ascending order, with every NaN at the end."""
    missing = _nans(x)
    if missing is None:
        values = _core.unique(x, False, False, False, None)
        assert isinstance(values, Tensor)
        return values
    return _core.concat((unique_values(missing.numbers), missing.flat[missing.places]), 0, None)


def isin(x1: Operand, x2: Operand, /, *, invert: bool = False) -> Tensor:
    """Test whether each element of one tensor equals an element of another tensor.

    Parameters
    ----------
    x1 : Tensor or scalar
        The elements to test, of any shape.
    x2 : Tensor or scalar
        The elements to compare with, of any shape. At least one operand is a tensor.
    invert : bool, optional
        If True, test instead whether an element equals no element of `x2`.

    Returns
    -------
    Tensor
        A bool tensor of the shape of `x1`. NaN equals no element, not even NaN.

    Examples
    --------
    >>> from suanzi import array_api as xp
    >>> xp.isin(xp.asarray([1, 2, 3]), xp.asarray([3, 1]))
    tensor([ True, False,  True])
    """
    found = _found(x1, x2)
    return _core.logical_not(found) if _core.read_truth("isin", "invert", invert) else found


def _found(x1: Operand, x2: Operand) -> Tensor:
    if not isinstance(x2, Tensor):
        return _core.equal(x1, x2)
    if not isinstance(x1, Tensor):
        return _core.any(_core.equal(x1, x2), None, False, None)
    if x2.size == 0:
        return filled.zeros(x1.shape, dtype="bool", device=x1.device)
    if (found := _core.among_integers("isin", x1, x2)) is not None:
        return found
    ordered = _core.sort(_core.reshape(x2, (x2.size,)), 0, False, False, None)
    places = _core.minimum(_core.searchsorted(ordered, x1, "left", None), x2.size - 1)
    return _core.equal(_core.take(ordered, places, 0), x1)
