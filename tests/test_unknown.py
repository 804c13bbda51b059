"""Tests of names that `suanzi` does not define: modules imported at first use, and names of `suanzi.extras`."""

from __future__ import annotations

import subprocess
import sys

import pytest

import suanzi
from suanzi import extras, lazy, nn

pytestmark = pytest.mark.one_level


def test_extras() -> None:
    for name in extras.__all__:
        part = "nn" if name in nn.__all__ else "extras"
        with pytest.raises(AttributeError, match=f"suanzi has no '{name}'; the name is suanzi.{part}.{name}"):
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
