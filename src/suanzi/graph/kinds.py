"""Sparse and quantized operands of a function that is being traced.

A sparse tensor has a pattern and values. In the table of sparse tensors, the implementation of an elementwise operator
computes on patterns and values. `on_values` calls the implementation with traced values. The implementation's
computations on the values are recorded like computations on dense tensors. If the result's pattern is known, a sparse
tensor is made only when a step needs the tensor. Other calls of sparse tensors, and arithmetic of quantized tensors,
run without fusion. The graph computes the real numbers and the comparisons of a quantized tensor from the tensor's
codes.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, cast

from suanzi import _core
from suanzi._core import Pattern, Tensor
from suanzi.graph.errors import ChangedError, TraceError, give_up, need_value
from suanzi.graph.node import Derived
from suanzi.graph.stand_ins import Traced, TracedNumber
from suanzi.kinds.quantized.arithmetic import comparable
from suanzi.operators import methods
from suanzi.operators.creation.filled import full
from suanzi.operators.registry import COMPARISONS
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor
from suanzi.tensor.dtypes import DType, as_dtype, float32, float64
from suanzi.tensor.status import SuanziError

if TYPE_CHECKING:
    from suanzi.graph.recording import Recording

# The core functions, other than operators, that the implementations for sparse tensors call. These functions accept
# patterns, or the values of sparse tensors.
ON_PATTERNS = ("sparse_gather", "sparse_merge", "sparse_coalesce", "sparse_to_rows")


class UnknownPartsError(Exception):
    """Raised if a step of a sparse operator's implementation cannot be recorded. The operator is then recorded as one
    step.
    """


class TracedKind(Traced):
    """A stand-in for a tensor that is not dense. `node.like` has all properties that do not depend on values."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        kind = type(self.node.like)
        if kind is SparseTensor and name in ("values", "nnz", "format", "is_coalesced"):
            parts = parts_of(self.recording, self)
            if name == "values":  # another stand-in, which no operator may change in place: `parts` would not change
                values: Any = parts._values
                return Traced(self.recording, values.node)
            return getattr(parts, name)
        if kind is QuantizedTensor and name == "dequantize":
            return partial(decoded, self.recording, self, float32)
        if kind is QuantizedTensor and name == "axis":
            return self.node.like.axis
        if name.startswith("_") or not hasattr(kind, name):
            raise AttributeError(f"a {kind.__name__} has no attribute {name!r}")
        if name in ("T", "mT", "real", "imag", "codes", "scale", "indices", "indptr"):  # recorded as steps
            return self.recording.split(name, attrgetter(name), (self,))
        if name in methods.METHODS or name in methods.LOOSE:
            return partial(methods.LOOSE.get(name) or methods.METHODS[name], self)
        if name not in ("to_dense", "to_csr", "to_coo", "to_format", "coalesce"):
            give_up(f"the attribute {name} of a {kind.__name__} is not traced")
        return lambda *given: self.recording.split(name, lambda x: methodcaller(name, *given)(x), (self,))

    def _rebound(self, *_: Any) -> Any:
        return NotImplemented

    # Sparse and quantized tensors do not change in place, so Python computes `x = x + y` for `x += y`.
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _rebound
    __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = _rebound


# --- sparse ---


def _parts_of(x: SparseTensor, pattern: Pattern | None) -> tuple[Pattern, Tensor] | tuple[Tensor]:
    """Return the pattern and values of `x` if `pattern` is None, and otherwise only the values. Raise ChangedError if
    `x` has another pattern than `pattern`.
    """
    if pattern is None:
        return x.pattern, x.values
    if x.pattern is not pattern:
        raise ChangedError
    return (x.values,)


def parts_of(recording: Recording, x: TracedKind) -> SparseTensor:
    """Return a sparse tensor that has the pattern of `x` and traced values."""
    if isinstance(x.node, Derived):
        parts: SparseTensor = x.node.like
        return parts
    key = "parts", x.node
    if key not in recording.derived:
        real: SparseTensor = recording.value(x)
        known = real.pattern if id(real.pattern) in recording.memory.patterns else None
        *_, values = recording.split("values", _parts_of, (x, known), free=True)
        recording.derived[key] = SparseTensor._of(real.pattern, values, real._order)
    return cast(SparseTensor, recording.derived[key])


def on_values(recording: Recording, name: str, arguments: tuple[Any, ...]) -> Any:
    """Call the implementation of a sparse operator with traced values. Return the traced result, or None if the call
    must be recorded as one step.
    """
    if recording.wholes:
        return None
    traced: dict[int, TracedKind] = {}

    def given(x: Any) -> Any:
        if isinstance(x, TracedNumber):
            need_value(x.argument)  # the number decides whether f(0) is 0
        if type(x) in (SparseTensor, Tensor):
            x = recording.outer(x)
        if type(x) is not TracedKind:
            return x
        parts = parts_of(recording, x)
        traced[id(parts)] = x
        return parts

    operands = tuple(given(x) for x in arguments)
    before, recording.in_parts = recording.in_parts, True
    try:
        result: Any = SparseTensor.__suanzi_call__(name, operands)  # type: ignore[attr-defined]
    except TraceError:
        raise
    except (UnknownPartsError, SuanziError):  # the call, recorded as one step, raises the same error
        return None
    finally:
        recording.in_parts = before
    if id(result) in traced:
        return traced[id(result)]
    if isinstance(result, Traced):
        return result
    values: Any = getattr(result, "_values", None)
    known = isinstance(values, Traced) and id(result._pattern) in recording.memory.patterns
    return recording.sparse(result) if known else None


# --- quantized ---


def _codes_of(x: QuantizedTensor) -> tuple[Tensor, Tensor, Tensor]:
    codes = _core.read_tensor("dequantize", x.codes)
    return codes, x.parameters.scales(x.ndim), full((), float(x.zero_point), dtype=float32)


def decoded(recording: Recording, x: Any, dtype: DType) -> Any:
    """Record ``scale * (code - zero_point)`` of a quantized tensor in float32 or float64. In float32 the result is
    rounded once, as in `QuantizedTensor.dequantize`.
    """
    codes, scale, zero = recording.split("codes", _codes_of, (x,), free=True)
    numbers = recording.call("astype", (codes, dtype, False))
    if not x.node.like.dtype.symmetric:
        numbers = recording.call("subtract", (numbers, recording.call("astype", (zero, dtype, False)), None))
    return recording.call("multiply", (numbers, recording.call("astype", (scale, dtype, False)), None))


def on_codes(recording: Recording, name: str, arguments: tuple[Any, ...]) -> Any:
    """Record a comparison or a cast of quantized tensors as operators of the codes. Return the result, or None for
    other calls, which must be recorded as one step.
    """

    def numbers(x: Any) -> Any:
        if type(x) is QuantizedTensor:
            x = recording.outer(x)
        return decoded(recording, x, float64) if isinstance(x, QuantizedTensor) else comparable(name, x)

    if name in COMPARISONS.values():
        first, second, out = arguments
        return recording.call(name, (numbers(first), numbers(second), out))
    if name == "astype" and isinstance(arguments[0], QuantizedTensor):
        _core.read_truth(name, "copy", arguments[2])
        wanted = as_dtype(arguments[1], name)
        if wanted is float32:
            return decoded(recording, arguments[0], float32)
        return recording.call(name, (numbers(arguments[0]), wanted, True))
    return None
