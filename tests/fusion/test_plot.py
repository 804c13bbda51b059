"""The figure of a plan has the right boxes, arrows and words. No test compares pixels."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from formulas import softmax

import suanzi
from suanzi.tensor.messages import shown

pytestmark = pytest.mark.one_level

pytest.importorskip("matplotlib")


def polynomial(x: Any) -> Any:
    """Compute a polynomial of twenty operators."""
    y = x
    for _ in range(10):
        y = y * x + 0.5
    return y


def network(x: Any, w: Any, v: Any) -> Any:
    h = suanzi.tanh(x @ w + 1)
    return softmax(suanzi.exp(h - suanzi.mean(h, axis=0)) @ v), suanzi.sum(h)


def drawn(figure: Any) -> Counter[str]:
    """Return the number of a figure's boxes, frames and arrows of each kind."""
    return Counter(patch.get_gid() for patch in figure.axes[0].patches if patch.get_gid())


def words(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def overlapping(figure: Any, gids: set[str]) -> list[tuple[Any, Any]]:
    boxes = [p.get_window_extent() for p in figure.axes[0].patches if p.get_gid() in gids]
    return [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]


BOXES = {"pass", "fold", "operator"}


def test_softmax(tmp_path: Path) -> None:
    fused, x = suanzi.fuse(softmax), suanzi.zeros((1000, 1000))
    figure = fused.plot(x, path=tmp_path / "plan.png")
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")
    # The arrows to and from memory represent `x`, which the first fold reads, and the result. The arrows within the
    # cache represent `x`, the maximum, the exponentials (twice) and the sum.
    assert drawn(figure) == {"fold": 2, "pass": 2, "block": 1, "memory": 2, "cache": 5}
    said = words(figure)
    assert said[:2] == ["softmax", fused.explain(x).splitlines()[0]]
    assert [text for text in said if text in ("max", "subtract, exp", "sum", "true_divide")] == [
        "max", "subtract, exp", "sum", "true_divide",
    ]  # fmt: skip
    assert said.count("float32 (1000, 1000), 3.8 MiB") == 2
    assert "block by block, about 21 rows at a time, in the cache" in said
    assert not overlapping(figure, BOXES)


def test_files_that_cannot_be_drawn(tmp_path: Path) -> None:
    fused, x = suanzi.fuse(softmax), suanzi.zeros((2, 2))
    for path, why in ((tmp_path / "x.foo", "cannot be drawn: the name of a picture must end in one of .avif, .eps, "),
                      (tmp_path / "missing" / "x.png", "cannot be written: No such file or directory")):  # fmt: skip
        with pytest.raises(suanzi.InvalidArgumentError) as refused:
            fused.plot(x, path=path)
        assert f"suanzi.fuse: plot: {shown(str(path))} {why}" in str(refused.value)
    assert list(tmp_path.iterdir()) == []


def test_many_operators_in_one_box() -> None:
    figure = suanzi.fuse(polynomial).plot(suanzi.zeros(1000))
    assert drawn(figure) == {"pass": 1, "memory": 2}
    assert "10 multiply, 10 add" in words(figure)


def test_operators_of_their_own() -> None:
    shapes = ((64, 32), (32, 20), (20, 10))
    figure = suanzi.fuse(network).plot(*(suanzi.zeros(shape) for shape in shapes))
    found = drawn(figure)
    assert (found["operator"], found["block"]) == (2, 1)
    assert words(figure).count("matmul") == 2
    assert not overlapping(figure, BOXES)
    patches = figure.axes[0].patches
    frame = next(p for p in patches if p.get_gid() == "block").get_window_extent()
    inside = [p for p in patches if p.get_gid() in BOXES and frame.contains(*p.get_window_extent().min)]
    assert [p.get_gid() for p in inside] == ["fold", "pass", "fold", "pass"]


def test_many_operands_are_one_arrow() -> None:
    figure = suanzi.fuse(lambda *xs: sum(x * 2 for x in xs)).plot(*[suanzi.zeros(256)] * 9)
    assert drawn(figure)["memory"] == 2
    assert "9 tensors, 9.0 KiB" in words(figure)


def test_a_method_and_what_is_not_traced() -> None:
    class Scaled:
        @suanzi.fuse
        def twice(self, x: Any) -> Any:
            return x * 2

        @suanzi.fuse
        def odd(self, x: Any) -> Any:
            return x + x.strides[0]

    assert words(Scaled().twice.plot(suanzi.zeros(3)))[0] == "twice"
    figure = Scaled().odd.plot(suanzi.zeros(3))
    assert drawn(figure) == {"operator": 1}
    assert any("UntracedError" in text for text in words(figure))


def test_a_callable_object_has_the_name_of_its_class() -> None:
    class Doubling:
        def __call__(self, x: Any) -> Any:
            return x * 2

    assert words(suanzi.fuse(Doubling()).plot(suanzi.zeros(3)))[0] == "Doubling"


def test_a_number_whose_value_is_needed() -> None:
    figure = suanzi.fuse(lambda x, n: x**n).plot(suanzi.zeros(3), 2.0)
    assert "pow" in " ".join(words(figure))


def test_without_matplotlib(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import suanzi\n"
        "try:\n    suanzi.fuse(lambda x: x + 1).plot(suanzi.zeros(3))\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": str(Path(suanzi.__file__).parents[1])})  # fmt: skip
    assert done.stdout == "suanzi.fuse: plot: the package matplotlib is missing; pip install 'suanzi[plot]'\n"
