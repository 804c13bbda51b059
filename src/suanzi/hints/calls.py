"""The hint for a failed call: a call whose arguments do not fit the function's parameters, or an error of an operator.

The module `answers` finds other hints.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from typing import Any

from suanzi.hints import arguments, words
from suanzi.hints.answers import MODULES, ROOT, alike, as_code, example, operand, type_of
from suanzi.hints.literals import written


@as_code
def of_call(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], error: Exception) -> str:
    """Return the hint for a failed call of `function`, a public function or the name of an operator."""
    if isinstance(function, str):
        return _of_error(function, args, kwargs, str(error))
    name = function.__name__
    if name in _NUMPYS and len(args) > 3:  # the arguments also contain the failed function and NumPy's arguments
        name, args = str(error).partition(":")[0], args[3] if isinstance(args[3], tuple) else args[3:]
    elif type(error) is TypeError:
        return _of_signature(function, _path(function, name), args, kwargs)
    return _of_error(name, args, kwargs, str(error))


_NUMPYS = ("array_function", "array_ufunc")  # the functions that NumPy's protocols call


def _path(function: Any, name: str) -> str:
    """Return the full name of a function, such as `suanzi.nn.relu`. The name of a method is returned unchanged."""
    library: Any = sys.modules[ROOT]
    for part in MODULES:
        module = sys.modules.get(f"{ROOT}.{part}") if part else library
        if module is not None and vars(module).get(name) is function:
            return f"{ROOT}.{part + '.' if part else ''}{name}"
    return name


def _of_signature(function: Any, path: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Return the hint for arguments that do not fit the signature of a function."""
    signature = inspect.signature(function)
    if "." in path:  # functions that draw from the default generator have the signatures of methods
        signature = signature.replace(parameters=[p for p in signature.parameters.values() if p.name != "self"])
    parameters = {p.name: p for p in signature.parameters.values() if p.name != "self"}
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        pass
    else:
        return ""  # an error from inside the function
    unknown = {
        keyword: value
        for keyword, value in kwargs.items()
        if keyword not in parameters or parameters[keyword].kind is inspect.Parameter.POSITIONAL_ONLY
    }
    if unknown:
        return arguments.of_keywords(path, args, kwargs) or _of_keywords(path, unknown, parameters, args)
    places = [p for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(args) > len(places):
        rest = args[len(places) :]
        if len(rest) == 1 and "dtype" in parameters and (dtype := type_of(rest[0])):
            return f"; use dtype=: {example(path, parameters, f'dtype={dtype!r}')}"
        return _of_too_many(path, places, parameters, args)
    missing = [p.name for p in places[len(args) :] if p.default is p.empty and p.name not in kwargs]
    if path == f"{ROOT}.where" and len(args) == 1:
        return f"; use {ROOT}.nonzero(condition), or {path}(condition, a, b)"
    if missing:
        needed = [p.name for p in places if p.default is p.empty or p.name in missing]
        if "." not in path:  # the path is the name of a method
            path, needed = f"{needed[0]}.{path}", needed[1:]
        return f"; use {path}({', '.join(needed)})"
    return f"; the signature is {path}{_plain(signature)}"


def _plain(signature: inspect.Signature) -> str:
    """Return a signature as text without annotations."""
    plain = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


def _of_keywords(
    path: str, unknown: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter], args: tuple[Any, ...]
) -> str:
    """Return the hint for keywords that a function lacks: the first, or all that have an equivalent."""
    keyword, value = next(iter(unknown.items()))
    name = path.rpartition(".")[2]
    named = [p for p in parameters if parameters[p].kind is not inspect.Parameter.POSITIONAL_ONLY]
    if meant := _meant(name, keyword, named):
        found = {meant: _converted(keyword, meant, value)}
        for other, its in unknown.items():
            if (another := _meant(name, other, named)) and another not in found:
                found[another] = _converted(other, another, its)
        rest = [f"{parameter}={code}" for parameter, code in found.items()]
        return f"; use {meant}=: {example(path, parameters, *rest)}"
    if keyword in parameters or (keyword in words.OPERANDS and len(args) < len(parameters)):
        return f"; pass operands by position: use {example(path, parameters)}"
    if hint := words.NO_KEYWORDS_OF.get((name, keyword), words.NO_KEYWORDS.get(keyword)):
        return f"; {hint}"
    given = written(value, "...")
    if hint := alike(keyword, named, lambda other: example(path, parameters, f"{other}={given}")):
        return hint
    return f"; the keywords are {', '.join(f'{p}=' for p in named)}" if named else "; the function has no keywords"


def _meant(name: str, keyword: str, named: list[str]) -> str:
    """Return the parameter, of the parameters `named` of a function, that a keyword means, or an empty text."""
    meant = words.KEYWORDS_OF.get((name, keyword), words.KEYWORDS.get(keyword, ()))
    return next((parameter for parameter in meant if parameter in named), "")


def _converted(keyword: str, meant: str, value: Any) -> str:
    """Return the code for the value of a keyword, as a value of the parameter that the keyword means."""
    if (keyword, meant) in words.CONVERTED:
        return words.CONVERTED[keyword, meant][0 if value else 1]
    return "None" if value is None else written(value, "...")


def _of_too_many(
    path: str, places: list[inspect.Parameter], parameters: Mapping[str, inspect.Parameter], args: tuple[Any, ...]
) -> str:
    """Return the hint for too many arguments, such as sizes passed one by one, or options passed by position."""
    library: Any = sys.modules[ROOT]
    last = places[-1].name if places else ""
    name = path.rpartition(".")[2]
    if name in arguments.OF_TOO_MANY and (hint := arguments.OF_TOO_MANY[name](args)):
        return hint
    for place, parameter in enumerate(places):
        rest = args[place:]
        if parameter.name in _SEVERAL and len(rest) > 1 and all(type(n) is int for n in rest):
            operands = [p.name for p in places[:place]]
            return f"; use {path}({', '.join([*operands, repr(tuple(rest))])})"
    if path == f"{ROOT}.tensor" and all(isinstance(n, int | float) for n in args):
        return f"; use {path}({list(args)!r})"
    if path in words.OF_MORE:
        return f"; {words.OF_MORE[path]}"
    if name in words.OF_TWO and isinstance(args[1], library.Tensor):
        return f"; use {ROOT}.{words.OF_TWO[name]}"
    if name in words.OF_LISTS:
        return f"; use {path}([a, b], axis=0)"
    if hint := arguments.more_operands(path, last, parameters, args, len(places)):
        return hint
    return f"; pass the arguments after {last} by keyword" if last else "; the function accepts no arguments"


# Parameters that accept a sequence of integers. Callers often pass the integers as separate arguments.
_SEVERAL = ("shape", "axes", "repetitions", "axis", "offsets", "sections_or_sizes")


def _of_error(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], message: str) -> str:
    """Return the hint for an error of an operator, or an empty text if no hint is known."""
    library: Any = sys.modules[ROOT]
    if name in arguments.OF_ERRORS and (hint := arguments.OF_ERRORS[name](args, kwargs, message)):
        return hint
    if "keepdims must be" in message and (hint := arguments.of_keepdims(name, args)):
        return hint
    first, second = (*args, None, None)[:2]
    if name in words.OF_TWO and isinstance(second, library.Tensor):
        return f"; use {ROOT}.{words.OF_TWO[name]}"
    if name in words.OF_LISTS and isinstance(first, library.Tensor):
        return f"; use {ROOT}.{name}([a, b], axis=0)"
    if name == "eye" and isinstance(first, tuple):
        return f"; use {ROOT}.eye{written(first, '(2, 3)')}"
    if isinstance(first, library.random.NumPyGenerator):  # parameters as in NumPy
        if "shape must be" in message:
            return "; size= is the shape: size=(2, 3)"
        if name == "integers" and any(hasattr(bound, "__len__") for bound in args[1:3] if not isinstance(bound, str)):
            return f"; {ROOT}.tensor(numpy.random.default_rng().integers(0, [3, 5])) draws between several bounds"
    elif name == "integers" and len(args) > 2 and ": high " in message:
        return f"; the shape comes first: use {ROOT}.random.integers((2, 3), 0, 10)"
    if "do not broadcast" in message or (name in _PRODUCTS and ("do not fit" in message or "differ along" in message)):
        return _of_shapes(name, args)
    if name in _INDEXED and isinstance(first, library.Tensor) and isinstance(second, list | tuple | range):
        return f"; use {ROOT}.tensor({written(second, 'index')}, dtype='int64')"
    if name == "choice" and "x must be an integer" in message:
        return operand(second if isinstance(first, library.random.Generator) else first)
    if name in _MAKERS and (found := _OUT_OF_RANGE.search(message)):
        return _of_range(name, first if name == "tensor" else second, *found.groups())
    for names, part, hint in words.ERRORS:
        if (name in names or (not names and f"{ROOT}." not in message)) and all(
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
    library: Any = sys.modules[ROOT]
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
        hint += f"; {ROOT}.clip({ROOT}.tensor(data), {least}, {most}) limits the values"
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
