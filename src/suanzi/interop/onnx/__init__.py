"""ONNX models, run by suanzi's operators: `load`, `run`, and `Model`. The module `backend` implements ONNX's own
interface.

    from suanzi.interop import onnx

    model = onnx.load("examples/digits.onnx")
    (labels,) = model.run({"images": images})

The module needs the package onnx, which is an extra: ``pip install 'suanzi[onnx]'``.
"""

try:
    import onnx  # noqa: F401
except ImportError as error:
    raise ImportError("suanzi.interop.onnx: the package onnx is missing; pip install 'suanzi[onnx]'") from error

from suanzi.interop.onnx.model import Model, load, run
from suanzi.interop.onnx.types import UnsupportedError
from suanzi.tensor.absent import attributes_of

__all__ = ["Model", "UnsupportedError", "load", "run"]

__getattr__ = attributes_of(__name__)
