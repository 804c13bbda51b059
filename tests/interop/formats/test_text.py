"""`loadtxt` reads tables in text files as tensors."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import suanzi
from samples import fails
from suanzi import InvalidArgumentError, OutOfRangeError, TypeMismatchError

pytestmark = pytest.mark.one_level

TABLE = 'kind,height,"leaves, all"\n# of spring\niris,2,7\nrose,3.5,8\n'


def file(folder: Path, text: str, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_by_name_and_place(tmp_path: Path) -> None:
    path = file(tmp_path, TABLE)
    expected = [[2, 7], [3.5, 8]]
    for columns in (["height", "leaves, all"], [1, 2], [1, -1]):
        found = suanzi.loadtxt(path, header=True, usecols=columns)
        assert found.tolist() == expected
        assert found.dtype is suanzi.float32
    assert suanzi.loadtxt(str(path), skiprows=1, usecols=1).tolist() == [2, 3.5]
    kinds = suanzi.loadtxt(path, header=True, usecols="kind", dtype="string")
    assert kinds.tolist() == ["iris", "rose"]
    height, leaves = suanzi.loadtxt(path, header=True, usecols=(1, 2), unpack=True)
    assert (height.tolist(), leaves.tolist()) == ([2, 3.5], [7, 8])


def test_delimiters_follow_the_ending(tmp_path: Path) -> None:
    for name, text in (("x.csv", "1,2\n3,4\n"), ("x.tsv", "1\t2\n3\t4\n"), ("x.txt", "1 2\n 3  4\n")):
        assert suanzi.loadtxt(file(tmp_path, text, name)).tolist() == [[1, 2], [3, 4]]
    assert suanzi.loadtxt(file(tmp_path, "1;2\n"), delimiter=";", ndmin=2).tolist() == [[1, 2]]
    assert suanzi.loadtxt(file(tmp_path, "\ufeff1,2\r\n3,4\r\n"), max_rows=1).tolist() == [1, 2]


@pytest.mark.parametrize("name", ["int8", "uint64", "int64", "float16", "bfloat16", "float64", "bool", "complex64"])
def test_types(name: str, tmp_path: Path) -> None:
    found = suanzi.loadtxt(file(tmp_path, "0,1\n1,1\n"), dtype=name)
    assert found.dtype.name == name
    assert found.tolist() == [[0, 1], [1, 1]]


def test_numbers_that_a_type_does_not_hold(tmp_path: Path) -> None:
    path = file(tmp_path, "16777217,0.1\n")
    with fails(OutOfRangeError, "loadtxt") as error:
        suanzi.loadtxt(path)
    assert 'dtype="int64"' in str(error.value)
    assert suanzi.loadtxt(path, dtype="float32")[0].item() == 16777216
    assert suanzi.loadtxt(file(tmp_path, f"{2**63 - 1}\n"), dtype="int64").item() == 2**63 - 1
    calls: list[tuple[str, dict[str, Any], type[Exception]]] = [
        ("1.5\n", {"dtype": "int32"}, InvalidArgumentError),
        ("300\n", {"dtype": "int8"}, InvalidArgumentError),
        ("1e39\n", {}, OutOfRangeError),
        ("70000\n", {"dtype": "float16"}, OutOfRangeError),
    ]
    for text, options, status in calls:
        with fails(status, "loadtxt"):
            suanzi.loadtxt(file(tmp_path, text), **options)


@pytest.mark.parametrize(
    ("name", "digits", "least"), [("float32", 24, -149), ("float16", 11, -24), ("bfloat16", 8, -133)]
)
def test_numbers_are_rounded_once(name: str, digits: int, least: int, tmp_path: Path) -> None:
    """Beside the middle between two neighbours of the type, the nearest float64 of the text is the middle itself."""
    texts, expected = [], []
    with localcontext(Context(prec=400)):
        for exponent in (0, 5, -5, least + digits - 1, least):
            step = Decimal(2) ** max(exponent + 1 - digits, least)
            for k in range(4):
                low = Decimal(2) ** exponent + k * step
                for sign in (1, -1):
                    for off, up in ((Decimal("1e-30"), 1), (0, low / step % 2), (Decimal("-1e-30"), 0)):
                        texts.append(str(sign * (low + step / 2) * (1 + off)))
                        expected.append(sign * float(low + up * step))
    for options in ({}, {"filling": float(texts[1])}) if name == "float32" else ({},):
        found = suanzi.loadtxt(file(tmp_path, "\n".join(texts)), dtype=name, **options)
        assert found.astype("float64").tolist() == expected
    if name == "float32":
        assert suanzi.loadtxt(file(tmp_path, "1.00000005960464478\n")).item() == 1 + 2**-23


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("9007199254740993", ' dtype="int64" keeps it,'),
        ("-9007199254740993.0", ' dtype="int64" keeps it,'),
        ("9223372036854775809", ' dtype="uint64" keeps it,'),
        ("100000000000000000001", "exactly; dtype="),
        ("1" + 22 * "0", ' dtype="float64" keeps it,'),
        ("1" + 40 * "0", "exactly; dtype="),
    ],
)
def test_integers_that_no_default_type_holds(text: str, kept: str, tmp_path: Path) -> None:
    """Without `dtype`, `loadtxt` refuses integers that even float64 rounds, unless `usecols` omits the column."""
    path = file(tmp_path, f"a,b\n7,{text}\n8,9\n")
    for options in ({}, {"filling": 0}, {"usecols": "b"}):
        with fails(OutOfRangeError, "loadtxt") as error:
            suanzi.loadtxt(path, header=True, **options)
        assert f" holds {int(text.removesuffix('.0'))}, which" in str(error.value)
        assert kept in str(error.value)
    assert suanzi.loadtxt(path, header=True, usecols="a").tolist() == [7, 8]
    found = suanzi.loadtxt(path, header=True, dtype="float64")
    assert found.tolist() == [[7, float(text)], [8, 9]]


def test_great_numbers_that_the_default_type_takes(tmp_path: Path) -> None:
    path = file(tmp_path, f"{2**60}, -{2**60}.0 ,6.02e23\n,nan,inf\n")
    found = suanzi.loadtxt(path, filling=2**70)
    np.testing.assert_array_equal(found.numpy(), np.float32([[2**60, -(2.0**60), 6.02e23], [2.0**70, np.nan, np.inf]]))
    for filling in (2**53 + 1, 2**24 + 1, 16777217.0):
        with fails(OutOfRangeError, "loadtxt"):
            suanzi.loadtxt(path, filling=filling)


def test_empty_fields(tmp_path: Path) -> None:
    path = file(tmp_path, "1,\n,4\n")
    with fails(InvalidArgumentError, "loadtxt"):
        suanzi.loadtxt(path)
    found = suanzi.loadtxt(path, filling=float("nan"))
    np.testing.assert_array_equal(found.numpy(), [[1, np.nan], [np.nan, 4]])
    assert suanzi.loadtxt(path, filling=-1, dtype="int16").tolist() == [[1, -1], [-1, 4]]
    assert suanzi.loadtxt(file(tmp_path, "")).shape == (0,)


def test_fillings_fit_the_type(tmp_path: Path) -> None:
    path = file(tmp_path, "1,2\n3,\n")
    for filling, status in ((2.5, TypeMismatchError), (300, OutOfRangeError), (float("nan"), OutOfRangeError)):
        with fails(status, "loadtxt"):
            suanzi.loadtxt(path, dtype="int8", filling=filling)
    assert suanzi.loadtxt(path, dtype="int8", filling=2.0).tolist() == [[1, 2], [3, 2]]
    assert suanzi.loadtxt(path, dtype="uint64", filling=2**64 - 1).tolist() == [[1, 2], [3, 2**64 - 1]]
    assert suanzi.loadtxt(path, dtype="string", filling="none").tolist() == [["1", "2"], ["3", "none"]]


@pytest.mark.parametrize("field", ["1_000", "٣", "１", "0x10", "1 2"])
@pytest.mark.parametrize("name", ["int64", "uint8", "float32", "float64", "complex64", "bool"])
def test_fillings_change_no_rule_for_fields(field: str, name: str, tmp_path: Path) -> None:
    path = file(tmp_path, f"{field},2\n")
    messages = []
    for options in ({}, {"filling": 0}):
        with fails(InvalidArgumentError, "loadtxt") as error:
            suanzi.loadtxt(path, dtype=name, **options)
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    assert suanzi.loadtxt(file(tmp_path, " +7 ,\n"), dtype="int64", filling=0).tolist() == [7, 0]


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_numbers(name: str, tmp_path: Path) -> None:
    numbers = np.array([[1 + 2j, -0.5 - 3e-5j], [1j, 4]])
    written = tmp_path / "x.txt"
    np.savetxt(written, numbers)
    for path, options in (
        (written, {}),
        (file(tmp_path, "1+2j,(-0.5-3e-5j)\n1j,4\n"), {}),
        (file(tmp_path, "1+2j,(-0.5-3e-5j)\n,4\n", "y.csv"), {"filling": 1j}),
    ):
        found = suanzi.loadtxt(path, dtype=name, **options)
        np.testing.assert_array_equal(found.numpy(), numbers.astype(name))


def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    path = file(tmp_path, TABLE)
    for options, words in (
        ({}, "header=True"),
        ({"header": True}, "iris"),
        ({"usecols": "height"}, "needs header=True"),
        ({"header": True, "usecols": "width"}, "is not one of"),
        ({"header": True, "usecols": 7}, "cannot be read"),
        ({"max_rows": -1}, "cannot be read"),
    ):
        with pytest.raises(InvalidArgumentError, match=words) as error:
            suanzi.loadtxt(path, **options)
        assert str(error.value).startswith(f"loadtxt: {path}")
    for text, options, words in (
        ("a,b\n1,2\n\n3,x\n", {"header": True}, 'string .x. .* in line 4, column 2; dtype="string"'),
        ("1,2\n# none\n1\n", {}, "from 2 to 1 in line 3"),
        ("1,2\n3,\n", {}, r'in line 2, column 2; filling=float\("nan"\)'),
        ("a;b\n1;2\n", {"header": True}, 'in line 2, column 1; delimiter=";"'),
        ("1\t2\n", {}, r'delimiter="\\t"'),
        ("a;b\n1;2\n", {"header": True, "usecols": "b"}, 'is not one of .*; delimiter=";" separates'),
        ("a\tb\n1\t2\n", {"header": True, "usecols": "b"}, r'is not one of .*; delimiter="\\t" separates'),
        ("1,2.5\n", {"dtype": "int32"}, "in line 1, column 2$"),
    ):
        with pytest.raises(InvalidArgumentError, match=words):
            suanzi.loadtxt(file(tmp_path, text), **options)
    table = tmp_path / "chinese.csv"
    table.write_bytes("高,宽\n1,2\n".encode("gbk"))
    for header in (False, True):
        with pytest.raises(InvalidArgumentError, match='encoding="gbk"'):
            suanzi.loadtxt(table, header=header)
    assert suanzi.loadtxt(table, header=True, encoding="gbk").tolist() == [1, 2]
    with fails(InvalidArgumentError, "loadtxt"):
        suanzi.loadtxt(tmp_path / "none.csv")
    with fails(InvalidArgumentError, "loadtxt"):
        suanzi.loadtxt(table, skiprows=-1)
    with fails(TypeMismatchError, "loadtxt"):
        suanzi.loadtxt([1.0])  # type: ignore[arg-type]
    with fails(TypeMismatchError, "loadtxt"):
        suanzi.loadtxt(path, dtype="flaot32")
