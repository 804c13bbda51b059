"""Every example in a docstring of the package runs and prints its output."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import pytest

import suanzi
from samples import PUBLIC
from suanzi.operators.registry import records

pytestmark = pytest.mark.one_level


def modules() -> Iterator[str]:
    yield "suanzi"
    for found in pkgutil.walk_packages(suanzi.__path__, "suanzi."):
        if not found.name.endswith(("__main__", "_core")):
            yield found.name


# Packages that the examples of these modules use. The tests do not install these packages.
PEERS = ("jax", "onnxruntime", "torch")
ABOUT_TRITON = ("suanzi.fusion.kernels", "suanzi.fusion.launches")
ABOUT_PEERS = ("suanzi.conformance.providers", "suanzi.bench.libraries")


@pytest.mark.parametrize("name", list(modules()))
def test_examples(name: str) -> None:
    package, _, peer = name.rpartition(".")
    if name in ("suanzi.conformance.providers.pytorch", "suanzi.interop.pytorch") or package.startswith(
        "suanzi.devices"
    ):
        pytest.importorskip("torch")
    if package == "suanzi.devices.triton" or name in ABOUT_TRITON:
        pytest.importorskip("triton")
    if package in ABOUT_PEERS and peer in PEERS:
        pytest.importorskip(peer)
    module: ModuleType = importlib.import_module(name)
    threads = suanzi.get_num_threads()
    result = doctest.testmod(module, optionflags=doctest.REPORT_NDIFF)
    suanzi.set_num_threads(threads)
    assert result.failed == 0


def test_every_operator_has_an_example() -> None:
    finder = doctest.DocTestFinder()
    bare = [r.name for r in records() if not any(t.examples for t in finder.find(r.function, r.name))]
    assert bare == []


def test_every_public_thing_is_documented() -> None:
    public = {name: getattr(suanzi, name) for name in PUBLIC if name != "__version__"}
    bare = [name for name, thing in public.items() if not inspect.getdoc(thing)]
    assert bare == []
