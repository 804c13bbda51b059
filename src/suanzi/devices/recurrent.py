"""The loop of recurrent layers on devices: PyTorch's products and functions compute one step after the other.

`suanzi.nn` checks the operands and multiplies the input by the weights of the input. native/ops/recurrent has the same
formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, NamedTuple

import torch

import suanzi.nn  # noqa: F401  # the rows are for its records
from suanzi.devices.parts import part
from suanzi.devices.state import state_of
from suanzi.devices.table import rows
from suanzi.devices.tensor import DeviceTensor, made
from suanzi.devices.types import carried
from suanzi.kinds.call import Call
from suanzi.tensor.device import Device
from suanzi.tensor.status import TypeMismatchError

Function = Callable[[torch.Tensor, float, float], torch.Tensor]
States = tuple[torch.Tensor, ...]

_FUNCTIONS: dict[str, Function] = {
    "Affine": lambda x, alpha, beta: x * alpha + beta,
    "Elu": lambda x, alpha, beta: torch.where(x >= 0, x, torch.expm1(x) * alpha),
    "HardSigmoid": lambda x, alpha, beta: torch.clamp(x * alpha + beta, 0.0, 1.0),
    "LeakyRelu": lambda x, alpha, beta: torch.where(x >= 0, x, x * alpha),
    "Relu": lambda x, alpha, beta: torch.clamp(x, min=0.0),
    "ScaledTanh": lambda x, alpha, beta: torch.tanh(x * beta) * alpha,
    "Sigmoid": lambda x, alpha, beta: torch.sigmoid(x),
    "Softplus": lambda x, alpha, beta: torch.clamp(x, min=0.0) + torch.log1p(torch.exp(-torch.abs(x))),
    "Softsign": lambda x, alpha, beta: x / (torch.abs(x) + 1),
    "Tanh": lambda x, alpha, beta: torch.tanh(x),
    "ThresholdedRelu": lambda x, alpha, beta: torch.where(x >= alpha, x, 0.0),
}


@rows("lstm", "gru", "rnn", out=True)
def by_its_body(call: Call, device: Device) -> Any:
    """Return NotImplemented, so that the CPU's Python implementation runs. The implementation's steps compute on the
    device. The table of the device's operators (`devices/table.py`) checks before this call that all operands are on
    one device.
    """
    return NotImplemented


class _Layer(NamedTuple):
    """The weights of the state and the other parameters of a step. The gates of the weights are in the order of the
    formulas.
    """

    cell: str
    size: int
    weight: torch.Tensor  # (size, gates * size)
    new_bias: torch.Tensor | None
    peephole: torch.Tensor | None
    functions: Sequence[tuple[str, float, float]]
    clip: float
    couples_gates: bool
    resets_product: bool

    def gate(self, t: torch.Tensor, number: int) -> torch.Tensor:
        return t[..., number * self.size : (number + 1) * self.size]

    def applied(self, number: int, x: torch.Tensor, *, clips: bool = True) -> torch.Tensor:
        """Return the values of the cell's activation function `number` for the elements of `x`. If `clips` is True, the
        function first clips `x` to the layer's limit.
        """
        name, alpha, beta = self.functions[number]
        if clips and isfinite(self.clip):
            x = torch.clamp(x, -self.clip, self.clip)
        return _FUNCTIONS[name](x, alpha, beta)

    def step(self, x: torch.Tensor, states: States) -> States:
        """Return the states after a step. `x` has the products of the step's input and the input weights."""
        cells: dict[str, Callable[..., States]] = {"rnn": self._rnn, "gru": self._gru, "lstm": self._lstm}
        return cells[self.cell](x, *states)

    def _rnn(self, x: torch.Tensor, hidden: torch.Tensor) -> States:
        return (self.applied(0, torch.addmm(x, hidden, self.weight)),)

    def _gru(self, x: torch.Tensor, hidden: torch.Tensor) -> States:
        fresh = self.gate(x, 2)
        if self.resets_product:
            products = hidden @ self.weight
            reset, update = (self.applied(0, self.gate(products, k) + self.gate(x, k)) for k in (0, 1))
            product = self.gate(products, 2)
            fresh = reset * (product if self.new_bias is None else product + self.new_bias) + fresh
        else:
            both = torch.addmm(x[:, : 2 * self.size], hidden, self.weight[:, : 2 * self.size])
            reset, update = (self.applied(0, self.gate(both, k)) for k in (0, 1))
            fresh = torch.addmm(fresh, reset * hidden, self.gate(self.weight, 2))
        fresh = self.applied(1, fresh)
        return ((1 - update) * fresh + update * hidden,)

    def _lstm(self, x: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor) -> States:
        into, forget, fresh, output = torch.addmm(x, hidden, self.weight).split(self.size, dim=1)
        seen = self.peephole
        into = self.applied(0, into if seen is None else into + seen[0] * cell)
        if self.couples_gates:
            forget = 1 - into
        else:
            forget = self.applied(0, forget if seen is None else forget + seen[1] * cell)
        cell = forget * cell + self.applied(1, fresh) * into
        output = self.applied(0, output if seen is None else output + seen[2] * cell)
        return output * self.applied(2, cell, clips=False), cell


class _Ends(NamedTuple):
    """The steps that each of several sequences of different lengths has, and the elements that the steps read."""

    running: torch.Tensor  # (steps, batch, 1): True if a sequence has the step
    places: torch.Tensor  # (steps, batch, 1): the element that step i reads, and also the step that reads element i

    def taken(self, t: torch.Tensor) -> torch.Tensor:
        return torch.gather(t, 0, self.places.expand(t.shape))


def _ends(operator: str, lengths: Any, x: torch.Tensor, device: Device, reverse: bool) -> _Ends:
    steps = x.shape[0]
    if type(lengths) is DeviceTensor:
        count = carried(lengths.data).to(torch.int64)
        state_of(device).note(f"nn.{operator}", ((count < 0) | (count > steps)).any())
        count = count.clamp(0, steps)
    else:
        count = torch.tensor(lengths, dtype=torch.int64, device=x.device)
    number = torch.arange(steps, device=x.device)[:, None, None]
    count = count[None, :, None]
    places = count - 1 - number if reverse else number.expand(steps, x.shape[1], 1)
    return _Ends(number < count, places.clamp(min=0))


def _in_places(t: torch.Tensor, places: Sequence[int], size: int) -> torch.Tensor:
    """Return `t` with the gates along the last axis in the order of the formulas. `places` has the position of each
    gate in `t`.
    """
    return torch.cat([t[..., place * size : (place + 1) * size] for place in places], -1)


@part("recurrent")
def recurrent(
    operator: str,
    cell: str,
    inputs: Sequence[DeviceTensor],
    parameters: Sequence[tuple[Any, ...]],
    states: Sequence[DeviceTensor],
    lengths: list[int] | DeviceTensor | None,
    places: tuple[int, ...],
    clip: float,
    batch_first: bool,
) -> tuple[DeviceTensor, ...]:
    """Return the states of all directions after each element, and the last states."""
    device = inputs[0].device
    found = []
    for d, (x, (weight, new_bias, peephole, functions, flags, codes)) in enumerate(
        zip(inputs, parameters, strict=True)
    ):
        reverse, couples_gates, resets_product, rounds_state = flags
        if rounds_state or codes is not None:
            raise TypeMismatchError(f"{operator}: only the CPU computes rounded states: use x.to_device('cpu')")
        size = weight.shape[1]
        bias, peep = (None if t is None else t.data for t in (new_bias, peephole))
        ordered = _in_places(weight.data.mT, places, size)
        layer = _Layer(cell, size, ordered, bias, peep, functions, clip, couples_gates, resets_product)
        ends = None if lengths is None else _ends(operator, lengths, x.data, device, reverse)
        found.append(_run(layer, _in_places(x.data, places, size), tuple(t.data[d] for t in states), ends, reverse))
    every, *last = zip(*found, strict=True)
    out = torch.cat(every, 2)
    results = (out.swapaxes(0, 1) if batch_first else out, *(torch.stack(each) for each in last))
    return tuple([made(t.contiguous(), device) for t in results])


def _run(layer: _Layer, x: torch.Tensor, states: States, ends: _Ends | None, reverse: bool) -> States:
    """Return one direction's states after each element, and the direction's last states. States after the end of a
    sequence are 0.
    """
    steps, batch, _ = x.shape
    if 0 in (steps, *states[0].shape):
        return (x.new_zeros((steps, batch, layer.size)), *states)
    if ends is not None:
        x = ends.taken(x)
    elif reverse:
        x = x.flip(0)
    found = []
    for k in range(steps):
        after = layer.step(x[k], states)
        if ends is not None:
            after = tuple(torch.where(ends.running[k], new, old) for new, old in zip(after, states, strict=True))
        states = after
        found.append(states[0])
    every = torch.stack(found)
    if ends is not None:
        every = torch.where(ends.running, ends.taken(every) if reverse else every, 0.0)
    elif reverse:
        every = every.flip(0)
    return (every, *states)
