"""Counts breaches of the house rules, and fails if a count is not zero.

python tests/house.py

Each check is a function that yields the offending lines as `file:line: text`. CI runs this file beside the linters.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from wording import joined_chinese, without_subject

ROOT = Path(__file__).parents[1]


def native_lines() -> Iterator[tuple[str, int, str]]:
    """Yield the lines of the native core (file, number from 1, text), except comments that fill a line."""
    for path in sorted((ROOT / "native").rglob("*")):
        if path.suffix not in {".cpp", ".h"}:
            continue
        file = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if not line.lstrip().startswith("//"):
                yield file, number, line


# Patterns for compilers' names of instruction sets, for intrinsics and their headers, and for constants like has_avx2.
INSTRUCTION_SET = r"(?:AVX|S*SE\d|FMA\b|F16C|BMI|x86_64|i386|amd64|aarch64|arm_|ARM|NEON|SVE|riscv|powerpc|VSX)"
CONDITION = re.compile(rf"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b_*{INSTRUCTION_SET}")
INTRINSICS = re.compile(r"\b(?:_mm\d*_\w+|__m\d+[a-z]*|__builtin_ia32_\w+)\b|\w*mmintrin\.h|arm_neon\.h")
CONSTANT = re.compile(r"\bhas_(?:avx|fma|sse|neon|sve)\w*", re.IGNORECASE)
# The folder and the file that may name instruction sets. Code outside kernels reads facts about the processor from the
# file.
KNOWS_INSTRUCTION_SETS = ("native/simd/arch/", "native/runtime/processor.cpp")


def instruction_set_conditionals() -> Iterator[str]:
    """Find code outside simd/arch that names an instruction set. Such code must use the constants of simd/arch."""
    for file, number, line in native_lines():
        if file.startswith(KNOWS_INSTRUCTION_SETS):
            continue
        if CONDITION.search(line) or INTRINSICS.search(line) or CONSTANT.search(line):
            yield f"{file}:{number}: {line.strip()}"


# Names whose meaning or existence depends on the compiler, the C library or the processor. Each of these names has
# caused a defective wheel when a compiler other than g++ built the wheel. The build reported no error.
UNPORTABLE = re.compile(r"\blong double\b|\b__builtin_cpu_(?:supports|is|init)\b|\bgettid\(\)|\bstd::complex<long")


def unportable_names() -> Iterator[str]:
    """Find types and functions that differ or do not exist on some system that Suanzi supports."""
    for file, number, line in native_lines():
        if UNPORTABLE.search(line):
            yield f"{file}:{number}: {line.strip()}"


# A threshold is a constant with which a size is compared to decide between two algorithms. costs.h must define all
# thresholds. The constants below are compared with sizes, too, but are not thresholds. Each constant determines a
# result, or is prescribed by a format, a language or a machine, or limits the length of a list or a table.
NO_THRESHOLDS = {
    "native/base/dims.h": {"inline_capacity"},
    "native/ops/arrange/arrange.cpp": {"group"},
    "native/ops/arrange/views.cpp": {"most"},
    "native/ops/fft/line.h": {"page"},
    "native/ops/fft/plan.cpp": {"most_entries", "most_bytes"},
    "native/ops/linalg/single_jacobi.h": {"single_columns"},
    "native/ops/product/gemv.cpp": {"parts", "chunk"},
    "native/ops/product/matmul.cpp": {"huge", "least"},
    "native/ops/product/thin.tile.h": {"tile_columns", "thin_lines"},
    "native/ops/quantized/dynamic.cpp": {"chunk"},
    "native/ops/random/multinomial.cpp": {"tile_elements"},
    "native/ops/reduce/folds.h": {"few", "piece", "block", "blocks_at_once", "elements", "widest"},
    "native/ops/reduce/reduce.cpp": {"narrow"},
    "native/ops/sort/order.cpp": {"narrow_limit"},
    "native/ops/sort/sort_keys.h": {"deepest"},
    "native/python/function.cpp": {"most_parameters"},
    "native/python/tensor_object.cpp": {"kept_objects"},
    "native/runtime/allocator.cpp": {"thread_classes"},
    "native/runtime/machine.cpp": {"largest"},
}
INTEGER_CONSTANT = re.compile(r"\bconstexpr (?:u?int\d*_t|int|size_t|auto) (\w+ = [^;]*);")
# Files in which an instruction set or an algorithm determines lane counts and tile sizes.
KERNELS = re.compile(r"^native/(?:simd|math)/|\.kernels\.cpp$|\.avx512_bf16\.cpp$|\.tile\.h$|^native/runtime/costs\.h$")


def is_compared(name: str, text: str) -> bool:
    """Return whether a line of the text, other than the head of a loop, compares a value with the constant `name`."""
    compared = re.compile(rf"(?:[^<]<=?|[^>-]>=?) {name}\b|\b{name} (?:<=?|>=?) ")
    lines = (line for line in text.splitlines() if not re.search(r"constexpr|static_assert|\bfor \(|template", line))
    return any(compared.search(line) for line in lines)


def thresholds_elsewhere() -> Iterator[str]:
    """Find constants outside costs.h that are compared with a size."""
    texts: dict[str, list[str]] = {}
    for file, _, line in native_lines():
        texts.setdefault(file, []).append(line)
    for file, number, line in native_lines():
        found = None if KERNELS.search(file) else INTEGER_CONSTANT.search(line)
        for constant in re.split(r", (?=\w+ = )", found[1]) if found else []:
            name, value = constant.split(" = ", 1)
            if name in NO_THRESHOLDS.get(file, ()) or not re.search(r"\d", value):
                continue
            if is_compared(name, "\n".join(texts[file])):
                yield f"{file}:{number}: {constant}"


def room_of(file: str) -> str:
    """Return the folder as part of which a file's includes count. The includes of all bindings count as
    native/python's.
    """
    parts = file.split("/")
    if file.endswith(".binding.cpp") or parts[1] == "python":
        return "native/python"
    return "/".join(parts[:3] if parts[1] == "ops" and len(parts) > 3 else parts[:2])


def include_cycles() -> Iterator[str]:
    """Find folders of the core that include each other, directly or through other folders."""
    includes: dict[str, dict[str, str]] = {}
    for file, number, line in native_lines():
        found = re.match(r'#include "([^"]+)"', line)
        if not found or not (ROOT / "native" / found[1]).exists():
            continue
        above, below = room_of(file), room_of(f"native/{found[1]}")
        if above != below:
            includes.setdefault(above, {}).setdefault(below, f"{file}:{number}: {line}")

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for below in includes.get(waiting.pop(), {}):
                if below not in seen:
                    seen.add(below)
                    waiting.append(below)
        return seen

    for above, belows in sorted(includes.items()):
        for below, line in sorted(belows.items()):
            if above in reached(below):
                yield line


class Room(NamedTuple):
    """A folder or a module that docs/architecture.md lists as a room: the path, and the line in the list."""

    path: str  # from the root of the repository, without a suffix for a module
    line: int
    is_layer: bool  # False for a part of the layer that is listed above this part


def rooms() -> list[Room]:
    """Return the rooms that docs/architecture.md lists, from the top down."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found: list[Room] = []
    top = layer = ""
    for number, line in enumerate(page.split("```")[1].splitlines()):
        names = re.split(r", ", re.split(r" {2,}", line.strip())[0])
        if line and not line.startswith(" "):
            top = line.strip("/")
        elif line.startswith("    "):
            found += [Room(f"{layer}/{name}", number, False) for name in names]
        elif line:
            layer = f"{top}/{names[0]}"
            found += [Room(f"{top}/{name}", number, True) for name in names]
    return found


def layer_of(path: str, layers: list[Room]) -> Room | None:
    """Return the layer with the longest path that contains a file or a module, or None if no layer does."""
    within = (room for room in layers if path == room.path or path.startswith(f"{room.path}/"))
    return max(within, key=lambda room: len(room.path), default=None)


# Files that load a room above their own room by name, at the first use (docs/architecture.md).
LOADS_ROOMS_ABOVE = ("src/suanzi/lazy.py", "src/suanzi/tensor/protocols.py")


def imports(file: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the path of each import of a module of Suanzi, except imports for type checkers."""
    unseen = {
        id(below)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for below in ast.walk(statement)
    }
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [name.name for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            within = Path(file).with_suffix("").parts[1 : -node.level] if node.level else ()
            names = [".".join([*within, *filter(None, [node.module]), name.name]) for name in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            literal = node.args[0] if file not in LOADS_ROOMS_ABOVE else None
            names = [literal.value] if isinstance(literal, ast.Constant) else []
        for name in names if id(node) not in unseen else []:
            if name.split(".")[0] == "suanzi" and not name.startswith("suanzi._core"):
                yield node.lineno, module_path(name)


def module_path(name: str) -> str:
    """Return the path of the module that a dotted name denotes, also if the name ends in a member of the module."""
    while name:
        path = "src/" + name.replace(".", "/")
        if (ROOT / f"{path}.py").is_file():
            return path
        if (ROOT / path / "__init__.py").is_file():
            return f"{path}/__init__" if name == "suanzi" else path
        name = name.rpartition(".")[0]
    raise LookupError(name)


def imports_upwards() -> Iterator[str]:
    """Find imports and includes that do not point down the documented layers, and files in no layer."""
    layers = [room for room in rooms() if room.is_layer]
    known: list[tuple[str, str, int, str]] = []
    for file, tree in python_trees(""):
        known += [(file, path, number, path) for number, path in imports(file, tree)]
    for file, number, line in native_lines():
        include = re.match(r'#include "([^"]+)"', line)
        if include and (ROOT / "native" / include[1]).exists():
            above = "native/python" if file.endswith(".binding.cpp") else file
            known.append((above, f"native/{include[1]}", number, line))
    for file, path, number, text in known:
        above, below = layer_of(file.removesuffix(".py"), layers), layer_of(path, layers)
        if above is None or below is None or (above.path != below.path and above.line >= below.line):
            yield f"{file}:{number}: {text}"


# Further namespaces of a folder, and the reason for each namespace.
NAMESPACES = {
    "native/c": {"suanzi"},  # the levels' tables, declared in kernels/built.h for libsuanzi and Python's module
    "native/math": {"suanzi::SUANZI_LEVEL::math"},  # compiled for every level
    "native/math/coefficients": {"suanzi::coefficients"},  # data for all levels
    "native/ops/product": {"suanzi::products"},  # `product` is a function of a shape's extents
    "native/ops/random": {"suanzi::philox"},  # the paper of the generator uses this name
    "native/runtime": {"suanzi::blas", "suanzi::costs"},  # the types and routines of BLAS, and the tuned numbers
    "native/walk": {"suanzi::walk"},  # the engine (copies, rows and scalars, which all rooms use, are in `suanzi`)
}


def other_namespaces() -> Iterator[str]:
    """Find files whose namespace is neither `suanzi` nor named after their room."""
    rooms_of: dict[str, dict[str, str]] = {}
    for file, number, line in native_lines():
        found = re.match(r"namespace (suanzi[\w:]*) \{", line)
        if not found or "SUANZI_LEVEL" in found[1]:
            continue
        folder, _, name = file.rpartition("/")
        if file.endswith(".binding.cpp"):
            known = {"suanzi::python"}
        elif ".kernels." in name:
            known = {"suanzi"}  # the kernels' types, which the namespaces of all levels use
        else:
            known = NAMESPACES.get(folder, set())
            if found[1] not in known:
                rooms_of.setdefault(folder, {}).setdefault(found[1], f"{file}:{number}: {line}")
            known = {*known, "suanzi", f"suanzi::{folder.rpartition('/')[2]}"}
        if found[1] not in known:
            yield f"{file}:{number}: {line}"
    for folder, lines in rooms_of.items():
        if len(lines) > 1:
            yield f"{folder}: {' and '.join(sorted(lines))}"


SOURCES = {".cpp", ".h", ".py", ".pyi"}
LONGEST = 60


def native_functions() -> Iterator[tuple[str, int, int]]:
    """Yield the file, the first line and the length of each native function.

    A function ends at a brace with the indentation of the function's first line.
    """
    head = re.compile(
        r"^(?P<indent> {0,4})(?!namespace|class|struct|enum|union|extern|if|for|while|switch|else|do\b|\})\S.*\{$"
    )
    lines: dict[str, list[str]] = {}
    for path in sorted((ROOT / "native").rglob("*")):
        if path.suffix in {".cpp", ".h"}:
            lines[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8").splitlines()
    for file, text in lines.items():
        for first, line in enumerate(text):
            found = head.match(line)
            if not found or "(" not in " ".join(text[max(0, first - 3) : first + 1]) or re.search(r"= *\{$", line):
                continue
            initialisers = line.lstrip().startswith(":")  # initialisers of a constructor are indented
            closing = (found["indent"][4:] if initialisers else found["indent"]) + "}"
            last = next((i for i in range(first + 1, len(text)) if text[i].startswith(closing)), first)
            yield file, first + 1, last - first + 1


def long_functions() -> Iterator[str]:
    """Find functions of Suanzi with more than 60 lines. Lines of docstrings do not count."""
    for file, number, length in native_functions():
        if length > LONGEST:
            yield f"{file}:{number}: {length} lines"
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                length -= len((ast.get_docstring(node, clean=False) or "").splitlines())
                if length > LONGEST:
                    yield f"{path.relative_to(ROOT).as_posix()}:{node.lineno}: {length} lines"


LONGEST_FILE = 600


def long_files() -> Iterator[str]:
    """Find files with more than 600 lines, which hold more than one idea."""
    folders = ("src", "native", "tests", "tools", "benchmarks", "examples", "docs")
    for path in sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in SOURCES):
        file = path.relative_to(ROOT).as_posix()
        length = len(path.read_text(encoding="utf-8").splitlines())
        if length > LONGEST_FILE and not GENERATED.search(file):
            yield f"{file}: {length} lines"


# Operators, and the greatest number of files that may name each operator. These files hold the operator's record, its
# mathematics and its clients. Each limit was the count when the rule was made. A lower count replaces the limit.
MOST_FILES = {"cosh": 8, "fmod": 7, "var": 13, "topk": 10, "scatter": 22}
# Folders that name operators of other libraries: the conformance kit, timings, PyTorch's devices and hints.
OTHERS_NAMES = re.compile(r"^src/suanzi/(?:conformance|bench|devices|hints)/")
GENERATED = re.compile(r"^src/suanzi/\w+\.pyi$|^native/math/coefficients/\w+\.h$")


def scattered_operators() -> Iterator[str]:
    """Find operators that more files name than `MOST_FILES` allows, and list the files."""
    paths = sorted(path for top in ("src", "native") for path in (ROOT / top).rglob("*") if path.suffix in SOURCES)
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    written = [file for file in texts if not GENERATED.search(file) and not OTHERS_NAMES.search(file)]
    for name, most in MOST_FILES.items():
        files = [file for file in written if re.search(rf"\b{name}\b", texts[file])]
        if len(files) > most:
            yield f"{name}: {len(files)} files, not {most}: {' '.join(files)}"


def unlisted_rooms() -> Iterator[str]:
    """Find folders and modules that docs/architecture.md does not list, and listed rooms that do not exist."""
    listed = {room.path for room in rooms()}
    there = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "src" / "suanzi").glob("*.py")}
    for top in ("src/suanzi", "native"):
        files = (path for path in (ROOT / top).rglob("*") if path.suffix in SOURCES)
        there |= {path.parent.relative_to(ROOT).as_posix() for path in files} - {top}
    yield from sorted(there - listed)
    for path in sorted(listed - there):
        if not (ROOT / path).is_dir() and not (ROOT / f"{path}.py").is_file():
            yield f"{path} is listed, but not there"


def python_trees(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the file name and the syntax tree of each of Suanzi's modules in given folders."""
    for folder in folders:
        top = ROOT / "src" / "suanzi" / folder
        for path in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def positional_padding() -> Iterator[str]:
    """Find calls of builtins that end in two or more Nones. Code must call the public functions by keyword instead."""
    for file, tree in python_trees(""):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("_core."):
                continue
            if [ast.unparse(x) for x in node.args[-2:]] == ["None", "None"]:
                yield f"{file}:{node.lineno}: {ast.unparse(node)}"


# Rooms that must read operators' records. Up to MOST_NAMES names in one collection are not yet a list.
ASKS_RECORDS = ("fusion", "graph", "kinds", "sparse", "quantized", "interop/onnx/growth.py")
MOST_NAMES = 3


def operator_names() -> set[str]:
    """Return the names of Suanzi's operators (declared functions) and of ONNX's operators (rows of the table)."""
    names = {
        node.name
        for _, tree in python_trees("operators")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any("core=" in ast.unparse(d) for d in node.decorator_list)
    }
    for _, tree in python_trees("interop/onnx/table.py"):
        keys = [key for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys]
        names |= {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
    return names


def lists_of_operators() -> Iterator[str]:
    """Find collections and texts that list operators' names, in rooms that must read the records instead."""
    names = operator_names()
    for file, tree in python_trees(*ASKS_RECORDS):
        for node in ast.walk(tree):
            parts: list[Any] = []
            if isinstance(node, ast.Tuple | ast.List | ast.Set):
                parts = [x.value for x in node.elts if isinstance(x, ast.Constant)]
            elif isinstance(node, ast.Dict):
                parts = [x.value for x in (*node.keys, *node.values) if isinstance(x, ast.Constant)]
            elif (
                isinstance(node, ast.Constant) and isinstance(node.value, str) and not re.search(r"[.,:`]", node.value)
            ):
                parts = node.value.split()
            if len(names.intersection(x for x in parts if isinstance(x, str))) > MOST_NAMES:
                yield f"{file}:{node.lineno}: {' '.join(ast.unparse(node).split())[:90]}"


# The table of devices, and the room of the devices that PyTorch reaches.
KNOWS_DEVICES = ("src/suanzi/kinds/devices.py", "src/suanzi/devices/")


def asks_for_a_device(node: ast.AST) -> bool:
    """Return whether a syntax node compares a value with the CPU, or is the message that a device is not available."""
    if isinstance(node, ast.Compare):
        return any(ast.unparse(x).rpartition(".")[2] == "CPU" for x in (node.left, *node.comparators))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "is not available" in node.value


def device_checks() -> Iterator[str]:
    """Find code that tests whether a device is the CPU, instead of leaving the choice to the dispatch."""
    for file, tree in python_trees(""):
        if not file.startswith(KNOWS_DEVICES):
            asking = filter(asks_for_a_device, ast.walk(tree))
            yield from (f"{file}:{node.lineno}: {ast.unparse(node)[:90]}" for node in asking)  # type: ignore[attr-defined]
    for file, number, line in native_lines():
        # The C interface has no dispatch in Python to rely on.
        if re.search(r"\brequire_cpu\b", line) and not file.startswith("native/c/"):
            yield f"{file}:{number}: {line.strip()}"


# The module of Python's tuned numbers, and the rooms whose numbers concern texts or other libraries.
TUNED = "src/suanzi/tuning.py"
WITHOUT_TUNING = ("src/suanzi/bench/", "src/suanzi/cli/", "src/suanzi/conformance/")
# Numbers that look like tuned numbers, but that a format, a protocol, a type, an algorithm or a text's layout
# prescribes.
NOT_TUNED = {
    "src/suanzi/devices/division.py": {"2.0 ** 53"},
    "src/suanzi/devices/double_double.py": {"2.0 ** 50"},
    "src/suanzi/devices/fast.py": {"60000.0"},
    "src/suanzi/devices/front.py": {"_INT", "_FLOAT"},
    "src/suanzi/devices/powers.py": {"_MOST_WHOLE", "_MOST"},
    "src/suanzi/devices/random.py": {"2.0 ** 900"},
    "src/suanzi/devices/rounding.py": {"_MOST", "_PAST"},
    "src/suanzi/devices/sampling.py": {"_FAR"},
    "src/suanzi/devices/transforms.py": {"1 << 24"},
    "src/suanzi/devices/types.py": {"2.0 ** 63"},
    "src/suanzi/extras/missing.py": {"_LEAST_VARIANCE"},
    "src/suanzi/interop/onnx/compositions/patterns.py": {"_LIMIT_OF_RE2"},
    "src/suanzi/kinds/sparse/reductions.py": {"_SAFE_POWERS"},
    "src/suanzi/operators/composition.py": {"2 ** 53"},
    "src/suanzi/extras/scaling.py": {"_MOST"},
    "src/suanzi/extras/statistics.py": {"_LEAST"},
    "src/suanzi/fusion/description.py": {"1000"},
    "src/suanzi/fusion/plot.py": {"_MOST_ARROWS"},
    "src/suanzi/hints/answers.py": {"2 ** 63"},
    "src/suanzi/hints/literals.py": {"SHORT"},
    "src/suanzi/interop/ascend/fill.py": {"2.0 ** 31"},
    "src/suanzi/interop/ascend/operation.py": {"_MOST", "256"},
    "src/suanzi/interop/files.py": {"_LONGEST"},
    "src/suanzi/interop/formats/npz.py": {"2 ** 15"},
    "src/suanzi/interop/formats/safetensors.py": {"LONGEST_HEADER", "2 ** 63"},
    "src/suanzi/interop/formats/text.py": {"_ROUNDED"},
    "src/suanzi/interop/mindspore/common/printing.py": {"_SMALL", "_LONG_VECTOR"},
    "src/suanzi/interop/numpy/compositions.py": {"_FAR"},
    "src/suanzi/interop/numpy/indices.py": {"2 ** 63"},
    "src/suanzi/interop/numpy/summaries.py": {"_SAFE"},
    "src/suanzi/interop/onnx/after_conv.py": {"_MOST"},
    "src/suanzi/interop/onnx/compositions/linear_models.py": {"_ENOUGH"},
    "src/suanzi/interop/onnx/compositions/numbers.py": {"2.0 ** 53", "2.0 ** 63"},
    "src/suanzi/interop/onnx/compositions/resizing.py": {"_MOST_EXACT_PLACES", "2.0 ** 24"},
    "src/suanzi/interop/onnx/source.py": {"_MOST_BYTES"},
    "src/suanzi/interop/onnx/wire.py": {"_LONGEST"},
    "src/suanzi/interop/onnx/types.py": {"2 ** 63"},
    "src/suanzi/interop/pypto.py": {"_GREATEST_SIZE"},
    "src/suanzi/operators/catalogue.py": {"_CLAUSES_WITH_TEXT"},
    "src/suanzi/quantized/parameters.py": {"LEAST_SCALE", "_GREATEST_SCALE"},
    "src/suanzi/random/generator.py": {"2 ** 64"},
    "src/suanzi/tensor/device.py": {"_MOST"},
    "src/suanzi/tensor/protocols.py": {"_MOST_VERSION"},
    "src/suanzi/tensor/messages.py": {"LONGEST", "_BITS", "_ITEMS"},
}
SAYS_SO = re.compile(r"MOST|LEAST|LARGE|SMALL|LONGEST|SHORT|FEW|FAR|DEEPEST|ENOUGH|LIMIT")
LEAST_INLINE = 256


def number_of(node: ast.expr) -> float | None:
    """Return the value of an arithmetic expression, the greatest value in a tuple, or None for other expressions."""
    if isinstance(node, ast.Tuple) and node.elts:
        parts = [number_of(x) for x in node.elts]
        return None if None in parts else max(x for x in parts if x is not None)
    if any(
        not isinstance(x, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop) for x in ast.walk(node)
    ):
        return None
    value = eval(compile(ast.Expression(node), "", "eval"), {})  # only numbers and arithmetic operators
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def tuned_numbers() -> Iterator[str]:
    """Find tuned numbers outside tuning.py.

    A constant is a tuned number if code compares the constant, or if its name says so (`SAYS_SO`). Large numbers that
    code compares are tuned numbers as well.
    """
    for file, tree in python_trees(""):
        if file == TUNED or file.startswith(WITHOUT_TUNING):
            continue
        known = NOT_TUNED.get(file, set())
        order = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        compared = [
            side
            for node in ast.walk(tree)
            if isinstance(node, ast.Compare) and any(isinstance(x, order) for x in node.ops)
            for side in (node.left, *node.comparators)
        ]
        names = {x.id for side in compared for x in ast.walk(side) if isinstance(x, ast.Name)}
        for node in tree.body:
            if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                continue
            name = node.targets[0].id
            if name not in known and (name in names or SAYS_SO.search(name)) and number_of(node.value) is not None:
                yield f"{file}:{node.lineno}: {ast.unparse(node)}"
        for side in compared:
            inline = side.operand if isinstance(side, ast.UnaryOp) else side
            text = ast.unparse(inline).lstrip("-")
            if (number_of(inline) or 0) >= LEAST_INLINE and text not in known:
                yield f"{file}:{side.lineno}: {text}"


CHECKS: dict[str, Callable[[], Iterator[str]]] = {
    "instruction-set conditionals outside simd/arch and the dispatch": instruction_set_conditionals,
    "thresholds outside runtime/costs.h": thresholds_elsewhere,
    "includes that make a cycle of folders": include_cycles,
    "imports and includes that do not point down the layers of docs/architecture.md": imports_upwards,
    "namespaces that are not those of their rooms": other_namespaces,
    "names that other systems have otherwise": unportable_names,
    "functions above 60 lines": long_functions,
    f"files above {LONGEST_FILE} lines": long_files,
    "rooms that are not those of docs/architecture.md": unlisted_rooms,
    "operators that more files name than are counted in MOST_FILES": scattered_operators,
    "calls of builtins padded with None, None": positional_padding,
    "lists of operators' names that records should give": lists_of_operators,
    "checks of devices outside their table": device_checks,
    f"tuned numbers outside {TUNED}": tuned_numbers,
    "docstrings and comments that begin with What, Of, That, Which, How and the like": without_subject,
    "lines of Chinese that show a blank where they are joined": joined_chinese,
}


def main() -> int:
    found = {what: list(check()) for what, check in CHECKS.items()}
    for what, lines in found.items():
        print(f"{what}: {len(lines)}")
        for line in lines:
            print(f"  {line}")
    return int(any(found.values()))


if __name__ == "__main__":
    sys.exit(main())
