"""The process in which a library is checked: it asks the probes and says what they find, a line of JSON each.

Its command line names the provider, the device and the limit of memory; each line of its input says what to ask: the
operator, the profile, and how many probes to leave out. Before a probe it says which, so that whoever listens knows
what it was at if it is heard of no more.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import Any, TextIO

from .provider import Provider
from .providers import load
from .runner import Profile, asked

_LONGEST = 2000  # characters of a fault


def private_output() -> TextIO:
    """What was the output; what the library prints goes elsewhere, it is not to be taken for an answer."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return out


def said(out: TextIO, **what: Any) -> None:
    """Write a line."""
    out.write(json.dumps(what) + "\n")
    out.flush()


def _ask(out: TextIO, provider: Provider, operator: str, profile: Profile, skip: int) -> None:
    if provider.find(operator) is None:
        return said(out, done=operator, provided=False)
    for number, (function, probe) in enumerate(asked(operator, provider, profile)):
        if number < skip:
            continue
        said(out, number=number, function=function, aspect=probe.aspect, label=probe.label)
        found = probe.judge(provider)
        short = [text and text[:_LONGEST] for text in (found.fault, found.blocked, found.snippet)]
        said(out, found=(short[0], short[1], found.error, short[2], found.aspect))
    return said(out, done=operator, provided=True)


def main() -> None:
    """Answers until the input ends."""
    name, device, memory = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    out = private_output()
    try:
        provider = load(name, device)
        said(out, name=provider.name, version=provider.version())
    except BaseException as error:
        return said(out, error=f"{type(error).__name__}: {error}")
    for line in sys.stdin:
        order = json.loads(line)
        try:
            _ask(out, provider, order["operator"], Profile(order["profile"]), order["skip"])
        except Exception as error:  # what probes throw is their finding: this is a fault of the kit
            said(out, error=f"the kit failed at {order['operator']}: {type(error).__name__}: {error}")
    return None


if __name__ == "__main__":
    main()
