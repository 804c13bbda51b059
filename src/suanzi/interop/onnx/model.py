"""ONNX models that are ready to run: loading, the check of inputs, and runs."""

from __future__ import annotations

import gc
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, NoReturn

import suanzi
from suanzi import (
    DType,
    InvalidArgumentError,
    SuanziError,
    Tensor,
    TypeMismatchError,
    tuning,
)
from suanzi.interop.onnx.declared import agree
from suanzi.interop.onnx.folding import read_only
from suanzi.interop.onnx.fused import Trial
from suanzi.interop.onnx.plan import Input, Plan, make_plan
from suanzi.interop.onnx.running import begin, call_all, ours
from suanzi.interop.onnx.schedule import Step, with_last_uses
from suanzi.interop.onnx.shapes import InputShapes, Optimize, check_shape, mismatch, shapes_of
from suanzi.interop.onnx.source import Source, read
from suanzi.interop.onnx.values import as_given, as_value, shape_of
from suanzi.tensor.absent import missing
from suanzi.tensor.composed import explained, with_own_tiles
from suanzi.tensor.messages import outer_frame, shown

Feed = Mapping[str, Any] | Sequence[Any]
Shapes = tuple[tuple[int, ...], ...]


_TEXTS = (str, bytes, bytearray, memoryview)  # types of sequences whose items are never tensors


class _Known(NamedTuple):
    """The values that depend only on the shapes of a model's inputs, and the steps of a run that starts with these
    values.
    """

    numbers: list[Any]
    steps: tuple[Step, ...]


class Model:
    """An ONNX model that is ready to run any number of times, from several threads at once.

    Attributes
    ----------
    inputs : tuple of str
        The names of the inputs without a default, in the model's order.
    outputs : tuple of str
        The names of the outputs, in the model's order.
    metadata : dict of str to str
        The texts that the model's maker has stored in the model.

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

    def __init__(self, plan: Plan, metadata: Mapping[str, str], shapes: tuple[InputShapes, ...] = ()) -> None:
        self._plan = plan
        self._shapes = shapes
        self._known: OrderedDict[Shapes, _Known] = OrderedDict()  # known values by the input shapes of the last runs
        self._optimized: dict[Shapes, _Known] = {}
        self.inputs = tuple(each.name for each in plan.inputs if not each.is_optional)
        self.outputs = plan.outputs
        self.metadata = dict(metadata)
        self._warned: set[int] = set()  # the outputs with a wrong declared shape of which a run has warned
        self._optimize()

    def __repr__(self) -> str:
        return f"<Model with the inputs {shown(self.inputs)} and the outputs {shown(self.outputs)}>"

    def __getattr__(self, name: str) -> NoReturn:
        raise missing("Model", name, self)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling. The state lacks the values and fused programs that runs have made, because
        another process makes the values and programs again.
        """
        return self.__dict__ | {"_known": OrderedDict(), "_optimized": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._optimize()

    @with_own_tiles
    def _optimize(self) -> None:
        """Fuse chains of large calls for inputs of the shapes that `load` has received.

        A run on zeros traces the chains. If the run fails, perhaps because of the zeros, no chain is fused.
        """
        plan = self._plan
        for shapes in self._shapes:
            feed = zip(plan.inputs, shapes, strict=True)
            zeros = {
                each.slot: suanzi.zeros(shape, dtype=each.dtype)
                for each, shape in feed
                if shape is not None and isinstance(each.dtype, DType)
            }
            with suppress(SuanziError):
                begin()
                numbers = self._numbers(zeros)
                if not plan.parts:
                    self._optimized[self._shapes_in(self._filled(zeros))] = _Known(numbers, plan.brief)
                    continue
                trial, slots = Trial(plan.parts), self._filled(zeros)
                self._set_numbers(slots, numbers)
                key = self._shapes_in(slots)
                call_all(with_last_uses(trial.calls(), plan.kept), slots)
                self._optimized[key] = _Known(numbers, with_last_uses(trial.better(), plan.kept))

    def _filled(self, inputs: Mapping[int, Tensor]) -> list[Any]:
        slots = self._plan.slots.copy()
        for slot, x in inputs.items():
            slots[slot] = x
        return slots

    def _numbers(self, inputs: Mapping[int, Tensor]) -> list[Any]:
        """Return the values that depend only on the shapes of the inputs. All runs on inputs of these shapes share the
        values.
        """
        slots = self._filled(inputs)
        if self._plan.numbers:
            call_all(self._plan.steps, slots)
        return self._numbers_in(slots)

    def _numbers_in(self, slots: Sequence[Any]) -> list[Any]:
        """Return the values of a run that depend only on shapes. Tensors become read-only copies, because a graph in a
        node may return the tensors to the user.
        """
        found = [slots[slot] for slot in self._plan.numbers]
        return [read_only(suanzi.clone(x)) if type(x) is Tensor else x for x in found]

    def _set_numbers(self, slots: list[Any], numbers: Iterable[Any]) -> None:
        for slot, each in zip(self._plan.numbers, numbers, strict=True):
            slots[slot] = each

    def _shapes_in(self, slots: Sequence[Any]) -> Shapes:
        values = [slots[each.slot] for each in self._plan.inputs]
        return tuple([x.shape if type(x) is Tensor else shape_of(x) for x in values])

    def describe(self) -> tuple[Input, ...]:
        """Return all inputs, including inputs with a default, with the declared types and shapes."""
        return self._plan.inputs

    def __call__(self, /, *inputs: Any, **named: Any) -> Any:
        """Run the model on inputs by position or by name.

        Parameters
        ----------
        *inputs : Tensor or array
            The first inputs, in the order of `inputs`.
        **named : Tensor or array
            The other inputs, by name.

        Returns
        -------
        Tensor or tuple of Tensor
            The output, or a tuple of several outputs in the order of `outputs`.

        Raises
        ------
        SuanziError
            An error that `run` raises for the inputs. If an input is given twice, the status is INVALID_ARGUMENT.

        Examples
        --------
        >>> import onnx.parser, suanzi
        >>> from suanzi.interop.onnx import load
        >>> graph = "g (float[n] A, float[n] B) => (float[n] C) { C = Mul(A, B) }"
        >>> model = load(onnx.parser.parse_model('<ir_version: 8, opset_import: ["": 14]> ' + graph))
        >>> model(suanzi.tensor([1, 2, 3]), B=suanzi.tensor([4, 5, 6]))
        tensor([ 4., 10., 18.])
        """
        if not named:
            results = self.run(inputs)
        elif len(inputs) > len(self.inputs):
            raise InvalidArgumentError(
                f"run: {len(inputs)} inputs are given by position, but the model has {len(self.inputs)}"
            )
        elif twice := [name for name in self.inputs[: len(inputs)] if name in named]:
            raise InvalidArgumentError(f"run: {shown(twice)} are given by position and by name")
        else:
            results = self.run({**dict(zip(self.inputs, inputs, strict=False)), **named})
        return results[0] if len(results) == 1 else results

    @with_own_tiles
    def run(self, inputs: Feed) -> tuple[Tensor, ...]:
        """Return the outputs of the model for the given inputs.

        Parameters
        ----------
        inputs : mapping of str to Tensor or array, or sequence of them
            The inputs by name, or in the order of `inputs`. The run reads arrays in place, without a copy. A sequence
            is a list or a tuple of tensors or arrays, and None means an absent optional value.

        Returns
        -------
        tuple of Tensor
            The outputs, in the order of `outputs`: a sequence is a list of tensors, and an absent optional value is
            None. Views (by Identity, Reshape, Transpose) may share the memory of an input or of the model. Views of the
            model are read-only.

        Raises
        ------
        TypeMismatchError, DimensionsMismatchError, InvalidArgumentError
            An input differs from the model's declaration, is missing, or is not an input of the model.
        SuanziError
            The error of an operator. A note names the node.

        Warns
        -----
        RuntimeWarning
            An output has a shape other than the shape that the model declares. Each output of a model causes at most
            one warning.
        """
        plan = self._plan
        slots = plan.slots.copy()
        try:
            self._feed(slots, inputs if type(inputs) is dict or isinstance(inputs, Mapping) else self._named(inputs))
        except SuanziError:
            raise
        except Exception as error:
            raise ours(error, "run") from error
        if plan.has_graphs:
            begin()
        steps, unknown = self._steps(slots)
        call_all(steps, slots)
        if unknown is not None:
            self._remember(unknown, slots)
        results = tuple(plan.results(slots))
        if not plan.gives_tensors:
            results = tuple(map(as_given, results))
        for i, declared in plan.declared:
            found = results[i].shape if plan.gives_tensors else shape_of(results[i])
            if i not in self._warned and not agree(found, declared):
                self._warned.add(i)
                warnings.warn(mismatch("run", "output", plan.outputs[i], found, declared), RuntimeWarning, 2)
        return results

    def _steps(self, slots: list[Any]) -> tuple[tuple[Step, ...], Shapes | None]:
        """Return the steps of a run, and the shapes of the inputs if the run keeps values that depend on these
        shapes.
        """
        plan = self._plan
        if not (plan.numbers or self._optimized):
            return plan.steps, None
        shapes = self._shapes_in(slots)
        known = self._optimized.get(shapes)
        if known is None:
            if not plan.numbers:
                return plan.steps, None
            known = self._known.get(shapes)
            if known is None:
                return plan.steps, shapes
            if len(self._known) > 1:
                with suppress(KeyError):  # another thread may have removed the key
                    self._known.move_to_end(shapes)
        self._set_numbers(slots, known.numbers)
        return known.steps, None

    def _remember(self, shapes: Shapes, slots: list[Any]) -> None:
        self._known[shapes] = _Known(self._numbers_in(slots), self._plan.brief)
        if len(self._known) > tuning.MOST_SHAPES:
            self._known.popitem(last=False)

    def _named(self, inputs: Sequence[Any]) -> dict[str, Any]:
        if not (type(inputs) in (list, tuple) or (isinstance(inputs, Sequence) and not isinstance(inputs, _TEXTS))):
            raise TypeMismatchError(f"run: inputs are {type(inputs).__name__}, not a mapping or a sequence of tensors")
        names = self.inputs
        if len(inputs) != len(names):  # the values may include inputs with a default
            names = tuple(each.name for each in self._plan.inputs)
        if len(inputs) != len(names):
            raise InvalidArgumentError(f"run: {len(inputs)} inputs are given, but the model has {len(self.inputs)}")
        return dict(zip(names, inputs, strict=True))

    def _feed(self, slots: list[Any], inputs: Mapping[str, Any]) -> None:
        """Check the inputs against the model's declarations, and put each input into the input's slot."""
        left = len(inputs)
        for each in self._plan.inputs:
            name, slot, dtype, shape, _, is_optional = each
            if name in inputs:
                left -= 1
                x = inputs[name]
                if type(x) is not Tensor or x.dtype is not dtype:
                    x = as_value(x, dtype, f"run: input {shown(name)}")
                if shape is not None:
                    check_shape("run", each, x.shape)
                slots[slot] = x
            elif not is_optional:
                self._refuse_strange(inputs)
                raise InvalidArgumentError(f"run: input {shown(name)} is missing")
        if left:
            self._refuse_strange(inputs)

    def _refuse_strange(self, inputs: Mapping[str, Any]) -> None:
        strange = [name for name in inputs if name not in {each.name for each in self._plan.inputs}]
        if strange:
            raise InvalidArgumentError(
                f"run: {shown(strange)} are not inputs of the model, which has {shown(self.inputs)}"
            )


@explained
def load(source: Source, *, optimize: Optimize = False) -> Model:
    """Load a model from a path, bytes or a ModelProto.

    Parameters
    ----------
    source : str, PathLike, bytes or onnx.ModelProto
        The model. `load` reads external data only for a model from a path, and only from the folder of the model's
        file.
    optimize : bool, mapping of str to shape, or sequence of such mappings, optional
        The shapes of inputs for which `load` optimises the model: a mapping from the names of inputs to shapes, or
        several mappings for several sets of shapes. An input that a mapping does not name has its declared shape. True
        means the declared shapes. With False, the default, `load` optimises nothing. Runs on inputs of the given shapes
        call functions that `suanzi.fuse` makes of chains of nodes. The runs return the same bits in less time. To make
        these functions, `load` runs the model at most twice on zeros for each set of shapes. If a run fails, `load`
        fuses nothing for these shapes.

    Returns
    -------
    Model

    Raises
    ------
    InvalidArgumentError
        The model is malformed, or `optimize` has names that are not inputs, or `optimize` leaves sizes open. The
        subclass `UnsupportedError` means that the model is valid, but needs a feature that Suanzi does not support.
    TypeMismatchError, DimensionsMismatchError
        An operator does not accept the element type of an operand, or returns a type other than the declared type. The
        error is also raised if `optimize` has none of the types above, or a shape that differs from the declared shape.

    Warns
    -----
    RuntimeWarning
        The model declares a shape for a value between nodes that differs from the shape that the operator returns. The
        model runs as if the model declared no shape for this value. `Model.run` checks the shapes of the outputs.

    Examples
    --------
    >>> import onnx.parser, suanzi
    >>> from suanzi.interop.onnx import load
    >>> text = '<ir_version: 8, opset_import: ["": 14]> g (float[n] A) => (float[n] C) { B = Exp(A)  C = Neg(B) }'
    >>> model = load(onnx.parser.parse_model(text), optimize={"A": (100000,)})
    >>> model.run([suanzi.zeros(100000)])[0][:3]
    tensor([-1., -1., -1.])
    """
    try:
        with _without_collector():
            stored = read(source, in_parts=True)
            plan, metadata = make_plan(stored), {entry.key: entry.value for entry in stored.model.metadata_props}
    except SuanziError:
        raise
    except Exception as error:
        raise ours(error, "onnx: the model is malformed") from error
    if plan.faults:
        others = f"; {len(plan.faults) - 1} more" if plan.faults[1:] else ""
        _, level = outer_frame()
        warnings.warn(plan.faults[0] + others, RuntimeWarning, level)
    return Model(plan, metadata, shapes_of(optimize, plan.inputs))


@contextmanager
def _without_collector() -> Iterator[None]:
    """Turn off Python's collector of cyclic garbage within a `with` block.

    Loading makes many objects and no cycles, but the number of objects starts the collector, which may then visit all
    objects of the process: 10 to 20 ms in a process with many modules. At the end of the block, the collector visits
    only the new objects.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.collect(0)
            gc.enable()


def run(source: Source, inputs: Feed) -> tuple[Tensor, ...]:
    """Load a model and run the model once, as `load` and `Model.run` do."""
    return load(source).run(inputs)
