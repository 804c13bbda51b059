"""Reads the printed text in a picture, line by line, with two ONNX models that the package rapidocr-onnxruntime ships.

The first model marks the pixels that belong to text, and the second model reads a line. Without --image the program
draws a page to read. The package rapidocr-onnxruntime requires ONNX Runtime. If ONNX Runtime is installed, ONNX Runtime
runs the same models, and the program prints the times of both libraries.

    pip install 'suanzi[onnx]' pillow rapidocr-onnxruntime
    python examples/printed_text.py [--image photograph.png] [--picture found.png]
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import picture
from shipped import Array, Model, folder, ours, reading, theirs
from suanzi.interop import onnx

PACKAGE = "rapidocr_onnxruntime"
DETECTOR, READER = "ch_PP-OCRv4_det_infer.onnx", "ch_PP-OCRv4_rec_infer.onnx"
PAGE = ("Operators of T/AI 137.1-2025", "134 names, 18 categories", "sum, sort, matmul, fft, where", "Read by Suanzi.")
MISSING = "the models are missing: pip install rapidocr-onnxruntime brings them"


def page() -> Image.Image:
    """Draw a white page with the lines of text in PAGE."""
    made = Image.new("RGB", (640, 288), "white")
    pen = ImageDraw.Draw(made)
    for number, line in enumerate(PAGE):
        pen.text((32, 24 + 64 * number), line, fill="black", font=ImageFont.load_default(32))
    return made


def as_input(image: Image.Image, width: int, height: int) -> Array:
    """Resize a picture. Return a batch of one picture (1, 3, height, width) in blue, green, red from -1 to 1."""
    pixels = np.asarray(image.resize((width, height), Image.Resampling.BILINEAR), dtype=np.float32)
    return np.ascontiguousarray((pixels / 127.5 - 1)[None, :, :, ::-1].transpose(0, 3, 1, 2))


def runs(marked: Array, gap: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds (first, last + 1) of each run of True elements. Runs at most `gap` elements apart are joined."""
    places = np.flatnonzero(marked)
    if len(places):
        for part in np.split(places, np.flatnonzero(np.diff(places) > gap + 1) + 1):
            yield int(part[0]), int(part[-1]) + 1


def lines(image: Image.Image, detector: Model) -> list[tuple[int, int, int, int]]:
    """Return the boxes (left, top, right, bottom) of the lines of text in a picture, from the top down."""
    # The network halves the size of a picture five times, so the sizes must be multiples of 32.
    width, height = (max(32, round(size / 32) * 32) for size in image.size)
    marked = detector({"x": as_input(image, width, height)})[0][0, 0] > 0.3
    found = []
    for top, bottom in runs(marked.any(axis=1), 0):
        margin = (bottom - top) // 2 + 1  # the network marks the middle of a line
        for left, right in runs(marked[top:bottom].any(axis=0), 4 * margin):
            box = (left - margin, top - margin, right + margin, bottom + margin)
            scales = (image.width / width, image.height / height) * 2
            found.append(tuple(round(edge * scale) for edge, scale in zip(box, scales, strict=True)))
    return found


def text_of(line: Image.Image, reader: Model, letters: list[str]) -> str:
    """Return the likeliest text of a line's picture. Number 0 is no letter, and equal neighbours are one letter."""
    width = max(48, round(48 * line.width / line.height))
    likeliest = reader({"x": as_input(line, width, 48)})[0][0].argmax(axis=1)
    kept = likeliest[(likeliest != 0) & (np.diff(likeliest, prepend=0) != 0)]
    return "".join(letters[number - 1] for number in kept)


def read(image: Image.Image, load: Callable[[Path], Model], letters: list[str]) -> tuple[list[Any], list[str], float]:
    """Return the boxes of the lines in a picture, their texts, and the seconds without the loading of the models."""
    models = folder(PACKAGE, MISSING) / "models"
    detector, reader = load(models / DETECTOR), load(models / READER)
    start = time.perf_counter()
    boxes = lines(image, detector)
    texts = [text_of(image.crop(box), reader, letters) for box in boxes]
    return boxes, texts, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--image", type=Path, help="the picture to read")
    picture.add_option(parser)
    options = parser.parse_args()
    with reading(options.image, parser):
        image = Image.open(options.image).convert("RGB") if options.image else page()
    # The model's metadata has all letters of the model except the last letter, which is a blank.
    letters = [*onnx.load(folder(PACKAGE, MISSING) / "models" / READER).metadata["character"].splitlines(), " "]

    boxes, texts, seconds = read(image, ours, letters)
    print(*texts, sep="\n")
    print(f"\n{len(texts)} lines in {seconds:.2f} s by Suanzi")
    if importlib.util.find_spec("onnxruntime"):
        _, same, other = read(image, theirs, letters)
        print(f"{len(same)} lines in {other:.2f} s by ONNX Runtime; the same text: {same == texts}")
    if options.picture:
        pen = ImageDraw.Draw(image)
        for box in boxes:
            pen.rectangle(box, outline="red", width=2)
        image.save(options.picture)


if __name__ == "__main__":
    main()
