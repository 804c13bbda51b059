"""Calls everything that can be called with whatever comes to mind; run by test_bad_input in a process of its own.

python tests/fuzzing.py seed calls: the exit status is 0 where every call returned or raised an ordinary exception.
"""

from __future__ import annotations

import collections
import contextlib
import gc
import inspect
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import suanzi
from suanzi import QuantizedTensor, Tensor, _core, memory
from suanzi.operators.registry import records
from suanzi.quantized import QUANTIZED_TYPES
from suanzi.tensor.dtypes import NUMBERS

# `reference` trusts its caller with an address and `register` and `register_blas` are for the package alone.
TRUSTING = {"reference", "register", "register_blas"}
# Anything else means that a failure was not foreseen. Python itself raises TypeError for a wrong signature and its
# like, and ValueError and OverflowError for numbers that it cannot convert.
FORESEEN = (suanzi.SuanziError, TypeError, ValueError, OverflowError, AttributeError, StopIteration, BufferError)
LARGEST = 1000  # elements of a tensor that is kept for later calls
LIMIT = 2**26  # bytes
OPTIONS = ["out", "axis", "dtype", "shape", "layout", "keepdims", "mode"]


class Odd:
    """Pretends to be a number and a sequence, and destroys the tensor that it knows when asked for either."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def _destroy(self) -> None:
        codes = self.x.codes if isinstance(self.x, QuantizedTensor) else self.x
        if not _core.is_destroyed(codes):
            codes.destroy()

    def __index__(self) -> int:
        self._destroy()
        return 1

    def __len__(self) -> int:
        self._destroy()
        return 2

    def __getitem__(self, i: int) -> int:
        self._destroy()
        if i > 2:
            raise IndexError
        return i

    def __float__(self) -> float:
        self._destroy()
        return 1.5

    def __bool__(self) -> bool:
        raise RuntimeError("neither")


def functions() -> list[Callable[..., Any]]:
    """Public functions, methods and slots of Tensor, native functions."""
    public = [getattr(suanzi, name) for name in suanzi.__all__]
    public += [getattr(suanzi.fft, name) for name in suanzi.fft.__all__]
    public += [getattr(memory, name) for name in ("set_limit", "set_cache_limit", "release", "statistics")]
    native = [f for name, f in vars(_core).items() if callable(f) and name not in TRUSTING and f is not Tensor]
    slots = [getattr(Tensor, name) for name in dir(Tensor) if callable(getattr(Tensor, name))]
    getters = [descriptor.__get__ for descriptor in vars(Tensor).values() if hasattr(descriptor, "__get__")]
    skipped = {"__class__", "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__getattribute__"}
    slots = [f for f in slots if getattr(f, "__name__", "") not in skipped]
    plain = [f for f in public if callable(f) and not (isinstance(f, type) and issubclass(f, BaseException))]
    return [*plain, *native, *slots, *getters]


def arity(function: Callable[..., Any]) -> int:
    """How many arguments it needs, as far as can be told."""
    name = getattr(function, "__name__", "")
    if name in _ARITY and getattr(function, "__module__", None) != "builtins":
        return _ARITY[name]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    return sum(p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD for p in parameters)


_NAMES = {r.function: (f"{r.name}: ",) for r in records()}
# The allocator, and what Python asks a tensor that is given for a number, an option or a list.
_SPEAK_ALONE = tuple(f"{name}: " for name in ("allocate", "index", "bool", "len", "iter", "equal", "item"))
_ARITY = {name: arity for name, arity, _ in _core.operations}


class Fuzzer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.functions = functions()
        self.tensors: list[Any] = []
        self.seen: collections.Counter[str] = collections.Counter()

    def refill(self) -> None:
        """Tensors of every type and of odd shapes and layouts, a destroyed one among them."""
        made: list[Any] = [suanzi.tensor(np.arange(6).reshape(2, 3) % 2, dtype=dtype) for dtype in NUMBERS]
        x = made[11]
        texts = suanzi.tensor([["a", "算子", ""], ["b\0", "😀" * 50, "a"]])
        made += [texts, texts.T, texts[::-1, ::2], suanzi.zeros((2, 0), dtype="string")]
        made += [x.T, x[::-1, ::2], suanzi.zeros(()), suanzi.zeros((2, 0, 3)), suanzi.expand(x, (2, 2, 3))]
        made += [suanzi.ones((1,) * 64), suanzi.from_reference(bytes(24), dtype="float32"), suanzi.zeros((2**62, 0))]
        made += [suanzi.quantized_tensor((2, 3), np.arange(6.0), dtype=kind) for kind in QUANTIZED_TYPES]
        made.append(suanzi.zeros(3))
        made[-1].destroy()
        self.tensors = made

    def number(self) -> Any:
        pick = self.random.choice
        return pick([0, 1, -1, 2, 3, -2, 5, 63, 64, 65, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63), 2**63])

    def value(self, depth: int = 0) -> Any:
        pick = self.random.choice
        kind = self.random.randrange(14)
        if kind < 5:
            return pick(self.tensors)
        if kind < 7:
            return self.number()
        if kind == 7:
            return pick(
                [2**64, 2**70, -(2**70), 10**400, 0.5, -0.0, 1e300, float("nan"), float("inf"), 1j, True, False]
            )
        if kind == 8:
            return pick(
                [None, ..., "a", "", "sum", "float32", b"abc", "cpu", "half_even", object(), int, len, "\0", "\ud800"]
            )
        if kind == 9:
            return pick(
                [
                    suanzi.int8,
                    suanzi.bfloat16,
                    suanzi.complex64,
                    suanzi.string,
                    np.float32,
                    np.dtype("M8[s]"),
                    suanzi.Layout(),
                ]
            )
        if kind == 10:
            return slice(*(pick([None, self.number(), "a", Odd(pick(self.tensors))]) for _ in range(3)))
        if kind == 11:
            return pick(
                [np.zeros(2), np.float64(1), np.array([object()]), np.array("a"), np.zeros((2, 3))[::-1], bytearray(8)]
            )
        if kind == 12:
            return Odd(pick(self.tensors))
        if depth > 2:
            return ()
        values = [self.value(depth + 1) for _ in range(self.random.randrange(5))]
        return pick([tuple, list])(values)

    def call(self) -> None:
        function = self.random.choice(self.functions)
        count = arity(function) + self.random.choice([0, 0, 0, 0, 0, 0, 1, 2, -1])
        arguments = [self.value() for _ in range(count)]
        if arguments and self.random.random() < 0.8:
            arguments[0] = self.random.choice(self.tensors)
        names = self.random.sample(OPTIONS, self.random.choice([0, 0, 0, 1, 2]))
        try:
            result = function(*arguments, **{name: self.value() for name in names})
        except FORESEEN as error:
            self.seen[type(error).__name__] += 1
            self.check_name(function, error)
        except RuntimeError as error:
            if "neither" not in str(error):  # of Odd
                raise
        else:
            self.seen["success"] += 1
            codes = result.codes if isinstance(result, QuantizedTensor) else result
            if isinstance(codes, Tensor) and not _core.is_destroyed(codes) and codes.size <= LARGEST:
                with contextlib.suppress(suanzi.AllocFailedError):  # the limit may be low
                    repr(result)
                self.tensors.append(result)

    def check_name(self, function: Callable[..., Any], error: Exception) -> None:
        """The message of a public function begins with its name, but for a tensor that is destroyed in its midst."""
        names = _NAMES.get(function)
        if not names or not isinstance(error, suanzi.SuanziError) or isinstance(error, suanzi.UninitializedObjectError):
            return
        if not str(error).startswith((*names, *_SPEAK_ALONE)):
            raise AssertionError(f"{names[0]}{error}")

    def run(self, calls: int) -> None:
        for i in range(calls):
            if i % 200 == 0:
                memory.set_limit(0)
                self.refill()
                memory.set_limit(LIMIT)
                suanzi.set_num_threads(2)
            self.call()
        gc.collect()


def main() -> int:
    warnings.simplefilter("ignore")
    fuzzer = Fuzzer(int(sys.argv[1]))
    fuzzer.run(int(sys.argv[2]))
    print(dict(fuzzer.seen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
