"""Large constant matrices are packed once.

Products with packed matrices have the same results and need no more memory.
"""

from __future__ import annotations

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from onnx import numpy_helper

import suanzi
from interop.models import Array, parsed
from suanzi import memory, tuning
from suanzi.interop import onnx
from suanzi.interop.onnx.compositions.matrices import Weight

RNG = np.random.default_rng(5)
W, B = RNG.normal(size=(300, 210)).astype("float32"), RNG.normal(size=210).astype("float32")
X = RNG.normal(size=(2, 7, 300)).astype("float32")
assert W.size >= tuning.PACKED_MATRIX


def loaded(graph: str, **stored: Array) -> onnx.Model:
    model = parsed(17, f"g {graph}")
    stored = {"w": W, "b": B} | stored
    model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in stored.items())
    return onnx.load(model)


def weights(model: onnx.Model) -> list[Weight]:
    return [step.function for step in model._plan.steps if isinstance(step.function, Weight)]


def check(found: suanzi.Tensor, expected: Array) -> None:
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5, atol=2e-5)


PRODUCTS = {
    "MatMul(x, w)": lambda x: x @ W,
    "MatMul(x, w)  y = Add(p, b)": lambda x: x @ W + B,
    "Gemm(x, w)": lambda x: x @ W,
    "Gemm(x, w, b)": lambda x: x @ W + B,
    "Gemm<transB=1>(x, t, b)": lambda x: x @ W + B,
}


@pytest.mark.parametrize("product", PRODUCTS)
def test_products(product: str) -> None:
    result = "y" if "y =" in product else "p"
    model = loaded(f"(float[n,k] x) => (float[n,m] {result}) {{ p = {product} }}", t=W.T.copy())
    assert len(weights(model)) == 1
    for rows in (1, 7, 0, 7):
        (y,) = model.run([X[0, :rows]])
        check(y, PRODUCTS[product](X[0, :rows]))


def test_stacks_and_vectors() -> None:
    model = loaded("(float[a,b,k] x) => (float[a,b,m] y) { y = MatMul(x, w) }")
    check(model.run([X])[0], X @ W)
    model = loaded("(float[k] x) => (float[m] y) { y = MatMul(x, w) }")
    check(model.run([X[0, 0]])[0], X[0, 0] @ W)


@pytest.mark.parametrize("product", ["MatMul(x, w)", "Gemm(x, w, b)"])
def test_the_bits_of_a_row_depend_on_nothing_else(product: str) -> None:
    """The number of rows and earlier runs change no bit of a row. The first run packs the matrix."""
    model = loaded(f"(float[n,k] x) => (float[n,m] p) {{ p = {product} }}")
    (weight,) = weights(model)
    assert weight.panels is None
    rows = []
    for count in (1, 0, 2, 7, 1):
        (y,) = model.run([X[0, :count]])
        check(y, PRODUCTS[product](X[0, :count]))
        rows += y.numpy()[:1].tolist()
        assert weight.matrix is None
    assert all(row == rows[0] for row in rows)


def test_a_matrix_is_packed_once_and_in_its_place() -> None:
    graph = "(float[n,300] x) => (float[n,210] y) { p = MatMul(x, w)  q = MatMul(x, w)  r = Neg(q)  y = Add(p, r) }"
    model = loaded(graph)
    (weight,) = {id(each): each for each in weights(model)}.values()
    assert not any(isinstance(each, suanzi.Tensor) and each.size == W.size for each in model._plan.slots)
    assert np.all(model.run([X[0]])[0].numpy() == 0)
    assert weight.matrix is None
    gc.collect()
    before = memory.statistics()["in_use"]
    for _ in range(5):
        model.run([X[0]])
    assert memory.statistics()["in_use"] == before


def test_it_is_pickled_as_a_matrix() -> None:
    """A packed matrix is pickled unpacked, because a process at another SIMD level packs differently."""
    model = loaded("(float[n,k] x) => (float[n,m] y) { y = MatMul(x, w) }")
    for _ in range(2):
        other = pickle.loads(pickle.dumps(model))
        (weight,) = weights(other)
        assert weight.panels is None
        assert weight.matrix is not None
        np.testing.assert_array_equal(weight.matrix.numpy(), W)
        for each in (other, model):
            check(each.run([X[0]])[0], X[0] @ W)


Q = RNG.integers(-128, 128, (300, 210), dtype="int8")
S, Z = RNG.uniform(0.01, 0.02, 210).astype("float32"), RNG.integers(-128, 128, 210, dtype="int8")
CODED = {
    "c = Cast<to=1>(q)  w = Mul(c, s)": (Q * S, {"s": S[None]}),
    "c = Cast<to=1>(q)  w = Mul(s, c)": (Q * S, {"s": S}),
    "c = Cast<to=1>(q)  w = Mul(c, one)": (Q * np.float32(0.02), {"one": np.float32([[0.02]])}),
    "w = DequantizeLinear(q, s)": (Q * S, {"s": S}),
    "w = DequantizeLinear<axis=-1>(q, s, z)": ((Q.astype("float32") - Z) * S, {"s": S, "z": Z}),
    "w = DequantizeLinear(q, one, z)": (
        (Q.astype("float32") - 7) * np.float32(0.02), {"one": np.float32(0.02), "z": np.int8(7)}
    ),
}  # fmt: skip


def coded(graph: str, decoded: str, **stored: Array) -> onnx.Model:
    model = parsed(17, f"g (float[n,k] x) => (float[n,m] y) {{ {decoded}  {graph} }}")
    model.graph.initializer.extend(numpy_helper.from_array(np.asarray(a), name) for name, a in stored.items())
    return onnx.load(model)


@pytest.mark.parametrize("decoded", CODED)
@pytest.mark.parametrize("graph", ["p = MatMul(x, w)  y = Add(p, b)", "y = Gemm(x, w, b)"])
def test_a_matrix_of_codes_stays_codes(decoded: str, graph: str) -> None:
    """A stored matrix of codes is never decoded. Products have the same bits as with decoded numbers."""
    matrix, stored = CODED[decoded]
    model = coded(graph, decoded, q=Q, b=B, **stored)
    (weight,) = weights(model)
    expected = Weight(suanzi.tensor(matrix), takes_matrices=False)
    for rows in (1, 7, 0, 7):
        (y,) = model.run([X[0, :rows]])
        check(y, X[0, :rows] @ matrix + B)
        if rows == 7:
            np.testing.assert_array_equal(y.numpy(), expected(suanzi.tensor(X[0]), suanzi.tensor(B)).numpy())
    assert weight.panels is not None
    assert weight.panels.dtype is suanzi.int8
    assert not any(isinstance(each, suanzi.Tensor) and each.size == Q.size for each in model._plan.slots)
    for _ in range(2):
        check(pickle.loads(pickle.dumps(model)).run([X[0]])[0], X[0] @ matrix + B)


def test_a_turned_matrix_of_codes_stays_codes() -> None:
    turned = {"q": Q.T.copy(), "b": B, "s": S, "z": Z}
    model = coded("y = Gemm<transB=1>(x, w, b)", "w = DequantizeLinear<axis=0>(q, s, z)", **turned)
    assert [each.scaling[1] is not None for each in weights(model)] == [True]
    check(model.run([X[0]])[0], X[0] @ ((Q.astype("float32") - Z) * S) + B)


ROWS = np.linspace(0.01, 0.02, 300, dtype="float32")
DECODED = {
    "a factor for each row": ("c = Cast<to=1>(q)  w = Mul(c, r)", "MatMul(x, w)", {"r": ROWS[:, None]}),
    "a zero point for each row": ("w = DequantizeLinear<axis=0>(q, r)", "MatMul(x, w)", {"r": ROWS}),
    "a factor for each code": ("c = Cast<to=1>(q)  w = Mul(c, f)", "MatMul(x, w)", {"f": W * np.float32(0.01)}),
    "blocks": (
        "w = DequantizeLinear<axis=0, block_size=150>(q, f)", "MatMul(x, w)", {"f": np.float32([S, S])}
    ),
    "codes of 32 bits": (
        "w = DequantizeLinear(i, one)", "MatMul(x, w)", {"one": np.float32(0.02), "i": Q.astype("int32")}
    ),
    "a turned product": ("w = DequantizeLinear(q, s)", "Gemm<transA=1>(t, w)", {"s": S}),
}  # fmt: skip


@pytest.mark.parametrize("what", DECODED)
def test_other_matrices_are_decoded(what: str) -> None:
    decoded, product, stored = DECODED[what]
    model = parsed(21, f"g (float[n,k] x) => (float[n,m] y) {{ t = Transpose(x)  {decoded}  y = {product} }}")
    model.graph.initializer.extend(numpy_helper.from_array(a, name) for name, a in (stored | {"q": Q}).items())
    loaded = onnx.load(model)
    assert not any(each.scaling[0] is not None for each in weights(loaded))
    factor = stored.get("r", stored.get("f", stored.get("s", stored.get("one"))))
    if what == "blocks":
        factor = np.repeat(factor, 150, 0)
    check(loaded.run([X[0]])[0], X[0] @ (Q * (factor[:, None] if what == "a zero point for each row" else factor)))


OTHERS = {
    "a small matrix": "(float[n,3] x) => (float[n,4] y) { y = MatMul(x, s) }",
    "a matrix on the left": "(float[210,n] x) => (float[300,n] y) { y = MatMul(w, x) }",
    "a matrix that may be fed": "(float[n,300] x, float[300,210] w) => (float[n,210] y) { y = MatMul(x, w) }",
    "whole numbers": "(int32[n,300] x) => (int32[n,210] y) { y = MatMul(x, i) }",
    "a multiple": "(float[n,300] x) => (float[n,210] y) { y = Gemm<alpha=2.0>(x, w) }",
    "turned around": "(float[300,n] x) => (float[n,210] y) { y = Gemm<transA=1>(x, w) }",
    "a matrix that is added": "(float[n,300] x, float[n,210] c) => (float[n,210] y) { y = Gemm(x, w, c) }",
    "a number that is added": "(float[n,300] x) => (float[n,210] y) { y = Gemm(x, w, one) }",
}


@pytest.mark.parametrize("what", OTHERS)
def test_what_stays_as_it_is(what: str) -> None:
    one, small = np.ones((), "float32"), np.ones((3, 4), "float32")
    assert weights(loaded(OTHERS[what], one=one, s=small, i=np.ones((300, 210), "int32"))) == []


def test_a_matrix_that_others_read_stays() -> None:
    graph = "(float[n,300] x) => (float[n,210] y, float[300,210] z, float[300,210] w) { y = MatMul(x, w)  z = Abs(w) }"
    model = loaded(graph)
    for _ in range(2):
        y, z, w = model.run([X[0]])
        check(y, X[0] @ W)
        check(z, np.abs(W))
        check(w, W)


def test_refusals_name_the_node() -> None:
    product = loaded("(float[n,k] x) => (float[n,m] y) { y = MatMul(x, w) }")
    stack, vector = (loaded(f"(float[{axes}] x) => (float[n,m] y) {{ y = Gemm(x, w, b) }}") for axes in ("a,b,k", "k"))
    for model, x, node in ((stack, X, "Gemm-13"), (vector, X[0, 0], "Gemm-13"), (product, X[0, :, 1:], "MatMul-13")):
        with pytest.raises(suanzi.DimensionsMismatchError) as caught:
            model.run([x])
        assert caught.value.__notes__ == [f"in {node}"]
    check(product.run([X[0]])[0], X[0] @ W)


def test_threads_that_run_a_model_for_the_first_time() -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            model = loaded("(float[n,300] x) => (float[n,210] y) { y = MatMul(x, w) }")
            for (y,) in pool.map(model.run, [[X[0]]] * 16):
                check(y, X[0] @ W)
