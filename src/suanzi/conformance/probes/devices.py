"""Probes of devices (chapter 6.5 of the standard). A tensor must be on the requested device, by default the CPU.

A provider that computes on another device has that device as its default, and also accepts the CPU. A tensor on
existing memory is on that memory's device. The module `bad_values` tests that operators refuse a missing device. If a
provider's tensors do not show their device, the probes compare only the elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..arguments import Arguments, Plain, Type, arguments
from ..oracle.element_types import Array
from ..probe import Probe, Scenario
from ..provider import Provider, is_device, needed
from ..standard import Operator, standard


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """Yield the probes of devices for an operator that creates tensors."""
    operator = standard().operators.get(function)
    if operator is None or "devices" not in operator.aspects:
        return
    yield Scenario(function, "on the CPU by default", partial(_lies_by_default, operator), "devices")
    yield Scenario(function, "on the device that is asked", partial(_lies_there, operator), "devices")
    yield Scenario(function, "on the CPU", partial(_lies_on_the_cpu, operator, {}), "devices")
    if operator.results == ("dtype",):
        dtype = next(p for p in operator.parameters if p.name == "dtype")
        for name in (name for kind in dtype.types for name in standard().kinds[kind] if name in available):
            play = partial(_lies_on_the_cpu, operator, {"dtype": name})
            yield Scenario(function, f"{name} on the CPU", play, "devices", name)


_WHERE_ITS_DATA_LIE = ("from_reference",)  # the result is on the device of its data


def _lies_by_default(operator: Operator, provider: Provider) -> str | None:
    """Test that, without a named device, a tensor is on the device on which the provider computes."""
    return _lies(operator, {}, provider.device or "cpu", provider)


def _lies_there(operator: Operator, provider: Provider) -> str | None:
    """Test that a tensor is on the device on which the provider computes if the call names this device."""
    device = provider.device or "cpu"
    return _lies(operator, {"device": device}, device, provider)


def _lies_on_the_cpu(operator: Operator, options: dict[str, str], provider: Provider) -> str | None:
    if operator.name in _WHERE_ITS_DATA_LIE and provider.device:
        return None
    return _lies(operator, {"device": "cpu", **options}, "cpu", provider)


def _lies(operator: Operator, options: dict[str, str], device: str, provider: Provider) -> str | None:
    """Return a fault if a call that names a device returns other elements than a call without the name, or if the
    result is not on `device`.
    """
    given = arguments(operator, operator.example)
    without = {name: value for name, value in options.items() if name != "device"}
    named, bare = (_created(operator, provider, given, some) for some in (options, without))
    found, expected = (_elements(operator, provider, x) for x in (named, bare))
    # Another device may round the functions that make random numbers differently. Only types and shapes are compared.
    compared = _alike if _is_drawn(operator) and device != (provider.device or "cpu") else _same
    if operator.name != "empty" and not compared(found, expected):
        return "other elements than without the name of the device"
    told = provider.device_of(named)
    return None if is_device(told, device) else f"is on {told}"


def _is_drawn(operator: Operator) -> bool:
    return any(parameter.name == "seed" for parameter in operator.parameters)


def _created(operator: Operator, provider: Provider, given: Arguments, options: dict[str, str]) -> object:
    args = [a.made(provider) for a in given.args]
    own = {name: (Type(value) if name == "dtype" else Plain(value)).made(provider) for name, value in options.items()}
    made = {name: a.made(provider) for name, a in given.options.items()}
    return needed(provider, operator.name)(*args, **{**made, **own})


def _elements(operator: Operator, provider: Provider, tensor: object) -> Array:
    dense = needed(provider, "dequantize")(tensor) if operator.results == ("quantized",) else tensor
    return np.asarray(provider.to_numpy(dense))


def _alike(x: Array, y: Array) -> bool:
    return x.dtype == y.dtype and x.shape == y.shape


def _same(x: Array, y: Array) -> bool:
    return _alike(x, y) and x.tobytes() == y.tobytes()
