"""Values of any length or depth raise only Suanzi's errors, and no message repeats a whole long value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import suanzi
from good_arguments import FUNCTIONS, arguments, required
from samples import fails
from suanzi import SuanziError, TypeMismatchError
from suanzi.operators.registry import Record
from suanzi.tensor.messages import LONGEST

pytestmark = pytest.mark.one_level


def nested(levels: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(levels):
        inner = [inner]
    return inner


class Unprintable:
    """An object whose text raises an exception."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Talkative:
    """An object whose text is very long and has several lines."""

    def __repr__(self) -> str:
        return "word\n" * 10_000


MANY = 30_000
VALUES: dict[str, Any] = {
    "long text": "a" * MANY,
    "control characters": "\x00\n\ud800" * MANY,
    "long bytes": b"\xff" * MANY,
    "deep list": nested(10_000),
    "deep tuple": (nested(10_000),),
    "long list": [0] * MANY,
    "list of texts": ["a" * MANY] * 3,
    "huge integer": 10**100_000,
    "huge negative": -(10**100_000),
    "list of huge integers": [10**100_000],
    "slice": slice("a" * MANY, nested(10_000), 10**100_000),
    "dictionary": {"a" * MANY: nested(10_000)},
    "unprintable": Unprintable(),
    "talkative": Talkative(),
    "class of a long name": type("A" * MANY, (), {})(),
    "array": np.zeros(2000),
    "array of integers": np.zeros(3, np.int64),
    "array of objects": np.array([Unprintable()] * 3, object),
    "tensor": suanzi.zeros(2000),
}


# Valid values of required parameters, for functions without a tensor as operand.
MADE_OF: dict[str, Any] = {"data": [1.0, 2.0], "shape": (2,), "n": 2, "start": 0, "stop": 2, "num": 2, "fill_value": 1}
MADE_OF |= {"n_rows": 2, "indices": [[0], [1]], "values": [1.0, 2.0], "x": suanzi.ones(2), "p": suanzi.ones(2)}


def good(record: Record) -> list[Any]:
    return arguments(record) if record.accepts else [MADE_OF[name] for name in required(record)]


def calls(record: Record, value: Any) -> Iterator[Callable[[], object]]:
    """Yield calls of a function with valid arguments, in which `value` replaces one argument after the other."""
    function, given, names = record.function, good(record), required(record)
    for place, parameter in enumerate(inspect.signature(function).parameters.values()):
        if parameter.annotation == "bool":  # flags accept no other value, and have tests of their own
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            yield partial(function, value)
        elif parameter.name in names:
            at = names.index(parameter.name)
            yield partial(function, *given[:at], value, *given[at + 1 :])
        elif parameter.kind is parameter.POSITIONAL_ONLY:
            yield partial(function, *given[:place], value)
        else:
            yield partial(function, *given, **{parameter.name: value})


def check(call: Callable[[], object], *names: str) -> None:
    """Check that the call returns, or raises a short Suanzi error that begins with one of the names."""
    try:
        call()
    except SuanziError as error:
        text = str(error)
        assert len(text) <= LONGEST
        assert "\n" not in text
        assert text.partition(": ")[0] in names, text


@pytest.mark.parametrize("kind", VALUES)
def test_every_parameter_of_every_function(kind: str) -> None:
    value = VALUES[kind]
    for name, record in FUNCTIONS.items():
        if name == "destroy":  # `destroy` would free the operand that the other calls use
            continue
        for call in calls(record, value):
            check(call, name)


X = suanzi.zeros((2, 3))
SPARSE = suanzi.to_sparse(X)
QUANTIZED = suanzi.quantize(X, scale=0.5, dtype="qint8")
# Functions without a record, and their names in messages.
OTHERS: list[tuple[str, Callable[[Any], object]]] = [
    ("Device", suanzi.Device),
    ("Device", lambda value: suanzi.Device("cpu", value)),
    ("Layout", suanzi.Layout),
    ("Layout", lambda value: suanzi.Layout("dense", value)),
    ("as_dtype", suanzi.as_dtype),
    ("from_dlpack", suanzi.from_dlpack),
    ("set_num_threads", suanzi.set_num_threads),
    ("tile_shape", suanzi.tile_shape),
    ("einsum", lambda value: suanzi.einsum(value, X)),
    ("einsum", lambda value: suanzi.einsum("ij", value)),
    ("to_format", SPARSE.to_format),
    ("__dlpack__", lambda value: X.__dlpack__(stream=value)),
    ("__dlpack__", lambda value: X.__dlpack__(max_version=value)),
    ("__dlpack__", lambda value: X.__dlpack__(dl_device=value)),
    ("__dlpack__", lambda value: X.__dlpack__(copy=value)),
    ("reshape", X.reshape),
    ("expand", X.expand),
    ("transpose", X.transpose),
    ("index", lambda value: X.__setitem__(0, value)),
    ("index", lambda value: X.__setitem__(value, 0)),
    ("index", lambda value: QUANTIZED.__setitem__(value, 0)),
    *(("index", lambda value, x=x: x[value]) for x in (X, SPARSE, QUANTIZED)),  # type: ignore[misc]
    *(("index", lambda value, x=x: x[value, value]) for x in (X, SPARSE, QUANTIZED)),  # type: ignore[misc]
    *(("index", lambda value, x=x: x[0, 0, value]) for x in (X, SPARSE, QUANTIZED)),  # type: ignore[misc]
    *(("index", lambda value, x=x: x[value:]) for x in (X, SPARSE, QUANTIZED)),  # type: ignore[misc]
    *(("index", lambda value, x=x: x[::value]) for x in (X, SPARSE, QUANTIZED)),  # type: ignore[misc]
]


@pytest.mark.parametrize("kind", VALUES)
def test_keys_and_classes(kind: str) -> None:
    for name, call in OTHERS:
        check(partial(call, VALUES[kind]), name)


class Endless:
    """A sequence that never ends and has no length."""

    def __getitem__(self, place: int) -> int:
        return 1


def test_sequences_without_an_end() -> None:
    for name in ("zeros", "tensor", "reshape", "sum", "transpose", "tensordot", "slice"):
        record = FUNCTIONS[name]
        for parameter in set(inspect.signature(record.function).parameters) & {"shape", "layout", "axis", "axes"}:
            given = dict(zip(required(record), good(record), strict=True))
            values = [Endless() if n == parameter else v for n, v in given.items()]
            options = {} if parameter in given else {parameter: Endless()}
            with pytest.raises(SuanziError, match=f"^{name}: "):
                record.function(*values, **options)


class Undecided:
    """An object without a truth value."""

    def __bool__(self) -> bool:
        raise ZeroDivisionError("neither")


# Flags that the native core reads.
FLAGS = [("isclose", "equal_nan"), ("sort", "descending"), ("argsort", "descending"), ("topk", "largest")]
FLAGS += [("topk", "sorted"), ("astype", "copy"), ("cumulative_sum", "reverse"), ("cumulative_prod", "exclusive")]
FLAGS += [("cumulative_sum", "include_initial"), ("sum", "keepdims"), ("max", "keepdims"), ("std", "keepdims")]


@pytest.mark.parametrize(("name", "flag"), FLAGS)
def test_flags_are_true_or_false(name: str, flag: str) -> None:
    record = FUNCTIONS[name]
    given = good(record)
    for value in (np.zeros(3), np.array(True), X, suanzi.tensor(True), [], "True", 1, 0.0, None, Undecided()):
        with fails(TypeMismatchError, name):
            record.function(*given, **{flag: value})
    for value, same in ((np.True_, True), (np.False_, False)):
        assert repr(record.function(*given, **{flag: value})) == repr(record.function(*given, **{flag: same}))
