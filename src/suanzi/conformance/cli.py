"""The command `conformance`, which checks a library, prints findings during the checks, and writes reports.

Both `suanzi-conformance` and `suanzi conformance` run this command. If the kit is installed without Suanzi, the command
line must name the library to check.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from .names import DEFAULT, chosen
from .terminal import Progress, above_zero, check_outputs, guarded, show_examples
from .text import as_json, printable, table
from .version import __version__

if TYPE_CHECKING:
    from .report import Report

_UNUSABLE = 2  # the exit status if the command cannot begin, for example after an unknown name


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command `conformance`."""
    parser.set_defaults(run=conformance)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="operators to check, also by the standard's Chinese names (default: all)",
    )
    parser.add_argument("--operator", action="append", metavar="NAME", help="an operator to check; may be repeated")
    categories = f"a category of operators to check, also by its Chinese name: {', '.join(_categories())}"
    parser.add_argument("--category", action="append", metavar="NAME", help=categories)
    provider = (
        f"the library to check (default: {DEFAULT or 'none, required'}): suanzi, numpy, torch, jax, onnxruntime, "
        "c (libsuanzi), a shared library's path, array-api:MODULE, module:Class, a registered name"
    )
    parser.add_argument("--provider", default=DEFAULT, metavar="NAME", help=provider)
    parser.add_argument(
        "--device", default="", metavar="NAME", help="the device on which the provider computes (default: the CPU)"
    )
    profile = "the extent of the checks: all checks, or the checks of less than a minute (default: full)"
    parser.add_argument("--profile", choices=("full", "quick"), default="full", help=profile)
    seconds, memory = (
        "the most seconds that a check may take (default: 60)",
        "the most GiB of address space that the process may take (default: no limit)",
    )
    parser.add_argument("--seconds", type=above_zero(float), default=60.0, metavar="N", help=seconds)
    parser.add_argument("--memory", type=above_zero(float), default=0.0, metavar="N", help=memory)
    for form, what in (("json", "JSON"), ("junit", "JUnit's XML"), ("html", "a page of HTML")):
        parser.add_argument(f"--{form}", metavar="FILE", help=f"write the report as {what}; - means the output")
    parser.add_argument(
        "--language", choices=("en", "zh"), default="en", help="the language of text, page and template (default: en)"
    )
    two = "check nothing, but print the differences of two reports that --json wrote"
    parser.add_argument("--compare", nargs=2, metavar="FILE", help=two)
    parser.add_argument("--list", action="store_true", help="check nothing, but print the signatures of the operators")
    template = "check nothing, but write an example of a provider, which runs and can be changed for another library"
    parser.add_argument("--init", metavar="FILE.py", help=template)
    program = "suanzi conformance" if DEFAULT else "suanzi-conformance --provider numpy"
    show_examples(
        parser,
        (f"{program} sin 加法", "two operators"),
        (f"{program} --category arithmetic --profile quick", "a category, in less than a minute"),
        (f"{program} --html report.html --language zh", "all operators, and a page with the findings"),
        ("suanzi conformance --provider torch --device gpu" if DEFAULT else f"{program} --list", "another library"),
    )


def _categories() -> list[str]:
    """Return the keys of the categories. The keys are the names of files, so that `--help` need not parse the files."""
    files = (Path(__file__).parent / "clauses").glob("*.toml")
    return sorted(file.stem for file in files if "\n[category]\n" in file.read_text(encoding="utf-8"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command as a program and return the exit status."""
    parser = ArgumentParser("suanzi-conformance", description="Check an operator library against T/AI 137.1-2025.")
    parser.add_argument("--version", action="version", version=f"suanzi-conformance {__version__}")
    add_arguments(parser)
    return guarded("suanzi-conformance", lambda: conformance(parser.parse_args(arguments)))


def _asked(options: Namespace) -> list[str]:
    """Return the operators to check, in the order of the command line. Raise ValueError for unknown names."""
    from .standard import standard

    return chosen((*options.names, *(options.operator or ())), options.category or ()) or list(standard().operators)


def conformance(options: Namespace) -> int:
    """Print a verdict on each operator.

    The exit status is 0 if every tested operator passes, 1 if an operator does not pass, and 2 if nothing can be
    tested. With --compare, the status is 1 if a verdict is worse in the second report.
    """
    if options.compare:
        return _compare(options)
    if options.init:
        return _init(options.init, options.language)
    if options.list:
        return _list(options)
    # Only the command `conformance` loads the kit. Other commands use only the parser and the helpers.
    from .report import Report, summary_lines, verdict_lines
    from .report.words import Words
    from .runner import Profile
    from .session import Limits, ProviderError, Session

    try:
        if not options.provider:
            raise ValueError("--provider names the checked library: numpy, module:Class, a shared library's path, …")
        asked = _asked(options)
        check_outputs([file for file in (options.json, options.junit, options.html) if file != "-"])
        limits = Limits(options.seconds, int(min(options.memory * 2**30, sys.maxsize)))
        session = Session(options.provider, Profile(options.profile), limits, device=options.device)
    except (ValueError, ProviderError) as error:
        print(f"conformance: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    started, clock, verdicts = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic(), []
    quiet = "-" in (options.json, options.junit, options.html)
    words = Words(options.language)
    with session:
        elsewhere = session.elsewhere
        progress = Progress(len(asked))
        for verdict in session.run(progress.over(asked)):
            progress.clear()
            verdicts.append(verdict)
            for line in (
                () if quiet else verdict_lines(verdict, words, session.element_types, session.claims, options.profile)
            ):
                print(line, flush=True)
    seconds = round(time.monotonic() - clock, 1)
    report = Report(
        provider=session.name,
        version=session.version,
        device=options.device,
        profile=options.profile,
        started=started,
        seconds=seconds,
        asked=tuple(asked),
        verdicts=tuple(verdicts),
        element_types=session.element_types,
        claims=session.claims,
        elsewhere=elsewhere,
    )
    if not quiet:
        print("", *summary_lines(report, words), sep="\n")
    _write(options, report)
    return int(not report.passes)


def _init(name: str, language: str) -> int:
    """Write the example of a provider to a new file, with comments in the given language. Return 2 if the file
    exists or cannot be written.
    """
    from .report.chinese import template
    from .report.words import Words

    file, words = Path(name), Words(language)
    text = (Path(__file__).parent / "providers" / "template.py").read_text(encoding="utf-8")
    try:
        if not file.stem.isidentifier() or file.suffix != ".py":
            raise ValueError(f"{name}: the name of a module's file must look like mine.py")
        with file.open("x", encoding="utf-8") as new:
            new.write(template(text) if language == "zh" else text)
    except (OSError, ValueError) as error:
        print(f"conformance: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    program = "suanzi conformance" if DEFAULT else "suanzi-conformance"
    where = "" if str(file.parent) == "." else words("in folder", file.parent)
    _, _, options = next(line for line in text.splitlines() if line.startswith("Run: ")).split(maxsplit=2)
    print(words("is written", file, where, f"{program} {options.replace('mine:', f'{file.stem}:')}"))
    return 0


def _list(options: Namespace) -> int:
    """Print the signature of each operator that the options name."""
    from .standard import standard

    try:
        asked = _asked(options)
    except ValueError as error:
        print(f"conformance: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    operators = [standard().operators[name] for name in asked]
    print(*table((o.name, o.chinese, f"({o.called})") for o in operators), sep="\n")
    return 0


def _compare(options: Namespace) -> int:
    """Print the differences between two reports. The exit status is 1 if a verdict is worse in the second report."""
    from .report.compare import NoReportError, compared, read

    try:
        first, second = map(read, options.compare)
    except NoReportError as error:
        print(f"conformance: {printable(str(error))}", file=sys.stderr)
        return _UNUSABLE
    found = compared(first, second, options.language)
    print(*map(printable, found.lines), sep="\n")
    return int(found.worse > 0)


def _write(options: Namespace, report: Report) -> None:
    from .report import as_html, as_junit

    def as_text(report: Report) -> str:
        return as_json(report.as_data(), 2) + "\n"

    def as_page(report: Report) -> str:
        return as_html(report, options.language)

    for file, form in ((options.json, as_text), (options.junit, as_junit), (options.html, as_page)):
        if file == "-":
            sys.stdout.write(form(report))
        elif file is not None:
            Path(file).write_text(form(report), encoding="utf-8")
