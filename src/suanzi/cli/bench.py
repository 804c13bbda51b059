"""The command `bench`: times the operators beside other libraries, and says what changed since another time."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from suanzi.cli.text import pad, printable
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES

if TYPE_CHECKING:
    from suanzi.bench import Cell, Results

_UNUSABLE = 2
_SLOWER = 1.10  # of before, from which on `--compare` calls it a regression
_PEERS = ("numpy", "torch", "jax", "onnxruntime")


def add_arguments(parser: ArgumentParser) -> None:
    """What the command takes."""
    parser.set_defaults(run=bench)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these operators (all)")
    categories = ", ".join(category.key for category in CATEGORIES)
    parser.add_argument("--category", action="append", metavar="NAME", help=f"those of a category: {categories}")
    peers = "libraries to compare with, separated by commas (those that are installed)"
    parser.add_argument("--against", metavar="NAMES", help=peers)
    parser.add_argument("--sizes", default="", metavar="N,…", help="numbers of elements (1, 1000, 10^5, 10^7)")
    parser.add_argument("--types", default="float32", metavar="NAME,…", help="element types (float32)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="of each library (all processors)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often the libraries take turns (3)")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write what was measured, for --compare")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios (needs matplotlib)")
    compare = "time nothing: what takes longer in the second file than in the first"
    parser.add_argument("--compare", nargs=2, type=Path, metavar=("BEFORE", "AFTER"), help=compare)


def bench(options: Namespace) -> int:
    """The exit status is 1 where --compare finds a regression, 2 where nothing can be timed."""
    from suanzi.bench import Results, compare, measure
    from suanzi.conformance import ProviderError

    try:
        if options.compare:
            before, after = map(Results.load, options.compare)
            return _print_comparison(compare(before, after))
        cases, libraries = _cases(options), ["suanzi", *_peers(options.against)]
        results = None
        for results in measure(libraries, cases, threads=options.threads, rounds=options.rounds):
            if len(results.cells) == 1:
                _print_header(results)
            _print_cell(results, results.cells[-1])
    except (ValueError, OSError, ProviderError) as error:
        print(f"bench: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    if results is not None:
        _finish(results, options)
    return 0


def _cases(options: Namespace) -> list[tuple[str, int, str]]:
    from suanzi.bench import CASES, sizes_of
    from suanzi.conformance.oracle.element_types import ELEMENT_TYPES

    types = options.types.split(",")
    keys = {category.key for category in CATEGORIES}
    unknown = [name for name in options.names if name not in CATALOGUE]
    unknown += [key for key in options.category or () if key not in keys]
    unknown += [name for name in types if name not in ELEMENT_TYPES]
    if unknown:
        raise ValueError(f"{', '.join(unknown)}: not an operator, a category or an element type")
    sizes = tuple(int(float(size)) for size in options.sizes.split(",") if size)
    if any(size < 1 for size in sizes):
        raise ValueError(f"--sizes {options.sizes}: a number of elements is at least 1")
    wanted = options.category or ()
    chosen = [name for name in CASES if name in options.names or CATALOGUE[name].category.key in wanted]
    chosen = chosen or ([] if options.names else list(CASES))
    if not chosen:
        raise ValueError(f"{', '.join(options.names)}: not timed, there is no call of its own to time")
    ordered = sorted(chosen, key=lambda name: CATALOGUE[name].number)
    return [(name, size, t) for name in ordered for t in types for size in sizes_of(name, sizes)]


def _peers(names: str | None) -> list[str]:
    return [name for name in names.split(",") if name] if names is not None else list(filter(find_spec, _PEERS))


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    unit, scale = next(((u, s) for u, s in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)) if seconds >= s), ("ns", 1e-9))
    return f"{seconds / scale:.3g} {unit}"


def _print_header(results: Results) -> None:
    facts = results.environment
    print(f"{facts['processor']}, {facts['threads']} threads; NumPy {facts['numpy']}, Python {facts['python']}")
    for name in results.slowed:
        print(f"{name}: its functions and products (MKL) take slow ways on this maker's processors")
    libraries = [f"{name} {version}".strip() for name, version in results.libraries.items()]
    print("\n" + "".join(pad(text, 22) for text in ("operator", "elements", *libraries, "ratio")))


def _print_cell(results: Results, cell: Cell) -> None:
    ratio = cell.ratio(results.subject)
    times = [_time(cell.seconds.get(name)) for name in results.libraries]
    last = "" if ratio is None else f"{ratio:.2f}"
    columns = (cell.operator, f"{cell.size} {cell.element_type}", *times, last)
    print("".join(pad(text, 22) for text in columns).rstrip(), flush=True)


def _finish(results: Results, options: Namespace) -> None:
    print("\ngeometric mean of the ratios to the fastest other library")
    for key, chinese, count, mean in results.means():
        print(f"  {pad(key, 20)}{pad(chinese, 20)}{mean:.2f}  ({count} cells)")
    if options.save:
        results.save(options.save)
    if options.plot:
        from suanzi.bench.plot import plot

        plot(results, options.plot)


def _print_comparison(pairs: list[tuple[Cell, float]]) -> int:
    from suanzi.bench.results import geometric_mean

    if not pairs:
        raise ValueError("the two files have no case in common")
    slower = [pair for pair in pairs if pair[1] > _SLOWER]
    for cell, ratio in slower:
        print(f"{pad(cell.operator, 22)}{pad(f'{cell.size} {cell.element_type}', 22)}{ratio:.2f} of before")
    mean = geometric_mean([ratio for _, ratio in pairs])
    print(f"{len(slower)} of {len(pairs)} cells take more than {_SLOWER:.2f} of before; geometric mean {mean:.3f}")
    return 1 if slower else 0
