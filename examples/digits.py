"""Reads handwritten digits with an ONNX model: 360 images that the network has not seen in its training.

digits_train.py made the model, and digits.npz, and stored scikit-learn's accuracy in the model.

    pip install 'suanzi[onnx]'
    python examples/digits.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import suanzi as sz
from suanzi.interop import onnx

FOLDER = Path(__file__).parent


def main() -> None:
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


if __name__ == "__main__":
    main()
