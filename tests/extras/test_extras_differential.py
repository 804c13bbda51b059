"""`tools/differential/extras_functions.py` has a rule for every function, and a few hundred random cases agree."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from suanzi import extras

pytest.importorskip("mpmath")
TOOLS = Path(__file__).parents[2] / "tools" / "differential"
CASES = 300


@pytest.fixture(scope="module")
def tool() -> Any:
    sys.path.insert(0, str(TOOLS))
    try:
        yield importlib.import_module("extras_functions")
    finally:
        sys.path.remove(str(TOOLS))


def test_every_function_has_a_rule(tool: Any) -> None:
    assert tool.RULES.keys() == {*extras.__all__}


@pytest.mark.parametrize("name", extras.__all__)
def test_each_rule_agrees(tool: Any, name: str) -> None:
    runner = sys.modules["runner"]
    for case in range(3):
        found = runner.outcome(lambda rng: tool.RULES[name](rng, name), 17, case)
        assert found.verdict != runner.DIFFERS, f"case {case} of {name}: {found.detail}"


def test_a_few_hundred_cases_agree(tool: Any) -> None:
    runner = sys.modules["runner"]
    verdicts = []
    for case in range(CASES):
        found = runner.outcome(tool.draw, 1, case)
        assert found.verdict != runner.DIFFERS, f"case {case} of seed 1, {found.family}: {found.detail}"
        verdicts.append(found.verdict)
    assert verdicts.count(runner.AGREES) > CASES * 0.8
