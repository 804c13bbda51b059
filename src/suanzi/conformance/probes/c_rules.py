"""Probes of the rules of suanzi.h, for providers that claim the C interface. The probes call the provider's method
`rule`.

The provider calls the library and answers with plain data, which this module checks. Each probe concerns one pointer,
one count or one kind of memory, so that a crash is the finding of a single probe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..arguments import Arguments, Dense, arguments
from ..probe import Probe, Scenario
from ..provider import Provider, needed
from ..standard import Call, standard
from ..status import Status
from .stated_calls import contents

CLAIM = "C interface"
_MOST_RANK = 64
_GROWTH = 2**19  # bytes by which a process may grow although no memory leaks

_EXAMPLES = {"full": Call(([2, 3], 1.5))}  # in the clauses' example of `full`, the shape is an empty list
_DRAWN = ("uniform", "normal", "bernoulli", "multinomial", "randperm")  # operators of random numbers
_COPIES = ("clone", "diag", "astype")  # operators whose results have their own memory
_KINDS = ("sparse_tensor", "quantized_tensor")  # tensors whose elements cannot be read directly

Play = Callable[[Provider], str | None]


def probes(name: str, provider: Provider) -> Iterator[Probe]:
    """Return the probes of an operator, or no probes if the provider does not claim the C interface or lacks the
    operator.
    """
    if CLAIM not in provider.claims or provider.find(name) is None:
        return
    operator = standard().operators[name]
    given = arguments(operator, _EXAMPLES.get(name, operator.example))
    if not given.types <= provider.element_types:
        return
    for place, what, kind in provider.rule("places", name):
        yield Scenario(name, f"NULL for {what}", _with_null(name, place, kind, given), "statuses")
    for place, what in provider.rule("counts", name):
        for count in (-1, _MOST_RANK + 1) if what == "rank" else (-1,):
            label = f"{count} for {what}"
            yield Scenario(name, label, _with_count(name, place, count, given), "statuses")
    owned = "ownership" if "ownership" in operator.aspects else "values"
    for label, aspect, play in (*_of_operator(name, given), *_LIBRARY.get(name, ())):
        yield Scenario(name, label, play, aspect or owned)


def _made(provider: Provider, given: Arguments) -> tuple[tuple[Any, ...], dict[str, Any]]:
    options = {name: argument.made(provider) for name, argument in given.options.items()}
    return tuple(argument.made(provider) for argument in given.args), options


def _refused(answer: Any, *statuses: Status) -> str | None:
    """Return the fault of an answer to a call that must fail with one of `statuses`, or None."""
    status, is_null, message = answer
    if status not in statuses:
        found = Status(status).name if status in list(Status) else f"the status {status}"
        return f"returned {found}, not {' or '.join(wanted.name for wanted in statuses)}"
    if not is_null:
        return "failed, and a result is not NULL (suanzi.h, Results)"
    return None if message else "failed, and suanzi_last_message is empty"


_NULL = {
    "operand": Status.UNINITIALIZED_OBJECT,
    "list": Status.INVALID_ARGUMENT,
    "result": Status.INVALID_ARGUMENT,
}


def _with_null(name: str, place: int, kind: str, given: Arguments) -> Play:
    def play(provider: Provider) -> str | None:
        return _refused(provider.rule("with null", name, place, *_made(provider, given)), _NULL[kind])

    return play


def _with_count(name: str, place: int, count: int, given: Arguments) -> Play:
    def play(provider: Provider) -> str | None:
        answer = provider.rule("with count", name, place, count, *_made(provider, given))
        return _refused(answer, Status.INVALID_ARGUMENT)

    return play


# --- rules for each operator ---


def _of_operator(name: str, given: Arguments) -> Iterator[tuple[str, str, Play]]:
    """Yield the label, the aspect ("" for ownership of memory) and the action of each probe of an operator."""
    if name in ("destroy", "empty"):
        return
    yield "the operands after a success", "unchanged", _keeps_operands(name, given)
    if _is_tensor(standard().operators[name].results[0]):
        yield "the result when the operands are destroyed", "", _outlives(name, given)
        if name in _COPIES:
            yield "the result when the operand is written", "ownership", _is_copied(name, given)
        yield "many results that are destroyed", "", _grows("growth", name, given)
        if name not in (*_DRAWN, *_KINDS):
            yield "several threads on the same operands", "values", _threads(name, given)


def _is_tensor(result: str) -> bool:
    return result not in ("a whole number", "sizes", "truth", "nothing", "tensors")


def _tensors(given: Arguments, args: tuple[Any, ...]) -> list[tuple[Dense, Any]]:
    return [(a, made) for a, made in zip(given.args, args, strict=True) if isinstance(a, Dense)]


def _keeps_operands(name: str, given: Arguments) -> Play:
    def play(provider: Provider) -> str | None:
        args, options = _made(provider, given)
        before = [contents(provider, made) for _, made in _tensors(given, args)]
        result = needed(provider, name)(*args, **options)
        after = [contents(provider, made) for _, made in _tensors(given, args)]
        del result
        changed = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
        return f"changed tensor {changed[0]} (suanzi.h: no function changes its operands)" if changed else None

    return play


def _is_copied(name: str, given: Arguments) -> Play:
    def play(provider: Provider) -> str | None:
        shared = provider.rule("written", name, *_made(provider, given))
        return "it has changed: the result is not a copy" if shared else None

    return play


def _outlives(name: str, given: Arguments) -> Play:
    def play(provider: Provider) -> str | None:
        args, options = _made(provider, given)
        destroy = needed(provider, "destroy")
        result = needed(provider, name)(*args, **options)
        if name == "quantized_tensor":
            result = needed(provider, "dequantize")(result)
        before = contents(provider, result)
        for _, made in _tensors(given, args):
            destroy(made)
        others = [provider.from_numpy(np.full(64, 77, np.float32)) for _ in range(8)]  # new tensors reuse freed memory
        after = contents(provider, result)
        del others
        return None if before == after else "other elements after the operands were destroyed (suanzi.h, Results)"

    return play


def _grows(rule: str, name: str, given: Arguments | None, count: int = 0) -> Play:
    def play(provider: Provider) -> str | None:
        grown = 0
        for _ in range(2):  # a single growth may have another reason
            if given is None:
                times = count
                grown = provider.rule(rule, name, times)
            else:
                large, times = _enlarged(given)
                grown = provider.rule(rule, name, times, *_made(provider, large))
            if grown < _GROWTH:
                return None
        return f"the process grows by {grown} bytes with {times} results that are destroyed"

    return play


def _enlarged(given: Arguments) -> tuple[Arguments, int]:
    """Return the example, with larger operands if all arguments are tensors of shape (2, 3), and the number of calls to
    make.
    """
    dense = [a for a in given.args if isinstance(a, Dense)]
    shapes = {a.array.shape for a in dense}
    if len(dense) == len(given.args) == len([*given.all()]) and shapes == {(2, 3)} and not given.options:
        larger = tuple(Dense(a.type, np.resize(a.array, (64, 96)), a.as_given) for a in dense)
        return Arguments(larger, {}), 500
    return given, 2000


def _threads(name: str, given: Arguments) -> Play:
    def play(provider: Provider) -> str | None:
        failed, differed = provider.rule("threads", name, 4, *_made(provider, given))
        if failed:
            return f"{failed} of 32 calls in 4 threads failed"
        return f"{differed} of 32 calls in 4 threads returned something else" if differed else None

    return play


# --- rules for the library, and for handles ---


def _answers(rule: str, *given: Any, statuses: tuple[Status, ...]) -> Play:
    return lambda provider: _refused(provider.rule(rule, *given), *statuses)


def _asked_of_handle(function: str, how: str, *statuses: Status) -> Play:
    def play(provider: Provider) -> str | None:
        x = provider.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3))
        fault = _refused(provider.rule("queried", function, x, how), *statuses)
        return None if fault is None else f"suanzi_{function} {fault}"

    return play


def _queries(*functions: str) -> Iterator[tuple[str, str, Play]]:
    for function in functions:
        for how, status in (("of NULL", Status.UNINITIALIZED_OBJECT), ("to NULL", Status.INVALID_ARGUMENT)):
            yield f"suanzi_{function} {how}", "statuses", _asked_of_handle(function, how, status)
        if function in ("shape", "layout", "strides", "read"):
            for how in ("too few", "too many", "a negative number of"):
                what = "bytes" if function == "read" else "places"
                statuses = (Status.DIMENSIONS_MISMATCH, *(Status.INVALID_ARGUMENT,) * how.startswith("a neg"))
                yield f"suanzi_{function} with {how} {what}", "statuses", _asked_of_handle(function, how, *statuses)


def _described(function: str) -> Iterator[tuple[str, str, Play]]:
    """Yield the label, the aspect and the action of each probe in which a call describes a tensor by invalid or
    contradictory numbers.
    """
    invalid = (Status.INVALID_ARGUMENT,)
    cases: list[tuple[str, dict[str, int], tuple[Status, ...]]] = [
        ("a rank of -1", {"rank": -1}, invalid),
        ("a rank of 65", {"rank": _MOST_RANK + 1}, invalid),
        ("a size of -2", {"size": -2}, invalid),
        ("a negative number of bytes", {"bytes": -24}, (*invalid, Status.DIMENSIONS_MISMATCH)),
        ("an element type that does not exist", {"dtype": 99}, (*invalid, Status.TYPE_MISMATCH)),
    ]
    if function == "from_reference":
        cases += [
            ("fewer bytes than the tensor has", {"bytes": 20}, (Status.DIMENSIONS_MISMATCH,)),
            ("memory that is not aligned", {"offset": 1}, invalid),
        ]
    for label, changes, statuses in cases:
        yield label, "statuses", _answers("described", function, changes, statuses=statuses)


def _names(provider: Provider) -> str | None:
    wanted = ["STATUS_SUCCESS", *(status.name for status in Status if status), "STATUS_UNKNOWN", "STATUS_UNKNOWN"]
    codes = [*(int(status) for status in Status), 8, -1]
    wanted = [name if name.startswith("STATUS_") else f"STATUS_{name}" for name in wanted]
    found = provider.rule("names", codes)
    wrong = [
        f"{code}: {name!r}, not {right!r}"
        for code, name, right in zip(codes, found, wanted, strict=True)
        if name != right
    ]
    return f"suanzi_status_name of {'; '.join(wrong)}" if wrong else None


def _messages(provider: Provider) -> str | None:
    told = provider.rule("messages")
    failure = told["after a failure"]
    if "NULL" in told.values():
        return "suanzi_last_message returned NULL"
    if not failure:
        return "suanzi_last_message is empty after a failure"
    if told["after a success"] != failure:
        return "a call that succeeded has changed the last message"
    if told["in a thread without a failure"]:
        return "a thread in which nothing failed has the message of another thread"
    if not told["after a failure there"]:
        return "suanzi_last_message is empty after a failure in another thread"
    return (
        None
        if told["here, after a failure elsewhere"] == failure
        else "a failure in another thread has changed the last message"
    )


def _releases(how: str, *wanted: int) -> Play:
    times = {
        "alone": "made, destroyed, and after another call",
        "shared": "made, destroyed, whether another handle holds its elements, that one destroyed, later",
        "failed": "after a failed call",
        "NULL": "made, destroyed, later",
    }

    def play(provider: Provider) -> str | None:
        found = list(provider.rule("releases", how))
        if found == [-1]:
            return "suanzi_from_reference failed"
        if how == "shared":
            destroyed, kept = found[1], found[2]
            if not kept:
                return "the memory was released while a handle needed the memory"
            # If the result is a copy, the library may release the memory at once.
            found = [found[0], 0 if destroyed in (0, 1) else destroyed, *found[2:]]
        if how != "failed" and not found.pop():
            return "release was called with another context"
        return None if found == list(wanted) else f"calls of release: {found}, not {list(wanted)} ({times[how]})"

    return play


def _user_data(provider: Provider) -> str | None:
    new, held, *released = provider.rule("user data")
    if (new, held) != (0, 55):
        return f"suanzi_user_data returned {new} of a new handle and {held} after 55 was set"
    if released != [1, 1, 1]:
        return f"pointers were released {released} times, not once each, by a second pointer and by destruction"
    return None


_MADE = "made and destroyed"
_LIBRARY: dict[str, tuple[tuple[str, str, Play], ...]] = {
    "tensor": (
        *_described("tensor"),
        *_queries("dtype", "read", "kind", "layout", "strides", "data", "device", "allocator", "user_data"),
        ("the names of statuses", "statuses", _names),
        ("the last message", "statuses", _messages),
        ("pointers of the user's", "ownership", _user_data),
        ("10,000 tensors that are destroyed", "ownership", _grows(_MADE, "tensor", None, 10_000)),
    ),
    "from_reference": (
        *_described("from_reference"),
        ("release of one tensor", "ownership", _releases("alone", 0, 1, 1)),
        ("release with another handle on the memory", "ownership", _releases("shared", 0, 0, 1, 1, 1)),
        ("release after a failure", "ownership", _releases("failed", 0)),
        ("no release function", "ownership", _releases("NULL", 0, 0, 0)),
        ("10,000 references that are destroyed", "ownership", _grows(_MADE, "from_reference", None, 10_000)),
    ),
    "shape": tuple(_queries("shape")),
    "size": tuple(_queries("size")),
    "rank": tuple(_queries("rank")),
    "is_contiguous": tuple(_queries("is_contiguous")),
    "destroy": (
        ("a place that is NULL", "statuses", _answers("destroyed", "no place", statuses=(Status.INVALID_ARGUMENT,))),
        ("a handle that is NULL", "statuses", _answers("destroyed", "NULL", statuses=(Status.UNINITIALIZED_OBJECT,))),
    ),
}  # fmt: skip
