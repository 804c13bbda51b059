"""Reads the command line and hands over to the command."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import suanzi
from suanzi.cli import bench, c_interface, commands, models
from suanzi.conformance import cli as conformance
from suanzi.conformance.terminal import guarded


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is returned."""

    def run() -> int:
        options = _parser().parse_args(arguments)
        status: int = options.run(options)
        return status

    return guarded("suanzi", run)


def _whole(bits: int) -> Callable[[str], int]:
    """Return a reader of numbers that are not negative."""

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
        prog="suanzi", description="The operators of T/AI 137.1-2025 and how they are doing."
    )
    parser.add_argument("--version", action="version", version=f"suanzi {suanzi.__version__}")
    command = parser.add_subparsers(metavar="command", required=True)

    ops = command.add_parser("ops", help="the 134 operators that the standard names, and which are implemented")
    ops.set_defaults(run=commands.ops)
    info = command.add_parser("info", help="version, instruction set, threads, devices, memory")
    info.set_defaults(run=commands.info)
    flags = "what a C compiler is told to find suanzi.h and libsuanzi, or one of the folders that these are in"
    info.add_argument("--c", nargs="?", const="flags", choices=c_interface.WHAT, help=flags)
    check = command.add_parser("conformance", help="check this library or another one against the standard")
    conformance.add_arguments(check)
    timing = command.add_parser("bench", help="time the operators beside NumPy, PyTorch, JAX and ONNX Runtime")
    bench.add_arguments(timing)
    run = command.add_parser("run", help="run an ONNX model on inputs from files, or on random ones")
    run.set_defaults(run=models.run)
    run.add_argument("model", metavar="MODEL.onnx")
    run.add_argument(
        "--input",
        action="append",
        metavar="[NAME=]FILE",
        help="an input from a .npy, .npz or .csv file; converted to the type that the model declares",
    )
    size = "what stands for open sizes of random inputs (1)"
    run.add_argument("--size", type=_whole(63), default=1, metavar="N", help=size)
    seed = "of random inputs; by default, and for 0, drawn from the system"
    run.add_argument("--seed", type=_whole(64), default=0, metavar="N", help=seed)
    save = "write the outputs to an .npz archive of exactly this name instead of printing them"
    run.add_argument("--save", metavar="FILE", help=save)
    for each in (ops, info, run):
        each.add_argument("--json", action="store_true", help="print JSON")
    return parser
