"""Suanzi passes ONNX's node tests, and is a backend of ONNX's test runner."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import unittest
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import defs, helper, parser
from onnx.backend.base import Backend
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

import suanzi
from interop import node_tests
from interop.models import one_node, parsed
from interop.node_tests import State
from suanzi import InvalidArgumentError
from suanzi.interop.onnx import UnsupportedError, backend
from suanzi.interop.onnx.table import TABLE

pytestmark = pytest.mark.one_level

LEAST = 1877
"""The least number of tests that must pass. onnx 1.23 has 1884 tests."""


def test_no_node_test_fails() -> None:
    if defs.onnx_opset_version() < 27:
        pytest.skip("some node tests of onnx before 1.22 expect wrong results")
    # A pickled copy of each model runs, so that the tests also check pickling.
    outcomes = list(node_tests.outcomes(lambda model: pickle.loads(pickle.dumps(backend.prepare(model)))))
    assert [f"{o.name}: {o.reason}" for o in outcomes if o.state is State.FAILED] == []
    counts = Counter(outcome.state for outcome in outcomes)
    if defs.onnx_opset_version() >= 28:
        assert counts[State.PASSED] >= LEAST
    preview = [o.state for o in outcomes if "flexattention" in o.name and "expanded" not in o.name]
    assert preview == [State.PASSED] * (11 if defs.onnx_opset_version() >= 28 else len(preview))
    for outcome in outcomes:  # no operator of the table is excluded as unknown
        if outcome.state is State.NOT_APPLICABLE and "operator " in outcome.reason:
            assert outcome.reason.partition("operator ")[2].split()[0] not in TABLE


# Networks that take a second or less. `tools/clients/onnx_nodes.py` runs all nine networks.
QUICK = {"test_bvlc_alexnet", "test_inception_v1", "test_shufflenet", "test_squeezenet"}

# Models that compute gradients, which Suanzi does not translate.
GRADIENTS = {"test_gradient_of_add", "test_gradient_of_add_and_mul"}


@pytest.mark.parametrize("kind", [kind for kind in node_tests.MODELS if kind != "real"])
def test_models_of_onnx(kind: str) -> None:
    outcomes = list(node_tests.outcomes_of_models(kind))
    assert [f"{o.name}: {o.reason}" for o in outcomes if o.state is State.FAILED] == []
    assert {o.name for o in outcomes if o.state is State.NOT_APPLICABLE} == (GRADIENTS if kind == "simple" else set())
    assert len(outcomes) >= {"simple": 23, "pytorch-operator": 35, "pytorch-converted": 82}[kind]


def test_light_networks_of_onnx() -> None:
    outcomes = list(node_tests.outcomes_of_models("real", QUICK))
    assert [(o.name, o.state, o.reason) for o in outcomes] == [(name, State.PASSED, "") for name in sorted(QUICK)]


@pytest.mark.parametrize(
    ("expected", "state"),
    [
        ([-1.0, 2.0], State.PASSED),
        ([-1.0, 2.1], State.FAILED),
        ([-1.0], State.FAILED),
        ([[-1.0, 2.0]], State.FAILED),
        (np.float64([-1, 2]), State.FAILED),
    ],
)
def test_the_verdict_on_a_result(expected: Any, state: State) -> None:
    """`verdict` passes right results, and fails results of wrong values, shapes or types."""
    model = parsed(14, "g (float[n] x) => (float[n] y) { y = Neg(x) }")
    wanted = expected if isinstance(expected, np.ndarray) else np.float32(expected)
    case = TestCase("test_neg", "", None, None, model, [([np.float32([1, -2])], [wanted])], "node", 1e-3, 1e-7)
    assert node_tests.verdict(case)[0] is state


UNSUPPORTED = parser.parse_model("""<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
    g (float[n] x) => (float[n] y) { y = com.microsoft.Nonsense(x) }""")


def test_the_interface_of_a_backend() -> None:
    model = parsed(14, "g (float[n] x) => (float[n] y) { y = Neg(x) }")
    x = np.float32([1, -2])
    assert issubclass(backend.SuanziBackend, Backend)
    assert backend.is_compatible(model)
    assert not backend.is_compatible(UNSUPPORTED)
    assert not backend.is_compatible(model, "CUDA")
    assert [backend.supports_device(d) for d in ("CPU", "CPU:0", "CUDA", "")] == [True, True, False, False]
    for found in (backend.prepare(model).run([x]), backend.run_model(model, [x]), backend.run_model(model, {"x": x})):
        assert isinstance(found, tuple)
        assert isinstance(found[0], np.ndarray)
        np.testing.assert_array_equal(found[0], -x)
    with pytest.raises(InvalidArgumentError, match="CUDA"):
        backend.prepare(model, "CUDA")
    with pytest.raises(UnsupportedError):
        backend.prepare(UNSUPPORTED)


def test_single_nodes() -> None:
    a, b = np.float32([[1, 2]]), np.float32([[10], [20]])
    (c,) = backend.run_node(helper.make_node("Add", ["a", "b"], ["c"]), [a, b])
    np.testing.assert_array_equal(c, a + b)
    node = helper.make_node("Mul", ["a", "b"], ["c"], broadcast=1, axis=0)
    (c,) = backend.run_node(node, [np.ones((2, 3), np.float32), np.float32([4, 5])], opset_version=6)
    np.testing.assert_array_equal(c, [[4] * 3, [5] * 3])
    values, indices = backend.run_node(helper.make_node("TopK", ["x", "k"], ["v", "i"]), [b[:, 0], np.int64([1])])
    assert (values.tolist(), indices.tolist()) == ([20], [1])
    with pytest.raises(InvalidArgumentError):
        backend.run_node(helper.make_node("Add", ["a"], ["c"]), [a])


def test_strings_come_as_objects() -> None:
    (y,) = backend.run_model(one_node("Identity", 16, [np.array(["a"], object)]), [np.array(["算"], object)])
    assert (y.dtype, y.tolist()) == (np.dtype(object), ["算"])


def test_onnxs_own_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX's test runner passes with Suanzi as its backend.

    The test uses simple models only, because other models take long.
    """
    simple = [case for case in load_model_tests(kind="simple") if "sequence" not in case.name]
    monkeypatch.setattr("onnx.backend.test.runner.load_model_tests", lambda kind: simple if kind == "simple" else [])
    result, suite = unittest.TestResult(), Runner(backend.SuanziBackend, __name__).test_suite
    tests = suite.countTestCases()
    suite.run(result)
    assert tests == 2 * len(simple)  # each model is tested on two devices
    assert tests - len(result.skipped) >= 5  # other models need strings, gradients or a GPU
    assert [text for _, text in result.errors + result.failures] == []


def test_without_onnx_the_message_names_the_extra() -> None:
    code = "import sys; sys.modules['onnx'] = None; import suanzi; import suanzi.interop.onnx"
    source = str(Path(suanzi.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'suanzi[onnx]'" in done.stderr
