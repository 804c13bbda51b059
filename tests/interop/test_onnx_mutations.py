"""Randomly changed models with graphs, sequences and several domains end in results or Suanzi's errors within seconds.

Run ``python tests/interop/test_onnx_mutations.py COUNT SEED`` for more changes. The script needs tests/ and src/ on the
path.
"""

from __future__ import annotations

import random
import signal
import sys
import time
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import AttributeProto, ModelProto, numpy_helper, parser

from suanzi import SuanziError
from suanzi.interop import onnx

pytestmark = pytest.mark.one_level

HEAD = '<ir_version: 10, opset_import: ["": 21, "com.microsoft": 1, "ai.onnx.ml": 3, "own": 1]>'
TEXTS = {
    "branches": """g (bool c, float[n] x) => (float[m] y) {
        w = Neg(x)
        y = If(c)<then_branch = t () => (float[m] p) {
                u = Add(w, s)  p = If(c)<then_branch = tt () => (float[m] q) { q = Mul(u, w) },
                    else_branch = te () => (float[m] q) { q = own.Twice(w) }> },
            else_branch = e () => (float[m] p) { p = Identity(x) }>
    }""",
    "loops": """g (int64 n, float[k] x) => (float[k] y, float[t,k] z, int64[t] j) {
        y, z, j = Loop(n, , x)<body = b (int64 i, bool c, float[k] v) => (bool d, float[k] w, float[k] o, int64 h) {
            d = Identity(c)  a = Add(v, x)
            w = Loop(n, c, a)<body = bb (int64 l, bool cc, float[k] vv) => (bool dd, float[k] ww) {
                dd = Identity(cc)  g = Cast<to = 1>(l)  ww = Add(vv, g) }>
            o = Mul(w, s)  h = Add(i, i) }>
    }""",
    "scans": """g (float[b] r, float[t,b] x) => (float[b] y, float[b,t] z) {
        y, z = Scan<num_scan_inputs = 1, scan_input_directions = [1], scan_output_axes = [1],
            body = f (float[b] a, float[b] v) => (float[b] o, float[b] p) { o = Add(a, v)  p = Mul(o, s) }>(r, x)
    }""",
    "sequences": """g (seq(float[n]) q, float[n] x) => (seq(float[n]) t, float[m] y, int64 k, optional(float[m]) o) {
        zero = Constant<value_int = 0>()
        a = SequenceInsert(q, x, zero)  b = SequenceErase(a, zero)  t = SequenceMap<
            body = f (float[n] e) => (float[n] h) { h = Add(e, s) }>(b)
        y = ConcatFromSequence<axis = 0>(a)  k = SequenceLength(t)  c = SequenceAt(a, zero)  o = Optional(c)
    }""",
    "texts": """g (string[n] x) => (string[n,m] y, int64[n] k, bool[n] b, float[3] f) {
        c = StringConcat(x, x)  y, k = StringSplit<delimiter = "a">(c)  b = RegexFullMatch<pattern = "(a|b)*c?">(c)
        f = TfIdfVectorizer<mode = "TF", min_gram_length = 1, max_gram_length = 2, max_skip_count = 1,
            ngram_counts = [0, 1], ngram_indexes = [0, 2], pool_strings = ["a", "b", "ab"]>(x)
    }""",
    "numbers": """g (float[n,m] x) => (float[n,m] y, float[n,m] z) {
        a = Cast<to = 17>(x)  b = Cast<to = 1>(a)  q = QuantizeLinear<output_dtype = 22>(b, scale)
        y = DequantizeLinear(q, scale)  c = com.microsoft.Gelu(x)  z = ai.onnx.ml.Binarizer<threshold = 0.5>(c)
    }""",
    "codes": """g (uint8[a,b,c,d] x, float[n] v) => (uint8[o,p,q,r] y, float[m] z, uint8[k,l] w) {
        c = com.microsoft.QLinearConv<channels_last = 1, kernel_shape = [2, 2]>(
            x, scale, point, kernel, scale, point, scale, point)
        m = com.microsoft.NhwcMaxPool<kernel_shape = [1, 2], strides = [1, 1]>(c)
        y = com.microsoft.QLinearAveragePool<channels_last = 1, kernel_shape = [2, 1]>(m, scale, point, scale, point)
        f = Flatten(x)  t = Transpose(f)  w = com.microsoft.QGemm<transB = 0>(f, scale, point, t, scale, point, , scale)
        q = com.microsoft.QuantizeLinear(v, scale, point)  z = com.microsoft.DequantizeLinear(q, scale, point)
    }""",
    "pictures": """g (float[a,b,c,d] x, float[e,f,g,h] o, string[n] t) => (float[i,j,k,l] y, string[u,v] w, float r) {
        z = DeformConv<kernel_shape = [1, 2], strides = [1, 1], pads = [0, 0, 0, 1]>(x, filter, o)
        y = com.microsoft.FusedConv<activation = "LeakyRelu", activation_params = [0.5], kernel_shape = [1, 1]>(z, one)
        w = com.microsoft.Tokenizer<mark = 1, mincharnum = 1, pad_value = "#", separators = [" ", "a+"]>(t)
        f = Flatten(y)  r = com.microsoft.CDist<metric = "euclidean">(f, f)
        b = LRN<size = 3>(x)  g = com.microsoft.Range(s, s)
    }""",
}
TWICE = '<domain: "own", opset_import: ["": 21]> Twice (x) => (y) { y = Add(x, x) }'


def model_of(name: str) -> ModelProto:
    model = parser.parse_model(f"{HEAD} {TEXTS[name]} {TWICE}")
    model.graph.initializer.append(numpy_helper.from_array(np.float32([2]), "s"))
    model.graph.initializer.append(numpy_helper.from_array(np.float32(0.5), "scale"))
    rng = np.random.default_rng(0)
    for stored, array in {
        "point": np.uint8(3),
        "kernel": rng.integers(0, 9, (2, 3, 2, 2)).astype(np.uint8),
        "filter": rng.normal(size=(2, 3, 1, 2)).astype(np.float32),
        "one": rng.normal(size=(2, 2, 1, 1)).astype(np.float32),
    }.items():
        model.graph.initializer.append(numpy_helper.from_array(array, stored))
    return model


V = np.float32([1, -2])
FEEDS: dict[str, list[Any]] = {
    "branches": [np.array(True), V],
    "loops": [np.int64(3), V],
    "scans": [V, np.float32([[1, 2], [3, 4], [5, 6]])],
    "sequences": [[V, V], V],
    "texts": [np.array(["a", "bab", "c"], object)],
    "numbers": [np.float32([[1, 2], [3, -4]])],
    "codes": [np.arange(60, dtype=np.uint8).reshape(1, 5, 4, 3), V],
    "pictures": [
        np.arange(24, dtype=np.float32).reshape(1, 3, 2, 4),
        np.ones((1, 4, 2, 4), np.float32),
        np.array(["b ab", ""], object),
    ],
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_sound_models_run(name: str) -> None:
    assert onnx.run(model_of(name), FEEDS[name])


def nodes_of(graph: Any) -> list[Any]:
    found, left = [], [graph]
    while left:
        part = left.pop()
        found += part.node
        left += [a.g for node in part.node for a in node.attribute if a.type == AttributeProto.GRAPH]
    return found


def graphs_of(graph: Any) -> list[Any]:
    graphs = [a.g for node in nodes_of(graph) for a in node.attribute if a.type == AttributeProto.GRAPH]
    return [graph, *graphs]


NUMBERS = (0, 1, -1, 2, 3, 7, 17, 2**31, 2**62, -(2**63))
OPERATORS = (
    "If",
    "Loop",
    "Scan",
    "Neg",
    "Add",
    "Identity",
    "SequenceAt",
    "SequenceInsert",
    "Optional",
    "Cast",
    "Concat",
)
OPERATORS += ("QGemm", "QLinearConv", "DeformConv", "FusedConv", "Tokenizer", "LayerNormalization")
OPERATORS += ("SequenceConstruct", "OptionalGetElement", "SequenceMap", "Reshape", "Constant", "StringSplit", "Twice")


def changed_parts(model: ModelProto, rng: random.Random) -> None:
    """Make a random change of a model: of a name, an operator, a number, a type or a graph."""
    nodes, graphs = nodes_of(model.graph), graphs_of(model.graph)
    names = [name for node in nodes for name in (*node.input, *node.output)] + ["", "x"]
    if not nodes:
        return
    node, graph = rng.choice(nodes), rng.choice(graphs)
    what = rng.randrange(12)
    if what == 0 and node.input:
        node.input[rng.randrange(len(node.input))] = rng.choice(names)
    elif what == 1 and node.output:
        node.output[rng.randrange(len(node.output))] = rng.choice(names)
    elif what == 2:
        node.op_type = rng.choice(OPERATORS)
    elif what == 3 and node.attribute:
        attribute = rng.choice(node.attribute)
        attribute.i = rng.choice(NUMBERS)
        if attribute.ints:
            attribute.ints[rng.randrange(len(attribute.ints))] = rng.choice(NUMBERS)
    elif what == 4 and node.attribute:
        del node.attribute[rng.randrange(len(node.attribute))]
    elif what == 5 and graph.input:
        tensor = rng.choice(graph.input).type.tensor_type
        tensor.elem_type = rng.choice((0, 1, 6, 7, 8, 9, 10, 11, 17, 22, 99))
    elif what == 6 and graph.output:
        rng.choice(graph.output).name = rng.choice(names)
    elif what == 7:
        graph.node.append(rng.choice(nodes))
    elif what == 8 and len(graph.node) > 0:
        del graph.node[rng.randrange(len(graph.node))]
    elif what == 9:
        graph.input.add(name=rng.choice(names))
    elif what == 10 and graph.output:
        del graph.output[rng.randrange(len(graph.output))]
    elif what == 11:
        node.input.append(rng.choice(names))


def changed_bytes(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        if rng.random() < 0.3:
            del data[at : at + rng.randint(1, 3)]
        else:
            data[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))


def mutated(seed: int) -> tuple[str, bytes]:
    rng = random.Random(seed)
    name = rng.choice([*TEXTS])
    model = model_of(name)
    if rng.random() < 0.7:
        for _ in range(rng.randint(1, 3)):
            changed_parts(model, rng)
        return name, model.SerializeToString()
    data = bytearray(model.SerializeToString())
    changed_bytes(data, rng)
    return name, bytes(data)


def loads_and_runs(seed: int) -> str:
    """Load and run the changed model of a seed. Return "runs", or "load" or "run" and the class of Suanzi's error."""
    name, data = mutated(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # shapes may differ from the declared shapes
        try:
            model = onnx.load(data)
        except SuanziError as error:
            return f"load {type(error).__name__}"
        try:
            results = model.run((FEEDS[name] * 3)[: len(model.inputs)])
        except SuanziError as error:
            return f"run {type(error).__name__}"
    assert len(results) == len(model.outputs)
    return "runs"


@given(st.integers(0, 2**32))
def test_changed_models(seed: int) -> None:
    loads_and_runs(seed)


def main() -> None:
    count, first = int(sys.argv[1]), int(sys.argv[2])
    found: dict[str, int] = {}
    for seed in range(first, first + count):
        signal.alarm(60)  # ends the process if the model hangs
        start = time.perf_counter()
        try:
            outcome = loads_and_runs(seed)
        except Exception as error:
            outcome = f"BARE {type(error).__name__}: {error}"
            print(seed, outcome, flush=True)
        if (spent := time.perf_counter() - start) > 5:
            print(seed, f"took {spent:.1f} s", outcome, flush=True)
        if "Internal" in outcome:
            print(seed, outcome, flush=True)
        found[outcome] = found.get(outcome, 0) + 1
    print(found)


if __name__ == "__main__":
    main()
