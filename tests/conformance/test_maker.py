"""The kit works for makers of libraries: with a plain class, the template, and the recipe of docs/conformance.md."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from suanzi.cli.main import main
from suanzi.conformance import Profile, Session, State, __version__, check
from suanzi.conformance import run as run_checks
from suanzi.conformance.adapter import adapted, telling
from suanzi.conformance.provider import CLAIMS
from suanzi.conformance.providers import GROUP, template
from suanzi.conformance.status import Status, StatusError, raised

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[2]
KIT = ROOT / "src" / "suanzi" / "conformance"
TEMPLATE = KIT / "providers" / "template.py"


class Plain:
    """A provider with only the members that the kit requires."""

    operators = {"sin": np.errstate(all="ignore")(np.sin)}  # noqa: RUF012

    def from_numpy(self, array: Any) -> Any:
        return array.astype(np.float32) if array.dtype == np.float64 else array

    def to_numpy(self, tensor: Any) -> Any:
        return tensor


def test_what_a_plain_class_need_not_have() -> None:
    provider = adapted(Plain())
    assert (provider.name, provider.version(), provider.claims) == ("Plain", "", frozenset())
    assert {"float32", "int8", "complex128", "string"} <= provider.element_types
    assert "float64" not in provider.element_types  # from_numpy converts float64
    assert provider.element_type("int8") == "int8"
    assert list(provider.functions("sin")) == ["sin"]
    assert provider.find("sin") is Plain.operators["sin"]
    assert provider.find("cos") is None
    assert telling(provider) == []
    with pytest.raises(Exception, match="do not show the order"):
        provider.order(np.ones(2))
    assert check("sin", provider, Profile.QUICK).provided  # type: ignore[arg-type]


def test_what_it_has_is_used() -> None:
    class Full(Plain):
        name, version, claims, element_types = "full", "1.0", ("output",), ["float32"]

        def order(self, tensor: Any) -> list[int]:
            return [1, 0]

        def element_type(self, name: str) -> Any:
            return np.dtype(name)

    provider = adapted(Full())
    assert (provider.name, provider.version(), provider.claims) == ("full", "1.0", {"output"})
    assert (provider.element_types, provider.order(np.ones((2, 2)))) == ({"float32"}, (1, 0))
    assert telling(provider) == ["order"]
    assert adapted(provider) is provider


def test_what_a_class_must_have() -> None:
    with pytest.raises(TypeError, match=r"object is not a provider: it has no from_numpy and no to_numpy and no find"):
        adapted(object())
    with pytest.raises(TypeError, match="element_types must be several names"):
        adapted(type("Wrong", (Plain,), {"element_types": "float32"})())
    for member, names, words in (("claims", ("fast",), "claims"), ("element_types", ("float31",), "element types")):
        unknown = re.escape(f"Wrong: unknown {words} ['{names[0]}']; known are ")
        with pytest.raises(ValueError, match=unknown):
            adapted(type("Wrong", (Plain,), {member: names})())
    with pytest.raises(TypeError, match="to_numpy returned list, not a NumPy array"):
        adapted(type("Wrong", (Plain,), {"to_numpy": lambda _, x: x.tolist()})())


def test_the_page_lists_the_claims() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    table = page.partition("| claim | tested behaviour |\n")[2].partition("\n\n")[0]
    listed = [name for row in table.splitlines()[1:] for name in re.findall("`(.*?)`", row.split("|")[1])]
    assert sorted([*listed, "C interface"]) == sorted(CLAIMS)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's warnings about the probes' elements
def test_a_program_checks_a_plain_class() -> None:
    """`run` and `check` accept the class that docs/conformance.md and `--init` show, and refuse unknown operators."""
    verdicts = list(run_checks(template.Provider(), ["add", "正弦"], Profile.QUICK))
    assert [(verdict.operator, verdict.state) for verdict in verdicts] == [("add", State.PASS), ("sin", State.PASS)]
    assert check("add", template.Provider(), Profile.QUICK).state is State.PASS
    for refused in (lambda: run_checks(Plain(), ["sine"]), lambda: check("sine")):
        with pytest.raises(ValueError, match=r"sine: not an operator or a category of the standard; is sin meant\?"):
            refused()


class Returning(Plain):
    """A provider whose operators return objects that are not tensors."""

    operators = {  # noqa: RUF012
        "sin": lambda x: None,
        "cos": lambda x: [1.0],
        "exp": lambda x: "text",
        "topk": lambda *args, **options: None,
    }


@pytest.mark.parametrize("checked", ["in the process", "in another process"])
def test_results_that_are_not_tensors(checked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"sin": "NoneType, not a tensor", "cos": "list, not a tensor", "exp": "str, not a tensor",
             "topk": "NoneType, not 2 results"}  # fmt: skip
    if checked == "in the process":
        verdicts = list(run_checks(Returning(), names, Profile.QUICK))
    else:
        monkeypatch.setattr(sys, "path", [str(Path(__file__).parent), *sys.path])
        with Session("test_maker:Returning", Profile.QUICK) as session:
            verdicts = list(session.run(names))
    for verdict in verdicts:
        for aspect in ("values", "element types"):
            faults = [fault for fault in verdict.clauses[aspect].faults if "taken" in fault or aspect == "values"]
            assert {fault.rpartition(": returned ")[2] for fault in faults} == {names[verdict.operator]}


def test_a_status_that_is_missing_is_explained() -> None:
    assert raised(ValueError("x")).startswith("ValueError without a status (an exception's attribute `status`")
    assert raised(StatusError(Status.OUT_OF_RANGE, "x")) == "StatusError (status OUT_OF_RANGE)"


def test_the_template_has_chinese_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["conformance", "--init", "mine.py"]) == 0
    capsys.readouterr()
    assert main(["conformance", "--init", "zh.py", "--language", "zh"]) == 0
    assert capsys.readouterr().out.startswith("已写出 zh.py；请运行：suanzi conformance --provider zh:Provider ")
    english, chinese = ((tmp_path / name).read_text(encoding="utf-8") for name in ("mine.py", "zh.py"))
    assert ast.dump(_bare(english)) == ast.dump(_bare(chinese))
    said = re.findall(r'"""(.*?)"""|# (.*)', chinese, re.DOTALL)
    assert [text for text in map("".join, said) if not re.search("[\u4e00-\u9fff]", text)] == []


def _bare(source: str) -> ast.Module:
    """Return the syntax tree of a module without the docstrings."""
    module = ast.parse(source)
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return module


def test_the_template_runs_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert main(["conformance", "--init", "mine.py"]) == 0
    command = "suanzi conformance --provider mine:Provider --profile quick add sin reshape zeros"
    assert capsys.readouterr().out == f"mine.py is written; run: {command}\n"
    written = (tmp_path / "mine.py").read_text(encoding="utf-8")
    assert f"Run: {command.replace(' ', '-', 1)}\n" in written
    assert main(["conformance", "--init", "mine.py"]) == 2  # an existing file is not overwritten
    assert main(["conformance", "--init", "no-module.py"]) == 2
    with Session("mine:Provider", Profile.QUICK) as session:
        assert (session.name, session.version) == ("mine", np.__version__)
        verdicts = {name: session.check(name) for name in ("add", "sin", "reshape", "zeros", "cos")}
    # docs/conformance.md states this outcome. NumPy's arrays without elements do not keep an order.
    assert [(verdict.state, len(verdict.faults)) for verdict in verdicts.values()] == [
        *((State.PASS, 0), (State.PASS, 0), (State.NOT_PROVIDED, 0), (State.FAIL, 4), (State.NOT_PROVIDED, 0))
    ]
    assert {c.aspect for c in verdicts["zeros"].clauses.values() if c.state is State.FAIL} == {"layouts"}


def test_the_page_has_the_template() -> None:
    for folder in ("", "zh"):
        page = (ROOT / "docs" / folder / "conformance.md").read_text(encoding="utf-8")
        assert f"```python\n{TEMPLATE.read_text(encoding='utf-8')}```" in page


def test_the_operators_and_how_they_are_called(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conformance", "--list", "add", "zeros"]) == 0
    add, zeros = capsys.readouterr().out.splitlines()
    assert add.split() == ["add", "张量加法操作", "(x1,", "x2,", "out=None)"]
    assert zeros.endswith("(shape, dtype=float32, device='cpu', layout=None)")
    assert main(["conformance", "--list", "nosuch"]) == 2


def test_nothing_of_the_kit_imports_suanzi() -> None:
    """No file of the kit imports Suanzi, except the providers of Suanzi itself."""
    own = {"suanzi.py", "libsuanzi.py"}
    for file in KIT.rglob("*.py"):
        found = re.findall(r"^\s*(?:from|import) suanzi\b.*", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert file.name in own or not [line for line in found if "suanzi.conformance" not in line], file


def test_the_distribution() -> None:
    project = tomllib.loads((ROOT / "kit" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["dependencies"] == ["numpy>=1.26"]
    assert project["scripts"] == {"suanzi-conformance": "suanzi_conformance.cli:main"}
    assert GROUP == "suanzi.conformance"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of Python in an environment that has only NumPy and the kit."""
    folder = tmp_path_factory.mktemp("kit")
    # If hatchling is installed, pip downloads nothing.
    isolation = ["--no-build-isolation"] if find_spec("hatchling") else []
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *isolation, "-w", str(folder)]
    built = subprocess.run([*command, str(ROOT / "kit")], capture_output=True, text=True, check=False)
    if built.returncode and not isolation:
        pytest.skip(f"hatchling is neither installed nor to be had: {built.stderr[-200:]}")
    assert built.returncode == 0, built.stderr
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "env")], check=True)
    (site,) = (folder / "env").glob("lib/python*/site-packages")
    (wheel,) = folder.glob("suanzi_conformance-*.whl")
    assert wheel.name == f"suanzi_conformance-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    numpy = Path(np.__file__).parent
    for part in (numpy, numpy.with_name("numpy.libs")):
        if part.exists():
            (site / part.name).symlink_to(part)
    return folder / "env" / "bin" / "python"


def run(python: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "suanzi_conformance", *arguments]
    return subprocess.run(command, cwd=folder, env={"LANG": "C.UTF-8"}, capture_output=True, text=True, check=False)


def test_the_kit_by_itself(python: Path, tmp_path: Path) -> None:
    report = tmp_path / "numpy.html"
    done = run(python, tmp_path, "--provider", "numpy", "--profile", "quick", "cos", "--html", str(report))
    assert done.stderr == ""
    assert "cos" in done.stdout
    assert report.stat().st_size > 1000
    done = run(python, tmp_path, "cos")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("conformance: --provider names the checked library: numpy, module:Class")
    done = run(python, tmp_path, "--provider", "suanzi", "cos")
    assert done.returncode == 2
    assert "suanzi is not installed; pip install suanzi" in done.stderr


def test_it_is_the_same_kit(python: Path, tmp_path: Path) -> None:
    """The installed kit and the source tree have the same hash, which identifies the probes in reports."""
    from suanzi.conformance.report.data import kit_hash

    program = "from suanzi_conformance.report.data import kit_hash; print(kit_hash())"
    done = subprocess.run([str(python), "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == kit_hash()


ALL_PROBES = """if True:
    from suanzi_conformance.oracle.element_types import ELEMENT_TYPES
    from suanzi_conformance.provider import Provider
    from suanzi_conformance.runner import Profile, asked
    from suanzi_conformance.standard import standard

    class Everything(Provider):
        name = "everything"
        element_types = frozenset((*ELEMENT_TYPES, "string"))
        claims = frozenset(("additions", "open types", "output", "quantized operands", "repetition", "sparse operands"))

        def find(self, operator):
            return print

    assert "bfloat16" not in ELEMENT_TYPES
    print(sum(1 for name in standard().operators for _ in asked(name, Everything(), Profile.QUICK)))"""


def test_every_probe_is_made_without_ml_dtypes(python: Path) -> None:
    done = subprocess.run([str(python), "-W", "ignore", "-c", ALL_PROBES], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert int(done.stdout) > 13_000


def test_the_recipe_of_the_page(python: Path, tmp_path: Path) -> None:
    """The file and the command of docs/conformance.md work if only NumPy and the kit are installed."""
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    recipe = page.partition("<!-- recipe -->")[2]
    file = re.search(r"```python\n(.*?)```", recipe, re.DOTALL)
    command = re.search(r"^suanzi-conformance (--provider mine:Provider .*)$", recipe, re.MULTILINE)
    assert file is not None
    assert command is not None
    (tmp_path / "mine.py").write_text(file[1], encoding="utf-8")
    done = run(python, tmp_path, *command[1].split())
    assert done.stderr == ""
    assert "mine" in done.stdout.splitlines()[-1]
    made = run(python, tmp_path, "--init", "another.py")
    assert made.returncode == 0
    assert (tmp_path / "another.py").read_text(encoding="utf-8") == file[1]
