"""Chains of calls that one function does in less: replaced by a single call.

A chain is found in the list of calls and what reads their outputs; what stands between its ends must be read by nobody
else and be no result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import suanzi
from suanzi import Tensor
from suanzi.interop.onnx.folding import Call, needed


def with_linear(calls: Sequence[Call], constants: Mapping[int, Any], results: Iterable[int]) -> list[Call]:
    """Products with a constant matrix to which a constant vector is added, as `linear`: a pass over memory less.

    The sum may be rounded otherwise in its last bit, as it begins with the vector.
    """
    readers = Counter(results)
    for call in calls:
        readers.update(call.inputs)
    products: dict[int, Call] = {}  # by their outputs, which one call reads
    joined: list[Call] = []
    for call in calls:
        if call.function is suanzi.matmul and readers[call.outputs[0]] == 1:
            products[call.outputs[0]] = call
        elif call.function is suanzi.add and (found := _product_and_vector(call, products, constants)) is not None:
            product, vector = found
            call = product._replace(function=linear, inputs=(*product.inputs, vector), outputs=call.outputs)
        joined.append(call)
    return needed(joined, results)  # without the products


def _product_and_vector(
    call: Call, products: Mapping[int, Call], constants: Mapping[int, Any]
) -> tuple[Call, int] | None:
    """What an addition adds, where it is those of a linear layer."""
    for one, other in (call.inputs, call.inputs[::-1]):
        product = products.get(one)
        if product is not None and _fit(constants.get(product.inputs[1]), constants.get(other)):
            return product, other
    return None


def _fit(weight: Any, bias: Any) -> bool:
    """Whether these are constants, a matrix and a vector of floats, one for each of its columns."""
    if not (isinstance(weight, Tensor) and isinstance(bias, Tensor)):
        return False
    same = weight.dtype is bias.dtype and weight.dtype in (suanzi.float32, suanzi.float64)
    return same and weight.ndim == 2 and bias.shape == weight.shape[1:]


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The product with a matrix, as ONNX has it, and a vector added."""
    return suanzi.linear(x, weight.T, bias)
