"""Hints that repeat the arguments of a failed call in the order or form that Suanzi's function needs.

`OF_ERRORS` contains the functions that find a hint for an operator's error, and `OF_TOO_MANY` contains the functions
for calls with too many arguments, by the operator's name. Each function returns an empty text if it knows no hint.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

from suanzi.hints.answers import ROOT, at, elsewhere, operand, type_of
from suanzi.hints.literals import SHORT, written

Args = tuple[Any, ...]
Named = Mapping[str, Any]


def _library() -> Any:
    return sys.modules[ROOT]


def _is_tensor(x: Any) -> bool:
    return isinstance(x, _library().Tensor)


def _is_integer(n: Any) -> bool:
    return type(n) is int


def _argument(args: Args, named: Named, place: int, name: str) -> Any:
    return args[place] if len(args) > place else named.get(name)


# --- errors of operators ---


def of_gather(args: Args, named: Named, message: str) -> str:
    """Return the hint for a call with PyTorch's order: tensor, axis, index."""
    x, axis, index = (*args, None, None, None)[:3]
    if not (_is_tensor(x) and _is_integer(axis) and _is_tensor(index)):
        return ""
    return gather_along(x, axis, index)


def gather_along(x: Any, axis: int, index: Any) -> str:
    """Return the hint for PyTorch's `gather`, which is `take_along_axis` for tensors of several dimensions."""
    if not -x.ndim <= axis < x.ndim or not index.ndim == x.ndim > 1:
        return f"; the axis comes last: {ROOT}.gather(x, index, axis={axis})"
    along = axis % x.ndim
    ends = [
        ":" if at == along or n == m else f":{n}" for at, (n, m) in enumerate(zip(index.shape, x.shape, strict=True))
    ]
    part = "" if set(ends) == {":"} else f"[{', '.join(ends)}]"
    return f"; use {ROOT}.take_along_axis(x{part}, index, {axis})"


def _index_select(args: Args, named: Named, message: str) -> str:
    x, axis, index = (*args, None, None, None)[:3]
    if _is_tensor(x) and _is_integer(axis) and _is_tensor(index):
        return f"; the axis comes last: {ROOT}.index_select(x, index, axis={axis})"
    return ""


def _scatter(args: Args, named: Named, message: str) -> str:
    x, axis, index = (*args, None, None, None)[:3]
    if _is_tensor(x) and _is_integer(axis) and _is_tensor(index):
        return f"; the axis comes last: {ROOT}.scatter(x, index, updates, axis={axis})"
    return ""


def _place(name: str) -> Callable[[Args, Named, str], str]:
    def of_axes(args: Args, named: Named, message: str) -> str:
        """Return the hint for several axes of a function that accepts one axis."""
        x, axes = (*args, None)[0], _argument(args, named, 1, "axis")
        if "axis must be" not in message or not isinstance(axes, tuple | list) or not all(map(_is_integer, axes)):
            return ""
        along = sorted({axis % x.ndim for axis in axes})
        if along == list(range(x.ndim)):
            return f"; use {ROOT}.{name}({ROOT}.flatten(x))"
        if along == list(range(along[0], along[-1] + 1)):
            return f"; use {ROOT}.{name}({ROOT}.flatten(x, {along[0]}, {along[-1]}), axis={along[0]})"
        return ""

    return of_axes


def _sort(name: str) -> Callable[[Args, Named, str], str]:
    def of_order(args: Args, named: Named, message: str) -> str:
        order = _argument(args, named, 1, "axis")
        if isinstance(order, str) and order.lower().startswith("desc"):
            return f"; use {ROOT}.{name}(x, descending=True)"
        return ""

    return of_order


def of_keepdims(name: str, args: Args) -> str:
    """Return the hint for an element type or an axis that a call passes in the place of `keepdims`."""
    if len(args) < 3:
        return ""
    axis, given = args[1], args[2]
    if isinstance(axis, list) and not axis and _is_integer(given) and given > 0:  # max(x, [], 1) of MATLAB
        return f"; axes count from 0: {ROOT}.{name}(x, axis={given - 1})"
    dtype = None if isinstance(given, bool) else type_of(given)
    if not dtype or not (path := elsewhere("none", name)):
        return ""
    call = f"{ROOT}.{path}(x, axis={None if axis is None else written(axis, '0')}"
    if "dtype" in inspect.signature(at(path)).parameters:
        return f"; use dtype=: {call}, dtype={dtype!r})"
    return f"; use {call}).astype({dtype!r})"


def _conv(args: Args, named: Named, message: str) -> str:
    """Return the hint for a weight of another number of channels than the picture."""
    found = re.search(r"does not fit weight .* in (\d+) groups", message)
    shapes = [tuple(x.shape) for x in args[:2] if hasattr(x, "shape")]
    if found is None or len(shapes) != 2 or min(map(len, shapes)) < 3:
        return ""
    groups, (x, (out, channels, *kernel)) = int(found[1]), shapes
    if x[-1] == channels * groups:
        order = (0, len(x) - 1, *range(1, len(x) - 1))
        return f"; {ROOT}.transpose(x, {order}) makes the last axis the axis of channels"
    if groups > 1 and x[1] % groups == 0 and channels != x[1] // groups:
        shape = (out, x[1] // groups, *kernel)
        return f"; in {groups} groups the weight has the shape {shape}, which is (out, in / groups, ...)"
    if groups == 1 and channels and x[1] % channels == 0 and out % (x[1] // channels) == 0:
        return f"; use groups={x[1] // channels} for a weight of shape {(out, channels, *kernel)}"
    return f"; the shape of weight is (out, {x[1] // groups}, ...)" if x[1] % groups == 0 else ""


def _meshgrid(args: Args, named: Named, message: str) -> str:
    if not args or "is not a tensor" not in message or not all(isinstance(v, list | tuple | range) for v in args):
        return ""
    if any(_is_tensor(item) or isinstance(item, list | tuple) for vector in args for item in vector):
        return f"; use {ROOT}.meshgrid(*tensors)"
    calls = [f"{ROOT}.tensor({written(vector, 'data')})" for vector in args]
    return f"; use {ROOT}.meshgrid({', '.join(calls)})"


def _einsum(args: Args, named: Named, message: str) -> str:
    if len(args) == 2 and isinstance(args[1], list | tuple) and any(map(_is_tensor, args[1])):
        return f"; use {ROOT}.einsum({written(args[0], 'subscripts')}, *tensors)"
    if "different sizes" not in message or not isinstance(args[0], str) or not all(map(_is_tensor, args[1:])):
        return ""
    sizes: dict[str, int] = {}
    for subscripts, x in zip(args[0].replace(" ", "").partition("->")[0].split(","), args[1:], strict=True):
        if len(subscripts) != x.ndim or not subscripts.isalpha():
            return ""
        for letter, size in zip(subscripts, x.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                return f"; the letter {letter!r} stands for the sizes {sizes[letter]} and {size}"
    return ""


def _concat(args: Args, named: Named, message: str) -> str:
    """Return the hint for numbers and tensors without dimensions in the list."""
    items = args[0] if args and isinstance(args[0], list | tuple) else ()
    numbers = [item for item in items if type(item) in (bool, int, float, complex)]
    if numbers and len(numbers) == len(items):
        return operand(items)
    tensors = [item for item in items if _is_tensor(item)]
    if numbers and "is not a tensor" in message:
        return f"; use {ROOT}.tensor([{written(numbers[0], 'x')}])"
    if "differ in more" in message and {x.ndim for x in tensors} == {0, 1}:
        return "; x[None] is a vector with the one element of x"
    return ""


def _stack(args: Args, named: Named, message: str) -> str:
    items = args[0] if args and isinstance(args[0], list | tuple) else ()
    numbers = [item for item in items if type(item) in (bool, int, float, complex)]
    if numbers and len(numbers) == len(items):
        return operand(items)
    tensors = [item for item in items if _is_tensor(item)]
    if numbers and tensors and tensors[0].ndim:
        return f"; use {ROOT}.full_like(x, {written(numbers[0], 'number')})"
    return ""


def _probabilities(args: Args, named: Named, message: str) -> str:
    """Return the hint for probabilities that are not a tensor."""
    given = [x for x in args if not isinstance(x, _library().random.Generator)]
    if not given or not ("is not a tensor" in message or "seed must be" in message):
        return ""
    if isinstance(given[0], list | tuple):
        return operand(given[0])
    if isinstance(given[0], int | float):
        shape = given[1] if len(given) > 1 and isinstance(given[1], int | tuple) else (3,)
        shape = (shape,) if isinstance(shape, int) else shape
        return f"; the probabilities are a tensor: {ROOT}.full({written(shape, 'shape')}, {written(given[0], '0.5')})"
    return ""


_FILES = {
    "save": "numpy.save(file, x.numpy()) writes to a file object",
    "load": "suanzi.tensor(numpy.load(file)) reads from a file object",
    "loadtxt": "suanzi.tensor(numpy.loadtxt(lines)) reads from a file object, or from a list of lines",
}


def _file(name: str) -> Callable[[Args, Named, str], str]:
    def of_path(args: Args, named: Named, message: str) -> str:
        """Return the hint for a file object, or a list of lines, in place of a path."""
        given = args[0] if args else None
        if "is not a path" in message and (
            hasattr(type(given), "write") or hasattr(type(given), "read") or isinstance(given, list | tuple)
        ):
            return f"; files are named by paths; {_FILES[name]}"
        return ""

    return of_path


def _interpolate(args: Args, named: Named, message: str) -> str:
    if len(args) > 2 and isinstance(args[2], str):
        return f"; use mode=: {ROOT}.interpolate(x, {written(args[1], 'size')}, mode={args[2]!r})"
    return ""


def _sparse_tensor(args: Args, named: Named, message: str) -> str:
    """Return the hint for PyTorch's order: indices, values, size."""
    if "shape" not in message or not args:
        return ""
    if _is_tensor(args[0]):
        indices = "indices.T" if args[0].ndim == 2 else "indices"
    elif isinstance(args[0], list) and any(isinstance(row, list | tuple) for row in args[0]):
        indices = f"{ROOT}.tensor(indices, dtype='int64').T"
    else:
        return ""
    shape = written(tuple(args[2]), "shape") if len(args) > 2 and isinstance(args[2], tuple | list) else "shape"
    return f"; the shape comes first: use {ROOT}.sparse_tensor({shape}, {indices}, values)"


def _run(args: Args, named: Named, message: str) -> str:
    """Return the hint for inputs of a model that are neither a mapping nor a list, or have another element type."""
    if found := re.search(r"input '([^']*)' is tensor\((\w+)\), not tensor\((\w+)\)$", message):
        dtype = _ONNX_TYPES.get(found[3], found[3])
        return f"; use x.astype({dtype!r})"
    if found := re.search(r"input '(\w+)' is \w*(dict|Dict|mapping|Mapping)\w*, not a tensor", message):
        return f"; use model.run({{{found[1]!r}: x}}), or model({found[1]}=x)"
    if ": inputs are " in message:
        return "; use model.run([x]), or model(x)"
    return ""


_ONNX_TYPES = {"float": "float32", "double": "float64"}  # ONNX's names that differ from Suanzi's names of types

OF_ERRORS: dict[str, Callable[[Args, Named, str], str]] = {
    "argmax": _place("argmax"),
    "argmin": _place("argmin"),
    "argsort": _sort("argsort"),
    "bernoulli": _probabilities,
    "concat": _concat,
    "conv": _conv,
    "einsum": _einsum,
    "gather": of_gather,
    "index_select": _index_select,
    "interpolate": _interpolate,
    "load": _file("load"),
    "loadtxt": _file("loadtxt"),
    "meshgrid": _meshgrid,
    "multinomial": _probabilities,
    "run": _run,
    "save": _file("save"),
    "scatter": _scatter,
    "sort": _sort("sort"),
    "sparse_tensor": _sparse_tensor,
    "stack": _stack,
}


# --- too many arguments ---


def _full(args: Args) -> str:
    if len(args) > 2 and all(map(_is_integer, args[:-1])) and isinstance(args[-1], int | float | complex):
        return f"; use {ROOT}.full({written(args[:-1], 'shape')}, {written(args[-1], 'fill_value')})"
    return ""


def _transpose(args: Args) -> str:
    if len(args) == 3 and all(map(_is_integer, args[1:])):
        return f"; use {ROOT}.swapaxes(x, {args[1]}, {args[2]})"
    return ""


def _norm(name: str) -> Callable[[Args], str]:
    def of_order(args: Args) -> str:
        order = args[1] if len(args) == 2 else None
        if order in ("inf", "-inf"):
            return f"; use ord=: {ROOT}.{name}(x, ord={'-' if order == '-inf' else ''}math.inf)"
        if isinstance(order, int | float | str):
            return f"; use ord=: {ROOT}.{name}(x, ord={'math.inf' if order == float('inf') else repr(order)})"
        return ""

    return of_order


def _bernoulli(args: Args) -> str:
    return _probabilities(args, {}, "is not a tensor")


OF_TOO_MANY: dict[str, Callable[[Args], str]] = {
    "bernoulli": _bernoulli,
    "full": _full,
    "matrix_norm": _norm("matrix_norm"),
    "transpose": _transpose,
    "vector_norm": _norm("vector_norm"),
}
# Functions of two operands whose results can be combined with a third operand.
ASSOCIATIVE = ("add", "maximum", "minimum", "multiply", "logical_and", "logical_or", "logical_xor", "bitwise_and",
               "bitwise_or", "bitwise_xor", "logaddexp", "matmul")  # fmt: skip


def more_operands(path: str, last: str, parameters: Mapping[str, Any], args: Args, places: int) -> str:
    """Return the hint for an operand too many of an elementwise function."""
    if len(args) != places + 1 or not _is_tensor(args[-1]) or "out" not in parameters:
        return ""
    name = path.rpartition(".")[2]
    if last == "x2" and name in ASSOCIATIVE:
        return f"; use {path}({path}(x1, x2), x3), or out=x3 for the result"
    operands = "x1, x2" if last == "x2" else last
    return f"; use {path}({operands}, out=y) for a result in y" if last in ("x", "x2") else ""


# --- keywords ---


def of_keywords(path: str, args: Args, named: Named) -> str:
    """Return the hint for keywords whose values belong together, or an empty text."""
    name = path.rpartition(".")[2]
    if name == "gather" and _is_integer(named.get("dim")):
        index = _argument(args, named, 1, "index")
        if args and _is_tensor(args[0]) and _is_tensor(index) and index.ndim == args[0].ndim > 1:
            return gather_along(args[0], named["dim"], index)
    if name == "save" and args and named and "metadata" not in named and all(map(_is_tensor, named.values())):
        path = args[0] if isinstance(args[0], str) and args[0].endswith((".npz", ".safetensors")) else "x.npz"
        tensors = "{" + ", ".join(f"{key!r}: {key}" for key in named) + "}"
        return f"; use {ROOT}.save({written(path, 'path')}, {tensors if len(tensors) <= SHORT else 'tensors'})"
    if path == "run" and named and not args[1:] and "inputs" not in named:
        inputs = ", ".join(f"{key!r}: {key}" for key in named)
        return f"; use model.run({{{inputs}}})" if len(inputs) <= SHORT else ""
    return ""
