"""Recurrent layers: LSTM, GRU and the simple recurrent network, in one or both directions.

The input of all steps is multiplied by the weights at once. The core then loops over the steps (native/ops/recurrent).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf, isnan
from typing import Any, NamedTuple, TypeAlias

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.composition import floating_operand, into_each, real_number, working_type
from suanzi.operators.creation.filled import zeros
from suanzi.operators.linalg.products import linear
from suanzi.operators.registry import operator
from suanzi.operators.transform.elements import astype
from suanzi.operators.transform.joining import concat, stack
from suanzi.operators.transform.rearranging import swapaxes
from suanzi.operators.transform.shape import reshape
from suanzi.tensor.device import beside, is_elsewhere
from suanzi.tensor.dtypes import DType
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

_STATUSES = ("TYPE_MISMATCH", "DIMENSIONS_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE")
_DIRECTIONS = ("forward", "reverse", "bidirectional")

# The activation functions of a cell, under ONNX's names, and the default values of alpha and beta. None marks a
# function without the parameter.
ACTIVATIONS: dict[str, tuple[float | None, float | None]] = {
    "Affine": (1.0, 0.0),
    "Elu": (1.0, None),
    "HardSigmoid": (0.2, 0.5),
    "LeakyRelu": (0.01, None),
    "Relu": (None, None),
    "ScaledTanh": (1.0, 1.0),
    "Sigmoid": (None, None),
    "Softplus": (None, None),
    "Softsign": (None, None),
    "Tanh": (None, None),
    "ThresholdedRelu": (1.0, None),
}
_LOWER = {name.lower(): name for name in ACTIVATIONS}
Function: TypeAlias = tuple[str, float, float]  # a name, alpha and beta
Activations: TypeAlias = Sequence[str | tuple[str, float | None, float | None]]


class Cell(NamedTuple):
    """The name, the gates and the default activation functions of a kind of recurrent layer. The gates are letters in
    the core's order.
    """

    name: str
    # The letters name the gates: input (i), forget (f), cell (g), output (o), reset (r), update (z), new (n).
    gates: str
    functions: tuple[str, ...]

    def places(self, order: Any) -> tuple[int, ...]:
        """Return the position of each of the cell's gates in `order`, the order of the gates among the rows of the
        weights.
        """
        if not isinstance(order, str):
            raise TypeMismatchError(f"{self.name}: gates are {type(order).__name__}, not a string")
        if sorted(order) != sorted(self.gates):
            raise InvalidArgumentError(f"{self.name}: gates {shown(order)} are not {shown(self.gates)} in some order")
        return tuple(order.index(gate) for gate in self.gates)


RNN = Cell("rnn", "n", ("Tanh",))
GRU = Cell("gru", "rzn", ("Sigmoid", "Tanh"))
LSTM = Cell("lstm", "ifgo", ("Sigmoid", "Tanh", "Tanh"))

# The default functions of a cell, prepared once, because reading the functions would slow down calls of one step.
_OWN = {cell: tuple((name, 0.0, 0.0) for name in cell.functions) for cell in (RNN, GRU, LSTM)}


def _functions(cell: Cell, given: Activations | None, directions: int) -> tuple[tuple[Function, ...], ...]:
    """Return the activation functions of each direction: the given functions, or the cell's default functions if
    `given` is None. `given` has functions for all directions together, or for each direction.
    """
    if given is None:
        return (_OWN[cell],) * directions
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise TypeMismatchError(f"{cell.name}: activations are {type(given).__name__}, not a sequence of names")
    count = len(cell.functions)
    if len(given) not in (count, count * directions):
        raise InvalidArgumentError(
            f"{cell.name}: {len(given)} activations are not {count} for each of {directions} directions"
        )
    read = [_function(cell.name, each) for each in given]
    return tuple(tuple(read[i * count : (i + 1) * count] if len(read) > count else read) for i in range(directions))


def _function(name: str, given: Any) -> Function:
    word, *numbers = given if isinstance(given, tuple) and given else (given,)
    known = _LOWER.get(word.lower()) if isinstance(word, str) else None
    if known is None or len(numbers) > 2:
        raise InvalidArgumentError(f"{name}: activation {shown(given)} is not one of {', '.join(ACTIVATIONS)}")
    found = [default or 0.0 for default in ACTIVATIONS[known]]
    for i, (what, number) in enumerate(zip(("alpha", "beta"), numbers, strict=False)):
        if number is not None:
            found[i] = float(real_number(name, what, number))
    return known, found[0], found[1]


# The greatest number of sequences, and the greatest size of a state, for which the core multiplies by codes.
MOST_CODED, MOST_CODED_SIZE = 4, 2**15
Codes: TypeAlias = tuple[Tensor, Tensor, Tensor]
"""The codes of one direction's weights of the state, of shape (rows, size), and a scale and zero point per row."""
Flags: TypeAlias = tuple[bool, bool, bool, bool]
"""Four flags of a direction: whether the direction is reverse, whether the forget gate is 1 minus the input gate,
whether the reset gate multiplies the product of the state and the weights, and whether the states are rounded.
"""
Parameters: TypeAlias = tuple[Tensor, Tensor | None, Tensor | None, tuple[Function, ...], Flags, Codes | None]
"""The parameters of a direction: the weight of the state, the bias of the new gate, the peepholes, the functions, the
flags and the codes. If codes replace the weight, the core uses only the weight's shape.

The core multiplies by codes only if there are at most `MOST_CODED` sequences and a state has at most `MOST_CODED_SIZE`
elements.
"""


def wide_type(cell: Cell, **operands: Any) -> DType:
    """Return the type of the computation: the widest type of the operands, which must all be floating."""
    types = [working_type(floating_operand(cell.name, what, x)) for what, x in operands.items()]
    return max(types, key=lambda dtype: dtype.itemsize)


class Layer:
    """The parameters of a recurrent layer, checked once for any number of calls."""

    rounds_states = False

    def __init__(
        self, cell: Cell, wide: DType, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Any, bias_hh: Any, *,
        direction: Any, batch_first: Any, gates: Any, activations: Activations | None, clip: Any,
        peepholes: Any = None, coupled: Any = False, resets_product: Any = False,
    ) -> None:  # fmt: skip
        self.cell, self.name, self.wide = cell, cell.name, wide
        self.word = _DIRECTIONS[_core.read_choice(self.name, "direction", direction, _DIRECTIONS)]
        self.directions = 2 if self.word == "bidirectional" else 1
        self.batch_first = _core.read_truth(self.name, "batch_first", batch_first)
        if weight_hh.ndim not in (2, 3):
            raise DimensionsMismatchError(
                f"{self.name}: weight_hh has shape {shown(weight_hh.shape)}, not (directions, gates * size, size)"
            )
        self.size = weight_hh.shape[-1]
        self.rows = len(cell.gates) * self.size
        self.features = weight_ih.shape[-1] if weight_ih.ndim else 0
        self.weight_ih = self._parts(self._parameter("weight_ih", weight_ih, self.rows, self.features))
        self.weight_hh = self._parts(self._parameter("weight_hh", weight_hh, self.rows, self.size))
        self.places = cell.places(gates)
        self.peepholes: list[Any] = [None] * self.directions if peepholes is None else self._ordered(peepholes, gates)
        resets = _core.read_truth(self.name, "linear_before_reset", resets_product)
        self._set_biases(bias_ih, bias_hh, resets)
        self.functions = _functions(cell, activations, self.directions)
        self.clip = self._clip(clip)
        couples = _core.read_truth(self.name, "input_forget", coupled)
        self.flags = tuple(
            (self.word == "reverse" or d == 1, couples, resets, self.rounds_states) for d in range(self.directions)
        )

    def __call__(
        self, x: Tensor, states: Sequence[Tensor | None], sequence_lens: Any = None, out: Any = None
    ) -> tuple[Tensor, ...]:
        """Return the states after each element, and the final states, in the tensors of `out` if `out` is given."""
        dtype = floating_operand(self.name, "x", x).dtype
        if x.ndim != 3:
            raise DimensionsMismatchError(f"{self.name}: x has shape {shown(x.shape)}, not (steps, batch, features)")
        x = self._as(swapaxes(x, 0, 1) if self.batch_first else x)
        steps, batch, features = x.shape
        if features != self.features:
            raise self._misfit("weight_ih", (self.directions, self.rows, self.features), self.rows, features)
        before = tuple([self._state(what, each, x) for what, each in zip(_STATES, states, strict=False)])
        found = _core.recurrent(
            self.name,
            self.cell.name,
            tuple(self.projections(x)),
            self.parameters(batch),
            before,
            self._lengths(sequence_lens, steps, batch),
            self.places,
            self.clip,
            self.batch_first,
        )
        return into_each(self.name, out, found, dtype)

    def projections(self, x: Tensor) -> list[Tensor]:
        """Return the products of the input with the weights of each direction, plus the biases."""
        return [linear(x, weight, bias) for weight, bias in zip(self.weight_ih, self.biases, strict=True)]

    def parameters(self, batch: int) -> tuple[Parameters, ...]:
        """Return the parameters of each direction for a call with `batch` sequences."""
        return self.of_numbers

    @cached_property
    def of_numbers(self) -> tuple[Parameters, ...]:
        """Return the parameters of each direction, with numbers instead of codes as weights."""
        return self._each(self.weight_hh, (None,) * self.directions)

    def _each(self, weights: Sequence[Tensor], codes: Sequence[Codes | None]) -> tuple[Parameters, ...]:
        return tuple(zip(weights, self.new_biases, self.peepholes, self.functions, self.flags, codes, strict=True))

    def _as(self, x: Tensor) -> Tensor:
        return astype(x, self.wide, copy=False)

    def _parts(self, x: Tensor) -> list[Tensor]:
        return [x[d] for d in range(self.directions)]

    def _parameter(self, what: str, x: Any, *shape: int) -> Tensor:
        """Return the parameter `x` with the shape (directions, *shape), in the type of the computation. For a single
        direction, the axis of directions may be missing in `x`.
        """
        if type(x) is not Tensor or x.dtype is not self.wide:  # most parameters already have the type
            x = self._as(floating_operand(self.name, what, x))
        if self.directions == 1 and x.ndim == len(shape):
            x = reshape(x, (1, *x.shape))
        if x.shape != (self.directions, *shape):
            raise self._misfit(what, x.shape, *shape)
        return x  # type: ignore[no-any-return]

    def _misfit(self, what: str, found: tuple[int, ...], *shape: int) -> DimensionsMismatchError:
        return DimensionsMismatchError(
            f"{self.name}: {what} has shape {shown(found)}, not {shown((self.directions, *shape))}"
        )

    def _state(self, what: str, given: Any, x: Tensor) -> Tensor:
        """Return the initial states of each direction and sequence, which are zeros if `given` is None."""
        shape = (x.shape[1], self.size)
        if given is None:
            return zeros((self.directions, *shape), dtype=self.wide, device=beside(x))
        return self._parameter(what, given, *shape)

    def _lengths(self, given: Any, steps: int, batch: int) -> list[int] | None:
        """Return the number of elements of each sequence, or None if all sequences have `steps` elements.

        Lengths on a device stay on the device.
        """
        if given is None:
            return None
        if isinstance(given, Tensor):
            if not given.dtype.is_integer:
                raise TypeMismatchError(f"{self.name}: sequence_lens are {given.dtype}, not integers")
            if given.shape != (batch,):
                raise DimensionsMismatchError(
                    f"{self.name}: sequence_lens have shape {shown(given.shape)}, not {shown((batch,))}"
                )
            if is_elsewhere(given):
                return given  # type: ignore[return-value]
            given = given.tolist()
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise TypeMismatchError(f"{self.name}: sequence_lens are {type(given).__name__}, not integers")
        try:
            count: Any = len(given)
        except OverflowError:  # a range of more than 2^63 numbers
            count = "too many"
        if count != batch:
            raise DimensionsMismatchError(f"{self.name}: {count} sequence_lens do not fit {batch} sequences")
        found = [_core.read_integer(self.name, "sequence_lens", each) for each in given]
        for length in found:
            if not 0 <= length <= steps:
                raise OutOfRangeError(f"{self.name}: length {shown(length)} is outside [0, {steps}]")
        return None if all(length == steps for length in found) else found

    def _clip(self, given: Any) -> float:
        number = inf if given is None else float(real_number(self.name, "clip", given))
        if number < 0 or isnan(number):
            raise InvalidArgumentError(f"{self.name}: clip {number} is negative or NaN")
        return number or inf  # ONNX's 0 means no limit

    def _ordered(self, peepholes: Any, gates: str) -> list[Tensor]:
        """Return the peepholes of each direction as three rows: for the input, the forget and the output gate."""
        weights = self._parameter("peepholes", peepholes, 3 * self.size)
        order = gates.replace("g", "")
        parts = [weights[:, order.index(g) * self.size : (order.index(g) + 1) * self.size] for g in "ifo"]
        return self._parts(stack(parts, 1))

    def _set_biases(self, bias_ih: Any, bias_hh: Any, resets_product: bool) -> None:
        """Set `biases`, the vectors that are added to the products of the input, and `new_biases`, the part of
        `bias_hh` that is added separately.
        """
        first, second = (
            None if each is None else self._parameter(what, each, self.rows)
            for what, each in (("bias_ih", bias_ih), ("bias_hh", bias_hh))
        )
        self.new_biases: list[Tensor | None] = [None] * self.directions
        if second is not None and resets_product:
            new = slice(self.places[2] * self.size, (self.places[2] + 1) * self.size)
            self.new_biases = [each[new] for each in self._parts(second)]
            nothing = zeros((self.directions, self.size), dtype=self.wide, device=beside(second))
            second = concat([second[:, : new.start], nothing, second[:, new.stop :]], 1)
        both = first if second is None else second if first is None else first + second
        self.biases = [None] * self.directions if both is None else self._parts(both)


_STATES = ("initial_h", "initial_c")


_PARAMETERS = {
    "x": "x : Tensor\n    Sequences of shape (T, N, F): T elements of F features in each of N sequences.",
    "weight_ih": (
        "weight_ih : Tensor\n"
        "    The weights of the input, of shape (D, G H, F) for D directions, G gates, H elements of a state "
        "and F features. For one direction, the shape may also be (G H, F)."
    ),
    "weight_hh": ("weight_hh : Tensor\n    The weights of the state, of shape (D, G H, H)."),
    "bias_ih": (
        "bias_ih, bias_hh : Tensor, optional\n"
        "    Vectors that are added to the products with `weight_ih` and `weight_hh`, of shape (D, G H)."
    ),
    "initial_h": (
        "initial_h : Tensor, optional\n"
        "    The states before the first elements, of shape (D, N, H). The default is zeros."
    ),
    "sequence_lens": (
        "sequence_lens : Tensor or sequence of int, optional\n"
        "    The number of elements of each sequence, by default all elements. The results after the last element "
        "are 0, and a reverse direction begins at the last element."
    ),
    "direction": (
        'direction : {"forward", "reverse", "bidirectional"}, optional\n'
        "    The order of the steps: from the first to the last element, from the last to the first, or in both orders."
    ),
    "batch_first": (
        "batch_first : bool, optional\n"
        "    If True, `x` and the states after each element begin with the axes (N, T). The states before the first "
        "and after the last elements keep their axes, as in PyTorch."
    ),
    "activations": (
        "activations : sequence of str or sequence of tuple, optional\n"
        "    The functions of a cell: one list for all directions, or one list for each direction. The names are "
        "Affine, Elu, HardSigmoid, LeakyRelu, Relu, ScaledTanh, Sigmoid, Softplus, Softsign, Tanh and "
        "ThresholdedRelu. An item is a name alone, or a tuple of a name and the function's numbers alpha and beta, "
        'such as ``("LeakyRelu", 0.01, None)``.'
    ),
    "clip": (
        "clip : float, optional\n"
        "    The largest magnitude of the arguments of the cell's functions. Arguments are limited to [-clip, clip]."
    ),
    "out": "out : tuple of Tensor, optional\n    The tensors that receive the results, one tensor for each result.",
}


@operator(
    "F",
    _STATUSES,
    name="nn.lstm",
    family="transform",
    operands=(
        *("x", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "initial_h", "initial_c", "sequence_lens", "peepholes"),
    ),
    parameters=_PARAMETERS,
)
def lstm(
    x: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    /,
    bias_ih: Tensor | None = None,
    bias_hh: Tensor | None = None,
    initial_h: Tensor | None = None,
    initial_c: Tensor | None = None,
    sequence_lens: Tensor | Sequence[int] | None = None,
    peepholes: Tensor | None = None,
    *,
    direction: str = "forward",
    batch_first: bool = False,
    gates: str = "ifgo",
    activations: Activations | None = None,
    clip: float | None = None,
    input_forget: bool = False,
    out: tuple[Tensor, Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A recurrent layer of long short-term memory cells (长短期记忆网络).

    Parameters
    ----------
    initial_c : Tensor, optional
        The states of the cells before the first elements, of shape (D, N, H). The default is zeros.
    peepholes : Tensor, optional
        Factors of the cell's state, of shape (D, 3 H), in the order of the input, forget and output gates in `gates`.
        The products are added to the arguments of these three gates.
    gates : str, optional
        The order of the gates among the rows of weights, biases and peepholes: "i" is the input gate, "f" is the forget
        gate, "g" is the cell gate, and "o" is the output gate. ONNX's order is "iofg".
    input_forget : bool, optional
        If True, the forget gate is 1 minus the input gate.

    Returns
    -------
    tuple of Tensor
        The states after each element, of shape (T, N, D H), the states after the last element, of shape (D, N, H), and
        the states of the cells after the last element, of shape (D, N, H). The type is the type of `x`. float16 and
        bfloat16 are computed in float32 and rounded once.

    Source
    ------
    S. Hochreiter and J. Schmidhuber, "Long short-term memory", Neural Computation 9(8), 1997, with a forget gate.

    Examples
    --------
    >>> import suanzi
    >>> x, ones = suanzi.ones((3, 1, 2)), suanzi.ones((4, 2))
    >>> y, h, c = suanzi.nn.lstm(x, ones, suanzi.zeros((4, 1)))
    >>> y[:, 0, 0]
    tensor([0.60828334, 0.81140524, 0.8616615 ])
    """
    wide = wide_type(LSTM, x=x, weight_ih=weight_ih, weight_hh=weight_hh)
    layer = Layer(
        *(LSTM, wide, weight_ih, weight_hh, bias_ih, bias_hh),
        direction=direction,
        batch_first=batch_first,
        gates=gates,
        activations=activations,
        clip=clip,
        peepholes=peepholes,
        coupled=input_forget,
    )
    return layer(x, (initial_h, initial_c), sequence_lens, out)  # type: ignore[return-value]


@operator(
    "F",
    _STATUSES,
    name="nn.gru",
    family="transform",
    operands=("x", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "initial_h", "sequence_lens"),
    parameters=_PARAMETERS,
)
def gru(
    x: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    /,
    bias_ih: Tensor | None = None,
    bias_hh: Tensor | None = None,
    initial_h: Tensor | None = None,
    sequence_lens: Tensor | Sequence[int] | None = None,
    *,
    direction: str = "forward",
    batch_first: bool = False,
    gates: str = "rzn",
    activations: Activations | None = None,
    clip: float | None = None,
    linear_before_reset: bool = True,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """A recurrent layer of gated recurrent units (门控循环单元).

    Parameters
    ----------
    gates : str, optional
        The order of the gates among the rows of weights and biases: "r" is the reset gate, "z" is the update gate, and
        "n" is the new gate. ONNX's order is "zrn".
    linear_before_reset : bool, optional
        If True, the reset gate multiplies the product of the state and the weights, as in PyTorch. Otherwise the reset
        gate multiplies the state before the product.

    Returns
    -------
    tuple of Tensor
        The states after each element, of shape (T, N, D H), and the states after the last element, of shape (D, N, H).
        The type is the type of `x`. float16 and bfloat16 are computed in float32 and rounded once.

    Source
    ------
    K. Cho et al., "Learning phrase representations using RNN encoder-decoder", arXiv:1406.1078.

    Examples
    --------
    >>> import suanzi
    >>> x, ones = suanzi.ones((3, 1, 2)), suanzi.ones((3, 2))
    >>> y, h = suanzi.nn.gru(x, ones, suanzi.zeros((3, 1)))
    >>> y[:, 0, 0]
    tensor([0.11491495, 0.2161317 , 0.3052831 ])
    """
    wide = wide_type(GRU, x=x, weight_ih=weight_ih, weight_hh=weight_hh)
    layer = Layer(
        *(GRU, wide, weight_ih, weight_hh, bias_ih, bias_hh),
        direction=direction,
        batch_first=batch_first,
        gates=gates,
        activations=activations,
        clip=clip,
        resets_product=linear_before_reset,
    )
    return layer(x, (initial_h,), sequence_lens, out)  # type: ignore[return-value]


@operator(
    "F",
    _STATUSES,
    name="nn.rnn",
    family="transform",
    operands=("x", "weight_ih", "weight_hh", "bias_ih", "bias_hh", "initial_h", "sequence_lens"),
    parameters=_PARAMETERS,
)
def rnn(
    x: Tensor,
    weight_ih: Tensor,
    weight_hh: Tensor,
    /,
    bias_ih: Tensor | None = None,
    bias_hh: Tensor | None = None,
    initial_h: Tensor | None = None,
    sequence_lens: Tensor | Sequence[int] | None = None,
    *,
    direction: str = "forward",
    batch_first: bool = False,
    activations: Activations | None = None,
    clip: float | None = None,
    out: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """A simple recurrent layer: a function of the weighted input and the weighted state (循环神经网络).

    Parameters
    ----------

    Returns
    -------
    tuple of Tensor
        The states after each element, of shape (T, N, D H), and the states after the last element, of shape (D, N, H).
        The type is the type of `x`. float16 and bfloat16 are computed in float32 and rounded once.

    Source
    ------
    J. L. Elman, "Finding structure in time", Cognitive Science 14(2), 1990.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.ones((3, 1, 1))
    >>> y, h = suanzi.nn.rnn(x, suanzi.ones((1, 1)), suanzi.ones((1, 1)), activations=["Relu"])
    >>> y[:, 0, 0]
    tensor([1., 2., 3.])
    """
    wide = wide_type(RNN, x=x, weight_ih=weight_ih, weight_hh=weight_hh)
    layer = Layer(
        *(RNN, wide, weight_ih, weight_hh, bias_ih, bias_hh),
        direction=direction,
        batch_first=batch_first,
        gates=RNN.gates,
        activations=activations,
        clip=clip,
    )
    return layer(x, (initial_h,), sequence_lens, out)  # type: ignore[return-value]
