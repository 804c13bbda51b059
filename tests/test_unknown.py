"""Names that `suanzi` does not have: parts that are imported at their first use, errors that name the counterpart."""

from __future__ import annotations

import subprocess
import sys
from operator import attrgetter

import numpy as np
import pytest

import suanzi
from suanzi import extras, lazy
from suanzi.interop.foreign_names import CALLED, HINTS

pytestmark = pytest.mark.one_level


@pytest.mark.parametrize("name", CALLED)
def test_counterparts_exist(name: str) -> None:
    assert not hasattr(suanzi, name)
    assert attrgetter(CALLED[name])(suanzi) is not None
    with pytest.raises(AttributeError) as caught:
        getattr(suanzi, name)
    assert str(caught.value) == f"suanzi has no '{name}'; it is suanzi.{CALLED[name]}"
    assert caught.value.name == name


@pytest.mark.parametrize("name", HINTS)
def test_hints(name: str) -> None:
    with pytest.raises(AttributeError, match=f"^suanzi has no '{name}': "):
        getattr(suanzi, name)
    for word in HINTS[name].replace("(", " ").split():
        if word.startswith("suanzi."):
            assert attrgetter(word.removeprefix("suanzi."))(suanzi)


def test_the_table_knows_names_of_numpy() -> None:
    """Functions under other names, which would be said to be nothing."""
    known = {"absolute", "concatenate", "arcsin", "cumsum", "power", "conjugate", "ravel", "copy", "default_rng"}
    assert known <= CALLED.keys() | HINTS.keys()
    for name in ("absolute", "amax", "arctan2", "concatenate", "cumprod", "invert", "mod"):
        assert hasattr(np, name)


def test_extras() -> None:
    for name in extras.__all__:
        with pytest.raises(AttributeError, match=f"suanzi has no '{name}'; it is suanzi.extras.{name}"):
            getattr(suanzi, name)


def test_nonsense() -> None:
    with pytest.raises(AttributeError, match=r"^suanzi has no 'nonsense'$"):
        _ = suanzi.nonsense  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        from suanzi import cat  # type: ignore[attr-defined]  # noqa: F401


def test_names_of_parts_are_kept() -> None:
    code = "import suanzi; suanzi.fuse; print('fuse' in vars(suanzi), suanzi.fuse is suanzi.fusion.fuse)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_parts_come_at_their_first_use() -> None:
    code = "import sys, suanzi; print(*sys.modules); suanzi.{}; hasattr(suanzi, '__none__'); print(*sys.modules)"
    for part in lazy.PARTS:
        done = subprocess.run([sys.executable, "-c", code.format(part)], capture_output=True, text=True, check=True)
        before, after = (line.split() for line in done.stdout.splitlines())
        assert f"suanzi.{part}" in after
        assert part == "interop" or f"suanzi.{part}" not in before
        assert part in ("extras", "array_api") or "suanzi.extras" not in after
