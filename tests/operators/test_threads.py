"""Results have the same bits for any number of threads, after forks, in other processes and in Python's threads."""

from __future__ import annotations

import multiprocessing
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from layouts import LAYOUTS, bits
from oracle.values import generator
from suanzi import Tensor
from suanzi.conformance.inputs import moderate
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, ElementType, typed

pytestmark = pytest.mark.usefixtures("keep_threads")

THREADS = (1, 2, 3, 7)
TYPES = [ELEMENT_TYPES[name] for name in ("float16", "float32", "float64", "complex64", "int32")]


def _operand(f: ElementType, shape: tuple[int, ...], layout: str = "contiguous", salt: str = "") -> Tensor:
    rng = generator("threads", f.name, salt)
    count = int(np.prod(shape))
    if f.kind in "US":
        a = rng.integers(-(10**6), 10**6, count).astype(f.numpy)
    elif f.kind == "C":
        a = (rng.standard_normal(count) + 1j * rng.standard_normal(count)).astype(f.numpy)
    else:
        a = moderate(f, count, rng)
    return LAYOUTS[layout](a.reshape(shape))


def _on_each_number(compute: Callable[[], Tensor]) -> None:
    found = {}
    for n in THREADS:
        suanzi.set_num_threads(n)
        found[n] = bits(compute())
    different = [n for n in THREADS if found[n] != found[1]]
    assert not different, f"other bits on {different} threads than on one"


OPERATIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": suanzi.add,
    "exp": lambda x, y: suanzi.exp(x),
    "pow": suanzi.pow,
    "multiply_add": lambda x, y: suanzi.multiply_add(x, y, x),
    "where": lambda x, y: suanzi.where(suanzi.equal(x, y), x, y),
    "isclose": suanzi.isclose,
    "astype": lambda x, y: suanzi.astype(x, suanzi.complex128),
}


@pytest.mark.parametrize("layout", ["contiguous", "strided", "transposed", "negative"])
@pytest.mark.parametrize("f", TYPES, ids=lambda f: f.name)
@pytest.mark.parametrize("name", OPERATIONS)
def test_elementwise(name: str, f: ElementType, layout: str) -> None:
    x = _operand(f, (37, 2711), layout)
    y = _operand(f, (37, 2711), "contiguous", "other")
    _on_each_number(lambda: OPERATIONS[name](x, y))


SHAPES: list[tuple[tuple[int, ...], tuple[Any, ...]]] = [
    ((1_000_003,), (None,)),
    ((3, 150_001), (None, 0, 1)),
    ((150_001, 3), (None, 0, 1)),
    ((700, 701), (None, 0, 1)),
    ((61, 67, 71), (None, 0, 1, 2, (0, 2))),
]


@pytest.mark.parametrize("f", TYPES, ids=lambda f: f.name)
@pytest.mark.parametrize(("shape", "axes"), SHAPES, ids=["x".join(map(str, s)) for s, _ in SHAPES])
def test_reductions(shape: tuple[int, ...], axes: tuple[Any, ...], f: ElementType) -> None:
    for layout in ("contiguous", "transposed", "negative"):
        x = _operand(f, shape, layout)
        for axis in axes:
            for op in (suanzi.sum, suanzi.mean, suanzi.prod):
                _on_each_number(lambda op=op, axis=axis, x=x: op(x, axis=axis))  # type: ignore[misc]


def test_number_of_threads() -> None:
    for n in (1, 5, 2):
        suanzi.set_num_threads(n)
        assert suanzi.get_num_threads() == n


# --- forks, processes, Python threads ---


def _work(seed: int) -> bytes:
    """Return the bytes of two reductions of elementwise results: a sum of all elements, and sums of columns."""
    a = generator(str(seed)).standard_normal(400_000)
    x = suanzi.tensor(typed(a.astype(np.longdouble), ELEMENT_TYPES["float32"]))
    total = suanzi.sum(suanzi.exp(x) * x[::-1])
    columns = suanzi.sum(suanzi.sin(x).reshape((1000, 400)), axis=0)
    return bits(total) + bits(columns)


def _in_a_fork(compute: Callable[[], bytes], seconds: float = 60) -> bytes:
    """Return the bytes that `compute` returns in a forked child. Fail if the child does not end in time."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writable, compute())
        finally:
            os._exit(0)
    os.close(writable)
    try:
        ready, _, _ = select.select([readable], [], [], seconds)
        if not ready:
            os.kill(child, 9)
        assert ready, "the forked child hangs"
        result = b""
        while part := os.read(readable, 65536):
            result += part
        return result
    finally:
        os.close(readable)
        os.waitpid(child, 0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the test forks on purpose while threads run
def test_fork() -> None:
    suanzi.set_num_threads(4)
    before = _work(0)
    assert _in_a_fork(lambda: _work(0)) == before
    assert _in_a_fork(lambda: _in_a_fork(lambda: _work(0))) == before
    assert _work(0) == before


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_other_threads_compute() -> None:
    suanzi.set_num_threads(4)
    before = _work(1)
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(_work, 1) for _ in range(12)]
        children = [_in_a_fork(lambda: _work(1)) for _ in range(4)]
        assert [r.result() for r in running] == [before] * 12
    assert children == [before] * 4


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_another_thread_reads_a_generator() -> None:
    rng, ended = suanzi.random.Generator(7), threading.Event()

    def read() -> None:
        while not ended.is_set():
            _ = rng.state

    thread = threading.Thread(target=read)
    thread.start()
    try:
        drawn = [_in_a_fork(lambda: bits(rng.uniform(3)), 10) for _ in range(20)]
    finally:
        ended.set()
        thread.join()
    assert drawn == [bits(rng.uniform(3))] * 20


# A thread loads the BLAS library while the main thread forks children that load the BLAS library as well. The program
# first calls `locate` to import the modules, because a child cannot finish an import that another thread began.
FORKS_WHILE_LOADING = """
import os, signal, threading, time
import suanzi
from suanzi.operators.linalg import library

library.locate()
x = suanzi.eye(64)
loading = threading.Thread(target=suanzi.svd, args=(x,))
loading.start()
children = []
while loading.is_alive() and len(children) < 50:
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a child that hangs, also if the parent hangs
        suanzi.svd(x)
        os._exit(0)
    children.append(child)
    time.sleep(0.0005)
ends = [os.waitpid(child, 0)[1] for child in children]
if any(ends):
    raise SystemExit(f"of {len(children)} children, {ends.count(signal.SIGALRM)} hang; how they ended: {ends}")
"""


def test_fork_while_another_thread_loads_the_library() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])}
    command = [sys.executable, "-W", "ignore", "-c", FORKS_WHILE_LOADING]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(method: str) -> None:
    expected = [_work(n) for n in range(3)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(_work, range(3)).get(timeout=120) == expected


def test_loops_after_pauses_of_all_lengths() -> None:
    """A loop computes every element once if workers are awake, falling asleep, asleep or waking at the start."""
    suanzi.set_num_threads(3)
    brief, long = np.arange(50_000, dtype=np.float64), np.arange(1_000_000, dtype=np.float64)
    for i in range(600):
        until = time.perf_counter_ns() + 250 * (i % 300)
        while time.perf_counter_ns() < until:
            pass
        a = brief if i % 8 else long
        x = suanzi.from_reference(a)
        assert (suanzi.add(x, i).numpy() == a + i).all()
        assert suanzi.sum(x).item() == a.sum()


def test_several_python_threads() -> None:
    suanzi.set_num_threads(3)
    expected = [_work(n) for n in range(4)]
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(_work, [n % 4 for n in range(32)]))
    assert found == [expected[n % 4] for n in range(32)]


def test_number_of_threads_changes_meanwhile() -> None:
    expected = _work(9)
    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(_work, 9) for _ in range(16)]
        for n in (1, 4, 2, 6) * 8:
            suanzi.set_num_threads(n)
        assert [r.result() for r in running] == [expected] * 16
