"""Models that run: loading, feeding, and the loop over a plan's calls."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
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
from suanzi.interop.onnx.declared import agree
from suanzi.interop.onnx.fused import Trial
from suanzi.interop.onnx.plan import Input, Plan, Step, make_plan, with_last_uses
from suanzi.interop.onnx.source import Source, read
from suanzi.interop.onnx.types import UnsupportedError, listed
from suanzi.tensor.composed import with_own_tiles
from suanzi.tensor.exchange import taken
from suanzi.tensor.messages import shown

Feed = Mapping[str, Any] | Sequence[Any]
Shapes = tuple[tuple[int, ...], ...]

# What is remembered for shapes: those used longest ago are forgotten.
_MOST_SHAPES = 16
# Which run on inputs of the same shapes fuses chains: tracing one may take as long as a small model runs, and shapes
# that come a few times only would pay for it without a gain.
_FUSING_RUN = 8

# What Python's own code raises where it is given something else than it can work with.
_UNSUITABLE = (ArithmeticError, LookupError, TypeError, ValueError)
_TEXTS = (str, bytes, bytearray, memoryview)  # sequences, but not of tensors


@dataclass(slots=True)
class _Known:
    """What follows from the shapes of the inputs."""

    numbers: list[Any]
    steps: tuple[Step, ...]
    runs: int = 0


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
        self._known: OrderedDict[Shapes, _Known] = OrderedDict()  # of the inputs of some of the last runs
        self.inputs = tuple(each.name for each in plan.inputs if not each.is_optional)
        self.outputs = plan.outputs
        self.metadata = dict(metadata)

    def __getstate__(self) -> dict[str, Any]:
        """Without what runs have taught: fused programs are of this process."""
        return self.__dict__ | {"_known": OrderedDict()}

    def describe(self) -> tuple[Input, ...]:
        """The inputs with their declared types and shapes, those with a default included."""
        return self._plan.inputs

    @with_own_tiles
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
            An input is not as the model declares it, is missing, or is none of the model's; or an output has not the
            shape that the model declares.
        SuanziError
            As the operators; a note names the node.
        """
        plan = self._plan
        slots = plan.slots.copy()
        label = ""
        try:
            self._feed(slots, inputs if type(inputs) is dict or isinstance(inputs, Mapping) else self._named(inputs))
            steps, after = self._steps(slots)
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
        if after is not None:
            after(slots)
        results = tuple(plan.results(slots))
        for i, declared in plan.declared:
            if not agree(results[i].shape, declared):
                raise _mismatch("output", plan.outputs[i], results[i].shape, declared)
        return results

    def _steps(self, slots: list[Any]) -> tuple[tuple[Step, ...], Callable[[list[Any]], None] | None]:
        """What is to be called, and afterwards what learns from the slots how to run on inputs of the same shapes."""
        plan = self._plan
        if not (plan.numbers or plan.parts):
            return plan.steps, None
        shapes = tuple([slots[each.slot].shape for each in plan.inputs])
        known = self._known.get(shapes)
        if known is None:
            return plan.steps, partial(self._remember, shapes)
        for slot, each in zip(plan.numbers, known.numbers, strict=True):
            slots[slot] = each
        if len(self._known) > 1:
            with suppress(KeyError):  # another thread had it forgotten
                self._known.move_to_end(shapes)
        runs = known.runs = known.runs + 1  # its own number for each thread, or one for two: never none
        if runs == _FUSING_RUN and plan.parts:
            trial = Trial(plan.parts)

            def choose(_: list[Any]) -> None:
                known.steps = with_last_uses(trial.better(), plan.kept)

            return with_last_uses(trial.calls(), plan.kept), choose
        return known.steps, None

    def _remember(self, shapes: Shapes, slots: list[Any]) -> None:
        self._known[shapes] = _Known([slots[slot] for slot in self._plan.numbers], self._plan.brief)
        if len(self._known) > _MOST_SHAPES:
            self._known.popitem(last=False)

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
                        raise _mismatch("input", name, sizes, shape)
                    for axis, size in fixed:
                        if sizes[axis] != size:
                            raise _mismatch("input", name, sizes, shape)
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


def _mismatch(
    kind: str, name: str, shape: tuple[int, ...], declared: tuple[int | None, ...]
) -> DimensionsMismatchError:
    sizes = tuple("?" if size is None else size for size in declared)
    return DimensionsMismatchError(f"run: {kind} {shown(name)} has shape {shape}, the model declares {sizes}")


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
    TypeMismatchError, DimensionsMismatchError
        An operator's version does not take an element type that it is given, or does not make the type or the shape
        that the model declares.
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
