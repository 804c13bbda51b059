"""Builds the documentation site in docs/_build/html: the documents of the repository, and pages made from the records.

python docs/build.py             (needs: pip install '.[docs]')
python docs/build.py --external  also asks whether links to other sites are alive

It fails on any warning and on any link that leads nowhere. The pages that it makes are in English under en/ and in
Chinese under zh/, the documents in English under both.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))

from chinese import Chinese
from english import English
from links import broken
from pages import NAMESPACES, Language, write

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
BUILD = DOCS / "_build"
LANGUAGES: dict[str, Language] = {"en": English(), "zh": Chinese()}
ROOT_PAGE = {"en": "README", "zh": "README.zh"}
SPHINX_NAME = {"en": "en", "zh": "zh_CN"}
C_EXAMPLES = sorted((ROOT / "examples" / "c").rglob("*.md"))
PAGES = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *(DOCS / "results").glob("*.md"), *C_EXAMPLES]
# The sidebar: captions by language, and pages.
SIDEBAR = (
    (
        {"en": "Guides", "zh": "指南（英文）"},
        (
            "docs/guide",
            "docs/coming-from",
            "docs/sparse",
            "docs/onnx",
            "docs/conformance",
            "docs/standard",
            "docs/c",
            "docs/clients",
            "docs/devices",
            "docs/distributed",
        ),
    ),
    (
        {"en": "Reference", "zh": "参考"},
        ("operators", "statuses", *(f"namespaces/{name}" for name in NAMESPACES)),
    ),
    (
        {"en": "About the library", "zh": "关于本库（英文）"},
        ("docs/README", "docs/architecture", "CONTRIBUTING", "docs/releasing", "CHANGELOG"),
    ),
)


def toctree(pages: tuple[str, ...], caption: str = "") -> str:
    head = f":hidden:\n:caption: {caption}\n" if caption else ":hidden:\n"
    return "\n```{{toctree}}\n{}\n{}\n```\n".format(head, "\n".join(pages))


def assemble(folder: Path, language: str) -> None:
    """Write the files that Sphinx reads: the documents at their places in the repository, the files they link, and the
    generated pages.
    """
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT).with_suffix("").as_posix()
        for link in re.findall(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)", text):
            linked = (page.parent / link).resolve()
            if linked.is_file() and linked not in PAGES:
                copy = folder / linked.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(linked, copy)
        if name == ROOT_PAGE[language]:
            other = ROOT_PAGE["en" if language == "zh" else "zh"]
            text += "".join(toctree(pages, captions[language]) for captions, pages in SIDEBAR) + toctree((other,))
        elif name == "docs/README":
            text += toctree(tuple(f"results/{result.stem}" for result in sorted((DOCS / "results").glob("*.md"))))
        elif name == "docs/c":
            text += toctree(tuple(f"/{example.relative_to(ROOT).with_suffix('').as_posix()}" for example in C_EXAMPLES))
        copy = folder / f"{name}.md"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
    write(folder, LANGUAGES[language])


def sphinx(language: str, builder: str) -> subprocess.Popen[bytes]:
    source, output = BUILD / "source" / language, BUILD / builder / language
    options = ["-b", builder, "-W", "--keep-going", "-n", "-q", "-c", str(DOCS / "site")]
    settings = {"language": SPHINX_NAME[language], "root_doc": ROOT_PAGE[language]}
    defined = [argument for name, value in settings.items() for argument in ("-D", f"{name}={value}")]
    doctrees = ["-d", str(BUILD / "doctrees" / language)]
    return subprocess.Popen([sys.executable, "-m", "sphinx", *options, *defined, *doctrees, str(source), str(output)])


def forward(page: Path, target: str) -> None:
    """A page that leads to another."""
    head = f'<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={target}">'
    page.write_text(f'{head}<title>Suanzi</title><a href="{target}">Suanzi</a>\n', encoding="utf-8")


def main(external: bool) -> int:
    shutil.rmtree(BUILD, ignore_errors=True)
    for language in LANGUAGES:
        assemble(BUILD / "source" / language, language)
    running = [sphinx(language, "html") for language in LANGUAGES]
    failed = [process.wait() for process in running]
    site = BUILD / "html"
    forward(site / "index.html", "en/README.html")
    for language, page in ROOT_PAGE.items():
        forward(site / language / "index.html", f"{page}.html")
    lost = list(broken(site))
    for link in lost:
        print(f"leads nowhere: {link}", file=sys.stderr)
    if external:
        failed.append(sphinx("en", "linkcheck").wait())
    if any(failed) or lost:
        return 1
    print(f"{len(list(site.rglob('*.html')))} pages: {(site / 'index.html').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main("--external" in sys.argv[1:]))
