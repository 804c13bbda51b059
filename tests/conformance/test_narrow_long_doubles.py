"""The kit works on machines where long double is float64, such as Apple's. The tests hide NumPy's wider types."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from suanzi.conformance.oracle import element_types
from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, from_ratios, round_to, too_wide

pytestmark = pytest.mark.one_level

NOT_JUDGED = ["complex128", "float64", "int64", "uint64"]
NARROW = "import numpy, sys\nnumpy.longdouble, numpy.clongdouble = numpy.float64, numpy.complex128\n"
COMMAND = "from suanzi.cli.main import main\nsys.exit(main(['conformance', *sys.argv[1:]]))\n"
# A program that prints the verdict on a library whose `exp` is too small by a number of units in the last place.
OFF = """
from suanzi.conformance import Profile, Suanzi, check
class Off(Suanzi):
    def find(self, operator):
        right, units = super().find(operator), int(sys.argv[1])
        def call(*operands, **options):
            y = right(*operands, **options)
            x = self.to_numpy(y)
            if operator != "exp" or x.dtype != "float32" or options:
                return y
            for _ in range(units):
                x = numpy.nextafter(x, numpy.float32(0))
            return self.from_numpy(x)
        return right and call
print(check("exp", Off(), Profile.QUICK).state)
"""


def narrow(program: str, *arguments: str) -> str:
    command = [sys.executable, "-c", NARROW + program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_float64_can_judge_is_judged(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    operators = ("exp", "maximum", "multiply_add", "reduce", "matmul", "astype")
    said = narrow(COMMAND, "--profile", "quick", "--json", str(file), *operators)
    assert f"fewer than 64 binary digits: {', '.join(NOT_JUDGED)}" in said
    report = json.loads(file.read_text(encoding="utf-8"))
    assert report["provider"]["element_types_not_judged"] == NOT_JUDGED
    assert report["summary"]["pass"] == len(operators)
    assert all("incomplete" in outcome for outcome in report["outcome"].values())


@pytest.mark.parametrize(("units", "verdict"), [(0, "pass"), (20, "fail")])
def test_a_faulty_library_fails(units: int, verdict: str) -> None:
    assert narrow(OFF, str(units)).strip() == verdict


def test_types_that_long_doubles_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not too_wide()  # long doubles are wide enough on x86, and on 64-bit Arm under Linux
    monkeypatch.setattr(element_types, "EXTENDED", np.float64)
    assert sorted(too_wide()) == NOT_JUDGED


def test_quotients_are_rounded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quotient that is nearly halfway between two float32 numbers is rounded like the exact quotient."""
    monkeypatch.setattr(element_types, "EXTENDED", np.float64)
    draw = random.Random(5)
    exact = []
    for _ in range(2000):
        halfway = Fraction(2 * draw.getrandbits(23) + 2**24 + 1, 2**25)
        exact.append(halfway + draw.choice((-1, 0, 1)) * Fraction(1, 2 ** draw.randint(26, 90)))
    found = round_to(from_ratios([x.as_integer_ratio() for x in exact]), ELEMENT_TYPES["float32"])
    for x, y in zip(exact, found, strict=True):
        lower = Fraction(x.numerator * 2**24 // x.denominator, 2**24)
        upper = lower + Fraction(1, 2**24)
        nearest = min((lower, upper), key=lambda each: (abs(each - x), each.numerator * 2**24 // each.denominator % 2))
        assert Fraction(float(y)) == nearest
