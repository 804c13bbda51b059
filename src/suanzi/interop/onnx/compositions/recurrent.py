"""Recurrent layers in ONNX's form: the functions of suanzi.nn with ONNX's order of gates and shapes of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, tuning
from suanzi.interop.onnx.compositions.matrices import Weight
from suanzi.interop.onnx.rows import Prepared
from suanzi.nn import recurrent
from suanzi.operators.composition import working_type

Numbers = tuple[float, ...]


class Stored(recurrent.Layer):
    """A layer whose parameters a model stores. The first call packs the input weights if the weights are large."""

    @cached_property
    def products(self) -> list[Weight]:
        """Return, for each direction, a function that multiplies an operand by the input weights."""
        return [Weight(weight.T, takes_matrices=False) for weight in self.weight_ih]

    def projections(self, x: Tensor) -> list[Tensor]:
        if self.rows * self.features < tuning.PACKED_MATRIX:
            return super().projections(x)
        return [product(x, bias) for product, bias in zip(self.products, self.biases, strict=True)]


def layer_of(
    cell: recurrent.Cell, name: str, w: Tensor, r: Tensor, b: Tensor | None, attributes: dict[str, Any], **options: Any
) -> Stored:
    """Return the layer that an operator's stored parameters and attributes describe."""
    options |= options_of(name, r, attributes)
    return Stored(cell, working_type(w), w, r, *halves(name, b, r), **options)


def lstm_layer(
    w: Tensor, r: Tensor, b: Tensor | None = None, p: Tensor | None = None, *, input_forget: int = 0, **attributes: Any
) -> Stored:
    peepholes = None if p is None else _peepholes(p, r)
    options = {"gates": "iofg", "coupled": bool(input_forget), "peepholes": peepholes}
    return layer_of(recurrent.LSTM, "LSTM", w, r, b, attributes, **options)


def gru_layer(
    w: Tensor, r: Tensor, b: Tensor | None = None, *, linear_before_reset: int = 0, **attributes: Any
) -> Stored:
    options = {"gates": "zrn", "resets_product": bool(linear_before_reset)}
    return layer_of(recurrent.GRU, "GRU", w, r, b, attributes, **options)


def rnn_layer(w: Tensor, r: Tensor, b: Tensor | None = None, **attributes: Any) -> Stored:
    return layer_of(recurrent.RNN, "RNN", w, r, b, attributes, gates="n")


def called(
    layer: recurrent.Layer, x: Tensor, lengths: Tensor | None = None, *states: Tensor | None, **_: Any
) -> tuple[Tensor, ...]:
    """Run a layer, and return the results in ONNX's order of dimensions."""
    missing = (None,) * (1 + (layer.cell is recurrent.LSTM) - len(states))
    return results_of(layer(x, (*states_of(layer, *states), *missing), lengths), layer)


lstm = Prepared((1, 2, 3, 7), lstm_layer, called)
gru = Prepared((1, 2, 3), gru_layer, called)
rnn = Prepared((1, 2, 3), rnn_layer, called)


def _peepholes(p: Tensor, r: Tensor) -> Tensor:
    """Return the peephole weights of the input, output and forget gates."""
    size = r.shape[-1]
    if p.ndim != 2 or p.shape[1] != 3 * size:
        raise DimensionsMismatchError(f"LSTM: P of shape {p.shape} does not fit states of {size} elements")
    return p


_FUNCTIONS = {"DynamicQuantizeLSTM": 3, "LSTM": 3, "GRU": 2, "RNN": 1}


def options_of(name: str, r: Tensor, attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of an operator as options of a layer of suanzi.nn."""
    if r.ndim != 3:
        raise DimensionsMismatchError(f"{name}: R of shape {r.shape} does not have three dimensions")
    size = attributes.get("hidden_size")
    if size is not None and size != r.shape[-1]:
        raise DimensionsMismatchError(f"{name}: hidden_size is {size}, but R has shape {r.shape}")
    direction = attributes.get("direction", "forward").replace("foward", "forward")  # version 1 has "foward"
    wanted = _FUNCTIONS[name] * (2 if direction == "bidirectional" else 1)
    given = attributes.get("activations")
    alphas, betas = (attributes.get(f"activation_{what}", ()) for what in ("alpha", "beta"))
    activations = None if given is None else list(_activations(name, given, wanted, alphas, betas))
    if given is None and (alphas or betas):
        raise InvalidArgumentError(f"{name}: activation_alpha and activation_beta need activations")
    return {
        "direction": direction,
        "batch_first": bool(attributes.get("layout", 0)),
        "activations": activations,
        "clip": attributes.get("clip"),
    }


def _activations(
    name: str, words: Sequence[str], wanted: int, alphas: Numbers, betas: Numbers
) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield each activation function with its two parameters. ONNX lists parameters only for functions with parameters.
    The default of `activations` in RNN lists one function more than RNN needs.
    """
    words = words[:wanted] if name == "RNN" else words
    left = [_in_turn(words, numbers, place) for place, numbers in enumerate((alphas, betas))]
    yield from zip(words, *left, strict=True)


def _in_turn(words: Sequence[str], numbers: Numbers, place: int) -> list[float | None]:
    lower = {key.lower(): defaults for key, defaults in recurrent.ACTIVATIONS.items()}
    takes = [lower.get(word.lower(), (None, None))[place] is not None for word in words]
    if len(numbers) == len(words) != sum(takes):  # one parameter per function, also for functions without parameters
        return [number if takes_it else None for number, takes_it in zip(numbers, takes, strict=True)]
    left = iter(numbers)
    return [next(left, None) if takes_it else None for takes_it in takes]


def halves(name: str, b: Tensor | None, r: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """Return the bias for the products of the input, and the bias for the products of the state."""
    if b is None:
        return None, None
    rows = r.shape[1]
    if b.ndim != 2 or b.shape[1] != 2 * rows:
        raise DimensionsMismatchError(f"{name}: B of shape {b.shape} does not fit R of shape {r.shape}")
    return b[:, :rows], b[:, rows:]


def states_of(layer: recurrent.Layer, *states: Tensor | None) -> tuple[Tensor | None, ...]:
    """Return the initial states with the directions first. In ONNX's batch-first layout the directions come after the
    batch.
    """
    if not layer.batch_first:
        return states
    return tuple(each if each is None or each.ndim != 3 else suanzi.swapaxes(each, 0, 1) for each in states)


def results_of(found: tuple[Tensor, ...], layer: recurrent.Layer) -> tuple[Tensor, ...]:
    """Return the results with an axis of directions, before the batch or, in the batch-first layout, after batch and
    time.
    """
    y, *states = found
    if layer.batch_first:
        y = suanzi.reshape(y, (*y.shape[:2], layer.directions, layer.size))
        return (y, *(suanzi.swapaxes(each, 0, 1) for each in states))
    if layer.directions == 1:
        return (suanzi.expand_dims(y, 1), *states)
    return (suanzi.transpose(suanzi.reshape(y, (*y.shape[:2], layer.directions, layer.size)), (0, 2, 1, 3)), *states)
