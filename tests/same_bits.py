"""Hashes the results of every public function, so that two versions of Suanzi can be compared bit by bit.

python tests/same_bits.py > after          # one line for each case, at every SIMD level of the machine
python tests/same_bits.py --compare before after

A line has the level, the number of threads, the type, the shape, the layout, the expression, and the hash of the
result. The hash covers types, shapes, the order of the dimensions, strides and bytes, or the status and message of an
error. If a result has NaNs, a second hash follows in which all NaNs are alike, so that the comparison can tell whether
only the bits of NaNs differ. `same_bits_cases.py` has the expressions. Some functions call other libraries, whose
results depend on the machine. Make both files on the same machine.
"""

from __future__ import annotations

import argparse
import builtins
import copy
import hashlib
import importlib
import inspect
import operator
import os
import pickle
import re
import subprocess
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import prod
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

import suanzi
from same_bits_cases import BY_SIGNATURE, FLOATING, QUANTIZED, SPARSE, Group, groups
from suanzi import QuantizedTensor, SparseTensor, SuanziError, Tensor

Shape = tuple[int, ...]
NAMESPACES = {
    "": suanzi,
    "linalg.": suanzi.linalg,
    "fft.": suanzi.fft,
    "random.": suanzi.random,
    "extras.": suanzi.extras,
}


# --- operands ---


def drawn(salt: str, shape: Shape, name: str, values: str) -> Any:
    """Return an array that is the same in every run. "wild" values include NaN, infinities and very large numbers."""
    rng = np.random.Generator(np.random.PCG64(zlib.crc32(f"{salt} {shape} {name} {values}".encode())))
    size = prod(shape)
    if name == "bool":
        return (rng.random(size) < 0.5).reshape(shape)
    if name == "string":
        words = np.array(["", "a", "b", "ab", "算子", "a longer text that does not fit a short string", "z" * 20])
        return words[rng.integers(0, len(words), size)].reshape(shape)
    dtype = suanzi.as_dtype(name).numpy
    near = rng.integers(-9, 10, size)
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        wide = rng.integers(ends.min, ends.max, size, dtype, endpoint=True)
        small = (near if dtype.kind == "i" else abs(near)).astype(dtype)
        return np.where(rng.random(size) < (0.5 if values == "wild" else 0.0), wide, small).reshape(shape)
    return _floating(rng, near, name, values).astype(dtype).reshape(shape)


def _floating(rng: np.random.Generator, near: Any, name: str, values: str) -> Any:
    def real() -> Any:
        numbers = np.where(rng.random(near.size) < 0.2, near, rng.normal(0, 3, near.size))
        if values == "wild":
            exponents = {"float16": 14, "float64": 900, "complex128": 900}.get(name, 120)
            wide = np.ldexp(numbers, rng.integers(-exponents, exponents, near.size))
            numbers = np.where(rng.random(near.size) < 0.3, wide, numbers)
            special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 5e-324, 1e-45, 6e-8], near.size)
            numbers = np.where(rng.random(near.size) < 0.1, special, numbers)
        return numbers

    if not name.startswith("complex"):
        return real()
    result = np.empty(near.size, np.complex128)
    result.real, result.imag = real(), real()
    return result


def laid_out(array: Any, layout: str) -> Tensor:
    """Return a tensor of an array's elements in a layout. The layout "broadcast" repeats the first row."""
    if layout == "default" or array.ndim == 0:
        return suanzi.tensor(array)
    if layout == "ordered":
        return suanzi.tensor(array, layout=[*range(array.ndim)])
    if layout == "strided":
        return suanzi.tensor(np.repeat(np.stack([array, array[::-1]], -1), 2, 0))[::2, ..., 0]
    if layout == "reversed":
        backwards = (builtins.slice(None, None, -1),) * array.ndim
        return suanzi.tensor(np.ascontiguousarray(array[backwards]))[backwards]
    return suanzi.expand(suanzi.tensor(array[:1]), array.shape if array.shape[0] else array[:1].shape)


def sparse(array: Any, layout: str) -> Any:
    """Return a sparse tensor of some elements of an array. ``repeated`` lists some places twice, out of order."""
    rng = np.random.Generator(np.random.PCG64(array.size))
    kept = np.where(rng.random(array.shape) < 0.3, array, np.zeros((), array.dtype))
    if layout != "repeated":
        return suanzi.to_sparse(suanzi.tensor(kept), layout)
    places = np.argwhere(kept)[::-1]
    values = kept[tuple(places.T)]
    return suanzi.sparse_tensor(array.shape, np.r_[places, places[:3]], np.r_[values, values[:3]])


def quantized(salt: str, shape: Shape, name: str, layout: str) -> Any:
    storage = np.dtype(re.match(r"qu?int\d+|q?u?int\d+", name)[0].removeprefix("q"))  # type: ignore[index]
    codes = drawn(salt, shape, storage.name, "wild")
    channels = name.endswith("per_channel")
    symmetric = channels or name in ("qint8", "qint16")
    codes = np.maximum(codes, -np.iinfo(storage).max) if symmetric else codes
    scale: Any = 0.125 if salt == "x" else 0.3
    if channels:
        scale = np.linspace(0.1, 0.7, shape[0] if shape else 1, dtype=np.float32)
    return suanzi.quantized_tensor(
        shape,
        laid_out(codes, layout),
        scale=scale,
        zero_point=None if symmetric else 5,
        axis=0 if channels else None,
        dtype=name,
    )


class Operands(dict[str, Any]):
    """The operands that an expression may name, made at their first use. `same_bits_cases` describes the operands."""

    def __init__(self, shape: Shape, name: str, layout: str, values: str) -> None:
        super().__init__(S=shape, D=name, n=shape[0] if shape else 1)
        self.hashes: dict[str, str] = {}
        self.shape, self.name, self.layout, self.values_ = shape, name, layout, values

    def __missing__(self, key: str) -> Any:
        if key not in MAKERS:
            raise KeyError(key)
        self[key] = MAKERS[key](self, key)
        self.hashes[key] = hashed(self[key])
        return self[key]

    def changed(self) -> bool:
        """Return whether an expression has changed an operand.

        Later results would then depend on the order of expressions.
        """
        return any(hashed(self[key]) != before for key, before in self.hashes.items())

    def plain(self, key: str, shape: Shape) -> Any:
        """Return a drawn array of the case's type, or of float32 numbers for a quantized type."""
        return drawn(key, shape, "float32" if self.name in QUANTIZED else self.name, self.values_)


def _main(o: Operands, key: str) -> Any:
    if o.name in QUANTIZED:
        return quantized(key, o.shape, o.name, o.layout)
    array = o.plain(key, o.shape)
    return sparse(array, o.layout) if o.layout in SPARSE else laid_out(array, o.layout)


def _number(o: Operands, key: str) -> Any:
    if o.name == "string":
        return "ab"
    return True if o.name == "bool" else 3 if "int" in o.name and "q" not in o.name else 2.5


def _hermitian(o: Operands, key: str) -> Any:
    x = o.plain(key, o.shape)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        return o["x"]
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    made = wide @ np.conj(np.swapaxes(wide, -1, -2)) / max(1, x.shape[-1]) + np.eye(x.shape[-1])
    return laid_out(np.ascontiguousarray(made.astype(x.dtype)), o.layout)


def _coordinates(o: Operands, key: str) -> Any:
    columns = [_positions(f"{key}{axis}", 9, size) for axis, size in enumerate(o.shape)]
    return suanzi.tensor(np.stack(columns, -1) if columns else np.zeros((1, 0), np.int64))


def _positions(salt: str, count: int, limit: int) -> Any:
    rng = np.random.Generator(np.random.PCG64(zlib.crc32(f"{salt} {count} {limit}".encode())))
    return rng.integers(0, limit, count if limit else 0)


def _along(o: Operands, key: str) -> Any:
    return suanzi.tensor(_positions(key, prod(o.shape), (o.shape or (1,))[-1]).reshape(o.shape))


MAKERS: dict[str, Callable[[Operands, str], Any]] = {
    "x": _main,
    "y": _main,
    "w": _main,
    "e": lambda o, key: suanzi.tensor(o.plain(key, o.shape)),
    "v": lambda o, key: suanzi.tensor(o.plain(key, o.shape[-1:])),
    "s": lambda o, key: suanzi.tensor(o.plain(key, ())),
    "k": _number,
    "t": lambda o, key: suanzi.tensor(drawn(key, o.shape, "bool", "")),
    "i": lambda o, key: suanzi.tensor(np.random.Generator(np.random.PCG64(7)).permutation(o["n"])),
    "j": _along,
    "g": _coordinates,
    "h": _hermitian,
    "u": lambda o, key: suanzi.tensor(np.sort(o.plain(key, o.shape[-1:]))),
    "p": lambda o, key: suanzi.tensor(drawn(key, o.shape, "uint16", "wild") / np.float32(2**16)),
}


# --- further functions for the expressions ---


def into(function: Callable[..., Any], *operands: Any, **options: Any) -> Any:
    """Call a function with an `out`. Return whether the result is `out`, and `out` itself.

    A dense `out` has gaps in memory. An `out` of another kind is a copy of the first operand.
    """
    result = function(*operands, **options)
    if isinstance(result, Tensor):
        out: Any = suanzi.zeros((*result.shape, 2), dtype=result.dtype)[..., 0]
    else:
        out = copy.copy(operands[0])
    given = function(*operands, **options, out=out)
    return given is out, out


def in_place(symbol: str, x: Any, y: Any) -> Any:
    names = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow"}
    names |= {"&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift"}
    return getattr(operator, f"i{names[symbol]}")(copy.copy(x), y)


def stored(x: Any, key: Any, value: Any) -> Any:
    held = copy.copy(x)
    held[key] = value
    return held


def deleted(x: Any) -> Any:
    del x[0]


def destroyed(x: Any) -> Any:
    held = copy.copy(x)
    suanzi.destroy(held)
    return held


class Unset:
    """A tensor whose elements are not set and therefore not hashed."""

    def __init__(self, x: Tensor) -> None:
        self.x = x


def _helpers() -> dict[str, Any]:
    return {
        **{f.__name__: f for f in (into, in_place, stored, deleted, destroyed)},
        "unset": Unset,
        "slice_of": builtins.slice,
        "bool_of": builtins.bool,
        "complex_of": builtins.complex,
        "index_of": operator.index,
        "numpy_of": lambda x: x.numpy(),
        "array_of": lambda x: np.asarray(x),
        "dlpack_of": lambda x: (np.from_dlpack(x), x.__dlpack_device__()),
        "copied": copy.copy,
        "deeply_copied": copy.deepcopy,
        "pickled": lambda x: pickle.loads(pickle.dumps(x)),
        "sorted_names": builtins.sorted,
    }


# --- hashes ---


def short_hash(data: Any) -> bytes:
    return hashlib.sha1(data, usedforsecurity=False).digest()


class Digest:
    """Two hashes of a result: a hash of its bits, and a hash for which all NaNs are alike."""

    def __init__(self) -> None:
        self.bits, self.alike = hashlib.blake2b(digest_size=8), hashlib.blake2b(digest_size=8)
        self.has_nan = False

    def text(self, *parts: Any) -> None:
        data = repr(parts).encode()
        self.bits.update(data)
        self.alike.update(data)

    def array(self, x: Any) -> None:
        if x.dtype.kind in "OUST":
            self.text(x.tolist())
            return
        whole = np.ascontiguousarray(x).reshape(-1)
        bits = short_hash(whole.view(np.uint8))
        parts = whole.view(f"f{whole.itemsize // 2}") if whole.dtype.kind == "c" else whole
        floating = parts.dtype.kind == "f" or parts.dtype.name in FLOATING
        nan = np.isnan(parts) if floating else np.zeros(0, bool)
        self.bits.update(bits)
        if nan.any():
            self.has_nan = True
            bits = short_hash(np.where(nan, np.full((), np.nan, parts.dtype), parts).view(np.uint8))
        self.alike.update(bits)

    def result(self, x: Any) -> None:
        """Add any result of a function to the hashes."""
        if isinstance(x, Tensor):
            self.text("Tensor", str(x.dtype), x.shape, x.stride(), x.layout)
            self.array(x.numpy()) if x.dtype is not suanzi.string else self.text(x.tolist())
        elif isinstance(x, SparseTensor):
            self.text("SparseTensor", x.format, x.shape, x.is_coalesced, x.layout)
            for part in (x.indices, x.values, *((x.indptr,) if x.format == "csr" else ())):
                self.result(part)
        elif isinstance(x, QuantizedTensor):
            self.text("QuantizedTensor", str(x.dtype), x.zero_point, x.axis)
            self.result(x.codes)
            self.result(x.scale)
        elif isinstance(x, Unset):
            self.text("unset", str(x.x.dtype), x.x.shape, x.x.stride(), x.x.layout)
        elif isinstance(x, np.ndarray):
            self.text("array", x.dtype.name, x.shape, x.strides)
            self.array(x)
        elif isinstance(x, tuple | list):
            self.text(type(x).__name__, len(x))
            for part in x:
                self.result(part)
        elif isinstance(x, BaseException):
            self.text("error", type(x).__name__, getattr(x, "status", None), plain(str(x)))
        else:
            self.text(type(x).__name__, plain(repr(x)))

    def __str__(self) -> str:
        bits = self.bits.hexdigest()
        return f"{bits}\t{self.alike.hexdigest()}" if self.has_nan else bits


def plain(text: str) -> str:
    """Return the text without memory addresses."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text)


# --- cases ---


def public_names(module: Any) -> tuple[str, ...]:
    """Return the public names of a module. The function also works with older versions of Suanzi."""
    return tuple(dict.fromkeys((*module.__all__, *getattr(module, "_NAMES_OF_PYTHON", ()))))


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for prefix, module in NAMESPACES.items():
        for name in public_names(module):
            value = getattr(module, name)
            if inspect.isroutine(value):
                yield prefix + name, value


def shape_of_signature(function: Callable[..., Any]) -> str:
    """Return the signature of a function with `_` for each positional-only parameter, such as ``(_, _, *, out)``."""
    found = inspect.signature(function).parameters.values()
    operands = ["_" for p in found if p.kind is p.POSITIONAL_ONLY]
    others = [p.name for p in found if p.kind not in (p.POSITIONAL_ONLY, p.KEYWORD_ONLY)]
    named = [p.name for p in found if p.kind is p.KEYWORD_ONLY]
    return f"({', '.join([*operands, *others, *(['*'] if named else []), *named])})"


def by_signature() -> tuple[str, ...]:
    """Return the expressions for functions with common signatures."""
    return tuple(
        template.format(f=name)
        for name, function in public_functions()
        if "." not in name
        for template in BY_SIGNATURE.get(shape_of_signature(function), ())
    )


def all_groups() -> tuple[Group, ...]:
    return groups(by_signature())


@cache
def compiled(expression: str) -> CodeType:
    return compile(expression, expression, "eval")


def namespace() -> dict[str, Any]:
    names = {name: getattr(suanzi, name) for name in public_names(suanzi)}
    return {**names, **_helpers()}


def hashed(result: Any) -> str:
    """Return the text with the hashes of a result or an exception."""
    digest = Digest()
    try:
        digest.result(result)
    except SuanziError as error:  # a destroyed tensor cannot be read
        digest.result(error)
    return str(digest)


def evaluate(expression: str, known: dict[str, Any], operands: Mapping[str, Any]) -> str:
    try:
        result: Any = eval(compiled(expression), known, operands)
    except Exception as error:
        result = error
    return hashed(result)


def cases(group: Group) -> Iterator[tuple[str, str, Operands]]:
    """Yield the type and the shape as text, the layout, and the operands of each case of a group."""
    for shape in group.shapes:
        for name in group.types:
            for layout in group.layouts:
                if layout == "csr" and len(shape) != 2:
                    continue
                if layout not in ("default", *SPARSE) and not shape:
                    continue
                yield f"{name}\t{str(shape).replace(' ', '')}", layout, Operands(shape, name, layout, group.values)


def run_level(level: str, only: re.Pattern[str]) -> None:
    """Print the lines of the expressions that `only` matches, for the SIMD level at which this process runs."""
    known = namespace()
    np.seterr(all="ignore")
    written: set[str] = set()
    for group in all_groups():
        expressions = [e for e in group.expressions if only.search(e)]
        for place, layout, operands in cases(group):
            for expression in expressions:
                for threads in group.threads:
                    suanzi.set_num_threads(threads)
                    key = f"{level}\t{threads}\t{place}\t{layout} {group.values}\t{expression}"
                    if key not in written:
                        written.add(key)
                        print(f"{key}\t{evaluate(expression, known, operands)}")
            if operands.changed():
                raise SystemExit(f"an expression changes its operands: {place} {layout}")


def run(levels: list[str], only: str) -> int:
    """Run each SIMD level in its own process, two at a time. Print the lines. Return the first failed status, or 0."""

    def one(level: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, __file__, "--level", level, "--only", only]
        return subprocess.run(
            command, env={**os.environ, "SUANZI_SIMD": level}, stdout=subprocess.PIPE, text=True, check=False
        )

    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(one, levels):
            sys.stdout.write(done.stdout)
            if done.returncode:
                return done.returncode
    return 0


# --- comparison ---


def read(path: str) -> dict[str, list[str]]:
    found = {}
    for line in Path(path).read_text().splitlines():
        parts = line.split("\t")
        found["\t".join(parts[:6])] = parts[6:]
    return found


def function_of(key: str) -> str:
    """Return the name of the public function with which a key's expression begins, or otherwise the expression."""
    expression = key.split("\t")[-1]
    called = re.match(r"(?:into\()?((?:linalg\.|fft\.)?\w+)[(,]", expression)
    return called[1] if called and called[1] in dict(public_functions()) else expression


def differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, dict[str, list[str]]]:
    """Return the keys of the lines that differ, by function and by kind of difference."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for key in [*before, *(k for k in after if k not in before)]:
        if key not in before or key not in after:
            kind = "only before" if key in before else "only after"
        elif before[key][0] == after[key][0]:
            continue
        else:
            kind = "only in NaNs" if before[key][1:] and before[key][1:] == after[key][1:] else "differ"
        found[function_of(key)][kind].append(key)
    return found


def compare(paths: list[str], shown: int = 5) -> int:
    before, after = map(read, paths)
    found = differences(before, after)
    for function in sorted(found):
        for kind, keys in sorted(found[function].items()):
            print(f"{function}: {kind}: {len(keys)}")
            print(*(f"    {key}" for key in keys[:shown]), *(["    …"] if len(keys) > shown else []), sep="\n")
    count = sum(len(keys) for kinds in found.values() for keys in kinds.values())
    print(f"{len(before)} cases before, {len(after)} after, {count} differ")
    return int(count > 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--level", help="print the cases of this level, at which the process runs already")
    parser.add_argument("--only", default="", help="a regular expression that expressions must match")
    given = parser.parse_args()
    if given.compare:
        return compare(given.compare)
    if given.level:
        run_level(given.level, re.compile(given.only))
        return 0
    levels = importlib.import_module("suanzi._core").simd_levels()
    return run([*levels], given.only)


if __name__ == "__main__":
    sys.exit(main())
