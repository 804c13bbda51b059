"""Recurrent layers return the same results as loops over single numbers in float64, within rounding errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from samples import fails
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    TypeMismatchError,
    get_num_threads,
    nn,
    set_num_threads,
)

Array = np.ndarray[Any, Any]
GATES = {"rnn": "n", "gru": "rzn", "lstm": "ifgo"}
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-20, "float64": 2.0**-48}


def logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


# ONNX's definitions of the activation functions f(x, alpha, beta), each followed by an alpha and a beta that are not
# the defaults, or None if the function has no such parameter.
FUNCTIONS: dict[str, tuple[Callable[[float, float, float], float], float | None, float | None]] = {
    "Affine": (lambda x, a, b: a * x + b, 0.4, 0.1),
    "Elu": (lambda x, a, b: x if x >= 0 else a * math.expm1(x), 0.7, None),
    "HardSigmoid": (lambda x, a, b: min(max(a * x + b, 0.0), 1.0), 0.3, 0.4),
    "LeakyRelu": (lambda x, a, b: x if x >= 0 else a * x, 0.2, None),
    "Relu": (lambda x, a, b: max(x, 0.0), None, None),
    "ScaledTanh": (lambda x, a, b: a * math.tanh(b * x), 0.8, 0.6),
    "Sigmoid": (lambda x, a, b: logistic(x), None, None),
    "Softplus": (lambda x, a, b: max(x, 0.0) + math.log1p(math.exp(-abs(x))), None, None),
    "Softsign": (lambda x, a, b: x / (1 + abs(x)), None, None),
    "Tanh": (lambda x, a, b: math.tanh(x), None, None),
    "ThresholdedRelu": (lambda x, a, b: x if x >= a else 0.0, 0.3, None),
}
OWN = {"rnn": ("Tanh",), "gru": ("Sigmoid", "Tanh"), "lstm": ("Sigmoid", "Tanh", "Tanh")}
DEFAULT = {"Affine": (1, 0), "Elu": (1, 0), "HardSigmoid": (0.2, 0.5), "LeakyRelu": (0.01, 0), "ScaledTanh": (1, 1)}


class Loops:
    """A recurrent layer in one direction, computed in loops over single numbers."""

    def __init__(self, cell: str, order: str, functions: Sequence[Any], clip: float, flag: bool) -> None:
        self.cell, self.order, self.functions, self.clip, self.flag = cell, order, functions, clip, flag

    def call(self, number: int, x: float, *, clips: bool = True) -> float:
        name, alpha, beta = self.functions[number]
        alphas = DEFAULT.get(name, (1.0, 0.0))
        x = min(max(x, -self.clip), self.clip) if clips else x
        return FUNCTIONS[name][0](x, alphas[0] if alpha is None else alpha, alphas[1] if beta is None else beta)

    def step(self, x: Array, h: Array, c: Array, w: Array, r: Array, bi: Array, bh: Array, p: Array) -> Any:
        size = len(h)
        rows = {gate: self.order.index(gate) * size for gate in self.order}
        by_input = {g: [float(w[rows[g] + j] @ x + bi[rows[g] + j]) for j in range(size)] for g in rows}

        def by_state(g: str, state: Array) -> list[float]:
            return [float(r[rows[g] + j] @ state + bh[rows[g] + j]) for j in range(size)]

        if self.cell == "rnn":
            total = [a + b for a, b in zip(by_input["n"], by_state("n", h), strict=True)]
            return np.array([self.call(0, t) for t in total]), c
        if self.cell == "gru":
            reset, update = (
                [self.call(0, a + b) for a, b in zip(by_input[g], by_state(g, h), strict=True)] for g in "rz"
            )
            if self.flag:
                inner = [f * s for f, s in zip(reset, by_state("n", h), strict=True)]
            else:
                inner = by_state("n", np.array(reset) * h)
            fresh = [self.call(1, a + b) for a, b in zip(by_input["n"], inner, strict=True)]
            return np.array([(1 - z) * n + z * s for z, n, s in zip(update, fresh, h, strict=True)]), c
        parts = {g: [a + b for a, b in zip(by_input[g], by_state(g, h), strict=True)] for g in "ifgo"}
        peeps = dict(zip([g for g in self.order if g != "g"], p.reshape(3, size), strict=True))
        state, cell = np.zeros(size), np.zeros(size)
        for j in range(size):
            i = self.call(0, parts["i"][j] + peeps["i"][j] * c[j])
            f = 1 - i if self.flag else self.call(0, parts["f"][j] + peeps["f"][j] * c[j])
            cell[j] = f * c[j] + i * self.call(1, parts["g"][j])
            o = self.call(0, parts["o"][j] + peeps["o"][j] * cell[j])
            state[j] = o * self.call(2, cell[j], clips=False)
        return state, cell

    def run(self, x: Array, h: Array, c: Array, weights: Any, lengths: Sequence[int], reverse: bool) -> Any:
        steps, batch, _ = x.shape
        y, h, c = np.zeros((steps, batch, h.shape[1])), h.copy(), c.copy()
        for n in range(batch):
            times = range(lengths[n])
            for t in reversed(times) if reverse else times:
                h[n], c[n] = self.step(x[t, n], h[n], c[n], *weights)
                y[t, n] = h[n]
        return y, h, c


def exact(cell: str, data: dict[str, Array | None], lengths: Sequence[int], options: dict[str, Any]) -> Any:
    directions, size = len(data["w"]), data["r"].shape[-1]  # type: ignore[arg-type, union-attr]
    gates = len(GATES[cell])
    x: Any = data["x"]
    zeros = {"bi": gates * size, "bh": gates * size, "p": 3 * size}
    outputs = []
    for d in range(directions):
        given = {k: np.zeros(n) if data[k] is None else data[k][d].astype("d") for k, n in zeros.items()}  # type: ignore[index]
        weights = (data["w"][d].astype("d"), data["r"][d].astype("d"), given["bi"], given["bh"], given["p"])  # type: ignore[index]
        start = [np.zeros((x.shape[1], size)) if data[k] is None else data[k][d].astype("d") for k in ("h", "c")]  # type: ignore[index]
        functions = options["functions"]
        count = len(OWN[cell])
        own = functions[d * count : (d + 1) * count] if len(functions) > count else functions
        loops = Loops(cell, options["order"], own, options["clip"], options["flag"])
        outputs.append(loops.run(x.astype("d"), *start, weights, lengths, options["direction"] == "reverse" or d == 1))
    y = np.concatenate([each[0] for each in outputs], 2)
    return (y, *(np.stack([each[k] for each in outputs]) for k in (1, 2)[: 2 if cell == "lstm" else 1]))


def function_of(draw: Any) -> Any:
    name = draw(st.sampled_from(sorted(FUNCTIONS)))
    return (name, *FUNCTIONS[name][1:]) if draw(st.booleans()) else (name, None, None)


@st.composite
def calls(draw: Any) -> Any:
    cell = draw(st.sampled_from(sorted(GATES)))
    steps, batch = draw(st.sampled_from([(0, 2), (1, 1), (3, 1), (4, 3), (2, 7), (9, 4), (2, 0)]))
    features, size = draw(st.sampled_from([(1, 1), (3, 5), (2, 17), (0, 3), (4, 9), (3, 0)]))
    direction = draw(st.sampled_from(["forward", "reverse", "bidirectional"]))
    directions, gates = 2 if direction == "bidirectional" else 1, len(GATES[cell])
    rng = np.random.default_rng(draw(st.integers(0, 99)))

    def array(*shape: int) -> Array:
        return rng.normal(0, 0.5, shape)

    data: dict[str, Array | None] = {
        "x": array(steps, batch, features), "w": array(directions, gates * size, features),
        "r": array(directions, gates * size, size), "bi": array(directions, gates * size),
        "bh": array(directions, gates * size), "h": array(directions, batch, size), "c": array(directions, batch, size),
        "p": array(directions, 3 * size) if cell == "lstm" else None,
    }  # fmt: skip
    for key in ("bi", "bh", "h", "c", "p"):
        if draw(st.booleans()):
            data[key] = None
    count = len(OWN[cell])
    functions: Any = None
    if draw(st.booleans()):
        functions = [function_of(draw) for _ in range(count * draw(st.sampled_from([1, directions])))]
    lengths = [draw(st.integers(0, steps)) for _ in range(batch)] if draw(st.booleans()) else None
    options = {
        "direction": direction,
        "functions": functions or [(name, None, None) for name in OWN[cell]],
        "order": "".join(draw(st.permutations(GATES[cell]))),
        "clip": draw(st.sampled_from([math.inf, 0.4])),
        "flag": draw(st.booleans()) if cell != "rnn" else False,
    }
    return cell, data, lengths, functions, options


@given(calls(), st.sampled_from(sorted(EPSILON)), st.booleans())
def test_against_loops(call: Any, name: str, batch_first: bool) -> None:
    cell, data, lengths, functions, options = call
    dtype = suanzi.as_dtype(name)
    data = {key: None if a is None else a.astype(dtype.numpy) for key, a in data.items()}
    steps, batch, _ = data["x"].shape
    wanted = exact(cell, data, [steps] * batch if lengths is None else lengths, options)
    tensors = {key: None if a is None else suanzi.tensor(a, dtype=dtype) for key, a in data.items()}
    if batch_first:
        tensors["x"] = suanzi.swapaxes(tensors["x"], 0, 1)
    further = {
        "rnn": {},
        "gru": {"linear_before_reset": options["flag"], "gates": options["order"]},
        "lstm": {"input_forget": options["flag"], "gates": options["order"]},
    }[cell]
    states = [tensors["h"], tensors["c"]] if cell == "lstm" else [tensors["h"]]
    given_lengths: Any = lengths
    if lengths is not None and batch % 2:
        given_lengths = suanzi.tensor(lengths, dtype="int32")
    last = [tensors["p"]] if cell == "lstm" else []
    found = getattr(nn, cell)(
        *(tensors[k] for k in ("x", "w", "r", "bi", "bh")), *states, given_lengths, *last,
        direction=options["direction"], batch_first=batch_first, activations=functions,
        clip=None if options["clip"] == math.inf else options["clip"], **further,
    )  # fmt: skip
    assert len(found) == len(wanted)
    for k, (y, expected) in enumerate(zip(found, wanted, strict=True)):
        a = (suanzi.swapaxes(y, 0, 1) if batch_first and k == 0 else y).numpy()
        assert y.dtype is dtype
        assert a.shape == expected.shape
        if a.size:
            largest = max(1.0, float(np.abs(expected).max()))
            np.testing.assert_allclose(a.astype("d"), expected, rtol=0, atol=EPSILON[name] * largest * 8)


def layer(cell: str, batch: int, size: int, steps: int = 12, directions: int = 1) -> tuple[suanzi.Tensor, ...]:
    rng, gates = np.random.default_rng(5), len(GATES[cell])
    both = () if directions == 1 else (directions,)
    shapes = ((steps, batch, 40), (*both, gates * size, 40), (*both, gates * size, size))
    return tuple(suanzi.tensor(rng.normal(0, 0.1, shape).astype(np.float32)) for shape in shapes)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("batch", [1, 5, 33])
@pytest.mark.parametrize("cell", sorted(GATES))
def test_threads_change_no_bit(cell: str, batch: int, direction: str) -> None:
    """The bits are the same whether each direction has its own thread or all threads share each direction."""
    operands, before = layer(cell, batch, 150, directions=1 + (direction == "bidirectional")), get_num_threads()
    options: Any = {"direction": direction} | ({"linear_before_reset": False} if cell == "gru" else {})
    results = []
    try:
        for threads in (1, 2, 3, 7):
            set_num_threads(threads)
            results.append([y.numpy().tobytes() for y in getattr(nn, cell)(*operands, **options)])
    finally:
        set_num_threads(before)
    assert results == results[:1] * 4


def test_large_layers() -> None:
    """The layer packs large weights. The rows of the weights have more terms than the kernels sum at once."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3, 40, 4))
    w, r = rng.normal(0, 0.1, (4 * 600, 4)), rng.normal(0, 0.02, (4 * 600, 600))
    h = c = np.zeros((40, 600))
    y, *_ = nn.lstm(*(suanzi.tensor(a, dtype="float64") for a in (x, w, r)))
    for t in range(3):
        i, f, g, o = np.split(x[t] @ w.T + h @ r.T, 4, axis=1)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        np.testing.assert_allclose(y[t].numpy(), h, rtol=0, atol=1e-12)


def test_strided_operands() -> None:
    x, w, r = layer("lstm", 6, 8)
    views = suanzi.flip(suanzi.flip(x, 0), 0)[::2], suanzi.transpose(w).T, suanzi.concat([r, r], 1)[:, :8]
    copies = [suanzi.tensor(each.numpy().copy()) for each in views]
    for a, b in zip(nn.lstm(*views), nn.lstm(*copies), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=0, atol=1e-7)
    before = suanzi.ones((1, 6, 8))
    nn.lstm(*copies, initial_h=before, initial_c=before)
    assert before.numpy().min() == 1


@pytest.mark.parametrize("cell", sorted(GATES))
@pytest.mark.parametrize("batch", [1, 9])
def test_subnormal_states(cell: str, batch: int) -> None:
    """Products may read zeros in place of subnormal states only if no weight is so large that the zeros matter."""
    size, count = 5, len(GATES[cell])
    x, w = suanzi.zeros((1, batch, 1)), suanzi.zeros((count * size, 1))
    state = np.full((1, batch, size), 2.0**-130, np.float32)
    h = suanzi.tensor(state)
    initial = {"initial_h": h} | ({"initial_c": suanzi.zeros_like(h)} if cell == "lstm" else {})
    for weight in (1.0, 2.0**127):
        r = suanzi.full((count * size, size), weight)
        y, *_ = getattr(nn, cell)(x, w, r, **initial)
        argument = float(size * weight * 2.0**-130)
        gate = 1 / (1 + math.exp(-argument))
        expected = {
            "rnn": math.tanh(argument),
            "gru": (1 - gate) * math.tanh(gate * argument) + gate * 2.0**-130,
            "lstm": gate * math.tanh(gate * math.tanh(argument)),
        }
        np.testing.assert_allclose(y.numpy(), np.full((1, batch, size), expected[cell]), rtol=1e-5, atol=2.0**-115)
    assert h.numpy().tobytes() == state.tobytes()


def test_states_of_saturated_gates() -> None:
    """The output gate of half of the units is about 1e-39, so their states are subnormal numbers."""
    rng = np.random.default_rng(4)
    x, w, r = rng.normal(size=(6, 2, 3)), rng.normal(size=(16, 3)), rng.normal(size=(16, 4))
    bias = np.zeros(16)
    bias[12:14] = -88.0  # the gates are in the order input, forget, new, output
    y, h, c = nn.lstm(*(suanzi.tensor(a, dtype="float32") for a in (x, w, r, bias)))
    data = {"x": x, "w": w[None], "r": r[None], "bi": bias[None], "bh": None, "p": None, "h": None, "c": None}
    options = {"order": "ifgo", "functions": [(f, None, None) for f in OWN["lstm"]], "clip": math.inf, "flag": False}
    expected = exact("lstm", data, [6, 6], options | {"direction": "forward"})
    assert 0 < abs(y.numpy()[..., 0]).max() < 2.0**-120
    for ours, theirs in zip((y, h, c), expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.reshape(ours.shape), rtol=2e-5, atol=1e-6)


def test_special_values() -> None:
    x, w, r = layer("lstm", 2, 4, steps=3)
    x[1, 0, 0] = math.nan
    y, h, _ = nn.lstm(x, w, r)
    assert np.isnan(y.numpy()[1:, 0]).all()
    assert np.isfinite(y.numpy()[:, 1]).all()
    assert np.isnan(h.numpy()[0, 0]).all()
    huge = suanzi.full((1, 1, 1), 1e38)
    y, *_ = nn.lstm(huge, suanzi.full((4, 1), 10.0), suanzi.zeros((4, 1)))
    np.testing.assert_allclose(y.item(), math.tanh(1), rtol=1e-6)
    y, *_ = nn.lstm(huge, suanzi.full((4, 1), -10.0), suanzi.zeros((4, 1)))
    assert y.item() == 0


def test_errors() -> None:
    x, w, r = layer("lstm", 2, 4)
    for wrong, error in (
        ((x[0], w, r), DimensionsMismatchError), ((x, w[:3], r), DimensionsMismatchError),
        ((x, w, r[:, :3]), DimensionsMismatchError), ((x, w, r[0]), DimensionsMismatchError),
        ((suanzi.ones((2, 2, 40), dtype="int32"), w, r), TypeMismatchError), ((1.0, w, r), TypeMismatchError),
        ((x, w, r, w), DimensionsMismatchError), ((x, w, r, None, None, x), DimensionsMismatchError),
    ):  # fmt: skip
        with fails(error, "nn.lstm"):
            nn.lstm(*wrong)  # type: ignore[arg-type]
    options: list[tuple[dict[str, Any], Any]] = [
        ({"direction": "up"}, InvalidArgumentError), ({"gates": "ifg"}, InvalidArgumentError),
        ({"gates": 3}, TypeMismatchError), ({"activations": ["Tanh"]}, InvalidArgumentError),
        ({"activations": ["Sine"] * 3}, InvalidArgumentError), ({"activations": "Tanh"}, TypeMismatchError),
        ({"activations": [3] * 3}, InvalidArgumentError), ({"clip": -1.0}, InvalidArgumentError),
        ({"clip": math.nan}, InvalidArgumentError), ({"clip": "a"}, TypeMismatchError),
        ({"sequence_lens": [1]}, DimensionsMismatchError), ({"sequence_lens": [1, 13]}, OutOfRangeError),
        ({"sequence_lens": [1, -1]}, OutOfRangeError), ({"sequence_lens": [1, 2.5]}, TypeMismatchError),
        ({"sequence_lens": suanzi.ones((2,))}, TypeMismatchError), ({"input_forget": 1}, TypeMismatchError),
        ({"sequence_lens": suanzi.ones((2, 1), dtype="int32")}, DimensionsMismatchError),
        ({"peepholes": w}, DimensionsMismatchError), ({"batch_first": None}, TypeMismatchError),
    ]  # fmt: skip
    for option, error in options:
        with fails(error, "nn.lstm"):
            nn.lstm(x, w, r, **option)
    with fails(DimensionsMismatchError, "nn.gru"):
        nn.gru(x, w, r)
    with fails(DimensionsMismatchError, "nn.rnn"):
        nn.rnn(x, w, r)


def test_in_a_fused_function() -> None:
    x, w, r = layer("gru", 3, 8)

    def function(x: suanzi.Tensor) -> suanzi.Tensor:
        return nn.gru(x * 2, w, r)[0] + 1

    np.testing.assert_array_equal(suanzi.fuse(function)(x).numpy(), function(x).numpy())
