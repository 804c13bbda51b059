"""Findings include programs that reproduce the findings. A finding about state names the state as the cause."""

from __future__ import annotations

import base64
import contextlib
import io
import random
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mutants import Mutant
from mutants.history import floating, mutants, without_sign

import suanzi
from suanzi.conformance import Profile, Suanzi, asked, check
from suanzi.conformance.inputs import arrangements, random_values, specials
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES
from suanzi.conformance.recorder import Recorder, judged
from suanzi.conformance.snippets import array_text, made, replica

pytestmark = pytest.mark.one_level

NAMES = {"numpy": np, "base64": base64, "zlib": zlib, "ml_dtypes": ml_dtypes}


# Arrays.


def arrays() -> Iterator[Any]:
    for t in ELEMENT_TYPES.values():
        yield from (specials(t), random_values(t, 0))
        for _, operands in arrangements([t, t]):
            yield from operands
    base = np.resize(random_values(ELEMENT_TYPES["float32"], 0), (5, 7, 9))
    yield from (base.transpose(2, 0, 1)[::-1], base[::2, 1::3, ::-2], base[:, 3], base.T[..., None])
    yield from (np.arange(2**17 + 3, dtype=np.float32), np.arange(2**20, 2**21, dtype=np.uint32).view(np.float32))
    yield from (np.array([["", "a"], ["é", "算子"]]), np.resize(np.array(["a", "bb", "c"]), (100,)))
    yield from (np.zeros((0, 3)), np.array(5.5), np.broadcast_to(np.float32(3), (2, 3)), np.full((300, 400), np.nan))
    yield np.resize(np.random.default_rng(0).normal(size=997), (2**17 + 3,))
    yield made('numpy.random.default_rng(5).normal(size=100003).astype("float32")')


@pytest.mark.parametrize("x", [*arrays()], ids=lambda x: f"{x.dtype}{x.shape}")
def test_an_array_as_text(x: Any) -> None:
    text = array_text(x)
    again = eval(text, dict(NAMES))
    assert (again.dtype, again.shape, again.tobytes()) == (x.dtype, x.shape, x.tobytes())
    if x.size:
        strides = [[s for s, n in zip(a.strides, a.shape, strict=True) if n > 1] for a in (x, again)]
        assert strides[0] == strides[1]
    assert len(text) < 20_000
    assert array_text(replica(x)) == text or x.size == 0


# Programs.


def outcome(program: str, provider: Any) -> tuple[str, str]:
    """Run a program. Return the printed text, and the class and status of the program's exception (empty if none)."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            exec(program, {"provider": provider})
        except (SyntaxError, NameError):
            pytest.fail(program)
        except Exception as error:
            return output.getvalue(), f"{type(error).__name__} {getattr(error, 'status', None)}"
    return output.getvalue(), ""


def faults(count: int) -> list[tuple[str, Mutant, Any, str]]:
    """Return the mutant's name, the mutant, the probe and the program of at least `count` faults.

    A mutant has at most two faults of each kind of probe and aspect.
    """
    found = []
    some = [*mutants()]
    random.Random(41).shuffle(some)
    for name, operator, mutant in some:
        seen: Counter[tuple[str, str]] = Counter()
        for _, probe in asked(operator, mutant, Profile.QUICK):
            kind = type(probe).__name__, probe.aspect
            if seen[kind] == 2:
                continue
            told = judged(probe, mutant)
            if told.fault is not None:
                seen[kind] += 1
                found.append((name, mutant, probe, told.snippet or ""))
        if len(found) >= count:
            break
    return found


def test_the_text_of_an_array_causes_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (np.resize(np.float16([0, 60_000]), 400), np.resize(np.float32([0, 1, np.inf]), 300), *arrays()):
            assert array_text(x)


def test_a_program_shows_the_fault_again() -> None:
    found = faults(80)
    unlike = [name for name, mutant, _, program in found if outcome(program, mutant) == outcome(program, Suanzi())]
    assert unlike == []
    assert len({type(probe).__name__ for *_, probe, _ in found}) >= 5


def test_an_elementwise_fault_is_shown_with_one_element_of_each_operand() -> None:
    snippet = check("multiply", Mutant("multiply", floating(without_sign))).clauses["values"].snippet
    assert snippet is not None
    assert snippet.count("provider.from_numpy(numpy.array(") == 2
    assert "[" not in snippet


def test_what_a_probe_writes_is_written_again() -> None:
    recorder = Recorder(Suanzi())
    owner = np.arange(3.0)
    reference = recorder.find("from_reference")
    assert reference is not None
    tensor = reference(owner)
    owner[1] = 7
    recorder.to_numpy(tensor)
    assert outcome(recorder.program(), Suanzi())[0] == "float64 (3,) [0.0, 7.0, 2.0]\n"


# Faults of state.


CALLS = count()


def every_third(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that doubles the result of every third call on more than 100 elements."""

    def call(x: Any, *rest: Any, **options: Any) -> Any:
        y = function(x, *rest, **options)
        return suanzi.multiply(y, 2) if x.size > 100 and next(CALLS) % 3 == 0 else y

    return call


def kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that writes the result into a float32 operand of the same shape."""

    def call(x: Any, **options: Any) -> Any:
        y = function(x, **options)
        if x.dtype is suanzi.float32 and x.shape == y.shape and x.size > 1:
            x[...] = y
        return y

    return call


def test_a_fault_of_state_is_named() -> None:
    verdict = check("square", Mutant("square", every_third))
    notes = [note for clause in verdict.clauses.values() for note in clause.found]
    assert any(note.of_state for note in notes)


def test_a_changed_operand_is_a_fault_of_state() -> None:
    from suanzi.conformance.report.notes import grouped

    verdict = check("exp", Mutant("exp", kept), Profile.QUICK)
    groups = grouped(verdict.clauses["unchanged"])
    assert groups[0].english.startswith("fault of state: exp: ")
