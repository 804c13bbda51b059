"""Trains the classifier of examples/digits.onnx, and writes the classifier and the digits held out from the training.

scikit-learn ships the digits: 1797 images of 8 x 8 pixels from 0 to 16, from E. Alpaydin and C. Kaynak,
"Optical recognition of handwritten digits" (UCI machine learning repository, 1998). The program holds out a fifth of
the digits. scikit-learn trains the network, which has one hidden layer. The model stores the network's accuracy on the
held-out digits.

    pip install onnx scikit-learn
    python examples/digits_train.py --output examples
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

BRIGHTEST = 16


def exported(network: MLPClassifier, accuracy: float) -> object:
    """Return the network as an ONNX model from images to labels."""
    (hidden, output), (hidden_bias, output_bias) = network.coefs_, network.intercepts_
    weights = {
        "W1": hidden / BRIGHTEST,  # the network was trained on pixels from 0 to 1
        "b1": hidden_bias,
        "W2": output,
        "b2": output_bias,
    }
    nodes = [
        helper.make_node("Gemm", ["images", "W1", "b1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("Gemm", ["r", "W2", "b2"], ["scores"]),
        helper.make_node("ArgMax", ["scores"], ["labels"], axis=1, keepdims=0),
    ]
    graph = helper.make_graph(
        nodes,
        "digits",
        [helper.make_tensor_value_info("images", TensorProto.FLOAT, ["n", 64])],
        [helper.make_tensor_value_info("labels", TensorProto.INT64, ["n"])],
        [numpy_helper.from_array(array.astype(np.float32), name) for name, array in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    helper.set_model_props(model, {"accuracy": repr(accuracy)})
    checker.check_model(model, full_check=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path(), help="the folder for digits.onnx and digits.npz")
    output = parser.parse_args().output
    output.mkdir(parents=True, exist_ok=True)
    digits = load_digits()
    images, held_out, labels, true_labels = train_test_split(
        digits.data, digits.target, test_size=0.2, random_state=0, stratify=digits.target
    )
    network = MLPClassifier(hidden_layer_sizes=(64,), max_iter=500, random_state=0)
    network.fit(images / BRIGHTEST, labels)
    accuracy = network.score(held_out / BRIGHTEST, true_labels)
    save(exported(network, accuracy), output / "digits.onnx")
    arrays = {"images": held_out.astype(np.uint8), "labels": true_labels.astype(np.uint8)}
    np.savez_compressed(output / "digits.npz", **arrays)
    print(f"{len(images)} digits to train, {len(held_out)} held out: {accuracy:.2%} right")


if __name__ == "__main__":
    main()
