"""libsuanzi keeps the rules of suanzi.h, and the kit reports each library that breaks a rule."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from suanzi.conformance import Profile, Session, State, asked
from suanzi.conformance.probes import c_rules
from suanzi.conformance.providers import load
from suanzi.conformance.providers.c_header import INCLUDE
from suanzi.conformance.providers.libsuanzi import LIBRARY
from suanzi.conformance.standard import standard

pytestmark = pytest.mark.one_level

FAULTY = Path(__file__).parent / "faulty.c"

# Each fault of faulty.c, an operator that shows the fault, and words of the report.
FAULTS = {
    "a result without a place is forgotten": ("add", "NULL for y: returned STATUS_SUCCESS, not INVALID_ARGUMENT"),
    "an operand that is NULL is another status": ("add", "NULL for x1: returned INVALID_ARGUMENT"),
    "a failure leaves its result": ("add", "a result is not NULL"),
    "the second result is not NULL": ("topk", "NULL for x: failed, and a result is not NULL"),
    "the second place is not looked at": ("topk", "NULL for indices: returned STATUS_SUCCESS"),
    "calls in two threads meet": ("exp", "threads"),
    "an operand is changed": ("exp", "changed"),
    "a copy of the operand is left over": ("exp", "the process grows by"),
    "a clone is a view": ("clone", "the result is not a copy"),
    "a result lies in memory of the operand": ("square", ""),
    "a rank below 0 is 0": ("zeros", "-1 for rank: returned STATUS_SUCCESS, not INVALID_ARGUMENT"),
    "a rank above 64 is cut off": ("zeros", "65 for rank: returned STATUS_SUCCESS, not INVALID_ARGUMENT"),
    "a missing list is empty": ("zeros", "NULL for dims: returned STATUS_SUCCESS, not INVALID_ARGUMENT"),
    "a count is not looked at": ("shape", "suanzi_shape with too few places: suanzi_shape returned STATUS_SUCCESS"),
    "bytes are not looked at": ("tensor", "suanzi_read with too few bytes: suanzi_read returned STATUS_SUCCESS"),
    "destroying NULL succeeds": ("destroy", "a handle that is NULL: returned STATUS_SUCCESS"),
    "destroying no place succeeds": ("destroy", "a place that is NULL: returned STATUS_SUCCESS"),
    "nothing is freed": ("tensor", "10,000 tensors that are destroyed: the process grows by"),
    "negative bytes are none": ("tensor", "a negative number of bytes: returned STATUS_SUCCESS"),
    "an unknown type is float32": ("tensor", "an element type that does not exist: returned STATUS_SUCCESS"),
    "release is never called": ("from_reference", "release of one tensor: calls of release: [0, 0, 0]"),
    "release is called at once": ("from_reference", "release of one tensor: calls of release: [1, 2, 2]"),
    "release is called after a failure": (
        "from_reference",
        "release after a failure: calls of release: [1]",
    ),
    "release gets the memory": ("from_reference", "another context"),
    "memory that is too short is taken": ("from_reference", "fewer bytes than the tensor has: returned STATUS_SUCCESS"),
    "a reference is a copy": ("from_reference", ""),
    "the user's data are not released": ("tensor", "pointers of the user's: pointers were released"),
    "there is no message": ("tensor", "suanzi_last_message is empty"),
    "a message that is missing is NULL": ("tensor", "suanzi_last_message returned NULL"),
    "one message for all threads": ("tensor", "has the message of another thread"),
    "a success has a message": ("tensor", "a call that succeeded has changed the last message"),
    "every status is a success": ("tensor", "suanzi_status_name of 1: 'STATUS_SUCCESS', not 'STATUS_TYPE_MISMATCH'"),
    "an unknown status has no name": ("tensor", "suanzi_status_name of 8: 'NULL', not 'STATUS_UNKNOWN'"),
}
# Each fault of faulty.c that ends the process, an operator that shows the fault, and words of the report.
CRASHES = {
    "a result without a place is written": ("add", "NULL for y: the process ended by SIGSEGV"),
    "an operand that is NULL is read": ("add", "NULL for x1: the process ended by SIGSEGV"),
    "a missing list is read": ("reshape", "NULL for dims: the process ended by SIGSEGV"),
    "a place of a type is not looked at": ("tensor", "suanzi_dtype to NULL: the process ended by SIGSEGV"),
    "a destroyed handle is left": ("destroy", "the process ended"),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Compile faulty.c to a shared library, and return the library's path."""
    path = tmp_path_factory.mktemp("faulty") / "libfaulty.so"
    where = [f"-I{INCLUDE}", f'-DLIBSUANZI="{LIBRARY}"', str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}"]
    command = ["gcc", "-std=gnu11", "-O1", "-w", "-shared", "-fPIC", "-Wl,--no-as-needed", str(FAULTY), *where]
    done = subprocess.run([*command, "-ldl", "-o", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return str(path)


def test_ours_keeps_the_rules() -> None:
    library = load("c")
    found = [(name, p.label, p.judge(library)) for name in standard().operators for p in c_rules.probes(name, library)]
    assert len(found) > 800
    assert [(name, label, told) for name, label, told in found if told.fault or told.blocked] == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_rule_is_found(fault: str, faulty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULT", fault)
    operator, words = FAULTS[fault]
    library = load(faulty)
    found = (probe.judge(library).fault for _, probe in asked(operator, library, Profile.QUICK))
    assert any(told and words in told for told in found)


@pytest.mark.parametrize("fault", CRASHES)
def test_a_crash_is_found(fault: str, faulty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULT", fault)
    operator, words = CRASHES[fault]
    with Session(faulty, Profile.QUICK) as session:
        verdict = session.check(operator)
    assert verdict.state is State.FAIL
    assert any(words in told for told in verdict.faults), verdict.faults


def test_without_a_fault_it_passes(faulty: str) -> None:
    with Session(faulty, Profile.QUICK) as session:
        verdicts = list(session.run(["add", "from_reference", "tensor", "destroy"]))
    assert [fault for verdict in verdicts for fault in verdict.faults] == []
    assert all(verdict.clauses["statuses"].state is State.PASS for verdict in verdicts)
