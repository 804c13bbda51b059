"""The methods of tensors have the expected names, and each method calls the function of its name."""

from __future__ import annotations

from typing import Any

import pytest

import suanzi
from good_arguments import FUNCTIONS, arguments
from samples import shares_memory
from suanzi import SuanziError
from suanzi.operators.methods import METHODS
from suanzi.operators.registry import lookup, records
from test_signatures import results

# Attributes that are not methods, methods that also accept the items of an argument as separate arguments, and the
# method `cumsum`, whose `axis` has another default.
OTHERS = {"imag", "real", "shape", "size", "reshape", "transpose", "expand", "cumsum"}


def outcome(function: Any, *given: Any) -> Any:
    try:
        return repr(results(function(*given)))
    except SuanziError as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "destroy"])
def test_a_method_is_its_function(name: str) -> None:
    """A method of a tensor returns the same result as the function of the same name, and raises the same errors."""
    operator = {"conjugate": "conj", "copy": "clone", "cumsum": "cumulative_sum", "ravel": "flatten"}
    record = lookup(operator.get(name, name))
    first, *others = arguments(FUNCTIONS[record.name])
    if name not in OTHERS:
        assert outcome(getattr(first, name), *others) == outcome(record.function, first, *others)


def test_which_there_are() -> None:
    x = suanzi.ones((2, 2))
    for name in (
        "exp",
        "abs",
        "copy",
        "ravel",
        "dot",
        "trace",
        "add",
        "matmul",
        "sum",
        "sort",
        "det",
        "isnan",
        "unique",
    ):
        assert callable(getattr(x, name))
    for name in ("where", "zeros", "zeros_like", "concat", "uniform", "einsum", "complex", "dequantize"):
        assert not hasattr(x, name)
    takes_tensors = {record.name for record in records() if record.accepts}
    assert len(METHODS) > 0.75 * len(takes_tensors)
    assert x.shape == (2, 2)
    assert x.size == 4


def test_copies() -> None:
    x = suanzi.arange(4)
    assert not shares_memory(x.copy(), x)
    assert x.ravel().shape == (4,)
    assert x.exp().tolist() == suanzi.exp(x).tolist()


def test_methods_of_other_kinds() -> None:
    sparse = suanzi.to_sparse(suanzi.eye(3))
    assert sparse.sin().to_dense().tolist() == suanzi.sin(suanzi.eye(3)).tolist()
    assert sparse.shape == (3, 3)
    assert not hasattr(sparse, "sort")
    assert sparse.ravel("F").to_dense().tolist() == suanzi.eye(3).ravel().tolist()
    quantized = suanzi.quantize(suanzi.ones(3), 0.5)
    assert quantized.add(quantized).dequantize().tolist() == [2, 2, 2]
    assert isinstance(quantized.copy(), suanzi.QuantizedTensor)
