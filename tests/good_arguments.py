"""Valid arguments for every operator, made from the operator's record, for tests that call all operators."""

from __future__ import annotations

import inspect
from typing import Any

import suanzi
from samples import sample
from suanzi.operators.registry import Record, records

# The operands of einsum depend on the subscripts: see operators/linalg/test_products.py.
FUNCTIONS = {record.name: record for record in records() if record.name != "einsum"}
# Valid values of the parameters that are not tensors.
OPTIONS: dict[str, Any] = {
    "shape": (2, 3),
    "dtype": suanzi.float64,
    "axes": (1, 0),
    "op": "sum",
    "n": 3,
    "k": 2,
    "value": 1,
    "index": suanzi.zeros((2, 3), dtype="int64"),
    "indices": suanzi.zeros((2, 1), dtype="int64"),
}
OPTIONS |= {"sections_or_sizes": [1, 1], "repetitions": 2, "repeats": 2, "pad_width": 1, "shift": 1, "offsets": (0, 0)}
OPTIONS |= {"begin": 0, "end": None, "source": 0, "destination": 1, "axis1": 0, "axis2": 1}
OPTIONS |= {"size": 3, "tile": (1, 1, 1)}
OPTIONS |= {"kernel_size": 2, "output_size": 2, "norm_type": 2, "upscale_factor": 1, "downscale_factor": 1}
# Functions with several optional parameters, of which a call must pass exactly one.
ONE_OF_SEVERAL = {"interpolate": {"size"}}
# Modules of functions that accept square matrices. tests/operators/linalg has the tests of other shapes.
MATRICES = {"factorisations", "solvers", "eigenvalues", "norms"}
LISTS = {"tensors"}  # parameters that are lists of tensors
# Shapes of the parameters, for operators whose tensors cannot all be of shape (2, 3). The tests in operators/linalg/
# check that these operators refuse other shapes.
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "matmul": {"x1": (2, 3), "x2": (3, 2)},
    "dot": {"x1": (2, 3), "x2": (3, 2)},
    "tensordot": {"x1": (2, 3), "x2": (2, 3)},
    "outer": {"x1": (2,), "x2": (3,)},
    "matrix_power": {"x": (3, 3)},
    "interpolate": {"x": (1, 2, 3)},
    **{f"nn.{kind}_pool": {"x": (1, 2, 4)} for kind in ("max", "avg", "adaptive_max", "adaptive_avg")},
    **{f"nn.{name}": {"x": (1, 2, 4)} for name in ("global_max_pool", "global_avg_pool", "pixel_shuffle")},
    "nn.pixel_unshuffle": {"x": (1, 2, 4)},
    "nn.conv": {"x": (1, 2, 4), "weight": (3, 2, 2), "bias": (3,)},
    "linear": {"x": (2, 3), "weight": (2, 3), "bias": (2,)},
    "bilinear": {"x1": (2, 3), "x2": (2, 3), "weight": (2, 3, 3)},
}
KINDS = {"B": "bool", "I": "int32", "F": "float32", "C": "complex64", "S": "string"}


def tensors_of(record: Record) -> list[str]:
    """Return the names of the required parameters that are tensors."""
    return [name for name in required(record) if name not in OPTIONS]


def required(record: Record) -> list[str]:
    parameters = inspect.signature(record.function).parameters.values()
    needed = ONE_OF_SEVERAL.get(record.name, set())
    return [
        p.name for p in parameters if (p.default is p.empty or p.name in needed) and p.kind <= p.POSITIONAL_OR_KEYWORD
    ]


def element_type(record: Record) -> str:
    return KINDS[next(letter for letter in "FIBC" if letter in record.accepts)]


def takes_matrices(record: Record) -> bool:
    return record.function.__module__.rpartition(".")[2] in MATRICES


def arguments(record: Record, **replaced: Any) -> list[Any]:
    """Return valid arguments for the required parameters of an operator, with replacements by name."""
    shapes = SHAPES.get(record.name, {})
    good = {name: suanzi.tensor(sample(shapes.get(name, (2, 3)), element_type(record))) for name in tensors_of(record)}
    if takes_matrices(record):
        good = dict.fromkeys(good, suanzi.tensor([[2.0, 1.0], [1.0, 3.0]]))
    if "p" in good:  # the parameter is a probability
        good["p"] = suanzi.full((2, 3), 0.5)
    given = {**good, **OPTIONS, **replaced}
    return [[given[name]] * 2 if name in LISTS else given[name] for name in required(record)]
