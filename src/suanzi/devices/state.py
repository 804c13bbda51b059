"""The state of a device between calls: deferred checks of indices, and the names of the last operators."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from suanzi import tuning
from suanzi.tensor.device import Device
from suanzi.tensor.status import OutOfRangeError, SuanziError

_LAST = 8  # the number of operators whose names are kept for the messages of late errors


last: deque[str] = deque(maxlen=_LAST)  # operators on all devices, because any device may report a failure


@contextmanager
def telling(name: str) -> Iterator[None]:
    """Convert PyTorch's errors to statuses while the host waits for a device outside an operator."""
    try:
        yield
    except SuanziError:
        raise
    except Exception as error:
        from suanzi.devices.errors import explained  # this import at the top would be circular

        raise explained(name, error) from None


class State:
    """The state of one device: PyTorch's name of the device, and the flags of index checks that are not yet read."""

    def __init__(self, device: Device, place: torch.device) -> None:
        self.device, self.place = device, place
        self.flags: list[tuple[str, torch.Tensor]] = []
        self.last = last

    def note(self, operator: str, wrong: torch.Tensor) -> None:
        """Record a flag that is True if an index of an operator is wrong. The flag is read before any element leaves
        the device, so no operator waits for checks of indices.
        """
        self.flags.append(("index" if operator.startswith("_") else operator, wrong))
        if synchronous.on or len(self.flags) >= tuning.MOST_FLAGS:
            self.check()

    def check(self) -> None:
        """Raise OUT_OF_RANGE if an index of an earlier call was outside its range."""
        if not self.flags:
            return
        flags, self.flags = self.flags, []
        with telling(flags[-1][0]):
            told = torch.stack([wrong for _, wrong in flags]).tolist()
        for (operator, _), wrong in zip(flags, told, strict=True):
            if wrong:
                raise LateIndexError(
                    f"{operator}: an index lies outside its range; {self.device} reported the error after the call"
                )

    def wait(self) -> None:
        """Wait until the device has finished its work. Raise an error if an earlier call has failed on the device."""
        if self.place.type != "cpu":
            with telling("synchronize"):
                torch.accelerator.synchronize(self.place)
        self.check()


class LateIndexError(OutOfRangeError):
    """The error (超出范围) for an index that a device reports after the call. The message names the call's operator."""

    speaks_for_its_caller = True


class Synchronous:
    """The setting that decides whether each call waits for its device."""

    on = False


class Functions:
    """The setting that decides how devices compute mathematical functions of float32."""

    correct = False  # if true, float32 functions are computed in float64 and rounded


synchronous = Synchronous()
functions = Functions()
_states: dict[Device, State] = {}


def state_of(device: Device) -> State:
    """Return the state of an existing device."""
    found = _states.get(device)
    if found is None:
        from suanzi.devices.platforms import there

        found = _states.setdefault(device, State(device, there(device)))
    return found


def states() -> tuple[State, ...]:
    """Return the states of all devices that have been used."""
    return tuple(_states.values())


def place_of(device: Device) -> Any:
    """Return PyTorch's name of a device."""
    return state_of(device).place
