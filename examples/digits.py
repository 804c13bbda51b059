"""Reads 360 handwritten digits with an ONNX model. The network has not seen the images in its training.

digits_train.py made the model and digits.npz, and stored scikit-learn's accuracy in the model.

    pip install 'suanzi[onnx]'
    python examples/digits.py [--picture digits.png]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import picture
import suanzi as sz
from suanzi.interop import onnx

FOLDER = Path(__file__).parent


def draw(path: Path, images: sz.Tensor, labels: sz.Tensor, found: sz.Tensor) -> None:
    """Draw forty digits with the labels that the network found. Digits with wrong labels come first."""
    order = sz.argsort(sz.equal(found, labels))[:40]
    with picture.drawn(path, 4, 10) as axes:
        for axis, number in zip(axes.flat, order.tolist(), strict=True):
            axis.imshow(images[number].reshape(8, 8).numpy(), cmap="gray_r")
            axis.set_title(str(found[number]), color="black" if found[number] == labels[number] else "red", fontsize=9)
            axis.set_axis_off()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    picture.add_option(parser)
    wanted = parser.parse_args().picture
    with np.load(FOLDER / "digits.npz") as data:
        images, labels = sz.tensor(data["images"], dtype=sz.float32), sz.tensor(data["labels"], dtype=sz.int64)
    model = onnx.load(FOLDER / "digits.onnx")
    (found,) = model.run({"images": images})

    right = sz.sum(sz.equal(found, labels)).item()
    print(f"{right} of {len(labels)} right: {right / len(labels):.2%}")
    print(f"scikit-learn, which trained the network: {float(model.metadata['accuracy']):.2%}")

    print("\ntrue  read")
    wrong = sz.not_equal(found, labels)
    for true, read in zip(labels[wrong].tolist(), found[wrong].tolist(), strict=True):
        print(f"{true:4}  {read:4}")
    if wanted:
        draw(wanted, images, labels, found)


if __name__ == "__main__":
    main()
