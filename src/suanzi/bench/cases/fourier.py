"""Cases of Fourier transforms: of one line, of many lines along each axis, and of square matrices."""

from __future__ import annotations

from suanzi.bench.cases.case import Case, Make
from suanzi.bench.cases.operands import line, shaped, square

_LINES = 1000
_LENGTHS = (16, 100, 1024)  # lengths of the lines
_COMPLEX = ("complex64", "complex128")
_HALF = {_LINES * length: 0.5 for length in _LENGTHS}


def _lines(axis: int) -> Make:
    """Return a function that makes a matrix of up to a thousand lines, which lie along an axis."""

    def shape(n: int) -> tuple[int, int]:
        lines = min(_LINES, n)
        return (lines, n // lines) if axis else (n // lines, lines)

    return shaped(shape, "normal", axis=axis)


_ONE = shaped(line, "normal")
_SQUARE = shaped(square, "normal")

CASES: list[Case] = [
    Case(
        "fft.fft",
        _ONE,
        "",
        (1000, 1024, 100_000, 100_003, 1_000_000, 2**20),
        _COMPLEX,
        {1024: 0.5, 100_003: 1.0, 1_000_000: 1.0},
    ),
    *(Case("fft.fft", _lines(axis), f"1000 lines, axis {axis}", tuple(_HALF), _COMPLEX, _HALF) for axis in (1, 0)),
    Case("fft.fft", _ONE, "of reals", (1024, 100_000)),
    Case("fft.ifft", _ONE, "", (1024, 100_000), ("complex64",)),
    Case("fft.fftn", _SQUARE, "n x n", (32**2, 512**2), _COMPLEX, {512**2: 0.5}),
    Case("fft.rfft", _ONE, sizes=(1000, 1024, 100_000, 1_000_000)),
    Case("fft.rfft", _lines(1), "1000 lines", (100_000, 1_024_000)),
    Case("fft.irfft", _ONE, "", (1025, 100_000), ("complex64",)),
    Case("fft.rfftn", _SQUARE, "n x n", (32**2, 512**2)),
    Case("fft.fftshift", _ONE, "", (1000, 1_000_000), ("complex64",)),
]
