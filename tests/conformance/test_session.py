"""The kit checks a library in a separate process. A crash of the process is a finding and does not end the run."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest

import suanzi
from suanzi.cli.main import main
from suanzi.conformance import Limits, Profile, ProviderError, Session, State, Suanzi, check
from suanzi.conformance.providers import BUILT_IN, UnknownProviderError, load
from suanzi.operators.catalogue import CATALOGUE

pytestmark = pytest.mark.one_level

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _strangers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(HERE), *sys.path])


def session(stranger: str, limits: Limits | None = None) -> Session:
    return Session(f"strangers:{stranger}", Profile.QUICK, limits)


@pytest.mark.parametrize(
    ("stranger", "limits", "words"),
    [
        ("Crashing", Limits(), "float32: the process ended by SIGABRT"),
        ("Leaving", Limits(), "float32: the process ended with status 3"),
        ("Hanging", Limits(seconds=8), "float32: no answer within 8 s"),
        ("Hungry", Limits(memory=8 * 2**30), "float32: raised MemoryError"),
    ],
)
def test_what_goes_wrong_is_found_and_the_rest_goes_on(stranger: str, limits: Limits, words: str) -> None:
    with session(stranger, limits) as checked:
        verdict = checked.check("sin")
        assert checked.check("cos").state is State.PASS
    assert verdict.state is State.FAIL
    assert len(verdict.faults) == 1
    assert words in verdict.faults[0]
    assert verdict.checks == check("sin", Suanzi(), Profile.QUICK).checks


def test_what_it_prints_is_no_answer() -> None:
    with session("Talking") as checked:
        verdict = checked.check("sin")
    assert (verdict.state, verdict.checks) == (State.PASS, check("sin", Suanzi(), Profile.QUICK).checks)


def test_what_cannot_be_judged_is_blocked() -> None:
    with session("Lacking") as checked:
        assert checked.check("add").state is State.NOT_PROVIDED
        verdict = checked.check("destroy")
    assert verdict.state is State.PASS  # only finished probes count
    assert any("needs add" in why for clause in verdict.clauses.values() for why in clause.blocked)


def test_a_provider_that_cannot_be_loaded() -> None:
    with pytest.raises(ProviderError, match="no such chip"):
        session("Unloadable")
    with pytest.raises(UnknownProviderError, match=r"'nobody' is not a provider; known are suanzi, numpy"):
        load("nobody")


def test_those_that_come_along() -> None:
    assert load("suanzi").name == "suanzi"
    assert load("numpy").name == "numpy"
    assert load("array-api:suanzi.array_api").find("add") is not None
    assert set(BUILT_IN) == {"suanzi", "numpy", "torch", "jax", "onnxruntime", "c"}


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["full", "trunc"], 0, "2 of 134 asked (2 pass, 0 fail, 0 not provided, 0 blocked;"),
        (["full", "trunc"], 0, f"suanzi {suanzi.__version__}: incomplete on the text at hand ("),
        (["sin", "--provider", "strangers:Crashing"], 1, "differs from our reading ("),
        (["add", "--provider", "strangers:Lacking"], 1, "0 pass, 0 fail, 1 not provided, 0 blocked;"),
    ],
)
def test_the_command(arguments: list[str], status: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "--profile", "quick", *arguments]) == status
    assert words in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nosuch"], "nosuch: not an operator or a category"),
        (["--category", "nosuch"], "nosuch: not an operator or a category"),
        (["--provider", "nobody"], "'nobody' is not a provider"),
        (["--provider", "strangers:Unloadable"], "no such chip"),
        (["--device", "cuda"], "suanzi"),
        (["--provider", "numpy", "--memory", "0.01"], "(the process may take only 0.01 GiB: --memory)"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--seconds", "--memory"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "many"])
def test_limits_are_above_zero(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["conformance", option, value])
    assert raised.value.code == 2
    assert f"argument {option}: '{value}' is not a number above 0" in capsys.readouterr().err


class Addresses(HTMLParser):
    """A parser that collects the unclosed elements of a page and the addresses in the attributes src and href."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.found += [value or "" for key, value in attributes if key in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {form: tmp_path / f"report.{form}" for form in ("json", "junit", "html")}
    written = [argument for form, file in files.items() for argument in (f"--{form}", str(file))]
    asked = ["--category", "rounding", "sin", "add", "--provider", "strangers:Crashing", "--profile", "quick"]
    assert main(["conformance", *asked, *written]) == 1
    capsys.readouterr()

    data = json.loads(files["json"].read_text(encoding="utf-8"))
    outcome = {"text": "incomplete on the text at hand", "reading": "differs from our reading"}
    assert (data["outcome"], data["summary"]["fail"], data["summary"]["pass"]) == (outcome, 1, 6)
    assert [row["operator"] for row in data["operators"]][:3] == ["sin", "add", "floor"]
    assert all(row["chinese"] == CATALOGUE[row["operator"]].chinese for row in data["operators"])
    assert len(data["kit"]["sha256"]) == len(data["results_sha256"]) == 64

    suites = ET.parse(files["junit"]).getroot()
    assert {suite.get("name"): suite.get("failures") for suite in suites}["sin"] == "1"
    failure = suites.find("testsuite[@name='sin']/testcase[@name='values (7.2, reading)']/failure")
    assert failure is not None
    assert "SIGABRT" in str(failure.get("message"))

    page = files["html"].read_text(encoding="utf-8")
    parsed = Addresses()
    parsed.feed(page)
    assert parsed.open == []
    assert parsed.found == []  # the page loads no other file
    assert "differs from our reading" in page
    assert "向下取整" in page
    assert "SIGABRT" in page


def test_a_report_as_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "full", "--profile", "quick", "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["operators"][0]["state"] == "pass"
