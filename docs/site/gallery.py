"""The gallery: a page with the programs of examples/, and their pictures, which come from a run of each program."""

from __future__ import annotations

import ast
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

from docstrings import marked_up
from english import English
from pages import directive, heading, page

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = tomllib.loads((Path(__file__).parent / "gallery.toml").read_text(encoding="utf-8"))


def draw(folder: Path) -> None:
    """Run the programs of the gallery in a folder, to which the programs write pictures. An error fails the build."""
    folder.mkdir(parents=True)
    environment = {**os.environ, "SUANZI_NUM_THREADS": "1", "MPLCONFIGDIR": str(folder)}
    for name, told in PROGRAMS.items():
        command = [sys.executable, str(EXAMPLES / f"{name}.py"), *shlex.split(told["options"])]
        subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)


def gallery_page(language: English) -> str:
    """Return the gallery's page. On the English page, the first sentence of a docstring describes the program."""
    words, cards, sections = language.words, [], []
    for name, told in PROGRAMS.items():
        docstring = ast.get_docstring(ast.parse((EXAMPLES / f"{name}.py").read_text(encoding="utf-8"))) or ""
        said = marked_up(told["chinese"] if language.code == "zh" else docstring.partition("\n\n")[0])
        image = f"/pictures/{told.get('picture', f'{name}.png')}"
        card = {"link": f"example-{name}", "link-type": "ref", "img-top": image}
        cards.append(directive("grid-item-card", f"{name}.py", body=said, **card))
        source = directive("literalinclude", f"/examples/{name}.py", language="python")
        sections += [
            f".. _example-{name}:\n\n{heading(f'{name}.py', '-')}\n\n{said}",
            directive("code-block", "sh", body=f"python examples/{name}.py {told['options']}"),
            directive("dropdown", words["source"], body=source),
        ]
    grid = directive("grid", "1 2 2 3", gutter="3", body="\n\n".join(cards))
    return page(heading(words["gallery"]), marked_up(words["about gallery"]), grid, *sections)
