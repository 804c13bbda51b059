"""The notes of a clause, grouped if the notes differ only by the element type or by numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..standard import standard
from ..verdicts import Clause, Note

_TYPE = re.compile(r"\b(?:bool|u?int(?:8|16|32|64)|b?float(?:16|32|64)|complex(?:64|128)|string|qu?int\w*)\b")
_NUMBER = re.compile(r"-?\b(?:0x[0-9a-f]+|\d[\d.]*(?:e[-+]?\d+)?j?|nanj?|infj?)\b")
_LIST = re.compile(r"[\[(]?#(?:[\]),+ ]*[\[(]*#)*[\])]?")
# The beginnings of findings. A label may contain a colon, so the first colon does not always begin the finding.
_FOUND = re.compile(
    r": (?=not refused |not [A-Z_]+ but |returned |raised |accepted$|of [^:]+ returned |(?:tensor|operand) \d+ was |"
    r"result \d+ |the (?:output tensor|second call|third call|first result|process) |a call with |has order |"
    r"no answer within )"
)
_NAMED = 12  # the most types or labels that are named
_KEY = 120  # the number of a message's first characters by which notes are grouped


@dataclass(slots=True)
class Group:
    """A note, and similar notes."""

    first: Note
    of_state: bool  # True for a note about the state that calls leave behind
    others: list[Note] = field(default_factory=list)
    is_fault: bool = True  # False for a missing element type, and for a check that could not be judged

    @property
    def likewise(self) -> tuple[str, ...]:
        """Return the element types in the labels of the similar notes, or the labels themselves if a label has no
        element type.
        """
        types = [" with ".join(_TYPE.findall(label_of(note.text))) for note in self.others]
        labels = [label_of(note.text) for note in self.others]
        named = dict.fromkeys(types if all(types) else labels)
        return tuple(name for name in named if name not in (self.first.text, label_of(self.first.text)))

    @property
    def snippet(self) -> str | None:
        """Return the first program that reproduces a note."""
        return next((note.snippet for note in (self.first, *self.others) if note.snippet), None)

    @property
    def english(self) -> str:
        """Return the text of the first note, followed by the number of notes in the group, and by the element types or
        labels of the similar notes.
        """
        head = f"fault of state: {self.first}" if self.of_state else str(self.first)
        if not self.others:
            return head
        named = ", ".join(self.likewise[:_NAMED]) + (", …" if len(self.likewise) > _NAMED else "")
        return f"{head} [{len(self.others) + 1} alike{f': also {named}' if named else ''}]"


def parts_of(text: str) -> tuple[str, str]:
    """Return the two parts of a note: the label of the probe, and the finding."""
    begins = _FOUND.search(text)
    at = begins.start() if begins else text.find(": ")
    return (text, "") if at < 0 else (text[:at], text[at + 2 :])


def label_of(text: str) -> str:
    """Return only the label of the probe from the text of a note."""
    return parts_of(text)[0]


def _key(note: Note) -> tuple[str, ...]:
    label, what = parts_of(note.text)
    what = re.split(r"; | at \(", what, maxsplit=1)[0]
    return note.function, _masked(label), _masked(what)[:_KEY], str(note.of_state)


def _masked(text: str) -> str:
    return _LIST.sub("#", _NUMBER.sub("#", _TYPE.sub("T", text)))


def grouped_notes(notes: Iterable[Note], *, of_state: bool = False) -> list[Group]:
    """Return groups of similar notes, in the order of the notes. If `of_state` is True, all groups are faults of
    state.
    """
    found: dict[tuple[str, ...], Group] = {}
    for note in notes:
        key = _key(note)
        if key in found:
            found[key].others.append(note)
        else:
            found[key] = Group(note, of_state or note.of_state)
    return list(found.values())


def grouped(clause: Clause) -> list[Group]:
    """Return groups of a clause's notes: faults, missing types, then the reasons of blocked checks."""
    of_state = standard().aspects[clause.aspect].of_state
    faults = grouped_notes(clause.found, of_state=of_state)
    others = [group for notes in (clause.missing, clause.obstacles) for group in grouped_notes(notes)]
    for group in others:
        group.is_fault = False
    return [*faults, *others]
