"""Probes that vary refused calls. A library must also refuse the wrong argument at another position, and with other
sizes, element types and values.

Each refused call in the clauses has a cause, and similar causes have the same variations. `clauses/variations.toml`
lists the variations and further calls, and the module `variations` makes the variations. The module `bad_values` has
values that every parameter of a kind must refuse.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, zip_longest

from ..arguments import Dense, arguments
from ..standard import Call, Operator, Refused, standard
from .spelled import in_type, shown
from .stated_calls import ChangesNothing, Probe, Refuses
from .variations import KINDS, Variation

_APART = 6  # a further call is tested with every _APART-th element type
_TELLING = 15  # the number of a refused call's variations that the quick profile always includes


def probes(operator: Operator) -> Iterator[Probe]:
    """Yield the probes of each refused call in other forms: first the first form of every call, then the second form of
    every call, and so on.
    """
    each = [_of_case(operator, case) for case in operator.refused if not _makes_much(case)]
    for probe in chain.from_iterable(zip_longest(*each)):
        if probe is not None:
            yield probe


def _makes_much(case: Refused) -> bool:
    return case.status == "ALLOC_FAILED"


def _of_case(operator: Operator, case: Refused) -> Iterator[Probe]:
    """Yield the probes of a refused call: the other calls that `case` lists, the variations by the kinds of the case's
    cause, and then calls with other element types.
    """
    calls = [case.call, *case.more]
    more = [Variation(shown(call), call) for call in case.more]
    own, others = (
        [v for kind in case.varied for call in those for v in KINDS[kind](operator, call)]
        for those in (calls[:1], calls[1:])
    )
    variations = [v for three in zip_longest(more, own, others) for v in three if v is not None]
    typed = [[*_in_other_types(operator, case, call)] for call in calls]
    # Test the case's own call with every type, and each of the case's other calls with every `_APART`-th type.
    further = [v for i, those in enumerate(typed[1:]) for v in those[i % _APART :: _APART]]
    seen = {repr(case.call)}
    for number, variation in enumerate([*variations, *typed[0], *further]):
        if repr(variation.call) in seen:
            continue
        seen.add(repr(variation.call))
        aspect = "output" if "out" in variation.call.options else "statuses"
        statuses = tuple(dict.fromkeys((*operator.permitted(case.status), *case.also, *variation.also)))
        given, label = arguments(operator, variation.call), f"{case.why}: {variation.label}"
        telling = True if number < _TELLING else None
        yield Refuses(operator.name, label, aspect, given, statuses, telling=telling)
        has_tensors = any(isinstance(a, Dense) for a in given.all())
        if has_tensors and number < len(variations) and aspect == "statuses":
            yield ChangesNothing(operator.name, f"{label}, and nothing changed", "unchanged", given)


def _in_other_types(operator: Operator, case: Refused, call: Call) -> Iterator[Variation]:
    """Yield calls with another accepted type in place of the operator's first type. If the cause is a wrong type, only
    integer and floating types replace the first type.
    """
    if "outside" in case.varied:
        return
    kinds = {name: kind for kind, names in standard().kinds.items() for name in names}
    wrong_type = case.status == "TYPE_MISMATCH"
    for name, kind in kinds.items():
        open_too = kind not in operator.types or name in operator.open_types
        if open_too or (kind == "C" and "ordered" in case.varied):
            continue
        if (wrong_type and kind not in "IF") or kind == "S":
            continue
        changed = in_type(operator, call, name)
        if changed != call:
            yield Variation(shown(changed), changed)
