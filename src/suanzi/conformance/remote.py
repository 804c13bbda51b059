"""A provider whose library runs in another process. The process receives calls and returns answers as plain data.

Probes run unchanged in this process, which a provider's code in the other process cannot reach. Tensors are handles,
and the library's objects stay in the library's process. All received data are checked before use.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .memory import Regions
from .oracle.element_types import ELEMENT_TYPES, Array
from .process import EndedError, Process
from .provider import BlockedError, Provider, only_tensor
from .wire import GarbledError, Packer, Unpacker, names_of, scalar

_STARTING = 120.0  # seconds for the start of the process and the library
_LONGEST = 2000  # the most characters of a message
_LONGEST_NAME = 100


class ProviderError(RuntimeError):
    """Raised if the provider cannot be loaded."""


class GoneError(BaseException):
    """Raised if the process ends during a probe.

    The class does not derive from Exception, so that probes do not catch the error.
    """


class RemoteError(Exception):
    """An exception from the other process. For each class of exceptions in the other process, the module makes a
    derived class of the same name.
    """

    status: int | None = None


@cache
def _error_class(name: str) -> type[RemoteError]:
    return type(name, (RemoteError,), {})


class Handle:
    """A tensor or another object of the library, with the object's number in the other process."""

    __slots__ = ("__weakref__", "_array", "_asked", "_link", "_number", "_received")

    def __init__(self, link: Link, number: int) -> None:
        self._link, self._number, self._received = link, number, 0
        self._array: Array | None = None  # the elements, if an answer contained the elements
        self._asked = 0  # the number of the last answer with this handle; later calls may change the elements

    def __repr__(self) -> str:
        return "an object of the provider"

    def __del__(self) -> None:
        self._link.dropped.append([self._number, self._received])


class Function:
    """An operator of the provider. A call runs the operator in the library's process."""

    __slots__ = ("_name", "_remote")

    def __init__(self, remote: Remote, name: str) -> None:
        self._remote, self._name = remote, name

    def __call__(self, *operands: Any, **options: Any) -> Any:
        return self._remote.called(self._name, operands, options)


class ArgumentError(BaseException):
    """Raised if `from_numpy` failed. The call that needs the tensor is not at fault."""


class Link:
    """The connection to one process, with a record of the objects in that process."""

    def __init__(self, command: list[str]) -> None:
        self.process = Process(command)
        self.made = 0  # the number of the last tensor made from an array; the numbers are -1, -2, …
        self.packer = Packer(self.packed)
        self.unpacker = Unpacker({"h": self.handle, "a": self.array})
        self.first: list[list[Any]] = []  # arrays that become tensors before the next request
        self.handles: WeakValueDictionary[int, Handle] = WeakValueDictionary()
        self.dropped: list[list[int]] = []  # the number of each freed handle, and how many answers had the handle
        self.regions = Regions()
        self.number = 0  # the number of the last request
        self.is_new_probe = False

    def packed(self, x: Any) -> Any:
        """Return the form of a tensor, an array or a NumPy scalar in JSON's types."""
        if isinstance(x, Handle):
            if x._link is not self:
                raise BlockedError("needs a tensor of a process that has ended")
            return {"h": x._number}
        if isinstance(x, np.ndarray):
            return self.described(x, shared=True)
        if isinstance(x, np.generic):
            return scalar(x)
        raise TypeError(f"{type(x).__name__} cannot be sent to the provider")

    def described(self, array: Array, *, shared: bool) -> Any:
        """Return the description of an array for a request. Writes to shared memory in one process become visible in
        the other process.
        """
        if array.dtype.kind in "OT":
            return {"a": self.packer.array(array)}
        return {"m": self.regions.pack(array, self.packer, shared=shared)}

    def handle(self, of: Any) -> Handle:
        """Return the handle for an object of the other process. An object always has the same handle. The handle
        receives the elements if the answer contains elements.
        """
        if type(of) is not list or len(of) not in (1, 2) or type(of[0]) is not int:
            raise GarbledError(f"an invalid handle: {of!r:.100}")
        handle = self.handles.get(of[0])
        if handle is None:
            handle = self.handles[of[0]] = Handle(self, of[0])
        handle._received += 1
        handle._asked = self.number
        handle._array = self.unpacker.array(of[1]) if len(of) == 2 else None
        return handle

    def array(self, of: Any) -> Array:
        """Return the elements that an answer describes. Raise TypeError for a type that the standard lacks."""
        if isinstance(of, list) and len(of) == 3 and of[0] == "strange":
            raise TypeError(f"elements of the type {of[2]!s:.100}, which is not a type of the standard")
        return self.unpacker.array(of)


class Remote(Provider):
    """A provider with a given name, in a separate process.

    `trusted` means that the kit contains the provider. If a trusted provider reports that a check cannot test its
    library, the kit leaves out the check. The same report from any other provider is a fault, because the report would
    be a way to avoid a check.
    """

    def __init__(self, name: str, device: str = "", memory: int = 0, *, trusted: bool = False) -> None:
        self._command = [f"{__package__}.worker", name, device, str(memory)]
        self.is_trusted, self.device = trusted, device
        self._seconds = self._left = _STARTING  # seconds for the current work, and seconds that are left
        self._functions: dict[str, Function | None] = {}
        self._belonging: dict[str, tuple[str, ...]] = {}
        self._types: dict[str, Any] = {}
        self.start()

    def start(self) -> None:
        """Start a process that runs the library, at first or after the previous process ended. Raise ProviderError if
        the provider cannot be loaded or the process does not answer as expected.
        """
        self._link = Link(self._command)
        self._functions.clear()
        self._types.clear()
        try:
            told, _ = self._link.process.heard(_STARTING)
            self._greeted(told)
        except (EndedError, GarbledError) as error:
            raise ProviderError(str(error)) from None

    def _greeted(self, told: Any) -> None:
        if not isinstance(told, dict):
            raise GarbledError("an invalid greeting")
        if "error" in told:
            self.stop()
            raise ProviderError(str(told["error"])[:_LONGEST])
        self.name, self._version = (str(told.get(key, ""))[:_LONGEST_NAME] for key in ("name", "version"))
        known = {*ELEMENT_TYPES, "string"}
        self.element_types = frozenset(names_of(told.get("element_types"))) & known
        self.claims = frozenset(names_of(told.get("claims")))
        self._telling = frozenset(names_of(told.get("telling")))

    def stop(self) -> None:
        """End the library's process."""
        self._link.process.stop()

    def begin(self, seconds: float) -> None:
        """Begin a probe, which may take `seconds` seconds in the other process."""
        self._seconds = self._left = seconds
        self._link.regions.clear()
        if self._link.first:
            self._link.first = []
            self._link.packer.clear()
        self._link.is_new_probe = True

    # --- properties of a provider ---

    def version(self) -> str:
        return self._version

    def find(self, operator: str) -> Callable[..., Any] | None:
        if operator not in self._functions:
            found = self.asked("find", operator)
            if not isinstance(found, bool):
                raise self._garbled(f"{found!r:.100} where an operator was looked for")
            self._functions[operator] = Function(self, operator) if found else None
        return self._functions[operator]

    def functions(self, operator: str) -> Iterable[str]:
        if operator not in self._belonging:
            try:
                told = names_of(self.asked("functions", operator))
            except GarbledError as error:
                raise self._garbled(str(error)) from None
            self._belonging[operator] = tuple(dict.fromkeys((operator, *told)))
        return self._belonging[operator]

    def element_type(self, name: str) -> Any:
        if name not in self._types:
            self._types[name] = self.asked("element_type", name)
        return self._types[name]

    def from_numpy(self, array: Array) -> Any:
        """Return a tensor that the next request makes, so that a call and the call's operands take one message."""
        link = self._link
        link.made -= 1
        handle = link.handles[link.made] = Handle(link, link.made)
        handle._received = 1
        shared = array.base is not None and array.flags.writeable
        link.first.append([link.made, link.described(array, shared=shared)])
        return handle

    def to_numpy(self, tensor: Any) -> Array:
        only_tensor(tensor)
        if isinstance(tensor, Handle):
            array, tensor._array = tensor._array, None
            is_last = tensor._link is self._link and tensor._asked == self._link.number
            if array is not None and is_last and not self._link.regions.are_written():
                return array
        found = self.asked("to_numpy", tensor)
        if not isinstance(found, np.ndarray):
            raise self._garbled(f"{found!r:.100} where elements were asked for")
        return found

    def order(self, tensor: Any) -> tuple[int, ...]:
        if "order" not in self._telling:
            return super().order(tensor)
        found = self.asked("order", tensor)
        if not isinstance(found, tuple | list) or not all(type(axis) is int for axis in found):
            raise TypeError(f"order returned {found!r:.100}, not a list of the axes, the fastest first")
        return tuple(found)

    def device_of(self, tensor: Any) -> str:
        if "device_of" not in self._telling:
            return super().device_of(tensor)
        found = self.asked("device_of", tensor)
        if not isinstance(found, str):
            raise TypeError(f"device_of returned {found!r:.100}, not a name")
        return found

    def rule(self, name: str, *given: Any) -> Any:
        return self.asked("rule", name, *given) if "rule" in self._telling else super().rule(name)

    # --- requests ---

    def asked(self, what: str, *given: Any) -> Any:
        """Send a request to the other process. Return the result, or raise the exception."""
        pack = self._link.packer.pack
        return self._answer({"do": what, "given": [pack(x) for x in given]})

    def called(self, name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call an operator in the other process."""
        pack = self._link.packer.pack
        request: dict[str, Any] = {"do": "call", "given": [name], "args": [pack(x) for x in operands]}
        if options:
            request["options"] = {key: pack(value) for key, value in options.items()}
        return self._answer(request)

    def _answer(self, request: dict[str, Any]) -> Any:
        """Send a request together with all postponed requests, and return the result."""
        link = self._link
        link.number += 1
        request["n"] = link.number
        if link.is_new_probe:
            request["probe"], link.is_new_probe = True, False
        if link.dropped:
            request["dropped"], link.dropped = link.dropped, []
        if link.regions.all and (news := link.regions.news(link.packer)):
            request["news"] = news
        if link.first:
            request["first"] = [made for made in link.first if made[0] in link.handles]
            link.first = []
        blocks = link.packer.blocks
        link.packer.clear()
        answer, body = self._exchanged(request, blocks)
        try:
            return self._read(answer, body)
        except GarbledError as error:
            raise self._garbled(str(error)) from None

    def _exchanged(self, request: Any, blocks: list[Any]) -> tuple[Any, memoryview]:
        """Return the answer to a request, and subtract the library's time from the time that is left."""
        began = time.monotonic()
        try:
            self._link.process.say(request, blocks, self._left, self._seconds)
            return self._link.process.heard(self._left, self._seconds)
        except EndedError as ended:
            raise GoneError(str(ended)) from None
        finally:
            self._left -= time.monotonic() - began

    def _garbled(self, why: str) -> GoneError:
        """Stop the process, because no message after an unreadable message can be trusted. Return the error."""
        self.stop()
        return GoneError(f"the process sent {why}")

    def _read(self, answer: Any, body: memoryview) -> Any:
        """Return the result that an answer contains, or raise the exception that the answer describes."""
        link = self._link
        if not isinstance(answer, dict) or answer.get("n") != link.number:
            raise GarbledError("an answer to something else")
        link.unpacker.body = body
        if "news" in answer:
            link.regions.take(answer["news"], link.unpacker)
        if "e" in answer:
            error = self._error(answer["e"])
            if answer.get("first") is True:
                raise ArgumentError(f"{type(error).__name__}: {error}")
            raise error
        return link.unpacker.unpack(answer.get("r"))

    def _error(self, told: Any) -> Exception:
        """Return the exception that a description represents. The description has the class name, the message, the
        status, and True if the exception is BlockedError.
        """
        if not isinstance(told, list) or len(told) != 4 or not all(isinstance(text, str) for text in told[:2]):
            raise GarbledError(f"an invalid exception: {told!r:.100}")
        name, message, status, is_blocked = told
        if is_blocked is True and self.is_trusted:
            return BlockedError(message[:_LONGEST])
        error = _error_class(name[:_LONGEST_NAME])(message[:_LONGEST])
        error.status = status if type(status) is int else None
        return error
