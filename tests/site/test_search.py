"""The search index of the Chinese pages splits Chinese text into the same words as the script in the browser."""

from __future__ import annotations

import pytest

from chinese_search import pairs

pytestmark = pytest.mark.one_level


def test_pairs_of_characters() -> None:
    assert pairs("求 float32 平方根，x1") == ["求", "float32", "平", "方", "根", "平方", "方根", "x1"]
