"""The interface `onnx.backend.base`, through which ONNX's own test runner and other programs run models with a library.

import onnx.backend.test
from suanzi.interop.onnx import backend

onnx.backend.test.BackendTest(backend.SuanziBackend, __name__)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper
from onnx.backend.base import Backend, BackendRep

import suanzi
from suanzi import InvalidArgumentError, Tensor, TypeMismatchError, _core
from suanzi.interop.onnx.domains import LATEST
from suanzi.interop.onnx.model import Model, load
from suanzi.interop.onnx.types import UnsupportedError, code_of
from suanzi.tensor.messages import shown

Array = np.ndarray[Any, Any]


class SuanziRep(BackendRep):  # type: ignore[misc]
    """A model that is ready to run. Inputs and outputs are NumPy arrays."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Array, ...]:
        """Return the model's outputs as arrays. A tensor of strings becomes an array of objects."""
        return tuple(map(_array, self.model.run(inputs)))


class SuanziBackend(Backend):  # type: ignore[misc]
    """The CPU backend of suanzi for ONNX."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Return whether suanzi supports the device, and all operators, versions and element types of the model."""
        try:
            load(model)
        except UnsupportedError:
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> SuanziRep:
        """Load a model, and return the model in a form that is ready to run."""
        if not cls.supports_device(device):
            raise InvalidArgumentError(f"prepare: device {shown(device)} is not CPU")
        return SuanziRep(load(model))

    @classmethod
    def run_model(cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any) -> tuple[Array, ...]:
        """Load a model, and run the model once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls, node: NodeProto, inputs: Any, device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> tuple[Array, ...]:
        """Run one node in the newest opset, or in the opset `opset_version`."""
        if not isinstance(node, NodeProto):
            raise TypeMismatchError(f"run_node: a {type(node).__name__} is not a NodeProto")
        if not isinstance(inputs, Sequence) or isinstance(inputs, str | bytes):
            raise TypeMismatchError(f"run_node: inputs are {type(inputs).__name__}, not a sequence of tensors")
        version = _core.read_integer(
            "run_node", "opset_version", kwargs.get("opset_version", LATEST.get(node.domain, 1))
        )
        values = [suanzi.tensor(value) for value in inputs]
        names = [name for name in node.input if name]
        if len(names) != len(values):
            raise InvalidArgumentError(f"run_node: {len(values)} inputs are given, but the node has {len(names)}")
        given = [
            helper.make_tensor_value_info(name, code_of(value.dtype), None)
            for name, value in zip(names, values, strict=True)
        ]
        opset = helper.make_opsetid(node.domain, version)
        results = [helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None) for n in node.output if n]
        graph = helper.make_graph([node], "node", given, results)
        return cls.run_model(helper.make_model(graph, opset_imports=[opset]), values, device)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Return whether the backend can place tensors on the device."""
        return isinstance(device, str) and device.partition(":")[0].upper() == "CPU"


def _array(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return [_array(each) for each in x] if isinstance(x, list) else x
    array: Array = x.numpy()
    return array.astype(object) if x.dtype is suanzi.string else array


is_compatible = SuanziBackend.is_compatible
prepare = SuanziBackend.prepare
run_model = SuanziBackend.run_model
run_node = SuanziBackend.run_node
supports_device = SuanziBackend.supports_device
