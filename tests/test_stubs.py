"""The stub of `suanzi` accepts sparse and quantized operands, and declares the results of such calls.

The stub is made from the calls of tools/observed.py. The tests call the functions with other tensors, and read the stub
as text.
"""

from __future__ import annotations

import ast
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from good_arguments import FUNCTIONS, LISTS, OPTIONS, arguments, required
from samples import PUBLIC
from suanzi import QuantizedTensor, SparseTensor, SuanziError, Tensor
from suanzi.operators.registry import Record

pytestmark = pytest.mark.one_level

CLASSES = {"Tensor": Tensor, "SparseTensor": SparseTensor, "QuantizedTensor": QuantizedTensor}
NUMBERS = (0, 3, -2, 0.0, 1.5, np.float32(2), True)


def overloads() -> dict[str, list[ast.FunctionDef]]:
    """Return the definitions in the stub by the name of the function."""
    text = Path(suanzi.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


OVERLOADS = overloads()


def fits(annotation: str, value: Any) -> bool:
    """Return whether a value is of a type that an operand's annotation names."""
    if annotation.startswith("Sequence["):
        return all(fits(annotation[9:-1], part) for part in value)
    for text in annotation.split(" | "):
        if text in CLASSES and type(value) is CLASSES[text]:
            return True
        if text == "Any":
            return True
        number = isinstance(value, int | float | complex | np.number)
        if text == "Literal[0]" and type(value) is int and value == 0:
            return True
        if text in ("Number", "Operand", "AnyOperand") and (number or (text != "Number" and type(value) is Tensor)):
            return True
        if text == "int" and isinstance(value, int):
            return True
    return False


def said(record: Record, operands: dict[str, Any]) -> str | None:
    """Return the result's annotation in the first overload that accepts the given operands."""
    for node in OVERLOADS[record.name]:
        written = {a.arg: ast.unparse(a.annotation) for a in (*node.args.posonlyargs, *node.args.args) if a.annotation}
        if all(fits(written[name], value) for name, value in operands.items()):
            return ast.unparse(node.returns) if node.returns else ""
    return None


def is_as_said(result: Any, annotation: str) -> bool:
    texts = annotation.split(" | ")
    if "Any" in texts:
        return True
    for text in texts:
        if text.startswith("tuple[") and isinstance(result, tuple):
            return all(is_as_said(part, text[6:].partition(",")[0].rstrip("]")) for part in result)
        if text == "TopKOfQuantizedTensor":
            return [type(part) for part in result] == [QuantizedTensor, Tensor]
        if text == type(result).__name__ or (text in ("None", "builtins.bool") and isinstance(result, bool | None)):
            return True
    return False


def of_each_kind(x: Tensor) -> list[Any]:
    """Return `x`, and tensors of kinds that the stub's generator does not use.

    The further tensors are a CSR tensor, a quantized tensor with a zero point, and a quantized tensor with a scale for
    each channel.
    """
    kinds: list[Any] = [x]
    if x.ndim == 2:
        kinds.append(suanzi.to_sparse(x, "csr"))
    real = suanzi.astype(x, "float32") if x.dtype is not suanzi.complex64 else suanzi.ones(x.shape)
    kinds.append(suanzi.quantize(real, 0.25, zero_point=3, dtype="quint8"))
    if x.ndim:
        kinds.append(suanzi.quantize(real, [0.5] * x.shape[0], axis=0, dtype="qint16_per_channel"))
    return kinds


@pytest.mark.parametrize("name", [n for n, r in FUNCTIONS.items() if r.accepts and n in OVERLOADS and n != "destroy"])
@np.errstate(all="ignore")
def test_results_are_of_the_class_that_the_stub_says(name: str) -> None:
    record = FUNCTIONS[name]
    names = [n for n in required(record) if n not in OPTIONS]
    good = dict(zip(required(record), arguments(record), strict=True))
    choices = []
    for n in names:
        first = good[n][0] if n in LISTS else good[n]
        choices.append(of_each_kind(first) + ([] if n in LISTS or len(names) == 1 else list(NUMBERS)))
    for given in itertools.product(*choices):
        if not names or not any(type(x) in (SparseTensor, QuantizedTensor) for x in given):
            continue
        operands = {n: [x, x] if n in LISTS else x for n, x in zip(names, given, strict=True)}
        for index in ({}, {"index": suanzi.zeros(1, dtype="int64")}):
            try:
                result = record.function(*[{**good, **index, **operands}[n] for n in required(record)])
            except SuanziError:
                continue
            annotation = said(record, operands)
            what = f"{name}({', '.join(type(x).__name__ for x in given)}) gives {type(result).__name__}"
            assert annotation is not None, f"{what}, and no overload takes it"
            assert is_as_said(result, annotation), f"{what}, and the stub says {annotation}"


def test_the_stub_has_the_public_names() -> None:
    text = Path(suanzi.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    defined: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom):
            defined |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, ast.FunctionDef):
            defined.add(node.name)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            defined.add(ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]))
    assert defined >= set(PUBLIC)
