"""The process in which a library is timed. An input frame names a cell, and the output frame for the cell has the
seconds.
"""

from __future__ import annotations

import gc
import sys
import warnings

from suanzi.bench.cases import case_of
from suanzi.bench.libraries import Library
from suanzi.bench.timing import Timer
from suanzi.conformance.process import private_pipes
from suanzi.conformance.wire import read, write


def ready(library: Library, operator: str, variant: str, size: int, element_type: str) -> Timer | None:
    """Return the timer of a cell, or None if the cell's case has no call of the library."""
    call = library.call(case_of(operator, variant, element_type), size, element_type)
    return call and Timer(call)


def main() -> None:
    """Load the library that the command line names, and answer requests until the input ends."""
    cells, out = private_pipes()
    try:
        library = Library(sys.argv[1])
        library.set_threads(int(sys.argv[2]))
        write(out, {"name": library.name, "version": library.version})
    except BaseException as error:
        return write(out, {"error": f"{type(error).__name__}: {error}"})
    warnings.simplefilter("ignore")  # PyTorch warns in each call that a function will be removed
    gc.disable()
    gc.freeze()
    timer: Timer | None = None
    last: list[object] = []
    while (frame := read(cells)) is not None:
        asked = frame[0]["cell"]
        try:
            if asked != last:  # keep the operands of one cell only
                timer, last = None, asked
                gc.collect()
                timer = ready(library, *asked)
            write(out, {"seconds": timer and timer.turn()})
        except Exception as error:  # the library does not support the case
            timer = None
            write(out, {"seconds": None, "why": f"{type(error).__name__}: {str(error)[:200]}"})
    return None


if __name__ == "__main__":
    main()
