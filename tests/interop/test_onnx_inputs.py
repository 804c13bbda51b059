"""Options and files of `suanzi run` and `suanzi info` that name, shape and fill a model's inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from onnx import ModelProto

from interop.models import parsed
from suanzi.cli.main import main

pytestmark = pytest.mark.one_level


def write(path: Path, model: ModelProto) -> None:
    path.write_bytes(model.SerializeToString())


def values(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["run", *arguments, "--json"]) == 0
    return {row["name"]: row["values"] for row in json.loads(capsys.readouterr().out)}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "int64",
            "9007199254740993,-9223372036854775808,9223372036854775807, +2.0\n",
            [2**53 + 1, -(2**63), 2**63 - 1, 2],
        ),
        ("uint64", "18446744073709551615,1e3,2.5,0\n", [2**64 - 1, 1000, 2, 0]),
        ("complex64", "1+2j,(3-4j),5,6j\n", [[1, 2], [3, -4], [5, 0], [0, 6]]),
    ],
)
def test_tables_are_read_in_the_declared_type(
    name: str, text: str, expected: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "t.csv", tmp_path / "same.onnx"
    path.write_text(text)
    write(model, parsed(16, f"g ({name}[1,4] x) => ({name}[1,4] y) {{ y = Identity(x) }}"))
    assert values(capsys, str(model), "--input", str(path)) == {"y": [expected]}
    for wrong in ("1_000,2,3,4\n", "3e38,1,2,nan j\n"):
        path.write_text(wrong)
        assert main(["run", str(model), "--input", str(path)]) == 1
        assert "t.csv cannot be read: could not convert string" in capsys.readouterr().err
