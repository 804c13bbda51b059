"""The parser of the command line, which calls the function of the chosen command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

import suanzi
from suanzi.cli import bench, c_interface, commands, feeds, models
from suanzi.conformance import cli as conformance
from suanzi.conformance.terminal import guarded, show_examples
from suanzi.operators.catalogue import CATEGORIES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""

    def run() -> int:
        given = sys.argv[1:] if arguments is None else list(arguments)
        if given and given[0].lower().endswith(".onnx"):
            print(
                f"suanzi: {given[0]} is not a command; use suanzi run {given[0]}, or suanzi info {given[0]}",
                file=sys.stderr,
            )
            return 2
        parser = _parser()
        options = parser.parse_args(_with_range(given))
        if options.run is None:  # a missing command is not an error: the help lists the commands
            parser.print_help()
            return 0
        status: int = options.run(options)
        return status

    return guarded("suanzi", run)


def _with_range(given: list[str]) -> list[str]:
    """Join each --range and its value, because argparse takes a separate value such as -1,1 for an option."""
    words = iter(given)
    return [
        f"{word}={value}" if word == "--range" and (value := next(words, None)) is not None else word for word in words
    ]


def _whole(bits: int) -> Callable[[str], int]:
    """Return a function that reads nonnegative integers of a given number of bits."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = -1
        if not 0 <= number < 2**bits:
            raise argparse.ArgumentTypeError(f"{text[:50]!r} is not a whole number from 0 to 2**{bits} - 1")
        return number

    return read


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="suanzi", description="The operators of T/AI 137.1-2025: their descriptions, checks and times."
    )
    parser.set_defaults(run=None)
    parser.add_argument("--version", action="version", version=f"suanzi {suanzi.__version__}")
    command = parser.add_subparsers(metavar="COMMAND", title="commands")
    show_examples(
        parser,
        ("suanzi ops 正弦", "the signature, the operands and the errors of an operator"),
        ("suanzi info", "the version and the machine"),
        ("suanzi conformance sin", "a check of an operator against the standard"),
        ("suanzi COMMAND --help", "the options of a command, their defaults, and examples"),
    )

    ops = _add_ops(command)
    info = command.add_parser(
        "info", help="version, instruction set, threads, devices, memory; or the contents of a model"
    )
    info.set_defaults(run=commands.info)
    info.add_argument("model", nargs="?", metavar="MODEL.onnx", help="an ONNX model to describe instead")
    show_examples(
        info,
        ("suanzi info --json", "the same information as JSON"),
        ("suanzi info model.onnx", "inputs, operators and memory of a model"),
        ("cc main.c $(suanzi info --c)", "compile a C program with libsuanzi"),
    )
    flags = "the flags by which a C compiler finds suanzi.h and libsuanzi, or one of their folders"
    info.add_argument("--c", nargs="?", const="flags", choices=c_interface.WHAT, help=flags)
    check = command.add_parser("conformance", help="check this library or another library against the standard")
    conformance.add_arguments(check)
    timing = command.add_parser("bench", help="time the operators beside NumPy, PyTorch, JAX and ONNX Runtime")
    bench.add_arguments(timing)
    run = command.add_parser("run", help="run an ONNX model on inputs from files, or on random inputs")
    models.add_arguments(run)
    size = "the size that replaces open sizes of random inputs (default: 1)"
    for each in (run, info):
        each.add_argument("--size", type=_whole(63), default=1, metavar="N", help=size)
    shape = "the shape of an input, for the estimate of memory"
    info.add_argument("--shape", action="append", type=feeds.shape_of, metavar="[NAME=]1,3,224,224", help=shape)
    seed = "the seed of random inputs (default: 0, which draws a seed from the system)"
    run.add_argument("--seed", type=_whole(64), default=0, metavar="N", help=seed)
    show_examples(
        run,
        ("suanzi run model.onnx --seed 1", "on random inputs"),
        ("suanzi run model.onnx --input x=x.npy --save y.npz", "on an input from a file"),
        ("suanzi run model.onnx --check", "beside ONNX Runtime"),
        ("suanzi run model.onnx --profile --plot t.png", "with the time of each operator, also as a picture"),
    )
    for each in (ops, info, run):
        each.add_argument("--json", action="store_true", help="print JSON (default: text)")
    return parser


def _add_ops(command: Any) -> argparse.ArgumentParser:
    """Add the arguments of `suanzi ops`."""
    ops: argparse.ArgumentParser = command.add_parser(
        "ops", help="the 134 operators of the standard, with those that are implemented"
    )
    ops.set_defaults(run=commands.ops)
    described = "describe these operators, also by the standard's Chinese names (default: a table of all)"
    ops.add_argument("names", nargs="*", metavar="NAME", help=described)
    keys = ", ".join(category.key for category in CATEGORIES)
    of = f"a category of operators, also by its Chinese name: {keys}"
    ops.add_argument("--category", action="append", metavar="NAME", help=of)
    show_examples(
        ops,
        ("suanzi ops", "all operators"),
        ("suanzi ops sin", "one operator"),
        ("suanzi ops 正弦 加法", "two operators, by the standard's names"),
        ("suanzi ops --category reduction --json", "a category, for programs"),
    )
    return ops
