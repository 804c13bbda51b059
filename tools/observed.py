"""Calls functions with operands of each kind to find the kinds of the results, for the overloads in the stubs.

The module names no operator. The module calls each operator with valid arguments (tests/good_arguments.py) whose
tensors are replaced, one by one and together, by sparse and quantized tensors and by numbers. The classes of the
results determine the further signatures. If the kind of a result depends on the value of a number, the annotation is
`Any`. If only rare numbers, such as 0.0 or NaN, change the kind, the annotation is the usual kind or `Any`.
"""

from __future__ import annotations

import inspect
import itertools
import operator
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_overloads

import numpy as np

import suanzi
from suanzi import QuantizedTensor, SparseTensor, SuanziError, Tensor
from suanzi.operators.registry import Record

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from good_arguments import LISTS, OPTIONS, SHAPES, arguments, required

Parameter = inspect.Parameter
KINDS: dict[str, type] = {"Tensor": Tensor, "SparseTensor": SparseTensor, "QuantizedTensor": QuantizedTensor}
DENSE, *OTHERS = KINDS
ANY_NUMBER = "Number"
# Numbers as operands beside a tensor, by the types that type checkers distinguish. Narrower types come first, and 0 has
# its own type.
NUMBERS: dict[str, tuple[Any, ...]] = {"Literal[0]": (0,), "int": (1, -1, 2, True), ANY_NUMBER: (0.5, -0.5, 2.0)}
# Further numbers of the same types, which programs seldom use.
RARE: dict[str, tuple[Any, ...]] = {"int": (0,), ANY_NUMBER: (0.0, float("inf"), float("nan"))}
OPERAND = re.compile(r"\b(?:Any)?Operand\b")
OF_PARTS = re.compile(r"(\w+)Of(\w+Tensor)")  # names of classes of results whose parts are of several kinds
# Operators with the operand `index` also accept a vector of positions.
ROW = {"index": suanzi.zeros((1,), dtype="int64")}


@dataclass(frozen=True)
class Signature:
    """The parameters and the result of a function. Annotations are texts."""

    parameters: tuple[Parameter, ...]
    result: str

    @property
    def first(self) -> str:
        """Return the annotation of the first parameter, which is `self` in a method."""
        return str(self.parameters[0].annotation)

    def of_kind(self, kind: str) -> Signature:
        """Return the signature with `Tensor` replaced by the class of another kind in all annotations."""

        def named(text: Any) -> str:
            return re.sub(r"\bTensor\b", kind, str(text))

        parameters = (p.replace(annotation=named(p.annotation)) for p in self.parameters)
        return Signature(tuple(parameters), named(self.result))

    def with_annotations(self, annotations: dict[str, str]) -> Signature:
        parameters = (
            p.replace(annotation=annotations[p.name]) if p.name in annotations else p for p in self.parameters
        )
        return replace(self, parameters=tuple(parameters))


def declared(function: Callable[..., Any]) -> list[Signature]:
    """Return the declared signatures of a function: its overloads, or its only signature."""
    found = []
    for one in get_overloads(inspect.unwrap(function)) or [function]:
        signature = inspect.signature(one)
        found.append(Signature(tuple(signature.parameters.values()), str(signature.return_annotation)))
    return found


def operands_of(record: Record) -> list[str]:
    """Return the required parameters of a record's function that may be tensors of any kind, without indices."""
    by_name = inspect.signature(record.function).parameters
    names = [name for name in required(record) if name not in OPTIONS]
    loose = [p.name for p in by_name.values() if p.kind is p.VAR_POSITIONAL]
    return [name for name in (*names, *loose) if re.search("Tensor|Operand", str(by_name[name].annotation))]


def dense(record: Record) -> Iterator[Signature]:
    """Yield the declared signatures. If all operands may be numbers, yield variants that each require a tensor."""
    names = operands_of(record)
    for signature in declared(record.function):
        written = {p.name: str(p.annotation) for p in signature.parameters if p.name in names}
        if len(names) < 2 or not all(OPERAND.fullmatch(text) for text in written.values()):
            yield signature
            continue
        for i, name in enumerate(names):
            before = {n: "Number | str" if "Any" in written[n] else ANY_NUMBER for n in names[:i]}
            yield signature.with_annotations({**before, name: DENSE})


def made(kind: str, x: Tensor) -> Any:
    """Convert a dense tensor to a tensor of a given kind."""
    if kind == "SparseTensor":
        return suanzi.to_sparse(x)
    if kind == "QuantizedTensor":
        return suanzi.quantize(suanzi.astype(x, "float32"), 0.5, dtype="qint8")
    return x


def structure(value: Any) -> Any:
    """Return the name of a result's class. For a tuple, return the tuple's class and the structures of its parts."""
    if isinstance(value, tuple):
        return (type(value).__name__, *map(structure, value))
    return type(value).__name__


def tensors_in(found: Any) -> list[str]:
    parts = found[1:] if isinstance(found, tuple) else [found]
    return [name for part in parts for name in ([part] if isinstance(part, str) else tensors_in(part)) if name in KINDS]


def parts_class(name: str) -> str:
    """Return the definition of the stub's class for a named tuple of which only the first part is of another kind."""
    found = OF_PARTS.fullmatch(name)
    assert found is not None
    base: Any = getattr(suanzi, found[1])
    first, *others = base._fields
    fields = [f"    {first}: {found[2]}", *(f"    {field}: Tensor" for field in others)]
    return "\n".join([f"class {name}(NamedTuple):", *fields])


class Caller:
    """A caller of one operator with operands of given kinds."""

    def __init__(self, record: Record, signature: Signature) -> None:
        self.record = record
        self.fixed = {p.name: True for p in signature.parameters if p.annotation == "Literal[True]"}
        self.names = operands_of(record)
        self.bounds = [
            p.name
            for p in inspect.signature(record.function).parameters.values()
            if p.default is None and OPERAND.search(str(p.annotation)) and required(record) == self.names[:1]
        ]

    def _call(self, given: tuple[Any, ...], options: dict[str, Any], **further: Any) -> Any:
        """Call the operator. `given` are names of kinds, or numbers, and `further` are optional arguments."""
        names = [name for name in self.names if name in required(self.record)]
        dense = dict(zip(required(self.record), arguments(self.record, **options), strict=True))
        replaced: dict[str, Any] = {}
        for name, kind in zip(names, given, strict=False):
            x = dense[name][0] if name in LISTS else dense[name]
            replaced[name] = made(kind, x) if isinstance(kind, str) else kind
        positional = arguments(self.record, **options, **replaced)
        if loose := given[len(names) :]:
            x = suanzi.tensor([1.0, 2.0])
            positional += [made(kind, x) for kind in loose] * 2
        return self.record.function(*positional, **self.fixed, **further)

    def structures(self, given: tuple[Any, ...]) -> set[Any]:
        """Return the structures of the results of a call with several options and further numbers. The set is empty if
        the operator refuses all these calls.
        """
        found = set()
        for options in ({}, ROW):
            try:
                result = self._call(given, options)
            except SuanziError:
                continue
            found.add(structure(result))
            break
        for name in self.bounds if found else ():
            for number in (0, 1, -1):
                try:
                    x = made(given[0], arguments(self.record)[0])
                    found.add(structure(self.record.function(x, **{name: number})))
                except SuanziError:
                    continue
        return found

    def takes_out(self, given: tuple[Any, ...]) -> bool:
        """Return True if the function, called with the given kinds, can write to an `out` of its result's kind."""
        if not self.record.has_out:
            return False
        try:
            self._call(given, {}, out=suanzi.clone(self._call(given, {})))
        except SuanziError:
            return False
        return True

    def accepts(self, given: tuple[Any, ...], name: str, kind: str) -> bool:
        """Return True if the function accepts a tensor of a kind as its optional operand of the given name."""
        x = suanzi.ones(SHAPES[self.record.name][name])
        try:
            self._call(given, {}, **{name: made(kind, x)})
        except SuanziError:
            return False
        return True


def result_text(structures: set[Any], usual: set[Any], signature: Signature, plain: set[Any]) -> str:
    """Return the annotation for results of the given structures. `usual` are the structures for ordinary numbers, and
    `plain` are the structures for dense operands.
    """
    if len(usual) != 1:
        return "Any"
    (one,) = usual
    text = signature.result
    if usual != plain:
        kinds = set(tensors_in(one))
        if len(kinds) == 1:
            text = re.sub(r"\bTensor\b", kinds.pop(), text)
            if text in KINDS and isinstance(one, str):
                text = one
        elif one[0] == "tuple":
            text = f"tuple[{', '.join(one[1:])}]"
        else:
            text = f"{one[0]}Of{one[1]}"  # the stub has a class for parts of several kinds
    return text if structures == usual else f"{text} | Any"


def others(record: Record, first: Signature) -> Iterator[tuple[dict[str, str], str, bool]]:
    """Yield the combinations of kinds that a function accepts: the annotations of the operands and of the result, and
    True if the function accepts `out`.
    """
    caller = Caller(record, first)
    if not caller.names or not record.accepts:
        return
    takes_numbers = {p.name for p in first.parameters if OPERAND.search(str(p.annotation))}
    plain = caller.structures((DENSE,) * len(caller.names))
    choices = [(*KINDS, *(NUMBERS if name in takes_numbers else ())) for name in caller.names]
    for kinds in itertools.product(*choices):
        if not set(kinds) & set(OTHERS):
            continue
        values = [NUMBERS.get(kind, (kind,)) for kind in kinds]
        usual: set[Any] = set()
        for given in itertools.product(*values):
            usual |= caller.structures(given)
        if not usual:
            continue
        every = set(usual)
        for given in itertools.product(*(RARE.get(kind, values[i]) for i, kind in enumerate(kinds))):
            every |= caller.structures(given)
        yield (
            dict(zip(caller.names, kinds, strict=True)),
            result_text(every, usual, first, plain),
            caller.takes_out(tuple(v[0] for v in values)),
        )


def _merged(rows: list[tuple[dict[str, str], str, bool]]) -> list[tuple[dict[str, str], str, bool]]:
    """Merge combinations that differ only in one operand into one combination, whose annotation is a union. A union of
    all types of numbers becomes Number.
    """
    for name in reversed(rows[0][0]) if rows else ():
        groups: dict[Any, list[str]] = {}
        for kinds, result, out in rows:
            rest = tuple((n, k) for n, k in kinds.items() if n != name)
            groups.setdefault((rest, result, out), []).append(kinds[name])
        order = list(rows[0][0])
        rows = []
        for (rest, result, out), found in groups.items():
            texts = dict.fromkeys(part for text in found for part in text.split(" | "))
            if ANY_NUMBER in texts:
                texts = {text: None for text in texts if text not in ("Literal[0]", "int")}
            elif "int" in texts:
                texts.pop("Literal[0]", None)
            kinds = {**dict(rest), name: " | ".join(texts)}
            rows.append(({n: kinds[n] for n in order}, result, out))
    widths = ["", *NUMBERS]
    return sorted(rows, key=lambda row: [max(i for i, n in enumerate(widths) if n in text) for text in row[0].values()])


def beside(record: Record, signature: Signature, kinds: tuple[str, ...]) -> dict[str, str]:
    """Return the annotations of a function's optional operands that may be of several kinds. The annotations omit the
    kinds that the function refuses beside operands of the given kinds.
    """
    caller, found = Caller(record, signature), {}
    for p in signature.parameters:
        if p.name in record.operands and p.default is None and any(kind in str(p.annotation) for kind in OTHERS):
            parts = {part: OPERAND.sub(DENSE, part) for part in str(p.annotation).split(" | ")}
            kept = [part for part, kind in parts.items() if kind not in KINDS or caller.accepts(kinds, p.name, kind)]
            found[p.name] = " | ".join(kept)
    return found


def signatures(record: Record) -> list[Signature]:
    """Return all signatures of a function: for dense operands, then for other kinds."""
    alike = (DENSE,) * len(operands_of(record))
    found = [one.with_annotations(beside(record, one, alike)) for one in dense(record)]
    for signature in declared(record.function):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            rows = _merged(list(others(record, signature)))
        for kinds, result, out in rows:
            annotations = {
                name: re.sub(r"\b(?:Tensor|AnyOperand|Operand)\b", kind, str(p.annotation))
                for p in signature.parameters
                if (name := p.name) in kinds
                for kind in [kinds[name]]
            }
            if not out:
                parameters = tuple(p for p in signature.parameters if p.name != "out")
            else:
                parameters = signature.parameters
                kind = result if result in KINDS else DENSE
                annotations["out"] = f"{kind} | None"
            annotations |= beside(record, signature, tuple(text.split(" | ")[0] for text in kinds.values()))
            found.append(Signature(parameters, result).with_annotations(annotations))
    return found


# --- Python's operators ---

ARRAYS = {"Array": np.ones((2, 2), np.float32)}
SAMPLES = (suanzi.tensor([[2.0, 1.0], [1.0, 3.0]]), suanzi.tensor([[2, 1], [1, 3]], dtype="int32"))
STRINGS = suanzi.tensor(["a", "b"])
REFUSALS = (SuanziError, TypeError)


def _results(function: Callable[..., Any], kind: str, others: tuple[Any, ...]) -> set[str]:
    """Return the names of the classes of `function`'s results for an operand of a kind beside each of `others`."""
    found = set()
    for x in SAMPLES:
        for other in others:
            try:
                given = [made(y, x) if isinstance(y, str) and y in KINDS else y for y in (kind, other) if y is not None]
                found.add(type(function(*given)).__name__)
            except REFUSALS:
                continue
    return found & KINDS.keys()


def unary(name: str, kind: str) -> str | None:
    """Return the class of a Python operator's result for one operand of a kind, or None if the operand is refused."""
    results = _results(getattr(operator, name), kind, (None,))
    return results.pop() if len(results) == 1 else None


def _function(name: str) -> Callable[[Any, Any], Any]:
    """Return the function of an operator's name, which may be reflected ("radd") or in place ("iadd")."""
    reflected = getattr(operator, f"__{name[1:]}__", None) if name[0] == "r" and name != "rshift" else None
    if reflected is not None:
        return lambda x, other: reflected(other, x)
    if name[0] == "i" and hasattr(operator, name):
        return lambda x, other: getattr(operator, name)(suanzi.clone(x), other)
    return getattr(operator, f"__{name}__")  # type: ignore[no-any-return]


def binary(name: str, kind: str) -> list[tuple[str, str]]:
    """Return the second operands that a Python operator accepts beside a kind, and the result for each operand."""
    function, rows = _function(name), []
    choices: dict[str, tuple[Any, ...]] = {k: (k,) for k in KINDS} | NUMBERS | {k: (x,) for k, x in ARRAYS.items()}
    for other, values in choices.items():
        usual = _results(function, kind, values)
        every = usual | (_results(function, kind, RARE[other]) if other in RARE else set())
        if usual:
            one = next(iter(usual)) if len(usual) == 1 else "Any"
            rows.append(({"other": other}, one if every <= {one, *usual} else f"{one} | Any", False))
    if kind == DENSE and name in ("lt", "le", "gt", "ge"):
        rows.append(({"other": "str"}, type(function(STRINGS, "a")).__name__, False))
    return [(kinds["other"], result) for kinds, result, _ in _merged(rows)]
