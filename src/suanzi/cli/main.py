"""Reads the command line and hands over to the command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from suanzi.cli import commands, models


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is returned."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # `suanzi ops | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="suanzi", description="The operators of T/AI 137.1-2025 and how they are doing."
    )
    command = parser.add_subparsers(metavar="command", required=True)

    ops = command.add_parser("ops", help="the 134 operators that the standard names, and which are implemented")
    ops.set_defaults(run=commands.ops)
    info = command.add_parser("info", help="version, instruction set, threads, devices, memory")
    info.set_defaults(run=commands.info)
    conformance = command.add_parser(
        "conformance",
        help="check the operators against an oracle; the exit status is 1 when one fails",
    )
    conformance.set_defaults(run=commands.conformance)
    conformance.add_argument(
        "--operator",
        action="append",
        metavar="NAME",
        help="only this operator (may be given several times)",
    )
    run = command.add_parser("run", help="run an ONNX model on inputs from files, or on random ones")
    run.set_defaults(run=models.run)
    run.add_argument("model", metavar="MODEL.onnx")
    run.add_argument(
        "--input",
        action="append",
        metavar="[NAME=]FILE",
        help="an input from a .npy, .npz or .csv file; converted to the type that the model declares",
    )
    run.add_argument("--size", type=int, default=1, metavar="N", help="what stands for open sizes of random inputs (1)")
    run.add_argument("--seed", type=int, default=0, help="of random inputs; by default drawn from the system")
    run.add_argument("--save", metavar="FILE.npz", help="write the outputs to a file instead of printing them")
    for each in (ops, info, conformance, run):
        each.add_argument("--json", action="store_true", help="print JSON")
    return parser
