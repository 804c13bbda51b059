"""The catalogue of the standard, the registry of implemented functions, and the public names agree."""

from __future__ import annotations

import builtins
import inspect
import re
from operator import attrgetter
from typing import Any

import pytest

import suanzi
from samples import PUBLIC
from suanzi import Status
from suanzi.operators.catalogue import CATALOGUE
from suanzi.operators.registry import ALWAYS, Record, extras, implementation, lookup, operator, records
from suanzi.tensor.status import ERRORS

pytestmark = pytest.mark.one_level

RECORDS = list(records())
# Public functions that are not operators: status handling, threads, types, exchange.
OTHERS = {"as_dtype", "attempt", "from_dlpack", "get_num_threads", "set_num_threads", "load", "loadtxt", "save"}
OTHERS |= {"set_default_device", "set_default_dtype", "synchronize"}
OTHERS |= {"fuse", "get_printoptions", "printoptions", "set_printoptions", "tile_shape"}
CATEGORIES = {
    "张量创建与销毁": 18,
    "张量查询与检查": 7,
    "张量转换": 25,
    "算术操作": 13,
    "比较操作": 7,
    "逻辑操作": 4,
    "位操作": 6,
    "幂操作": 4,
    "舍入操作": 5,
    "三角函数": 6,
    "双曲函数": 6,
    "指对函数": 6,
    "规约操作": 2,
    "索引操作": 5,
    "复数操作": 4,
    "信号处理": 2,
    "线性代数操作": 13,
    "插值操作": 1,
}


def public(name: str) -> Any:
    """Return the object of a public name, also in a namespace (`fft.fft`), or None for an unknown name."""
    try:
        return attrgetter(name)(suanzi)
    except AttributeError:
        return None


def functions() -> dict[str, Any]:
    names = [*PUBLIC, *(f"fft.{name}" for name in suanzi.fft.__all__)]
    return {name: f for name in names if inspect.isroutine(f := public(name))}


def test_the_standard_names_134_operators_in_18_categories() -> None:
    assert len(CATALOGUE) == 134
    assert [entry.number for entry in CATALOGUE.values()] == list(range(1, 135))
    assert len({entry.chinese for entry in CATALOGUE.values()}) == 134
    counts: dict[str, int] = {}
    for entry in CATALOGUE.values():
        counts[entry.category.chinese] = counts.get(entry.category.chinese, 0) + 1
    assert counts == CATEGORIES
    assert len({entry.category.key for entry in CATALOGUE.values()}) == 18


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_operator_is_implemented(name: str) -> None:
    record = implementation(name)
    assert record is not None
    assert not record.is_extra
    assert callable(record.function)
    assert public(name) is record.function


def test_every_public_function_is_registered() -> None:
    assert {name for name in functions() if name not in OTHERS} == {record.name for record in RECORDS}
    for name, function in functions().items():
        if name not in OTHERS:
            assert lookup(name).function is function


def test_all_is_sorted_and_complete() -> None:
    assert len(PUBLIC) == len(set(PUBLIC))
    assert all(hasattr(suanzi, name) for name in PUBLIC)


def test_a_star_import_leaves_what_python_has() -> None:
    names: dict[str, Any] = {}
    exec("from suanzi import *", names)
    assert {name for name in vars(builtins) if name in names} == {"__builtins__"} & vars(builtins).keys()
    assert {*suanzi._NAMES_OF_PYTHON} == {name for name in PUBLIC if hasattr(builtins, name)}
    assert names["exp"] is suanzi.exp


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_docstrings(record: Record) -> None:
    doc = inspect.getdoc(record.function) or ""
    summary = doc.split("\n", 1)[0]
    # An operator's summary has the operator's Chinese name. The summary of an addition to the standard has the Chinese
    # name of the operator to which the addition belongs.
    assert re.search(r"[\u4e00-\u9fff]", summary), summary
    if not record.is_extra:
        assert record.entry.chinese in summary
    for section in ("Parameters", "Raises", "Examples", "Source"):
        assert f"\n{section}\n{'-' * len(section)}\n" in doc, section
    assert record.entry.reference in doc.replace("\n", " ")
    for name in inspect.signature(record.function).parameters:
        assert re.search(rf"^[\w, ]*\b{name}\b", doc.partition("\nParameters\n")[2], re.MULTILINE), name


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_records(record: Record) -> None:
    assert set(record.accepts) <= set("BIFCS")
    assert set(ALWAYS) <= set(record.statuses) <= {s.name for s in Status}
    assert len(set(record.statuses)) == len(record.statuses)
    raises = (inspect.getdoc(record.function) or "").partition("\nRaises\n")[2]
    for status in record.statuses:
        error = ERRORS[Status[status]]
        assert error is not None
        assert error.__name__ in raises
    assert record in extras(record.of) if record.is_extra else implementation(record.of) is record


def test_what_the_registry_refuses() -> None:
    with pytest.raises(KeyError, match="not in the catalogue"):
        operator("F", of="nonsense")(lambda: None)
    with pytest.raises(KeyError, match="declared twice"):
        operator("F", name="sin")(lambda: None)
    with pytest.raises(KeyError):
        lookup("nonsense")
