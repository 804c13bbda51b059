"""The hint at the end of an error message. The hint names the code to write instead. Suanzi loads this module when an
error occurs.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from suanzi.hints import functions, parts, tensors, words
from suanzi.hints.literals import SHORT, written

_QUOTED = re.compile(r"(?<!\w)'([^']*)'")
ROOT = "suanzi"


def as_code(answer: Callable[..., str]) -> Callable[..., str]:
    """Return a function that calls `answer` and puts the quoted texts of the result in double quotes, as in the
    documents.
    """

    @functools.wraps(answer)
    def call(*args: Any) -> str:
        return _QUOTED.sub(r'"\1"', answer(*args))

    return call


# --- names of functions and parts ---


@as_code
def of_name(part: str, name: str) -> str:
    """Return the hint for a name that a module of Suanzi lacks. `part` is the module's name below `suanzi`, such as
    ``"random"``, or ``""`` for `suanzi` itself.

    Examples
    --------
    >>> of_name("", "cat")
    '; use suanzi.concat([a, b], axis=0)'
    """
    if name in (own := parts.PARTS.get(part, {})):
        return f"; use {ROOT}.{own[name]}"
    if name in (said := parts.SAY.get(part, {})):
        return f"; {said[name]}"
    if part and (found := elsewhere(part, name)):
        return f"; the name is {ROOT}.{found}"
    if name in functions.USE:
        return f"; use {ROOT}.{functions.USE[name]}"
    if name in functions.SAY:
        return f"; {functions.SAY[name]}"
    if not part and (found := elsewhere(part, name)):
        return f"; the name is {ROOT}.{found}"
    if not part and name in functions.NUMPY:
        return f"; numpy.{name} accepts tensors"
    if part == "random" and (hint := _draws(name)):
        return hint
    if hint := _in_place(name) if name.endswith("_") else _layer(part, name):
        return hint
    module = sys.modules.get(f"{ROOT}.{part}" if part else ROOT)
    return alike(name, getattr(module, "__all__", ()), lambda other: f"{ROOT}.{part + '.' if part else ''}{other}")


MODULES = (
    "",
    "nn",
    "extras",
    "linalg",
    "fft",
    "random",
    "array_api",
)  # modules that are searched for functions, in this order


def elsewhere(part: str, name: str) -> str:
    """Return the path below `suanzi` of a name that the module `part` lacks, or "" if no other module has the name."""
    library = sys.modules[ROOT]
    for other in MODULES:
        home = getattr(library, other) if other else library
        if other != part and (name in home.__all__ or (not other and name in library._NAMES_OF_PYTHON)):
            return f"{other}.{name}" if other else name
    return ""


def alike(name: str, known: Iterable[str], written: Callable[[str], str]) -> str:
    from difflib import get_close_matches

    # A typing error seldom changes the first letter.
    found = get_close_matches(name, [other for other in known if other[:1] == name[:1]], 1, 0.75)
    return f"; is {written(found[0])} meant?" if found else ""


def _in_place(name: str) -> str:
    """Return the hint for the name of a function or method of PyTorch that writes into its operand. Such names end with
    an underscore.
    """
    plain = name.rstrip("_")
    if name in tensors.ATTRIBUTES:
        return f"; {tensors.ATTRIBUTES[name]}"
    if plain in functions.USE:
        call = functions.USE[plain]
    elif (found := elsewhere("none", plain)) and callable(at(found)):
        call = f"{found}({', '.join(('x', 'y', 'z')[: _operands(at(found))])})"
    else:
        hint = of_name("", plain)
        return hint.replace("; use ", "; use x[...] = ") if plain in functions.SAY else hint
    function, _, rest = call.partition("(")
    if call.endswith(")") and "out" in inspect.signature(at(function)).parameters:
        return f"; use {ROOT}.{function}({rest[:-1]}, out=x)"
    return f"; use x[...] = {ROOT}.{call}"


def at(path: str) -> Any:
    """Return a function by its path below `suanzi`."""
    return functools.reduce(getattr, path.split("."), sys.modules[ROOT])


def _operands(function: Any) -> int:
    """Return the number of the parameters that a call must have."""
    return sum(p.default is p.empty for p in inspect.signature(function).parameters.values())


def _layer(part: str, name: str) -> str:
    """Return the hint for the name of a layer of PyTorch, or of a function for one, two or three dimensions."""
    base = re.sub(r"[123]d$", "", name)
    told = parts.SAY.get(part, {}) | functions.SAY
    if base != name and (hint := told.get(f"{base}2d") or told.get(base)):
        return f"; {hint}"
    base = base.removeprefix("Lazy").removesuffix("Cell")
    known = sys.modules[ROOT].nn.__all__
    for found in (base.lower(), _CAPITALS.sub("_", base).lower()):
        if found in parts.PARTS["nn"]:
            return f"; use {ROOT}.{parts.PARTS['nn'][found]}"
        if found in known and name[0].islower():
            return f"; {ROOT}.nn.{found} accepts one to three dimensions"
        if found in known:
            return f"; {ROOT} has no layers; {ROOT}.nn.{found} computes the results of the layer"
    return ""


# The places between the words of a name such as PixelShuffle or LPPool.
_CAPITALS = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _draws(name: str) -> str:
    """Return the hint for a distribution of NumPy, or an empty text for other names."""
    library: Any = sys.modules[ROOT]
    if name.startswith("_"):
        return ""
    if hasattr(library.random.NumPyGenerator, name):
        return f"; {ROOT}.random.default_rng().{name}(...) has NumPy's parameters"
    known = hasattr(sys.modules["numpy"].random.Generator, name)
    return f"; numpy.random.default_rng().{name}(...) draws with NumPy" if known else ""


def _of_generator(kind: str, name: str) -> str:
    """Return the hint for a method that a generator lacks. `kind` is the class, or "default_rng"."""
    if name in (own := parts.OF_GENERATORS[kind]):
        return f"; {own[name]}"
    if kind == "default_rng":
        return _draws(name)
    call = parts.PARTS["random"].get(name, "").removeprefix("random.")
    if hasattr(sys.modules[ROOT].random.Generator, call.partition("(")[0]):
        return f"; use rng.{call}"
    return _draws(name).replace(f"; {ROOT}.random.default_rng()", f"; {ROOT}.random.default_rng(rng)")


def synonyms() -> dict[str, str]:
    """Return a mapping from each function's name below `suanzi` to a text with the function's further names."""
    text = Path(__file__).with_name("synonyms.toml").read_text(encoding="utf-8")
    found: dict[str, str] = tomllib.loads(text)["names"]
    return found


def of_word(word: str) -> list[str]:
    """Return the functions that have a word as a further name. If no function has such a name and the word is Chinese,
    return the functions with a further name that contains the word.

    Examples
    --------
    >>> of_word("拼接")
    ['concat']
    """
    every = synonyms()
    whole = [name for name, words in every.items() if word in (*words.split(), name.rpartition(".")[2])]
    return whole or [name for name, words in every.items() if not word.isascii() and word in words]


# --- attributes of tensors ---


@as_code
def of_attribute(kind: str, name: str) -> str:
    """Return the hint for an attribute that tensors of a class lack.

    Examples
    --------
    >>> of_attribute("Tensor", "unsqueeze")
    '; use suanzi.expand_dims(x, axis=0)'
    """
    if kind in parts.OF_GENERATORS:
        return _of_generator(kind, name)
    own = tensors.OF_KINDS.get(kind, {})
    if name in own:
        return f"; {own[name]}"
    if not kind.endswith("Tensor"):
        return ""
    library: Any = sys.modules[ROOT]
    if kind != "Tensor" and hasattr(library.Tensor, name):
        dense = "dequantize" if kind == "QuantizedTensor" else "to_dense"
        return f"; use x.{dense}().{name}" + ("()" if callable(getattr(library.Tensor, name)) else "")
    if name in tensors.ATTRIBUTES:
        return f"; {tensors.ATTRIBUTES[name]}"
    if name.endswith("_"):
        return _in_place(name)
    return of_name("", name) if name in tensors.FUNCTIONS else _as_function(name)


@as_code
def of_method(function: str, name: str) -> str:
    """Return the hint for a method of NumPy's ufuncs that a function of Suanzi lacks.

    Examples
    --------
    >>> of_method("add", "reduce")
    '; use suanzi.sum(x, axis=0)'
    """
    if call := functions.METHODS.get(name, {}).get(function):
        return f"; use {ROOT}.{call}"
    numpy = sys.modules["numpy"]
    ufunc = getattr(numpy, function, None)
    if not isinstance(ufunc, numpy.ufunc) or ufunc.nin != 2 or ufunc.signature is not None:
        return ""
    if name in ("at", "outer", "reduceat") or (name == "accumulate" and function in functions.ACCUMULATED):
        return f"; numpy.{function}.{name} accepts tensors"
    return f"; use numpy.{function}.{name} of numpy.asarray(x)"


def _as_function(name: str) -> str:
    """Return a hint with the call of a function that tensors lack as a method, or an empty text if Suanzi has no such
    function.
    """
    found = elsewhere("none", name)
    if not found:
        return ""
    return f"; use {example(f'{ROOT}.{found}', inspect.signature(at(found)).parameters)}"


# --- words ---


@as_code
def text(subject: str, about: Any) -> str:
    """Return the hint for the subject of an error, such as "operand" or a key of `words.SUBJECTS`. `about` is the
    object in the error.

    Examples
    --------
    >>> text("operand", [1, 2])
    '; use suanzi.tensor([1, 2])'
    """
    computed: dict[str, Callable[[Any], str]] = {
        "operand": operand,
        "key": _key,
        "rounded": _rounded,
        "element type": lambda value: _type(value, words.TYPES, "dtype"),
        "quantized type": lambda value: _type(value, words.QUANTIZED_TYPES, "dtype"),
        "attribute": lambda name: f"; {words.ATTRIBUTES[name]}" if name in words.ATTRIBUTES else "",
        "class of types": lambda value: (
            f"; use {ROOT}.{type_of(value) or 'float32'}, or dtype={type_of(value) or 'float32'!r}"
        ),
        "call of a type": lambda name: f"; use {ROOT}.tensor([1, 2], dtype={name!r}), or x.astype({name!r})",
        "class": _class,
        "device": _device,
    }
    if subject in computed:
        return computed[subject](about)
    return f"; {words.SUBJECTS[subject]}" if subject in words.SUBJECTS else ""


def _class(data: tuple[Any, ...]) -> str:
    """Return the hint for a call of the class `Tensor`. The hint names `empty` if the arguments are sizes, which
    PyTorch's class accepts, or else `tensor`.
    """
    if len(data) > 1 and all(type(size) is int for size in data):
        return f"; use {ROOT}.empty({written(data, 'shape')})"
    return f"; use {ROOT}.tensor({written(data[0], 'data') if data else '[1.0, 2.0]'})"


def operand(value: Any) -> str:
    """Return the hint for an operand that is not a dense tensor, usually a call that makes a tensor of the object."""
    library: Any = sys.modules[ROOT]
    kind = type(value)
    if isinstance(value, list | tuple) and any(isinstance(item, library.Tensor) for item in value[:SHORT]):
        return f"; use {ROOT}.stack(tensors, axis=0), or {ROOT}.concat(tensors, axis=0)"
    if isinstance(value, list | tuple | range):
        return f"; use {ROOT}.tensor({written(value, 'data')})"
    if isinstance(value, library.SparseTensor):
        return "; use x.to_dense(), or x.values for the stored elements"
    if isinstance(value, library.QuantizedTensor):
        return "; use x.dequantize()"
    if getattr(kind, "lies_elsewhere", False):
        return "; only the CPU has this function: use x.to_device('cpu')"
    if hasattr(kind, "tocoo"):
        return f"; use {ROOT}.to_sparse(matrix)"
    if hasattr(kind, "to_numpy"):
        return f"; use {ROOT}.tensor({'frame' if hasattr(kind, 'columns') else 'series'}.to_numpy())"
    if kind.__module__ == "numpy":
        return f"; use {ROOT}.from_reference(array), which shares memory, or {ROOT}.tensor(array), which copies"
    if hasattr(kind, "__dlpack__"):
        return f"; use {ROOT}.from_dlpack(x)"
    if hasattr(kind, "__array_interface__") or hasattr(kind, "__array__"):
        return f"; use {ROOT}.tensor(numpy.asarray(x))"
    if kind in (bool, int, float, complex):
        return f"; use {ROOT}.tensor({written(value, 'x')})"
    if hasattr(kind, "__float__"):
        return "; use float(x)"
    if isinstance(value, dict):
        return f"; use {ROOT}.tensor(list(x.values()))"
    if hasattr(kind, "__iter__") and not isinstance(value, str | bytes):
        return f"; use {ROOT}.tensor(list(x))"
    if value is None:
        return "; functions with out= return the tensor of out, and other functions that write return None"
    return f"; use {ROOT}.tensor(x)" if isinstance(value, bytes | bytearray | memoryview) else ""


def _key(value: Any) -> str:
    if isinstance(value, str):
        return "; tensors have no labels: use x[:, 0] for a column"
    return "; use int(i), or i // 2 in place of i / 2" if isinstance(value, float) else ""


def _rounded(about: tuple[str, str, str]) -> str:
    operator, number, dtype = about
    integer = int(number) if number.lstrip("-").isdecimal() else None
    if number.startswith("an integer past"):  # 64 bits
        widest = "complex128" if dtype.startswith("complex") else "float64"
        more = "" if dtype == widest else f' to 16 digits, dtype="{dtype}" rounds it more'
        return f'; dtype="{widest}" rounds it{more}'
    exact = "complex128" if dtype.startswith("complex") else "int64"
    if operator == "linspace":  # the result has a floating type
        if integer is None or float(integer) != integer:
            return f'; dtype="{dtype}" rounds it'
        exact = "float64"
    elif not dtype.startswith("complex") and integer is not None and integer >= 2**63:
        exact = "uint64"
    return f'; dtype="{exact}" keeps it, dtype="{dtype}" rounds it'


def _type(value: Any, table: Mapping[str, tuple[str, ...]], keyword: str) -> str:
    if (kind := getattr(value, "kind", None)) in words.KINDS:
        return f"; {words.KINDS[kind]}"
    name = value if isinstance(value, str) else str(value)
    plain = name.lower().rpartition(".")[2].strip("_ ")
    known = table.get(plain)
    if known is None:
        from difflib import get_close_matches

        every = [dtype.name for dtype in sys.modules["suanzi.tensor.dtypes"].DTYPES]
        quantized = table is words.QUANTIZED_TYPES
        choices = words.QUANTIZED_NAMES if quantized else every
        known = tuple(get_close_matches(plain, choices, 1, 0.6)) or (("qint8", "quint8") if quantized else ())
    if not known:
        return "; use dtype='float32', 'float64', 'int64' or 'bool'"
    return f"; use {keyword}={' or '.join(map(repr, known))}"


def _device(name: str) -> str:
    there = ", ".join(map(repr, map(str, sys.modules[ROOT].devices())))
    plain = name.lower().partition(":")[0]
    known, named = words.DEVICES.get(plain), ""
    if known is None or f"'{known}:0'" not in there:
        if known is not None and known != plain:
            missing = sys.modules[f"{ROOT}.devices.platforms"].missing
            named = f"; {ROOT}'s name is {known!r}, but {missing(sys.modules[ROOT].Device(known))}"
        known = "cpu"
    return f"{named}; use device={known!r}; {ROOT}.devices() are {there}"


def type_of(value: Any) -> str | None:
    """Return the name of the element type that a text, a Suanzi type or a NumPy type means, or None for other
    values.
    """
    types = sys.modules["suanzi.tensor.dtypes"]
    if not isinstance(value, str | type | types.DType) and type(value).__module__ != "numpy.dtypes":
        return None
    try:
        return str(types.as_dtype(value, "").name)
    except sys.modules[ROOT].SuanziError:
        return None


def example(path: str, parameters: Mapping[str, inspect.Parameter], *rest: str) -> str:
    """Return an example of a call: the names of the required operands, followed by the keyword arguments `rest`."""
    given = {"self", *(code.partition("=")[0] for code in rest)}
    needed = [p for p in parameters.values() if p.default is p.empty and p.name not in given]
    operands = [p.name for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return f"{path}({', '.join([*operands, *rest])})"
