"""String results outlive their sources, the memory of strings stays bounded, and threads read whole strings."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suanzi
from suanzi import AllocFailedError, Tensor, memory

pytestmark = pytest.mark.one_level

KIB, MIB = 2**10, 2**20


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    before = memory.statistics()["limit"]
    yield
    memory.set_limit(before)


def overwrite_freed_memory() -> None:
    """Allocate and fill blocks of many sizes, so that the memory of freed tensors is overwritten."""
    for size in (64, 128, 256, 512, KIB, 2 * KIB, 4 * KIB, 64 * KIB, MIB):
        _ = [suanzi.full(size, 0x5A, dtype="uint8") for _ in range(10)]


def in_use() -> int:
    gc.collect()
    return int(memory.statistics()["in_use"])


def word(i: int, length: int = 20) -> str:
    return f"{i} 算子 ".ljust(length, chr(ord("a") + i % 26))


WORDS = [word(i) for i in range(60)]
LONG = [word(i, 3000) for i in range(60)]

# Functions whose results share bytes with a source. The test then frees the source.
DERIVED: dict[str, Any] = {
    "a view": (lambda x: x[::-1], lambda w: w[::-1]),
    "an element": (lambda x: x[7], lambda w: w[7]),
    "a copy": (lambda x: x.clone(), lambda w: w),
    "a copy of a part": (lambda x: x[5:9].clone(), lambda w: w[5:9]),
    "a cast": (lambda x: x[::3].astype("string"), lambda w: w[::3]),
    "contiguous": (lambda x: suanzi.contiguous(x[::-2]), lambda w: w[::-2]),
    "selected": (lambda x: suanzi.where(x < "3", x, x[::-1]), None),
    "selected beside a string": (lambda x: suanzi.where(x < "3", x, "".join(["n", "o"])), None),
    "assigned": (lambda x: _assigned(x), lambda w: ["", *w, ""]),
    "selected by a mask": (lambda x: suanzi.masked_select(x, x < "3"), None),
    "filled by a mask": (lambda x: suanzi.masked_fill(x, x < "3", x[9]), None),
    "filled": (lambda x: suanzi.full(3, x[4]), lambda w: [w[4]] * 3),
    "expanded": (lambda x: suanzi.expand(x[2:3], 4), lambda w: [w[2]] * 4),
}


def _assigned(x: Tensor) -> Tensor:
    y = suanzi.zeros(x.size + 2, dtype="string")
    y[1:-1] = x
    return y


@pytest.mark.each_level
@pytest.mark.parametrize("words", [WORDS, LONG], ids=["short", "long"])
@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.parametrize("end", ["destroyed", "collected"])
def test_results_outlive_their_source(name: str, words: list[str], end: str) -> None:
    ours, theirs = DERIVED[name]
    x = suanzi.tensor(words)
    found = ours(x)
    expected = theirs(words) if theirs else found.tolist()
    if end == "destroyed":
        suanzi.destroy(x)
    del x
    overwrite_freed_memory()
    assert found.tolist() == expected


@pytest.mark.each_level
@given(st.integers(0, 2**32), st.sampled_from([10, 300, 5000]))
def test_a_life_of_strings(seed: int, length: int) -> None:
    """Random calls make tensors from other tensors. For each tensor a list has the expected strings."""
    pick = random.Random(seed)

    def text() -> str:
        return word(pick.randrange(1000), pick.choice([0, 3, length]))

    def rows() -> list[str]:
        return [text() for _ in range(8)]

    pairs: list[tuple[Tensor, Any]] = []
    for step in range(60):
        a = np.array(rows(), object)
        fresh = (suanzi.tensor(a), a)
        x, a = pick.choice([*pairs, fresh])
        y, b = pick.choice([*pairs, fresh])
        mask = np.array([pick.random() < 0.5 for _ in range(8)])
        i, action = pick.randrange(8), pick.randrange(7)
        if action == 0:
            pairs.append(fresh)
        elif action == 1:
            pairs.append((x[::-1].clone(), a[::-1].copy()))
        elif action == 2:
            pairs.append((suanzi.where(suanzi.tensor(mask), x, y), np.where(mask, a, b)))
        elif action == 3:
            x[i] = a[i] = text()
        elif action == 4:
            x[i] = y[7 - i]
            a[i] = b[7 - i]
        elif action == 5:
            x[i:] = y[: 8 - i]
            a[i:] = b[: 8 - i].copy()
        else:
            x[:] = suanzi.where(suanzi.tensor(mask), y, "共")
            a[:] = np.where(mask, b, "共")
        if len(pairs) > 6:
            del pairs[pick.randrange(6)]
        if step % 20 == 19:
            overwrite_freed_memory()
            for found, expected in pairs:
                assert found.tolist() == expected.tolist()


# --- limits ---


def test_a_million_assignments_to_one_element() -> None:
    x = suanzi.tensor(["a", "b", "c"])
    before = in_use()
    for i in range(10**6):
        x[1] = f"a string that was never there before: {i}"
    assert in_use() - before < 256 * KIB
    assert x.tolist() == ["a", "a string that was never there before: 999999", "c"]


def test_assignments_from_other_tensors() -> None:
    x = suanzi.zeros(1000, dtype="string")
    before = in_use()
    for i in range(20_000):
        x[i % 1000] = suanzi.tensor([word(i)])[0]
    assert in_use() - before < 256 * KIB
    assert x.tolist() == [word(19_000 + i) for i in range(1000)]


def test_results_of_results() -> None:
    x = suanzi.tensor(WORDS[:3])
    keep = suanzi.tensor([True, False, True])
    before = in_use()
    for i in range(20_000):
        x = suanzi.where(keep, x, suanzi.tensor([word(i)] * 3))
    assert in_use() - before < 256 * KIB
    assert x.tolist() == [WORDS[0], word(19_999), WORDS[2]]


def test_a_small_part_does_not_hold_the_whole() -> None:
    before = in_use()
    x = suanzi.tensor([word(i, 100 * KIB) for i in range(100)])
    part = x[3:5].clone()
    held = in_use() - before
    assert held > 10_000 * KIB
    del x
    assert in_use() - before < 500 * KIB
    assert part.tolist() == [word(3, 100 * KIB), word(4, 100 * KIB)]


def test_copies_share_their_bytes() -> None:
    x = suanzi.tensor([word(i, 100 * KIB) for i in range(20)])
    before = in_use()
    copies = [x.clone(), x[::-1].clone(), suanzi.where(x < "5", x, x)]
    repeated = suanzi.full(10_000, word(1, 100 * KIB))
    assert in_use() - before < 500 * KIB
    assert [y.size for y in copies] == [20] * 3
    assert repeated[9_999].item() == word(1, 100 * KIB)


def test_everything_is_given_back() -> None:
    before = in_use()
    for _ in range(3):
        x = suanzi.tensor(LONG)
        y = suanzi.where(x > "4", x, "small")
        y[::2] = x[::2]
        with pytest.raises(suanzi.TypeMismatchError):
            suanzi.tensor([*LONG, 1])
        with pytest.raises(suanzi.DimensionsMismatchError):
            y[:] = ["a", "b"]
        del x, y
    assert in_use() == before


def test_out_of_memory_leaves_the_strings_as_they_were() -> None:
    x = suanzi.tensor(WORDS)
    big = suanzi.tensor(LONG)
    memory.set_limit(in_use() + 8 * KIB)
    for call in (
        lambda: suanzi.tensor(LONG),
        lambda: suanzi.full(2, "z" * MIB),
        lambda: x.__setitem__(0, "z" * MIB),
        lambda: suanzi.where(x < "5", x, "z" * MIB),
    ):
        with pytest.raises(AllocFailedError):
            call()
        assert x.tolist() == WORDS
    # `part` keeps more memory alive than `part` uses. The memory limit allows no compact copy, so nothing is moved.
    part = big[:4].clone()
    del big
    assert part.tolist() == LONG[:4]
    memory.set_limit(0)
    for i in range(100):
        part[0] = word(i, 3000)
    assert part.tolist() == [word(99, 3000), *LONG[1:4]]


# --- threads ---


@pytest.mark.each_level
def test_no_thread_sees_half_an_element() -> None:
    texts = ["", "b", word(1, 40), word(2, 400)]
    x = suanzi.full(20_000, texts[0])
    known = set(texts)

    def write(n: int) -> None:
        for i in range(40):
            x[n::3] = texts[(i + n) % 4]

    def read(n: int) -> bool:
        for _ in range(10):
            y = x[n::2].clone()
            if not (set(y.tolist()) <= known and suanzi.all(suanzi.equal(y, y))):
                return False
        return True

    with ThreadPoolExecutor(5) as pool:
        writing = [pool.submit(write, n) for n in range(3)]
        reading = [pool.submit(read, n) for n in range(2)]
        assert all(r.result() for r in reading)
        for w in writing:
            w.result()
