"""Tables for functions of float32 by cells: see native/math/cells.h.

Cell 0 reaches from 0 to `first`, a power of 2; of the others there are four in each octave. A row of a table is a point
of the cell and seven coefficients, those of the powers of the distance from it.
"""

from dataclasses import dataclass

from minimax import Fit, minimax, to_single
from mpmath import mp, mpf

ROWS = 32
DEGREE = 6


@dataclass
class Cell:
    row: list
    error: mpf  # relative


def bounds(i, first) -> tuple:
    """The ends of a cell after cell 0."""
    octave, quarter = divmod(i - 1, 4)
    width = first * mpf(2) ** octave / 4
    return 4 * width + quarter * width, 5 * width + quarter * width


def around_zero(f, end, powers) -> Cell:
    """Cell 0 of a function that is as its argument near 0."""
    fit = minimax(f, (1, *powers), mpf(2) ** -30, end, lambda r: 1 / f(r), {1: 1}, to_single)
    known = dict(zip((1, *powers), fit.coefficients, strict=True))
    return Cell([mpf(0), *(known.get(k, mpf(0)) for k in range(DEGREE + 1))], fit.error)


def around_point(f, start, end, reach=0.125) -> Cell:
    """A cell around the point before its middle where the function and its slope are closest to being floats.

    Not behind the middle: where a function is below its argument, its first result in an octave's first cell is below
    a power of 2, and an ulp there is half that of the others.
    """

    def slope(x):
        return mp.diff(f, x)

    def rounding_error(x):
        value, first = f(x), slope(x)
        return (abs(to_single(value) - value) + abs(to_single(first) - first) * (end - start) / 2) / value

    middle, width = (start + end) / 2, end - start
    point = min((to_single(middle - reach * width * k / 2000) for k in range(2000)), key=rounding_error)
    fixed = {0: to_single(f(point)), 1: to_single(slope(point))}

    def shifted(r):
        return f(point + r)

    powers, weight = range(DEGREE + 1), lambda r: 1 / shifted(r)
    fit: Fit = minimax(shifted, powers, start - point, end - point, weight, fixed, to_single)
    return Cell([point, *fit.coefficients], fit.error)


def write(header, name, cells):
    """The table by columns, which are looked up."""
    worst = mp.nstr(mp.log(max(cell.error for cell in cells), 2), 4)
    columns = list(zip(*(cell.row for cell in cells), strict=True))
    header.table(name, columns, f"points, and coefficients of the distance from them: error 2^{worst}")
