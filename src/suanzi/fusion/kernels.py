"""The source texts of kernels, which Triton compiles for the groups of a pass on a device.

Each program of a kernel computes a tile of rows and columns of the domain. Each program of a flat kernel computes a
piece of all elements. A kernel reads operands by their strides, which are 0 for broadcast dimensions. Dimensions that
are contiguous in all operands are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import torch

from suanzi.devices import front
from suanzi.devices.elementwise import WAYS
from suanzi.devices.triton import expressions, folds
from suanzi.devices.triton.expressions import TYPES
from suanzi.fusion.grouping import FULL, LEAD, Group
from suanzi.graph.node import Elementwise, Node, Reduction, Shape
from suanzi.graph.stand_ins import TracedNumber
from suanzi.tensor.dtypes import DType

MOST_INDEX = torch.iinfo(torch.int32).max


class Written(NamedTuple):
    """The source of a group's kernels, the nodes that the kernels read and write, and the floats of a launch."""

    source: str
    inputs: list[Node]
    outputs: list[Node]
    numbers: list[tuple[TracedNumber, DType]]
    wide: bool


# --- expressions of nodes ---


class Names:
    """The names of operands in expressions, in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: list[tuple[TracedNumber, DType]] = []

    def node(self, x: Node, reader: Node) -> str:
        return f"v{x.number}"

    def number(self, x: TracedNumber, dtype: DType) -> str:
        if (x, dtype) not in self.numbers:
            self.numbers.append((x, dtype))
        i = self.numbers.index((x, dtype))
        return f"number(a{i}, b{i}).to({expressions.in_registers(dtype)})"


def expression(node: Elementwise, names: Names, *, correct: bool) -> str | None:
    """Return the expression of a node, or None if kernels cannot compute the node."""
    record, count = node.record, len(node.record.operands)
    operands, options = list(node.arguments[:count]), node.arguments[count : count + len(record.options)]
    if any(x.dtype not in TYPES for x in (node, *node.operands)):
        return None
    if record.called == "astype":
        return expressions.converted(names.node(operands[0], node), operands[0].dtype, node.dtype)
    if any(x is not None for x in options):
        return None
    if record.called == "where":
        condition, *operands = operands
        if not isinstance(condition, Node):
            return None
        given = [_operand(x, node, node.dtype, names) for x in operands]
        if None in given:
            return None
        return f"tl.where({names.node(condition, node)} != 0, {given[0]}, {given[1]})"
    dtype = _computed_in(node, operands)
    if dtype not in TYPES:
        return None
    given = [None if x is None else _operand(x, node, dtype, names) for x in operands]
    if any(text is None and x is not None for text, x in zip(given, operands, strict=True)):
        return None
    text = expressions.written(node.name, dtype, given, correct=correct)
    return None if text is None else expressions.rounded(text, node.dtype)


def _operand(x: Any, reader: Node, dtype: DType, names: Names) -> str | None:
    if isinstance(x, Node):
        return expressions.converted(names.node(x, reader), x.dtype, dtype)
    if isinstance(x, TracedNumber):
        return names.number(x, dtype) if expressions.is_floating(dtype) else None
    return expressions.constant(x, dtype)


def _computed_in(node: Elementwise, operands: Sequence[Any]) -> DType | None:
    way = WAYS.get(node.name)
    if way is None or not way.operands:
        return node.dtype  # type: ignore[no-any-return]
    examples = [
        front.empty_of(x.dtype) if isinstance(x, Node) else 0.5 if isinstance(x, TracedNumber) else x for x in operands
    ]
    return front.promoted(node.record.name, examples, node.dtype)


def fold_type(fold: Reduction) -> DType:
    """Return the element type in which a kernel folds elements."""
    return folds.element_type(fold.name, fold.operand.dtype, fold.dtype)


def is_written(node: Node, *, correct: bool, long: bool = False) -> bool:
    """Return whether a kernel can compute a node. `long` is True for a fold whose rows do not fit one program."""
    if isinstance(node, Elementwise):
        return 0 not in node.shape and expression(node, Names(), correct=correct) is not None
    assert isinstance(node, Reduction)
    x, dtype = node.operand, fold_type(node)
    if 0 in x.shape or not node.axes or not {x.dtype, node.dtype, dtype} <= TYPES:
        return False
    if expressions.converted("", x.dtype, dtype) is None:
        return False
    if node.name in folds.VARIANCES:
        return not long and prod(x.shape[axis] for axis in node.axes) > node.correction
    return folds.accumulated(node.name, dtype, long=long) is not None


# --- memory layouts ---


def aligned(shape: Shape, strides: Shape, rank: int) -> Shape:
    """Return the strides of an operand along the `rank` dimensions of the shape to which the operand broadcasts."""
    missing = rank - len(shape)
    return (*(0,) * missing, *(0 if n == 1 else s for n, s in zip(shape, strides, strict=True)))


def merged(extents: Sequence[int], strides: list[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Merge neighbouring dimensions that one stride covers in all operands. Return the sizes, and the strides of each
    operand.
    """
    sizes: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, extent in enumerate(extents):
        if extent == 1:
            continue
        if sizes and all(own[-1] == given[axis] * extent for own, given in zip(steps, strides, strict=True)):
            sizes[-1] *= extent
            for own, given in zip(steps, strides, strict=True):
                own[-1] = given[axis]
            continue
        sizes.append(extent)
        for own, given in zip(steps, strides, strict=True):
            own.append(given[axis])
    return sizes, steps


def offset(index: str, extents: list[int], strides: list[int]) -> str:
    """Return the expression of an element's offset, computed from `index`, the element's row-major index. The
    expression is empty if all strides are 0.
    """
    terms = []
    inner = 1
    for axis in reversed(range(len(extents))):
        if strides[axis]:
            at = f"{index} // {inner}" if inner > 1 else index
            at = f"({at}) % {extents[axis]}" if axis else at
            terms.append(at if strides[axis] == 1 and inner == 1 and not axis else f"({at}) * {strides[axis]}")
        inner *= extents[axis]
    return " + ".join(reversed(terms))


# --- kernels ---


@dataclass
class Access:
    """The address of a value, as offsets along rows and along columns."""

    node: Node
    by_rows: bool  # True if the value has the layout of rows, not of the domain
    strides: Shape
    row: str = ""
    column: str = ""

    @property
    def offset(self) -> str:
        return " + ".join(filter(None, (self.row, self.column)))

    @property
    def mask(self) -> str:
        return "m" if self.row and self.column else "rm" if self.row else "cm"


@dataclass
class Writer(Names):
    """A writer of the kernel of one group."""

    group: Group
    strides: dict[Node, Shape]  # strides of all values that are read or written
    outputs: list[Node]
    correct: bool
    numbers: list[tuple[TracedNumber, DType]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    reads: dict[tuple[Node, bool], Access] = field(default_factory=dict)
    loaded: set[tuple[Node, bool]] = field(default_factory=set)
    indent: str = "    "

    # --- operands ---

    def node(self, x: Node, reader: Node) -> str:
        if x in self.group.forms:
            return f"v{x.number}"
        key = x, self.group.forms.get(reader) == LEAD
        if key not in self.loaded:
            self.loaded.add(key)
            access = self.reads[key]
            text = f"tl.load(x{x.number} + {access.offset}, {access.mask}, other=0)"
            if x.dtype in expressions.HALVES:
                text += ".to(tl.float32)"
            self.add(f"{self.name(key)} = {text}")
        return self.name(key)

    def name(self, key: tuple[Node, bool]) -> str:
        return f"{'l' if key[1] else 'v'}{key[0].number}"

    def add(self, line: str) -> None:
        self.lines.append(self.indent + line)

    # --- addresses ---

    def find_places(self) -> tuple[bool, list[Access]]:
        """Find the addresses that the kernel reads. Return whether offsets need 64 bits, and the addresses that the
        kernel writes.
        """
        group, writes = self.group, []
        for node in group.nodes:
            for x in dict.fromkeys(node.operands):
                key = x, group.forms[node] == LEAD
                if x not in group.forms and key not in self.reads:
                    self.reads[key] = self._access(*key, x.shape)
        for node in self.outputs if group.kind != "fold" else ():
            form = group.forms[node]
            writes.append(self._access(node, form == LEAD, node.shape))
        every = [*self.reads.values(), *writes]
        self._place(every)
        spans = [sum(abs(s) * (n - 1) for s, n in zip(x.strides, group.domain, strict=False)) for x in every]
        return max(*spans, prod(group.domain) + 2 * 2**20, 0) > MOST_INDEX, writes

    def _access(self, x: Node, by_rows: bool, shape: Shape) -> Access:
        group = self.group
        rank = len(group.lead) if by_rows else len(group.domain)
        strides = aligned(shape, self.strides[x], rank)
        return Access(x, by_rows, (*strides, *(0,) * (len(group.domain) - rank)))

    def _place(self, accesses: list[Access]) -> None:
        domain = self.group.domain
        rows, columns = self._axes()
        strides = [x.strides for x in accesses]
        for axes, index, name in ((rows, "i" if self.group.kind == "flat" else "r", "row"), (columns, "c", "column")):
            sizes, steps = merged([domain[a] for a in axes], [[s[a] for a in axes] for s in strides])
            for access, step in zip(accesses, steps, strict=True):
                setattr(access, name, offset(index, sizes, step))
        for access in accesses:
            if not access.column and not access.row:  # the value has one element, which all rows use
                access.row = "0 * i" if self.group.kind == "flat" else "0 * r"

    def _axes(self) -> tuple[list[int], list[int]]:
        """Return the dimensions whose indices select a row, and the dimensions whose indices select a column."""
        group = self.group
        every = list(range(len(group.domain)))
        if group.kind == "rows":
            return every[: len(group.lead)], every[len(group.lead) :]
        if group.kind == "fold":
            fold = group.nodes[-1]
            assert isinstance(fold, Reduction)
            return [a for a in every if a not in fold.axes], list(fold.axes)
        first = self.strides[self.outputs[0]]
        return sorted(every, key=lambda axis: (-first[axis], axis)), []

    # --- nodes ---

    def compute(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if isinstance(node, Reduction):
                self.fold(node)
            else:
                assert isinstance(node, Elementwise)
                text = expression(node, self, correct=self.correct)
                assert text is not None
                self.add(f"v{node.number} = {text}")

    def element(self, fold: Reduction) -> str:
        """Return the expression of the operand of `fold`, converted to the type in which `fold` folds elements."""
        text = expressions.converted(self.node(fold.operand, fold), fold.operand.dtype, fold_type(fold))
        assert text is not None
        return text

    def fold(self, fold: Reduction) -> None:
        """Write the fold of rows that each fit completely into one program of the kernel."""
        dtype, here = fold_type(fold), f"v{fold.number}"
        if fold.name in folds.VARIANCES:
            self._variance(fold, dtype, here)
            return
        kind = folds.accumulated(fold.name, dtype, long=False)
        assert kind is not None
        element = folds.entered(fold.name, dtype, self.element(fold))
        self.add(f"{here} = tl.where(m, {element}, {folds.neutral(fold.name, kind)}).to({kind})")
        self.add(f"{here} = {folds.folded(fold.name, here, kind)}")
        self.add(f"{here} = {folds.left(fold.name, dtype, fold.dtype, here, kind, 'N')}")

    def _variance(self, fold: Reduction, dtype: DType, here: str) -> None:
        kind = expressions.in_registers(dtype)
        self.add(f"{here} = {self.element(fold)}")
        self.add(f"d = {folds.folded('sum', f'tl.where(m, {here}, 0.0)', kind)}")
        self.add(f"d = {here} - {folds.left('mean', dtype, dtype, 'd', kind, 'N')}")
        self.add(f"d = {folds.folded('sum', 'tl.where(m, d * d, 0.0)', kind)}.to(tl.float64)")
        self.add(f"d = d / (N.to(tl.float64) - {fold.correction!r})")
        root = folds.of_variance(fold.name, "d")
        kind = expressions.in_registers(fold.dtype)
        self.add(f"{here} = {expressions.rounded(f'{root}.to({kind})', fold.dtype)}")

    # --- the source text ---

    def parameters(self) -> tuple[list[Node], list[str]]:
        inputs = list(dict.fromkeys(x for x, _ in self.reads))
        names = [f"x{x.number}" for x in inputs]
        return inputs, names

    def head(self, name: str, parameters: list[str], constants: list[str], kind: str = "") -> list[str]:
        """Return the lines of a kernel before the body. The first line lists the types of the parameters. `kind` is the
        element type of the parameter `partial`.
        """
        halves = [f"{letter}{i}" for i in range(len(self.numbers)) for letter in "ab"]
        given = ", ".join([*parameters, *(f"{x}: tl.constexpr" for x in constants)])
        fixed = f"(do_not_specialize={halves})" if halves and halves[0] in parameters else ""
        kinds = {f"{letter}{x.number}": x.dtype.name for letter in "xyl" for x in self.strides} | {"partial": kind}
        types = ", ".join(expressions.in_memory(kinds[x]) if x in kinds else "i32" for x in parameters)
        return [f"# {name}: {types}", f"@triton.jit{fixed}", f"def {name}({given}):"]

    def written(self) -> Written:
        wide, writes = self.find_places()
        return self._fold_source(wide) if self.group.kind == "fold" else self._source(wide, writes)

    def _number_names(self) -> list[str]:
        return [f"{letter}{i}" for i in range(len(self.numbers)) for letter in "ab"]

    def _source(self, wide: bool, writes: list[Access]) -> Written:
        long = ".to(tl.int64)" if wide else ""
        program = f"tl.program_id(0){long}"
        flat = self.group.kind == "flat"
        if flat:
            self.add(f"i = {program} * BLOCK + tl.arange(0, BLOCK)")
            self.add("m = i < N")
            self.add("rm = m")
        else:
            self.add(f"r = tl.expand_dims({program} * ROWS + tl.arange(0, ROWS), 1)")
            self.add(f"c = tl.expand_dims(tl.arange(0, BLOCK){long}, 0)")
            self.add("rm, cm = r < R, c < N")
            self.add("m = rm & cm")
        self.compute(self.group.nodes)
        for access in writes:
            tile = not flat and self.group.forms[access.node] == FULL
            at = f"{access.offset} + 0 * r + 0 * c" if tile and access.mask != "m" else access.offset
            self.add(f"tl.store(y{access.node.number} + {at}, v{access.node.number}, {'m' if tile else 'rm'})")
        inputs, names = self.parameters()
        names += [f"y{x.number}" for x in self.outputs] + self._number_names()
        sizes = ["N"] if flat else ["R", "N"]
        head = self.head("kernel", names + sizes, ["BLOCK"] if flat else ["ROWS", "BLOCK"])
        return Written("\n".join((*head, *self.lines)) + "\n", inputs, self.outputs, self.numbers, wide)

    def _fold_source(self, wide: bool) -> Written:
        fold = self.group.nodes[-1]
        assert isinstance(fold, Reduction)
        dtype = fold_type(fold)
        kind = folds.accumulated(fold.name, dtype, long=True)
        assert kind is not None
        nothing = folds.neutral(fold.name, kind)
        long = ".to(tl.int64)" if wide else ""
        self._piece_begins(nothing, long, "CHUNK", "tl.program_id(1)" + long + " * CHUNK + ")
        self.compute(self.group.nodes[:-1])
        element = folds.entered(fold.name, dtype, self.element(fold))
        self._piece_ends(fold.name, kind, f"tl.where(m, {element}, {nothing}).to({kind})")
        self.add("tl.store(partial + tl.program_id(1) * R + r, t, rm)")
        inputs, names = self.parameters()
        numbers = self._number_names()
        first = self.head("kernel", [*names, "partial", *numbers, "R", "N", "CHUNK"], ["ROWS", "BLOCK"], kind[3:])
        source = [*first, *self.lines, ""]
        self.lines = []
        self._piece_begins(nothing, "", "S", "")
        self._piece_ends(fold.name, kind, f"tl.where(m, tl.load(partial + c * R + r, m, other=0), {nothing})", "S")
        self.add(f"t = {folds.left(fold.name, dtype, fold.dtype, 't', kind, 'N')}")
        self.add(f"tl.store(y{fold.number} + r, t, rm)")
        last = self.head("last", ["partial", f"y{fold.number}", "R", "N", "S"], ["ROWS", "BLOCK"], kind[3:])
        source += [*last, *self.lines]
        return Written("\n".join(source) + "\n", inputs, self.outputs, self.numbers, wide)

    def _piece_begins(self, nothing: str, long: str, size: str, start: str) -> None:
        self.add(f"r = tl.expand_dims(tl.program_id(0){long} * ROWS + tl.arange(0, ROWS), 1)")
        self.add("rm = r < R")
        self.add(f"t = tl.broadcast_to({nothing}, [ROWS, BLOCK])")
        self.add(f"for j in range(0, {size}, BLOCK):")
        self.indent = "        "
        self.add(f"c = tl.expand_dims({start}j + tl.arange(0, BLOCK), 0)")
        self.add(f"cm = c < {'N' if start else size}")
        self.add("m = rm & cm")

    def _piece_ends(self, name: str, kind: str, element: str, size: str = "") -> None:
        self.add(f"e = {element}")
        self.add(f"t = {folds.combined(name, 't', 'e')}")
        self.indent = "    "
        self.add(f"t = {folds.folded(name, 't', kind)}")
