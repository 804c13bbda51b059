"""suanzi.h as data, and the header's types in ctypes, for calls of a library that implements the header.

The module reads the parameters of functions and the constants from the header.
"""

from __future__ import annotations

import ctypes as ct
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

# The folder of the header: in this distribution, in Suanzi's package, or beside the sources of an uninstalled package.
_KIT = Path(__file__).parents[1]
_PLACES = (_KIT / "include", _KIT.parent / "include", _KIT.parents[2] / "native" / "c" / "include")
INCLUDE = next((place for place in _PLACES if (place / "suanzi.h").exists()), _PLACES[0])

# The names of the element types. The index of a name is the constant of the type in the header.
DTYPES = (
    *("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16"),
    *("float32", "float64", "complex64", "complex128", "string"),
)
NONE = -1
STRING = DTYPES.index("string")


class String(ct.Structure):
    """The C structure SuanziString."""

    _fields_ = (("data", ct.c_char_p), ("length", ct.c_int64))

    def bytes(self) -> bytes:
        """Return the text by its length, because the text does not end with the zero for which ctypes would look."""
        place = ct.c_void_p.from_buffer(self).value
        return ct.string_at(place, self.length) if place and self.length else b""


class Value(ct.Union):
    """The union in a SuanziScalar."""

    _fields_ = (
        ("boolean", ct.c_bool),
        ("integer", ct.c_int64),
        ("unsigned_integer", ct.c_uint64),
        ("floating", ct.c_double),
        ("complex_parts", ct.c_double * 2),
        ("string", String),
    )


class Scalar(ct.Structure):
    """The C structure SuanziScalar."""

    _fields_ = (("type", ct.c_int32), ("value", Value))


class Device(ct.Structure):
    """The C structure SuanziDevice."""

    _fields_ = (("type", ct.c_int32), ("index", ct.c_int32))


class Layout(ct.Structure):
    """The C structure SuanziLayout."""

    _fields_ = (("storage", ct.c_int32), ("order", ct.POINTER(ct.c_int64)), ("rank", ct.c_int64))


TYPES: dict[str, Any] = {
    "void": None,
    "bool": ct.c_bool,
    "int32_t": ct.c_int32,
    "int64_t": ct.c_int64,
    "uint64_t": ct.c_uint64,
    "double": ct.c_double,
    "SuanziStatus": ct.c_int32,
    "SuanziDType": ct.c_int32,
    "SuanziQuantizedType": ct.c_int32,
    "SuanziTensor": ct.c_void_p,
    "void*": ct.c_void_p,
    "char*": ct.c_char_p,
    "char**": ct.POINTER(ct.c_char_p),
    "void**": ct.POINTER(ct.c_void_p),
    "int64_t**": ct.POINTER(ct.POINTER(ct.c_int64)),
    "SuanziScalar*": ct.POINTER(Scalar),
    "SuanziDevice*": ct.POINTER(Device),
    "SuanziLayout*": ct.POINTER(Layout),
}
RELEASE = ct.CFUNCTYPE(None, ct.c_void_p)

_PROTOTYPE = re.compile(r"SUANZI_API\s+([\w\s*]+?)\s*\b(suanzi_\w+)\(((?:[^()]|\([^()]*\))*)\);")
_CONSTANT = re.compile(r"\b(SUANZI_\w+) = (-?\d+)")


class Parameter(NamedTuple):
    """A parameter of a prototype: the type in C's spelling, and the name."""

    type: str
    name: str


def type_of(declared: str) -> Any:
    """Return the ctypes type of a parameter or a result."""
    if "(*" in declared:
        return RELEASE
    text = re.sub(r"\bconst\b", "", declared).split("(")[0]
    stars = "*" * text.count("*")
    words = text.replace("*", " ").split()
    name = (words[0]) + stars
    if name not in TYPES and stars == "*":
        return ct.POINTER(TYPES[words[0]])
    return TYPES[name]


def parameters_of(declared: str) -> list[str]:
    """Return the parameters of a prototype as texts. Commas within a callback's parameters do not separate
    parameters.
    """
    parts = [" ".join(part.split()) for part in re.split(r",(?![^()]*\))", declared)]
    return [] if parts == ["void"] else parts


@cache
def _text() -> str:
    """Return the text of suanzi.h and of all other headers in the folder `INCLUDE`, without comments."""
    texts = (header.read_text(encoding="utf-8") for header in sorted(INCLUDE.rglob("*.h")))
    return "\n".join(re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL) for text in texts)


@cache
def prototypes() -> dict[str, tuple[str, list[str]]]:
    """Return the result and the parameters of every function in the headers."""
    found: dict[str, tuple[str, list[str]]] = {}
    for result, name, parameters in _PROTOTYPE.findall(_text()):
        if name in found:
            raise ValueError(f"suanzi.h: {name} is declared twice")
        found[name] = result, parameters_of(parameters)
    return found


@cache
def parameters(function: str) -> tuple[Parameter, ...]:
    """Return the parameters of a function, including the parameters for results."""
    return tuple(Parameter(*_parted(declared)) for declared in prototypes()[function][1])


def _parted(declared: str) -> tuple[str, str]:
    if "(*" in declared:
        return "callback", declared.split("(*")[1].split(")")[0]
    kind, _, name = declared.replace("*", "* ").rpartition(" ")
    return kind.removeprefix("const ").strip(), name


@cache
def constants() -> dict[str, int]:
    """Return every constant of the headers' enumerations."""
    return {name: int(value) for name, value in _CONSTANT.findall(_text())}


@cache
def major_version() -> int:
    """Return the major version of the interface. The kit refuses libraries of other versions."""
    found = re.search(r"#define SUANZI_C_VERSION (\d+)", _text())
    assert found
    return int(found[1]) // 100


def open_library(path: str | Path) -> ct.CDLL:
    """Open a library, and set its functions' types by the header. Raise OSError if the library cannot be loaded."""
    library = ct.CDLL(str(path))
    for name, (result, declared) in prototypes().items():
        function = getattr(library, name, None)
        if function is not None:
            function.restype = type_of(result)
            function.argtypes = [type_of(parameter) for parameter in declared]
    return library


# --- arguments ---


def ints(numbers: Sequence[int]) -> tuple[Any, int]:
    """Return a list of integers as a pointer and a count."""
    return (ct.c_int64 * len(numbers))(*numbers), len(numbers)


def int_at(number: int) -> Any:
    """Return a pointer to an integer."""
    return ct.byref(ct.c_int64(number))


def number(value: bool | int | float | complex | str) -> Any:
    """Return the address of a SuanziScalar for a number or a string. Raise OverflowError for integers of more than 64
    bits.
    """
    return ct.byref(scalar(value))


def scalar(value: bool | int | float | complex | str) -> Scalar:
    """Return the SuanziScalar for a number or a string."""
    result = Scalar()
    if isinstance(value, bool):
        result.type, result.value.boolean = 0, value
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise OverflowError(f"{value} has more than 64 bits")
        result.type = 1 if value < 2**63 else 2
        setattr(result.value, "integer" if value < 2**63 else "unsigned_integer", value)
    elif isinstance(value, float):
        result.type, result.value.floating = 3, value
    elif isinstance(value, complex):
        result.type, result.value.complex_parts = 4, (value.real, value.imag)
    else:
        text = value.encode()
        result.type, result.value.string = 5, String(text, len(text))
    return result


def strings(texts: Sequence[bytes]) -> Any:
    """Return texts as the elements of a string tensor."""
    return (String * len(texts))(*(String(text, len(text)) for text in texts))


def layout(order: Sequence[int] | None, storage: int = 0) -> Any:
    """Return the address of a SuanziLayout with a given logical order."""
    numbers = None if order is None else (ct.c_int64 * len(order))(*order)
    return ct.byref(Layout(storage, numbers, 0 if order is None else len(order)))
