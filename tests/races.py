"""Calls operators while a thread writes the operands. Results are unspecified, but all memory accesses must be valid.

`python races.py [names]` runs the cases of the named groups, or all cases, for a moment each. The program prints a
case's name before the case begins, so the last line names a case that crashed. A thread switches the operands of each
case between two contents. The sizes, checks and places that an operator computes from one content are wrong for the
other content. The script checks properties that hold for any operand. An argsort, for example, is a permutation.

`python races.py --shared` runs the same calls in two threads at a time, and no thread writes the operands.
ThreadSanitizer checks that these calls have no data race. With `--brief` each call repeats for a few milliseconds.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import suanzi as sz
from suanzi import Tensor

SECONDS = 0.1  # the duration of a case
N = 100_000  # elements, so many that calls release the interpreter's lock and sorts use threads
RNG = np.random.default_rng(137)

Contents = tuple[Any, Any]


@dataclass(frozen=True)
class Case:
    """A call whose operands alternate between two contents, and the errors that the call may raise."""

    call: Callable[..., Any]
    operands: tuple[Contents, ...]
    refusals: tuple[type[sz.SuanziError], ...] = ()
    check: Callable[[Any], bool] = lambda result: True
    moments: int = 1  # a factor of the duration, greater if the threads seldom overlap


def is_permutation(n: int) -> Callable[[Tensor], bool]:
    def check(order: Tensor) -> bool:
        found = order.numpy().reshape(-1, n)
        return bool((np.sort(found, axis=1) == np.arange(n)).all())

    return check


def within(n: int) -> Callable[[Tensor], bool]:
    return lambda index: bool(((index.numpy() >= 0) & (index.numpy() < n)).all())


def numbers(n: int, dtype: str) -> Contents:
    """Return two arrays of a type: random numbers, and a few repeated numbers (the greatest integer, or 0 and inf)."""
    kind = np.dtype(dtype).kind
    if kind in "iu":
        info = np.iinfo(dtype)
        return RNG.integers(info.min, info.max, n, dtype=dtype, endpoint=True), np.full(n, info.max, dtype)
    values = RNG.normal(size=n).astype(dtype)
    values[::5] = -0.0
    values[::7] = np.nan
    other = np.full(n, np.inf, dtype)
    other[: n // 2] = np.where(np.arange(n // 2) % 2, 0.0, -0.0)
    return (values + 1j * values, other + 1j * other) if kind == "c" else (values, other)


def indices(n: int, size: int, dtype: str = "int64") -> Contents:
    """Return two arrays of indices of an axis of length `size`: valid indices and invalid indices."""
    return RNG.integers(0, size, n).astype(dtype), RNG.choice(np.array([2**30, -(2**30)]), n).astype(dtype)


def truths(n: int) -> Contents:
    return np.zeros(n, "bool"), np.ones(n, "bool")


def matrices(*shape: int, dtype: str = "float64") -> Contents:
    """Return symmetric positive definite matrices, and a copy of the matrices whose last element is NaN."""
    a = RNG.normal(size=shape)
    a = (a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])).astype(dtype)
    b = a.copy()
    b.reshape(-1)[-1] = np.nan
    return a, b


ORDER_TYPES = ("float32", "float64", "int8", "uint8", "int16", "float16", "int64", "complex64", "complex128")


def sorting() -> Iterator[tuple[str, Case]]:
    for dtype in ORDER_TYPES:
        long = numbers(300_000 if dtype in ("int16", "float16") else N, dtype)
        n = len(long[0])
        yield f"sort {dtype}", Case(sz.sort, (long,))
        yield f"argsort {dtype}", Case(sz.argsort, (long,), check=is_permutation(n))
        yield (
            f"unique {dtype}",
            Case(lambda x: sz._core.unique(x, True, True, True, None)[1:], (long,), check=_fits_unique(n)),
        )
    grid = tuple(x.reshape(200, 500) for x in numbers(N, "float32"))
    yield "sort columns", Case(lambda x: sz.sort(x, axis=0), (grid,))
    yield "argsort descending", Case(lambda x: sz.argsort(x, descending=True), (grid,), check=is_permutation(500))
    yield "unique values", Case(sz.unique, (numbers(N, "float32"),))
    yield "unique rows", Case(lambda x: sz.unique(x, axis=0), (tuple(x.reshape(-1, 4) for x in numbers(N, "int8")),))
    for k in (100, N - 100):
        of_best = Case(lambda x, k=k: sz.topk(x, k).indices, (numbers(N, "float32"),), check=within(N))
        yield f"topk {k}", of_best
    row = (np.sort(RNG.normal(size=N)), RNG.normal(size=N))
    x = sz.tensor(row[0], dtype="float64")
    yield "searchsorted", Case(sz.searchsorted, (row, row), check=within(N + 1))
    yield (
        "searchsorted sorter",
        Case(
            lambda sorter: sz.searchsorted(x, x[:3], sorter=sorter),
            ((np.arange(N), indices(N, N)[1]),),
            (sz.OutOfRangeError,),
        ),
    )


def _fits_unique(n: int) -> Callable[[Any], bool]:
    def check(found: Any) -> bool:
        first, inverse, counts = (x.numpy() for x in found)
        bounded = (first >= 0).all() and (first < n).all() and (inverse >= 0).all() and (inverse < len(first)).all()
        return bool(bounded and counts.sum() == n)

    return check


def searching() -> Iterator[tuple[str, Case]]:
    for dtype in ("float32", "float64", "int8", "uint16", "int64", "float16"):
        one_best, elsewhere = np.zeros((2, N), dtype)
        one_best[-1] = 1
        yield f"argmax {dtype}", Case(sz.argmax, ((one_best, elsewhere),), check=within(N))
        few = tuple(x[: 5 * 16385].reshape(-1, 5) for x in (one_best, elsewhere))
        yield f"argmin {dtype} rows", Case(lambda x: sz.argmin(x, axis=1), (few,), check=within(5))
        yield f"argmax {dtype} columns", Case(lambda x: sz.argmax(x, axis=0), (few,), check=within(16385))
    mask = truths(N)
    x = sz.uniform(N, 0, 1, seed=1)
    yield "nonzero", Case(lambda m: sz.nonzero(m, as_tuple=False), (mask,), check=within(N))
    yield "masked_select", Case(lambda m: sz.masked_select(x, m), (mask,))
    yield "masked_select broadcast", Case(lambda m: sz.masked_select(sz.expand(x, (3, N)), m), (mask,))
    yield "masked_fill", Case(lambda m: sz.masked_fill(x, m, 1), (mask,))
    yield "count_nonzero", Case(sz.count_nonzero, (mask,))
    yield "x[mask]", Case(lambda m: x[m], (mask,))
    yield "x[mask] = y", Case(lambda m: sz.clone(x).__setitem__(m, 1), (mask,))
    yield "where", Case(lambda m: sz.where(m, x, 0), (mask,))
    yield "to_sparse", Case(_sparse, ((numbers(N, "float32")[0].reshape(-1, 10), np.zeros((N // 10, 10), "float32")),))


def _sparse(x: Tensor) -> None:
    found = sz.to_sparse(x)
    found.coalesce().to_dense()


def indexing() -> Iterator[tuple[str, Case]]:
    refusals = (sz.OutOfRangeError,)
    x, rows = sz.uniform(N, 0, 1, seed=1), sz.uniform((1000, 8), 0, 1, seed=1)
    large = sz.zeros(5_000_000)
    for dtype in ("int64", "int32", "uint8"):
        flat = indices(N, 100, dtype) if dtype != "uint8" else (np.zeros(N, dtype), np.full(N, 255, dtype))
        short = sz.uniform(100, 0, 1, seed=1)
        yield f"take {dtype}", Case(lambda i, x=short: sz.take(x, i), (flat,), refusals)
        yield f"x[{dtype}] = y", Case(lambda i, x=short: x.__setitem__(i, 1), (flat,), refusals)
    flat, of_rows = indices(N, N), indices(20_000, 1000)
    yield "x[index]", Case(lambda i: x[i], (flat,), refusals)
    yield "x[index] few", Case(lambda i: rows[i], (indices(100, 1000),), refusals)
    yield "index_select", Case(lambda i: sz.index_select(rows, i), (of_rows,), refusals)
    yield "gather", Case(lambda i: sz.gather(rows, i, 0), (of_rows,), refusals)
    yield "gather_tiled", Case(lambda i: sz.gather_tiled(rows, i, (512, 8)), (of_rows,), refusals)
    along = tuple(i[:8000].reshape(1000, 8) for i in of_rows)
    columns = tuple(np.where(np.abs(i) < 1000, i % 8, i) for i in along)
    yield "take_along_axis", Case(lambda i: sz.take_along_axis(rows, i, axis=1), (columns,), refusals)
    tuples = tuple(np.where(np.abs(i) < N, i % 8, i).reshape(-1, 2) for i in flat)
    yield "gather_nd", Case(lambda i: sz.gather_nd(rows, i), (tuples,), refusals)
    for mode in ("update", "add", "max"):
        into = Case(lambda i, mode=mode: sz.scatter(x, i, sz.ones(N), mode=mode), (flat,), refusals)
        yield f"scatter {mode}", into
    yield "scatter_nd", Case(lambda i: sz.scatter_nd(rows, i, sz.ones(N // 2), mode="add"), (tuples,), refusals)
    many = indices(1_100_000, 5_000_000)
    grouped = Case(lambda i: sz.scatter(large, i, sz.ones(1_100_000), mode="add", out=large), (many,), refusals)
    yield "scatter grouped", grouped


def arranging() -> Iterator[tuple[str, Case]]:
    x = sz.uniform(N, 0, 1, seed=1)
    counts = (np.ones(N, "int64"), RNG.integers(-1, 2, N))
    yield "repeat", Case(lambda c: sz.repeat(x, c), (counts,), (sz.InvalidArgumentError,))
    lengths = (np.zeros(1000, "int64"), RNG.choice(np.array([-1, 100, 2**40]), 1000))
    grid = sz.reshape(x, (1000, 100))
    yield (
        "reverse lengths",
        Case(lambda c: sz.reverse(grid, 1, lengths=c, batch_axis=0), (lengths,), (sz.OutOfRangeError,)),
    )
    refused = (sz.InvalidArgumentError, sz.OutOfRangeError, sz.DimensionsMismatchError)
    yield "split", Case(lambda c: sz.split(x, c), ((np.full(10, N // 10), np.full(10, 2**62)),), refused)


def arithmetic() -> Iterator[tuple[str, Case]]:
    for dtype in ("int8", "int32", "int64", "uint64"):
        by = (np.full(N, 7, dtype), np.zeros(N, dtype))
        ones = (np.full(N, 7, dtype), np.ones(N, dtype))
        x = sz.ones(N, dtype=dtype)
        for divide in (sz.floor_divide, sz.remainder, sz.fmod):
            yield f"{divide.__name__} {dtype}", Case(lambda y, f=divide, x=x: f(x, y), (by,))
        yield f"remainder {dtype} ones", Case(lambda y, x=x: sz.remainder(x, y), (ones,))
        refused = (sz.OutOfRangeError, sz.InvalidArgumentError)
        yield f"pow {dtype}", Case(lambda y, x=x: sz.pow(x, y), (by,), refused)
        shift = (np.ones(N, dtype), np.full(N, 127, dtype))
        yield f"shift {dtype}", Case(lambda y, x=x: sz.bitwise_left_shift(x, y), (shift,), refused)
    values = numbers(N, "float32")
    yield "astype", Case(lambda x: sz.astype(x, "int8"), (values,))
    yield "cumulative_sum", Case(sz.cumulative_sum, (values,))
    yield "logsumexp", Case(sz.logsumexp, (values,))
    yield "max", Case(sz.max, (values,))
    yield "fft", Case(sz.fft.fft, (values,))
    weights = (np.ones((50, 2000)), np.full((50, 2000), np.nan))
    scarce = (np.ones((50, 2000)), np.zeros((50, 2000)))
    for name, pair in (("bad", weights), ("scarce", scarce)):
        for draws, replacement in ((10, True), (5000, True), (1999, False)):
            yield (
                f"multinomial {name} {draws}",
                Case(lambda p, n=draws, r=replacement: sz.multinomial(p, n, r, 1), (pair,), (sz.InvalidArgumentError,)),
            )
    chances = (np.full(N, 0.5, "float32"), np.full(N, 2.0, "float32"))
    yield "bernoulli", Case(lambda p: sz.bernoulli(p, 1), (chances,), (sz.InvalidArgumentError,))


def sparse() -> Iterator[tuple[str, Case]]:
    refusals = (sz.OutOfRangeError, sz.InvalidArgumentError)
    rows, per_row, columns = 20_000, 10, 1000
    n = rows * per_row
    values, dense = sz.ones(n), sz.ones((columns, 3))
    column, starts = indices(n, columns), np.arange(rows + 1) * per_row
    falling = starts.copy()
    falling[1:-1] = RNG.choice(np.array([-(2**40), 2**40]), rows - 1)

    def compressed(start: Tensor, at: Tensor) -> None:
        sz.matmul(sz.sparse_tensor((rows, columns), at, values, indptr=start), dense)

    yield "compressed rows", Case(compressed, ((starts, falling), (column[0], column[0])), refusals)
    yield "compressed columns", Case(compressed, ((starts, starts), column), refusals, moments=6)

    def coordinates(at: Tensor) -> None:
        x = sz.sparse_tensor((columns, columns), at, values)
        x.coalesce().to_dense()

    for dtype in ("int64", "int32"):
        pair = tuple(i.reshape(-1, 2) for i in indices(2 * n, columns, dtype))
        yield f"coordinates {dtype}", Case(coordinates, (pair,), refusals)
    held = sz.sparse_tensor((rows, columns), sz.tensor(column[0]), values, indptr=sz.tensor(starts))
    yield "index_select", Case(lambda i: sz.index_select(held, i), (indices(N, rows),), refusals)
    yield "times dense", Case(lambda x: sz.multiply(held, x), (matrices(1, 1),))


def linear_algebra() -> Iterator[tuple[str, Case]]:
    refusals = (sz.InvalidArgumentError, sz.InternalError)
    names = ("svd", "svdvals", "eigh", "eigvalsh", "eig", "eigvals", "pinv", "matrix_rank", "cond")
    for name in (*names, "inv", "det", "cholesky", "qr", "lu"):
        for shape in ((4000, 4, 4), (40, 40)):
            call = Case(getattr(sz, name), (matrices(*shape),), refusals)
            yield f"{name} {shape}", call
    pair = matrices(40, 40)
    yield "solve", Case(sz.solve, (pair, pair), refusals)
    yield "lstsq", Case(sz.lstsq, (pair, pair), refusals)
    yield "matmul", Case(sz.matmul, (matrices(100, 100, dtype="float32"),) * 2)


def strings() -> Iterator[tuple[str, Case]]:
    n = 20_000
    text = (np.array([f"{i:05}" for i in range(n)], object), np.array(["", "a long one " * 20] * (n // 2), object))
    x = sz.tensor(text[0].tolist())
    yield "sort", Case(sz.sort, (text,))
    yield "argsort", Case(sz.argsort, (text,), check=is_permutation(n))
    yield "unique", Case(sz.unique, (text,))
    yield "equal", Case(lambda y: sz.equal(x, y), (text,))
    yield "less", Case(lambda y: sz.less(x, y), (text,))
    yield "concat", Case(lambda y: sz.concat([x, y]), (text,))
    yield "take", Case(lambda y: sz.take(y, sz.tensor([0, n - 1], dtype="int64")), (text,))
    yield "flip", Case(lambda y: sz.contiguous(sz.flip(y)), (text,))
    yield "where", Case(lambda y: sz.where(sz.equal(x, y), x, y), (text,))
    yield "searchsorted", Case(lambda y: sz.searchsorted(x, y), (text,), check=within(n + 1))
    yield "tolist", Case(lambda y: y[:1000].tolist(), (text,))
    yield "pad", Case(lambda y: sz.pad(y, 1, value=""), (text,))
    yield "clone", Case(sz.clone, (text,))


GROUPS: dict[str, Callable[[], Iterator[tuple[str, Case]]]] = {
    "sorting": sorting,
    "searching": searching,
    "indexing": indexing,
    "arranging": arranging,
    "arithmetic": arithmetic,
    "sparse": sparse,
    "linear algebra": linear_algebra,
    "strings": strings,
}


def tensor_of(content: Any) -> Tensor:
    return sz.tensor(content.tolist()) if content.dtype == object else sz.tensor(content, dtype=content.dtype.name)


def beside_a_writer(case: Case, seconds: float) -> int:
    """Repeat a call for some time while a thread writes the operands. Return the number of calls."""
    contents = [tuple(map(tensor_of, pair)) for pair in case.operands]
    operands = [sz.clone(a) for a, _ in contents]
    done = threading.Event()

    def write() -> None:
        while not done.is_set():
            for number in (1, 0):
                for x, pair in zip(operands, contents, strict=True):
                    x[...] = pair[number]

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return _call_for_a_while(case, operands, seconds)
    finally:
        done.set()
        writer.join()


def beside_each_other(case: Case, seconds: float) -> int:
    """Repeat a call for some time in two threads, on the same operands. Return the number of calls."""
    operands = [tensor_of(a) for a, _ in case.operands]
    called: list[int] = []

    def call() -> None:
        called.append(_call_for_a_while(case, operands, seconds))

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(called) == len(threads)  # both threads have completed a call
    return sum(called)


def _call_for_a_while(case: Case, operands: list[Tensor], seconds: float) -> int:
    until, count = time.monotonic() + seconds * case.moments, 0
    while count == 0 or time.monotonic() < until:
        count += 1
        try:
            result = case.call(*operands)
        except case.refusals:
            continue
        assert case.check(result)
    return count


def main(arguments: list[str]) -> None:
    run = beside_each_other if "--shared" in arguments else beside_a_writer
    seconds = 0.005 if "--brief" in arguments else SECONDS
    sys.setswitchinterval(1e-4)
    for group in [a for a in arguments if a in GROUPS] or GROUPS:
        for name, case in GROUPS[group]():
            print(f"{group}: {name}", flush=True)
            run(case, seconds)


if __name__ == "__main__":
    main(sys.argv[1:])
