"""How Sphinx makes the site: of one language at a time, which build.py gives."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from sphinx.application import Sphinx

import suanzi
from chinese_search import ChineseSearch

project = "Suanzi 算子"
copyright = "the authors of Suanzi, Apache-2.0"
release = version = suanzi.__version__
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist", "fieldlist"]
myst_heading_anchors = 4  # the anchors that GitHub gives headings
myst_ref_domains = ["std", "py"]  # links are not looked for among the names of C++
add_function_parentheses = False
toc_object_entries = False
html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
templates_path = ["templates"]
html_sidebars = {
    "**": [
        *("sidebar/brand.html", "sidebar/language.html", "sidebar/search.html"),
        *("sidebar/scroll-start.html", "sidebar/navigation.html", "sidebar/scroll-end.html"),
    ]
}
OTHER = {"en": ("zh", "中文"), "zh": ("en", "English")}


def other_language(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Set the variables for the link to the same page in the other language."""
    code = Path(app.srcdir).name
    there, name = OTHER[code]
    at_root = "README.zh" if there == "zh" else "README"
    target = at_root if page in ("README", "README.zh") else page
    depth = page.count("/") + 1
    # The pages that Sphinx makes, such as the search, have the same names in both.
    context["other_language"] = {"href": f"{'../' * depth}{there}/{target}.html", "name": name, "code": there}


def setup(app: Sphinx) -> None:
    app.add_search_language(ChineseSearch)
    app.connect("html-page-context", other_language)
