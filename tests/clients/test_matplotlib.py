"""matplotlib draws tensors to the same pixels as arrays of the same elements."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import suanzi

pytestmark = pytest.mark.one_level

mpl.use("agg")

X = np.linspace(0, 6, 20)
Y = np.sin(X)
M = np.outer(Y, Y) * 100
Drawing = Callable[[Any, Callable[[Any], Any]], object]


def surface(ax: Any) -> Any:
    """Return axes of three dimensions in the figure of `ax`."""
    axes = ax.figure.add_subplot(projection="3d")
    axes.set_axis_off()
    return axes


# Drawings on axes. `c` converts an array to the tested class.
DRAWINGS: dict[str, Drawing] = {
    "plot": lambda ax, c: ax.plot(c(X), c(Y)),
    "plot of columns": lambda ax, c: ax.plot(c(M[:, :3])),
    "scatter": lambda ax, c: ax.scatter(c(X), c(Y), s=c(abs(Y) * 20), c=c(Y)),
    "imshow": lambda ax, c: ax.imshow(c(M)),
    "hist": lambda ax, c: ax.hist(c(Y), bins=5),
    "hist2d": lambda ax, c: ax.hist2d(c(X), c(Y), bins=5),
    "hist of columns": lambda ax, c: ax.hist(c(M[:, :3]), bins=5),
    "boxplot of columns": lambda ax, c: ax.boxplot(c(M[:, :3])),
    "violinplot": lambda ax, c: ax.violinplot(c(Y)),
    "contour": lambda ax, c: ax.contour(c(X), c(X), c(M), levels=c(X[1:4])),
    "pcolormesh": lambda ax, c: ax.pcolormesh(c(M)),
    "errorbar": lambda ax, c: ax.errorbar(c(X), c(Y), yerr=c(abs(Y))),
    "bar": lambda ax, c: ax.bar(c(X), c(Y)),
    "bar of names": lambda ax, c: ax.barh(["a", "b"], c(Y[:2])),
    "fill_between": lambda ax, c: ax.fill_between(c(X), c(Y), where=c(Y > 0)),
    "step": lambda ax, c: ax.step(c(X), c(Y)),
    "stem": lambda ax, c: ax.stem(c(X), c(Y)),
    "quiver": lambda ax, c: ax.quiver(c(X), c(Y), c(Y), c(X)),
    "pie": lambda ax, c: ax.pie(c(X[1:5])),
    "plot_surface": lambda ax, c: surface(ax).plot_surface(c(M[:5, :6]), c(M[5:10, 6:12]), c(M[10:15, 12:18])),
    "plot_surface of columns": lambda ax, c: surface(ax).plot_surface(
        *(c(m).T for m in (M[:4, :5], M[4:8, :5], M[8:12, :5])), rstride=2, cstride=3
    ),
    "vlines": lambda ax, c: ax.vlines(c(X), 0, c(Y)),
    "limits": lambda ax, c: (ax.plot(X, Y), ax.set_xlim(c(X[2:8:5]))),
}


def pixels(draw: Drawing, convert: Callable[[Any], Any]) -> bytes:
    figure = Figure(figsize=(2, 2), dpi=40)
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_axis_off()  # ticks and their labels take most of the time
    draw(axes, convert)
    file = BytesIO()
    canvas.print_raw(file)
    return file.getvalue()


def cast(array: Any, name: str) -> Any:
    return array.astype(name) if array.dtype.kind == "f" else array.copy()


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawing(name: str) -> None:
    draw = DRAWINGS[name]
    array = pixels(draw, lambda a: cast(a, "float32"))
    assert pixels(draw, lambda a: suanzi.from_reference(cast(a, "float32"))) == array
    assert array != pixels(lambda ax, c: None, lambda a: a)


@pytest.mark.parametrize("type_name", ["float64", "float16", "int32", "bool"])
def test_types(type_name: str) -> None:
    for draw in (DRAWINGS["plot"], DRAWINGS["imshow"], DRAWINGS["bar"]):
        array = pixels(draw, lambda a: cast(a, type_name))
        assert pixels(draw, lambda a: suanzi.from_reference(cast(a, type_name))) == array


def test_lines_of_bfloat16() -> None:
    """Lines of bfloat16 are drawn like lines of the same numbers in float32. docs/clients.md describes images."""
    tensors = [suanzi.tensor(a, dtype="bfloat16") for a in (X, Y)]
    rounded = [x.numpy().astype(np.float32) for x in tensors]
    assert pixels(lambda ax, c: ax.plot(*tensors), cast) == pixels(lambda ax, c: ax.plot(*rounded), cast)
