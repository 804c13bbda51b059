"""The process in which a library is timed: each frame that it gets names a cell, each that it gives the seconds."""

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
    """Return the timer of a cell; None if the library takes no part in it."""
    call = library.call(case_of(operator, variant, element_type), size, element_type)
    return call and Timer(call)


def main() -> None:
    """Answers until the input ends."""
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
            if asked != last:  # operands of one cell at a time
                timer, last = None, asked
                gc.collect()
                timer = ready(library, *asked)
            write(out, {"seconds": timer and timer.turn()})
        except Exception as error:  # a library that does not take the case
            timer = None
            write(out, {"seconds": None, "why": f"{type(error).__name__}: {str(error)[:200]}"})
    return None


if __name__ == "__main__":
    main()
