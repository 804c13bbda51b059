"""Tests of kinds of operand: the tables that kinds register, the kind that answers a call, and Python's operators."""

from __future__ import annotations

import gc
import operator as python
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import suanzi
import suanzi.nn
from suanzi import QuantizedTensor, SparseTensor, SuanziError, Tensor, TypeMismatchError, _core
from suanzi.kinds import devices
from suanzi.operators.registry import neural_records, records

pytestmark = pytest.mark.one_level

PUBLIC = {record.called for record in (*records(), *neural_records())}
# Names in tables that are not public functions: an operation within `divide`, Python's x[key], and a method.
OTHERS = {"trunc_divide", "__getitem__", "__setitem__", "to_device"}
KINDS = (SparseTensor, QuantizedTensor)
DENSE = suanzi.tensor([1.0, 2.0])
Table = dict[str, Callable[..., Any]]


def kind(rank: int, table: Table) -> Any:
    """Return an instance of a new class that is registered as a kind with a rank and a table."""

    class Operand(_core.Operators):
        pass

    _core.register_kind(Operand, rank, table)
    return Operand()


def echo(*names: str) -> Table:
    """Return a table whose implementation of each name returns the name and the arguments of the call."""
    return {name: lambda *arguments, name=name: (name, *arguments) for name in names}


def table_of(cls: Any) -> Table:
    table: Table = cls.__suanzi_call__.table
    return table


@pytest.mark.parametrize("cls", KINDS)
def test_tables_name_public_operators(cls: Any) -> None:
    assert set(table_of(cls)) <= PUBLIC | OTHERS
    assert "add" in table_of(cls)
    assert all(map(callable, table_of(cls).values()))


def test_the_order_of_the_kinds() -> None:
    assert [devices.RANK, *(cls.__suanzi_call__.rank for cls in KINDS)] == [1, 2, 3]


def test_a_registered_class_gets_its_calls() -> None:
    x = kind(3, echo("add", "sum", "matmul", "sort", "concat"))
    assert suanzi.add(x, DENSE) == ("add", x, DENSE, None)
    assert suanzi.add(2, x) == ("add", 2, x, None)
    assert suanzi.sum(x, axis=0) == ("sum", x, 0, False, None, None)
    assert suanzi.matmul(DENSE, x) == ("matmul", DENSE, x, None, None)
    assert suanzi.sort(x)[:2] == ("sort", x)  # type: ignore[comparison-overlap]
    listed = [DENSE, x]
    assert suanzi.concat(listed) == ("concat", listed, 0, None)


def test_what_the_table_lacks_is_refused() -> None:
    x = kind(3, {})
    calls: dict[str, Callable[[], object]] = {
        "add": lambda: suanzi.add(x, 1),
        "negative": lambda: -x,
        "sum": lambda: suanzi.sum(x),
        "matmul": lambda: suanzi.matmul(x, DENSE),
        "stack": lambda: suanzi.stack([x]),
    }
    for name, call in calls.items():
        with pytest.raises(TypeMismatchError, match=rf"^{name}: \S*\bOperand is "):
            call()
    for call in (lambda: x[0], lambda: x.__setitem__(0, 1), lambda: x.__delitem__(0)):
        with pytest.raises(TypeMismatchError, match=r"^index: "):
            call()


def test_the_stranger_is_named() -> None:
    for x in (kind(3, {"add": lambda *_: NotImplemented}), suanzi.to_sparse(DENSE)):
        for stranger in ("a", None, [1.0], np.ones(2)):
            with pytest.raises(TypeMismatchError, match=f"^add: .*{type(stranger).__name__} is "):
                suanzi.add(x, stranger)  # type: ignore[arg-type]
    with pytest.raises(TypeMismatchError, match=r"^matmul: ndarray is "):
        suanzi.matmul(suanzi.to_sparse(suanzi.eye(2)), np.ones(2))  # type: ignore[arg-type]


def test_the_highest_kind_takes_the_call() -> None:
    low, high, equal = kind(3, echo("add", "multiply")), kind(4, echo("add")), kind(4, echo("add"))
    sparse, quantized = suanzi.to_sparse(DENSE), suanzi.quantize(DENSE, 0.5)
    seen = []
    _core.register_kind(type(equal), 4, {"add": lambda *_: seen.append("equal")})
    for other in (low, sparse, quantized, DENSE):
        assert suanzi.add(other, high) == ("add", other, high, None)
        assert suanzi.add(high, other) == ("add", high, other, None)
    assert suanzi.add(high, equal) == ("add", high, equal, None)
    assert not seen
    assert suanzi.multiply(high, low) == ("multiply", high, low, None)  # the higher kind's table lacks the operator


def test_classes_that_nobody_registered_are_above_all() -> None:
    class Foreign:
        @staticmethod
        def __suanzi_call__(name: str, arguments: tuple[Any, ...]) -> object:
            return NotImplemented if name == "multiply" else ("foreign", name)

    x: Any = Foreign()
    for other in (kind(2**31, echo("add", "multiply")), suanzi.to_sparse(DENSE), suanzi.quantize(DENSE, 0.5)):
        assert suanzi.add(other, x) == suanzi.add(x, other) == ("foreign", "add")
    other = kind(1, echo("multiply"))
    assert suanzi.multiply(x, other)[0] == "multiply"


def test_calls_go_before_all_checks() -> None:
    x, gone = kind(3, echo("add", "concat")), suanzi.clone(DENSE)
    suanzi.destroy(gone)
    assert suanzi.add(gone, x, out=gone) == ("add", gone, x, gone)
    assert suanzi.concat([x, gone], axis=7)[0] == "concat"


def test_errors_of_implementations_pass() -> None:
    def fail(*_: object) -> None:
        raise TypeMismatchError("add: not today")

    for other in (DENSE, kind(1, echo("add"))):
        with pytest.raises(TypeMismatchError, match=r"^add: not today$"):
            suanzi.add(kind(3, {"add": fail}), other)


def test_a_derived_class_is_of_the_kind_of_its_base() -> None:
    class Derived(type(kind(3, echo("add")))):  # type: ignore[misc]
        pass

    assert suanzi.add(1, Derived())[0] == "add"


def test_a_list_that_changes_while_its_items_are_asked() -> None:
    def empty(operands: list[Any], *_: object) -> object:
        operands.clear()
        return NotImplemented

    with pytest.raises(SuanziError, match=r"^concat: "):
        suanzi.concat([kind(3, {"concat": empty}), kind(2, {"concat": empty})])


def test_the_table_as_a_call() -> None:
    x = suanzi.to_sparse(DENSE)
    call: Any = SparseTensor.__suanzi_call__  # type: ignore[attr-defined]
    assert suanzi.array_equal(call("add", (x, x)).to_dense(), DENSE + DENSE)
    assert call("sin", (suanzi.tensor(1.0),)) is NotImplemented
    assert call("nothing", (x,)) is NotImplemented
    for wrong in ((), ("add",), ("add", [x, x]), (1, (x,))):
        with pytest.raises(TypeError):
            call(*wrong)


def test_registrations_that_are_refused() -> None:
    for wrong in ((), (object(), 1, {}), (Tensor, 1, []), (kind, 1, {})):
        with pytest.raises(TypeMismatchError, match=r"^register_kind: "):
            _core.register_kind(*wrong)
    for rank in (0, -1):
        with pytest.raises(SuanziError, match=r"^register_kind: "):
            kind(rank, {})
    with pytest.raises(TypeError):
        kind("high", {})  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        kind(2**70, {})


def test_registered_classes_may_go() -> None:
    x = kind(3, echo("add"))
    cls = type(x)
    table_of(cls)["self"] = cls
    gone = weakref.ref(cls)
    del x, cls
    gc.collect()
    assert gone() is None


# --- Python's operators ---

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": python.add,
    "subtract": python.sub,
    "multiply": python.mul,
    "true_divide": python.truediv,
    "floor_divide": python.floordiv,
    "remainder": python.mod,
    "pow": python.pow,
    "matmul": python.matmul,
    "bitwise_and": python.and_,
    "bitwise_or": python.or_,
    "bitwise_xor": python.xor,
    "bitwise_left_shift": python.lshift,
    "bitwise_right_shift": python.rshift,
    "equal": python.eq,
    "not_equal": python.ne,
    "less": python.lt,
    "less_equal": python.le,
    "greater": python.gt,
    "greater_equal": python.ge,
}
REFLECTED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
UNARY: dict[str, Callable[[Any], Any]] = {
    "negative": python.neg,
    "positive": python.pos,
    "abs": python.abs,
    "bitwise_invert": python.invert,
}


def test_operators_are_calls() -> None:
    x = kind(3, echo(*BINARY, *UNARY, "__getitem__", "__setitem__"))
    for name, operation in BINARY.items():
        options = (None,) * (2 if name == "matmul" else 1)
        for other in (x, DENSE, 2, "a"):
            assert operation(x, other) == (name, x, other, *options)
        for other in (DENSE, 2):
            result = operation(other, x)
            if name in REFLECTED or name in ("equal", "not_equal"):
                assert result == (REFLECTED.get(name, name), x, other, *options)
            else:
                assert result == (name, other, x, *options)
        if name in ("equal", "not_equal"):  # Python itself answers comparisons with None
            assert operation(x, None) is (name == "not_equal")
        else:
            with pytest.raises(TypeMismatchError, match="NoneType is neither a tensor nor a number"):
                operation(x, None)
        for array in (np.ones(2), np.ones((2, 2))):
            for pair in ((x, array), (array, x)):
                with pytest.raises(TypeMismatchError, match="ndarray is neither a tensor nor a number"):
                    operation(*pair)
    for name, unary in UNARY.items():
        assert unary(x) == (name, x, None)
    assert x[1, ...] == ("__getitem__", x, (1, ...))
    x[0] = 5  # nothing else refers to the implementation's result


def test_operators_that_the_table_lacks() -> None:
    x = kind(3, {})
    for name, operation in BINARY.items():
        if name in ("equal", "not_equal"):
            assert operation(x, DENSE) is (name == "not_equal")
            continue
        for pair in ((x, DENSE), (DENSE, x), (x, 2), (x, x)):
            with pytest.raises(TypeError, match=r"(unsupported operand|not supported between)"):
                operation(*pair)
    with pytest.raises(TypeError):
        pow(x, 2, 3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


def bits(x: Any) -> Any:
    if isinstance(x, SparseTensor):
        return x.format, x.indices.tolist(), bits(x.values)
    if isinstance(x, QuantizedTensor):
        return bits(x.codes), bits(x.scale), x.zero_point, x.dtype
    return x.dtype, x.numpy().tobytes()


MATRIX = suanzi.tensor([[1.0, 0.0, 2.0], [0.0, -3.0, 0.0], [0.5, 0.0, 4.0]])
OPERANDS: list[Any] = [
    suanzi.to_sparse(MATRIX, "csr"),
    suanzi.to_sparse(MATRIX, "coo"),
    suanzi.to_sparse(MATRIX != 0, "coo"),
    suanzi.quantize(MATRIX, 0.25, dtype="qint8"),
    suanzi.quantize(MATRIX, 0.25, 3, dtype="quint8"),
]


@pytest.mark.parametrize("x", OPERANDS, ids=lambda x: str(x.dtype))
def test_operators_and_functions_take_one_way(x: Any) -> None:
    for name, operation in BINARY.items():
        for pair in ((x, x), (x, MATRIX), (MATRIX, x), (x, 2), (2, x)):
            try:
                expected = bits(getattr(suanzi, name)(*pair))
            except SuanziError as error:
                with pytest.raises(TypeError if isinstance(error, TypeMismatchError) else type(error)):
                    operation(*pair)
            else:
                assert bits(operation(*pair)) == expected
    for name, unary in UNARY.items():
        try:
            expected = bits(getattr(suanzi, name)(x))
        except SuanziError as error:
            with pytest.raises(type(error)):
                unary(x)
        else:
            assert bits(unary(x)) == expected


@pytest.mark.parametrize("x", OPERANDS[1:4:2], ids=["sparse", "quantized"])
def test_methods_are_those_of_dense_tensors_that_the_table_has(x: Any) -> None:
    def methods(cls: type[Any]) -> set[str]:
        return {name for name in PUBLIC if callable(getattr(cls, name, None))}

    assert methods(type(x)) - {"dequantize", "rank"} == methods(Tensor) & set(table_of(type(x)))
    assert bits(x.reshape(9, 1)) == bits(x.reshape((9, 1))) == bits(x.reshape(shape=(9, 1)))
    assert bits(x.transpose(1, 0)) == bits(x.transpose()) == bits(x.T) == bits(x.mT) == bits(suanzi.transpose(x))
    assert bits(x.flatten()) == bits(suanzi.flatten(x))
