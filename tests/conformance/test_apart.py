"""A provider's code in its own process cannot affect the kit's verdicts. Results arrive as data, and are checked."""

from __future__ import annotations

import gc
import io
import math
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suanzi.conformance import BlockedError, Profile, Session, State, Suanzi, check
from suanzi.conformance.adapter import adapted
from suanzi.conformance.probe import Refusal
from suanzi.conformance.process import EndedError, Process
from suanzi.conformance.provider import ResultError
from suanzi.conformance.providers import load
from suanzi.conformance.remote import ArgumentError, GoneError, Remote
from suanzi.conformance.status import Status
from suanzi.conformance.wire import GarbledError, Packer, Unpacker, read, write

pytestmark = pytest.mark.one_level

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _strangers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])


@pytest.fixture(scope="module")
def numpy_provider() -> Iterator[Remote]:
    provider = Remote("numpy", trusted=True)
    yield provider
    provider.stop()


@pytest.fixture(scope="module")
def suanzi_provider() -> Iterator[Remote]:
    provider = Remote("suanzi", trusted=True)
    yield provider
    provider.stop()


@pytest.mark.parametrize("name", ["Forger", "Wrong", "Writer", "Shouter", "Patcher", "Excused", "Refuser", "Nameless"])
def test_forgers_fail(name: str) -> None:
    with Session(f"forgers:{name}", Profile.QUICK) as session:
        assert session.check("sin").state is State.FAIL


def test_a_forger_fails_everywhere() -> None:
    with Session("forgers:Forger", Profile.QUICK) as session:
        assert {session.check(operator).state for operator in ("add", "matmul", "zeros", "sort")} == {State.FAIL}


@pytest.mark.parametrize("operator", ["add", "concat", "from_reference", "quantized_tensor", "topk", "randperm"])
def test_the_verdict_is_that_of_the_same_process(operator: str) -> None:
    here = check(operator, Suanzi(), Profile.QUICK)
    with Session("suanzi", Profile.QUICK) as session:
        assert session.check(operator) == here


VALUES = [
    *(None, True, 0, -(2**63), 2**63, 10**5000, 0.5, -0.0, math.inf, 1 - 2j, "算子\0", ..., (), [[]], {"a": (1,)}),
    *(slice(1, None, -1), {1: [None, (2, [3.0])]}),
]


@pytest.mark.parametrize("value", VALUES, ids=[type(value).__name__ for value in VALUES])
def test_values_come_back_as_they_are(value: Any) -> None:
    frame = io.BytesIO()
    packer = Packer(lambda x: {})
    write(frame, packer.pack(value), packer.blocks)
    frame.seek(0)
    found = read(frame)
    assert found is not None
    back = Unpacker({}).unpack(found[0])
    assert back == value or repr(back) == repr(value)
    assert type(back) is type(value)


def test_the_bits_of_a_nan_stay() -> None:
    (nan,) = struct.unpack("<d", bytes.fromhex("efbeadde0000fcff"))
    assert struct.pack("<d", Unpacker({}).unpack(Packer(lambda x: {}).pack(nan))) == struct.pack("<d", nan)


ARRAYS = {
    "strided": np.arange(110, dtype=np.int16).reshape(5, 22)[::2, 1::3],
    "backwards": np.arange(12.0).reshape(3, 4)[::-1, ::-1],
    "transposed": np.arange(24, dtype=np.complex64).reshape(2, 3, 4).transpose(2, 0, 1),
    "broadcast": np.broadcast_to(np.float32(3), (4, 5)),
    "empty": np.zeros((3, 0, 2)),
    "of no dimensions": np.array(True),
    "strings": np.array([["a", "算子"], ["", "b" * 40]])[:, ::-1],
    "not aligned": np.frombuffer(b"\0" + bytes(range(16)), np.float32, 3, 1),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_keep_their_strides(name: str, numpy_provider: Remote) -> None:
    array = ARRAYS[name]
    tensor = numpy_provider.from_numpy(array)
    found = numpy_provider.to_numpy(tensor)
    assert (found.dtype, found.shape, found.tolist()) == (array.dtype, array.shape, array.tolist())
    is_contiguous = numpy_provider.find("is_contiguous")
    assert is_contiguous is not None
    assert is_contiguous(tensor) == array.flags.c_contiguous
    by_strides = sorted(range(array.ndim), key=lambda axis: (abs(array.strides[axis]), -axis))
    assert numpy_provider.order(tensor) == tuple(by_strides)


def test_memory_that_is_referred_to_is_shared_both_ways(suanzi_provider: Remote) -> None:
    suanzi_provider.begin(60)
    reference, add = (suanzi_provider.find(name) for name in ("from_reference", "add"))
    assert reference is not None
    assert add is not None
    owner = np.arange(12.0).reshape(3, 4)
    tensor = reference(owner[:, ::2])
    owner[1, 2] = 100
    assert suanzi_provider.to_numpy(tensor)[1, 1] == 100
    assert add(tensor, tensor, out=tensor) is tensor
    assert owner[1].tolist() == [8, 5, 200, 7]
    one_more = np.zeros(3, np.float32)
    one_more.flags.writeable = False
    assert suanzi_provider.to_numpy(suanzi_provider.from_numpy(one_more)).tolist() == [0, 0, 0]


def test_a_result_is_what_it_is_now(suanzi_provider: Remote) -> None:
    """The kit reads the current elements of a result, and not elements that came with the handle."""
    full, add = suanzi_provider.find("full"), suanzi_provider.find("add")
    assert full is not None
    assert add is not None
    x = full((2,), 1)
    add(x, 1, out=x)
    assert suanzi_provider.to_numpy(x).tolist() == [2, 2]


def test_objects_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counted.py").write_text(COUNTED, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    provider = Remote("counted:Counted")
    make, alive, same = (provider.find(name) for name in ("make", "alive", "same"))
    assert make is not None
    assert alive is not None
    assert same is not None
    kept = [make(), same(provider.from_numpy(np.ones(2)))]
    for _ in range(50):
        one = make()
        assert same(one) is one
        assert same(kept[0]) is kept[0]
    del one
    gc.collect()
    assert alive() == 2
    kept.clear()
    assert alive() == 0
    provider.stop()


COUNTED = """
import weakref

class Tensor:
    alive = weakref.WeakSet()
    def __init__(self, array=None):
        self.array = array
        Tensor.alive.add(self)

class Counted:
    operators = {"make": Tensor, "same": lambda x: x, "alive": lambda: len(Tensor.alive)}
    element_types = ["float32"]
    from_numpy = staticmethod(Tensor)
    def to_numpy(self, tensor):
        return tensor.array
"""


def test_exceptions_arrive_as_name_message_and_status(suanzi_provider: Remote) -> None:
    add = suanzi_provider.find("add")
    assert add is not None
    with pytest.raises(Exception, match=r"add: shapes \(2,\) and \(3,\)") as caught:
        add(suanzi_provider.from_numpy(np.ones(2)), suanzi_provider.from_numpy(np.ones(3)))
    assert (type(caught.value).__name__, caught.value.status) == ("DimensionsMismatchError", 2)  # type: ignore[attr-defined]
    with pytest.raises(ResultError, match="returned NoneType, not a tensor"):
        suanzi_provider.to_numpy(None)


STATUSES = """
import numpy as np

class Moody(Exception):
    @property
    def status(self):
        raise RuntimeError("not now")

def refused(status):
    error = Moody() if status == "moody" else ValueError(status)
    if status != "moody":
        error.status = {"numpy": np.int32(1), "true": True, "float": 1.0, "text": "1", "long": 10**5000}[status]
    raise error

class Refusing:
    operators = {"add": refused}
    from_numpy = to_numpy = staticmethod(lambda x: x)
"""


@pytest.mark.parametrize("kind", ["numpy", "true", "float", "text", "long", "moody"])
def test_a_status_is_the_same_here_and_apart(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "moods.py").write_text(STATUSES, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "moods", raising=False)
    here, apart = adapted(load("moods:Refusing")), Remote("moods:Refusing")
    refusal = Refusal("add", "anything", (kind,), Status.TYPE_MISMATCH)
    found = [refusal.judge(provider).fault for provider in (here, apart)]
    apart.stop()
    assert found[0] == found[1]
    if kind == "numpy":
        assert found[0] is None
    else:
        assert "without a status" in str(found[0])


def test_whose_word_it_is_that_something_cannot_be_asked() -> None:
    provider = Remote("forgers:Excused")
    sin = provider.find("sin")
    assert sin is not None
    with pytest.raises(Exception, match="needs something else") as caught:
        sin(provider.from_numpy(np.ones(2, np.float32)))
    assert not isinstance(caught.value, BlockedError)
    provider.stop()


def test_an_array_that_is_not_taken_is_no_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = COUNTED.replace("staticmethod(Tensor)", "staticmethod(lambda array: array.nothing)")
    (tmp_path / "refusing.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    provider = Remote("refusing:Counted")
    same = provider.find("same")
    assert same is not None
    with pytest.raises(ArgumentError, match="AttributeError"):
        same(provider.from_numpy(np.ones(2)))
    provider.stop()


LIES: dict[str, tuple[Any, bytes]] = {
    "no table": ([1, 2], b""),
    "another answer": ({"n": 7, "r": None}, b""),
    "a list": ({"n": 1, "r": [1]}, b""),
    "an unknown kind": ({"n": 1, "r": {"pickle": "gASVAAAAAAAAAA=="}}, b""),
    "a handle that is no number": ({"n": 1, "r": {"h": ["x"]}}, b""),
    "elements beyond the body": ({"n": 1, "r": {"h": [1, ["<f4", [2], [0, 8]]]}}, b"1234"),
    "another number of elements": ({"n": 1, "r": {"h": [1, ["<f4", [3], [0, 4]]]}}, b"1234"),
    "a negative size": ({"n": 1, "r": {"a": ["<f4", [-1], [0, 4]]}}, b"1234"),
    "objects": ({"n": 1, "r": {"a": ["|O", [1], [0, 8]]}}, b"12345678"),
    "a type that is none": ({"n": 1, "r": {"a": ["float32\n", [1], [0, 4]]}}, b"1234"),
    "strings that are numbers": ({"n": 1, "r": {"a": ["words", [1], [5]]}}, b""),
    "memory that nobody has": ({"n": 1, "r": None, "news": [[3, [0, 4]]]}, b"1234"),
    "an exception that is none": ({"n": 1, "e": ["A", 5, None, False]}, b""),
    "a deep value": ({"n": 1, "r": {"t": [0]}}, b""),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_findings(lie: str, numpy_provider: Remote, monkeypatch: pytest.MonkeyPatch) -> None:
    head, body = LIES[lie]
    if lie == "a deep value":
        for _ in range(100):
            head["r"] = {"t": [head["r"]]}

    def answered(request: Any, blocks: Any) -> tuple[Any, memoryview]:
        return {**head, "n": request["n"] + head["n"] - 1} if isinstance(head, dict) else head, memoryview(body)

    monkeypatch.setattr(numpy_provider, "_exchanged", answered)
    monkeypatch.setattr(numpy_provider, "stop", lambda: None)
    with pytest.raises(GoneError, match="the process sent"):
        numpy_provider.find(lie)


@pytest.mark.parametrize(
    "sent",
    [
        b"Traceback (most recent call last)",
        b"SZC1" + struct.pack("<IQ", 2**31, 0),
        b"SZC1" + struct.pack("<IQ", 4, 2**60) + b"null",
        b"SZC1" + struct.pack("<IQ", 400, 0) + b"null",
        b"SZC1" + struct.pack("<IQ", 4, 0) + b"nuLL",
        b"SZC1" + struct.pack("<IQ", 4, 0) + b"\xff\xff\xff\xff",
        b"SZ",
    ],
)
def test_frames_that_are_none(sent: bytes) -> None:
    with pytest.raises(GarbledError):
        read(io.BytesIO(sent))


def test_a_process_that_closes_its_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mute.py").write_text("import os, time\nos.close(1)\ntime.sleep(600)", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr("suanzi.conformance.process._ENDING", 0.2)
    process = Process(["mute"])
    with pytest.raises(EndedError, match="closed its pipe"):
        process.heard(60)


def test_a_process_that_does_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deaf.py").write_text("import time\ntime.sleep(600)", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    process = Process(["deaf"])
    with pytest.raises(EndedError, match="no answer within 1 s"):
        process.say({}, [bytes(2**24)], 1)
