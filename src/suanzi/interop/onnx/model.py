"""Models that run: loading, feeding, and the loop over a plan's calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import suanzi
from suanzi import (
    AllocFailedError,
    DimensionsMismatchError,
    DType,
    InternalError,
    InvalidArgumentError,
    SuanziError,
    Tensor,
    TypeMismatchError,
)
from suanzi.interop.files import reason
from suanzi.interop.onnx.plan import Input, Plan, Step, make_plan
from suanzi.interop.onnx.source import Source, read
from suanzi.interop.onnx.types import UnsupportedError, listed
from suanzi.tensor.exchange import taken
from suanzi.tensor.messages import shown

Feed = Mapping[str, Any] | Sequence[Any]

# What Python's own code raises where it is given something else than it can work with.
_UNSUITABLE = (ArithmeticError, LookupError, TypeError, ValueError)
_TEXTS = (str, bytes, bytearray, memoryview)  # sequences, but not of tensors


class Model:
    """An ONNX model, ready to run as often as one likes, from several threads at once.

    Attributes
    ----------
    inputs, outputs : tuple of str
        Their names, in the model's order; of the inputs those without a default.
    metadata : dict of str to str
        What the model's maker has to say.

    Examples
    --------
    >>> import onnx.parser, suanzi
    >>> from suanzi.interop.onnx import load
    >>> text = '<ir_version: 8, opset_import: ["": 14]> g (float[n] A, float[n] B) => (float[n] C) { C = Mul(A, B) }'
    >>> model = load(onnx.parser.parse_model(text))
    >>> model.inputs, model.outputs
    (('A', 'B'), ('C',))
    >>> model.run({"A": suanzi.tensor([1, 2, 3]), "B": suanzi.tensor([4, 5, 6])})
    (tensor([ 4., 10., 18.]),)
    """

    def __init__(self, plan: Plan, metadata: Mapping[str, str]) -> None:
        self._plan = plan
        self._known: tuple[list[tuple[int, ...]], list[Any]] = [], []  # of the last run: shapes, and their numbers
        self.inputs = tuple(each.name for each in plan.inputs if not each.is_optional)
        self.outputs = plan.outputs
        self.metadata = dict(metadata)

    def describe(self) -> tuple[Input, ...]:
        """The inputs with their declared types and shapes, those with a default included."""
        return self._plan.inputs

    def run(self, inputs: Feed) -> tuple[Tensor, ...]:
        """The outputs for some inputs.

        Parameters
        ----------
        inputs : mapping of str to Tensor or array, or sequence of them
            By name, or in the order of `inputs`. Arrays are used where they lie.

        Returns
        -------
        tuple of Tensor
            In the order of `outputs`. What is not computed but only viewed (by Identity, Reshape, Transpose) may share
            the memory of an input, or of the model, of which views are read-only.

        Raises
        ------
        TypeMismatchError, DimensionsMismatchError, InvalidArgumentError
            An input is not as the model declares it, is missing, or is none of the model's.
        SuanziError
            As the operators; a note names the node.
        """
        plan = self._plan
        slots = plan.slots.copy()
        label = ""
        try:
            self._feed(slots, inputs if type(inputs) is dict or isinstance(inputs, Mapping) else self._named(inputs))
            steps, shapes = self._steps(slots)
            for function, operands, output, several, dead, label in steps:
                found = function(*operands(slots))
                if several is None:
                    slots[output] = found
                else:
                    if len(found) < len(several):
                        raise UnsupportedError(f"{label}: only {len(found)} of its results are supported")
                    for slot, each in zip(several, found, strict=False):
                        slots[slot] = each
                for slot in dead:
                    slots[slot] = None
        except SuanziError as error:
            if label:
                error.add_note(f"in {label}")
            raise
        except Exception as error:
            raise _ours(error, label or "run") from error
        if shapes:
            self._known = shapes, [slots[slot] for slot in plan.numbers]
        return tuple(plan.results(slots))

    def _steps(self, slots: list[Any]) -> tuple[tuple[Step, ...], list[tuple[int, ...]]]:
        """What is to be called; where that gives numbers to remember, also the shapes from which they follow."""
        plan = self._plan
        if not plan.numbers:
            return plan.steps, []
        shapes = [slots[each.slot].shape for each in plan.inputs]
        before, numbers = self._known  # another thread may set it to what follows from other shapes
        if shapes != before:
            return plan.steps, shapes
        for slot, each in zip(plan.numbers, numbers, strict=True):
            slots[slot] = each
        return plan.brief, []

    def _named(self, inputs: Sequence[Any]) -> dict[str, Any]:
        if not (type(inputs) in (list, tuple) or (isinstance(inputs, Sequence) and not isinstance(inputs, _TEXTS))):
            raise TypeMismatchError(f"run: inputs are {type(inputs).__name__}, not a mapping or a sequence of tensors")
        names = self.inputs
        if len(inputs) != len(names):  # perhaps those with a default are there as well
            names = tuple(each.name for each in self._plan.inputs)
        if len(inputs) != len(names):
            raise InvalidArgumentError(f"run: {len(inputs)} inputs are not {len(self.inputs)}")
        return dict(zip(names, inputs, strict=True))

    def _feed(self, slots: list[Any], inputs: Mapping[str, Any]) -> None:
        """Put the inputs into their slots, checked against what the model declares."""
        left = len(inputs)
        for name, slot, dtype, shape, fixed, is_optional in self._plan.inputs:
            if name in inputs:
                left -= 1
                x = inputs[name]
                if type(x) is not Tensor:
                    x = _as_tensor(x, dtype)
                if x.dtype is not dtype:
                    raise TypeMismatchError(f"run: input {shown(name)} is {listed([x.dtype])}, not {listed([dtype])}")
                if shape is not None:
                    sizes = x.shape
                    if len(sizes) != len(shape):
                        raise _mismatch(name, sizes, shape)
                    for axis, size in fixed:
                        if sizes[axis] != size:
                            raise _mismatch(name, sizes, shape)
                slots[slot] = x
            elif not is_optional:
                raise InvalidArgumentError(f"run: input {shown(name)} is missing")
        if left:
            strange = [name for name in inputs if name not in {each.name for each in self._plan.inputs}]
            raise InvalidArgumentError(
                f"run: {shown(strange)} are not inputs of the model, which has {shown(self.inputs)}"
            )


def _ours(error: Exception, what: str) -> SuanziError:
    """What Python or a library raised while a model was loaded or run, as an error of ours."""
    if isinstance(error, MemoryError):
        return AllocFailedError(f"{what}: {str(error) or 'there is no memory for it'}")
    # _UNSUITABLE: an operand of the wrong rank or kind, or names that are not UTF-8, which the parser lets through
    return (InvalidArgumentError if isinstance(error, _UNSUITABLE) else InternalError)(f"{what}: {reason(error)}")


def _mismatch(name: str, shape: tuple[int, ...], declared: tuple[int | None, ...]) -> DimensionsMismatchError:
    sizes = tuple("?" if size is None else size for size in declared)
    return DimensionsMismatchError(f"run: input {shown(name)} has shape {shape}, the model declares {sizes}")


def _as_tensor(value: Any, dtype: DType) -> Tensor:
    """What is not a tensor as one; numbers without a type take the declared one."""
    if isinstance(value, np.ndarray) and value.dtype == dtype.numpy:
        return taken(value, dtype, "run")
    return suanzi.tensor(value, dtype=None if isinstance(value, np.ndarray | np.generic) else dtype)


def load(source: Source) -> Model:
    """A model from a path, bytes or a ModelProto.

    Parameters
    ----------
    source : str, PathLike, bytes or onnx.ModelProto
        External data are read where the model comes from a path, from its folder only.

    Returns
    -------
    Model

    Raises
    ------
    InvalidArgumentError
        The model is malformed. As `UnsupportedError`: it is sound, but needs what is not translated.
    TypeMismatchError
        An operator's version does not take an element type that it is given.
    """
    try:
        proto, folder = read(source)
        return Model(make_plan(proto, folder), {entry.key: entry.value for entry in proto.metadata_props})
    except SuanziError:
        raise
    except Exception as error:
        raise _ours(error, "onnx: the model is malformed") from error


def run(source: Source, inputs: Feed) -> tuple[Tensor, ...]:
    """Load a model and run it once; see `load` and `Model.run`."""
    return load(source).run(inputs)
