"""All attributes and methods of a tensor after `destroy` raise an error. Earlier views of the tensor stay valid."""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import weakref
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi import Status, UninitializedObjectError, attempt
from suanzi.operators.methods import LOOSE, METHODS
from suanzi.tensor.status import UninitializedObjectAttributeError

KINDS: dict[str, Callable[[], Any]] = {
    "dense": lambda: suanzi.tensor([[1.0, 2.0], [3.0, 4.0]]),
    "strings": lambda: suanzi.tensor(["a", "b"]),
    "coordinates": lambda: suanzi.to_sparse(suanzi.eye(2)),
    "rows": lambda: suanzi.sparse_tensor((2, 2), [0, 1], [1.0, 3.0], indptr=[0, 1, 2]),
    "quantized": lambda: suanzi.quantized_tensor(None, [[1.0, 2.0], [3.0, 4.0]], dtype="qint8"),
    "per channel": lambda: suanzi.quantized_tensor(None, [[1.0, 2.0], [3.0, 4.0]], dtype="qint8_per_channel"),
}


class Plain:
    """A class whose attributes are only those that every class has in the running version of Python."""


# Attributes of every Python object and attributes that describe the class remain. The text of the tensor says that the
# tensor is destroyed.
OF_ANY_OBJECT = {
    *dir(Plain),
    *(
        "__module__",
        "__slots__",
        "__weakref__",
        "__slotnames__",
        "__annotations__",
        "__array_priority__",
        "__suanzi_call__",
        "__delitem__",
    ),
}
ASKED = ("__array_function__", "__array_ufunc__")  # NumPy reads these attributes, and another test calls NumPy
ONE = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
GIVEN: tuple[tuple[Any, ...], ...] = (
    *((), (0,), (1.0,), ((0, 1),), (None,), ("float32",), ("cpu",), ("sum",), ("csr",), ("C",), ("a",), (0, 1)),
    *((2, 2), (0, 0, 0), (ONE,), (ONE, ONE), (ONE > 0,), (ONE > 0, 0.0), (ONE.astype("int32"),)),
    *((ONE.astype("int32"), ONE), (ONE, ONE, ONE), (1, 1.0), ((2, 2), (0, 0)), ((0, 0), (1, 1)), (1, -1)),
)


def gone(kind: str) -> Any:
    x = KINDS[kind]()
    x.metadata["unit"] = "kg"
    suanzi.destroy(x)
    return x


def outcomes(call: Callable[..., Any]) -> list[Any]:
    """Call a function with each of the lists of arguments GIVEN. Return each result, or the class of the error."""
    found = []
    for arguments in GIVEN:
        try:
            found.append(call(*arguments))
        except Exception as error:
            found.append(type(error))
    return found


def is_error(outcome: Any) -> bool:
    return isinstance(outcome, type) and issubclass(outcome, Exception)


@pytest.mark.parametrize("kind", KINDS)
def test_no_attribute_answers(kind: str) -> None:
    x = gone(kind)
    methods = 0
    for name in dir(type(x)):
        if name in OF_ANY_OBJECT or name in ASKED or (name.startswith("_") and not name.startswith("__")):
            continue
        try:
            attribute = getattr(x, name)
        except UninitializedObjectAttributeError:
            continue
        assert callable(attribute) or (name, attribute) == ("__array_ufunc__", None), name
        found = outcomes(attribute)
        answers = [f for f in found if not is_error(f) and f is not NotImplemented]
        # `None in x`, or a text `in` a sparse tensor, is False without a look at the elements.
        assert answers == [] or (name, set(answers)) == ("__contains__", {False}), name
        if name in METHODS or name in LOOSE or f"__{name}__" in dir(operator):
            methods += 1
            refused = [f for f in found if is_error(f) and issubclass(f, UninitializedObjectError)]
            assert refused or name in ("bilinear", "bicubic", "nearest", "trilinear"), name
    assert methods > 20
    assert "destroyed" in repr(x)
    assert "destroyed" in str(x)
    assert "destroyed" in f"{x}"


@pytest.mark.parametrize("kind", KINDS)
def test_what_python_does_with_it(kind: str) -> None:
    x = gone(kind)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(UninitializedObjectError):
            pickle.dumps(x, protocol)
    functions: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, len, bool, suanzi.destroy]
    if type(x) is suanzi.Tensor:
        functions += [float, list, np.asarray, np.sin, np.sum, suanzi.sum]
    for function in functions:
        assert attempt(function, x)[0] is Status.UNINITIALIZED_OBJECT, function
    for operation in (operator.add, operator.mul, operator.eq, operator.ne):
        for other in (KINDS[kind](), x):
            assert attempt(operation, x, other)[0] is Status.UNINITIALIZED_OBJECT
            assert attempt(operation, other, x)[0] is Status.UNINITIALIZED_OBJECT
    assert not hasattr(x, "dtype")
    assert not hasattr(x, "metadata")
    assert all(y is not x for y in (None, KINDS[kind]()))  # Python's `is` still works


QUANTIZED = ("quantized", "per channel")


@pytest.mark.parametrize("kind", QUANTIZED)
def test_codes_and_scale_that_were_taken_stay(kind: str) -> None:
    q = KINDS[kind]()
    codes, scale, parameters, view = q.codes, q.scale, q.parameters, q[0]
    before = codes.tolist(), scale.tolist(), view.tolist()
    shared = codes.numpy()
    suanzi.destroy(q)
    assert (codes.tolist(), scale.tolist(), view.tolist()) == before
    assert parameters.zero_point == 0
    assert shared.tolist() == before[0]
    for name in ("codes", "dtype", "scale", "zero_point", "axis", "parameters", "metadata", "shape"):
        with pytest.raises(UninitializedObjectError, match=f"^{name}: the tensor has been destroyed"):
            getattr(q, name)


@pytest.mark.parametrize("kind", QUANTIZED)
def test_every_operator_of_quantized_tensors_names_itself(kind: str) -> None:
    q, other = gone(kind), KINDS[kind]()
    calls: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("add", lambda: suanzi.add(other, q)),
        ("add", lambda: suanzi.add(other, 1, out=q)),
        ("concat", lambda: suanzi.concat([other, q])),
        ("stack", lambda: suanzi.stack((q, other))),
        ("broadcast_arrays", lambda: suanzi.broadcast_arrays(q, other)),
        ("where", lambda: suanzi.where(ONE > 0, other, q)),
        ("dequantize", lambda: suanzi.dequantize(q)),
        ("requantize", lambda: suanzi.requantize(q)),
        ("destroy", lambda: suanzi.destroy(q)),
        ("shape", lambda: suanzi.shape(q)),
    )
    for name, call in calls:
        with pytest.raises(UninitializedObjectError, match=f"^{name}: "):
            call()


def test_codes_that_are_destroyed_themselves() -> None:
    q = KINDS["quantized"]()
    suanzi.destroy(q.codes)
    assert "destroyed" in repr(q)
    for name in ("shape", "metadata", "layout"):
        assert not hasattr(q, name)


@pytest.mark.parametrize("kind", ["coordinates", "rows"])
def test_parts_of_sparse_tensors_stay(kind: str) -> None:
    x = KINDS[kind]()
    parts = [x.indices, x.values, *([x.indptr] if kind == "rows" else [])]
    other, dense = x.to_coo(), x.to_dense()
    before = [part.tolist() for part in parts]
    suanzi.destroy(x)
    assert [part.tolist() for part in parts] == before
    if other is not x:
        assert other.to_dense().tolist() == dense.tolist()


def test_views_of_dense_tensors_stay() -> None:
    x = suanzi.tensor([[1.0, 2.0], [3.0, 4.0]])
    views = [x[0], x.T, x.numpy(), memoryview(x), suanzi.from_dlpack(x)]
    suanzi.destroy(x)
    assert [view.tolist() for view in views] == [
        [1, 2],
        [[1, 3], [2, 4]],
        *([[[1, 2], [3, 4]]] * 3),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_metadata_are_let_go_of(kind: str) -> None:
    class Word:
        pass

    x, word = KINDS[kind](), Word()
    held = weakref.ref(word)
    x.metadata["word"], taken = word, x.metadata
    suanzi.destroy(x)
    assert taken["word"] is word
    del word, taken
    gc.collect()
    assert held() is None
    del x
    gc.collect()


def test_metadata_that_look_at_their_tensor_as_they_go() -> None:
    seen = []

    class Watcher:
        def __init__(self, x: Any) -> None:
            self.x = x

        def __del__(self) -> None:
            seen.append(attempt(suanzi.size, self.x)[0])

    for _ in range(100):
        x = suanzi.ones(3)
        x.metadata["watcher"] = Watcher(x)
        suanzi.destroy(x)
    assert seen == [Status.UNINITIALIZED_OBJECT] * 100
    gc.collect()


def test_orders_of_destruction() -> None:
    for first, second in product(KINDS, KINDS):
        x, y = KINDS[first](), KINDS[second]()
        suanzi.destroy(y)
        suanzi.destroy(x)
        assert attempt(suanzi.shape, x)[0] is attempt(suanzi.shape, y)[0] is Status.UNINITIALIZED_OBJECT
