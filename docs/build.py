"""Builds the documentation site in docs/_build/html: the documents of the repository, and pages made from the records.

    python docs/build.py             # needs: pip install '.[docs]'
    python docs/build.py --external  # also checks links to other sites

The build fails on any warning, for example about a broken link. The site is in English under en/ and in Chinese under
zh/. Documents without a translation are in English in both folders.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))

import gallery
from chinese import LANGUAGES
from english import English
from pages import write

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
BUILD = DOCS / "_build"
PAGES = [
    *(page for folder in (ROOT, DOCS, DOCS / "zh", DOCS / "results") for page in folder.glob("*.md")),
    *(*DOCS.glob("*.ipynb"), *DOCS.glob("zh/*.ipynb"), *ROOT.glob("examples/c/**/*.md")),
]


def assemble(folder: Path, language: English) -> None:
    """Fill Sphinx's source folder: documents in their places, the files that documents link to, and generated pages."""
    copied = {*PAGES, *(gallery.EXAMPLES / f"{name}.py" for name in gallery.PROGRAMS)}
    for page in PAGES:
        for link in re.findall(r"\]\(([^)\s#:]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8")):
            copied.add((page.parent / link).resolve())
    for file in filter(Path.is_file, copied):
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    shutil.copytree(DOCS / "site" / "content" / language.code, folder, dirs_exist_ok=True)
    shutil.copytree(BUILD / "pictures", folder / "pictures")
    (folder / "gallery.rst").write_text(gallery.gallery_page(language), encoding="utf-8")
    write(folder, language)


def sphinx(language: English, builder: str) -> subprocess.Popen[bytes]:
    source, output = BUILD / "source" / language.code, BUILD / builder / language.code
    options = ["-b", builder, "-W", "--keep-going", "-n", "-q", "-c", str(DOCS / "site")]
    settings = ["-D", f"language={language.sphinx_name}", "-d", str(BUILD / "doctrees" / language.code)]
    return subprocess.Popen([sys.executable, "-m", "sphinx", *options, *settings, str(source), str(output)])


def main(external: bool) -> int:
    shutil.rmtree(BUILD, ignore_errors=True)
    gallery.draw(BUILD / "pictures")
    for language in LANGUAGES.values():
        assemble(BUILD / "source" / language.code, language)
    running = [sphinx(language, "html") for language in LANGUAGES.values()]
    failed = [process.wait() for process in running]
    site = BUILD / "html"
    shutil.copy(DOCS / "site" / "index.html", site)
    if external:
        failed.append(sphinx(LANGUAGES["en"], "linkcheck").wait())
    if any(failed):
        return 1
    print(f"{len(list(site.rglob('*.html')))} pages: {(site / 'index.html').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main("--external" in sys.argv[1:]))
