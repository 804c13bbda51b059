"""`suanzi run`: the command runs an ONNX model on inputs from files or on random inputs, and prints, saves, compares or
times the outputs.

`suanzi info MODEL` summarizes a model.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import suanzi
from suanzi import InvalidArgumentError, SuanziError, Tensor
from suanzi.cli import check, profiles
from suanzi.cli.feeds import Feed, named_shapes, range_of, shape_of, tolerance_of
from suanzi.cli.files import write, written
from suanzi.cli.progress import doing
from suanzi.conformance.terminal import check_distinct
from suanzi.conformance.text import as_json, one_line, printable, table
from suanzi.interop.files import drawing
from suanzi.tensor.messages import shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from suanzi.interop.onnx.summary import Summary

_FAULTS = (ImportError, MemoryError, SuanziError)
_INPUTS = (".npy", ".npz", ".csv", ".png", ".jpg", ".jpeg", ".wav")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `suanzi run`, except for --size, --seed and --json."""
    parser.set_defaults(run=run)
    parser.add_argument("model", metavar="MODEL.onnx")
    parser.add_argument(
        "--input",
        action="append",
        metavar="[NAME=]FILE",
        help="an input from a .npy, .npz or .csv file, a picture (.png, .jpg) or a recording (.wav); "
        "converted to the type and fitted to the shape that the model declares",
    )
    parser.add_argument(
        "--shape",
        action="append",
        type=shape_of,
        metavar="[NAME=]1,3,224,224",
        help="the shape of a random input, or of a picture or recording",
    )
    black = "the numbers for black and white of a picture in a floating input (default: 0,1)"
    parser.add_argument("--range", type=range_of, default=(0.0, 1.0), metavar="LOW,HIGH", help=black)
    save = "write the outputs to an .npz archive of exactly this name instead of printing them"
    parser.add_argument("--save", metavar="FILE", help=save)
    beside = "compare the outputs with ONNX Runtime's; the exit status is 1 if an output differs"
    parser.add_argument("--check", action="store_true", help=beside)
    tolerance = "the tolerance of --check, relative to an output's largest value (default: 1e-4)"
    parser.add_argument("--tolerance", type=tolerance_of, default=1e-4, metavar="X", help=tolerance)
    parser.add_argument(
        "--profile", action="store_true", help="print the time of each operator and of the slowest nodes"
    )
    parser.add_argument("--plot", metavar="FILE", help="with --profile, draw the times of operators (.png, .svg, .pdf)")


def run(options: Namespace) -> int:
    """Run the command `run`. Return 1 if the model, an input or an operator causes an error, or if --check finds a
    difference.
    """
    try:
        return _run(options)
    except _FAULTS as error:
        print(one_line(error), file=sys.stderr)
        return 1


def _run(options: Namespace) -> int:
    """Run a model as the options require, and return the exit status. The function opens the file for outputs before
    the run, so that no outputs are lost if the file cannot be opened.
    """
    _check_options(options)
    from suanzi.interop import onnx

    with ExitStack() as stack:
        file = None if options.save is None else stack.enter_context(written(options.save))
        plot = options.plot
        save = None if plot is None else stack.enter_context(drawing(plot, f"run: {plot or repr(plot)}"))
        with doing(f"loading {options.model}"), _kind_said(options.model):
            model = onnx.load(options.model)
        feed = Feed(model.describe(), options)
        try:
            with doing(f"running {options.model}"):
                outputs = model.run(feed.values)
        except SuanziError as error:
            feed.explained(error)
            raise
        results = dict(zip(model.outputs, outputs, strict=True))
        if file is not None:
            write(file, options.save, _tensors(results))
        if options.profile:
            return _profiled(options, model, feed, save)
    if options.check:
        return _checked(options, feed, results)
    _print(results, options)
    return 0


@contextmanager
def _kind_said(path: str) -> Iterator[None]:
    """Add a note to an error about a file that is not a model. If the file is an input, the note names the option
    --input.
    """
    try:
        yield
    except SuanziError as error:
        if path.lower().endswith(_INPUTS):
            error.add_note(f"such a file is an input: suanzi run MODEL.onnx --input {path[:100]}")
        raise


def _check_options(options: Namespace) -> None:
    """Raise InvalidArgumentError for options that contradict each other. The message suggests valid options."""
    if options.plot is not None and not options.profile:
        raise InvalidArgumentError("run: --plot draws the times of --profile: pass both options")
    if options.check and options.profile:
        raise InvalidArgumentError("run: --check and --profile are two runs: pass one option")
    try:
        check_distinct((options.save, options.plot))
    except ValueError as error:
        raise InvalidArgumentError(f"run: {error}") from None


def _checked(options: Namespace, feed: Feed, results: Mapping[str, Any]) -> int:
    with doing("running ONNX Runtime"):
        rows, version = check.beside_onnxruntime(options.model, feed.values, results, options.tolerance)
    agrees = all(row.agrees for row in rows)
    if options.json:
        found = [{"name": row.name, "error": row.error, "verdict": row.verdict, "agrees": row.agrees} for row in rows]
        print(as_json({"onnxruntime": version, "agrees": agrees, "outputs": found}))
    else:
        lines = [(printable(row.name), f"{row.error:.2g}", row.verdict) for row in rows]
        verdict = "agrees" if agrees else "DIFFERS"
        print("\n".join([*table([("output", "largest error", ""), *lines]), f"{verdict} with ONNX Runtime {version}"]))
    return 0 if agrees else 1


def _profiled(options: Namespace, model: Any, feed: Feed, save: Callable[[Figure], None] | None) -> int:
    from suanzi.interop.onnx.profile import profiled

    with doing(f"timing {options.model}"):
        timings, whole = profiled(model, feed.values)
    if save is not None:
        with doing(f"drawing {options.plot}"), profiles.without_glyph_warnings():
            save(profiles.draw(timings, options.model))
    if options.json:
        print(as_json({"seconds": whole, "nodes": [each._asdict() for each in timings]}))
    else:
        files = [file for file in (options.save, options.plot) if file is not None]
        told = ["", f"saved to {printable(', '.join(files))}"] if files else []
        print("\n".join([*profiles.lines(timings, whole), *told]))
    return 0


def _items(outputs: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield the tensors and maps of the outputs. Sequences have numbered items, and absent optional outputs have no
    item.
    """
    for name, x in outputs:
        if isinstance(x, list):
            yield from _items((f"{name}[{i}]", each) for i, each in enumerate(x))
        elif x is not None:
            yield name, x


def _tensors(results: Mapping[str, Any]) -> dict[str, Tensor]:
    """Return the tensors of the outputs by name. Raise InvalidArgumentError if an output is not a tensor."""
    items = list(_items(results.items()))
    found = dict(items)
    if len(found) < len(items):
        names = shown([name for name, _ in items])
        raise InvalidArgumentError(f"run: an archive cannot hold two outputs of one name: {names}")
    if others := [name for name, x in found.items() if not isinstance(x, Tensor)]:
        raise InvalidArgumentError(f"run: outputs {shown(others)} are not tensors, and an archive holds only tensors")
    return found


def _print(results: Mapping[str, Any], options: Namespace) -> None:
    if options.json:
        print(as_json([_described(name, x) for name, x in _items(results.items())]))
    elif options.save is not None:
        rows = [(printable(name), str(x.dtype), str(x.shape)) for name, x in _tensors(results).items()]
        print("\n".join([*(table(rows) if rows else ()), f"saved to {options.save}"]))
    else:
        print("\n".join(f"{printable(name)} =\n{x!r}" for name, x in _items(results.items())))


def _described(name: str, x: Any) -> dict[str, Any]:
    """Return the description of an output for JSON. A complex number becomes the pair of its parts."""
    if not isinstance(x, Tensor):  # a map, or an array of a type that only models store
        return {"name": name, "values": x if isinstance(x, dict) else x.astype(float).tolist()}
    is_complex = x.dtype.kind_name == "complex floating"
    values = suanzi.stack((suanzi.real(x), suanzi.imag(x)), -1) if is_complex else x
    return {"name": name, "dtype": x.dtype.name, "shape": x.shape, "values": values.tolist()}


def info(options: Namespace) -> int:
    """Print a summary of a model. Return 1 if the model cannot be loaded."""
    try:
        from suanzi.interop import onnx
        from suanzi.interop.onnx.source import read
        from suanzi.interop.onnx.summary import summary

        with _kind_said(options.model):
            proto = read(options.model).model
        stored = {tensor.name for tensor in proto.graph.initializer}
        names = [value.name for value in proto.graph.input if value.name not in stored]
        found = summary(proto, named_shapes("info", options.shape or (), names), options.size)
        fault = ""
        try:
            with doing(f"loading {options.model}"):
                onnx.load(options.model)
        except SuanziError as error:
            fault = one_line(error)
    except _FAULTS as error:
        print(one_line(error), file=sys.stderr)
        return 1
    if options.json:
        print(as_json({**_as_data(found), "fault": fault}, 2))
    else:
        print("\n".join(_lines(found, fault)))
    return 1 if fault else 0


def _as_data(found: Summary) -> dict[str, Any]:
    nested = {key: [each._asdict() for each in getattr(found, key)] for key in ("inputs", "outputs")}
    return {**found._asdict(), **nested, "memory": found.memory._asdict()}


def _lines(found: Summary, fault: str) -> list[str]:
    """Return the summary of a model as lines of text. `fault` is the reason why the model cannot run, or an empty
    text.
    """
    values = [
        (what, printable(each.name), each.kind, "" if each.shape is None else _sizes(each.shape))
        for what, part in (("input", found.inputs), ("output", found.outputs))
        for each in part
    ]
    memory = found.memory
    about = "at least " if memory.unknown else "about "
    opsets = ", ".join(f"{name or 'ai.onnx'} {version}" for name, version in found.opsets.items())
    facts = [
        *([("made by", printable(found.producer))] if found.producer else ()),
        ("opsets", printable(opsets)),
        ("parameters", f"{found.parameters:,} in {_bytes(memory.parameters)}"),
        ("memory of a run", f"{_bytes(memory.parameters)} and {about}{_bytes(memory.values)} of values"),
        ("runs here", f"no: {fault}" if fault else "yes"),
    ]
    missing = {*found.missing}
    operators = [
        (printable(name), str(count), "missing here" if name in missing else "")
        for name, count in found.operators.items()
    ]
    return [*(table(values) if values else ()), "", *table(facts), "", *table([("operator", "nodes", ""), *operators])]


def _sizes(shape: tuple[Any, ...]) -> str:
    return printable(f"({', '.join('?' if size is None else str(size) for size in shape)})")


def _bytes(count: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
