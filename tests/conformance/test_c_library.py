"""The kit checks shared libraries with the C interface: libsuanzi, the example's library, and invalid libraries."""

from __future__ import annotations

import inspect
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi.conformance import Profile, ProviderError, Session, State
from suanzi.conformance.providers import load
from suanzi.conformance.providers.c_elements import elements
from suanzi.conformance.providers.c_header import INCLUDE, prototypes
from suanzi.conformance.providers.c_signatures import SIGNATURES
from suanzi.conformance.status import Status, StatusError
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import lookup

pytestmark = pytest.mark.one_level

TINY = Path(__file__).parents[2] / "examples" / "c" / "provider" / "tiny.c"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
# The example's operators that pass, because their probes need no other operator. The example's remaining operators
# cannot be tested fully.
PASS = (
    *("tensor", "zeros", "full", "reshape", "transpose", "destroy", "shape", "size", "rank", "add", "subtract"),
    *("multiply", "maximum", "abs", "equal", "less", "sqrt", "square"),
)

Build = Callable[[str], str]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Return a function that compiles a C source to a shared library and returns the library's path."""

    def built(text: str) -> str:
        source, library = tmp_path / "source.c", tmp_path / "libtiny.so"
        source.write_text(text, encoding="utf-8")
        asked = WARNINGS if text == TINY.read_text(encoding="utf-8") else ("-w",)
        command = ["gcc", "-std=c11", *asked, "-O1", "-shared", "-fPIC", source, f"-I{INCLUDE}", "-lm", "-o", library]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return str(library)

    return built


def changed(old: str, new: str) -> str:
    """Return the source of the C example with `old` replaced by `new`."""
    text = TINY.read_text(encoding="utf-8")
    assert text.count(old) == 1
    return text.replace(old, new)


def test_ours_passes() -> None:
    """libsuanzi passes the kit. A new process runs the kit, because C tests choose the BLAS library of this process.

    The test checks one operator in three to save time. `suanzi conformance --provider c` tests all operators.
    """
    with Session("c", Profile.QUICK) as session:
        verdicts = list(session.run(list(CATALOGUE)[::3]))
    assert len(verdicts) == 45
    assert [(v.operator, v.state, v.clauses) for v in verdicts if v.state is not State.PASS] == []


def test_the_example_gets_its_report(build: Build) -> None:
    with Session(build(TINY.read_text(encoding="utf-8")), Profile.QUICK) as session:
        assert (session.name, session.version) == ("libtiny.so", "tiny 1.0")
        found = {name: session.check(name) for name in (*PASS, "sin", "fft.fft", "expand")}
    assert [name for name, v in found.items() if not v.provided] == ["sin", "fft.fft", "expand"]
    assert [fault for v in found.values() for fault in v.faults] == []
    # The example has one element type, and clause 6.2 requires more. The kit reports no other missing part.
    states = {name: {c.aspect for c in found[name].clauses.values() if c.state is State.NOT_PROVIDED} for name in PASS}
    assert states == {name: {"element types"} for name in PASS}
    assert all(found[name].clauses["statuses"].state is State.PASS for name in PASS)


@pytest.mark.parametrize(
    ("old", "new", "operator", "aspect"),
    [
        ("{ return a + b; }", "{ return a - b; }", "add", "values"),
        ("x->dims[own] != 1", "x->dims[own] != 2", "add", "broadcasting"),
        ('INVALID_ARGUMENT, "not the CPU"', 'OUT_OF_RANGE, "not the CPU"', "zeros", "statuses"),
        ("order[i] = to[x->order[i]];", "order[i] = x->rank - 1 - i + 0 * to[i];", "transpose", "values"),
        ('return fail(SUANZI_STATUS_DIMENSIONS_MISMATCH, "the shapes do not', 'abort(); fail(0, "', "add", "statuses"),
    ],
)
def test_mistakes_are_found(old: str, new: str, operator: str, aspect: str, build: Build) -> None:
    """The kit finds wrong numbers, wrong statuses, and functions that end the process."""
    with Session(build(changed(old, new)), Profile.QUICK) as session:
        verdict = session.check(operator)
    assert verdict.state is State.FAIL
    assert verdict.clauses[aspect].faults


def test_results_that_break_the_rules(build: Build) -> None:
    """The provider raises INTERNAL_ERROR if a C function succeeds without a result or fails with a result."""
    library = load(build(changed("UNARY(square, squared)", "SuanziStatus suanzi_square(const SuanziTensor x, "
        "SuanziTensor* y) { (void)x; (void)y; return SUANZI_STATUS_SUCCESS; }\nSuanziStatus suanzi_rsqrt("
        "const SuanziTensor x, SuanziTensor* y) { *y = x; return SUANZI_STATUS_TYPE_MISMATCH; }")))  # fmt: skip
    x = library.from_numpy(np.ones(2, np.float32))
    for operator, words in (("square", "returned no result"), ("rsqrt", "not NULL")):
        function = library.find(operator)
        assert function is not None
        with pytest.raises(Exception, match=words) as caught:
            function(x)
        assert caught.value.status == Status.INTERNAL_ERROR


def test_what_is_no_such_library(build: Build, tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(ProviderError, match=r"text\.so"):
        Session(str(text))
    with pytest.raises(ProviderError, match="has no suanzi_c_version, suanzi_tensor"):
        Session(build("int nothing(void);\nint nothing(void) { return 0; }\n"))
    with pytest.raises(ProviderError, match="version 300"):
        Session(build(changed("return SUANZI_C_VERSION;", "return 300;")))


@pytest.mark.parametrize("array", [
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.arange(6, dtype=np.int16).reshape(2, 3).T,
    np.arange(24.0).reshape(4, 6)[::2, ::-3],
    np.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)[::-1],
    np.zeros((0, 3), bool),
    np.array(1 + 2j),
    np.array([["算子", "a"], ["", "b"]]),
])  # fmt: skip
def test_arrays_and_back(array: np.ndarray) -> None:
    """Arrays and their memory layouts survive the conversion to C and back."""
    library = load("c")
    x = library.from_numpy(array)
    assert library.to_numpy(x).tolist() == array.tolist()
    order = tuple(sorted(range(array.ndim), key=lambda axis: (abs(array.strides[axis]), -axis)))
    assert library.order(x) == order


def test_what_c_cannot_express_is_refused() -> None:
    library = load("c")
    x = library.from_numpy(np.ones((2, 3), np.float32))
    for operator, arguments in (("reshape", ("six",)), ("reshape", (x,)), ("trace", (0.5,)), ("trace", (True,))):
        function = library.find(operator)
        assert function is not None
        with pytest.raises(StatusError) as caught:
            function(x, *arguments)
        assert caught.value.status == Status.TYPE_MISMATCH


def test_c_is_called_as_python_is() -> None:
    """SIGNATURES has the signatures of Python's functions, without the parameters that C lacks. Types are strings."""
    not_in_c = {("matmul", "dtype"), ("dot", "dtype"), ("linear", "dtype")}
    for name, own in SIGNATURES.items():
        theirs = inspect.signature(lookup(name).function).parameters.values()
        described = [
            (p.name, p.kind, getattr(p.default, "name", p.default)) for p in theirs if (name, p.name) not in not_in_c
        ]
        assert [(p.name, p.kind, p.default) for p in own.parameters.values()] == described, name
    in_c = {name.removeprefix("suanzi_") for name in prototypes()}
    known = {name.removeprefix("fft.") for name in (*CATALOGUE, "dequantize")}
    assert {name.removeprefix("fft.") for name in SIGNATURES} == in_c & known


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        ([[1, 2], [3, 4]], None),
        ([True, False], None),
        (["a", "算"], None),
        ([1, 2j], None),
        (3, None),
        ([], None),
        ([1, -2.0, True], "int8"),
        ([2**64 - 1, 2**53 + 1], "uint64"),
        ([2**24 + 1, 0.1, float("inf"), float("nan")], "float32"),
        ([1.0000000596046448, 16777217], "float16"),
        ([0.0, 0.5, float("nan")], "bool"),
        ([1 + 2**-30, 1j], "complex128"),
        ([[1], [2, 3]], None),
        (["a", 1], None),
        ([0.5], "int8"),
        ([128], "int8"),
        ([float("nan")], "int64"),
        ([1e39], "float32"),
        ([1j], "float64"),
        (np.array([300, 1]), "uint8"),
        (np.array([1.5, 2.0]), "float32"),
        (np.array([1.5]), "int16"),
    ],
)
def test_data_become_elements_as_in_python(data: Any, dtype: str | None) -> None:
    status, made = suanzi.attempt(suanzi.tensor, data, dtype=dtype)
    if status != Status.STATUS_SUCCESS:
        with pytest.raises(StatusError) as caught:
            elements(data, dtype)
        assert caught.value.status == status
        return
    found, name = elements(data, dtype)
    assert (name, found.shape) == (made.dtype.name, made.shape)
    assert np.array_equal(found, np.asarray(made.tolist(), found.dtype), equal_nan=found.dtype.kind in "fc")
