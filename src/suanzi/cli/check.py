"""Comparison of a model's outputs with the outputs of ONNX Runtime: the largest error of each output, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

import suanzi
from suanzi import InvalidArgumentError, Tensor

Array = np.ndarray[Any, Any]


class Compared(NamedTuple):
    """The comparison of an output with ONNX Runtime's output."""

    name: str
    error: float  # the largest difference divided by the largest expected value
    verdict: str
    agrees: bool


def beside_onnxruntime(
    path: str, feed: Mapping[str, Tensor], outputs: Mapping[str, Any], tolerance: float
) -> tuple[list[Compared], str]:
    """Compare a model's outputs with ONNX Runtime's outputs for the same inputs. Return the comparisons and ONNX
    Runtime's version.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise ImportError("run: --check needs the package onnxruntime: pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        found = session.run(list(outputs), {name: _array(x) for name, x in feed.items()})
    except Exception as error:  # ONNX Runtime's exceptions have no common class
        text = " ".join(str(error).split())
        raise InvalidArgumentError(f"run: ONNX Runtime cannot run the model: {text[:300]}") from error
    rows = [compared(name, outputs[name], theirs, tolerance) for name, theirs in zip(outputs, found, strict=True)]
    return rows, onnxruntime.__version__


def _array(x: Tensor) -> Array:
    return np.array(x.tolist(), object).reshape(x.shape) if x.dtype is suanzi.string else x.numpy()


def compared(name: str, ours: Any, theirs: Any, tolerance: float) -> Compared:
    """Compare an output with ONNX Runtime's output. The difference of floating numbers may be `tolerance` times the
    largest expected value. Other elements must be equal.
    """
    if isinstance(ours, Tensor | np.ndarray) and isinstance(theirs, np.ndarray):
        x = _array(ours) if isinstance(ours, Tensor) else ours
        if x.shape != theirs.shape:
            return Compared(name, np.inf, f"shape {x.shape}, not {theirs.shape}", False)
        if x.dtype.name.startswith("float8") and theirs.dtype == np.uint8:  # ONNX Runtime returns the elements' bits
            x = x.view(np.uint8)
        if x.dtype != theirs.dtype and theirs.dtype != object:
            return Compared(name, np.inf, f"type {x.dtype}, not {theirs.dtype}", False)
        if x.dtype.kind in "fc":
            error = relative_error(x, theirs)
            return Compared(name, error, "agrees" if error <= tolerance else "differs", error <= tolerance)
        agrees = x.tolist() == theirs.tolist()
        return Compared(name, 0.0 if agrees else np.inf, "equal" if agrees else _unequal(x, theirs), agrees)
    return _of_items(name, ours, theirs, tolerance)


def _unequal(x: Array, theirs: Array) -> str:
    count = sum(a != b for a, b in zip(x.reshape(-1).tolist(), theirs.reshape(-1).tolist(), strict=True))
    return f"{count} of {x.size} elements differ"


def _of_items(name: str, ours: Any, theirs: Any, tolerance: float) -> Compared:
    """Compare two outputs that are not arrays: sequences, maps or None. The result for sequences is the comparison of
    the items that differ most.
    """
    if isinstance(ours, Sequence) and isinstance(theirs, Sequence) and len(ours) == len(theirs):
        rows = [compared(name, a, b, tolerance) for a, b in zip(ours, theirs, strict=True)]
        return max(rows, key=lambda row: (not row.agrees, row.error), default=Compared(name, 0.0, "equal", True))
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping) and ours.keys() == theirs.keys():
        keys = list(ours)
        values = [np.array([each[key] for key in keys]) for each in (ours, theirs)]
        error = relative_error(*values) if values[0].dtype.kind == "f" else 0.0 if ours == theirs else np.inf
        return Compared(name, error, "agrees" if error <= tolerance else "differs", bool(error <= tolerance))
    agrees = ours is None and theirs is None
    return Compared(name, 0.0 if agrees else np.inf, "equal" if agrees else "another kind of value", agrees)


def relative_error(x: Array, expected: Array) -> float:
    """Return the largest difference, divided by the largest finite expected value. NaN is equal to NaN."""
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = x.astype(wide), expected.astype(wide)
    if not np.array_equal(np.isnan(a), np.isnan(b)):
        return float("inf")
    differs = ~((a == b) | np.isnan(a))
    if not differs.any():
        return 0.0
    scale = float(np.max(np.abs(b), initial=0.0, where=np.isfinite(b))) or 1.0
    return float(np.max(np.abs(a[differs] - b[differs]))) / scale
