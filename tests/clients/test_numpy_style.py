"""SciPy and scikit-image, which call NumPy's functions and members, have the same results for tensors and arrays."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi

pytestmark = pytest.mark.one_level

RNG = np.random.default_rng(5)
IMAGE = RNG.random((24, 20))
PIXELS = (IMAGE * 255).astype(np.uint8)
LABELS = (IMAGE * 4).astype(np.int64)
V = np.array([0.5, 1.0, 2.0])

# Calls of a module's function. `c` makes an array or a tensor from an array.
CALLS: dict[tuple[str, str], Callable[[Any, Callable[[Any], Any]], Any]] = {
    ("skimage.exposure", "equalize_hist"): lambda f, c: f(c(PIXELS)),
    ("skimage.filters", "threshold_sauvola"): lambda f, c: f(c(IMAGE), window_size=5),
    ("skimage.filters", "threshold_li"): lambda f, c: f(c(IMAGE)),
    ("skimage.transform", "integral_image"): lambda f, c: f(c(IMAGE)),
    ("skimage.color", "label2rgb"): lambda f, c: f(c(LABELS)),
    ("skimage.restoration", "unwrap_phase"): lambda f, c: f(c(IMAGE * 6)),
    ("scipy.linalg", "toeplitz"): lambda f, c: f(c(V)),
    ("scipy.signal", "argrelmax"): lambda f, c: f(c(IMAGE[0]))[0],
    ("scipy.sparse", "diags"): lambda f, c: f([c(V)], [0]).toarray(),
    ("scipy.sparse.linalg", "expm_multiply"): lambda f, c: f(c(IMAGE[:3, :3]), np.ones(3)),
}


@pytest.mark.parametrize("call", CALLS, ids=".".join)
def test_like_arrays(call: tuple[str, str]) -> None:
    module, name = call
    pytest.importorskip(module.partition(".")[0])
    function = getattr(import_module(module), name)
    found = CALLS[call](function, lambda array: suanzi.tensor(array))
    expected = CALLS[call](function, lambda array: array)
    rtol = 1e-6 if name == "equalize_hist" else 1e-12  # the quotient of two tensors of integers is float32
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=1e-12)


def test_sound(tmp_path: Path) -> None:
    wavfile = import_module("scipy.io.wavfile")
    samples = np.array([[0, 3], [-7, 20000], [5, -1]], np.int16)
    for name, given in (("tensor", suanzi.tensor(samples)), ("array", samples)):
        wavfile.write(tmp_path / name, 8000, given)
    assert (tmp_path / "tensor").read_bytes() == (tmp_path / "array").read_bytes()
