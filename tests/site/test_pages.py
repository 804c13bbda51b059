"""The pages of the documentation site say what the records say, in both languages."""

from __future__ import annotations

import inspect
import re

import pytest

import pages
import suanzi
from chinese import Chinese
from english import WORDS, English
from facts import Facts
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import lookup, records

pytestmark = pytest.mark.one_level

CHINESE = Chinese()
FUNCTIONS = list(pages.FUNCTIONS.values())
LANGUAGES = {"en": English(), "zh": CHINESE}


def section(name: str, language: str) -> str:
    """Return the site's section for one function."""
    return pages.section(pages.FUNCTIONS[name], LANGUAGES[language])


def test_every_function_is_on_one_page() -> None:
    extras = {f"extras.{n}" for n in suanzi.extras.__all__ if not isinstance(getattr(suanzi.extras, n), type)}
    assert set(pages.FUNCTIONS) == {record.name for record in records()} | extras
    for language in LANGUAGES.values():
        text = "\n".join(pages.category_page(rows, language) for rows in pages.ROWS.values())
        assert sorted(re.findall(r"^\((suanzi-.*)\)=$", text, re.M)) == sorted(map(pages.anchor, pages.FUNCTIONS))


def test_operators_stand_in_the_order_of_the_standard() -> None:
    standing = [facts.name for rows in pages.ROWS.values() for facts in rows if facts.name in CATALOGUE]
    assert standing == list(CATALOGUE)


KINDS = {
    "en": (", ", ("bool", "integers", "floating", "complex", "strings"), "takes no tensor"),
    "zh": ("、", ("布尔", "整数", "浮点数", "复数", "字符串"), "不接受张量"),
}


@pytest.mark.parametrize("name", [record.name for record in records()])
def test_facts_of_the_record(name: str) -> None:
    record, doc = lookup(name), inspect.getdoc(lookup(name).function) or ""
    for language, (joint, kinds, none) in KINDS.items():
        said = section(name, language)
        accepted = joint.join(words for kind, words in zip("BIFCS", kinds, strict=True) if kind in record.accepts)
        assert f": {accepted or none}\n" in said
        assert record.entry.chinese in said
        codes = re.findall(r"^\| (\d) \| \[(\w+)", said, re.M)
        assert codes == sorted((str(int(getattr(suanzi.Status, status))), status) for status in record.statuses)
        assert (record.of != name) == (f"[`{record.of}`](#{pages.anchor(record.of)}) {record.entry.chinese}" in said)
        assert said.count("```pycon\n") == 1
        assert doc.partition("--------\n>>> ")[2].splitlines()[0] in said
        for parameter in inspect.signature(record.function).parameters:
            assert f"`{parameter}`" in said
        if record.accuracy:
            assert f"{record.accuracy.complex128}" in said
        if record.scratch:
            assert str(record.scratch) in said
            assert all(said.count(f"{word}(") >= 2 for word in record.scratch.words)  # used, and explained


SQRT = """\
(suanzi-sqrt)=
## sqrt

```{py:function} suanzi.sqrt(x, /, *, out=None)

```

Square root, element by element.

:Chinese name: 平方根
:Source: T/AI 137.1-2025, Table 2, 幂操作: 平方根.
:Element types: bool, integers, floating, complex

**Parameters**

`x`: *Tensor*
: Floating or complex; integers and bools are converted to float32.

`out`: *Tensor, optional*
: The tensor that receives the result; it has its shape and type.

**Returns**

*Tensor*
: Floating, correctly rounded; NaN below zero.

**Statuses**

| Number | Status | When |
| --- | --- | --- |
| 1 | [TYPE_MISMATCH](#status-1) | A type is not accepted, or types do not promote. |
| 2 | [DIMENSIONS_MISMATCH](#status-2) | Shapes do not fit each other. |
| 3 | [UNINITIALIZED_OBJECT](#status-3) | A tensor was destroyed. |
| 5 | [ALLOC_FAILED](#status-5) | There is no memory for the result. |

**Accuracy**

Correctly rounded in float16, bfloat16 and float32, with the same bits on every machine; at most 0.5 ulp in float64; \
1.0 ulp of the modulus in complex64 and 4.0 in complex128.

**Example**

```pycon
"""


def test_one_operator() -> None:
    assert section("sqrt", "en").startswith(SQRT)
    chinese = section("sqrt", "zh")
    assert chinese.startswith("(suanzi-sqrt)=\n## sqrt 平方根\n\n```{py:function} suanzi.sqrt(x, /, *, out=None)\n")
    for said in (
        "\n:出处: T/AI 137.1-2025，表 2，幂操作：平方根。\n",
        "\n:元素类型: 布尔、整数、浮点数、复数\n",
        "\n`out`：*张量，可选*\n",
        "| 2 | [DIMENSIONS_MISMATCH 维度不匹配](#status-2) | 各形状互不相符。 |",
        "float64 的误差至多 0.5 ulp；complex64 至多 1.0 ulp，complex128 至多 4.0 ulp",
    ):
        assert said in chinese


def is_chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff].*。$", text, re.S) is not None


@pytest.mark.parametrize("facts", FUNCTIONS, ids=lambda facts: facts.name)
def test_chinese_is_complete(facts: Facts) -> None:
    said = CHINESE.functions.get(facts.name, {})
    assert {"summary"} <= said.keys() <= {"summary", "returns", "parameters", "accuracy"}
    assert is_chinese(said["summary"])
    assert ("returns" in said) == bool(facts.doc["Returns"])
    assert said.get("returns", "。").endswith("。")
    bound = facts.record.accuracy if facts.record else None
    assert ("accuracy" in said) == (bool(facts.doc["Accuracy"]) and bound is None)
    for parameter in facts.entries("Parameters"):
        assert is_chinese(CHINESE.parameter(facts, parameter)), parameter.names
    # The only English left in a type are names and values.
    for entry in (*facts.entries("Parameters"), *facts.entries("Returns")):
        left = re.sub(r'\{.*\}|\(.*\)|"[^"]*"', "", CHINESE.type(entry.type))
        assert set(re.findall(r"[A-Za-z]\w*", left)) <= {"int", "float", "bool", "str", "None", "SciPy"} | {
            name for name in re.findall(r"[A-Z]\w+", left) if name != "Tensor"
        }, entry.type


def test_no_chinese_is_unused() -> None:
    assert CHINESE.functions.keys() == pages.FUNCTIONS.keys()
    used = {
        (place, ", ".join(parameter.names))
        for facts in FUNCTIONS
        for parameter in facts.entries("Parameters")
        for place, _ in [next(CHINESE.phrases(facts, parameter))]
    }
    own = {(name, entry) for name, said in CHINESE.functions.items() for entry in said.get("parameters", {})}
    of_category = {(key, entry) for key, said in CHINESE.of_category.items() for entry in said}
    assert own | of_category | {("parameters", entry) for entry in CHINESE.shared} == used
    types = "\n".join(e.type for f in FUNCTIONS for s in ("Parameters", "Returns") for e in f.entries(s))
    translated = {found[0] for found in CHINESE.parts.finditer(types)}
    assert translated == CHINESE.tables["types"].keys()


def test_both_languages_have_the_same_words() -> None:
    assert CHINESE.words.keys() == WORDS.keys()
    assert CHINESE.tables["statuses"].keys() == {status.name for status in suanzi.Status}


def test_status_codes() -> None:
    for language in LANGUAGES.values():
        text = pages.statuses_page(language)
        for status in suanzi.Status:
            assert f"(status-{status.value})=\n## {status.value} {status.name} {status.chinese}\n" in text
            assert f"`suanzi.Status.{status.standard}`" in text


@pytest.mark.parametrize("name", pages.NAMESPACES)
def test_members_of_namespaces(name: str) -> None:
    text = pages.namespace_page(name)
    for member in getattr(suanzi, name).__all__:
        assert re.search(rf"^\| (\[`{member}`\]\(#\S+\)|`{member}`) \| \S", text, re.M), member
