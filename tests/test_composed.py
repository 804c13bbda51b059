"""Composed functions behave as one function for the caller, within `tile_shape` and when memory is short.

The tests make the calls of tests/calls.py on dense operands, and on sparse and quantized operands with the same
numbers.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import suanzi
from calls import CALLS, Call, Maker, square, vector
from suanzi import AllocFailedError, InvalidArgumentError, QuantizedTensor, SparseTensor, SuanziError, Tensor, memory
from suanzi.operators.registry import neural_records

pytestmark = pytest.mark.one_level

SIZE = 36  # elements, in 6 rows of 6
TILES: list[tuple[int, ...]] = [(3,), (2, 3), (1, 2, 3), (2**30,), (2**20, 2**20)]
# Numbers of bytes that a call may allocate: enough for no step, for a small result, or for some steps.
LEFT = (0, 300, 3_000, 30_000, 200_000)
LARGE = 2**14  # elements in the tests with little memory

# Functions whose results are random or have unspecified elements.
DRAWN = {"bernoulli", "empty", "empty_like", "multinomial", "normal", "normal_like", "randperm", "uniform"} | {
    "uniform_like"
}
# Calls that make arguments by other functions, and the names with which the errors may begin. The other functions may
# fail as well.
MADE_BY = {
    "clip": {"clip", "index"},
    "contiguous": {"contiguous", "transpose"},
    "dequantize": {"dequantize", "quantize"},
    "destroy": {"destroy", "index"},
    "interpolate": {"interpolate", "index"},
    "requantize": {"requantize", "quantize"},
    "reshape": {"reshape", "transpose"},
}
INDEXING = {"full_like", "masked_fill", "Tensor.item", "Tensor.tolist", "Tensor.__iter__", "Tensor.__repr__"}


def names(call: Call) -> set[str]:
    """Return the names with which an error of the call may begin."""
    name = call.function
    if name in MADE_BY:
        return MADE_BY[name]
    plain = name.removeprefix("Tensor.").strip("_")
    if plain in ("getitem", "setitem"):
        return {"index"}
    return {name, plain, plain.removeprefix("i"), *({"index"} if name in INDEXING else ())}


def of_kind(kind: str, make: Maker) -> Maker:
    """Return a function that makes the same operands as `make`, but converts float32 operands to a kind of tensor."""

    def made(size: int) -> Any:
        x = make(size)
        if kind == "dense" or x.dtype is not suanzi.float32:
            return x
        return suanzi.quantize(x, 0.01, dtype="qint8") if kind == "quantized" else suanzi.to_sparse(x)

    return made


def calls_of(kind: str) -> list[Call]:
    """Return all calls, with operands converted to a kind. Other kinds than "dense" omit calls without operands."""
    if kind == "dense":
        return list(CALLS)
    return [
        Call(call.name, tuple(of_kind(kind, make) for make in call.makers), call.run) for call in CALLS if call.makers
    ]


def outcome(call: Call, size: int = SIZE) -> Any:
    """Return a call's result and operands in the form of `plain`, its error, or None if the kind lacks the method."""
    try:
        operands = call.operands(size)
    except SuanziError as error:  # tensors of the kind do not export numbers
        return error
    with suanzi.tile_shape(*_inside) if _inside else _nothing():
        try:
            result = call.bound(operands, size)()
        except SuanziError as error:
            return error
        except AttributeError:  # this kind lacks the method
            return None
    return plain((result, operands), call.function in DRAWN)


_inside: tuple[int, ...] = ()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def plain(x: Any, shapes: bool = False) -> Any:
    """Return a value in a form that can be compared. With `shapes`, arrays are replaced by their shapes and types."""
    if isinstance(x, list | tuple):
        return [plain(item, shapes) for item in x]
    if isinstance(x, Tensor) and suanzi._core.is_destroyed(x):
        return None
    if isinstance(x, SparseTensor):
        return plain((x.shape, x.to_dense()), shapes)
    if isinstance(x, QuantizedTensor):
        return plain((x.codes, x.scale, x.zero_point), shapes)
    if isinstance(x, Tensor):
        x = x.numpy()
    if isinstance(x, np.ndarray):
        return (x.shape, x.dtype) if shapes else (x.shape, x.dtype, x.tobytes())
    return repr(x)


@pytest.mark.parametrize("kind", ["dense", "sparse", "quantized"])
def test_inside_a_tile_shape(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a tile shape, a call returns the same result as outside, or an error begins with the function's name."""
    wrong = []
    for call in calls_of(kind):
        monkeypatch.setitem(globals(), "_inside", ())
        wanted = outcome(call)
        for tile in TILES:
            monkeypatch.setitem(globals(), "_inside", tile)
            found = outcome(call)
            if isinstance(found, SuanziError):
                begins, _, rest = str(found).partition(": ")
                refused = isinstance(found, InvalidArgumentError) and re.match(r"(the|a) tile", rest)
                as_outside = isinstance(wanted, SuanziError) and str(wanted) == str(found)
                if not as_outside and not (refused and begins in names(call)):
                    wrong.append(f"{call.name} in {tile}: {found!r}")
            elif isinstance(wanted, SuanziError) or found != wanted:
                wrong.append(f"{call.name} in {tile}: {wanted!r} outside")
    assert not wrong, "\n".join(wrong)


def test_what_refuses_are_operators_that_walk_in_tiles() -> None:
    """Only operators that walk in tiles refuse a tile shape of four dimensions.

    Composed functions accept the tile shape.
    """
    refusing = set()
    for call in CALLS:
        with suanzi.tile_shape(1, 2, 3, 4):
            try:
                call.bound(call.operands(SIZE), SIZE)()
            except InvalidArgumentError as error:
                if "the tile shape" in str(error):
                    refusing.add(call.function)
    public = {name for name, _, _ in suanzi._core.operations}
    gathers = {"gather", "index_select", "take", "Tensor.__add__", "Tensor.__iadd__"}
    assert refusing <= public | gathers | {"divide", "clip"}
    assert {"add", "exp", "where", "take"} <= refusing


@contextmanager
def only(left: int) -> Iterator[None]:
    """Allow only `left` further bytes of allocation within the context."""
    memory.release()
    memory.set_limit(memory.statistics()["in_use"] + left)
    try:
        yield
    finally:
        memory.set_limit(0)


def failures(run: Callable[[], Any], allowed: set[str]) -> Iterator[str]:
    """Run a call with several limits of memory, and yield the errors that do not begin with an allowed name."""
    for left in LEFT:
        with only(left):
            try:
                run()
            except AllocFailedError as error:
                if str(error).partition(": ")[0] not in allowed:
                    yield f"{left} bytes left: {error!r}"
            except AttributeError:  # operands of this kind lack the method
                pass
            except SuanziError as error:
                if str(error).partition(": ")[0] not in allowed:
                    yield repr(error)


@pytest.mark.parametrize("kind", ["dense", "sparse", "quantized"])
def test_an_error_for_want_of_memory_names_the_call(kind: str) -> None:
    wrong, short = [], 0
    for call in calls_of(kind):
        size = min(LARGE, call.largest)
        try:
            operands = call.operands(size)
        except SuanziError:
            continue
        wrong += [f"{call.name}: {failure}" for failure in failures(call.bound(operands, size), names(call))]
        with only(0):
            short += isinstance(suanzi.attempt(call.bound(operands, size))[1], AllocFailedError)
    assert not wrong, "\n".join(wrong)
    assert short > 50


EXTRAS = [name for name in suanzi.extras.__all__ if callable(getattr(suanzi.extras, name)) and name != "Histogram"]
GIVEN: dict[str, Callable[[Tensor], tuple[Any, ...]]] = {
    "bincount": lambda x: (suanzi.astype(x * 100, "int64"),),
    "hstack": lambda x: ([x, x],),
    "vstack": lambda x: ([x, x],),
    "kron": lambda x: (x[:64], x[:64]),
    "quantile": lambda x: (x, 0.5),
    "nanquantile": lambda x: (x, 0.5),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_extras(name: str) -> None:
    """Functions of suanzi.extras return the same results within a tile shape as outside.

    If memory is short, the error begins with the function's name.
    """
    function = getattr(suanzi.extras, name)
    given = GIVEN.get(name, lambda x: (x,))(square(LARGE) if name in ("cov", "corrcoef") else vector(LARGE))
    names = {name, *(record.name for record in neural_records() if record.called == name)}
    assert list(failures(lambda: function(*given), names)) == []
    wanted = plain(function(*given))
    for tile in TILES:
        with suanzi.tile_shape(*tile):
            assert plain(function(*given)) == wanted


DRAWS: dict[str, Callable[[Any], Any]] = {
    "uniform": lambda rng: rng.uniform((4, 500)),
    "normal": lambda rng: rng.normal((4, 500)),
    "integers": lambda rng: rng.integers((4, 500), 0, 9),
    "permutation": lambda rng: rng.permutation(suanzi.zeros((500, 4))),
    "choice": lambda rng: rng.choice(suanzi.zeros((500, 4)), (3, 100)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws(name: str) -> None:
    call = DRAWS[name]
    names_of = {name, "zeros"}
    assert list(failures(lambda: call(suanzi.random.Generator(7)), names_of)) == []
    wanted = plain(call(suanzi.random.Generator(7)))
    for tile in TILES:
        with suanzi.tile_shape(*tile):
            assert plain(call(suanzi.random.Generator(7))) == wanted


def test_functions_of_numpy_and_of_python() -> None:
    """NumPy's and Python's functions of tensors return the same results within a tile shape as outside."""
    x = square(SIZE)
    calls: list[Callable[[], Any]] = [
        lambda: np.average(x),
        lambda: np.add(x, x),
        lambda: np.trace(x),
        lambda: np.linalg.norm(x),
        lambda: divmod(x, 0.3),
        lambda: x[0, 0].item() in x,
        lambda: suanzi.random.default_rng(7).laplace(x, 2.0),
        lambda: suanzi.array_api.isin(x, x[0]),
    ]
    for call, tile in itertools.product(calls, TILES):
        wanted = plain(call())
        with suanzi.tile_shape(*tile):
            found = suanzi.attempt(call)[1]
        assert isinstance(found, SuanziError) is False, found
        assert plain(found) == wanted


@pytest.mark.parametrize(
    ("call", "begins"),
    [
        (lambda x: suanzi.from_dlpack(x, copy=True), {"from_dlpack"}),
        (lambda x: x.ravel("F"), {"ravel"}),
        (lambda x: x.reshape((-1,), order="F"), {"reshape"}),
        (lambda x: x[[1, 2, 3]], {"index"}),
        (lambda x: divmod(x, x), {"divmod"}),
        (lambda x: suanzi.array_api.linalg.trace(x), {"trace"}),
        (lambda x: suanzi.quantize(x, 0.5), {"quantize"}),
        (lambda x: suanzi.einsum("ij,jk,kl", x, x, x), {"einsum"}),
    ],
)
def test_other_ways_to_call(call: Callable[[Tensor], Any], begins: set[str]) -> None:
    x = square(LARGE)
    assert list(failures(lambda: call(x), begins)) == []


QUANTIZED = suanzi.quantized_tensor(3, [1.0, 2.0, 3.0])


class LiesAboutItsLength:
    """A sequence whose length is wrong. The object is also an integer, so that the object can be an axis."""

    def __len__(self) -> int:
        return 5

    def __index__(self) -> int:
        return 0


def gone() -> Any:
    x = suanzi.to_sparse(suanzi.ones(3))
    suanzi.destroy(x)
    return x


@pytest.mark.parametrize(
    ("call", "begins"),
    [
        (lambda: suanzi.tensor(suanzi.to_sparse(suanzi.ones(3))), "tensor"),
        (lambda: suanzi.extras.nansum(suanzi.ones(3), axis=7), "nansum"),
        (lambda: suanzi.extras.nanmean(suanzi.ones(3), axis=7), "nanmean"),
        (lambda: suanzi.extras.nanvar(suanzi.ones(3), axis=7), "nanvar"),
        (lambda: suanzi.extras.median(suanzi.ones(3), axis=7), "median"),
        (lambda: suanzi.extras.diff(suanzi.ones(3), prepend=suanzi.ones((2, 2))), "diff"),
        (lambda: suanzi.extras.kron(suanzi.ones((1,) * 40), suanzi.ones((1,) * 40)), "kron"),
        (lambda: suanzi.extras.kron(suanzi.ones(2), suanzi.tensor(["a"])), "kron"),
        (lambda: suanzi.flatten(suanzi.sparse_tensor((2**40, 2**40), [[0, 1]], [1.0])), "flatten"),
        (lambda: suanzi.sum(suanzi.ones(3), axis=suanzi.ones(3)), "sum"),
        (lambda: suanzi.reshape(suanzi.ones(3), suanzi.ones((3, 3))), "reshape"),
        (lambda: suanzi.sum(suanzi.ones(3), keepdims=suanzi.ones(3)), "sum"),
        (lambda: suanzi.ones(3)[[[1], ["a"]]], "index"),
        (lambda: suanzi.quantized_tensor(3, [1.0, 2.0, 3.0])[["a"]], "index"),
        (lambda: suanzi.stack([], QUANTIZED), "stack"),
        (lambda: suanzi.concat([], QUANTIZED), "concat"),
        (lambda: suanzi.stack([], suanzi.to_sparse(suanzi.ones(3))), "stack"),
        (lambda: suanzi.concat([], suanzi.to_sparse(suanzi.ones(3))), "concat"),
        (lambda: suanzi.expand_dims(suanzi.to_sparse(suanzi.ones(3)), LiesAboutItsLength()), "expand_dims"),
        (lambda: suanzi.rank(gone()), "rank"),
        (lambda: suanzi.memory.set_limit("a"), "set_limit"),
        (lambda: suanzi.random.seed("a"), "seed"),
    ],
)
def test_an_error_begins_with_what_was_called(call: Callable[[], Any], begins: str) -> None:
    with pytest.raises(SuanziError, match=rf"^{begins}: "):
        call()
