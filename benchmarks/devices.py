"""Tests and times a device: errors, the kit, hashes, small calls, bandwidth, fused programs, products, accuracy.

``python benchmarks/devices.py --device gpu:0 --out DIR`` takes at most nine minutes on a GPU of a server. Each part is
a process with its own time limit. A part writes its results into ``DIR/PART.json`` one by one, so that an interrupted
run keeps its results. ``DIR/tables.md`` has the results of all parts as tables. For a rehearsal without a device, run
``SUANZI_GPU=cpu python benchmarks/devices.py --scale 4096 --out DIR``, which divides all sizes by 4096.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

LIMITS = {
    "machine": 30, "errors": 30, "small calls": 30, "fused": 90, "bandwidth": 50, "products": 30, "philox": 30,
    "kit": 130, "hashes": 100, "accuracy": 40,
}  # fmt: skip
Row = dict[str, Any]


class Context:
    """The device of a run, the divisor of the sizes, and the time limit of a part."""

    def __init__(self, device: str, scale: int, seconds: float) -> None:
        import torch

        import suanzi

        self.sz: Any = suanzi
        self.torch: Any = torch
        self.device, self.scale = device, scale
        self.end = time.monotonic() + seconds - 3
        self.x = suanzi.zeros(1, device=device)
        self.place: Any = self.x.data.device  # type: ignore[attr-defined]
        self.is_host = self.place.type == "cpu"
        if self.is_host:
            torch.set_num_threads(1)

    def size(self, elements: int, least: int = 16) -> int:
        return max(elements // self.scale, least)

    def drawn(self, *shape: int, low: float = -1.0, high: float = 1.0, seed: int = 1) -> Any:
        return self.sz.uniform(shape, low, high, seed=seed, device=self.device)

    def wait(self) -> None:
        self.sz.synchronize()

    def seconds(self, call: Callable[[], Any], least: float = 0.05) -> float:
        """Return the median time of a call in seconds. Each sample has many calls between two synchronizations."""
        call()
        self.wait()
        start = time.perf_counter()
        call()
        self.wait()
        once = time.perf_counter() - start
        count = max(1, min(int(least / max(once, 1e-7)), 1000))
        found = []
        for _ in range(5):
            start = time.perf_counter()
            for _ in range(count):
                call()
            self.wait()
            found.append((time.perf_counter() - start) / count)
        return median(found)

    def copied(self, count: int) -> float:
        """Return the bytes that PyTorch's copy of `count` bytes reads and writes per second."""
        x = self.torch.ones(count // 4, device=self.place)
        y = self.torch.empty_like(x)
        return 2 * count / self.seconds(lambda: y.copy_(x))


def machine(at: Context) -> Iterator[Row]:
    """Record the device's name, PyTorch's version, the kind of kernels, and the bandwidth of a copy."""
    name = "the host" if at.is_host else at.torch.cuda.get_device_name() if at.place.type == "cuda" else str(at.place)
    yield {"what": "device", "found": name}
    yield {"what": "PyTorch", "found": at.torch.__version__}
    from suanzi.devices.triton import launch

    yield {"what": "kernels", "found": launch.missing(at.place.type) or "Triton"}
    yield {"what": "copy, GB/s", "found": round(at.copied(at.size(2**30, 2**16)) / 1e9, 1)}


def errors(at: Context) -> Iterator[Row]:
    """Record the statuses of errors, and whether the device works after each error."""
    sz, there = at.sz, at.drawn(8)
    type, _, index = at.device.partition(":")

    def told_late() -> None:
        sz.take(there, sz.tensor([1, 100], dtype="int64").to_device(at.device))
        sz.synchronize()

    calls = {
        "a device that is not there": (
            lambda: sz.zeros(2, device=f"{type}:{int(index or 0) + 99}"),
            "INVALID_ARGUMENT",
        ),
        "two devices": (lambda: there + sz.zeros(8), "INVALID_ARGUMENT"),
        "no memory": (lambda: sz.empty((2**48,), device=at.device), "ALLOC_FAILED"),
        "an index out of range": (told_late, "OUT_OF_RANGE"),
        "shapes": (lambda: there + at.drawn(3), "DIMENSIONS_MISMATCH"),
    }
    for what, (call, status) in calls.items():
        try:
            call()
            found = "no error"
        except sz.SuanziError as error:
            found = error.status.name
        works = bool(np.array_equal((there + 1).numpy(), there.numpy() + np.float32(1)))
        yield {"what": what, "found": found, "right": found == status and works}


def small_calls(at: Context) -> Iterator[Row]:
    """Record the host's least nanoseconds for calls on few elements. The calls alternate with PyTorch's calls."""
    sz, torch = at.sz, at.torch
    a, b, m = at.drawn(4), at.drawn(4, seed=2), at.drawn(2, 2)
    calls: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "add": (lambda: sz.add(a, b), lambda: torch.add(a.data, b.data)),
        "a + b": (lambda: a + b, lambda: a.data + b.data),
        "exp": (lambda: sz.exp(a), lambda: torch.exp(a.data)),
        "sum": (lambda: sz.sum(a), lambda: torch.sum(a.data)),
        "matmul": (lambda: sz.matmul(m, m), lambda: torch.matmul(m.data, m.data)),
        "a[1]": (lambda: a[1], lambda: a.data[1]),
        "a[1:3]": (lambda: a[1:3], lambda: a.data[1:3]),
    }
    for name, pair in calls.items():
        least = [float("inf")] * 2
        for _ in range(60):
            for i, call in enumerate(pair):
                start = time.perf_counter_ns()
                for _ in range(200):
                    call()
                least[i] = min(least[i], (time.perf_counter_ns() - start) / 200)
            at.wait()
        ours, theirs = least
        yield {"call": name, "ns": round(ours), "PyTorch": round(theirs), "more": round(ours - theirs)}


def _timed(at: Context, name: str, call: Callable[[], Any], moved: int, copy: float, other: Any = None) -> Row:
    seconds = at.seconds(call)
    row = {"what": name, "ms": round(seconds * 1e3, 4), "share of a copy": round(moved / seconds / copy, 3)}
    return row if other is None else row | {"of PyTorch's time": round(seconds / at.seconds(other), 3)}


def bandwidth(at: Context) -> Iterator[Row]:
    """Record the bandwidth of elementwise operators and reductions relative to the bandwidth of a copy."""
    sz = at.sz
    for count in (2**28, 2**30):
        n = at.size(count, 2**16) // 4
        copy = at.copied(4 * n)
        x, y, truth = at.drawn(n), at.drawn(n, seed=2), at.drawn(n, seed=3) > 0
        square = sz.reshape(x, (2**7, -1))
        calls = {
            "add": (lambda x=x, y=y: sz.add(x, y), 12 * n),
            "exp": (lambda x=x: sz.exp(x), 8 * n),
            "where": (lambda c=truth, x=x, y=y: sz.where(c, x, y), 13 * n),
            "sum": (lambda x=x: sz.sum(x), 4 * n),
            "max": (lambda x=x: sz.max(x), 4 * n),
            "mean of rows": (lambda x=square: sz.mean(x, axis=-1), 4 * n),
            "mean of columns": (lambda x=square: sz.mean(x, axis=0), 4 * n),
        }
        for name, (call, moved) in calls.items():
            yield {"bytes": 4 * n} | _timed(at, name, call, moved, copy)
        sz.devices.set_functions("correct")
        yield {"bytes": 4 * n} | _timed(at, "exp, correct", lambda x=x: sz.exp(x), 8 * n, copy)
        sz.devices.set_functions("vendor")


def fused(at: Context) -> Iterator[Row]:
    """Record the times and the relative bandwidth of fused programs, and the times of the same operators in PyTorch."""
    sz, torch = at.sz, at.torch
    rows, columns = at.size(2**14, 64), 2**12 if at.scale == 1 else 2**8
    copy = at.copied(4 * rows * columns)
    x, w = at.drawn(rows, columns, low=-3, high=3), at.drawn(columns)

    def chain(lib: Any, x: Any) -> Any:
        for i in range(5):
            x = x * 1.01 + 0.25 * i
        return x

    def gelu(lib: Any, x: Any) -> Any:
        return 0.5 * x * (1 + lib.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))

    def softmax(lib: Any, x: Any) -> Any:
        e = lib.exp(x - lib.amax(x, -1, True))
        return e / lib.sum(e, -1, True)

    def norm(lib: Any, x: Any, w: Any) -> Any:
        d = x - lib.mean(x, -1, True)
        return d * lib.rsqrt(lib.mean(d * d, -1, True) + 1e-5) * w + w

    class Ours:
        tanh, exp, rsqrt = sz.tanh, sz.exp, sz.rsqrt
        amax = staticmethod(lambda x, axis, keep: sz.max(x, axis=axis, keepdims=keep))
        sum = staticmethod(lambda x, axis, keep: sz.sum(x, axis=axis, keepdims=keep))
        mean = staticmethod(lambda x, axis, keep: sz.mean(x, axis=axis, keepdims=keep))

    programs: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "chain of ten": (chain, (x,)),
        "gelu": (gelu, (x,)),
        "softmax": (softmax, (x,)),
        "layer norm": (norm, (x, w)),
    }
    for mode in ("vendor", "correct"):
        sz.devices.set_functions(mode)
        for name, (function, given) in programs.items():
            made = sz.fuse(lambda *given, function=function: function(Ours, *given))
            start = time.perf_counter()
            made(*given)
            at.wait()
            first = time.perf_counter() - start
            data = [t.data for t in given]
            eager = partial(function, torch, *data)
            row = _timed(at, name, partial(made, *given), 8 * rows * columns, copy, eager)
            yield row | {"functions": mode, "first call, s": round(first, 3)}
    sz.devices.set_functions("vendor")


def products(at: Context) -> Iterator[Row]:
    """Record the times of matrix products in Suanzi and in PyTorch."""
    sz, torch = at.sz, at.torch
    for dtype, sizes in (
        ("bfloat16", (4096, 8192)),
        ("float16", (4096, 8192)),
        ("float32", (4096,)),
        ("int32", (1024,)),
    ):
        for n in sizes if at.scale == 1 else (64,):
            x = sz.astype(at.drawn(n, n) * 4, dtype)
            seconds = at.seconds(lambda x=x: sz.matmul(x, x))
            row = {"type": dtype, "n": n, "ms": round(seconds * 1e3, 4), "TFLOP/s": round(2 * n**3 / seconds / 1e12, 2)}
            if dtype != "int32":
                row["of PyTorch's time"] = round(seconds / at.seconds(lambda x=x: torch.matmul(x.data, x.data)), 3)
            yield row


def philox(at: Context) -> Iterator[Row]:
    """Compare the hashes of the device's random numbers, which Philox defines, with the hashes of the CPU's numbers."""
    sz, n = at.sz, at.size(2**28, 2**12)
    half = sz.full((n,), 0.5, device=at.device)
    for name, call in {
        "uniform, float32": lambda device: sz.uniform(n, seed=7, device=device),
        "uniform, float64": lambda device: sz.uniform(n // 2, seed=8, dtype="float64", device=device),
        "bernoulli": lambda device: sz.bernoulli(half if device else sz.full((n,), 0.5), seed=9),
    }.items():
        found = [hashlib.sha256(call(device).numpy()).hexdigest()[:16] for device in (at.device, None)]
        yield {"what": name, "elements": n, "hash": found[0], "right": found[0] == found[1]}


def kit(at: Context) -> Iterator[Row]:
    """Run the quick profile of the conformance kit."""
    command = [sys.executable, "-m", "suanzi", "conformance", "--device", at.device, "--profile", "quick"]
    if at.scale > 1:
        command += ["add", "matmul"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=max(at.end - time.monotonic(), 1))
    lines = done.stdout.strip().splitlines()
    yield {"what": "quick", "said": lines[-1] if lines else done.stderr.strip()[-200:]}
    for line in lines[:-1]:
        if "fail" in line.lower():
            yield {"what": "fails", "said": line.strip()[:200]}


def hashes(at: Context) -> Iterator[Row]:
    """Compare hashes of functions in the mode "correct" with the kit's hashes, for as many blocks as time allows."""
    from suanzi.conformance.probes import rounding

    torch, sz = at.torch, at.sz
    sz.devices.set_functions("correct")
    at_once = max(64 // at.scale, 1)
    right = dict.fromkeys(rounding.table(), 0)
    hard: dict[str, list[str]] = {name: [] for name in right}
    chunks = np.random.default_rng(1).permutation(rounding.BLOCKS // at_once)[: None if at.scale == 1 else 2]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, 16)) as pool:
        for chunk in chunks:
            if time.monotonic() > at.end:
                break
            first = int(chunk) * at_once
            bits = torch.arange(first * rounding.BLOCK, (first + at_once) * rounding.BLOCK, device=at.place)
            x = sz.from_dlpack(bits.to(torch.int32).view(torch.float32)) if not at.is_host else None
            x = sz.tensor(bits.to(torch.int32).view(torch.float32).numpy()).to_device(at.device) if x is None else x
            for name in right:
                y = getattr(sz, name)(x).numpy()
                np.copyto(y, np.float32(np.nan), where=np.isnan(y))
                parts = y.reshape(at_once, rounding.BLOCK)
                for i, found in enumerate(pool.map(rounding.hash_of, list(parts))):
                    if found == rounding.table()[name].blocks[first + i].tobytes():
                        right[name] += 1
                        continue
                    given = rounding.inputs(first + i)
                    wanted = getattr(sz, name)(sz.tensor(given.copy())).numpy()
                    wrong = np.flatnonzero((wanted != parts[i]) & ~np.isnan(wanted))
                    hard[name] += [f"{given.view(np.uint32)[k]:#010x}" for k in wrong[:10]]
            done = (np.flatnonzero(chunks == chunk)[0] + 1) * at_once
            yield {"blocks": int(done), "right": dict(right), "hard": {k: v for k, v in hard.items() if v}}
    sz.devices.set_functions("vendor")


FUNCTIONS = {  # the functions, and the ranges of their random operands
    "exp": (-80, 80), "expm1": (-10, 10), "log": (0, 1e4), "log1p": (-1, 1e4), "log2": (0, 1e4), "log10": (0, 1e4),
    "sin": (-100, 100), "cos": (-100, 100), "tan": (-100, 100), "asin": (-1, 1), "acos": (-1, 1), "atan": (-100, 100),
    "sinh": (-80, 80), "cosh": (-80, 80), "tanh": (-10, 10), "asinh": (-1e4, 1e4), "acosh": (1, 1e4),
    "atanh": (-1, 1), "rsqrt": (0, 1e4), "erf": (-4, 4), "erfc": (-4, 9),
}  # fmt: skip


def accuracy(at: Context) -> Iterator[Row]:
    """Record the greatest errors of float32 functions, in units in the last place, in both modes."""
    sz = at.sz
    for name, (low, high) in FUNCTIONS.items():
        function = getattr(sz if hasattr(sz, name) else sz.extras, name)
        x = sz.uniform(at.size(2**24, 2**10), low, high, seed=5)
        exact = function(sz.astype(x, "float64")).numpy()
        unit = np.spacing(np.maximum(np.abs(exact), np.finfo(np.float32).tiny).astype(np.float32)).astype(np.float64)
        row: Row = {"function": name}
        for mode in ("vendor", "correct"):
            sz.devices.set_functions(mode)
            found = function(x.to_device(at.device)).numpy().astype(np.float64)
            error = np.abs(found - exact) / unit
            row[mode] = round(float(np.nanmax(np.where(np.isfinite(exact) & np.isfinite(found), error, 0))), 3)
        sz.devices.set_functions("vendor")
        yield row


PARTS: dict[str, Callable[[Context], Iterator[Row]]] = {
    "machine": machine, "errors": errors, "small calls": small_calls, "fused": fused, "bandwidth": bandwidth,
    "products": products, "philox": philox, "kit": kit, "hashes": hashes, "accuracy": accuracy,
}  # fmt: skip


def run_part(name: str, options: argparse.Namespace) -> None:
    """Run one part in this process, and write the part's results to its file after each row."""
    path, start = options.out / f"{name.replace(' ', '_')}.json", time.monotonic()
    rows: list[Row] = []
    for row in PARTS[name](Context(options.device, options.scale, options.seconds)):
        rows.append(row)
        found = {"part": name, "device": options.device, "seconds": round(time.monotonic() - start, 1), "rows": rows}
        part = path.with_suffix(".part")
        part.write_text(json.dumps(found, indent=1), encoding="utf-8")
        part.replace(path)


def table(rows: list[Row]) -> str:
    """Return rows as a Markdown table. Rows of hashes have growing totals, so the table has only the last totals."""
    if rows and "blocks" in rows[-1]:
        last = rows[-1]
        hard = last["hard"]
        rows = [
            {"function": f, "right": f"{n} of {last['blocks']}", "wrong": hard.get(f, "")}
            for f, n in last["right"].items()
        ]
    heads = list(dict.fromkeys(key for row in rows for key in row))
    lines = [heads, ["---"] * len(heads), *([str(row.get(key, "")) for key in heads] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Run all parts, or the parts that the command line names."""
    parser = argparse.ArgumentParser(description="Test and time a device, part by part.")
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--out", type=Path, default=Path("devices"))
    parser.add_argument("--seconds", type=float, default=540, help="the most seconds of all parts together")
    parser.add_argument("--scale", type=int, default=1, help="divide all sizes by this number")
    parser.add_argument("--parts", help="the parts to run, separated by commas")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.part:
        run_part(options.part, options)
        return 0
    end, failed = time.monotonic() + options.seconds, []
    texts = [f"# {options.device}"]
    for name in options.parts.split(",") if options.parts else PARTS:
        seconds = min(LIMITS[name] * (4 if options.scale > 1 else 1), end - time.monotonic())
        given = ["--device", options.device, "--out", str(options.out), "--scale", str(options.scale)]
        command = [sys.executable, __file__, "--part", name, "--seconds", str(seconds), *given]
        try:
            said = "" if seconds > 1 and not subprocess.run(command, timeout=seconds).returncode else "failed"
        except subprocess.TimeoutExpired:
            said = f"cut off after {seconds:.0f} s"
        path = options.out / f"{name.replace(' ', '_')}.json"
        found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"rows": [], "seconds": 0}
        failed += [name] if said else []
        texts.append(f"## {name} ({found['seconds']} s{', ' + said if said else ''})\n\n{table(found['rows'])}")
        (options.out / "tables.md").write_text("\n\n".join(texts) + "\n", encoding="utf-8")
        print(texts[-1], flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
