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
_ROOT = "suanzi"


def _as_code(answer: Callable[..., str]) -> Callable[..., str]:
    """Return a function that calls `answer` and puts the quoted texts of the result in double quotes, as in the
    documents.
    """

    @functools.wraps(answer)
    def call(*args: Any) -> str:
        return _QUOTED.sub(r'"\1"', answer(*args))

    return call


# --- names of functions and parts ---


@_as_code
def of_name(part: str, name: str) -> str:
    """Return the hint for a name that a module of Suanzi lacks. `part` is the module's name below `suanzi`, such as
    ``"random"``, or ``""`` for `suanzi` itself.

    Examples
    --------
    >>> of_name("", "cat")
    '; use suanzi.concat([a, b], axis=0)'
    """
    if name in (own := parts.PARTS.get(part, {})):
        return f"; use {_ROOT}.{own[name]}"
    if name in (said := parts.SAY.get(part, {})):
        return f"; {said[name]}"
    if part and (found := _elsewhere(part, name)):
        return f"; the name is {_ROOT}.{found}"
    if name in functions.USE:
        return f"; use {_ROOT}.{functions.USE[name]}"
    if name in functions.SAY:
        return f"; {functions.SAY[name]}"
    if not part and (found := _elsewhere(part, name)):
        return f"; the name is {_ROOT}.{found}"
    if not part and name in functions.NUMPY:
        return f"; numpy.{name} accepts tensors"
    if part == "random" and (hint := _draws(name)):
        return hint
    if hint := _in_place(name) if name.endswith("_") else _layer(part, name):
        return hint
    module = sys.modules.get(f"{_ROOT}.{part}" if part else _ROOT)
    return _alike(name, getattr(module, "__all__", ()), lambda other: f"{_ROOT}.{part + '.' if part else ''}{other}")


_PARTS = (
    "",
    "nn",
    "extras",
    "linalg",
    "fft",
    "random",
    "array_api",
)  # modules that are searched for functions, in this order


def _elsewhere(part: str, name: str) -> str:
    """Return the path below `suanzi` of a name that the module `part` lacks, or "" if no other module has the name."""
    library = sys.modules[_ROOT]
    for other in _PARTS:
        home = getattr(library, other) if other else library
        if other != part and name in home.__all__:
            return f"{other}.{name}" if other else name
    return ""


def _alike(name: str, known: Iterable[str], written: Callable[[str], str]) -> str:
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
    elif (found := _elsewhere("none", plain)) and callable(_function(found)):
        call = f"{found}({', '.join(('x', 'y', 'z')[: _operands(_function(found))])})"
    else:
        hint = of_name("", plain)
        return hint.replace("; use ", "; use x[...] = ") if plain in functions.SAY else hint
    function, _, rest = call.partition("(")
    if call.endswith(")") and "out" in inspect.signature(_function(function)).parameters:
        return f"; use {_ROOT}.{function}({rest[:-1]}, out=x)"
    return f"; use x[...] = {_ROOT}.{call}"


def _function(path: str) -> Any:
    """Return a function by its path below `suanzi`."""
    return functools.reduce(getattr, path.split("."), sys.modules[_ROOT])


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
    known = sys.modules[_ROOT].nn.__all__
    for found in (base.lower(), _CAPITALS.sub("_", base).lower()):
        if found in parts.PARTS["nn"]:
            return f"; use {_ROOT}.{parts.PARTS['nn'][found]}"
        if found in known and name[0].islower():
            return f"; {_ROOT}.nn.{found} accepts one to three dimensions"
        if found in known:
            return f"; {_ROOT} has no layers; {_ROOT}.nn.{found} computes the results of the layer"
    return ""


# The places between the words of a name such as PixelShuffle or LPPool.
_CAPITALS = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def _draws(name: str) -> str:
    """Return the hint for a distribution of NumPy, or an empty text for other names."""
    library: Any = sys.modules[_ROOT]
    if name.startswith("_"):
        return ""
    if hasattr(library.random.NumPyGenerator, name):
        return f"; {_ROOT}.random.default_rng().{name}(...) has NumPy's parameters"
    known = hasattr(sys.modules["numpy"].random.Generator, name)
    return f"; numpy.random.default_rng().{name}(...) draws with NumPy" if known else ""


def _of_generator(kind: str, name: str) -> str:
    """Return the hint for a method that a generator lacks. `kind` is the class, or "default_rng"."""
    if name in (own := parts.OF_GENERATORS[kind]):
        return f"; {own[name]}"
    if kind == "default_rng":
        return _draws(name)
    call = parts.PARTS["random"].get(name, "").removeprefix("random.")
    if hasattr(sys.modules[_ROOT].random.Generator, call.partition("(")[0]):
        return f"; use rng.{call}"
    return _draws(name).replace(f"; {_ROOT}.random.default_rng()", f"; {_ROOT}.random.default_rng(rng)")


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


@_as_code
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
    library: Any = sys.modules[_ROOT]
    if kind != "Tensor" and hasattr(library.Tensor, name):
        dense = "dequantize" if kind == "QuantizedTensor" else "to_dense"
        return f"; use x.{dense}().{name}" + ("()" if callable(getattr(library.Tensor, name)) else "")
    if name in tensors.ATTRIBUTES:
        return f"; {tensors.ATTRIBUTES[name]}"
    if name.endswith("_"):
        return _in_place(name)
    return of_name("", name) if name in tensors.FUNCTIONS else _as_function(name)


def _as_function(name: str) -> str:
    """Return a hint with the call of a function that tensors lack as a method, or an empty text if Suanzi has no such
    function.
    """
    found = _elsewhere("none", name)
    if not found:
        return ""
    return f"; use {_example(f'{_ROOT}.{found}', inspect.signature(_function(found)).parameters, '')}"


# --- words ---


@_as_code
def text(subject: str, about: Any) -> str:
    """Return the hint for the subject of an error, such as "operand" or a key of `words.SUBJECTS`. `about` is the
    object in the error.

    Examples
    --------
    >>> text("operand", [1, 2])
    '; use suanzi.tensor([1, 2])'
    """
    computed: dict[str, Callable[[Any], str]] = {
        "operand": _operand,
        "key": _key,
        "rounded": _rounded,
        "element type": lambda value: _type(value, words.TYPES, "dtype"),
        "quantized type": lambda value: _type(value, words.QUANTIZED_TYPES, "dtype"),
        "attribute": lambda name: f"; {words.ATTRIBUTES[name]}" if name in words.ATTRIBUTES else "",
        "class of types": lambda value: (
            f"; use {_ROOT}.{_type_of(value) or 'float32'}, or dtype={_type_of(value) or 'float32'!r}"
        ),
        "call of a type": lambda name: f"; use {_ROOT}.tensor([1, 2], dtype={name!r}), or x.astype({name!r})",
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
        return f"; use {_ROOT}.empty({written(data, 'shape')})"
    return f"; use {_ROOT}.tensor({written(data[0], 'data') if data else '[1.0, 2.0]'})"


def _operand(value: Any) -> str:
    """Return the hint for an operand that is not a dense tensor, usually a call that makes a tensor of the object."""
    library: Any = sys.modules[_ROOT]
    kind = type(value)
    if isinstance(value, list | tuple) and any(isinstance(item, library.Tensor) for item in value[:SHORT]):
        return f"; use {_ROOT}.stack(tensors, axis=0), or {_ROOT}.concat(tensors, axis=0)"
    if isinstance(value, list | tuple | range):
        return f"; use {_ROOT}.tensor({written(value, 'data')})"
    if isinstance(value, library.SparseTensor):
        return "; use x.to_dense(), or x.values for the stored elements"
    if isinstance(value, library.QuantizedTensor):
        return "; use x.dequantize()"
    if getattr(kind, "lies_elsewhere", False):
        return "; only the CPU has this function: use x.to_device('cpu')"
    if hasattr(kind, "tocoo"):
        return f"; use {_ROOT}.to_sparse(matrix)"
    if hasattr(kind, "to_numpy"):
        return f"; use {_ROOT}.tensor({'frame' if hasattr(kind, 'columns') else 'series'}.to_numpy())"
    if kind.__module__ == "numpy":
        return f"; use {_ROOT}.from_reference(array), which shares memory, or {_ROOT}.tensor(array), which copies"
    if hasattr(kind, "__dlpack__"):
        return f"; use {_ROOT}.from_dlpack(x)"
    if hasattr(kind, "__array_interface__") or hasattr(kind, "__array__"):
        return f"; use {_ROOT}.tensor(numpy.asarray(x))"
    if kind in (bool, int, float, complex):
        return f"; use {_ROOT}.tensor({written(value, 'x')})"
    if hasattr(kind, "__float__"):
        return "; use float(x)"
    if isinstance(value, dict):
        return f"; use {_ROOT}.tensor(list(x.values()))"
    if hasattr(kind, "__iter__") and not isinstance(value, str | bytes):
        return f"; use {_ROOT}.tensor(list(x))"
    if value is None:
        return "; functions with out= return the tensor of out, and other functions that write return None"
    return f"; use {_ROOT}.tensor(x)" if isinstance(value, bytes | bytearray | memoryview) else ""


def _key(value: Any) -> str:
    if isinstance(value, str):
        return "; tensors have no labels: use x[:, 0] for a column"
    return "; use int(i), or i // 2 in place of i / 2" if isinstance(value, float) else ""


def _rounded(about: tuple[str, str, str]) -> str:
    operator, number, dtype = about
    integer = int(number) if number.lstrip("-").isdecimal() else None
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
    there = ", ".join(map(repr, map(str, sys.modules[_ROOT].devices())))
    plain = name.lower().partition(":")[0]
    known, named = words.DEVICES.get(plain), ""
    if known is None or f"'{known}:0'" not in there:
        if known is not None and known != plain:
            missing = sys.modules[f"{_ROOT}.devices.platforms"].missing
            named = f"; {_ROOT}'s name is {known!r}, but {missing(sys.modules[_ROOT].Device(known))}"
        known = "cpu"
    return f"{named}; use device={known!r}; {_ROOT}.devices() are {there}"


# --- calls ---


@_as_code
def of_call(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], error: Exception) -> str:
    """Return the hint for a failed call of `function`, a public function or the name of an operator."""
    if isinstance(function, str):
        return _of_error(function, args, str(error))
    name = function.__name__
    if name in _NUMPYS and len(args) > 3:  # the arguments also contain the failed function and NumPy's arguments
        name, args = str(error).partition(":")[0], args[3] if isinstance(args[3], tuple) else args[3:]
    elif type(error) is TypeError:
        return _of_signature(function, _path(function, name), args, kwargs)
    return _of_error(name, args, str(error))


_NUMPYS = ("array_function", "array_ufunc")  # the functions that NumPy's protocols call


def _path(function: Any, name: str) -> str:
    """Return the full name of a function, such as `suanzi.nn.relu`. The name of a method is returned unchanged."""
    library: Any = sys.modules[_ROOT]
    for part in _PARTS:
        module = sys.modules.get(f"{_ROOT}.{part}") if part else library
        if module is not None and vars(module).get(name) is function:
            return f"{_ROOT}.{part + '.' if part else ''}{name}"
    return name


def _of_signature(function: Any, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Return the hint for arguments that do not fit the signature of a function."""
    signature = inspect.signature(function)
    parameters = {p.name: p for p in signature.parameters.values() if p.name != "self"}
    try:
        inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        pass
    else:
        return ""  # an error from inside the function
    for keyword, value in kwargs.items():
        if keyword not in parameters or parameters[keyword].kind is inspect.Parameter.POSITIONAL_ONLY:
            return _of_keyword(path, keyword, value, parameters, args)
    places = [p for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(places):
        rest = args[len(places) :]
        if len(rest) == 1 and "dtype" in parameters and (dtype := _type_of(rest[0])):
            return f"; use dtype=: {_example(path, parameters, f'dtype={dtype!r}')}"
        return _of_too_many(path, places, args)
    missing = [p.name for p in places[len(args) :] if p.default is p.empty and p.name not in kwargs]
    if path == f"{_ROOT}.where" and len(args) == 1:
        return f"; use {_ROOT}.nonzero(condition), or {path}(condition, a, b)"
    if missing:
        needed = [p.name for p in places if p.default is p.empty or p.name in missing]
        if "." not in path:  # the path is the name of a method
            path, needed = f"{needed[0]}.{path}", needed[1:]
        return f"; use {path}({', '.join(needed)})"
    return f"; the signature is {path}{_plain(signature)}"


def _type_of(value: Any) -> str | None:
    """Return the name of the element type that a text, a Suanzi type or a NumPy type means, or None for other
    values.
    """
    types = sys.modules["suanzi.tensor.dtypes"]
    if not isinstance(value, str | type | types.DType) and type(value).__module__ != "numpy.dtypes":
        return None
    try:
        return str(types.as_dtype(value, "").name)
    except sys.modules[_ROOT].SuanziError:
        return None


def _plain(signature: inspect.Signature) -> str:
    """Return a signature as text without annotations."""
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


def _example(path: str, parameters: Mapping[str, inspect.Parameter], rest: str) -> str:
    """Return an example of a call: the names of the required operands, followed by `rest`."""
    needed = [p for p in parameters.values() if p.default is p.empty and p.name not in ("self", rest.partition("=")[0])]
    operands = [p.name for p in needed if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return f"{path}({', '.join([*operands, rest] if rest else operands)})"


def _of_keyword(
    path: str, keyword: str, value: Any, parameters: Mapping[str, inspect.Parameter], args: tuple[Any, ...]
) -> str:
    given = written(value, "...")
    named = [p for p in parameters if parameters[p].kind is not inspect.Parameter.POSITIONAL_ONLY]
    for meant in words.KEYWORDS.get(keyword, ()):
        if meant in named:
            if (keyword, meant) in words.CONVERTED:
                given = words.CONVERTED[keyword, meant][0 if value else 1]
            return f"; use {meant}=: {_example(path, parameters, f'{meant}={given}')}"
    if keyword in parameters or (keyword in words.OPERANDS and len(args) < len(parameters)):
        return f"; pass operands by position: use {_example(path, parameters, '')}"
    if hint := words.NO_KEYWORDS_OF.get((path.rpartition(".")[2], keyword), words.NO_KEYWORDS.get(keyword)):
        return f"; {hint}"
    if alike := _alike(keyword, named, lambda meant: _example(path, parameters, f"{meant}={given}")):
        return alike
    return f"; the keywords are {', '.join(f'{p}=' for p in named)}" if named else "; the function has no keywords"


def _of_too_many(path: str, places: list[inspect.Parameter], args: tuple[Any, ...]) -> str:
    """Return the hint for too many arguments, such as sizes passed one by one, or options passed by position."""
    library: Any = sys.modules[_ROOT]
    last = places[-1].name if places else ""
    for place, parameter in enumerate(places):
        rest = args[place:]
        if parameter.name in _SEVERAL and len(rest) > 1 and all(type(n) is int for n in rest):
            operands = [p.name for p in places[:place]]
            return f"; use {path}({', '.join([*operands, repr(tuple(rest))])})"
    if path == f"{_ROOT}.tensor" and all(isinstance(n, int | float) for n in args):
        return f"; use {path}({list(args)!r})"
    if path in words.OF_MORE:
        return f"; {words.OF_MORE[path]}"
    name = path.rpartition(".")[2]
    if name in words.OF_TWO and isinstance(args[1], library.Tensor):
        return f"; use {_ROOT}.{words.OF_TWO[name]}"
    if name in words.OF_LISTS:
        return f"; use {path}([a, b], axis=0)"
    return f"; pass the arguments after {last} by keyword" if last else "; the function accepts no arguments"


# Parameters that accept a sequence of integers. Callers often pass the integers as separate arguments.
_SEVERAL = ("shape", "axes", "repetitions", "axis", "offsets", "sections_or_sizes")


def _of_error(name: str, args: tuple[Any, ...], message: str) -> str:
    """Return the hint for an error of an operator, or an empty text if no hint is known."""
    library: Any = sys.modules[_ROOT]
    first, second = (*args, None, None)[:2]
    if name in words.OF_TWO and isinstance(second, library.Tensor):
        return f"; use {_ROOT}.{words.OF_TWO[name]}"
    if name in words.OF_LISTS and isinstance(first, library.Tensor):
        return f"; use {_ROOT}.{name}([a, b], axis=0)"
    if name == "eye" and isinstance(first, tuple):
        return f"; use {_ROOT}.eye{written(first, '(2, 3)')}"
    if isinstance(first, library.random.NumPyGenerator):  # parameters as in NumPy
        if "shape must be" in message:
            return "; size= is the shape: size=(2, 3)"
        if name == "integers" and any(hasattr(bound, "__len__") for bound in args[1:3] if not isinstance(bound, str)):
            return f"; {_ROOT}.tensor(numpy.random.default_rng().integers(0, [3, 5])) draws between several bounds"
    elif name == "integers" and len(args) > 2 and ": high " in message:
        return f"; the shape comes first: use {_ROOT}.random.integers((2, 3), 0, 10)"
    if name == "sparse_tensor" and "shape" in message and isinstance(first, list):
        return f"; the shape comes first: use {_ROOT}.sparse_tensor((3, 3), indices, values)"
    if "do not broadcast" in message or (name in _PRODUCTS and ("do not fit" in message or "differ along" in message)):
        return _of_shapes(name, args)
    if name in _INDEXED and isinstance(first, library.Tensor) and isinstance(second, list | tuple | range):
        return f"; use {_ROOT}.tensor({written(second, 'index')}, dtype='int64')"
    if name == "choice" and "x must be an integer" in message:
        return _operand(second if isinstance(first, library.random.Generator) else first)
    if name in _MAKERS and (found := _OUT_OF_RANGE.search(message)):
        return _of_range(name, first if name == "tensor" else second, *found.groups())
    for names, part, hint in words.ERRORS:
        if (name in names or (not names and f"{_ROOT}." not in message)) and all(
            text in message for text in part.split("…")
        ):
            return f"; {hint}"
    return ""


_PRODUCTS = ("matmul", "dot")
_INDEXED = ("take", "index_select", "gather", "take_along_axis")
_MAKERS = ("tensor", "full", "arange")
_OUT_OF_RANGE = re.compile(r": (\S+|an integer past 64 bits) does not fit (\w+)$")
# Types that may hold a number outside the range of another type, by the kind of the other type.
_WIDER = {"i": ("int64", "uint64", "float64"), "f": ("float32", "float64"), "c": ("complex128",)}


def _of_range(name: str, data: Any, number: str, dtype: str) -> str:
    """Return the hint for a number in `data` outside the range of a type: a type that holds the number, and `clip`."""
    library: Any = sys.modules[_ROOT]
    given = getattr(library, dtype)
    value = data  # integers past 64 bits are in lists of Python's numbers
    if not number.startswith("an "):
        value = int(number) if number.lstrip("-").isdecimal() else complex(number) if "j" in number else float(number)
    hint = ""
    for wider in _WIDER["i" if given.is_integer else given.kind]:
        try:
            held = library._core.numbers_as(name, value, getattr(library, wider), False)  # the error has no hint itself
        except library.SuanziError:
            continue
        if held is not None and wider != dtype:
            hint = f"; use a type that holds it: dtype={wider!r}"
            break
    if name == "tensor" and given.is_integer and given.itemsize < 8:
        least, most = given.limits
        hint += f"; {_ROOT}.clip({_ROOT}.tensor(data), {least}, {most}) limits the values"
    return hint


def _of_shapes(name: str, args: tuple[Any, ...]) -> str:
    """Return the hint for two operands whose shapes do not fit, or an empty text if no hint is known."""
    shapes = [tuple(x.shape) for x in args[:2] if hasattr(x, "shape")]
    if len(shapes) != 2:
        return ""
    first, second = shapes
    if name in _PRODUCTS:
        if len(second) == 2 and first and first[-1] == second[1]:
            return f"; {'x1 @ x2.T' if name == 'matmul' else 'suanzi.dot(x1, x2.T)'} has a product"
        if len(first) == 2 and second and first[0] == (second[-2] if len(second) > 1 else second[0]):
            return f"; {'x1.T @ x2' if name == 'matmul' else 'suanzi.dot(x1.T, x2)'} has a product"
        if len(second) == 1:
            return "; the last size of x1 must be the size of x2"
        return "; the last size of x1 must be the last size but one of x2"
    for which, (short, long) in (("x2", (second, first)), ("x1", (first, second))):
        missing = len(long) - len(short)
        if missing > 0 and short == long[: len(short)]:
            return f"; {which}[{', '.join([':'] * len(short) + ['None'] * missing)}] has a dimension for each"
    if len(first) == len(second) == 2 and first == second[::-1]:
        return "; x2.T has the shape of x1"
    if len(first) == len(second) == 1:
        return "; x1[:, None] and x2 make all pairs; sizes must be equal, or 1"
    return ""
