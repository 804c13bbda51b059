"""Tests of models' convolutions with packed weights, and of results that take the memory of an added tensor."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import suanzi
from interop.models import Array, parsed
from oracle.convolution import convolved
from suanzi import SuanziError, _core
from suanzi.interop import onnx
from suanzi.interop.onnx.compositions.convolutions import Filters, Options
from suanzi.interop.onnx.profile import profiled

RNG = np.random.default_rng(46)
RELU = ("bounds", 0.0, math.inf)


def numbers(*shape: int, dtype: str = "float32") -> Array:
    return RNG.normal(size=shape).astype(dtype)


# The shapes of the image and the weight, and the stride, padding, dilation and groups.
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Any, tuple[int, ...], int]] = {
    "3 x 3": ((2, 16, 9, 7), (70, 16, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "many places": ((1, 16, 20, 18), (32, 16, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "strided": ((1, 24, 15, 12), (48, 24, 3, 3), (2, 2), ((1, 0), (0, 1)), (1, 1), 1),
    "groups": ((3, 32, 6, 6), (40, 16, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 2),
    "dilated": ((1, 16, 11, 11), (33, 16, 3, 3), (1, 1), ((2, 2), (2, 2)), (2, 2), 1),
    "1 x 1": ((2, 150, 7, 7), (64, 150, 1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    "strided 1 x 1": ((2, 150, 14, 13), (140, 150, 1, 1), (2, 3), ((0, 0), (0, 0)), (1, 1), 1),
    "large": ((1, 72, 124, 121), (17, 72, 3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1),
    "large and strided": ((1, 80, 120, 121), (17, 80, 3, 3), (2, 1), ((0, 1), (1, 0)), (1, 1), 1),
    "large volumes": ((1, 100, 2, 80, 80), (16, 100, 2, 3, 3), (1, 1, 1), ((1, 0), (0, 1), (1, 1)), (1, 1, 1), 1),
    "padded 1 x 1": ((2, 150, 9, 7), (64, 150, 1, 1), (2, 1), ((0, 2), (0, 0)), (1, 1), 1),
    "strided rows": ((1, 50, 9, 21), (64, 50, 3, 1), (1, 2), ((1, 1), (0, 0)), (1, 1), 1),
    "strided planes": ((1, 40, 5, 9, 6), (40, 40, 1, 3, 2), (2, 2, 1), ((0, 0), (1, 1), (0, 1)), (1, 1, 1), 1),
    "many strips": ((1, 130, 7, 7), (600, 130, 1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    "1 x 1 with many blocks": ((1, 700, 5, 5), (17, 700, 1, 1), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    "signals": ((2, 40, 37), (20, 40, 5), (1,), ((2, 2),), (1,), 1),
    "volumes": ((1, 16, 4, 5, 6), (24, 16, 2, 3, 2), (1, 1, 1), ((1, 0), (1, 1), (0, 1)), (1, 1, 1), 1),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("ends", [False, True])
def test_packed_weights(case: str, dtype: str, ends: bool) -> None:
    image, shape, stride, padding, dilation, groups = CASES[case]
    x, w, b = numbers(*image, dtype=dtype), numbers(*shape, dtype=dtype), numbers(shape[0], dtype=dtype)
    options = stride, padding, dilation, groups
    expected = convolved(x.astype(float), w.astype(float), b.astype(float), stride, list(padding), dilation, groups)
    added = numbers(*expected.shape, dtype=dtype) if ends else None
    if added is not None:
        expected = np.maximum(expected + added, 0)
    tensors = suanzi.tensor(x), suanzi.tensor(w)
    packed = _core.conv_pack(tensors[1], groups), shape
    pays = case != "padded 1 x 1"  # panels of patches suit this case better
    assert _core.conv_packing_pays(*tensors, *options) == pays
    assert _core.conv_packing_pays(tensors[0], packed, *options) == pays
    np.testing.assert_array_equal(_core.conv_unpack(packed, groups).numpy(), w)
    rest = *options, None if added is None else suanzi.tensor(added), RELU if ends else None, False
    found = [_core.conv_ended(tensors[0], packed, suanzi.tensor(b), *rest).numpy()]
    error = 1e-4 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found[0], expected, rtol=error, atol=error * np.abs(expected).max())
    threads = suanzi.get_num_threads()
    try:
        suanzi.set_num_threads(1 if threads > 1 else 2)
        found.append(_core.conv_ended(tensors[0], packed, suanzi.tensor(b), *rest).numpy())
    finally:
        suanzi.set_num_threads(threads)
    np.testing.assert_array_equal(*found)


def test_packed_weights_and_other_images() -> None:
    """For images that a packed weight does not suit, results are the same as with the unpacked weight."""
    _, shape, stride, padding, dilation, groups = CASES["3 x 3"]
    options = stride, padding, dilation, groups
    weight = suanzi.tensor(numbers(*shape))
    elements = _core.conv_pack(weight, groups)
    for x in (numbers(1, 16, 2, 2), numbers(2, 16, 1, 1), numbers(0, 16, 9, 7), numbers(1, 16, 9, 7, dtype="float64")):
        image = suanzi.tensor(x)
        given = [_core.conv_ended(image, w, None, *options, None, RELU, False) for w in (weight, (elements, shape))]
        np.testing.assert_array_equal(given[1].numpy(), given[0].numpy())
        assert given[1].dtype is given[0].dtype
    row = suanzi.tensor(numbers(1, 70, 1, 1))  # an added tensor that broadcasts
    image = suanzi.tensor(numbers(1, 16, 9, 7))
    given = [_core.conv_ended(image, w, None, *options, row, RELU, False) for w in (weight, (elements, shape))]
    np.testing.assert_array_equal(given[1].numpy(), given[0].numpy())


@pytest.mark.parametrize(
    ("image", "shape"),
    [((1, 4, 9, 9), (70, 4, 3, 3)), ((1, 16, 9, 9), (8, 16, 3, 3)), ((1, 16, 2, 2), (70, 16, 3, 3)),
     ((1, 64, 20, 20), (64, 64, 1, 1)), ((0, 16, 9, 9), (70, 16, 3, 3))],
)  # fmt: skip
def test_packing_that_does_not_pay(image: tuple[int, ...], shape: tuple[int, ...]) -> None:
    x, weight = suanzi.zeros(image), suanzi.zeros(shape)
    assert not _core.conv_packing_pays(x, weight, 1, 1, 1, 1)
    assert not _core.conv_packing_pays(x, (_core.conv_pack(weight, 1), shape), 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("size", "shape", "groups"),
    [(1, (70, 16, 3, 3), 1), (128 * 16 * 9, (70, 16, 3, 3), 7), (128 * 16 * 9, (70, 16), 1), (0, (0, 16, 3, 3), 1),
     (128 * 16 * 9, (70, 16, 3, 3), 0), (128 * 16 * 9, (-70, -16, 3, 3), 1), (10, (2**62, 2**62, 1), 1),
     (128 * 16 * 9, (1, 1, 1, 1, 1, 1), 1)],
)  # fmt: skip
def test_elements_that_are_no_packed_weight(size: int, shape: tuple[int, ...], groups: int) -> None:
    elements, x = suanzi.zeros(size, dtype="float32"), suanzi.zeros((1, 16, 9, 7))
    with pytest.raises(SuanziError):
        _core.conv_unpack((elements, shape), groups)
    with pytest.raises(SuanziError):
        _core.conv_ended(x, (elements, shape), None, 1, 1, 1, groups, None, None, False)


@pytest.mark.parametrize(
    ("shape", "groups", "dtype"),
    [((70, 16, 3, 3), 7.5, "float32"), ((70, 16, 3, 3), 3, "float32"), ((70, 16, 3, 3), 0, "float32"),
     ((70, 16), 1, "float32"), ((70, 0, 3, 3), 1, "float32"), ((70, 16, 3, 3), 1, "float16"),
     ((2, 2, 2, 2, 2, 2), 1, "float32"), ((), 1, "float32")],
)  # fmt: skip
def test_weights_without_a_packed_form(shape: tuple[int, ...], groups: Any, dtype: str) -> None:
    with pytest.raises(SuanziError):
        _core.conv_pack(suanzi.zeros(shape, dtype=dtype), groups)


def test_integers_are_no_packed_weight() -> None:
    with pytest.raises(SuanziError, match="no packed weight"):
        _core.conv_unpack((suanzi.zeros(128 * 16 * 9, dtype="int32"), (70, 16, 3, 3)), 1)


def test_filters_keep_the_forms_that_sizes_need() -> None:
    weight = suanzi.tensor(numbers(64, 150, 1, 1))
    filters = Filters(weight, Options(None, 1, 0, 1, 1))
    small, wide = suanzi.zeros((1, 150, 7, 7)), suanzi.zeros((1, 150, 20, 20))
    assert filters.of(wide) is weight
    packed = filters.of(small)
    assert isinstance(packed, tuple)
    assert filters.of(suanzi.zeros((2, 150, 7, 7))) is packed
    assert pickle.loads(pickle.dumps(filters)).of(wide).numpy().tolist() == weight.numpy().tolist()
    stored = filters.of(wide)
    assert isinstance(stored, suanzi.Tensor)
    np.testing.assert_array_equal(stored.numpy(), weight.numpy())
    for _ in range(2):  # neither form is made again
        assert filters.of(small) is packed
        assert filters.of(wide) is stored
    assert pickle.loads(pickle.dumps(filters)).of(wide).numpy().tolist() == weight.numpy().tolist()


def test_results_do_not_depend_on_the_sizes_before() -> None:
    images = [numbers(n, 128, size, size) for n, size in ((1, 6), (2, 20), (1, 7), (3, 4), (1, 1))]
    fresh = [loaded(f"v = Identity(x)  {BLOCK}").run([x])[0].numpy() for x in images]
    model = loaded(f"v = Identity(x)  {BLOCK}")
    for x, expected in [*zip(images, fresh, strict=True)] * 2:
        np.testing.assert_array_equal(model.run([x])[0].numpy(), expected)


SMALL, WIDE = numbers(64, 128, 1, 1), numbers(128, 64, 1, 1)
STORED = {"small": SMALL, "wide": WIDE, "b": numbers(128), "c": numbers(64), "big": numbers(64, 64, 3, 3)}


def loaded(body: str, outputs: str = "float[n,m,i,j] y") -> onnx.Model:
    model = parsed(17, f"g (float[n,c,h,w] x) => ({outputs}) {{ {body} }}")
    used = [name for name in STORED if f"{name}," in body or f"{name})" in body]
    model.graph.initializer.extend(numpy_helper.from_array(STORED[name], name) for name in used)
    return onnx.load(model)


def one(x: Array, weight: Array, bias: Array | None, padding: int = 0) -> Array:
    wide = x.astype(float), weight.astype(float), None if bias is None else bias.astype(float)
    return convolved(*wide, [1, 1], [(padding, padding)] * 2, [1, 1], 1)


# A residual block whose first value is also the added tensor.
BLOCK = "p = Conv(v, small, c)  q = Relu(p)  r = Conv(q, wide, b)  t = Add(r, v)  y = Relu(t)"


def block(v: Array) -> Array:
    return np.maximum(one(np.maximum(one(v, SMALL, STORED["c"]), 0), WIDE, STORED["b"]) + v, 0)


@pytest.mark.parametrize("size", [6, 20])
@pytest.mark.parametrize("first", ["v = Conv(x, wide, b)", "v = Identity(x)", "v = Relu(x)", "v = Abs(x)"])
def test_residual_blocks(size: int, first: str) -> None:
    """The result of a block may take the memory of the added tensor, but never the memory of the model's input."""
    x = numbers(1, 64 if "Conv" in first else 128, size, size)
    v = one(x, WIDE, STORED["b"]) if "Conv" in first else x.astype(float)
    v = np.maximum(v, 0) if "Relu" in first else np.abs(v) if "Abs" in first else v
    model, kept, tensor = loaded(f"{first}  {BLOCK}"), x.copy(), suanzi.tensor(x.copy())
    expected = block(v)
    found = [model.run(given)[0].numpy() for given in ([x], [x], [tensor], [tensor])]
    np.testing.assert_allclose(found[0], expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    np.testing.assert_array_equal(x, kept)
    np.testing.assert_array_equal(tensor.numpy(), kept)
    copied = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copied.run([x])[0].numpy(), found[0])


@pytest.mark.parametrize(
    ("body", "outputs"),
    [
        (f"v = Abs(x)  {BLOCK}", "float[n,m,i,j] y, float[n,m,i,j] v"),
        (f"v = Abs(x)  {BLOCK}  z = Neg(v)", "float[n,m,i,j] y, float[n,m,i,j] z"),
        (f"u = Abs(x)  v = Identity(u)  {BLOCK}  z = Neg(u)", "float[n,m,i,j] y, float[n,m,i,j] z"),
        (f"u = Abs(x)  s = Unsqueeze(u, axes)  v = Squeeze(s, axes)  {BLOCK}  z = Neg(u)",
         "float[n,m,i,j] y, float[n,m,i,j] z"),
    ],
)  # fmt: skip
def test_values_that_are_read_later_are_kept(body: str, outputs: str) -> None:
    model = parsed(17, f"g (float[n,c,h,w] x) => ({outputs}) {{ {body} }}")
    stored = {**STORED, "axes": np.int64([0])}
    used = [name for name in stored if f"{name}," in body or f"{name})" in body]
    model.graph.initializer.extend(numpy_helper.from_array(stored[name], name) for name in used)
    x = numbers(1, 128, 20, 20)
    y, other = (t.numpy() for t in onnx.load(model).run([x]))
    np.testing.assert_array_equal(np.abs(other), np.abs(x))
    expected = block(np.abs(x.astype(float)))
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize(
    "body",
    [
        "p = Conv(x, w)  y = Add(p, w)",
        "p = Conv(x, w, b)  y = Add(w, p)",
        "y = Conv(w, w)",
        "y = Conv(w, w, b)",
        "p = Conv(w, w, b)  y = Add(p, w)",
    ],
)
def test_a_weight_that_is_another_operand_as_well(body: str) -> None:
    x, w, b = numbers(1, 128, 1, 1), numbers(128, 128, 1, 1), numbers(128)
    model = parsed(17, f"g (float[n,c,h,w] x) => (float[m,c,h,w] y) {{ {body} }}")
    model.graph.initializer.extend([numpy_helper.from_array(w, "w"), numpy_helper.from_array(b, "b")])
    expected = one(w if "Conv(w" in body else x, w, b if "b)" in body else None)
    if "Add" in body:
        expected = expected + w
    (y,) = onnx.load(model).run([x])
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("attribute", ["strides=[2]", "dilations=[2]", "pads=[1,1]", "kernel_shape=[3,3], strides=[2]"])
def test_attributes_without_a_number_for_each_dimension(attribute: str) -> None:
    for stored in (numbers(128, 128, 3, 3), numbers(2, 128, 3, 3)):  # a large and a small weight
        model = parsed(17, f"g (float[n,c,h,w] x) => (float[n,m,i,j] y) {{ y = Conv<{attribute}>(x, w) }}")
        model.graph.initializer.append(numpy_helper.from_array(stored, "w"))
        with pytest.raises(SuanziError, match=r"does not fit (strides|dilations|pads)"):
            onnx.load(model).run([numbers(1, 128, 9, 9)])


def test_the_profile_has_convolutions_that_overwrite() -> None:
    model = loaded("v = Abs(x)  q = Conv(v, small, c)  r = Conv(q, wide, b)  y = Add(r, v)")
    timings, _ = profiled(model, [numbers(1, 128, 20, 20)])
    assert [each.operator for each in timings] == ["Abs", "Conv", "Conv"]


def test_a_result_takes_the_memory_of_the_added_tensor() -> None:
    x, w, b = suanzi.tensor(numbers(1, 64, 20, 20)), suanzi.tensor(WIDE), suanzi.tensor(STORED["b"])
    results = []
    for overwrites in (False, True):
        added = suanzi.ones((1, 128, 20, 20), dtype="float32")
        before = added.numpy().ctypes.data
        results.append(_core.conv_ended(x, w, b, 1, 0, 1, 1, added, RELU, overwrites))
        assert (results[-1].numpy().ctypes.data == before) == overwrites
    np.testing.assert_array_equal(results[1].numpy(), results[0].numpy())
    # An added tensor that is converted, or broadcasts, is not overwritten.
    for added in (suanzi.ones((1, 128, 20, 20), dtype="float16"), suanzi.ones((1, 128, 1, 1), dtype="float32")):
        _core.conv_ended(x, w, b, 1, 0, 1, 1, added, RELU, True)
        assert suanzi.all(added == 1)


def test_only_spare_tensors_are_overwritten() -> None:
    def called(make: Any, dead: tuple[int, ...] = (0,)) -> str:
        seen: list[str] = []

        def function(name: str) -> Any:
            def call(x: Any) -> Any:
                seen.append(name)
                return None

            return call

        step = function("plain"), (0,), 1, None, dead, "label", function("overwriting")
        _core.call_steps((step,), [make(), None], [])
        return seen[0]

    held = suanzi.ones(5)
    array = np.ones(5)
    assert called(lambda: suanzi.ones(5)) == "overwriting"
    assert called(lambda: suanzi.ones(5) + 1) == "overwriting"
    assert called(lambda: held) == "plain"
    assert called(lambda: held[1:]) == "plain"
    assert called(lambda: held.reshape((1, 5))) == "plain"
    assert called(lambda: suanzi.from_reference(array)) == "plain"
    assert called(lambda: np.ones(5)) == "plain"
    assert called(lambda: None) == "plain"
    views: list[Any] = []  # the memory is also visible through these objects

    def shown(view: Any) -> Any:
        made = suanzi.ones(5)
        views.append(view(made))
        return made

    for view in (lambda x: x.numpy(), memoryview, np.from_dlpack, lambda x: x[:2], lambda x: x.__dlpack__()):
        assert called(lambda view=view: shown(view)) == "plain"
