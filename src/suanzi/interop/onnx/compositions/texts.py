"""Operators on strings, and counts of n-grams in sequences of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import suanzi
from suanzi import AllocFailedError, DimensionsMismatchError, InvalidArgumentError, Tensor, TypeMismatchError, tuning
from suanzi.interop.onnx.compositions.patterns import finder, matcher
from suanzi.operators.shapes import common
from suanzi.tensor.messages import shown


def _flat(x: Tensor) -> list[Any]:
    found: list[Any] = suanzi.reshape(x, (x.size,)).tolist()
    return found


def _texts(values: Sequence[str], shape: Sequence[int]) -> Tensor:
    return suanzi.reshape(suanzi.tensor(list(values), dtype=suanzi.string), tuple(shape))


def concat(x: Tensor, y: Tensor) -> Tensor:
    """Concatenate the texts of two tensors elementwise. The shapes broadcast."""
    shape = common([x.shape, y.shape])
    if shape is None:
        raise DimensionsMismatchError(f"StringConcat: shapes {x.shape} and {y.shape} do not broadcast")
    first, second = (_flat(suanzi.expand(each, shape)) for each in (x, y))
    return _texts([a + b for a, b in zip(first, second, strict=True)], shape)


def split(x: Tensor, *, delimiter: str = "", maxsplit: int | None = None) -> tuple[Tensor, Tensor]:
    """Return the parts of each text, padded with empty texts, and the number of parts. Without a delimiter, texts are
    split at white space.
    """
    most_splits = -1 if maxsplit is None else maxsplit
    rows = [text.split(delimiter or None, most_splits) for text in _flat(x)]
    most = max(map(len, rows), default=0)
    if most * len(rows) > tuning.MOST_PARTS:
        raise AllocFailedError(f"StringSplit: {len(rows)} texts of up to {most} parts are too many")
    parts = [part for row in rows for part in (*row, *[""] * (most - len(row)))]
    counts = suanzi.reshape(suanzi.tensor([len(row) for row in rows], dtype=suanzi.int64), x.shape)
    return _texts(parts, (*x.shape, most)), counts


def normalize(
    x: Tensor,
    *,
    case_change_action: str = "NONE",
    is_case_sensitive: int = 0,
    stopwords: tuple[str, ...] = (),
    locale: str = "",
) -> Tensor:
    """Return the texts without stop words, on request in upper or lower case. If no text is left, return one empty
    text.

    The locale has no effect, because Unicode defines upper and lower case.
    """
    if x.ndim not in (1, 2) or (x.ndim == 2 and x.shape[0] != 1):
        raise DimensionsMismatchError(f"StringNormalizer: shape {x.shape} is not (n,) or (1, n)")
    cases: dict[str, Callable[[str], str]] = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}
    if case_change_action not in cases:
        raise InvalidArgumentError(
            f"StringNormalizer: case_change_action {shown(case_change_action)} is not one of {', '.join(cases)}"
        )
    compared: Callable[[str], str] = str if is_case_sensitive else str.lower
    stops = set(map(compared, stopwords))
    change = cases[case_change_action]
    kept = [change(text) for text in _flat(x) if compared(text) not in stops] or [""]
    return _texts(kept, (*x.shape[:-1], len(kept)))


def full_match(x: Tensor, *, pattern: str = "") -> Tensor:
    """Return whether each text as a whole fits a regular expression."""
    matches = matcher(pattern)
    return suanzi.reshape(suanzi.tensor([matches(text) for text in _flat(x)], dtype=suanzi.bool), x.shape)


_MARKS = "\x02", "\x03"  # the characters for the start and the end of a text


def tokenizer(
    *,
    mark: int,
    pad_value: str,
    mincharnum: int,
    separators: tuple[str, ...] = (),
    tokenexp: str = "",
) -> Callable[[Tensor], Tensor]:
    """Make a function that returns the tokens of each text along a further axis: the parts between separators, or the
    parts that fit an expression.

    The function omits tokens shorter than `mincharnum`, and pads rows with `pad_value`.
    """
    if mincharnum < 1 or bool(separators) == bool(tokenexp):
        raise InvalidArgumentError(
            f"Tokenizer: mincharnum {mincharnum} is not positive, or the node does not have exactly one of separators "
            f"{shown(separators)} and tokenexp {shown(tokenexp)}"
        )
    if separators == ("",) or tokenexp == ".":
        if mincharnum > 1:
            raise InvalidArgumentError(
                f"Tokenizer: mincharnum {mincharnum} is more than 1, but every token is one character"
            )
        return partial(_tokenized, list, mincharnum, bool(mark), pad_value)
    for pattern in separators or (tokenexp,):
        finder(pattern)  # `finder` refuses a wrong pattern, at load
    cut = partial(_separated, separators) if separators else partial(_fitting, tokenexp)
    return partial(_tokenized, cut, mincharnum, bool(mark), pad_value)


def _separated(separators: tuple[str, ...], text: str) -> list[str]:
    parts = [text]
    for pattern in separators:
        find, cut = finder(pattern), []
        for part in parts:
            start = 0
            for first, last in find(part):
                cut.append(part[start:first])
                start = last
            cut.append(part[start:])
        parts = cut
    return parts


def _fitting(pattern: str, text: str) -> list[str]:
    return [text[first:last] for first, last in finder(pattern)(text)]


def _tokenized(cut: Callable[[str], list[str]], least: int, marked: bool, filling: str, x: Tensor) -> Tensor:
    if x.ndim not in (1, 2):
        raise DimensionsMismatchError(f"Tokenizer: shape {x.shape} is not (c,) or (n, c)")
    if not x.size:
        return _texts((), (*x.shape[:-1], 0))
    rows = [[token for token in cut(text) if len(token) >= least] for text in _flat(x)]
    most = max(map(len, rows))
    if not most:
        return _texts((), (*x.shape, 0))
    if marked:
        rows, most = [[_MARKS[0], *row, _MARKS[1]] for row in rows], most + 2
    if most * len(rows) > tuning.MOST_PARTS:
        raise AllocFailedError(f"Tokenizer: {len(rows)} texts of up to {most} tokens are too many")
    return _texts([token for row in rows for token in (*row, *[filling] * (most - len(row)))], (*x.shape, most))


def tf_idf(
    x: Tensor,
    *,
    mode: str,
    min_gram_length: int,
    max_gram_length: int,
    max_skip_count: int,
    ngram_counts: tuple[int, ...],
    ngram_indexes: tuple[int, ...],
    pool_int64s: tuple[int, ...] = (),
    pool_strings: tuple[str, ...] = (),
    weights: tuple[float, ...] = (),
) -> Tensor:
    """Count each n-gram of a pool in each row. Up to `max_skip_count` tokens may be skipped between the tokens of an
    n-gram.
    """
    if x.ndim not in (1, 2):
        raise DimensionsMismatchError(f"TfIdfVectorizer: shape {x.shape} is not (n,) or (m, n)")
    pool: tuple[Any, ...] = pool_strings if x.dtype is suanzi.string else pool_int64s
    if not pool and (pool_strings or pool_int64s):
        raise TypeMismatchError(f"TfIdfVectorizer: tokens of {x.dtype} differ in type from the pool")
    if mode not in ("TF", "IDF", "TFIDF"):
        raise InvalidArgumentError(f"TfIdfVectorizer: mode {shown(mode)} is not TF, IDF or TFIDF")
    grams = _grams(pool, ngram_counts)
    if len(grams) != len(ngram_indexes) or (weights and len(weights) != len(grams)):
        raise InvalidArgumentError(
            f"TfIdfVectorizer: {len(ngram_indexes)} indexes and {len(weights)} weights do not fit {len(grams)} n-grams"
        )
    if not ngram_indexes or min(ngram_indexes) < 0 or not 1 <= min_gram_length <= max_gram_length:
        raise InvalidArgumentError(
            "TfIdfVectorizer: indexes are missing or negative, or min_gram_length and max_gram_length are not in order"
        )
    places: dict[tuple[Any, ...], list[int]] = {}
    for i, gram in enumerate(grams):
        if min_gram_length <= len(gram) <= max_gram_length:
            places.setdefault(gram, []).append(i)
    lengths = sorted({len(gram) for gram in places})
    rows = x.tolist() if x.ndim == 2 else [x.tolist()]
    found = suanzi.zeros((len(rows), max(ngram_indexes) + 1))
    cells = found.numpy()
    left = tuning.MOST_REPEATED
    for row, tokens in enumerate(rows):
        for n in lengths:
            for step in range(1, 1 + (1 + max_skip_count if n > 1 else 1)):
                starts = len(tokens) - (n - 1) * step
                if starts <= 0:
                    break
                left -= starts
                if left < 0:
                    raise InvalidArgumentError(
                        f"TfIdfVectorizer: the call looks up more than {tuning.MOST_REPEATED} n-grams"
                    )
                for start in range(starts):
                    gram = tuple(tokens[start : start + (n - 1) * step + 1 : step])
                    for i in places.get(gram, ()):
                        weight = weights[i] if weights and mode != "TF" else 1.0
                        cell = row, ngram_indexes[i]
                        cells[cell] = weight if mode == "IDF" else np.float32(cells[cell] + weight)
    return found if x.ndim == 2 else suanzi.reshape(found, (found.shape[1],))


def _grams(pool: tuple[Any, ...], starts: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """Return the n-grams of a pool: first the n-grams of one token, then the n-grams of two tokens, and so on."""
    ends = (*starts[1:], len(pool))
    grams: list[tuple[Any, ...]] = []
    for n, (first, last) in enumerate(zip(starts, ends, strict=True), 1):
        if not 0 <= first <= last <= len(pool) or (last - first) % n:
            raise InvalidArgumentError(
                f"TfIdfVectorizer: {last - first} tokens of the pool do not divide into {n}-grams"
            )
        grams += [tuple(pool[i : i + n]) for i in range(first, last, n)]
    return grams
