"""The command `bench` times the operators beside other libraries, and compares the times with stored times."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable
from contextlib import nullcontext
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from suanzi import SuanziError, set_num_threads
from suanzi.cli.names import found
from suanzi.conformance.terminal import Progress, above_zero, check_outputs, show_examples
from suanzi.conformance.text import meant, pad, printable, table
from suanzi.interop.files import drawing
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES, NETWORKS, NEURAL

if TYPE_CHECKING:
    from suanzi.bench import Asked, Cell, Results, Run

_CATEGORIES, _ENTRIES = (*CATEGORIES, NETWORKS), (*CATALOGUE.values(), *NEURAL.values())
_UNUSABLE = 2
_SLOWER = 1.10  # `--compare` calls a greater ratio a regression
_PEERS = ("numpy", "torch", "jax", "onnxruntime", "scipy")
_COLUMN = 14  # the terminal width of every column except the operator's column


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command `bench`."""
    parser.set_defaults(run=bench)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="operators to time, also by the standard's Chinese names (default: all)",
    )
    categories = ", ".join(category.key for category in _CATEGORIES)
    parser.add_argument(
        "--category",
        action="append",
        metavar="NAME",
        help=f"a category of operators to time, also by its Chinese name: {categories}",
    )
    peers = "libraries to compare with, separated by commas (default: all installed libraries)"
    parser.add_argument("--against", metavar="NAMES", help=peers)
    parser.add_argument(
        "--sizes", type=_sizes, default="", metavar="N,…", help="numbers of elements (default: each operator's own)"
    )
    parser.add_argument("--types", default="", metavar="NAME,…", help="element types (default: each operator's own)")
    parser.add_argument("--goals", action="store_true", help="time only cells with goals, and judge each goal")
    parser.add_argument("--list", action="store_true", help="time nothing, but list the cells")
    threads = "the number of threads of each library (default: all processors)"
    parser.add_argument("--threads", type=above_zero(int), default=0, metavar="N", help=threads)
    parser.add_argument(
        "--rounds",
        type=above_zero(int),
        default=7,
        metavar="N",
        help="the number of turns of each library (default: 7)",
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the measurements, for --compare")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write a document: machine, summary, table")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios (needs matplotlib)")
    compare = "time nothing, but list the cells that take longer in the second file than in the first"
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"), help=compare)
    show_examples(
        parser,
        ("suanzi bench exp 加法 --sizes 1000 --against numpy", "two operators beside NumPy"),
        ("suanzi bench --category reduction --save after.json", "a category, kept for --compare"),
        ("suanzi bench --compare before.json after.json", "the cells that became slower"),
        ("suanzi bench --list", "the cells of a run"),
    )


def _sizes(text: str) -> list[int]:
    """Return the numbers of elements in ``1000,1e6``."""
    try:
        numbers = [float(word) for word in text.split(",") if word]
    except ValueError:
        numbers = [0.0]
    if not all(number >= 1 and number.is_integer() for number in numbers):
        raise ArgumentTypeError(f"{text[:50]!r} is not a list of whole numbers above 0, such as 1000,1e6")
    return [int(number) for number in numbers]


def bench(options: Namespace) -> int:
    """Run the command `bench`. Return 1 if --compare finds a regression, and 2 after an error."""
    from suanzi.bench import Results, Run, compare
    from suanzi.bench.plot import plot
    from suanzi.conformance import ProviderError

    try:
        if options.compare:
            before, after = map(Results.load, options.compare)
            return _print_comparison(compare(before, after))
        cells, libraries = _cells(options), ["suanzi", *_peers(options.against)]
        if options.list:
            return _print_list(cells)
        check_outputs([options.save, options.markdown, options.plot])
        if options.threads:
            set_num_threads(options.threads)  # raises an error if the number is too large
        if options.plot and find_spec("matplotlib") is None:
            raise ValueError("--plot needs matplotlib: pip install 'suanzi[plot]'")
        # The picture's file is opened before the measurement, so that a wrong name is found at once.
        with drawing(options.plot, str(options.plot)) if options.plot else nullcontext() as save:
            with Run(libraries, threads=options.threads, rounds=options.rounds) as run:
                _measure(run, cells, options.goals)
                _finish(run.results, options)
            if save is not None:
                save(plot(run.results))
        _print_files(options)
    except BrokenPipeError:  # a closed pipe is not an error: see conformance.terminal
        raise
    except (ValueError, SuanziError, OSError, ProviderError) as error:
        print(f"bench: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    return 0


def _cells(options: Namespace) -> list[Asked]:
    from suanzi.bench import UNTIMED, operators, select
    from suanzi.conformance.oracle.element_types import ELEMENT_TYPES
    from suanzi.operators.registry import lookup

    timed, types = operators(), [name for name in options.types.split(",") if name]
    keys = {category.key for category in _CATEGORIES}
    wanted, asked = found(options.category or (), _CATEGORIES), found(options.names, _ENTRIES)
    for name in filter(UNTIMED.get, asked):
        raise ValueError(f"{name}: not timed: {UNTIMED[name]}")
    known = {"the argument": timed, "--category": keys, "--types": {*ELEMENT_TYPES, "string", "qint8"}}
    given = {"the argument": asked, "--category": wanted, "--types": types}
    unknown = [name for option, names in given.items() for name in names if name not in known[option]]
    if unknown:
        homes = [option for option, names in known.items() if unknown[0] in names]
        hint = f"; is {homes[0]} {unknown[0]} meant?" if homes else meant(unknown[0], chain(*known.values()))
        raise ValueError(f"{', '.join(unknown)}: not an operator that is timed, a category or an element type{hint}")
    names = [name for name in timed if name in asked or lookup(name).entry.category.key in wanted]
    cells = select(names, sizes=options.sizes, types=types, goals=options.goals)
    if not cells:
        raise ValueError("nothing to time: no operator accepts the element types, or no cell has a goal")
    return cells


def _peers(names: str | None) -> list[str]:
    return [name for name in names.split(",") if name] if names is not None else list(filter(find_spec, _PEERS))


def _print_list(cells: Iterable[Asked]) -> int:
    from suanzi.bench.cases import named

    rows = (
        (named(cell.operator, cell.variant), cell.element_type, f"{cell.size:,}", f"goal {cell.goal}" * bool(cell.goal))
        for cell in cells
    )
    print(*table(rows), sep="\n")
    return 0


def _measure(run: Run, cells: list[Asked], goals: bool) -> None:
    """Measure the cells. Print a line for each cell, and a further line for each cell that was measured again."""
    from suanzi.bench.cases import named

    names = max(len("operator"), *(len(named(cell.operator, cell.variant)) for cell in cells)) + 2
    _print_header(run.results, names, goals)
    progress = Progress(len(cells))
    for cell in run.measure(progress.over(cells, lambda cell: f"{named(cell.operator, cell.variant)} {cell.size:,}")):
        progress.clear()
        _print_cell(run.results, cell, names, goals)
    for number, cell in enumerate(run.measure_again()):
        if number == 0:
            print("\nmeasured again, with the median of five")
        _print_cell(run.results, cell, names, goals)


def _columns(name: str, others: Iterable[str], names: int) -> str:
    return (pad(name, names) + "".join(pad(f"{text} ", _COLUMN) for text in others)).rstrip()


def _print_header(results: Results, names: int, goals: bool) -> None:
    facts = results.environment
    print(f"{facts['processor']}, {facts['threads']} threads; NumPy {facts['numpy']}, Python {facts['python']}")
    for name in results.slowed:
        print(f"{name} uses MKL, whose functions and products run slower code on this maker's processors")
    libraries = [f"{name} {version}".strip() for name, version in results.libraries.items()]
    titles = ("type", "elements", *libraries, "ratio", *("goal",) * goals)
    print("\n" + _columns("operator", titles, names))


def _print_cell(results: Results, cell: Cell, names: int, goals: bool) -> None:
    from suanzi.bench.markdown import judged, times

    verdict = judged(results, cell)[: 3 if goals else 1]
    columns = (cell.element_type, f"{cell.size:,}", *times(results, cell), *verdict)
    print(_columns(cell.name, columns, names), flush=True)


def _finish(results: Results, options: Namespace) -> None:
    print("\ngeometric mean of the ratios to the fastest other library")
    for key, chinese, count, mean in results.means():
        print(f"  {pad(key, 20)}{pad(chinese, 20)}{mean:.2f}  ({count} cells)")
    if options.save:
        results.save(options.save)
    if options.markdown:
        from suanzi.bench.markdown import write

        write(results, options.markdown)


def _print_files(options: Namespace) -> None:
    files = [str(file) for file in (options.save, options.markdown, options.plot) if file]
    if files:
        print(f"\nsaved to {printable(', '.join(files))}")


def _print_comparison(pairs: list[tuple[Cell, float]]) -> int:
    from suanzi.bench.results import geometric_mean

    if not pairs:
        raise ValueError("the two files have no case in common")
    slower = [pair for pair in pairs if pair[1] > _SLOWER]
    if slower:
        rows = ((cell.name, f"{cell.size} {cell.element_type}", f"{ratio:.2f} times as long") for cell, ratio in slower)
        print(*table(rows), sep="\n")
    mean = geometric_mean([ratio for _, ratio in pairs])
    print(f"{len(slower)} of {len(pairs)} cells take more than {_SLOWER:.2f} times as long; geometric mean {mean:.3f}")
    return 1 if slower else 0
