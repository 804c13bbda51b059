"""A record of the calls that a probe makes, written as a program that repeats the calls.

`judged` runs a probe. After a fault, `judged` runs the probe again through a `Recorder`, which records the calls. A
fault that does not show again is a fault of state, which depends on earlier calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from .oracle.element_types import Array
from .probe import Finding, Probe, Value
from .provider import Provider
from .snippets import array_text, imports, plain_text, replica

_ALL = 40  # the most steps of a program that shows all steps; longer programs show the steps of the last results
_WRITTEN_OUT = 200  # the most elements of a numeric array that is printed in full
_ASKED = 4  # the number of runs of a probe with a fault of state


def judged(probe: Probe, provider: Provider, begin: Callable[[], object] = lambda: None) -> Finding:
    """Return the finding of a probe. The finding of a fault contains the calls that show the fault. If the fault does
    not show again, the finding is marked as a fault of state.

    The function calls `begin` before each repetition.
    """
    found = probe.judge(provider)
    if found.fault is None:
        return found
    if found.of_state and isinstance(probe, Value) and probe.other is not None:
        # The call with other elements, made between two equal calls, may be wrong itself.
        alone = judged(probe.other, provider, begin)
        if alone.fault is not None and not alone.of_state:
            return alone
    begin()
    of_state = found.of_state or _fault(probe, provider) is None
    begin()
    least = probe if of_state or not isinstance(probe, Value) else probe.least(provider)
    recorder = Recorder(provider)
    faults = [_fault(least, recorder) for _ in range(_ASKED if of_state else 1)]
    again = next(filter(None, faults), None)
    results_alone = isinstance(probe, Value) and not probe.out and found.aspect is None
    program = recorder.program(again or found.fault, results_alone=results_alone)
    return found._replace(snippet=program, of_state=of_state or again is None)


def _fault(probe: Probe, provider: Provider | Recorder) -> str | None:
    """Return the fault that one run of a probe shows, or None."""
    return probe.shows(provider) if isinstance(probe, Value) else probe.judge(provider).fault


@dataclass(slots=True)
class _Step:
    """A statement of the program. The function `text` makes the text of the statement."""

    text: Callable[[], str]
    gives: str = ""  # the name to which the statement assigns the result
    uses: set[str] = field(default_factory=set)
    result: Any = None  # the result of the recorded call
    looks: bool = False  # True if the statement shows a value
    of_operand: bool = False  # True if the statement shows the elements of a tensor that was made from an array
    raised: bool = False


@dataclass(slots=True)
class _Owned:
    """An array passed to the provider. The provider may share the array's memory, and the probe may write into the
    memory later.
    """

    array: Array
    name: str
    held: bytes
    written: bool = False


class Recorder:
    """A provider that passes all calls to another provider and records the calls."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._steps: list[_Step] = []
        self._kept: list[Any] = []  # objects kept alive, so that their ids stay unique
        self._names: dict[int, str] = {}
        self._types: dict[int, str] = {}
        self._arrays: dict[int, _Owned] = {}
        self._made: set[str] = set()  # names of tensors made from arrays

    def __getattr__(self, name: str) -> Any:
        return getattr(self._provider, name)

    def find(self, operator: str) -> Callable[..., Any] | None:
        """Return a function that calls the operator and records the calls."""
        function = self._provider.find(operator)
        return function and (lambda *args, **options: self._called(operator, function, args, options))

    def element_type(self, name: str) -> Any:
        """Return the element type of a given name, and record the expression that makes the type."""
        found = self._provider.element_type(name)
        self._kept.append(found)
        self._types[id(found)] = f'provider.element_type("{name}")'
        return found

    def from_numpy(self, array: Array) -> Any:
        """Make a tensor from an array, and record the creation."""
        self._notice_writes()
        name, copied = self._new_name(), replica(array)
        owned = self._arrays[id(array)] = _Owned(array, f"a{name[1:]}", _bytes(array))

        def text() -> str:
            if owned.written:
                return f"{owned.name} = {array_text(copied)}\n{name} = provider.from_numpy({owned.name})"
            return f"{name} = provider.from_numpy({array_text(copied)})"

        tensor = self._provider.from_numpy(array)
        self._add(_Step(text, name, set(), tensor))
        self._made.add(name)
        return tensor

    def to_numpy(self, tensor: Any) -> Any:
        """Return the elements of a tensor, and record the reading."""
        self._notice_writes()
        text, uses = self._argument(tensor)
        found = self._provider.to_numpy(tensor)
        step = _Step(lambda: f"provider.to_numpy({text})", "", uses, found, looks=True, of_operand=text in self._made)
        self._steps.append(step)
        return found

    def order(self, tensor: Any) -> tuple[int, ...]:
        """Return the logical order of a tensor, and record the query."""
        text, uses = self._argument(tensor)
        found = self._provider.order(tensor)
        self._steps.append(_Step(lambda: f"print(provider.order({text}))", "", uses, None, looks=True))
        return found

    def device_of(self, tensor: Any) -> str:
        """Return the device of a tensor, and record the query."""
        text, uses = self._argument(tensor)
        found = self._provider.device_of(tensor)
        self._steps.append(_Step(lambda: f"print(provider.device_of({text}))", "", uses, None, looks=True))
        return found

    def _called(self, operator: str, function: Callable[..., Any], args: Any, options: Any) -> Any:
        self._notice_writes()
        texts, uses = [], set()
        for value in args:
            text, used = self._argument(value)
            texts.append(text)
            uses |= used
        for key, value in options.items():
            text, used = self._argument(value)
            texts.append(f"{key}={text}")
            uses |= used
        call = f'provider.find("{operator}")({", ".join(texts)})'
        try:
            result = function(*args, **options)
        except Exception:
            self._steps.append(_Step(lambda: call, "", uses, looks=True, raised=True))
            raise
        finally:
            for owned in self._arrays.values():  # the provider may write into shared memory
                owned.held = _bytes(owned.array)
        name = self._new_name()
        self._add(_Step(lambda: f"{name} = {call}", name, uses, result))
        if isinstance(result, tuple | list):
            for i, item in enumerate(result):
                self._kept.append(item)
                self._names.setdefault(id(item), f"{name}[{i}]")
        return result

    def _add(self, step: _Step) -> None:
        self._steps.append(step)
        self._kept.append(step.result)
        if not _is_plain(step.result):
            self._names[id(step.result)] = step.gives

    def _new_name(self) -> str:
        return f"x{sum(bool(step.gives) for step in self._steps) + 1}"

    def _argument(self, value: Any) -> tuple[str, set[str]]:
        """Return the text of an argument, and the names that the text uses."""
        if id(value) in self._types:
            return self._types[id(value)], set()
        if id(value) in self._names:
            name = self._names[id(value)]
            return name, {name.partition("[")[0]}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, list | tuple) and not _is_plain(value):
            parts = [self._argument(item) for item in value]
            inner = ", ".join(text for text, _ in parts)
            text = f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(parts) == 1)})"
            return text, set().union(*(used for _, used in parts))
        return plain_text(value), set()

    def _array(self, array: Array) -> tuple[str, set[str]]:
        """Record the statement that makes an array, for a call with the array itself as an argument. Return the text of
        the argument, and the names that the text uses.
        """
        name, copied = self._new_name(), replica(array)
        self._arrays[id(array)] = _Owned(array, name, _bytes(array))
        self._add(_Step(lambda: f"{name} = {array_text(copied)}", name, set(), array))
        return name, {name}

    def _notice_writes(self) -> None:
        """Record the writes of the probe into arrays that the provider received."""
        for owned in self._arrays.values():
            held = _bytes(owned.array)
            if held != owned.held:
                owned.held, owned.written = held, True
                self._steps.append(_Step(partial(_written, owned.name, owned.array.copy()), "", {owned.name}))

    def program(self, fault: str = "", *, results_alone: bool = False) -> str:
        """Return the calls as a program that prints the results. For a large result, the program prints a hash. If the
        text `fault` contains the index of an element, the program also prints this element.

        `results_alone` omits statements that print operands.
        """
        steps = [step for step in self._needed() if not (results_alone and step.of_operand)]
        used = {name for step in steps for name in step.uses}
        at = re.findall(r" at (\([\d, ]*\))", fault)
        lines = []
        for number, step in enumerate(steps):
            text = step.text()
            if step.raised:
                last = number == len(steps) - 1
                lines += (
                    [text] if last else ["try:", f"    {text}", "except Exception as error:", f"    print({_REFUSED})"]
                )
            elif text.startswith("provider.to_numpy("):
                lines.append(_shown(text, step.result, at[0] if at else ""))
            elif step.gives and step.gives not in used and _is_plain(step.result):
                lines.append(f"print({text.partition(' = ')[2]})")
            else:
                lines.append(text)
        program = "\n".join(lines)
        return "\n".join([*imports(program), program])

    def _needed(self) -> list[_Step]:
        """Return all steps if the steps are few, and otherwise only the steps that lead to the last results."""
        steps = self._steps
        if len(steps) <= _ALL:
            return steps
        looks = [i for i, step in enumerate(steps) if step.looks or i == len(steps) - 1][-2:]
        names: set[str] = set()
        kept = []
        for i in reversed(range(len(steps))):
            step = steps[i]
            if i in looks or step.gives in names or (step.uses & names and not step.looks):
                kept.append(step)
                names |= step.uses | ({step.gives} if step.gives else set())
        return kept[::-1]


_REFUSED = 'type(error).__name__, getattr(error, "status", None)'


def _bytes(array: Array) -> bytes:
    return repr(array.tolist()).encode() if array.dtype.kind in "UO" else array.tobytes()


def _written(name: str, array: Array) -> str:
    """Return the code that writes the elements of `array` into a named array. A byte of a bool may have any value."""
    if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        return f'{name}.view("uint8")[...] = {array_text(array.view(np.uint8))}'
    return f"{name}[...] = {array_text(array)}"


def _shown(text: str, found: Any, at: str) -> str:
    """Return the code that prints an array so that any difference shows. The code prints all elements of a small array,
    or a hash of a large array and the element at the index `at`.
    """
    head = f"x = numpy.asarray({text}); print(x.dtype, x.shape, "
    array = np.asarray(found)
    if array.size <= _WRITTEN_OUT or array.dtype.kind in "UO":
        return f"{head}x.tolist())"
    index = eval(at) if at else ()
    inside = len(index) == array.ndim > 0 and all(i < n for i, n in zip(index, array.shape, strict=True))
    return f"{head}{f'x[{at}].tolist(), ' if inside else ''}zlib.crc32(x.tobytes()))"


def _is_plain(value: Any) -> bool:
    """Return whether a value is a number, a text, None, or a sequence of such values."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | complex | str | bytes | np.generic)
