"""Reports have grouped notes and numbered clauses, are wholly in English or in Chinese, and can be compared."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from mutants import Mutant
from mutants.history import floating, without_sign

from suanzi.cli.main import main
from suanzi.conformance import Profile, Suanzi, run
from suanzi.conformance.probe import Finding
from suanzi.conformance.report import Report, as_html, as_junit, compared, summary_lines, verdict_lines
from suanzi.conformance.report.chinese import in_chinese
from suanzi.conformance.report.notes import grouped_notes
from suanzi.conformance.report.words import Words
from suanzi.conformance.standard import standard
from suanzi.conformance.verdicts import Note, Verdict

pytestmark = pytest.mark.one_level

NAMES = ["zeros", "arange", "clone", "add", "multiply", "sin", "topk", "reduce", "matmul", "concat", "destroy"]


def report_of(provider: Any, names: list[str]) -> Report:
    return Report(
        provider=provider.name,
        version="1.0",
        device="",
        profile="quick",
        started="2026-01-01T00:00:00+00:00",
        seconds=1.0,
        asked=tuple(names),
        verdicts=tuple(run(provider, names, Profile.QUICK)),
        element_types=provider.element_types,
        claims=provider.claims,
    )


class Odd(Mutant):
    """Suanzi with faults in three functions, and without two element types and two operators."""

    name = "odd"
    element_types = Suanzi.element_types - {"uint16", "string"}
    claims = frozenset({"output"})

    def __init__(self) -> None:
        super().__init__("multiply", floating(without_sign))

    def find(self, operator: str) -> Any:
        if operator in ("destroy", "topk"):
            return None
        function = super().find(operator)
        if operator == "add":  # the errors of `add` have no status
            return lambda *args, **options: _without_status(function, args, options)
        if operator == "sin":
            return lambda x, **options: function(x[0] if x.ndim > 2 else x, **options)
        return function


def _without_status(function: Any, args: Any, options: Any) -> Any:
    try:
        return function(*args, **options)
    except Exception as error:
        raise RuntimeError(f"a word of the library's own: {error}") from None


@cache
def odd() -> Report:
    return report_of(Odd(), NAMES)


@cache
def good() -> Report:
    return report_of(Suanzi(), NAMES)


# Notes.


def test_notes_that_differ_by_type_are_one() -> None:
    types = ["float32", "int32", "int8"]
    found = "{0} with 3: returned {1}.5, not {1}.25 at ({1},)"
    notes = [Note("add", found.format(t, i), f"program {i}") for i, t in enumerate(types)]
    notes.insert(1, Note("add", "float32 strided: raised TypeError: no"))
    first, second = grouped_notes(notes)
    assert first.english == "add: float32 with 3: returned 0.5, not 0.25 at (0,) [3 alike: also int32, int8]"
    assert (first.snippet, second.english) == ("program 0", "add: float32 strided: raised TypeError: no")


def test_the_data_of_a_report() -> None:
    data = json.loads(json.dumps(odd().as_data()))
    assert data["provider"]["element_types_missing"] == ["uint16", "string"]
    assert data["provider"]["claims"] == ["output"]
    assert (data["asked"], data["of"]) == (len(NAMES), 134)
    assert "not a certification" in data["statement"]
    assert data["kit"]["clauses_sha256"] == standard().digest
    rows = {row["operator"]: row for row in data["operators"]}
    assert (rows["zeros"]["clause"], rows["zeros"]["reading"]) == ("7.2.1.3, Table 5", None)
    assert rows["add"]["clause"] is None
    assert "5.2.4" in rows["add"]["reading"]
    statuses = next(clause for clause in rows["add"]["clauses"] if clause["aspect"] == "statuses")
    assert (statuses["clause"], statuses["rests_on"], statuses["state"]) == ("5.5", "reading", "fail")
    assert all(fault["snippet"] for row in rows.values() for clause in row["clauses"] for fault in clause["faults"])
    assert rows["sin"]["not_asked"]["correct rounding"] == "the provider does not claim the aspect"
    numbers = [sum(states.values()) for states in data["clauses"].values()]
    assert sum(numbers) == sum(len(row["clauses"]) for row in rows.values())


def test_the_last_line_has_both() -> None:
    last = [*summary_lines(good(), Words())][-1]
    pattern = (
        r"suanzi 1\.0: incomplete on the text at hand \((\d+) of \1\), incomplete on our reading \((\d+) of \2\); "
        r"11 of 134 asked \(11 pass, 0 fail, 0 not provided, 0 blocked; 1 s\)"
    )
    assert re.fullmatch(pattern, last)
    lines = "\n".join(summary_lines(odd(), Words()))
    assert "element types: not provided: uint16, string" in lines
    assert "claims: output" in lines
    assert "This is not a certification" in lines
    assert "differs from our reading" in lines


def test_clauses_are_numbered_in_each_form() -> None:
    lines = [line for verdict in odd().verdicts for line in text_of(verdict, odd(), "en")]
    assert any(line.startswith("    statuses (5.5, reading): add: ") for line in lines)
    assert any(line.startswith("    not asked: ") for line in lines)
    suites = ET.fromstring(as_junit(odd()))
    cases = {case.get("name"): case for case in suites.iterfind("testsuite[@name='add']/testcase")}
    assert cases["statuses (5.5, reading)"].find("failure") is not None
    assert any("not asked" in str(skipped.get("message")) for skipped in suites.iterfind("testsuite/testcase/skipped"))
    properties = {p.get("name"): p.get("value") for p in suites.iterfind("testsuite/properties/property")}
    assert properties["asked"] == "11 of 134"
    assert "uint16" in str(properties["element types not provided"])
    page = as_html(odd())
    assert "<td>5.5</td><td>reading</td>" in page
    assert "the clause is not at hand; the demand follows from the name; integers wrap modulo 2^bits" in unescape(page)


# Chinese.


def text_of(verdict: Any, report: Report, language: str) -> Iterator[str]:
    return verdict_lines(verdict, Words(language), report.element_types, report.claims, report.profile)


def test_the_text_shows_a_fault_of_each_failed_aspect() -> None:
    """Faults of values come first, then one fault of every other failed aspect. Notes that are not faults come last."""
    verdict = Verdict("add")
    for number in range(7):
        verdict.add("statuses", "add", Finding(None, blocked=f"needs {'abcdefg'[number]}"))
        verdict.add("statuses", "add", Finding(f"{'abcdefg'[number]}: accepted"))
    for aspect in ("unchanged", "ranks", "empty", "broadcasting", "layouts", "values"):
        verdict.add(aspect, "add", Finding(f"{aspect}: accepted"))
    _, *notes, more, _ = verdict_lines(verdict, Words(), (), (), "full")
    aspects = [note.split(" (")[0].strip() for note in notes]
    assert aspects == ["values", "statuses", "unchanged", "ranks", "empty", "broadcasting", "layouts"]
    assert "and 13 more" in more
    passing = Verdict("add")
    passing.add("statuses", "add", Finding(None, blocked="needs expand"))
    passing.add("values", "add", Finding(None, missing="not provided: int8"))
    assert [line.split(" (")[0].strip() for line in verdict_lines(passing, Words(), (), (), "full")][1:3] == [
        "values",
        "statuses",
    ]


def english_in(text: str) -> list[str]:
    """Return the runs of three or more English words that are neither quoted nor names."""
    bare = re.sub("“[^”]*”", "", text, flags=re.DOTALL)
    words = r"(?<![\w.])[A-Za-z]{2,}(?![\w.=(])"
    return re.findall(rf"{words}(?: {words}){{2,}}", bare)


@pytest.mark.parametrize("report", [odd, good], ids=["odd", "good"])
def test_the_page_is_wholly_in_chinese(report: Any) -> None:
    page = as_html(report(), "zh")
    body = re.sub("<style>.*?</style>|<pre>.*?</pre>|<code>.*?</code>", "", page, flags=re.DOTALL)
    assert english_in(unescape(re.sub("<[^>]*>", "\n", body))) == []
    assert "本结果不是认证" in page
    for english in ("reading", "not asked", "conform", "values", "statuses", "pass", "fail"):
        assert english not in re.sub("<[^>]*>", "", body), english


@pytest.mark.parametrize("report", [odd, good], ids=["odd", "good"])
def test_the_text_is_wholly_in_chinese(report: Any) -> None:
    lines = [line for verdict in report().verdicts for line in text_of(verdict, report(), "zh")]
    assert english_in("\n".join([*lines, *summary_lines(report(), Words("zh"))])) == []


def test_the_english_page_has_no_chinese_but_names() -> None:
    page = re.sub("<[^>]*>", "", as_html(odd()))
    sentences = re.findall("[\u4e00-\u9fff][^<>]*[，。：；]", page)
    assert sentences == []


@pytest.mark.parametrize(
    ("note", "chinese"),
    [
        (
            "float32: of -0.0, 0.0 returned 0.0, not -0.0 at (58,), 3 ulp where 0.5 are allowed (1 of 227 wrong)",
            "f：float32：操作数 -0.0, 0.0 时给出 0.0，应为 -0.0，位于 (58,)，误差 3 ulp，允许 0.5 ulp"
            "（227 个中有 1 个错误）",
        ),
        ("shapes that do not broadcast: not refused with A or B", "f：形状不能广播：未以 A 或 B 拒绝"),
        ("a label of no known words: raised E: some words", "f：抛出 E：“some words”"),
        ("float32: a message that nobody knows", "f：float32：检查未通过，代码见报告"),
        ("float32: returned NoneType, not a tensor", "f：float32：给出“NoneType”，应为张量"),
        ("float32: returned NoneType, not 2 results", "f：float32：给出“NoneType”，应为 2 个结果"),
        ("needs add, which the provider does not have", "f：需要 add，而“the provider”没有"),
    ],
)
def test_a_note_in_chinese(note: str, chinese: str) -> None:
    assert in_chinese(Note("f", note)) == chinese


# Comparison.


def test_two_reports_are_compared() -> None:
    first, second = (json.loads(json.dumps(report().as_data())) for report in (good, odd))
    found = compared(first, second)
    text = "\n".join(found.lines)
    assert found.worse > 0 == found.better
    assert "provider: suanzi 1.0 → odd 1.0" in text
    assert "element types: - string, uint16" in text
    assert "  topk: pass → not provided" in text
    assert "  add, statuses (5.5, reading): pass → fail; add: " in text
    assert compared(second, first).better == found.worse
    assert compared(first, first).lines[-1] == "no verdict differs"
    assert english_in("\n".join(compared(first, second, "zh").lines)) == []


def test_the_command_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for name, report in (("a", good()), ("b", odd())):
        files.append(str(tmp_path / f"{name}.json"))
        Path(files[-1]).write_text(json.dumps(report.as_data()), encoding="utf-8")
    assert main(["conformance", "--compare", *files]) == 1
    assert "pass → fail" in capsys.readouterr().out
    assert main(["conformance", "--compare", files[0], files[0]]) == 0
    assert main(["conformance", "--compare", files[0], str(tmp_path / "none.json")]) == 2
    (tmp_path / "old.json").write_text('{"format": "1.0"}', encoding="utf-8")
    assert main(["conformance", "--compare", files[0], str(tmp_path / "old.json")]) == 2
    assert "not a report of form" in capsys.readouterr().err


def test_the_command_speaks_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "trunc", "--profile", "quick", "--language", "zh"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert "检查了 1 个算子（共 134 个）" in last
    assert "1 通过，0 不通过" in last
