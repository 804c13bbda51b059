"""`suanzi run`: an ONNX model on inputs from files, or on random ones; its outputs printed or saved."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

import suanzi
from suanzi import InvalidArgumentError, SuanziError, Tensor
from suanzi.cli.text import table

if TYPE_CHECKING:
    from suanzi.interop.onnx.plan import Input

Array = np.ndarray[Any, Any]


def run(options: Namespace) -> int:
    """Run a model once; the exit status is 1 where the model, an input or an operator is at fault."""
    try:
        from suanzi.interop import onnx

        model = onnx.load(options.model)
        given = _read(options.input or (), [each.name for each in model.describe()])
        feed = {each.name: _fitted(given.pop(each.name, None), each, options) for each in model.describe()}
        if given:
            raise InvalidArgumentError(f"run: {sorted(given)} are not inputs of the model, which has {model.inputs}")
        outputs = model.run({name: value for name, value in feed.items() if value is not None})
        results = dict(zip(model.outputs, outputs, strict=True))
        if options.save:
            arrays: Any = {name: _array(x) for name, x in results.items()}
            np.savez(options.save, **arrays)
    except (ImportError, OSError, SuanziError) as error:
        print("\n".join([str(error), *getattr(error, "__notes__", ())]), file=sys.stderr)
        return 1
    _print(results, options)
    return 0


def _print(results: Mapping[str, Tensor], options: Namespace) -> None:
    if options.json:
        described = [
            {"name": name, "dtype": x.dtype.name, "shape": x.shape, "values": x.tolist()} for name, x in results.items()
        ]
        print(json.dumps(described, ensure_ascii=False))
    elif options.save:
        rows = [(name, str(x.dtype), str(x.shape)) for name, x in results.items()]
        print("\n".join([*table(rows), f"saved to {options.save}"]))
    else:
        print("\n".join(f"{name} =\n{x!r}" for name, x in results.items()))


def _read(sources: Sequence[str], names: Sequence[str]) -> dict[str, Array]:
    """The arrays of ``NAME=FILE`` and ``FILE``; a file of one array without a name is that of the only input."""
    found: dict[str, Array] = {}
    for source in sources:
        name, separator, path = source.partition("=")
        arrays = _arrays(Path(path if separator else source))
        if isinstance(arrays, dict):
            if separator:
                found[name] = arrays[name] if name in arrays else _only(list(arrays.values()), source)
            else:
                found.update(_wanted(arrays, names, source))
        elif separator:
            found[name] = arrays
        else:
            found[_only(names, source)] = arrays
    return found


def _wanted(arrays: Mapping[str, Array], names: Sequence[str], source: str) -> dict[str, Array]:
    """The arrays of an archive that are inputs; others may lie beside them."""
    wanted = {name: array for name, array in arrays.items() if name in names}
    if not wanted:
        raise InvalidArgumentError(f"run: {source} has arrays {sorted(arrays)}, but the inputs are {names}")
    return wanted


def _only(candidates: Sequence[Any], source: str) -> Any:
    if len(candidates) != 1:
        raise InvalidArgumentError(f"run: {source}: which of {len(candidates)} is meant? Write NAME=FILE")
    return candidates[0]


def _arrays(path: Path) -> Array | dict[str, Array]:
    """What a file holds: one array, or those of an archive by name."""
    try:
        if path.suffix == ".npz":
            with np.load(path) as archive:
                return dict(archive)
        if path.suffix == ".npy":
            array: Array = np.load(path)
            return array
        if path.suffix == ".csv":
            return np.loadtxt(path, delimiter=",", ndmin=2)
    except (EOFError, OSError, ValueError, BadZipFile) as error:
        raise InvalidArgumentError(f"run: {path} cannot be read: {error}") from error
    raise InvalidArgumentError(f"run: {path} is not a file of type .npy, .npz or .csv")


def _fitted(array: Array | None, wanted: Input, options: Namespace) -> Tensor | None:
    """An array in the declared type, or a random one; None where the model has a default."""
    if array is not None:
        return suanzi.astype(suanzi.tensor(array), wanted.dtype, copy=False)
    if wanted.is_optional:
        return None
    if wanted.shape is None or wanted.dtype is suanzi.string:
        raise InvalidArgumentError(f"run: input {wanted.name!r} has no shape or no numbers: give it with --input")
    shape = tuple(options.size if size is None else size for size in wanted.shape)
    if wanted.dtype.kind == "real floating":
        return suanzi.normal(shape, seed=options.seed, dtype=wanted.dtype)
    return suanzi.uniform(shape, 0, 1 if wanted.dtype is suanzi.bool else 9, options.seed, dtype=wanted.dtype)


def _array(x: Tensor) -> Array:
    """For a file: NumPy saves neither its own strings of any length nor bfloat16."""
    if x.dtype is suanzi.string:
        return np.array(x.tolist(), dtype=np.str_).reshape(x.shape)
    return suanzi.astype(x, suanzi.float32).numpy() if x.dtype is suanzi.bfloat16 else x.numpy()
