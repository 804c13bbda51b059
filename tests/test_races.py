"""Threads that get in each other's way: operands that are written meanwhile, and the end of the interpreter.

Changes by another thread while an operator reads may lead to any value or an error of ours, but never to a bad access;
and daemon threads at work may not bring down an interpreter that ends. In processes of their own, so that a crash is a
failed test. The calls are in races.py, which runs without pytest as well.

Under ThreadSanitizer the first test cannot but tell of the operands, which are meant to be written; the second, `-k
beside_each_other`, must be clean.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from races import GROUPS

pytestmark = pytest.mark.one_level

SCRIPT = Path(__file__).with_name("races.py")


def _run(*arguments: str) -> None:
    ended = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300, check=False)
    said = "\n".join([*ended.stdout.splitlines()[-1:], ended.stderr[-4000:]])
    assert ended.returncode == 0, f"ended with {ended.returncode} in {said}"


@pytest.mark.parametrize("group", GROUPS)
def test_operands_that_another_thread_writes(group: str) -> None:
    _run(str(SCRIPT), group)


def test_threads_beside_each_other() -> None:
    """Every call in two threads at a time: all of them share the pool of threads, the allocator, caches and tables."""
    _run(str(SCRIPT), "--shared", "--brief")


# The end comes at any place of a loop that a daemon thread is in. The last two are in the midst of an exception, and in
# Python code that the core has called.
COMPUTE = {
    "add": "x + x",
    "sort": "sz.sort(x)",
    "sum": "sz.sum(x)",
    "nonzero": "sz.nonzero(x)",
    "matmul": "sz.matmul(m, m)",
    "svd": "sz.svd(m)",
    "multinomial": "sz.multinomial(-x)",
    "sparse": "s + s",
}
PROGRAM = """
import threading, time
import suanzi as sz
x = sz.uniform(400_000, 0, 1, seed=1)
m = sz.uniform((80, 80), 0, 1, seed=1)
s = sz.to_sparse(sz.uniform((200, 200), 0, 1, seed=1))
begun = threading.Semaphore(0)
def work():
    while True:
        try:
            {compute}
        except sz.InvalidArgumentError:
            pass
        begun.release()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
begun.acquire()
time.sleep({delay})
"""


@pytest.mark.parametrize("name", COMPUTE)
def test_the_interpreter_ends_while_daemon_threads_compute(name: str) -> None:
    for delay in (0.0, 0.003, 0.01):
        _run("-c", PROGRAM.format(compute=COMPUTE[name], delay=delay))
