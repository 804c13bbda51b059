"""A tensor lies on the device that is asked for, by default the CPU (6.5).

That a device which there is not is refused, `bad_values` asks. Where a provider's tensors do not tell their device,
only the elements can be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ..arguments import Arguments, Plain, Type, arguments
from ..oracle.element_types import Array
from ..probe import Probe, Scenario
from ..provider import Provider, needed
from ..standard import Operator, standard


def probes(function: str, available: frozenset[str]) -> Iterator[Probe]:
    """The probes of an operator that creates tensors on devices."""
    operator = standard().operators.get(function)
    if operator is None or "devices" not in operator.aspects:
        return
    yield Scenario(function, "on the CPU by default", partial(_lies, operator, {}, "cpu"), "devices")
    yield Scenario(function, "on the CPU", partial(_lies, operator, {"device": "cpu"}, "cpu"), "devices")
    if operator.results == ("dtype",):
        dtype = next(p for p in operator.parameters if p.name == "dtype")
        for name in (name for kind in dtype.types for name in standard().kinds[kind] if name in available):
            play = partial(_lies, operator, {"device": "cpu", "dtype": name}, "cpu")
            yield Scenario(function, f"{name} on the CPU", play, "devices", name)


def _lies(operator: Operator, options: dict[str, str], device: str, provider: Provider) -> str | None:
    """With the device named, the elements are those without it, and the tensor tells the device."""
    given = arguments(operator, operator.example)
    without = {name: value for name, value in options.items() if name != "device"}
    named, bare = (_created(operator, provider, given, some) for some in (options, without))
    if operator.name != "empty" and not _same(*(_elements(operator, provider, x) for x in (named, bare))):
        return "other elements than without the name of the device"
    told = provider.device_of(named)
    return None if told.partition(":")[0].lower() == device else f"lies on {told}"


def _created(operator: Operator, provider: Provider, given: Arguments, options: dict[str, str]) -> object:
    args = [a.made(provider) for a in given.args]
    own = {name: (Type(value) if name == "dtype" else Plain(value)).made(provider) for name, value in options.items()}
    made = {name: a.made(provider) for name, a in given.options.items()}
    return needed(provider, operator.name)(*args, **{**made, **own})


def _elements(operator: Operator, provider: Provider, tensor: object) -> Array:
    dense = needed(provider, "dequantize")(tensor) if operator.results == ("quantized",) else tensor
    return np.asarray(provider.to_numpy(dense))


def _same(x: Array, y: Array) -> bool:
    return x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
