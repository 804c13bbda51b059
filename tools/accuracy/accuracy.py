"""Measures the errors of suanzi's mathematical functions, in units in the last place (ulp).

    python tools/accuracy/accuracy.py float32              every one of the 2**32 inputs of each unary function
    python tools/accuracy/accuracy.py float64              ten million points of each function
    python tools/accuracy/accuracy.py half                 every input in float16 and bfloat16

``--only exp,sin`` measures some functions, ``--stride 17`` tests every seventeenth float32 input, ``--points N`` tests
N points, and ``--save docs/results/accuracy.md`` writes the numbers into the table of that page.
docs/results/accuracy.md explains the measurement. references.py has the references, points.py has the points, and
specials.py has the zeros, infinities and NaN.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import table
from functions import function_of
from points import operands as draw
from references import FORMATS, REFERENCES, Array, Format, errors, estimates, is_odd, prepare, roundings
from specials import failures
from tqdm import tqdm

import suanzi

CHUNK = 2**22
"""The number of inputs of one task of a worker."""

MPFR_CHUNK = 2**17
"""The number of inputs of one task in which MPFR computes every result, in some microseconds per result."""

BLOCK = 2**14
"""The number of inputs of one call. Arrays of this size stay in the cache, and their memory is used again."""

POINTS = {"float64": 10_000_000, "float32": 100_000_000, "float16": 10_000_000, "bfloat16": 10_000_000}
"""The number of random inputs for functions with too many inputs to test all: float64, and two operands of any type."""

SAMPLE = 50_000
"""The number of points on which NumPy's functions are checked before they serve as references."""

MARGIN = 2.0**-20
"""The distance in ulp. If an estimated error is closer than this distance to half an ulp, MPFR computes the error."""


@dataclass
class Found:
    """The errors of a function in a type: the number of points, the number of wrong results, and the largest error."""

    points: int = 0
    wrong: int = 0  # incorrectly rounded results, for types up to float32
    error: float = 0.0  # the largest error, or 0.5 if all results are correctly rounded
    at: tuple[float, ...] = ()

    def __iadd__(self, other: Found) -> Found:
        self.points += other.points
        self.wrong += other.wrong
        if other.error > self.error:
            self.error, self.at = other.error, other.at
        return self

    def take(self, found: Array, operands: list[Array]) -> None:
        """Update the largest error with the errors `found` at some points, which `self.points` already includes."""
        if len(found):
            worst = int(np.argmax(found))
            at = tuple(float(x[worst]) for x in operands)
            self += Found(error=float(found[worst]), at=at)


@dataclass(frozen=True)
class Task:
    """A part of a measurement: ``count`` bit patterns, ``stride`` apart, beginning at ``start``, or random points."""

    name: str
    type: str
    start: int
    count: int
    stride: int = 0  # 0 for random points

    def run(self) -> Found:
        form = FORMATS[self.type]
        compare = compare_exactly if self.type == "float64" else compare_roundings
        found = Found()
        for operands in self.blocks(form):
            ours = function_of(self.name)(*map(suanzi.tensor, operands)).numpy()
            found.points += len(ours)
            compare(found, self.name, operands, ours, form)
        if found.error > 0.5 and found.at:
            at = [np.array([x], form.dtype) for x in found.at]
            ours = function_of(self.name)(*map(suanzi.tensor, at)).numpy()
            found.error = float(errors(self.name, at, ours, form)[0])
        return found

    def blocks(self, form: Format) -> Iterator[list[Array]]:
        if not self.stride:
            seed = [list(REFERENCES).index(self.name), list(FORMATS).index(self.type), self.start]
            rng = np.random.default_rng(seed)
            for first in range(0, self.count, BLOCK):
                yield draw(self.name, rng, min(BLOCK, self.count - first), form)
            return
        first = self.start + -self.start % self.stride
        bits = np.arange(first, self.start + self.count, self.stride, dtype=np.uint64)
        for i in range(0, len(bits), BLOCK):
            yield [bits[i : i + BLOCK].astype(form.bits).view(form.dtype)]


def compare_exactly(found: Found, name: str, operands: list[Array], ours: Array, form: Format) -> None:
    """Compare every result of a function with MPFR's result, and update the errors `found`."""
    found.take(errors(name, operands, ours, form), operands)


def compare_roundings(found: Found, name: str, operands: list[Array], ours: Array, form: Format) -> None:
    """Compare every result with NumPy's rounded float64 result, and update the errors `found`. MPFR decides if NumPy's
    result is not exact enough."""
    wide, low, high = roundings(name, operands, form)
    bits = ours.view(form.bits)
    suspect = np.flatnonzero((bits != low.view(form.bits)) | (bits != high.view(form.bits)))
    suspect = suspect[~(np.isnan(ours[suspect]) & np.isnan(wide[suspect]))]
    if found.error < 0.5:
        found.error = 0.5
    if not len(suspect):
        return
    operands, ours = [x[suspect] for x in operands], ours[suspect]
    guess = estimates(wide[suspect], ours, form)
    open_ = np.abs(guess - 0.5) < MARGIN
    guess[open_] = errors(name, [x[open_] for x in operands], ours[open_], form)
    found.wrong += int(np.count_nonzero((guess > 0.5) | ((guess == 0.5) & is_odd(ours, form))))
    found.take(guess, operands)


def tasks(name: str, form: Format, stride: int, points: int) -> list[Task]:
    """Divide the measurement of a function in a type into tasks."""
    if form.name == "float64" or REFERENCES[name].arity == 2:
        count = points or POINTS[form.name]
        chunk = MPFR_CHUNK if form.name == "float64" else CHUNK
        starts = range(0, count, chunk)
        return [Task(name, form.name, s, min(chunk, count - s)) for s in starts]
    whole = 2 ** (8 * np.dtype(form.dtype).itemsize)
    chunk = min(CHUNK, whole)
    return [Task(name, form.name, s, chunk, stride) for s in range(0, whole, chunk)]


def check_reference(name: str) -> None:
    """Check on a sample with hard inputs that NumPy's float64 function is as accurate as this module assumes."""
    rng = np.random.default_rng(0)
    inputs = [x.astype(np.float64) for x in draw(name, rng, SAMPLE, FORMATS["float32"])]
    with np.errstate(all="ignore"):
        found = errors(name, inputs, REFERENCES[name].numpy(*inputs), FORMATS["float64"])
    worst = int(np.argmax(found))
    if found[worst] > REFERENCES[name].error * 2**52:
        at = ", ".join(repr(float(x[worst])) for x in inputs)
        raise SystemExit(f"NumPy's {name} is no reference here: {found[worst]:.1f} ulp in float64 at {at}")


def start_worker() -> None:
    prepare()
    suanzi.set_num_threads(1)


def measure(names: list[str], type_name: str, options: argparse.Namespace) -> None:
    """Measure the errors of functions in a type. Print the errors of each function, and save the errors on request."""
    form = FORMATS[type_name]
    stride = options.stride if type_name == "float32" else 1
    print(f"{type_name}, level {suanzi._core.simd_level()}")
    with multiprocessing.get_context("spawn").Pool(options.workers, start_worker) as pool:
        for name in names:
            if type_name != "float64":
                check_reference(name)
            work = tasks(name, form, stride, options.points)
            done = Found()
            for part in tqdm(pool.imap_unordered(Task.run, work), name, len(work), leave=False):
                done += part
            print(describe(name, type_name, done), *failures(name, form), sep="\n  ", flush=True)
            if options.save:
                table.save(options.save, type_name, name, done)


def describe(name: str, type_name: str, found: Found) -> str:
    at = f" at {table.inputs(type_name, found)}" if found.at else ""
    wrong = "" if type_name == "float64" else f", {found.wrong:,} not correctly rounded"
    return f"{name:<10} {found.error:.7f} ulp{at}; {found.points:,} points{wrong}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("types", nargs="+", choices=["float32", "float64", "half"])
    parser.add_argument("--only", default=",".join(REFERENCES), help="functions, separated by commas")
    parser.add_argument("--stride", type=int, default=1, help="measure every STRIDE-th float32 input")
    parser.add_argument("--points", type=int, default=0, help="points in float64, and of functions of two operands")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the numbers into the file's table")
    options = parser.parse_args()
    names = options.only.split(",")
    if unknown := set(names) - set(REFERENCES):
        parser.error(f"no such function: {', '.join(sorted(unknown))}")

    prepare()
    for choice in options.types:
        for type_name in ("float16", "bfloat16") if choice == "half" else (choice,):
            measure(names, type_name, options)


if __name__ == "__main__":
    main()
