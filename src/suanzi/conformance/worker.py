"""The process in which a checked library runs. The process makes calls and sends the outcomes, but judges nothing.

The command line names the provider, the device and the memory limit. The module `remote` runs in the judging process,
and the module `wire` defines the messages. An object of the library stays in this process. A number identifies the
object as long as the judging process keeps the number.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from math import prod
from typing import Any, BinaryIO

import numpy as np

from .adapter import adapted, telling
from .memory import Regions
from .oracle.element_types import Array
from .process import private_pipes
from .provider import BlockedError, Provider
from .providers import UnknownProviderError, load
from .status import Status, status_in
from .wire import Packer, Unpacker, read, write

_LONGEST = 2000  # the most characters of a message
_SMALL = 2**14  # the most elements of a result that are sent with the result's handle


class Server:
    """A server of requests to a provider."""

    def __init__(self, provider: Provider, answers: BinaryIO) -> None:
        self._provider, self._answers = provider, answers
        self._objects: dict[int, list[Any]] = {}  # each object by number, and how often the object was sent
        self._numbers: dict[int, int] = {}  # the number of each object, by the object's id
        self._last = 0
        self._functions: dict[str, Any] = {}
        self._regions = Regions()
        self._packer = Packer(self._handle)
        self._unpacker = Unpacker({"h": self._object, "m": self._memory})
        self._unpacker.others["a"] = self._unpacker.array

    def answer(self, request: Any, body: memoryview) -> None:
        """Carry out a request, and send the outcome."""
        packer, unpacker = self._packer, self._unpacker
        packer.clear()
        unpacker.body = body
        self._forget(request)
        if "news" in request:
            self._regions.take(request["news"], unpacker)
        told: dict[str, Any] = {"n": request["n"]}
        is_first = True
        try:
            for number, described in request.get("first", ()):
                self._keep(number, self._provider.from_numpy(unpacker.unpack(described)))
            is_first = False
            # No variable refers to the arguments, so that Python frees the arguments after the call.
            told["r"] = self._done(request["do"], request)
        except Exception as error:
            packer.clear()
            told["e"], told["first"] = _told(error), is_first
        if self._regions.all and (news := self._regions.news(packer)):
            told["news"] = news
        write(self._answers, told, packer.blocks)

    def _object(self, number: int) -> Any:
        return self._objects[number][0]

    def _memory(self, described: Any) -> Array:
        return self._regions.unpack(described, self._unpacker)

    def _forget(self, request: Any) -> None:
        """Free the objects that the judging process no longer uses, and the shared memory of a finished probe."""
        if "probe" in request:
            self._regions.clear()
        for number, count in request.get("dropped", ()):
            held = self._objects.get(number)
            if held is None:  # an argument that could not be made
                continue
            held[1] -= count
            if held[1] <= 0:
                if self._numbers.get(id(held[0])) == number:
                    del self._numbers[id(held[0])]
                del self._objects[number]

    def _keep(self, number: int, x: Any, count: int = 1) -> None:
        """Store an object under a number. The first number of an object remains the object's number."""
        self._objects[number] = [x, count]
        self._numbers.setdefault(id(x), number)

    def _done(self, what: str, request: Any) -> Any:
        provider, pack, unpack = self._provider, self._packer.pack, self._unpacker.unpack
        if what == "call":
            options = {name: unpack(value) for name, value in request.get("options", {}).items()}
            function = self._functions[request["given"][0]]
            return pack(function(*[unpack(x) for x in request["args"]], **options))
        if what == "rule":
            return pack(provider.rule(*[unpack(x) for x in request["given"]]))
        (given,) = [unpack(x) for x in request["given"]]
        if what == "find":
            self._functions[given] = provider.find(given)
            return self._functions[given] is not None
        if what == "to_numpy":
            return {"a": self._packer.array(np.asarray(provider.to_numpy(given)))}
        if what == "element_type":
            return pack(provider.element_type(given))
        if what == "order":
            return pack(tuple(provider.order(given)))
        if what == "device_of":
            return str(provider.device_of(given))
        if what == "functions":
            return pack([str(name) for name in provider.functions(given)])
        raise ValueError(f"{what}: not a request that the process can answer")

    def _handle(self, x: Any) -> Any:
        """Describe an object of the library by its number, and by its elements if the object has few elements."""
        number = self._numbers.get(id(x))
        if number is None:
            self._last += 1
            number = self._last
            self._keep(number, x, 0)
        self._objects[number][1] += 1
        array = self._elements(x)
        described = None if array is None else self._packer.array(array)
        # An object with a shape need not be a tensor. For example, a type of a library may have a shape.
        is_untold = described is None or described[0] == "strange"
        return {"h": [number] if is_untold else [number, described]}

    def _elements(self, x: Any) -> Array | None:
        with suppress(Exception):  # after a failure, the judging process requests the elements later
            if prod(x.shape) <= _SMALL:
                array = np.asarray(self._provider.to_numpy(x))
                return array if array.size <= _SMALL else None
        return None


def _told(error: Exception) -> list[Any]:
    """Return an exception as data: class name, message, status, and True for BlockedError."""
    code = status_in(error)
    try:
        message = str(error)[:_LONGEST]
    except Exception as another:
        message = f"and no message: {type(another).__name__}"
    kind = type(error)
    # If the error's class is a class of the kit, the status identifies the error better than the name of the class.
    stated = next((status for status in Status if status == code), None)
    is_ours = str(kind.__module__).startswith(__package__)
    name = stated.name if is_ours and stated is not None else kind.__name__
    return [name, message, code, isinstance(error, BlockedError)]


def _limit(memory: int) -> None:
    """Limit the address space of this process. Raise ImportError if the system has no module `resource`."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


def _why_not(error: BaseException, memory: int) -> str:
    """Return the reason why the provider cannot be loaded. A limit of memory may be the cause of any error."""
    limit = f" (the process may take only {memory / 2**30:g} GiB: --memory)" if memory else ""
    name = "" if isinstance(error, UnknownProviderError) else f"{type(error).__name__}: "
    return f"{name}{error}".rstrip(": ") + limit


def main() -> None:
    """Load the provider that the command line names, and answer requests until the input ends."""
    name, device, memory = sys.argv[1], sys.argv[2], int(sys.argv[3])
    asked, answers = private_pipes()
    try:
        if memory:
            _limit(memory)
        provider = adapted(load(name, device))
        told = {
            "name": provider.name,
            "version": provider.version(),
            "element_types": sorted(provider.element_types),
            "claims": sorted(provider.claims),
            "telling": telling(provider),
        }
    except BaseException as error:
        return write(answers, {"error": _why_not(error, memory)[:_LONGEST]})
    write(answers, told)
    server = Server(provider, answers)
    while (frame := read(asked)) is not None:
        server.answer(*frame)
        del frame
    return None


if __name__ == "__main__":
    main()
