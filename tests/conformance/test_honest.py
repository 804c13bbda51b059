"""A verdict names its basis, the untested aspects, and the parts that the provider lacks."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from suanzi.conformance import Profile, State, Suanzi, check, run
from suanzi.conformance.not_asked import not_asked, without_probe
from suanzi.conformance.standard import Basis, read, standard
from suanzi.conformance.verdicts import Outcome, Verdict, clause_counts, outcome

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "tools"))
from not_asked import never_asked

pytestmark = pytest.mark.one_level

OPERATORS = standard().operators
ROOT = Path(__file__).parent.parent.parent


# The basis of clauses: the standard's text, or the kit's reading of the text.


def test_fifteen_operators_have_a_clause() -> None:
    at_hand = [operator for operator in OPERATORS.values() if operator.clause]
    assert [operator.number for operator in at_hand] == list(range(1, 16))
    assert all(re.fullmatch(r"7\.2\.1\.\d+, Table \d+", operator.clause) for operator in at_hand)


@pytest.mark.parametrize(
    ("operator", "aspect", "basis"),
    [
        ("zeros", "values", Basis.TEXT),
        ("zeros", "empty", Basis.READING),  # clause 6.3 does not mention sizes of 0
        ("zeros", "unchanged", Basis.READING),
        ("full", "defaults", Basis.READING),  # Table 6 names no default for the value
        ("arange", "values", Basis.READING),  # clause 7.2 leaves open whether the limit is excluded
        ("quantized_tensor", "values", Basis.READING),
        ("quantized_tensor", "element types", Basis.TEXT),
        ("clone", "values", Basis.READING),
        ("add", "values", Basis.READING),
        ("add", "broadcasting", Basis.TEXT),  # clause 5.4
        ("matmul", "broadcasting", Basis.READING),
        ("topk", "indices", Basis.TEXT),  # clause 5.1
        ("topk", "statuses", Basis.READING),
        ("sin", "layouts", Basis.TEXT),  # clause 6.4
        ("sin", "correct rounding", Basis.READING),
    ],
)
def test_the_basis_of_a_verdict(operator: str, aspect: str, basis: Basis) -> None:
    assert standard().basis(operator, aspect) is basis
    for chinese in (False, True):
        assert bool(standard().reading(operator, aspect, chinese=chinese)) == (basis is Basis.READING)


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda o: o.name)
def test_a_reading_has_its_reason_in_both_languages(operator: object) -> None:
    name = operator.name  # type: ignore[attr-defined]
    for aspect in standard().aspects:
        if standard().basis(name, aspect) is Basis.READING:
            assert standard().reading(name, aspect)
            assert re.search("[\u4e00-\u9fff]", standard().reading(name, aspect, chinese=True))


def test_the_basis_is_in_the_files() -> None:
    folder = ROOT / "src" / "suanzi" / "conformance" / "clauses"
    texts = {f.stem: f.read_text(encoding="utf-8") for f in folder.glob("*.toml")}
    changed = texts["general"].replace('rests_on = "text"', 'rests_on = "clause"')
    assert read({**texts, "general": changed}).basis("add", "broadcasting") is Basis.READING
    with pytest.raises(ValueError, match="rests_on 'rumour'"):
        read({**texts, "general": texts["general"].replace('rests_on = "text"', 'rests_on = "rumour"', 1)})


def test_outcomes_on_text_and_reading_are_told_apart() -> None:
    verdicts = [check(name, profile=Profile.QUICK) for name in ("zeros", "sin")]
    assert [outcome(verdicts, basis, complete=True) for basis in Basis] == [Outcome.HOLDS, Outcome.HOLDS]
    assert outcome(verdicts, Basis.TEXT, complete=False) is Outcome.INCOMPLETE
    counted = [sum(clause_counts(verdicts, basis).values()) for basis in Basis]
    assert sum(counted) == sum(len(verdict.clauses) for verdict in verdicts)
    assert min(counted) > 0
    missing = [*verdicts, Verdict("clone", provided=False)]
    assert [outcome(missing, basis, complete=True) for basis in Basis] == [Outcome.HOLDS, Outcome.FAILS]


# Phrases that claim more than a reading of the standard's text supports.


@pytest.mark.parametrize("folder", ["src", "docs", "native", "examples", "tools"])
def test_nothing_quotes_what_is_not_at_hand(folder: str) -> None:
    suffixes = {".py", ".md", ".toml", ".json", ".h", ".c", ".cpp", ".pyi"}
    files = [f for f in (ROOT / folder).rglob("*") if f.suffix in suffixes and "_build" not in f.parts]
    guess = re.compile(
        r"(?<![\d.,])7\.2\.(?:[2-9]|1\d)\b(?!\.\d)|(?<![\d.,])7\.2\.1\.1[678]\b|\(annex A\)|\(GB/T 46069"
    )
    found = [f"{f.relative_to(ROOT)}: {m[0]}" for f in files for m in guess.finditer(f.read_text(encoding="utf-8"))]
    assert [line for line in found if not line.startswith("docs/results/")] == []


# Probes that were not run.


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_stated_aspect_is_probed_or_listed(operator: str) -> None:
    assert never_asked(operator) == set(without_probe().get(operator, {})), "python tools/not_asked.py --save"


def test_reasons_are_given_by_provider() -> None:
    verdict = check("sin", profile=Profile.QUICK)
    mine = dict(not_asked(verdict, Suanzi.element_types, Suanzi.claims, "quick"))
    assert mine["correct rounding"].english == "only the full profile tests the aspect"
    claimed = dict(not_asked(Verdict("sin"), Suanzi.element_types, frozenset(), "full"))
    assert claimed["output"].english == "the provider does not claim the aspect"
    fewer = dict(not_asked(Verdict("sin"), frozenset({"int8"}), frozenset(), "full"))
    assert fewer["values"].english == "the provider lacks the element types that the checks need"


# The abilities that a provider lacks.


class FewTypes(Suanzi):
    """Suanzi with only four element types and no claims."""

    name = "few"
    element_types = frozenset({"float32", "int32", "bool", "complex64"})
    claims = frozenset()


def test_missing_element_types_are_not_provided() -> None:
    verdicts = list(run(FewTypes(), ["add", "zeros", "sin", "uniform", "shape"], Profile.QUICK))
    assert [verdict.state for verdict in verdicts] == [State.NOT_PROVIDED] * 5
    note = str(verdicts[0].clauses["element types"].missing[0])
    assert note.startswith("add: not provided: uint8, uint16, uint32, uint64, int8, int16, int64, float64, float16")
    assert [outcome(verdicts, basis, complete=True) for basis in Basis] == [Outcome.FAILS, Outcome.FAILS]


def test_bfloat16_may_be_missing() -> None:
    class Plain(Suanzi):
        element_types = Suanzi.element_types - {"bfloat16"}

    assert check("add", Plain(), Profile.QUICK).state is State.PASS


def test_an_operator_of_which_nothing_can_be_asked_does_not_pass() -> None:
    class One(Suanzi):
        element_types = frozenset({"int8"})

    verdict = check("fft.fft", One(), Profile.QUICK)
    assert verdict.state is State.NOT_PROVIDED
    assert verdict.not_asked
    assert Verdict("from_reference").state is State.BLOCKED
