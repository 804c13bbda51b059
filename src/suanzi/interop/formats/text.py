"""Tables of numbers in text files, such as CSV: `loadtxt` reads a table with NumPy's function of the same name."""

from __future__ import annotations

import csv
import io
import math
import os
import re
import warnings
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.interop.files import opened
from suanzi.kinds import devices
from suanzi.operators.arguments import DeviceLike
from suanzi.operators.creation.data import tensor
from suanzi.tensor.composed import composed
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype, float32, float64, int64, string, uint64
from suanzi.tensor.exchange import Array
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError, SuanziError, TypeMismatchError

_DELIMITERS = {".csv": ",", ".tsv": "\t"}  # the delimiter for each suffix of a file's name
_INTEGER = re.compile(r"\s*[-+]?[0-9]+(\.0*)?\s*")
_ROUNDED = 2.0**53  # float64 may have rounded integers of this magnitude or a greater magnitude


@composed
def loadtxt(
    path: str | os.PathLike[str],
    /,
    *,
    dtype: DTypeLike | None = None,
    delimiter: str | None = None,
    header: bool = False,
    skiprows: int = 0,
    usecols: int | str | Sequence[int | str] | None = None,
    max_rows: int | None = None,
    comments: str | Sequence[str] | None = "#",
    filling: float | None = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str = "utf-8",
    device: DeviceLike | None = None,
) -> Tensor:
    """Read a table of numbers from a text file, such as CSV (读取文本表格).

    Parameters
    ----------
    path : str or path
        The name of the file.
    dtype : DType, optional
        The element type. The default is float32, which must hold every whole number of the file exactly. ``"string"``
        keeps the text.
    delimiter : str, optional
        The character between two fields: by default a comma in a ``.csv`` file, a tab in a ``.tsv`` file, else blanks.
    header : bool, optional
        True if the first line after `skiprows` lines contains the names of the columns.
    skiprows : int, optional
        The number of lines to leave out at the beginning.
    usecols : int, str or sequence of them, optional
        The columns to read, counted from 0, or by their names in the header; all columns by default.
    max_rows : int, optional
        The greatest number of rows to read.
    comments : str or sequence of str, optional
        The text that begins a comment; None if the file has no comments.
    filling : number, optional
        The number for an empty field. Without `filling`, an empty field is an error.
    unpack : bool, optional
        True to transpose the result: ``x, y = loadtxt(path, unpack=True)``.
    ndmin : int, optional
        The least number of dimensions, 0, 1 or 2. A single row or column has one dimension unless `ndmin` is 2.
    encoding : str, optional
        The encoding of the file.
    device : Device, optional
        The device for the tensor, by default the CPU.

    Returns
    -------
    Tensor
        The rows of the table.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read, a field is not a number, `skiprows` is negative, or the file lacks a column of
        `usecols`. The message counts the lines of the file and the columns from 1.
    OutOfRangeError
        A number does not fit the element type. Without `dtype`, the error is also raised if float32 does not hold a
        whole number exactly.
    TypeMismatchError
        `dtype` is not an element type, or is an integer type although `filling` has a fraction.

    Examples
    --------
    >>> import os, tempfile, suanzi
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "plants.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("kind,height,width\\niris,2,0.5\\nrose,3,1.5\\n")
    ...     suanzi.loadtxt(path, header=True, usecols=["height", "width"])
    tensor([[2. , 0.5],
            [3. , 1.5]])
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeMismatchError(f"loadtxt: {shown(path)} is not a path")
    wanted = None if dtype is None else as_dtype(dtype, "loadtxt")
    what = f"loadtxt: {os.fspath(path)!s}"
    skipped = _core.read_integer("loadtxt", "skiprows", skiprows)
    ending = os.path.splitext(os.fspath(path))[1].lower()
    between = _DELIMITERS.get(ending) if delimiter is None else delimiter
    devices.check(device, "loadtxt")
    if skipped < 0:
        raise InvalidArgumentError(f"loadtxt: skiprows = {skipped} is negative")
    kind = numpy_type(wanted)
    with opened(path, what) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig" if encoding == "utf-8" else encoding, newline="")
        options: dict[str, Any] = {
            "delimiter": between,
            "usecols": usecols,
            "max_rows": max_rows,
            "comments": comments,
            "ndmin": _core.read_integer("loadtxt", "ndmin", ndmin),
            "quotechar": '"',
        }
        if filling is not None:
            options["converters"] = _filled(kind, _filler(what, filling, wanted))
        begin = skipped, _core.read_truth("loadtxt", "header", header)
        array = _rows(what, text, kind, begin, options)
        if wanted is None:
            if np.any(np.abs(array) >= _ROUNDED):
                options["converters"] = _exactly(what, options.get("converters", number_of(kind)))
                array = _rows(what, text, kind, begin, options)
            _check_whole(what, array)
        narrow = wanted or float32
        if narrow.kind == "f" and (middles := _middles(array, narrow)):
            options["converters"] = _off_middles(options.get("converters", number_of(kind)), middles)
            array = _rows(what, text, kind, begin, options)
    found = tensor(array.tolist() if wanted is string else array, dtype=wanted or float32)
    found = devices.placed(found, device, "loadtxt")
    return _core.transpose(found, None) if _core.read_truth("loadtxt", "unpack", unpack) else found


def numpy_type(wanted: DType | None) -> Any:
    """Return the type in which NumPy reads numbers for a tensor of type `wanted`. NumPy reads integers as integers.
    NumPy reads all other numbers as float64 or complex128, and `loadtxt` then rounds the numbers to the type.
    """
    if wanted is None:
        return np.float64
    if wanted is string or wanted.is_integer:
        return str if wanted is string else wanted.numpy
    return np.complex128 if wanted.kind == "c" else np.float64


class _Lines:
    """The lines of a file, and the number of lines read so far."""

    def __init__(self, what: str, text: io.TextIOWrapper) -> None:
        self._what, self._text, self.count = what, text, 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        try:
            line = next(self._text)
        except UnicodeDecodeError as error:
            hint = 'encoding="gbk" reads text in the encoding GBK'
            if found := re.search(r"\.(npy|npz|safetensors)$", self._what):
                hint = f'use suanzi.load("x.{found[1]}")'
            raise InvalidArgumentError(f"{self._what} cannot be read: {error}; {hint}") from None
        self.count += 1
        return line


def _rows(what: str, text: io.TextIOWrapper, dtype: Any, begin: tuple[int, bool], options: dict[str, Any]) -> Array:
    """Read the rows of a whole file. `begin` contains the number of lines to leave out, and whether the next line is a
    header.
    """
    text.seek(0)
    lines = _Lines(what, text)
    skipped, header = begin
    for _ in range(skipped):
        next(lines, None)
    names = _names(lines, options["delimiter"]) if header else None
    columns = _columns(what, options["usecols"], names)
    return _read(what, lines, dtype, {**options, "usecols": columns}, header or skipped > 0)


def _read(what: str, lines: _Lines, dtype: Any, options: dict[str, Any], begun: bool) -> Array:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # NumPy warns of fractions that would become integers
            warnings.simplefilter("ignore", UserWarning)  # NumPy warns of a file without rows
            return np.loadtxt(lines, dtype, **options)
    except SuanziError:
        raise
    except (ValueError, DeprecationWarning) as error:
        if isinstance(error.__cause__, SuanziError):  # a converter has raised the error
            raise error.__cause__ from None
        # NumPy counts rows from 0 or from 1, after the header.
        text = re.sub(r"at row \d+", f"in line {lines.count}", str(error).rstrip("."))
        hint = _hint(str(error), options, begun)
        raise InvalidArgumentError(f"{what} cannot be read: {text}{hint}") from None


def _hint(message: str, options: dict[str, Any], begun: bool) -> str:
    """Return the hint for NumPy's error about a field, or an empty text for an error without a hint."""
    found = re.search("could not convert string '(.*)' to", message)
    if found is None:
        return ""
    field = found[1]
    if not field.strip():
        return '; filling=float("nan") sets the value of empty fields'
    if hint := _separates(field, options["delimiter"]):
        return hint
    if re.fullmatch(r"[-+\d.eE]+", field):  # the field is a number that does not fit the type
        return ""
    if not begun and "row 0" in message:
        return "; header=True says that the first line has names"
    return '; dtype="string" keeps texts, and usecols= selects columns'


def _separates(field: str, used: str | None) -> str:
    """Return a hint that names a delimiter within a field as NumPy's messages show the field, or an empty text."""
    found = next((delimiter for delimiter in (";", ",", "\\t") if delimiter in field and delimiter != used), "")
    return f'; delimiter="{found}" separates the fields at this character' if found else ""


def _names(lines: _Lines, delimiter: str | None) -> list[str]:
    line = next(lines, "").lstrip("#")
    if delimiter is None:
        return line.split()
    return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]


def _columns(what: str, chosen: Any, names: list[str] | None) -> Any:
    """Return the positions of columns that are given by position or by name, or None for all columns."""
    if chosen is None:
        return None
    places = []
    for column in [chosen] if isinstance(chosen, str | int | np.integer) else chosen:
        if isinstance(column, str):
            if names is None:
                raise InvalidArgumentError(f"{what}: column {shown(column)} needs header=True, for the names")
            if column not in names:
                why = _separates(repr(names[0]), None) if len(names) == 1 else ""
                raise InvalidArgumentError(f"{what}: column {shown(column)} is not one of {shown(names)}{why}")
            column = names.index(column)
        places.append(_core.read_integer("loadtxt", "usecols", column))
    return places


def number_of(dtype: Any) -> Callable[[str], Any]:
    """Return a function that reads a number from a field. Like NumPy, the function refuses underscores, as in 1_000,
    and digits other than 0 to 9.
    """
    python = int if isinstance(dtype, np.dtype) else {np.float64: float, np.complex128: complex}[dtype]

    def read(field: str) -> Any:
        digits = field.strip()
        if "_" in digits or not digits.isascii():
            raise ValueError(f"{shown(field)} is not a number")
        return python(digits)

    return read


def _filled(dtype: Any, filling: Any) -> Callable[[str], Any]:
    read = str if dtype is str else number_of(dtype)
    return lambda field: read(field) if field.strip() else filling


def _filler(what: str, filling: Any, wanted: DType | None) -> Any:
    """Return the value of empty fields, or raise an error if the element type does not hold the value."""
    if wanted is string:
        return filling
    if wanted is None and isinstance(filling, int | np.integer):
        _check_integer(what, str(int(filling)))
    return tensor(filling, dtype=wanted or float64).item()


def _exactly(what: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a function that reads fields like `read`, and refuses integers that float32, the default type, would
    change.
    """

    def call(field: str) -> Any:
        number = read(field)
        if _INTEGER.fullmatch(field):
            _check_integer(what, field.partition(".")[0])
        return number

    return call


def _middles(array: Array, wanted: DType) -> set[float]:
    """Return the elements that lie in the middle between two neighbours of the type `wanted`. A text near the middle
    may have been rounded to the middle, so that a second rounding may go to the wrong neighbour.
    """

    def rounded(numbers: Array) -> Array:
        return tensor(numbers, dtype=float64).astype(wanted).astype(float64).numpy()

    with np.errstate(over="ignore", invalid="ignore"):
        near = rounded(array)
        array, near = array[array != near], near[array != near]
        far = array + (array - near)  # as far away as `near`, on the other side
        return set(array[(rounded(far) == far) & np.isfinite(far)].tolist())


def _off_middles(read: Callable[[str], Any], middles: set[float]) -> Callable[[str], Any]:
    """Return a function that reads fields like `read`. If the result is in `middles` and the field has another value,
    the function returns the next float64 on the side of the field instead.
    """

    def call(field: str) -> Any:
        number = read(field)
        if number in middles and field.strip() and (exact := Decimal(field.strip())) != number:
            return math.nextafter(number, math.inf if exact > Decimal(number) else -math.inf)
        return number

    return call


def _check_integer(what: str, digits: str) -> None:
    with np.errstate(over="ignore"):
        if float(np.float32(digits)) != int(digits):
            raise _changed(what, int(digits))


def _check_whole(what: str, array: Array) -> None:
    """Refuse integers that float32, the default type, would change. The numbers must be below 2^63, because greater
    numbers with an exponent, such as 6.02e23, are measurements rather than integers.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        changed = (array == np.rint(array)) & (array != array.astype(np.float32)) & (np.abs(array) <= int64.limits[1])
    if np.any(changed):
        raise _changed(what, int(array[changed].flat[0]))


def _changed(what: str, value: int) -> OutOfRangeError:
    """Return the error for an integer that float32 does not hold. The message names the types that hold the integer, if
    there are any.
    """
    types = [f'"{of}"' for of in (int64, uint64) if of.limits[0] <= value <= of.limits[1]][:1]
    types += ['"float64"'] if float(np.float64(str(value))) == value else []
    keeping = f"dtype={' or '.join(types)} keeps it, " if types else ""
    return OutOfRangeError(
        f'{what} holds {value}, which float32 does not hold exactly; {keeping}dtype="float32" rounds it'
    )
