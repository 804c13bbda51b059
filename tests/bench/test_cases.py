"""For every operator, `suanzi bench` has a timed case or a reason why no case exists.

Suanzi and NumPy return equal shapes for each case.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from suanzi.bench import CASES, UNTIMED, operators, select
from suanzi.bench.cases import AsIs, Case, case_of, networks
from suanzi.bench.libraries import Library, operands_of
from suanzi.conformance.providers import load
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import lookup

pytestmark = pytest.mark.one_level

OURS, NUMPY = Library("suanzi"), Library("numpy")
TYPED = [(case, t) for case in CASES for t in case.types]
IDS = [f"{case.name} {t} {min(case.sizes)}" for case, t in TYPED]


def shapes(result: Any) -> list[tuple[int, ...]]:
    """Return the shapes of all tensors in a result."""
    if isinstance(result, list | tuple):
        return [shape for item in result for shape in shapes(item)]
    return [tuple(result.shape)] if hasattr(result, "shape") else []


def peer_agrees(case: Case, its: list[tuple[int, ...]], ours: list[tuple[int, ...]]) -> bool:
    """Return whether NumPy's shapes equal Suanzi's shapes, or NumPy returned no array for an in-place case."""
    return its == ([] if case.variant == "in place" else ours)


@pytest.mark.parametrize(("case", "element_type"), TYPED, ids=IDS)
def test_a_case_runs(case: Case, element_type: str) -> None:
    if "ONNX" in case.variant and find_spec("onnx") is None:
        pytest.skip("onnx is not installed")
    size = min(case.sizes)
    call = OURS.call(case, size, element_type)
    assert call is not None
    ours = call()
    peer = NUMPY.call(case, size, element_type)
    if peer is not None:
        assert peer_agrees(case, shapes(peer()), shapes(ours))


@pytest.mark.parametrize("case", [case for case in CASES if "scipy" in (case.own or {})], ids=lambda case: case.name)
def test_scipy_takes_part_where_it_is_named(case: Case) -> None:
    scipy, size = Library("scipy"), 1_000
    ours, its = OURS.call(case, size, "float32"), scipy.call(case, size, "float32")
    assert ours is not None
    assert its is not None
    found: Any = ours()
    known = its()
    dense = found.to_dense().numpy() if hasattr(found, "to_dense") else np.asarray(found)
    wanted = known.toarray() if hasattr(known, "toarray") else np.asarray(known)
    np.testing.assert_allclose(dense, wanted, rtol=1e-4, atol=1e-4)
    assert scipy.call(case_of("add", "", "float32"), 1, "float32") is None


def test_every_operator_has_a_case_or_a_reason() -> None:
    timed = {case.operator for case in CASES}
    assert set(CATALOGUE) - timed == set(UNTIMED)
    assert not timed & set(UNTIMED)
    assert all(lookup(name) for name in timed)
    assert operators() == sorted(operators(), key=lambda name: lookup(name).entry.number)


def test_cells_are_told_apart() -> None:
    own = [(case.operator, case.variant, size, t) for case in CASES for t in case.types for size in case.sizes]
    assert len(own) == len(set(own)) == len(select())
    assert all(size in case.sizes for case in CASES for size in case.goals)


def test_cases_of_a_name_differ_in_types_sizes_and_goals_alone() -> None:
    first: dict[str, Case] = {}
    for case in CASES:
        before = first.setdefault(case.name, case)
        assert (case.way, case.own) == (before.way, before.own)
        one, other = (operands_of(c, 64, case.types[0]) for c in (before, case))
        assert repr(one) == repr(other)


def test_operands_are_the_same_in_every_process() -> None:
    case = case_of("where", "", "float64")
    first, second = (operands_of(case, 1000, "float64").operands for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_the_cases_of_a_name() -> None:
    assert case_of("matmul", "", "int32").most == {"numpy": 512**2}
    assert case_of("matmul", "", "float32").most == {}
    assert NUMPY.call(case_of("matmul", "", "bfloat16"), 64**2, "bfloat16") is None


def test_a_selection() -> None:
    assert [cell[:4] for cell in select(["add"], sizes=[5], types=["int16"])] == [
        ("add", "", 5, "int16"),
        ("add", "out=", 5, "int16"),
    ]
    assert {cell.element_type for cell in select(["floor"], types=["float64", "complex64"])} == {"float64"}
    assert {(cell.variant, cell.element_type) for cell in select(["multiply"], types=["qint8", "string", "int8"])} == {
        ("", "int8"),
        ("out=", "int8"),
        ("quantized", "qint8"),
    }
    goals = select(["exp"], goals=True)
    assert [(cell.size, cell.element_type, cell.goal) for cell in goals] == [
        (1_000_000, "float32", 1.0),
        (1_000_000, "float64", 1.0),
    ]
    (cell,) = select(["exp"], sizes=[1_000_000], types=["float64"])
    assert cell.goal == 1.0


@pytest.mark.parametrize("element_type", ["float64", "float16", "int8", "uint32", "complex64", "bool"])
def test_other_element_types(element_type: str) -> None:
    for operator in ("add", "multiply", "reduce", "concat", "where", "transpose"):
        for cell in select([operator], sizes=[60], types=[element_type]):
            call = OURS.call(case_of(operator, cell.variant, element_type), 60, element_type)
            assert call is not None
            call()


def test_what_a_library_lacks() -> None:
    assert OURS.call(case_of("add", "", "float32"), 10, "float128") is None
    assert NUMPY.call(case_of("interpolate", "bilinear, doubled", "float32"), 100, "float32") is None


def test_arrays_that_stay_arrays() -> None:
    (data,) = operands_of(case_of("from_reference", "", "float32"), 10, "float32").operands
    assert isinstance(data, AsIs)


def test_no_peer_is_imported_with_the_cases() -> None:
    code = "import sys, suanzi.bench, suanzi.bench.libraries; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "scipy", "jax", "onnx", "onnxruntime"} & {re.split(r"\.", name)[0] for name in loaded}


def test_the_partners_of_sort() -> None:
    """If a function returns sorted values and indices, the bench compares only functions that also return indices."""
    assert NUMPY.call(case_of("sort", "", "float32"), 10, "float32") is not None
    case = case_of("sort", "values and indices", "float32")
    ours, numpys = (call() for library in (OURS, NUMPY) if (call := library.call(case, 1000, "float32")))
    assert [len(result) for result in (ours, numpys)] == [2, 2]
    assert np.array_equal(ours[0].numpy(), numpys[0])
    assert set(case.own or ()) == {"suanzi", "numpy", "torch"}


def test_torch_has_no_sort_of_the_values_alone() -> None:
    pytest.importorskip("torch")
    assert Library("torch").call(case_of("sort", "", "float32"), 10, "float32") is None


def test_results_in_a_tensor_that_is_there() -> None:
    for library in (OURS, NUMPY):
        call = library.call(case_of("add", "out=", "float32"), 10, "float32")
        assert call is not None
        assert call() is call()


def _names_of_torch(file: str) -> set[str]:
    """Return the attributes of `torch` that a module uses, as dotted paths."""
    tree = ast.parse((Path(suanzi.__file__).parent / file).read_text(encoding="utf-8"))
    paths = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {path.removeprefix("torch.") for path in paths if path.startswith("torch.")}


def test_one_table_of_pytorchs_names() -> None:
    """The common table of PyTorch's functions shares no entry with the lists of the conformance kit and the bench."""
    table = _names_of_torch("conformance/providers/pytorch.py")
    for file in ("conformance/providers/torch.py", "bench/libraries/torch.py"):
        assert _names_of_torch(file) & table == set()


def test_names_of_pytorch() -> None:
    pytest.importorskip("torch")
    from suanzi.conformance.providers import pytorch

    for name in pytorch.NAMES:
        assert callable(pytorch.function_of(name))
    provider, library = load("torch"), Library("torch")
    for name in pytorch.CALLS:
        assert provider.find(name) is not None
        assert name in {**library._calls, **library._functions}


@pytest.mark.parametrize("case", networks.CASES, ids=lambda case: case.name)
def test_layers_agree_with_torch(case: Case) -> None:
    pytest.importorskip("torch")
    calls = [library.call(case, case.sizes[0], "float32") for library in (OURS, Library("torch"))]
    ours, theirs = (np.asarray(call()) for call in calls if call is not None)
    assert np.abs(ours - theirs).max() <= 1e-4 * np.abs(theirs).max()
