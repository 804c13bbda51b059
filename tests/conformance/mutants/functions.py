"""The functions that receive faults: parameters, element types, and calls that may show a fault."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from suanzi.conformance import Suanzi
from suanzi.conformance.arguments import Expanded, arguments
from suanzi.conformance.standard import Call as StatedCall
from suanzi.conformance.standard import standard
from suanzi.operators.registry import extras, lookup

from .calls import Call, Laid, Made, Out, Same, seen
from .elements import DOMAINS, Maker
from .pool import FORMS, one, quantized_of, sparse_of, two

THIS = Suanzi()
TYPES = {
    "F": ("float32", "float64", "float16"),
    "I": ("int32", "int64", "uint64", "uint8", "int8", "int16", "uint16", "uint32"),
    "C": ("complex64", "complex128"),
    "B": ("bool",),
    "S": ("string",),
}
# Element types of functions that are not operators. Functions outside this table have floating types and integers.
_TYPES = {
    **dict.fromkeys(("nextafter", "copysign", "hypot", "atan2", "logaddexp", "signbit", "allclose", "mean"), "F"),
    **dict.fromkeys(("var", "std", "logsumexp", "norm1", "norm2", "fft.fftshift", "fft.ifftshift"), "F"),
    **dict.fromkeys(("svdvals", "matrix_rank", "pinv", "det", "slogdet", "eigvals", "cond", "vector_norm"), "FC"),
    **dict.fromkeys(("eigh", "eigvalsh", "fft.fftn", "fft.ifftn", "fft.irfft", "fft.hfft", "fft.irfftn"), "FC"),
    **dict.fromkeys(("fft.rfft", "fft.ihfft", "fft.rfftn", "tensor", "from_reference"), "F"),
    **dict.fromkeys(("zeros", "ones", "full", "empty", "eye", "arange", "linspace", "randperm", "uniform"), "f"),
    **dict.fromkeys(("normal", "sparse_tensor", "quantized_tensor", "to_sparse", "dequantize", "requantize"), "f"),
    **dict.fromkeys(("fft.fftfreq", "fft.rfftfreq", "quantize"), "f"),
    **dict.fromkeys(("bernoulli", "multinomial", "cross"), "F"),
    **dict.fromkeys(("all", "any"), "B"),
    **dict.fromkeys(("tensor", "from_reference"), "FIBC"),
    **dict.fromkeys(("negative", "positive"), "FC"),
    **dict.fromkeys(("moveaxis", "swapaxes", "permute_dims", "matrix_transpose", "broadcast_to", "rot90"), "FIBS"),
}
_NARROW = ("fft", "lu", "cholesky", "qr", "svd", "solve", "lstsq", "inv", "eig", "matrix_norm")  # without float16
_SPECIAL_COMPLEX = ("isfinite", "isinf", "isnan", "equal", "not_equal", "conj", "real", "imag", "where", "negative")
_ENDLESS = ("empty", "empty_like", "destroy")  # functions whose results cannot be compared
ORDERED = ("tensor", "from_reference", "zeros", "full", "uniform", "normal", "ones", "eye")
NOT_NUMBERS = (*ORDERED, "randperm", "arange", "linspace", "sparse_tensor", "quantized_tensor")


@dataclass(frozen=True)
class Parameter:
    """An optional parameter of a function. `choices` has the parameter's values in the clauses."""

    name: str
    default: Any
    choices: tuple[Any, ...]
    is_axis: bool


@dataclass(frozen=True)
class Described:
    """A function of Suanzi: one of the 134 operators, or an addition to an operator."""

    name: str
    operator: str

    @property
    def signature(self) -> inspect.Signature:
        return inspect.signature(lookup(self.name).function)

    @property
    def places(self) -> tuple[str, ...]:
        """Return the names of the required parameters."""
        required = inspect.Parameter.empty
        return tuple(p.name for p in self.signature.parameters.values() if p.default is required)

    @property
    def has_out(self) -> bool:
        return "out" in self.signature.parameters

    def options(self) -> Iterator[Parameter]:
        """Yield the optional parameters except `out` and `device`."""
        stated = standard().operators.get(self.name)
        choices = {p.name: p.choices for p in stated.parameters} if stated else {}
        for p in self.signature.parameters.values():
            if p.default is not inspect.Parameter.empty and p.name not in ("out", "device"):
                yield Parameter(p.name, p.default, choices.get(p.name, ()), "ax" in p.name or p.name.endswith("dims"))

    @property
    def exact(self) -> bool:
        """Return whether each element has its own error bound, so that a lost sign or denormal is an error."""
        stated = standard().operators.get(self.name)
        return stated.precision.get("F", "exact") != "bound by condition" if stated else self.name not in FORMS

    @property
    def types(self) -> list[str]:
        """Return the element types that the function must accept."""
        stated = standard().operators.get(self.name)
        letters = (stated.types if stated else "") or _TYPES.get(self.name, "FI")
        if letters == "f":
            return ["float32"]
        order = "".join(sorted(letters, key="FICBS".index))
        narrow = self.operator.startswith(_NARROW) or (stated and "float16" in stated.open_types)
        return [t for letter in order for t in TYPES[letter] if not (narrow and t == "float16")]


@cache
def described() -> dict[str, Described]:
    """Return the operators and their additions by name."""
    found = {}
    for operator in standard().operators:
        for name in (operator, *(extra.name for extra in extras(operator))):
            found[name] = Described(name, operator)
    return found


def _maker(name: str, type_name: str, *, large: bool = False) -> Maker:
    low, high = DOMAINS.get(name, (0.1, 0.9))
    maker = Maker(type_name, low, high, large=large)
    exact = name in _SPECIAL_COMPLEX or name in ("clone", "contiguous", "reshape", "concat")
    if maker.kind == "c" and not exact:
        maker.special = lambda: maker(6)  # type: ignore[method-assign]
    return maker


def _form(name: str) -> Any:
    return FORMS.get(name) or (two if len(described()[name].places) == 2 else one)


@cache
def pool(name: str) -> tuple[Call, ...]:
    """Return the calls of a function that succeed: small operands first, then other layouts and output tensors."""
    function = described()[name]
    if name in _ENDLESS:
        return ()
    plain = [c for t in function.types for c in _form(name)(_maker(name, t)) if _succeeds(name, c)]
    further = [d for c in plain[:40] for d in _laid(name, c)] + _kinds(function, plain)
    outs = [d for c in plain[:24] for d in _outs(name, c)] if function.has_out else []
    return (*plain, *(c for c in (*further, *outs) if _succeeds(name, c)))


@cache
def large(name: str) -> tuple[Call, ...]:
    """Return the calls of a function on many elements that succeed."""
    function = described()[name]
    chosen = [t for t in function.types if t in ("float32", "int32", "complex64", "bool")][:2]
    return tuple(
        c
        for t in chosen
        if name not in _ENDLESS
        for c in _form(name)(_maker(name, t, large=True))
        if _succeeds(name, c)
    )


def _succeeds(name: str, c: Call) -> bool:
    told = seen(THIS, name, c)
    return not (isinstance(told, tuple) and told and told[0] == "refused")


def _laid(name: str, c: Call) -> Iterator[Call]:
    """Yield the call with one operand in another layout, and with one tensor as two operands."""
    arrays = [i for i, x in enumerate(c.args) if isinstance(x, np.ndarray)]
    for place in arrays:
        if c.args[place].ndim and c.args[place].dtype.kind != "U":
            matrices = _form(name).__module__.endswith("linear")  # expanded matrices are singular
            for how in ("strided", "reversed", "transposed", *(() if matrices else ("expanded",))):
                yield c.with_(place, Laid(c.args[place], how))
    for first, second in pairwise(arrays):
        if c.args[first].shape == c.args[second].shape and c.args[first].dtype == c.args[second].dtype:
            yield c.with_(second, Same(first))


def _kinds(function: Described, plain: list[Call]) -> list[Call]:
    """Return calls with a sparse or a quantized operand in place of a dense float32 matrix."""
    found = []
    for c in plain[:30]:
        x = c.args[0] if c.args else None
        if isinstance(x, np.ndarray) and x.dtype == np.float32 and x.ndim == 2 and x.size and np.isfinite(x).all():
            found += [c.with_(0, sparse_of(x)), c.with_(0, quantized_of(x))]
    return found


def _outs(name: str, c: Call) -> Iterator[Call]:
    told = seen(THIS, name, c)[0]
    if isinstance(told, tuple) and len(told) == 3 and isinstance(told[1], tuple) and told[0] != "string":
        for how in ("fresh", "strided"):
            yield replace(c, options={**c.options, "out": Out(told[0], told[1], how)})
        first = c.args[0] if c.args else None
        if isinstance(first, np.ndarray) and (first.dtype.name, first.shape) == told[:2]:
            yield replace(c, options={**c.options, "out": Out(told[0], told[1], "operand")})


_SIZES = re.compile(r"^(\w+)\[(\d.*)\]$")


@cache
def refused(name: str) -> tuple[Call, ...]:
    """Return calls that Suanzi refuses: the refused calls in the clauses, and variations of the arguments."""
    stated = standard().operators.get(name)
    found: list[Call] = []
    for case in stated.refused if stated else ():
        for changed in _varied(case.call, [t for t in described()[name].types if t != "float32"][:4]):
            try:
                given = arguments(stated, changed)
                if any(isinstance(a, Expanded) for a in given.all()):
                    continue  # no memory can hold the operand's elements
                c = Call(given.args, dict(given.options))
                if "out" not in c.options and not _succeeds(name, c):
                    found.append(c)
            except Exception:  # the arguments cannot be made
                continue
    return tuple(found)


def _varied(case: StatedCall, types: list[str]) -> Iterator[StatedCall]:
    yield case
    for t in types:
        yield StatedCall(_replaced(case.args, "float32[", f"{t}["), _replaced(case.options, "float32[", f"{t}["))
    for place, x in enumerate(case.args):
        if isinstance(x, int) and not isinstance(x, bool) and x > 0:
            yield StatedCall((*case.args[:place], -x - 1, *case.args[place + 1 :]), case.options)
    for key, x in case.options.items():
        if isinstance(x, int) and not isinstance(x, bool) and x > 0:
            yield StatedCall(case.args, {**case.options, key: -x - 1})
    batched = tuple(_SIZES.sub(r"\1[2,\2]", x) if isinstance(x, str) else x for x in case.args)
    if batched != case.args:
        yield StatedCall(batched, case.options)


def _replaced(x: Any, old: str, new: str) -> Any:
    if isinstance(x, str):
        return x.replace(old, new)
    if isinstance(x, list | tuple):
        return type(x)(_replaced(item, old, new) for item in x)
    return {key: _replaced(value, old, new) for key, value in x.items()} if isinstance(x, dict) else x


@cache
def usual(name: str, number: int, which: str, repeated: bool) -> Any:
    """Return Suanzi's observations of the call of a given number in the list `which` (pool, large or refused)."""
    return seen(THIS, name, {"pool": pool, "large": large, "refused": refused}[which](name)[number], repeated=repeated)


__all__ = ["Described", "Made", "described", "large", "pool", "refused", "usual"]
