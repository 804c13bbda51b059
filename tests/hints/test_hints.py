"""Errors state the right code, for the mistakes of `mistakes.py` and for the names in the tables of hints."""

from __future__ import annotations

import importlib
import itertools
import math
import os
import pickle
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mistakes import MISTAKES
from newcomers import FOLLOWED, MORE, NAMES

import suanzi as sz
from suanzi.hints import answers, functions, parts, tensors, words
from suanzi.tensor.absent import Absent

pytestmark = pytest.mark.one_level

EVERY = [(area, *row) for table in (MISTAKES, MORE) for area, rows in table.items() for row in rows]


def test_there_are_enough() -> None:
    assert len(EVERY) >= 130
    areas = [row[0] for row in EVERY]
    assert all(areas.count(area) >= 7 for area in areas)


@pytest.mark.parametrize(("area", "code", "error", "part"), EVERY, ids=[row[1] for row in EVERY])
def test_mistake(area: str, code: str, error: type[Exception], part: str) -> None:
    with pytest.raises(error) as caught:
        eval(code, dict(NAMES))
    message = str(caught.value)
    assert part.replace("'", '"') in message.replace("'", '"'), f"{area}: {message}"
    assert len(message) <= 480
    if error is not AttributeError:
        assert isinstance(caught.value, sz.SuanziError) or type(caught.value) is TypeError


@pytest.mark.parametrize(("code", "hint", "expected"), FOLLOWED, ids=[row[0] for row in FOLLOWED])
def test_hints_are_right_when_they_are_followed(code: str, hint: str, expected: str) -> None:
    with pytest.raises((AttributeError, TypeError, ValueError, IndexError)) as caught:
        eval(code, dict(NAMES))
    assert hint.replace("'", '"') in str(caught.value)
    x, j = NAMES["x"], NAMES["j"]
    operands = {"suanzi": sz, "math": math, "x": x, "x1": x, "x2": x, "index": j[:1] if "j[:1]" in code else j}
    found = eval(hint.removeprefix("ord="), operands)
    arrays = {"np": np, "math": math, "x": x.numpy(), "j": j.numpy()}
    if isinstance(found, tuple):
        found = sz.stack(found)
    elif isinstance(found, sz.SparseTensor):
        found = found.to_dense()
    np.testing.assert_allclose(found, eval(expected, arrays), rtol=1e-6)


def test_a_type_is_not_named_where_none_holds_the_number() -> None:
    for number, dtype in ((10**400, "float64"), (10**400, "float32"), (10**400, "int64")):
        with pytest.raises(sz.OutOfRangeError, match=rf" does not fit {dtype}$"):
            sz.tensor([number], dtype=dtype)
    with pytest.raises(sz.OutOfRangeError, match=r"does not fit int32$"):
        sz.arange(0, stop=2**70, dtype="int32")


# Values for the names that the code in the tables of hints uses.
OPERANDS = {
    "x": sz.tensor([[1.0, 2.0, 3.0], [2.0, 5.0, 6.0], [3.0, 6.0, 10.0]]),
    "y": sz.ones((3, 3)),
    "a": sz.ones((3, 3)),
    "b": sz.ones((3, 3)),
    "v": sz.tensor([1.0, 2.0, 3.0]),
    "i": sz.tensor([0, 1, 2], dtype="int64"),
    "j": sz.tensor([[0, 1, 2]] * 3, dtype="int64"),
    "m": sz.tensor([[True, False, True]] * 3),
    "array": np.ones(3),
    "math": math,
    "numpy": np,
    "suanzi": sz,
}
OF_NO_RESULT = {"seed", "manual_seed", "manual_seed_all", "set_seed", "clear", "empty_cache"}
# Names whose hints are code that reads or writes files.
OF_FILES = {"fromfile", "savez", "savez_compressed", "read_csv", "genfromtxt"}


@pytest.mark.parametrize("name", [name for name in functions.USE if name not in OF_FILES])
def test_code_of_a_name_runs(name: str) -> None:
    code = answers.of_name("", name).removeprefix("; use ")
    assert code == f"suanzi.{functions.USE[name]}".replace("'", '"')
    with sz.set_default_dtype("float32"):  # the code of some hints changes the default type
        assert eval(code, dict(OPERANDS)) is not None or name in OF_NO_RESULT
    assert not hasattr(sz, name)
    with pytest.raises(AttributeError) as caught:
        getattr(sz, name)
    assert str(caught.value).startswith(f"suanzi has no {name!r}; use suanzi.")


@pytest.mark.parametrize("name", functions.SAY)
def test_names_that_are_told(name: str) -> None:
    with pytest.raises(AttributeError, match=f"^suanzi has no '{name}'; "):
        getattr(sz, name)


@pytest.mark.parametrize("name", functions.NUMPY)
def test_names_that_numpy_has(name: str) -> None:
    assert callable(getattr(np, name, np.sin))  # an older NumPy lacks some functions
    with pytest.raises(AttributeError, match=f"^suanzi has no '{name}'; numpy.{name} accepts tensors$"):
        getattr(sz, name)


@pytest.mark.parametrize("name", ["array_str", "isrealobj", "iterable", "min_scalar_type", "ndenumerate", "require"])
def test_functions_of_numpy_that_accept_tensors(name: str) -> None:
    assert name in functions.NUMPY
    assert getattr(np, name)(OPERANDS["v"]) is not None


@pytest.mark.parametrize("name", [name for name, hint in functions.SAY.items() if hint.startswith("use ")])
def test_code_that_is_told_runs(name: str) -> None:
    code = functions.SAY[name].removeprefix("use ").partition(", or ")[0].partition(", and ")[0]
    names = {"itertools": itertools, "numpy": np, "math": math, "suanzi": sz}
    assert eval(code, OPERANDS | names) is not None


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, rows in parts.PARTS.items() for name in rows])
def test_names_of_parts(part: str, name: str) -> None:
    home = getattr(sz, part)
    with pytest.raises(AttributeError, match=f"^suanzi.{part} has no '{name}'; use suanzi"):
        getattr(home, name)
    code = answers.of_name(part, name).removeprefix("; use ").partition(", or ")[0]
    assert eval(code, dict(OPERANDS)) is not None or name in OF_NO_RESULT


X: Any = OPERANDS["x"]
SPARSE, QUANTIZED = sz.to_sparse(X), sz.quantize(X, 0.1, dtype="qint8")


@pytest.mark.parametrize("name", tensors.NAMES)
def test_attributes_of_tensors(name: str) -> None:
    """`hasattr` and `dir` do not find attributes that have only a hint, and Python suggests no other name."""
    assert not hasattr(X, name)
    assert not hasattr(sz.Tensor, name)
    assert name not in dir(X)
    assert name not in dir(sz.Tensor)
    with pytest.raises(AttributeError, match=f"^Tensor has no '{name}'; ") as caught:
        getattr(X, name)
    assert caught.value.name == name
    assert "Did you mean" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("x", [SPARSE, QUANTIZED], ids=["sparse", "quantized"])
def test_attributes_of_other_kinds(x: Any) -> None:
    """Sparse and quantized tensors have hints for the attributes of dense tensors and of other libraries' tensors."""
    kind = type(x)
    names = {*tensors.NAMES, *tensors.OF_KINDS[kind.__name__], *(n for n in dir(X) if not n.startswith("_"))}
    refused = {
        name for name, value in vars(kind).items() if not isinstance(value, Absent)
    }  # attributes whose errors state another reason
    missing = [name for name in sorted(names - refused) if not hasattr(x, name)]
    assert len(missing) > 100
    for name in missing:
        with pytest.raises(AttributeError, match=f"^{kind.__name__} has no '{name}'; "):
            getattr(x, name)
        assert name not in dir(x)


def test_code_of_attributes_runs() -> None:
    own = {"pickle": pickle, **OPERANDS, "q": 0.5, "x1": X, "x2": OPERANDS["y"], "p": OPERANDS["y"]}
    own |= {"sorted": OPERANDS["v"], "values": X, "fill_value": 1.0, "a": X, "weight": OPERANDS["v"]}
    for name in tensors.NAMES:
        hint = answers.of_attribute("Tensor", name)
        if not hint.startswith("; use ") or any(word in hint for word in ('to_device("gpu")', "save(", "x = ", " of ")):
            continue
        code = hint.removeprefix("; use ").partition(", or ")[0].partition(", in ")[0].partition(" for a")[0]
        integers = {"x": sz.astype(X[0], "int64"), "y": sz.ones(3, dtype="int64")}
        exec(code, {**own, "x": sz.clone(X)} | (integers if "bincount" in code or "bitwise" in code else {}))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("clip_", lambda x, y: np.clip(x, 0, 1)),
        ("log1p_", lambda x, y: np.log1p(x)),
        ("fmod_", np.fmod),
        ("hypot_", np.hypot),
        ("greater_", np.greater),
        ("lt_", np.less),
        ("lerp_", lambda x, y: (x + y) / 2),
        ("masked_scatter_", lambda x, y: np.where([True, False, True], y, x)),
        ("cumsum_", lambda x, y: np.cumsum(x, axis=0)),
        ("tril_", lambda x, y: np.tril(x)),
        ("deg2rad_", lambda x, y: np.deg2rad(x)),
        ("addcmul_", lambda x, y: x + 1),
        ("fill_diagonal_", lambda x, y: np.where(np.eye(3) != 0, 1.0, x)),
    ],
)
def test_code_of_names_with_an_underscore_writes_into_the_tensor(name: str, expected: Any) -> None:
    x = sz.clone(X)
    exec(answers.of_attribute("Tensor", name).removeprefix("; use "), dict(OPERANDS) | {"x": x})
    np.testing.assert_allclose(x.numpy(), expected(X.numpy(), np.ones((3, 3))), rtol=1e-6)
    hint = answers.of_name("", name)
    assert hint == answers.of_attribute("Tensor", name) or hint.startswith("; the name is")


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, rows in parts.SAY.items() for name in rows])
def test_names_of_parts_that_are_told(part: str, name: str) -> None:
    with pytest.raises(AttributeError, match=f"^suanzi.{part} has no '{name}'; "):
        getattr(importlib.import_module(f"suanzi.{part}"), name)


@pytest.mark.parametrize("name", sorted({*dir(np.random.Generator), *dir(np.random.RandomState)}))
def test_methods_of_generators(name: str) -> None:
    """A generator has a hint for each method of NumPy's generators that it lacks, and names only methods that exist."""
    if name.startswith("_"):
        return
    for rng in (sz.random.Generator(7), sz.random.default_rng(7)):
        if hasattr(rng, name):
            continue
        with pytest.raises(AttributeError, match=rf"^\w+ has no '{name}'; ") as caught:
            getattr(rng, name)
        message = str(caught.value)
        if message.partition("; ")[2].startswith("use "):
            exec(message.partition("; use ")[2], {"rng": rng, **OPERANDS})
        elif "rng(rng)." in message:
            assert hasattr(sz.random.default_rng(rng), name)
        elif "numpy.random" in message:
            assert hasattr(np.random.default_rng(), name)


@pytest.mark.parametrize("name", tensors.OF_KINDS["DType"])
def test_attributes_of_types(name: str) -> None:
    """The code of a hint for an attribute of NumPy's or PyTorch's types has a result for every type of numbers."""
    for dtype in (sz.float32, sz.int64, sz.bool, sz.complex64):
        if hasattr(dtype, name):
            continue
        with pytest.raises(AttributeError, match=f"^DType has no '{name}'; use ") as caught:
            getattr(dtype, name)
        x = sz.zeros(1, dtype=dtype)
        found = eval(str(caught.value).partition("; use ")[2], {"x": x, "suanzi": sz})
        if name.startswith("is_"):
            expected = {"is_complex": "c", "is_floating_point": "f", "is_signed": "cfi"}[name]
            assert found is (np.dtype(str(dtype)).kind in expected)


def test_loadtxt_names_the_function_for_other_files(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(3))
    with pytest.raises(sz.InvalidArgumentError, match=r'; use suanzi\.load\("x\.npy"\)$'):
        sz.loadtxt(tmp_path / "x.npy")


def test_functions_hide_the_methods_of_ufuncs() -> None:
    for name in tensors.METHODS_OF_UFUNCS:
        assert not hasattr(sz.add, name)
        assert name not in dir(sz.add)
        assert name not in dir(type(sz.add))
    for name, calls in functions.METHODS.items():
        for function in calls:
            hint = answers.of_method(function, name)
            assert eval(hint.removeprefix("; use "), dict(OPERANDS)) is not None
    for function in functions.ACCUMULATED:
        x = OPERANDS["i"] if function.startswith("bitwise") else OPERANDS["v"]
        assert getattr(np, function).accumulate(x) is not None


def test_names_of_layers() -> None:
    for name in ("SELU", "PReLU", "Hardswish", "PixelShuffle", "LPPool1d", "MaxUnpool3d", "InstanceNorm2d", "GRUCell"):
        function = answers.of_name("nn", name).partition("suanzi.nn.")[2].partition(" ")[0]
        assert function in sz.nn.__all__, name
    assert answers.of_name("nn", "max_unpool1d") == "; suanzi.nn.max_unpool accepts one to three dimensions"
    assert answers.of_name("nn", "MaxPool1d") == answers.of_name("nn", "MaxPool2d")
    for name in ("HuberLoss", "SmoothL1Loss", "CosineSimilarity", "Softmin", "Tanhshrink"):
        code = answers.of_name("nn", name).removeprefix("; use ")
        assert eval(code, dict(OPERANDS)).dtype is sz.float32, name
    assert answers.of_name("", "hardshrink") == answers.of_name("nn", "hardshrink")
    assert answers.of_name("nn", "Dropout1d") == answers.of_name("nn", "Dropout")
    assert answers.of_name("nn", "Qqqq1d") == ""


def test_hints_that_are_words_begin_with_code_or_say_why() -> None:
    keywords = (*words.NO_KEYWORDS.values(), *words.NO_KEYWORDS_OF.values())
    for hint in (*words.SUBJECTS.values(), *(row[2] for row in words.ERRORS), *keywords):
        assert hint == hint.strip(), hint
        assert not hint.endswith("."), hint


def test_nothing_that_is_there_is_shadowed() -> None:
    for name in functions.USE | functions.SAY:
        assert name not in sz.__all__, name
    for meant in words.KEYWORDS.values():
        assert meant
    for names in (words.TYPES, words.QUANTIZED_TYPES):
        for every in names.values():
            for name in every:
                assert hasattr(sz, name), name


def test_hints_are_loaded_when_an_error_is_made() -> None:
    code = """if True:
        import sys, suanzi
        suanzi.zeros(3) + 1
        before = [name for name in sys.modules if name.startswith("suanzi.hints")]
        try: suanzi.cat
        except AttributeError: pass
        print(*before, "suanzi.hints.answers" in sys.modules, "difflib" in sys.modules)"""
    source = os.path.dirname(os.path.dirname(sz.__file__))
    environment = {**os.environ, "PYTHONPATH": source}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["suanzi.hints", "suanzi.hints.tensors", "True", "False"]


def test_no_hint_where_there_is_none() -> None:
    with pytest.raises(AttributeError, match=r"^suanzi has no 'qqqq'$") as caught:
        _ = sz.qqqq
    assert caught.value.obj is sz
    with pytest.raises(AttributeError, match=r"^suanzi has no '__qqqq__'$"):
        _ = sz.__qqqq__


def test_an_error_within_a_call_that_fits_is_left_alone() -> None:
    class Odd:
        def __index__(self) -> int:
            raise TypeError("odd")

    with pytest.raises(sz.TypeMismatchError) as caught:
        sz.sum(X, axis=Odd())
    assert "keywords" not in str(caught.value)


def test_objects_whose_attributes_fail() -> None:
    """An error about an object whose attributes raise exceptions is still raised, without a hint."""

    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(sz.TypeMismatchError, match=r"^exp: .*Hostile is neither a tensor nor a number"):
        sz.exp(Hostile())
    with pytest.raises(TypeError, match="unexpected keyword argument 'dim'"):
        sz.sum(X, dim=Hostile())
    with pytest.raises(TypeError, match="unexpected keyword argument 'precison'"):
        sz.set_printoptions(precison=[Hostile()])  # type: ignore[call-arg]


def test_hints_read_only_the_beginning_of_long_values() -> None:
    deep: list[Any] = [1.0]
    for _ in range(60):  # 2 ** 60 numbers
        deep = [deep, deep]
    with pytest.raises(sz.TypeMismatchError, match=r"use suanzi\.tensor\(data\)"):
        sz.sqrt(deep)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'precison'"):
        sz.set_printoptions(precison=10**6000)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", [f"{name}_" for name in dir(sz) if not name.startswith("_")])
def test_no_name_with_an_underscore_is_there(name: str) -> None:
    assert not hasattr(sz, name)


def test_hints_are_written_once() -> None:
    with pytest.raises(sz.OutOfRangeError) as caught:
        X.take(np.array([0]), 5)
    assert str(caught.value).count("axes count from 0") == 1


@pytest.mark.parametrize("kind", [k for k in (getattr(sz, name) for name in sz.__all__) if isinstance(k, type)])
def test_classes_are_those_of_the_package(kind: type) -> None:
    assert kind.__module__ == "suanzi"
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_errors_are_pickled() -> None:
    for code in ("sz.tensor(0)[0, 0]", "x[9]", "x.sum(5)", "sz.ones(2).mT"):
        with pytest.raises(sz.SuanziError) as caught:
            eval(code, dict(NAMES))
        assert type(caught.value).__module__ == "suanzi"
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again)) == (type(caught.value), str(caught.value))


def test_torch_tensors_are_named_by_their_library() -> None:
    class Tensor:
        __module__ = "torch"

        def __dlpack__(self) -> None: ...

    with pytest.raises(sz.TypeMismatchError) as caught:
        sz.exp(Tensor())
    assert "torch.test_torch" in str(caught.value) or "torch." in str(caught.value)
    assert "use suanzi.from_dlpack(x)" in str(caught.value)
