"""The process in which a library is timed: each line of its input names a cell, each of its output the seconds."""

from __future__ import annotations

import gc
import json
import sys
import warnings

from suanzi.bench.cases import case_of
from suanzi.bench.libraries import Library
from suanzi.bench.timing import Timer
from suanzi.conformance.worker import private_output, said


def ready(library: Library, operator: str, variant: str, size: int, element_type: str) -> Timer | None:
    """What times a cell; None where the library takes no part in it."""
    call = library.call(case_of(operator, variant, element_type), size, element_type)
    return call and Timer(call)


def main() -> None:
    """Answers until the input ends."""
    out = private_output()
    try:
        library = Library(sys.argv[1])
        library.set_threads(int(sys.argv[2]))
        said(out, name=library.name, version=library.version)
    except BaseException as error:
        return said(out, error=f"{type(error).__name__}: {error}")
    warnings.simplefilter("ignore")  # of PyTorch, that a function is to go, with each call
    gc.disable()
    gc.freeze()
    timer: Timer | None = None
    last: list[object] = []
    for line in sys.stdin:
        asked = json.loads(line)["cell"]
        try:
            if asked != last:  # operands of one cell at a time
                timer, last = None, asked
                gc.collect()
                timer = ready(library, *asked)
            said(out, seconds=timer and timer.turn())
        except Exception as error:  # a library that does not take the case
            timer = None
            said(out, seconds=None, why=f"{type(error).__name__}: {str(error)[:200]}")
    return None


if __name__ == "__main__":
    main()
