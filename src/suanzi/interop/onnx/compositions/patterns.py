r"""Matching of RE2's regular expressions, which ONNX's operators use, in bounded time.

Python's parser reads a pattern, after `_in_python` has written the pattern in Python's syntax. Python's matcher is not
used, because backtracking may take years for some patterns. In this module, each part of the pattern maps the set of
places where the part may begin to the set of places where the part may end. Features that RE2 lacks (references,
lookaround) are refused, and classes such as ``\d`` contain only ASCII characters, as in RE2.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable
from functools import cache, lru_cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from string import hexdigits
from typing import Any

from suanzi import InvalidArgumentError, tuning
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.tensor.messages import shown

_LIMIT_OF_RE2 = 1000  # the most times that a pattern may repeat a part

Places = frozenset[int]
Part = Callable[["Text", Places], Places]


class Text:
    """A text to match, and the number of steps that are left for the match."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.left = tuning.MOST_REPEATED

    def charge(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise InvalidArgumentError(f"onnx: matching {shown(self.text)} needs too many steps")


@lru_cache(maxsize=64)
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that tests whether a whole text fits a pattern."""
    part = _parsed(pattern)

    def matches(text: str) -> bool:
        return len(text) in _ends(part, Text(text), 0, pattern)

    return matches


@lru_cache(maxsize=64)
def finder(pattern: str) -> Callable[[str], list[tuple[int, int]]]:
    """Return a function that finds the pieces of a text that fit a pattern, from left to right. Each piece is as long
    as possible.

    The function omits empty pieces.
    """
    part = _parsed(pattern)

    def find(text: str) -> list[tuple[int, int]]:
        found, start, searched = [], 0, Text(text)
        while start < len(text):
            end = max(_ends(part, searched, start, pattern), default=start)
            if end > start:
                found.append((start, end))
            start = max(end, start + 1)
        return found

    return find


def _parsed(pattern: str) -> Part:
    if "[:" in pattern:  # Python interprets POSIX's classes differently
        raise _unsupported(pattern, "classes of POSIX")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tree = parser.parse(_in_python(pattern))
        return _sequence(tree, tree.state.flags & ~re.UNICODE.value, pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        raise InvalidArgumentError(f"onnx: pattern {shown(pattern)} is invalid: {error}") from error


_ESCAPES = frozenset("afnrtvdDsSwWx")
_ANCHORS = frozenset("AbB")


def _in_python(pattern: str) -> str:
    """Return a pattern of RE2 in Python's syntax. Raise `re.error` for syntax of Python that RE2 lacks."""
    made: list[str] = []
    i, first = 0, -1  # `first` is the place of the first element of a class, or -1 outside classes
    while i < len(pattern):
        c, text = pattern[i], pattern[i : i + 1]
        if c == "\\":
            text, i = _escape(pattern, i + 1, first >= 0)
            made.append(text)
            continue
        if first >= 0:
            if c == "]" and i > first:
                first = -1
            elif c in "[&|~":  # Python warns of pairs of these characters
                text = "\\" + c
        elif c == "[":
            first = i + 1 + pattern.startswith("^", i + 1)
        elif pattern.startswith("{,", i):  # a brace without a least number is a character
            text = "\\{"
        elif pattern.startswith("(?#", i):
            raise re.error("RE2 has no comments")
        elif pattern.startswith("(?<", i) and pattern[i + 3 : i + 4] not in ("=", "!"):
            made.append("(?P<")
            i += 3
            continue
        made.append(text)
        i += 1
    return "".join(made)


def _escape(pattern: str, i: int, in_class: bool) -> tuple[str, int]:
    """Return an escape whose backslash is before place i in Python's syntax, and the place after the escape."""
    c = pattern[i : i + 1]
    if c == "Q":
        end = pattern.find("\\E", i)
        quoted = pattern[i + 1 :] if end < 0 else pattern[i + 1 : end]
        return re.escape(quoted), len(pattern) if end < 0 else end + 2
    if pattern.startswith("x{", i):
        digits, closed, _ = pattern[i + 2 :].partition("}")
        if not closed or not digits or not set(digits) <= set(hexdigits) or int(digits, 16) > sys.maxunicode:
            raise re.error(f"\\x{{{digits[:20]} is not a character's number in braces")
        return f"\\U{int(digits, 16):08x}", i + len(digits) + 3
    if c == "z" and not in_class:
        return "\\Z", i + 1
    if c and c in "pP":
        raise _unsupported(pattern, "classes of Unicode characters")
    if c.isalnum() and not (c.isascii() and c.isdigit()) and c not in (_ESCAPES if in_class else _ESCAPES | _ANCHORS):
        raise re.error(f"RE2 has no escape \\{c}")
    return "\\" + c, i + 1


def _ends(part: Part, text: Text, start: int, pattern: str) -> Places:
    """Return the places where text that fits the part of a pattern can end, if the text begins at the place `start`."""
    try:
        return part(text, frozenset((start,)))
    except RecursionError as error:
        raise InvalidArgumentError(f"onnx: pattern {shown(pattern)} has too many nested parts") from error


def _unsupported(pattern: str, what: str) -> UnsupportedError:
    return UnsupportedError(f"onnx: pattern {shown(pattern)} has {what}, which are not supported")


def _sequence(tree: Any, flags: int, pattern: str) -> Part:
    parts = [_part(operation, given, flags, pattern) for operation, given in tree]

    def match(text: Text, places: Places) -> Places:
        for part in parts:
            if not places:
                break
            places = part(text, places)
        return places

    return match


def _part(operation: Any, given: Any, flags: int, pattern: str) -> Part:
    if flags & ~(re.IGNORECASE | re.DOTALL).value:
        raise _unsupported(pattern, "flags other than i and s")
    if operation in (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN):
        return _character(_test(operation, given, flags, pattern))
    if operation is codes.BRANCH:
        branches = [_sequence(tree, flags, pattern) for tree in given[1]]
        return lambda text, places: frozenset().union(*(branch(text, places) for branch in branches))
    if operation is codes.SUBPATTERN:
        _, added, removed, tree = given
        return _sequence(tree, (flags | added) & ~removed, pattern)
    if operation in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        least, most, tree = given
        if max(least, 0 if most is codes.MAXREPEAT else most) > _LIMIT_OF_RE2:
            raise re.error(f"a repetition exceeds {_LIMIT_OF_RE2} times")
        return _repeated(_sequence(tree, flags, pattern), least, most)
    if operation is codes.AT:
        return _boundary(given, pattern)
    raise _unsupported(pattern, "references or other parts that RE2 lacks")


def _character(test: Callable[[str], bool]) -> Part:
    def match(text: Text, places: Places) -> Places:
        text.charge(len(places))
        end = len(text.text)
        return frozenset(i + 1 for i in places if i < end and test(text.text[i]))

    return match


def _repeated(part: Part, least: int, most: Any) -> Part:
    """Make a function that returns the ends of repetitions of a part. The function stops when the set of places no
    longer changes.
    """

    def match(text: Text, places: Places) -> Places:
        found = places if least == 0 else frozenset[int]()
        times = 0
        while places and (most is codes.MAXREPEAT or times < most):
            text.charge(1)
            after = part(text, places)
            times += 1
            if times >= least:
                if after <= found and after == places:
                    break
                found |= after
            if after == places:  # the set of places no longer changes
                found |= after
                break
            places = after
        return found

    return match


_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_DIGITS, _SPACES = frozenset("0123456789"), frozenset(" \t\n\r\f")
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: _DIGITS.__contains__,
    codes.CATEGORY_NOT_DIGIT: lambda c: c not in _DIGITS,
    codes.CATEGORY_SPACE: _SPACES.__contains__,
    codes.CATEGORY_NOT_SPACE: lambda c: c not in _SPACES,
    codes.CATEGORY_WORD: _WORD.__contains__,
    codes.CATEGORY_NOT_WORD: lambda c: c not in _WORD,
}


def _boundary(place: Any, pattern: str) -> Part:
    def is_boundary(text: str, i: int) -> bool:
        return (i > 0 and text[i - 1] in _WORD) != (i < len(text) and text[i] in _WORD)

    tests: dict[Any, Callable[[str, int], bool]] = {
        codes.AT_BEGINNING: lambda text, i: i == 0,
        codes.AT_BEGINNING_STRING: lambda text, i: i == 0,
        codes.AT_END: lambda text, i: i == len(text),
        codes.AT_END_STRING: lambda text, i: i == len(text),
        codes.AT_BOUNDARY: is_boundary,
        codes.AT_NON_BOUNDARY: lambda text, i: not is_boundary(text, i),
    }
    if place not in tests:
        raise _unsupported(pattern, "anchors other than ends and word boundaries")
    test = tests[place]
    return lambda text, places: frozenset(i for i in places if test(text.text, i))


def _test(operation: Any, given: Any, flags: int, pattern: str) -> Callable[[str], bool]:
    """Return a function that tests whether a character fits one element of a pattern."""
    if operation is codes.ANY:
        return (lambda c: True) if flags & re.DOTALL else (lambda c: c != "\n")
    if operation is codes.LITERAL:
        test = _range(given, given)
    elif operation is codes.NOT_LITERAL:
        return _negated(_cased(_range(given, given), flags))
    elif operation is codes.RANGE:
        test = _range(*given)
    elif operation is codes.CATEGORY:
        return _CATEGORIES[given]
    else:
        is_negated = given[0][0] is codes.NEGATE
        tests = [_test(each[0], each[1], flags, pattern) for each in given[is_negated:]]
        return _negated(_any(tests)) if is_negated else _any(tests)
    return _cased(test, flags)


def _range(first: int, last: int) -> Callable[[str], bool]:
    return lambda c: first <= ord(c) <= last


def _any(tests: list[Callable[[str], bool]]) -> Callable[[str], bool]:
    return lambda c: any(test(c) for test in tests)


def _negated(test: Callable[[str], bool]) -> Callable[[str], bool]:
    return lambda c: not test(c)


def _cased(test: Callable[[str], bool], flags: int) -> Callable[[str], bool]:
    if not flags & re.IGNORECASE:
        return test
    return lambda c: any(map(test, _alike(c)))


def _alike(c: str) -> str:
    """Return the characters that differ from a character only in case, and the character itself."""
    return _alike_by_fold().get(_folded(c), c)


@cache
def _alike_by_fold() -> dict[str, str]:
    found: dict[str, str] = {}
    for c in map(chr, range(_LAST_CASED + 1)):
        if c.casefold() != c and (fold := _folded(c)) != c:
            found[fold] = found.get(fold, fold) + c
    return found


_LAST_CASED = 0x1E943  # the last character with an upper and a lower case in Unicode 16


def _folded(c: str) -> str:
    """Return the simple case folding of a character, which is a single character."""
    return next((fold for fold in (c.casefold(), c.lower()) if len(fold) == 1), c)
