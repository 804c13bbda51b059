"""`suanzi run`: an ONNX model on inputs from files, or on random ones; its outputs printed or saved."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import suanzi
from suanzi import DType, InvalidArgumentError, SuanziError, Tensor
from suanzi.cli.files import Stored, stored, write, written
from suanzi.conformance.text import as_json, one_line, printable, table
from suanzi.tensor.messages import shown

if TYPE_CHECKING:
    from suanzi.interop.onnx.plan import Input


def run(options: Namespace) -> int:
    """Run a model once; the exit status is 1 where the model, an input or an operator is at fault."""
    try:
        results = _results(options)
        _print(results, options)
    except (ImportError, MemoryError, SuanziError) as error:
        print(one_line(error), file=sys.stderr)
        return 1
    return 0


def _results(options: Namespace) -> dict[str, Tensor]:
    """The outputs by name, saved where that is asked for; the file is made before there is any work to lose."""
    from suanzi.interop import onnx

    with ExitStack() as stack:
        file = None if options.save is None else stack.enter_context(written(options.save))
        model = onnx.load(options.model)
        inputs = model.describe()
        given = _named(options.input or (), [each.name for each in inputs])
        feed = {each.name: _fitted(given.get(each.name), each, options) for each in inputs}
        outputs = model.run({name: value for name, value in feed.items() if value is not None})
        results = dict(_tensors(zip(model.outputs, outputs, strict=True)))
        if file is not None:
            write(file, options.save, results)
        return results


def _tensors(outputs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Tensor]]:
    """The tensors of the outputs: those of a sequence by their places, and none of an optional one that is absent."""
    for name, x in outputs:
        if isinstance(x, list):
            yield from _tensors((f"{name}[{i}]", each) for i, each in enumerate(x))
        elif x is not None:
            yield name, x if isinstance(x, Tensor) else suanzi.tensor(x.astype("float32"))


def _print(results: Mapping[str, Tensor], options: Namespace) -> None:
    if options.json:
        print(as_json([_described(name, x) for name, x in results.items()]))
    elif options.save is not None:
        rows = [(printable(name), str(x.dtype), str(x.shape)) for name, x in results.items()]
        print("\n".join([*(table(rows) if rows else ()), f"saved to {options.save}"]))
    else:
        print("\n".join(f"{printable(name)} =\n{x!r}" for name, x in results.items()))


def _described(name: str, x: Tensor) -> dict[str, Any]:
    """An output for JSON, where a complex number is the pair of its parts."""
    is_complex = x.dtype.kind_name == "complex floating"
    values = suanzi.stack((suanzi.real(x), suanzi.imag(x)), -1) if is_complex else x
    return {"name": name, "dtype": x.dtype.name, "shape": x.shape, "values": values.tolist()}


def _named(sources: Sequence[str], names: Sequence[str]) -> dict[str, Stored]:
    """The inputs of ``NAME=FILE`` and ``FILE``; a file of one array without a name is that of the only input."""
    found: dict[str, tuple[Stored, str]] = {}
    for source in sources:
        name, separator, path = source.partition("=")
        arrays = stored(path if separator else source)
        own = {array.name: array for array in arrays}
        if separator:
            taken = {name: own.get(name) or _only(arrays, source)}
        elif None in own:
            taken = {_only(names, source): own[None]}
        else:
            taken = _wanted(arrays, names, source)
        for each, array in taken.items():
            if each in found:
                raise InvalidArgumentError(f"run: input {shown(each)} is given twice: {found[each][1]} and {source}")
            found[each] = array, source
    if strange := sorted(found.keys() - set(names)):
        raise InvalidArgumentError(f"run: {shown(strange)} are not inputs of the model, which has {shown(list(names))}")
    return {name: array for name, (array, _) in found.items()}


def _wanted(arrays: Sequence[Stored], names: Sequence[str], source: str) -> dict[str, Stored]:
    """The arrays of an archive that are inputs; others may lie beside them."""
    wanted = {array.name: array for array in arrays if array.name in names}
    if not wanted:
        has = sorted(str(array.name) for array in arrays)
        raise InvalidArgumentError(f"run: {source} has arrays {shown(has)}, but the inputs are {shown(list(names))}")
    return {str(name): array for name, array in wanted.items()}


def _only(candidates: Sequence[Any], source: str) -> Any:
    if len(candidates) != 1:
        raise InvalidArgumentError(f"run: {source}: which of {len(candidates)} is meant? Write NAME=FILE")
    return candidates[0]


def _fitted(array: Stored | None, wanted: Input, options: Namespace) -> Tensor | None:
    """An array in the declared type, or a random one; None where the model has a default."""
    if not isinstance(wanted.dtype, DType):
        raise InvalidArgumentError(f"run: input {shown(wanted.name)} is {wanted.dtype}, which no file can give")
    if array is not None:
        try:
            return suanzi.astype(array.read(), wanted.dtype, copy=False)
        except SuanziError as error:
            error.add_note(f"for input {shown(wanted.name)}")
            raise
    if wanted.is_optional:
        return None
    if wanted.shape is None or wanted.dtype is suanzi.string:
        raise InvalidArgumentError(f"run: input {shown(wanted.name)} has no shape or no numbers: give it with --input")
    shape = tuple(options.size if size is None else size for size in wanted.shape)
    try:
        return _random(shape, wanted.dtype, options.seed)
    except SuanziError as error:  # as open sizes and those of the model are what they are
        error.add_note(f"for random input {shown(wanted.name)} of shape {shown(shape)}")
        raise


def _random(shape: tuple[int, ...], dtype: DType, seed: int) -> Tensor:
    if dtype.kind_name == "real floating":
        return suanzi.normal(shape, seed=seed, dtype=dtype)
    return suanzi.uniform(shape, 0, 1 if dtype is suanzi.bool else 9, seed, dtype=dtype)
