"""The clauses as data are complete, valid by the schema, and independent of Suanzi.

The tests also check the findings of the clauses' probes.
"""

from __future__ import annotations

import ast
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mutants import Function, Mutant

import suanzi
from suanzi.conformance import Suanzi
from suanzi.conformance import standard as module
from suanzi.conformance.probes.stated import probes
from suanzi.conformance.standard import Operator, read, standard
from suanzi.operators.catalogue import CATALOGUE, CATEGORIES

CLAUSES = files("suanzi.conformance").joinpath("clauses")
TEXTS = {f.name.removesuffix(".toml"): f.read_text("utf-8") for f in CLAUSES.iterdir() if f.name.endswith(".toml")}
SCHEMA = json.loads(CLAUSES.joinpath("schema.json").read_text("utf-8"))
OPERATORS = standard().operators


# The form of the clauses.


def schema_fault(text: str) -> str | None:
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(SCHEMA).iter_errors(tomllib.loads(text)))
    return error and error.message


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert module.VERSION in SCHEMA["title"]


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_a_file_has_the_form_of_the_schema(name: str) -> None:
    assert schema_fault(TEXTS[name]) is None


@pytest.mark.parametrize("word", ["aspect", "status", "result", "shape", "precision", "parameter_kind"])
def test_the_schema_has_the_words_of_the_general_file(word: str) -> None:
    words = list(tomllib.loads(TEXTS["general"])[word])
    assert f'"enum": {json.dumps(words)}' in json.dumps(SCHEMA)


# Replacements that break `logical.toml`. Each entry has the old text, the new text, and words of the loader's error.
BROKEN = {
    "an unknown field": ('types = "B"', 'kinds = "B"', "'kinds' is not one of the fields"),
    "a field of another type": ("number = 71", 'number = "71"', "number is '71', not of type int"),
    "a field that is missing": ("number = 71\n", "", "number is missing"),
    "no such element type": ('types = "B"', 'types = "BX"', "kind of element type 'X'"),
    "no such result": ('result = "bool"', 'result = "bools"', "result 'bools'"),
    "no such precision": ('precision = "exact"', 'precision = "good"', "precision 'good'"),
    "no such family": ('family = "two tensors"', 'family = "twins"', "family 'twins'"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_the_files_must_not_contain(name: str) -> None:
    old, new, words = BROKEN[name]
    text = TEXTS["logical"].replace(old, new, 1)
    with pytest.raises(ValueError, match="standard: ") as error:
        read({**TEXTS, "logical": text})
    assert words in str(error.value)
    assert name == "no such family" or schema_fault(text) is not None  # another file names the families


def test_a_case_with_a_status_that_there_is_not() -> None:
    text = TEXTS["reduction"].replace('status = "TYPE_MISMATCH"', 'status = "TYPE_ERROR"', 1)
    with pytest.raises(ValueError, match="status 'TYPE_ERROR'"):
        read({**TEXTS, "reduction": text})
    assert schema_fault(text) is not None


# Completeness.


def test_the_operators_are_those_of_table_2() -> None:
    ours = {name: (o.number, o.chinese, o.category.key, o.category.chinese) for name, o in OPERATORS.items()}
    assert ours == {e.name: (e.number, e.chinese, e.category.key, e.category.chinese) for e in CATALOGUE.values()}
    assert [o.number for o in OPERATORS.values()] == list(range(1, 135))
    rows = [(c.key, c.number) for c in standard().categories.values()]
    assert rows == [(c.key, c.number) for c in CATEGORIES]


def test_clauses_are_quoted_where_the_text_is_at_hand() -> None:
    assert all(o.clause == (CATALOGUE[name].clause or "") for name, o in OPERATORS.items())
    assert all(o.reading and o.reading_zh for o in OPERATORS.values() if not o.clause)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda o: o.name)
def test_five_causes_of_refusal(operator: Operator) -> None:
    assert len({case.why for case in operator.refused}) == len(operator.refused) >= 5
    assert len({case.status for case in operator.refused}) >= 2
    assert all(case.why_zh for case in operator.refused)


def test_no_cause_is_left_over() -> None:
    assert set(tomllib.loads(TEXTS["causes"])) == {case.why for o in OPERATORS.values() for case in o.refused}


def test_aspects_and_clauses_belong_together() -> None:
    clauses = {clause.number: clause for clause in standard().clauses}
    assert {word for clause in clauses.values() for word in clause.aspects} == set(standard().aspects)
    assert set(standard().aspects) == {word for o in OPERATORS.values() for word in o.aspects}
    for aspect in standard().aspects.values():
        assert any(aspect.clause.startswith(clause) for clause in clauses)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda o: o.name)
def test_every_optional_parameter_is_given_in_some_call(operator: Operator) -> None:
    calls = [operator.example, *(call for same in operator.defaults for call in (same.short, same.long))]
    given = {name for call in calls for name in call.options}
    given |= {operator.at(place).name for call in calls for place in range(len(call.args))}
    given |= {p.name for p in operator.parameters if p.default is not None or p.kind == "output"}
    assert given == {p.name for p in operator.parameters}
    assert all({*case.call.options} <= given for case in operator.refused)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda o: o.name)
def test_kinds_of_element_types_are_told_apart(operator: Operator) -> None:
    assert not set(operator.types) & set(operator.open)
    assert not operator.types or set(operator.types) <= set(operator.precision) <= set(operator.types + operator.open)


def test_the_clauses_know_nothing_of_the_library() -> None:
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any(name.startswith("suanzi") for name in modules)
    assert not any("suanzi" in text for text in TEXTS.values())


# The probes.


@pytest.mark.parametrize("name", OPERATORS)
def test_the_library_does_what_is_stated(name: str) -> None:
    provider = Suanzi()
    made = list(probes(name, provider.element_types))
    assert [fault for probe in made if (fault := probe.judge(provider).fault)] == []
    aspects = Counter(probe.aspect for probe in made)
    assert aspects["statuses"] + aspects["output"] >= 5
    assert set(aspects) <= {*OPERATORS[name].aspects, "statuses", "element types"}


def test_a_provider_without_a_type_is_not_asked_for_it() -> None:
    types = {name for probe in probes("add", frozenset({"float32", "int8"})) for name in probe.given.types}
    assert types == {"float32", "int8"}


def found_by(operator: str, fault: Callable[[Function], Function]) -> Iterator[tuple[str, str]]:
    provider = Mutant(operator, fault)
    for probe in probes(operator, provider.element_types):
        if told := probe.judge(provider).fault:
            yield probe.aspect, told


def unchanged(function: Function) -> Function:
    return lambda *args, **options: function(*args, **options)


def with_another_status(error: type[Exception], other: type[Exception]) -> Callable[[Function], Function]:
    def fault(function: Function) -> Function:
        def call(*args: Any, **options: Any) -> Any:
            try:
                return function(*args, **options)
            except error as refusal:
                raise other(str(refusal)) from None

        return call

    return fault


def before(change: Callable[..., Any]) -> Callable[[Function], Function]:
    """Make a fault that calls the operator with arguments that `change` has changed."""

    def fault(function: Function) -> Function:
        def call(*args: Any, **options: Any) -> Any:
            args, options = change(*args, **options)
            return function(*args, **options)

        return call

    return fault


def after(change: Callable[[Any], Any]) -> Callable[[Function], Function]:
    return lambda function: lambda *args, **options: change(function(*args, **options))


def limited(p: Any, *rest: Any, **options: Any) -> Any:
    good = isinstance(p, suanzi.Tensor) and not suanzi._core.is_destroyed(p) and p.dtype is suanzi.float32
    return ((suanzi.clip(p, 0, 1) if good and p.size < 100 else p), *rest), options


def whole_indices(x: Any, index: Any, *rest: Any, **options: Any) -> Any:
    floating = not suanzi._core.is_destroyed(index) and index.dtype is suanzi.float32
    return (x, suanzi.astype(index, "int64") if floating else index, *rest), options


def cleared(*args: Any, out: Any = None, **options: Any) -> Any:
    if out is not None and not suanzi._core.is_destroyed(out) and out.dtype is not suanzi.string:
        out[...] = 0
    return args, {**options, **({} if out is None else {"out": out})}


def in_order_of_memory(x: Any, *rest: Any, **options: Any) -> Any:
    """Return the arguments with the elements of a column-major matrix in memory order."""
    if isinstance(x, suanzi.Tensor) and not suanzi._core.is_destroyed(x) and x.ndim == 2:
        array = x.numpy()
        if array.flags.f_contiguous and not array.flags.c_contiguous:
            return (suanzi.tensor(array.T.reshape(array.shape)), *rest), options
    return (x, *rest), options


def without_mode(function: Function) -> Function:
    return lambda x, decimals=0, *, out=None: function(x, decimals, out=out)


def of_one(function: Function) -> Function:
    return lambda x, k=1, **options: function(x, k, **options)


def least_by_default(function: Function) -> Function:
    return lambda x, k, axis=-1, largest=False, sorted=True: function(x, k, axis, largest, sorted)


def without_broadcasting(x1: Any, x2: Any, **options: Any) -> Any:
    if hasattr(x1, "shape") and hasattr(x2, "shape") and x1.shape != x2.shape:
        raise suanzi.DimensionsMismatchError("shapes differ")
    return (x1, x2), options


def with_wide_scalars(x1: Any, x2: Any, **options: Any) -> Any:
    number = isinstance(x2, int) and not isinstance(x2, bool) and abs(x2) < 2**15
    return (x1, suanzi.tensor(x2, dtype="int64") if number else x2), options


def up_to_four(x: Any, *rest: Any, **options: Any) -> Any:
    if isinstance(x, suanzi.Tensor) and not suanzi._core.is_destroyed(x) and x.ndim > 4:
        raise suanzi.InternalError("too many dimensions")
    return (x, *rest), options


def into_any(function: Function) -> Function:
    def call(*args: Any, out: Any = None, **options: Any) -> Any:
        try:
            return function(*args, out=out, **options)
        except suanzi.DimensionsMismatchError:
            return function(*args, **options)

    return call


FAULTS: dict[str, tuple[str, Callable[[Function], Function], str]] = {
    "a wrong status": (
        "add",
        with_another_status(suanzi.DimensionsMismatchError, suanzi.InvalidArgumentError),
        "statuses",
    ),
    "an error without a status": ("reduce", with_another_status(suanzi.SuanziError, RuntimeError), "statuses"),
    "no memory as another error": ("exp", with_another_status(suanzi.AllocFailedError, RuntimeError), "statuses"),
    "a destroyed operand as another error": (
        "matmul",
        with_another_status(suanzi.UninitializedObjectError, suanzi.InvalidArgumentError),
        "statuses",
    ),
    "success on probabilities above 1": ("bernoulli", before(limited), "statuses"),
    "success on indices that are not integers": ("gather", before(whole_indices), "element types"),
    "a write before the refusal": ("multiply", before(cleared), "output"),
    "a layout that is lost": ("flip", before(in_order_of_memory), "layouts"),
    "a keyword that is missing": ("round", without_mode, "defaults"),
    "a required parameter that is optional": ("topk", of_one, "parameters"),
    "another default": ("topk", least_by_default, "defaults"),
    "no broadcasting": ("subtract", before(without_broadcasting), "broadcasting"),
    "scalars that widen": ("bitwise_and", before(with_wide_scalars), "scalars"),
    "another type of result": ("isnan", after(lambda y: suanzi.astype(y, "uint8")), "element types"),
    "a limit on the rank": ("clone", before(up_to_four), "ranks"),
    "an output tensor that does not fit": ("sqrt", into_any, "output"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str) -> None:
    operator, fault, aspect = FAULTS[name]
    assert aspect in {told for told, _ in found_by(operator, fault)}


@pytest.mark.parametrize("operator", sorted({row[0] for row in FAULTS.values()}))
def test_a_mutant_without_a_fault_passes(operator: str) -> None:
    assert list(found_by(operator, unchanged)) == []


def test_what_is_wrong_is_said() -> None:
    found = found_by("add", with_another_status(suanzi.DimensionsMismatchError, suanzi.InvalidArgumentError))
    assert next(told for aspect, told in found if aspect == "statuses").startswith(
        "shapes that do not broadcast: not DIMENSIONS_MISMATCH but InvalidArgumentError (status INVALID_ARGUMENT): add:"
    )
