"""Python's operators and the properties of a SparseTensor that are operators; the named methods are attached by
operators.methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.sparse.operators import call, getitem, matrix_transposed, transposed
from suanzi.sparse.tensor import SparseTensor
from suanzi.tensor.status import TypeMismatchError, attributes_that_may_fail

_OPERANDS = (SparseTensor, Tensor, bool, int, float, complex, np.generic)
_UNARY = {"__neg__": "negative", "__pos__": "positive", "__abs__": "abs"}
_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "matmul": "matmul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
}
_COMPARISONS = {
    "__eq__": "equal",
    "__ne__": "not_equal",
    "__lt__": "less",
    "__le__": "less_equal",
    "__gt__": "greater",
    "__ge__": "greater_equal",
}


def _unary(name: str) -> Callable[..., Any]:
    return lambda x: call(name, (x,))


def _binary(name: str, reflected: bool = False) -> Callable[..., Any]:
    def method(x: SparseTensor, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            raise TypeMismatchError(f"{name}: ndarray is neither a tensor nor a number; suanzi.tensor makes it one")
        if not isinstance(other, _OPERANDS):
            return NotImplemented
        return call(name, (other, x) if reflected else (x, other))

    return method


_any_matmul = _binary("matmul")


def _matmul(x: SparseTensor, other: Any) -> Any:
    pattern = x._pattern
    if (
        type(other) is Tensor and pattern is not None and pattern.format == "csr"
    ):  # all that is asked of others costs a microsecond
        return _core.sparse_times_dense(pattern, x._values, other)
    return _any_matmul(x, other)


def _part(name: str) -> property:
    def part(x: SparseTensor) -> SparseTensor:
        values: Tensor = getattr(x.values, name)
        return SparseTensor._of(x.pattern, _core.clone(values))

    return property(part, doc=f"The {name}inary parts." if name == "imag" else "The real parts.")


ATTRIBUTES: dict[str, Any] = {
    "__suanzi_call__": staticmethod(call),
    "__array_ufunc__": None,  # NumPy's arrays leave their operators to ours
    "__hash__": object.__hash__,
    "__getitem__": getitem,
    "T": property(lambda x: transposed("T", x, None), doc="The dimensions in reverse order."),
    "mT": property(lambda x: matrix_transposed("mT", x), doc="The last two dimensions swapped."),
    "real": _part("real"),
    "imag": _part("imag"),
    **{method: _unary(name) for method, name in _UNARY.items()},
    **{method: _binary(name) for method, name in _COMPARISONS.items()},
    **{f"__{method}__": _binary(name) for method, name in _BINARY.items()},
    **{f"__r{method}__": _binary(name, reflected=True) for method, name in _BINARY.items()},
    "__matmul__": _matmul,
}
for _name, _attribute in ATTRIBUTES.items():
    setattr(SparseTensor, _name, _attribute)
attributes_that_may_fail(SparseTensor, "indptr", "T", "mT", "real", "imag")
