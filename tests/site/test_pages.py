"""The documentation site agrees with the records in both languages, and no public name is missing."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import pytest
from prose import left_in_english

import pages
import suanzi
from chinese import CODE, LANGUAGES, Chinese
from docstrings import in_words
from english import TABLES
from facts import CLASSES, FUNCTIONS, MODULES, ROWS, SYNONYMS, Facts, described_as, members
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import lookup, neural_records, records

pytestmark = pytest.mark.one_level

SITE = Path(pages.__file__).parent
CHINESE = LANGUAGES["zh"]
assert isinstance(CHINESE, Chinese)
DESCRIBED = [facts for key, rows in ROWS.items() for facts in rows if key != "others" or facts.doc["Parameters"]]


def said(name: str, language: str) -> str:
    """Return the docstring of a function as the site's pages show it in a language, in reStructuredText."""
    function = FUNCTIONS[name].thing
    return in_words(name, function, inspect.getdoc(function) or "", LANGUAGES[language])


def test_every_function_has_one_page() -> None:
    extras = {f"extras.{n}": thing for n, thing in vars(suanzi.extras).items() if n in suanzi.extras.__all__}
    networks = {f"nn.{n}": thing for n, thing in vars(suanzi.nn).items() if n in suanzi.nn.__all__}
    own = {n for n, thing in extras.items() if not isinstance(thing, type) and thing not in networks.values()}
    named = {record.name for record in (*records(), *neural_records())}
    assert named | own | {*networks} == {facts.name for key, rows in ROWS.items() for facts in rows if key != "others"}
    for name, facts in FUNCTIONS.items():
        assert pages.function_page(facts).count(f".. autofunction:: suanzi.{name}\n") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_public_name_has_an_entry(language: str, tmp_path: Path) -> None:
    """The pages have an entry for every public name of `suanzi` and of its modules."""
    pages.write(tmp_path, LANGUAGES[language])
    written = [*tmp_path.rglob("*.rst"), *(SITE / "content" / language).glob("*.rst")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in written)
    entries = set(re.findall(r"^\.\. (?:auto\w+|py:\w+):: (suanzi\.\S+)", text, re.M))
    # On the page of a module, the entries of values omit the name of the module.
    for path in written:
        page = path.read_text(encoding="utf-8")
        if module := re.search(r"^\.\. py:module:: (\S+)", page, re.M):
            entries |= {f"{module[1]}.{name}" for name in re.findall(r"^\.\. py:data:: (\S+)", page, re.M)}
    public = {f"suanzi.{name}": getattr(suanzi, name) for name in suanzi.__all__ if name != "__version__"}
    public |= {f"suanzi.{room}.{name}": thing for room in MODULES for name, thing in members(room).items()}
    assert [name for name, thing in public.items() if name not in entries and not described_as(thing)] == []
    shown = re.search(r"^\.\. autoclass:: suanzi\.Tensor\n +:members: (.*)$", text, re.M)
    assert shown
    assert {name for name in dir(suanzi.Tensor) if name[0] != "_"} == set(shown[1].split(", "))


def test_operators_stand_in_the_order_of_the_standard() -> None:
    standing = [facts.name for rows in ROWS.values() for facts in rows if facts.name in CATALOGUE]
    assert standing == list(CATALOGUE)


KINDS = {
    "en": (", ", ("bool", "integers", "floating", "complex", "strings"), "takes no tensor"),
    "zh": ("、", ("布尔", "整数", "浮点数", "复数", "字符串"), "不接受张量"),
}


@pytest.mark.parametrize("name", [record.name for record in records()])
def test_facts_of_the_record(name: str) -> None:
    record, doc = lookup(name), inspect.getdoc(lookup(name).function) or ""
    for language, (joint, kinds, none) in KINDS.items():
        text = said(name, language)
        accepted = joint.join(words for kind, words in zip("BIFCS", kinds, strict=True) if kind in record.accepts)
        assert f": {accepted or none}\n" in text
        assert record.entry.chinese in text
        errors = re.findall(r"^(\w+Error)$", text, re.M)
        assert {getattr(suanzi, error).status for error in errors} == {
            getattr(suanzi.Status, s) for s in record.statuses
        }
        assert (record.of != name) == (f":py:func:`{record.of} <suanzi.{record.of}>` {record.entry.chinese}" in text)
        assert text.count("\nExamples\n--------\n") == 1
        assert doc.partition("--------\n>>> ")[2].splitlines()[0] in text
        for parameter in inspect.signature(record.function).parameters:
            assert re.search(rf"\b{parameter}\b", text)
        if record.accuracy:
            assert f"{record.accuracy.complex128}" in text
        if record.scratch:
            assert str(record.scratch) in text
            # The text contains each word of the scratch declaration, and an explanation of the word.
            assert all(text.count(f"{word}(") >= 2 for word in record.scratch.words)


def test_one_operator() -> None:
    english, chinese = said("sqrt", "en"), said("sqrt", "zh")
    assert english.startswith(
        "Square root, element by element.\n\n"
        ":Chinese name: 平方根\n:Also called: 开方\n:Category: 8 Powers 幂操作\n"
        ":Element types: bool, integers, floating, complex\n\nParameters\n----------\nx : Tensor\n"
    )
    for text in (
        "\n:元素类型: 布尔、整数、浮点数、复数\n",
        "\nout : 张量，可选\n    接收结果的张量；形状与结果相同，类型须能容纳结果的类型。\n",
        "\nDimensionsMismatchError\n    DIMENSIONS_MISMATCH 维度不匹配：各形状互不相符。\n",
        "\n精度\n--------\n",
        "float64 的误差至多 0.5 ulp；complex64 至多 1.0 ulp，complex128 至多 4.0 ulp",
        "\n出处\n--------\nT/AI 137.1-2025，表 2，幂操作：平方根。",
    ):
        assert text in chinese


def test_code_becomes_links_and_all_else_is_literal() -> None:
    marked = pages.marked_up("`sort` of `x_`, ``sort``, 2 * x_ | y", {"x_"})
    assert marked == r"\ :py:func:`sort <suanzi.sort>`\  of \ ``x_``\ , \ ``sort``\ , 2 \* x\_ \| y"
    assert pages.marked_up("`softmax`", room="nn") == r"\ :py:func:`softmax <suanzi.nn.softmax>`\ "


@pytest.mark.parametrize(
    ("word", "name"),
    [
        *(("cat", "concat"), ("concatenate", "concat"), ("拼接", "concat"), ("排序", "sort"), ("转置", "transpose")),
        *(("unsqueeze", "expand_dims"), ("最大值", "max"), ("求和", "sum"), ("矩阵乘法", "matmul"), ("clamp", "clip")),
        *(("随机数", "uniform"), ("逆矩阵", "inv"), ("激活函数", "nn.relu"), ("保存", "save"), ("融合", "fuse")),
    ],
)
def test_the_search_knows_other_names(word: str, name: str) -> None:
    assert f"\n   single: {word}\n" in pages.function_page(FUNCTIONS[name])


def test_other_names_are_of_functions() -> None:
    assert SYNONYMS.keys() <= FUNCTIONS.keys() | CLASSES.keys()
    assert [name for name, facts in FUNCTIONS.items() if not facts.chinese and name not in SYNONYMS] == []


def is_chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff].*。$", text, re.S) is not None


@pytest.mark.parametrize("facts", DESCRIBED, ids=lambda facts: facts.name)
def test_chinese_is_complete(facts: Facts) -> None:
    told = CHINESE.objects.get(facts.name, {})
    assert {"summary"} <= told.keys() <= {"summary", "returns", "parameters", "accuracy"}
    assert is_chinese(told["summary"])
    assert ("returns" in told) == bool(facts.doc["Returns"])
    assert told.get("returns", "。").endswith("。")
    bound = facts.record.accuracy if facts.record else None
    assert ("accuracy" in told) == (bool(facts.doc["Accuracy"]) and bound is None)
    for parameter in facts.doc["Parameters"]:
        assert is_chinese(CHINESE.parameters(facts)[parameter.name]), parameter.name
    # The Chinese text of a type has no English words except names and values.
    for entry in (*facts.doc["Parameters"], *facts.doc["Returns"]):
        left = re.sub(r'\{.*\}|\(.*\)|"[^"]*"', "", CHINESE.type(entry.type))
        assert set(re.findall(r"[A-Za-z]\w*", left)) <= {"int", "float", "bool", "str", "None", "SciPy"} | {
            name for name in re.findall(r"[A-Z]\w+", left) if name != "Tensor"
        }, entry.type


PAGES = {
    **{f"functions/{name}": pages.function_page(facts) for name, facts in FUNCTIONS.items()},
    **{f"classes/{name}": pages.class_entry(f"suanzi.{name}", facts.thing) for name, facts in CLASSES.items()},
    **{f"modules/{name}": pages.module_page(name, CHINESE) for name in MODULES},
    "statuses": (SITE / "content" / "zh" / "statuses.rst").read_text(encoding="utf-8"),
}


def described(page: str) -> Iterator[Facts]:
    """Yield the facts about each object whose docstring Sphinx's autodoc adds to a page."""
    for name, listed in re.findall(r"^\.\. auto\w+:: suanzi\.(\S+)(?:\n +:members: (.*))?", page, re.M):
        for full in (name, *(f"{name}.{member}" for member in listed.split(", ") if member)):
            thing = attrgetter(full)(suanzi)
            is_value = bool(inspect.getdoc(thing)) and inspect.getdoc(thing) == inspect.getdoc(type(thing))
            is_alias = isinstance(thing, type) and not full.endswith(thing.__name__)
            if not (is_value or is_alias):
                yield Facts(full, thing)


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_left_in_english(page: str) -> None:
    """The Chinese pages have no English sentence, and no parameter, attribute or error without a description."""
    assert left_in_english(PAGES[page]) == []
    for facts in described(PAGES[page]):
        assert CHINESE.told(facts) or described_as(facts.thing) or not callable(facts.thing), facts.name
        text = in_words(facts.name, facts.thing, facts.text, CHINESE)
        told = re.split(r"^Examples\n-+\n", text, flags=re.M)[0]
        assert left_in_english(told) == [], facts.name
        assert re.findall(r"^(?:\S.* : .*|\w+Error)$(?!\n    \S)", told, re.M) == [], facts.name


def test_chinese_is_about_one_object_each() -> None:
    files = [path for path in (SITE / "chinese").glob("*.toml") if path.stem not in ("words", "parameters")]
    names = [name for path in files for name in tomllib.loads(path.read_text(encoding="utf-8")) if name != "shared"]
    assert sorted(names) == sorted(CHINESE.objects)


def test_no_chinese_is_unused() -> None:
    shown = {facts: described_as(facts.thing) for page in PAGES.values() for facts in described(page)}
    own = [facts for facts, known in shown.items() if known is None or known.name == facts.name]
    parameters = [(facts, entry.name) for facts in own for entry in facts.doc["Parameters"]]
    members = [f"{facts.name}.{entry.name}" for facts in own for entry in facts.doc["Attributes"]]
    modules = [*MODULES, *re.findall(r":py:mod:`suanzi\.(\S+)`: ", "\n".join(PAGES.values()))]
    assert CHINESE.objects.keys() <= {*map(CHINESE.key, (*(facts.name for facts in own), *members, *modules))}
    for facts in own:
        texts = {"returns": "Returns", "accuracy": "Accuracy"}.items()
        assert [text for text, section in texts if text in CHINESE.told(facts) and not facts.doc[section]] == []
    texts = {name: told.get("parameters", {}) for name, told in CHINESE.objects.items()} | CHINESE.shared
    used = set()
    for facts, entry in parameters:
        key = CHINESE.key(facts.name)
        used.add(next((place, entry) for place in (key, CHINESE.file[key], "parameters") if entry in texts[place]))
    assert used == {(place, entry) for place, told in texts.items() for entry in told}
    sections = [
        entry for facts in own for title in ("Parameters", "Attributes", "Returns") for entry in facts.doc[title]
    ]
    translated = {found[0] for found in CHINESE.parts.finditer("\n".join(entry.type for entry in sections))}
    assert translated == CHINESE.tables["types"].keys()
    sentences = {CODE.sub("{}", facts.summary) for facts in own}
    assert CHINESE.tables["docstrings"].keys() <= sentences


def test_both_languages_have_the_same_words() -> None:
    assert CHINESE.words.keys() == TABLES["headings"].keys()
    assert CHINESE.tables["kinds"].keys() == TABLES["kinds"].keys()
    assert CHINESE.tables["statuses"].keys() == {status.name for status in suanzi.Status}
    contents = [{path.name for path in (SITE / "content" / code).iterdir()} for code in LANGUAGES]
    assert contents[0] == contents[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_status_codes(language: str) -> None:
    text = (SITE / "content" / language / "statuses.rst").read_text(encoding="utf-8")
    for status in suanzi.Status:
        assert f"   * - {status.value}\n     - ``Status.{status.standard}``\n     - {status.chinese}\n" in text


def test_the_gallery_has_all_programs() -> None:
    """The gallery omits only programs that train a model, help other programs, or need a missing package."""
    programs = tomllib.loads((SITE / "gallery.toml").read_text(encoding="utf-8"))
    examples = {path.stem for path in (SITE.parents[1] / "examples").glob("*.py")}
    assert programs.keys() == examples - {
        "digits_train",
        "picture",
        "shipped",
        "printed_text",
        "sentence_search",
        "speech",
    }
    assert all(is_chinese(told["chinese"]) for told in programs.values())
