"""Attributes that a tensor lacks raise an AttributeError that also has the status of the reason. `hasattr`, completion
and inspection expect an AttributeError, so these functions work on every tensor.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import rlcompleter
from typing import Any

import pytest

import suanzi
from samples import destroyed
from suanzi import (
    DimensionsMismatchError,
    QuantizedTensor,
    SparseTensor,
    SuanziError,
    Tensor,
    TypeMismatchError,
    UninitializedObjectError,
)
from suanzi.tensor.status import ERRORS

pytestmark = pytest.mark.one_level


def gone(x: Any) -> Any:
    suanzi.destroy(x)
    return x


def quantized(shape: tuple[int, ...]) -> QuantizedTensor:
    return suanzi.quantize(suanzi.zeros(shape), 0.5, dtype="qint8")


TENSORS: dict[str, Any] = {
    "scalar": suanzi.tensor(1.0),
    "vector": suanzi.tensor([1.0, 2.0]),
    "complex": suanzi.tensor([1j]),
    "strings": suanzi.tensor(["a", "b"]),
    "empty": suanzi.zeros((0, 3)),
    "destroyed": destroyed(),
    "sparse vector": suanzi.to_sparse(suanzi.tensor([0.0, 1.0])),
    "coordinates": suanzi.to_sparse(suanzi.eye(2), "coo"),
    "rows": suanzi.to_sparse(suanzi.eye(2), "csr"),
    "destroyed sparse": gone(suanzi.to_sparse(suanzi.eye(2))),
    "quantized": quantized((2, 2)),
    "quantized vector": quantized((2,)),
    "destroyed quantized": gone(quantized((2, 2))),
}
PROPERTIES = {
    kind: [name for name in dir(kind) if inspect.isdatadescriptor(getattr(kind, name)) and not name.startswith("_")]
    for kind in (Tensor, SparseTensor, QuantizedTensor)
}


def test_there_are_properties() -> None:
    common = {"shape", "ndim", "size", "dtype", "device", "layout", "T", "mT", "real", "imag"}
    for names in PROPERTIES.values():
        assert common <= set(names)


@pytest.mark.parametrize("kind", TENSORS)
def test_an_attribute_is_there_or_an_attribute_error(kind: str) -> None:
    x = TENSORS[kind]
    missing = object()
    for name in PROPERTIES[type(x)]:
        if getattr(x, name, missing) is missing:
            assert not hasattr(x, name)
            with pytest.raises(AttributeError) as caught:
                getattr(x, name)
            error = caught.value
            assert isinstance(error, SuanziError)
            assert isinstance(error, ERRORS[error.status] or ())
            assert ": " in str(error)


@pytest.mark.parametrize(
    ("kind", "name", "error", "message"),
    [
        ("scalar", "mT", DimensionsMismatchError, r"mT: shape \(\) has fewer than 2 dimensions"),
        ("vector", "mT", DimensionsMismatchError, r"mT: shape \(2,\) has fewer than 2 dimensions"),
        ("strings", "imag", TypeMismatchError, "imag: element type string is not a number"),
        ("strings", "real", TypeMismatchError, "real: element type string is not a number"),
        ("destroyed", "shape", UninitializedObjectError, "shape: "),
        ("destroyed", "device", UninitializedObjectError, "device: "),
        ("destroyed", "layout", UninitializedObjectError, "layout: "),
        ("sparse vector", "mT", DimensionsMismatchError, r"mT: shape \(2,\) has fewer than 2 dimensions"),
        ("coordinates", "indptr", TypeMismatchError, "indptr: "),
        ("destroyed sparse", "shape", UninitializedObjectError, "SparseTensor: "),
        ("destroyed sparse", "pattern", UninitializedObjectError, "SparseTensor: "),
        ("quantized", "imag", TypeMismatchError, "imag: quantized tensors are real"),
        ("quantized vector", "mT", DimensionsMismatchError, r"mT: shape \(2,\) has fewer than 2 dimensions"),
        ("destroyed quantized", "shape", UninitializedObjectError, "shape: "),
        ("destroyed quantized", "T", UninitializedObjectError, "transpose: "),
    ],
)
def test_the_error_is_that_of_the_status_too(kind: str, name: str, error: type[SuanziError], message: str) -> None:
    with pytest.raises(error, match=f"^{message}") as caught:
        getattr(TENSORS[kind], name)
    assert isinstance(caught.value, AttributeError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))
    assert str(copy.copy(caught.value)) == str(caught.value)


@pytest.mark.parametrize("kind", TENSORS)
def test_completion(kind: str) -> None:
    x = TENSORS[kind]
    completer = rlcompleter.Completer({"x": x})
    found = [completer.complete("x.", i) for i in range(len(dir(x)) + 1)]
    assert any(word is not None and word.startswith("x.shape") for word in found)
    assert "shape" in dir(x)
    inspect.getmembers(x)


def test_operators_raise_no_attribute_errors() -> None:
    """The errors of functions are not AttributeErrors, unlike the errors of attributes such as `mT`."""
    x = suanzi.zeros(2)
    for call in (lambda: suanzi.matrix_transpose(x), lambda: suanzi.matrix_transpose(suanzi.to_sparse(x))):
        with pytest.raises(DimensionsMismatchError, match=r"^matrix_transpose: ") as caught:
            call()
        assert not isinstance(caught.value, AttributeError)
    with pytest.raises(UninitializedObjectError) as gone_error:
        suanzi.add(destroyed(), 1)
    assert not isinstance(gone_error.value, AttributeError)
