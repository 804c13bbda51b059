"""Arrow's PyCapsule interface (https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html).

A tensor exports itself as an Arrow array, and objects of other libraries that export Arrow arrays become tensors. The
core reads and fills Arrow's structures.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.tensor.dtypes import NUMBERS, DType, string
from suanzi.tensor.status import InvalidArgumentError, SuanziError, TypeMismatchError


def exported(x: Tensor, requested_schema: Any = None) -> tuple[Any, Any]:
    """Return capsules with the Arrow schema and the Arrow array of a tensor.

    The array shares the memory of a contiguous tensor of numbers, and keeps the memory alive. Bools, strings and
    tensors of other layouts are copied. The dimensions after the first become fixed-size lists. If a requested schema
    names another type of numbers, the elements are converted to the type. An error is raised if an element does not fit
    the type. A schema that names lists of other sizes or an unknown type is ignored.

    Raises
    ------
    TypeMismatchError
        Arrow lacks the element type, which is bfloat16 or a complex type.
    DimensionsMismatchError
        The tensor has no dimensions.

    Examples
    --------
    >>> import suanzi
    >>> [type(capsule).__name__ for capsule in suanzi.ones(3).__arrow_c_array__()]
    ['PyCapsule', 'PyCapsule']
    """
    name = "__arrow_c_array__"
    short_strings = False
    wanted = None if requested_schema is None else _wanted(requested_schema)
    if wanted is not None and wanted[1] == _core.read_tensor(name, x).shape[1:]:
        dtype, _, short_strings = wanted
        if dtype is not x.dtype and dtype is not string and x.dtype in NUMBERS and x.dtype.kind != "c":
            _core.check_fits(name, x, dtype)
            x = _core.astype(x, dtype, True)
    found, array = _core.arrow_array(name, x, short_strings)
    return found, array


def _wanted(requested: Any) -> tuple[DType, tuple[int, ...], bool] | None:
    """Return the element type, the sizes of lists, and whether strings have short offsets, in the schema that a
    consumer requests. Return None if no element type corresponds to the schema.
    """
    try:
        return _core.arrow_type("__arrow_c_array__", requested)
    except SuanziError:
        return None


def schema(x: Tensor) -> Any:
    """Return a capsule with a tensor's Arrow schema: the element type and the sizes after the first dimension."""
    name = "__arrow_c_schema__"
    found, _ = _core.arrow_array(name, x[:0] if _core.read_tensor(name, x).ndim else x, False)
    return found


def _as_column(data: Any) -> Any:
    """Return an array or an index of pandas' own types as a Series, which exports Arrow arrays. Return other objects
    unchanged.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or isinstance(getattr(data, "dtype", None), np.dtype):
        return data
    if not isinstance(data, pandas.Index | pandas.api.extensions.ExtensionArray):
        return data
    return pandas.Series(data, copy=False)


def with_plain_types(data: Any) -> Any:
    """Return a pandas frame whose columns have NumPy's types in place of nullable types and Arrow's types, of which
    NumPy would make objects. Return other objects unchanged.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(data, pandas.DataFrame):
        return data
    plain = {i: kind.numpy_dtype for i, kind in enumerate(data.dtypes) if hasattr(kind, "numpy_dtype")}
    return data.set_axis(range(data.shape[1]), axis=1).astype(plain) if plain else data


def _is_offered(data: Any) -> bool:
    """Return whether an object exports Arrow arrays, and has neither NumPy's array interface nor a NumPy type."""
    kind = type(data)
    if not (hasattr(kind, "__arrow_c_array__") or hasattr(kind, "__arrow_c_stream__")):
        return False
    return not hasattr(data, "__array_interface__") and not isinstance(getattr(data, "dtype", None), np.dtype)


def imported(data: Any, operator: str, shared: bool = False) -> Tensor | None:
    """Import an exported Arrow array as a read-only tensor on the array's memory. Return None for an object that
    exports no Arrow arrays, and for a table of columns. Also return None for a pandas object that pandas cannot export,
    or that has a type of Arrow without an element type.

    Bools, strings, and streams of several arrays are copied, or cause an error if `shared` is True.
    """
    data = _as_column(data)
    if not _is_offered(data):
        return None
    if hasattr(data, "__arrow_c_array__"):
        described, array = data.__arrow_c_array__()
        return _core.from_arrow(operator, described, array, shared)
    of_pandas = hasattr(data, "isna")
    if of_pandas:
        _refuse_nulls_of_pandas(data, operator)
    try:
        parts = _core.from_arrow_stream(operator, data.__arrow_c_stream__(), shared)
    except (ImportError, TypeError, ValueError) as error:
        # pyarrow is not installed, or has no such type, or the column is a category, or two columns have one name
        if not of_pandas or isinstance(error, InvalidArgumentError):
            raise
        return None
    if parts is None or len(parts) == 1:
        return None if parts is None else parts[0]
    if shared:
        raise InvalidArgumentError(f"{operator}: a {type(data).__name__} lies in {len(parts)} pieces of memory")
    return _core.concat(parts, 0, None)


def may_hold_nulls(kind: type[Any]) -> bool:
    """Return whether objects of a class may be columns with nulls: columns of pandas, or exporters of Arrow arrays."""
    names = ("isna", "__arrow_c_array__", "__arrow_c_stream__")
    return not issubclass(kind, Tensor) and any(hasattr(kind, name) for name in names)


def refuse_nulls(data: Any, operator: str) -> None:
    """Raise an error if an object exports Arrow arrays with nulls. NumPy would convert the nulls to NaN."""
    data = _as_column(data)
    if _is_offered(data):
        if hasattr(data, "isna"):
            _refuse_nulls_of_pandas(data, operator)
        elif imported(data, operator) is None:  # the core refuses nulls, but reads no tables of columns
            for column in getattr(data, "columns", ()):
                _refuse_nulls_of_column(data[column] if isinstance(column, str) else column, operator)


def _refuse_nulls_of_column(column: Any, operator: str) -> None:
    """Raise an error if a column of a table has nulls. NumPy may convert a column without an element type, such as a
    dictionary of texts.
    """
    try:
        imported(column, operator)
    except TypeMismatchError:
        nulls = getattr(column, "null_count", 0)  # a number in pyarrow, and a method in polars
        if nulls := nulls() if callable(nulls) else nulls:
            raise InvalidArgumentError(
                f"{operator}: {nulls} of {len(column)} elements of a {type(column).__name__} are null, which a tensor "
                f"cannot hold"
            ) from None


def _refuse_nulls_of_pandas(data: Any, operator: str) -> None:
    """Raise an error for nulls in columns of pandas' own types, which NumPy would convert to NaN."""
    own = data if data.ndim == 1 else data.loc[:, [not isinstance(kind, np.dtype) for kind in data.dtypes]]
    if nulls := int(np.asarray(own.isna()).sum()):
        raise InvalidArgumentError(
            f"{operator}: {nulls} of {data.size} elements of a {type(data).__name__} are null, which a tensor cannot "
            f"hold; call fillna(0) or dropna() first"
        )
