"""Random calls of every function with random arguments. test_bad_input.py runs this script in a separate process.

    python tests/fuzzing.py SEED [CALLS]
    python tests/fuzzing.py --open N

A seed produces the same calls on every Python and with any packages installed. The functions come from the records and
the lists below, in a fixed order. The random numbers come from a generator in this file. CI runs a few fixed seeds.
`--open` requests N random seeds from the system, runs each seed in a separate process, and prints the seeds that fail.

The exit status is 0 if every call returned or raised an ordinary exception, and every error of a public function began
with the function's name.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import gc
import inspect
import os
import secrets
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

import suanzi
import suanzi.nn  # for the records of suanzi.nn
from suanzi import QuantizedTensor, Tensor, _core, memory
from suanzi.operators.registry import neural_records, records
from suanzi.quantized import QUANTIZED_TYPES
from suanzi.tensor.dtypes import NUMBERS

Value = TypeVar("Value")

# Public functions without a record. The fuzzer calls all functions of the modules in LISTING, and the functions in
# OTHERS.
LISTING = ("array_api", "extras", "random")
OTHERS = (
    *("Device", "Layout", "QuantizedTensor", "SparseTensor", "Tensor", "as_dtype", "attempt", "from_dlpack", "fuse"),
    *("get_num_threads", "get_printoptions", "load", "set_num_threads", "tile_shape"),
    *("memory.release", "memory.set_cache_limit", "memory.set_limit", "memory.statistics"),
)
# Functions that call other functions for the caller. The errors of these functions may begin with the name of the other
# function.
SPEAKS_FOR_OTHERS = {"as_dtype", "attempt", "fuse"}
# The methods of generators, and the methods of tensors that are not operators. The list lacks `spawn`, because `spawn`
# makes as many generators as the argument states, which may take hours.
GENERATORS = {
    "Generator": (
        *("bernoulli", "choice", "integers", "multinomial", "normal", "permutation", "randperm", "shuffle"),
        "uniform",
    ),
    "default_rng": (
        *("binomial", "choice", "exponential", "gumbel", "integers", "laplace", "multinomial", "normal", "pareto"),
        *("permutation", "shuffle", "triangular", "uniform"),
    ),
}
UNARY_SLOTS = (
    *("__abs__", "__array_namespace__", "__bool__", "__complex__", "__copy__", "__dask_tokenize__", "__dlpack__"),
    *("__dlpack_device__", "__float__", "__index__", "__int__", "__invert__", "__iter__", "__len__", "__neg__"),
    *("__pos__", "__repr__", "__str__", "conjugate", "copy", "item", "numpy", "ravel", "stride", "to_numpy", "tolist"),
)
BINARY_SLOTS = (
    *("__add__", "__and__", "__array__", "__contains__", "__deepcopy__", "__delitem__", "__divmod__", "__eq__"),
    *("__floordiv__", "__format__", "__ge__", "__getitem__", "__gt__", "__iadd__", "__iand__", "__ifloordiv__"),
    *("__ilshift__", "__imatmul__", "__imod__", "__imul__", "__ior__", "__ipow__", "__irshift__", "__isub__"),
    *(
        "__itruediv__",
        "__ixor__",
        "__le__",
        "__lshift__",
        "__lt__",
        "__matmul__",
        "__mod__",
        "__mul__",
        "__ne__",
        "__or__",
        "__pow__",
    ),
    *("__radd__", "__rand__", "__rdivmod__", "__reduce_ex__", "__rfloordiv__", "__rlshift__", "__rmatmul__"),
    *(
        "__rmod__",
        "__rmul__",
        "__ror__",
        "__round__",
        "__rpow__",
        "__rrshift__",
        "__rshift__",
        "__rsub__",
        "__rtruediv__",
    ),
    *("__rxor__", "__sub__", "__truediv__", "__xor__", "cumsum", "to_device", "view"),
)
TERNARY_SLOTS = ("__setitem__",)
ATTRIBUTES = (
    *(
        "T",
        "allocator",
        "data",
        "device",
        "dim",
        "dtype",
        "flags",
        "flat",
        "imag",
        "itemsize",
        "layout",
        "mT",
        "metadata",
        "nbytes",
        "ndim",
    ),
    *("real", "shape", "size", "strides", "tobytes"),
)
# Functions of the core that the fuzzer does not call. `reference` trusts the address that its caller passes. Only the
# package calls the other functions of this set.
TRUSTING = {"reference", "register", "register_blas", "register_devices", "register_kind", "set_default_device"}
# The exceptions that a call may raise. Any other exception means that Suanzi did not foresee the failure. Python itself
# raises TypeError for wrong signatures and types, and ValueError and OverflowError for numbers that Python cannot
# convert.
FORESEEN = (
    suanzi.SuanziError,
    TypeError,
    ValueError,
    OverflowError,
    AttributeError,
    StopIteration,
    BufferError,
    OSError,
)
CALLS = 8000  # calls per seed
LARGEST = 1000  # the greatest number of elements of a tensor that the script keeps for later calls
LIMIT = 2**26  # bytes of memory for the calls
OPTIONS = ["out", "axis", "dtype", "shape", "layout", "keepdims", "mode"]
TILES: list[tuple[int, ...] | None] = [None, None, (3,), (2, 2), (1, 2, 3)]


class Draws:
    """The generator SplitMix64, which draws the same numbers on every version of Python, unlike Python's `random`."""

    def __init__(self, seed: int) -> None:
        self.state = seed % 2**64

    def word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return self.word() % n

    def choice(self, values: Sequence[Value]) -> Value:
        return values[self.below(len(values))]

    def sample(self, values: Sequence[Value], count: int) -> list[Value]:
        left = list(values)
        return [left.pop(self.below(len(left))) for _ in range(count)]


class Odd:
    """An object that acts as a number and as a sequence, and destroys a given tensor during any conversion."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def _destroy(self) -> None:
        codes = self.x.codes if isinstance(self.x, QuantizedTensor) else self.x
        if isinstance(codes, Tensor) and not _core.is_destroyed(codes):
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


class Callee(NamedTuple):
    """A callable: the name to print, the number of arguments, and the beginning of Suanzi's errors (may be empty)."""

    name: str
    function: Callable[..., Any]
    arity: int
    begins: str = ""


def needed(function: Callable[..., Any]) -> int:
    """Return the number of arguments that a Python function requires, or 1 for a class."""
    if isinstance(function, type):
        return 1
    parameters = inspect.signature(function).parameters.values()
    return sum(p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD for p in parameters)


def of_core(name: str, arities: dict[str, int]) -> int:
    """Return a builtin's number of arguments, which `arities` or the builtin's signature states."""
    if name in arities:
        return arities[name]
    inside = (getattr(_core, name).__doc__ or "(x, y, /)").partition(" -> ")[0].strip("()")
    depth, count = 0, 1 if inside else 0
    for character in inside.removesuffix(", /"):
        depth += (character in "[(") - (character in "])")
        count += character == "," and depth == 0
    return count


def callees() -> list[Callee]:
    """Return public functions, methods and slots of Tensor and generators, and native functions, in a fixed order."""
    named = {record.name: record.function for record in (*records(), *neural_records())}
    found = [Callee(name, f, needed(f), f"{name}: ") for name, f in sorted(named.items())]
    for module in LISTING:
        offered = getattr(suanzi, module)
        for name in sorted(offered.__all__):
            function, whole = getattr(offered, name), f"{module}.{name}"
            if callable(function) and not isinstance(function, type) and function not in named.values():
                begins = "" if whole in SPEAKS_FOR_OTHERS else f"{name}: "
                found.append(Callee(whole, function, needed(function), begins))
    for name in OTHERS:
        function = attrgetter(name)(suanzi)
        is_function = not isinstance(function, type) and name not in SPEAKS_FOR_OTHERS
        found.append(Callee(name, function, needed(function), f"{name.split('.')[-1]}: " if is_function else ""))
    for kind, methods in GENERATORS.items():
        generator = getattr(suanzi.random, kind)(1)
        for name in methods:
            method = getattr(generator, name)
            found.append(Callee(f"{kind}.{name}", method, needed(method), f"{name}: "))
    arities = {name: arity for name, arity, _ in _core.operations}
    arities |= {
        r.core.__name__: len(inspect.signature(r.function).parameters)
        for r in (*records(), *neural_records())
        if r.core
    }
    natives = sorted(name for name, f in vars(_core).items() if callable(f) and not isinstance(f, type))
    found += [Callee(f"_core.{n}", getattr(_core, n), of_core(n, arities)) for n in natives if n not in TRUSTING]
    for arity, slots in enumerate((UNARY_SLOTS, BINARY_SLOTS, TERNARY_SLOTS), start=1):
        found += [Callee(f"Tensor.{name}", getattr(Tensor, name), arity) for name in slots]
    found += [Callee(f"Tensor.{name}", attrgetter(name), 1) for name in ATTRIBUTES]
    return found


class Fuzzer:
    def __init__(self, seed: int) -> None:
        self.draws = Draws(seed)
        self.callees = callees()
        self.tensors: list[Any] = []
        self.seen: collections.Counter[str] = collections.Counter()

    def refill(self) -> None:
        """Replace the tensors by tensors of every type, tensors of odd shapes and layouts, and a destroyed tensor."""
        made: list[Any] = [suanzi.tensor(np.arange(6).reshape(2, 3) % 2, dtype=dtype) for dtype in NUMBERS]
        x = made[11]
        texts = suanzi.tensor([["a", "算子", ""], ["b\0", "😀" * 50, "a"]])
        made += [texts, texts.T, texts[::-1, ::2], suanzi.zeros((2, 0), dtype="string")]
        made += [x.T, x[::-1, ::2], suanzi.zeros(()), suanzi.zeros((2, 0, 3)), suanzi.expand(x, (2, 2, 3))]
        made += [suanzi.ones((1,) * 64), suanzi.from_reference(bytes(24), dtype="float32"), suanzi.zeros((2**62, 0))]
        made += [suanzi.quantized_tensor((2, 3), np.arange(6.0), dtype=kind) for kind in QUANTIZED_TYPES]
        made += [suanzi.to_sparse(x), suanzi.to_sparse(x, format="csr")]
        made.append(suanzi.zeros(3))
        made[-1].destroy()
        self.tensors = made

    def number(self) -> Any:
        return self.draws.choice(
            [0, 1, -1, 2, 3, -2, 5, 63, 64, 65, 2**31, -(2**31), 2**40, 2**62, 2**63 - 1, -(2**63), 2**63]
        )

    def value(self, depth: int = 0) -> Any:
        pick = self.draws.choice
        kind = self.draws.below(14)
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
        values = [self.value(depth + 1) for _ in range(self.draws.below(5))]
        return pick([tuple, list])(values)

    def call(self) -> None:
        callee = self.draws.choice(self.callees)
        count = callee.arity + self.draws.choice([0, 0, 0, 0, 0, 0, 1, 2, -1])
        arguments = [self.value() for _ in range(count)]
        if arguments and self.draws.below(5) < 4:
            arguments[0] = self.draws.choice(self.tensors)
        names = self.draws.sample(OPTIONS, self.draws.choice([0, 0, 0, 1, 2]))
        self.described = callee.name
        try:
            result = callee.function(*arguments, **{name: self.value() for name in names})
        except FORESEEN as error:
            self.seen[type(error).__name__] += 1
            is_ours = isinstance(error, suanzi.SuanziError)
            if is_ours and callee.begins and not str(error).startswith(callee.begins):
                raise AssertionError(f"{callee.begins}{error!r}") from error
        except RuntimeError as error:
            if "neither" not in str(error):  # the message of an `Odd` object
                raise
        else:
            self.seen["success"] += 1
            self.keep(result)
        finally:  # a builtin that only the package uses may have set a mode
            _core.set_tracing(False)
            _core.set_carrying_out(False)

    def keep(self, result: Any) -> None:
        """Keep a result for later calls if the result is a small tensor."""
        codes = result.codes if isinstance(result, QuantizedTensor) else result
        if isinstance(codes, Tensor) and not _core.is_destroyed(codes) and codes.size <= LARGEST:
            with contextlib.suppress(suanzi.AllocFailedError):  # `repr` may need more memory than the limit allows
                repr(result)
            self.tensors.append(result)

    def run(self, calls: int) -> None:
        for i in range(calls):
            if i % 200 == 0:
                memory.set_limit(0)
                _core.set_tile_shape(None)
                self.refill()
                memory.set_limit(LIMIT)
                suanzi.set_num_threads(2)
                _core.set_tile_shape(self.draws.choice(TILES))
            try:
                self.call()
            except BaseException:
                print(f"call {i} is of {self.described}", file=sys.stderr)
                raise
        gc.collect()


def run_open(seeds: int) -> int:
    """Run seeds that the system draws, each seed in a separate process. Return 1 if a seed fails, or else 0."""
    failed = 0
    environment = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    for _ in range(seeds):
        seed = secrets.randbits(63)
        command = [sys.executable, str(Path(__file__)), str(seed), str(CALLS)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            failed += 1
            print(f"seed {seed}: exit status {done.returncode}\n{done.stderr[-2000:]}", flush=True)
    print(f"{seeds} seeds of {CALLS} calls: {failed} fail")
    return min(failed, 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", nargs="?", type=int, help="any number")
    parser.add_argument("calls", nargs="?", type=int, default=CALLS)
    parser.add_argument("--open", type=int, metavar="N", help="so many seeds of the system's")
    options = parser.parse_args()
    if options.open:
        return run_open(options.open)
    if options.seed is None:
        parser.error("a seed, or --open N")
    warnings.simplefilter("ignore")
    fuzzer = Fuzzer(options.seed)
    fuzzer.run(options.calls)
    print(dict(fuzzer.seen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
