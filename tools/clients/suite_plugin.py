"""A pytest plugin that runs the array API tests of SciPy and scikit-learn on one namespace, and records the outcomes.

client_suites.py loads the plugin by ``-p suite_plugin``, before the suites' own settings. Both suites have a fixed list
of libraries, which the plugin replaces by one namespace. The environment sets:

SUITE_NAMESPACE   the namespace: suanzi.array_api, torch or array_api_strict
SUITE_OUTCOMES    a file: one line of JSON for each test
SUITE_SECONDS     the seconds after which the run ends
SUITE_TEST_SECONDS  the seconds after which one test fails
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

NAME = os.environ["SUITE_NAMESPACE"]
TYPES = ("float64", "float32")
started = time.monotonic()


def offer_to_scipy() -> None:
    """Replace the fixture `xp` of scipy/conftest.py by an equivalent fixture that has only the tested namespace."""
    from scipy import conftest
    from scipy._lib._array_api import array_namespace, default_xp
    from scipy._lib.array_api_extra.testing import patch_lazy_xp_functions

    conftest.xp_known_backends.add(NAME)
    module = importlib.import_module(NAME)

    @pytest.fixture(params=[pytest.param(module, id=NAME, marks=pytest.mark.array_api_backends)])
    def xp(request: pytest.FixtureRequest) -> Iterator[Any]:
        conftest.skip_or_xfail_xp_backends(request, "skip")
        conftest.skip_or_xfail_xp_backends(request, "xfail")
        namespace = array_namespace(request.param.empty(0))
        with patch_lazy_xp_functions(request=request, xp=request.param), default_xp(namespace):
            yield namespace

    @pytest.fixture
    def devices(xp: Any) -> list[Any]:
        """Return the devices as a list, which SciPy expects. In Array API 2025.12 the devices are a tuple."""
        return [*xp.__array_namespace_info__().devices(), None]

    conftest.xp = xp
    if NAME.startswith("suanzi"):
        conftest.devices = devices


def offer_to_sklearn() -> None:
    """Replace scikit-learn's generators of namespaces, devices and types by generators of the tested namespace."""
    from sklearn.utils import _array_api

    def namespaces(include_numpy_namespaces: bool = True) -> Iterator[str]:
        yield NAME

    def combinations(include_numpy_namespaces: bool = True) -> Iterator[tuple[str, str | None, str]]:
        device = {"torch": "cpu", "array_api_strict": "CPU_DEVICE"}.get(NAME)
        for dtype in TYPES:
            yield NAME, device, dtype

    _array_api.yield_namespaces = namespaces
    _array_api.yield_namespace_device_dtype_combinations = combinations


def on_alarm(number: int, frame: FrameType | None) -> None:
    raise TimeoutError("the test took too long")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that have the tested namespace among their parameters, except tests that are marked slow."""
    ours = [item for item in items if NAME in item.nodeid.partition("[")[2]]
    kept = [item for item in ours if not any(map(item.get_closest_marker, ("slow", "xslow")))]
    left_out = {*items} - {*kept}
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = kept
    Path(os.environ["SUITE_OUTCOMES"]).write_text(json.dumps({"tests": len(kept)}) + "\n", encoding="utf-8")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(int(os.environ["SUITE_TEST_SECONDS"]))
    try:
        return (yield)
    finally:
        signal.alarm(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report: Any = yield
    if call.excinfo is not None and report.failed:
        report.raised = {
            "error": call.excinfo.typename,
            "text": str(call.excinfo.value)[:600],
            "where": [f"{entry.path}:{entry.lineno + 1}" for entry in call.excinfo.traceback][-4:],
        }
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when != "call" and report.passed:
        return
    outcome = {"test": report.nodeid, "outcome": report.outcome, **getattr(report, "raised", {})}
    if hasattr(report, "wasxfail"):
        outcome["outcome"] = "xfailed" if report.skipped else "xpassed"
    with Path(os.environ["SUITE_OUTCOMES"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(outcome) + "\n")


def pytest_runtest_teardown(item: pytest.Item) -> None:
    if time.monotonic() - started > float(os.environ["SUITE_SECONDS"]):
        item.session.shouldstop = "the time is over"


offer_to_scipy()
with suppress(ImportError):
    offer_to_sklearn()
