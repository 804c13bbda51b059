"""Threads that disturb each other cause no crash. The tests change operands during a call, or end the interpreter.

If another thread changes an operand during a call, the call may return any value or raise one of Suanzi's errors, but
must never access invalid memory. Daemon threads at work must not crash an interpreter that ends. The tests run in
processes of their own, so that a crash is a failed test. The calls are in races.py, which also runs without pytest.

In the first test, ThreadSanitizer always reports the operands, which a thread writes on purpose. In the second test,
`-k beside_each_other`, ThreadSanitizer must report nothing.
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
    """Two threads make every call at the same time and share the pool of threads, the allocator, caches and tables."""
    _run(str(SCRIPT), "--shared", "--brief")


# Code that daemon threads repeat while the interpreter ends. In "multinomial" the threads also raise and handle an
# exception. In "sparse" the core calls Python code.
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


# The thread stays in the Python code that explains the error of its call, and repeatedly requests the interpreter's
# lock in this code.
EXPLAINS = """
import threading, time
import suanzi as sz
from suanzi.hints import calls
begun = threading.Semaphore(0)
def explain(*call):
    begun.release()
    while True:
        time.sleep(1e-4)
calls.of_call = explain
threading.Thread(target=sz.add, args=(sz.ones(2), sz.ones(3)), daemon=True).start()
begun.acquire()
"""


def test_the_interpreter_ends_while_a_daemon_thread_explains_an_error() -> None:
    _run("-c", EXPLAINS)
