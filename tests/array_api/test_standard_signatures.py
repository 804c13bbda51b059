"""`suanzi.array_api` has every name of the standard, with signatures that accept the standard's arguments."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import suanzi
from suanzi import array_api as xp

pytestmark = pytest.mark.one_level

STATED = {
    line.partition("(")[0]: line.partition("(")[2]
    for line in (Path(__file__).parent / "signatures_2025_12.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
}
PLACES: dict[str, Any] = {"linalg": xp.linalg, "fft": xp.fft, "info": xp.__array_namespace_info__()}
PLACES |= {"Tensor": suanzi.ones((2, 2)), "dtype": suanzi.float32}
# Operators such as `__add__` are left out, because Python calls these operators by position.
FUNCTIONS = [name for name, parameters in STATED.items() if parameters and ".__" not in name]


def found(name: str) -> Any:
    """Return the object of `suanzi.array_api` that has a given name in the standard."""
    place, _, own = name.rpartition(".")
    return getattr(PLACES.get(place, xp), own)


def stated(name: str) -> list[inspect.Parameter]:
    """Return the parameters in the standard's signature of a function. The list omits the `self` of a method."""
    scope: dict[str, Any] = {}
    exec(f"def function({STATED[name]}: pass", scope)
    parameters = list(inspect.signature(scope["function"]).parameters.values())
    return parameters[1:] if name.startswith("Tensor.") else parameters


@pytest.mark.parametrize("name", STATED)
def test_names(name: str) -> None:
    assert hasattr(PLACES.get(name.rpartition(".")[0], xp), name.rpartition(".")[2])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters(name: str) -> None:
    """The parameters of a function have the standard's positions, keywords and defaults.

    Parameters that the standard does not define have defaults.
    """
    ours = list(inspect.signature(found(name)).parameters.values())
    by_name = {p.name: p for p in ours}
    positional = [p for p in stated(name) if p.kind is not p.KEYWORD_ONLY]
    for i, parameter in enumerate(positional):
        own = ours[i]
        if parameter.kind is not parameter.POSITIONAL_ONLY:
            assert (own.name, own.kind) in ((parameter.name, parameter.kind), (own.name, own.VAR_POSITIONAL))
        assert own.kind is not own.KEYWORD_ONLY
        if parameter.default is not parameter.empty:
            assert own.default == parameter.default
    for parameter in stated(name)[len(positional) :]:
        own = by_name[parameter.name]
        assert own.kind in (own.KEYWORD_ONLY, own.POSITIONAL_OR_KEYWORD)
        assert own.default == parameter.default
    known = {p.name for p in stated(name)} | {p.name for p in ours[: len(positional)]}
    assert all(p.default is not p.empty for p in ours if p.name not in known)


@pytest.mark.parametrize(
    "name", ["add", "divide", "max", "matmul", "sort", "clip", "argmax", "linalg.cross", "fft.fftshift"]
)
def test_where_both_standards_agree_the_functions_are_the_same(name: str) -> None:
    place, _, own = name.rpartition(".")
    assert found(name) is getattr(getattr(suanzi, place) if place else suanzi, own)


def test_the_names_are_all_there_is() -> None:
    assert sorted(xp.__all__, key=str.lower) == sorted(set(xp.__all__), key=str.lower)
    assert all(hasattr(xp, name) for name in xp.__all__)
    assert {name for name in STATED if "." not in name} <= set(xp.__all__)
