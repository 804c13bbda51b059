"""The inputs of `suanzi run`: arrays from files, in the shapes and types that the model declares, or random arrays."""

from __future__ import annotations

import math
import shlex
from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import suanzi
from suanzi import DType, InvalidArgumentError, OutOfRangeError, SuanziError, Tensor, _core
from suanzi.cli.files import Stored, stored
from suanzi.tensor.messages import shown

if TYPE_CHECKING:
    from suanzi.interop.onnx.plan import Input

Sizes = tuple[int, ...]
_LARGER = 64  # the size that a message proposes in place of 1
_LAST = 9  # the greatest random integer for an input without a known range


class Feed:
    """The inputs of a run, the names of random integer inputs whose range is unknown, and the random inputs with open
    sizes.
    """

    def __init__(self, inputs: Sequence[Input], options: Namespace) -> None:
        self.inputs, self.options = inputs, options
        self.shapes = named_shapes("run", options.shape or (), [each.name for each in inputs])
        self.guessed: list[str] = []
        self.opened: dict[str, tuple[int | None, ...]] = {}  # the declared shapes whose open sizes --size replaced
        given = named_files(options.input or (), [each.name for each in inputs])
        rows = self._rows(given)
        found = {
            each.name: self._fitted(given.get(each.name), each, rows.get(each.name), place)
            for place, each in enumerate(inputs)
        }
        self.values = {name: value for name, value in found.items() if value is not None}

    def _rows(self, given: Mapping[str, Stored]) -> Mapping[str, int]:
        """Return the number of rows of each table that an input indexes, by the input's name.

        The result is empty if no input is random.
        """
        if all(each.name in given or each.is_optional for each in self.inputs):
            return {}
        from suanzi.interop.onnx.index_inputs import rows_of_tables
        from suanzi.interop.onnx.source import read

        return rows_of_tables(read(self.options.model).model)

    def _fitted(self, array: Stored | None, wanted: Input, rows: int | None, place: int) -> Tensor | None:
        """Return the array of an input in the declared type. Without an array, return None if the model has a default,
        or else random numbers. `place` is the index of the input.
        """
        if not isinstance(wanted.dtype, DType):
            raise InvalidArgumentError(f"run: input {shown(wanted.name)} is {wanted.dtype}, which no file can contain")
        shape = self.shapes.get(wanted.name, wanted.shape)
        if array is not None:
            if wanted.name in self.shapes and not array.is_fitted:
                raise InvalidArgumentError(
                    f"run: --shape: input {shown(wanted.name)} has the shape of the array in {array.path}: "
                    "leave out --shape, which is for random inputs, pictures and recordings"
                )
            try:
                values = array.read(shape, wanted.dtype, self.options.range)
                _core.check_fits("run", values, wanted.dtype)
                return suanzi.astype(values, wanted.dtype, copy=False)
            except SuanziError as error:
                error.add_note(f"for input {shown(wanted.name)}")
                raise
        if wanted.is_optional:
            return None
        if wanted.dtype is suanzi.string:
            raise InvalidArgumentError(
                f"run: input {shown(wanted.name)} has strings, which are not random: use --input"
            )
        if shape is None:
            raise InvalidArgumentError(f"run: input {shown(wanted.name)} has no shape: use --input, or --shape")
        sizes = tuple(self.options.size if size is None else size for size in shape)
        if None in shape:
            self.opened[wanted.name] = shape
        if wanted.dtype.is_integer and rows is None:
            self.guessed.append(wanted.name)
        try:
            return random_values(sizes, wanted.dtype, _own_seed(self.options.seed, place), rows)
        except SuanziError as error:  # a size of the model may be too large
            error.add_note(f"for random input {shown(wanted.name)} of shape {shown(sizes)}")
            raise

    def explained(self, error: SuanziError) -> None:
        """Add a note to an error of a run if random inputs may be the reason: open sizes of 1, or an index of unknown
        range.
        """
        if self.opened and self.options.size == 1:
            name, shape = next(iter(self.opened.items()))
            sizes = ["1" if place == 0 and len(shape) > 1 else str(_LARGER) for place in range(len(shape))]
            fixed = [larger if size is None else str(size) for larger, size in zip(sizes, shape, strict=True)]
            option = shlex.quote(f"{name}={','.join(fixed)}")
            error.add_note(f"open sizes were 1: pass --size {_LARGER} or, for example, --shape {option}")
        if self.guessed and isinstance(error, OutOfRangeError):
            error.add_note(f"no range is known for the integers {shown(self.guessed)}: use --input")


def _own_seed(seed: int, place: int) -> int:
    """Return the seed of the input with index `place`, so that inputs have different numbers. A seed of 0 stays 0."""
    return (seed - 1 + place) % (2**64 - 1) + 1 if seed else 0


def random_values(shape: Sizes, dtype: DType, seed: int, rows: int | None) -> Tensor:
    """Return random numbers of type `dtype`. If `rows` is given, the numbers are random integers from 0 to `rows` - 1,
    also for a floating type.
    """
    if rows is not None:
        return suanzi.astype(suanzi.uniform(shape, 0, max(rows - 1, 0), seed, dtype=suanzi.int64), dtype)
    if dtype.kind_name == "real floating":
        return suanzi.normal(shape, seed=seed, dtype=dtype)
    return suanzi.uniform(shape, 0, 1 if dtype is suanzi.bool else _LAST, seed, dtype=dtype)


def shape_of(text: str) -> tuple[str | None, Sizes]:
    """Return the name and the shape in ``NAME=1,3,224,224``, or only the shape in ``1,3,224,224``."""
    name, separator, sizes = text.rpartition("=")
    try:
        numbers = tuple(int(word) for word in sizes.split(",")) if sizes else ()
    except ValueError:
        numbers = (-1,)
    if any(not 0 <= size < 2**63 for size in numbers):
        raise ArgumentTypeError(f"{text[:50]!r} is not of the form NAME=1,3,224,224")
    return name if separator else None, numbers


def range_of(text: str) -> tuple[float, float]:
    """Return the two numbers in ``LOW,HIGH``."""
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low = high = math.nan
    if not all(abs(number) <= float(np.finfo(np.float32).max) for number in (low, high)):
        raise ArgumentTypeError(f"{text[:50]!r} is not of the form LOW,HIGH, with two finite numbers of float32")
    return low, high


def tolerance_of(text: str) -> float:
    """Return a number that is at least 0."""
    try:
        tolerance = float(text)
    except ValueError:
        tolerance = math.nan
    if not 0 <= tolerance < math.inf:
        raise ArgumentTypeError(f"{text[:50]!r} is not a number of at least 0")
    return tolerance


def named_shapes(command: str, given: Sequence[tuple[str | None, Sizes]], names: Sequence[str]) -> dict[str, Sizes]:
    """Return the shapes of inputs by name. A shape without a name is the shape of the only input. Messages begin with
    the name of the command.
    """
    found: dict[str, Sizes] = {}
    for name, sizes in given:
        key = name
        if key is None:
            key = _only(names, f"{command}: --shape {','.join(map(str, sizes))}", "NAME=SIZES")
        if key not in names:
            raise InvalidArgumentError(
                f"{command}: --shape: {shown(key)} is not an input of the model, which has {shown(list(names))}"
            )
        if key in found:
            both = " and ".join(",".join(map(str, shape)) for shape in (found[key], sizes))
            raise InvalidArgumentError(f"{command}: --shape: the shape of input {shown(key)} is given twice: {both}")
        found[key] = sizes
    return found


def named_files(sources: Sequence[str], names: Sequence[str]) -> dict[str, Stored]:
    """Return the arrays of inputs by name, from sources of the form ``NAME=FILE`` or ``FILE``. If ``FILE`` contains one
    unnamed array, the array is the value of the only input.
    """
    found: dict[str, tuple[Stored, str]] = {}
    for source in sources:
        name, separator, path = _parted(source, names)
        arrays = stored(path if separator else source)
        own = {array.name: array for array in arrays}
        if separator:
            taken = {name: own.get(name) or _only(arrays, f"run: {source}")}
        elif None in own:
            taken = {_only(names, f"run: {source}"): own[None]}
        else:
            taken = _wanted(arrays, names, source)
        for each, array in taken.items():
            if each in found:
                raise InvalidArgumentError(f"run: input {shown(each)} is given twice: {found[each][1]} and {source}")
            found[each] = array, source
    if strange := sorted(found.keys() - set(names)):
        raise InvalidArgumentError(f"run: {shown(strange)} are not inputs of the model, which has {shown(list(names))}")
    return {name: array for name, (array, _) in found.items()}


def _parted(source: str, names: Sequence[str]) -> tuple[str, str, str]:
    """Return the name, the sign and the path in ``NAME=FILE``. Names and paths may contain the sign, so the function
    returns the longest input name with which the source begins.
    """
    fitting = [name for name in names if source.startswith(f"{name}=")]
    if not fitting:
        return source.partition("=")
    name = max(fitting, key=len)
    return name, "=", source[len(name) + 1 :]


def _wanted(arrays: Sequence[Stored], names: Sequence[str], source: str) -> dict[str, Stored]:
    """Return the arrays of an archive that are inputs. The archive may contain other arrays."""
    wanted = {array.name: array for array in arrays if array.name in names}
    if not wanted:
        has = sorted(str(array.name) for array in arrays)
        raise InvalidArgumentError(f"run: {source} has arrays {shown(has)}, but the inputs are {shown(list(names))}")
    return {str(name): array for name, array in wanted.items()}


def _only(candidates: Sequence[Any], source: str, form: str = "NAME=FILE") -> Any:
    if len(candidates) != 1:
        raise InvalidArgumentError(f"{source}: which of {len(candidates)} is meant? Write {form}")
    return candidates[0]
