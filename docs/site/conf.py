"""Settings by which Sphinx makes the site: of one language at a time, which build.py gives."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import suanzi
from chinese import Chinese
from chinese_search import ChineseSearch
from docstrings import dashes, linked_types, translate
from english import English

project = "Suanzi 算子"
copyright, release = "the authors of Suanzi, Apache-2.0", suanzi.__version__
suppress_warnings = ["toc.not_included"]  # measurements, and the English of what is translated: pages link them
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["deflist", "fieldlist", "colon_fence"]
myst_heading_anchors = 4  # the anchors that GitHub gives headings
myst_ref_domains = ["std", "py"]  # links are not looked for among the names of C++
nb_execution_mode = "off"  # tests/site/test_translations.py runs the notebooks, whose results stand in them
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
napoleon_use_param = napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Accuracy", "Memory", "Source", "精度", "内存", "出处"]
add_function_parentheses = False
toc_object_entries_show_parents = "hide"
highlight_options = {"python": {"stripnl": True}}  # examples end in an empty line, as doctest needs it
pygments_dark_style = "github-dark"
locale_dirs = [str(Path(__file__).parent / "locale")]  # the theme's words that Sphinx does not translate
html_theme, html_title = "furo", "Suanzi 算子"
html_show_sphinx = html_copy_source = False
html_static_path = ["static"]
html_logo = html_favicon = "static/mark.svg"
html_css_files = ["site.css"]
templates_path = ["templates"]
LANGUAGES, OTHER = {"en": English, "zh": Chinese}, {"en": ("zh", "中文"), "zh": ("en", "English")}


def in_language(page: str, language: str, env: BuildEnvironment) -> str:
    """The page of the same content in a language, where there is one."""
    english = page.replace("README.zh", "README").replace("docs/zh/", "docs/")
    chinese = "README.zh" if english == "README" else english.replace("docs/", "docs/zh/", 1)
    return chinese if language == "zh" and chinese in env.found_docs else english


def only_this_language(app: Sphinx, env: BuildEnvironment) -> None:
    """Leave pages out of the search that are there in its language, too."""
    for page in env.found_docs:
        if page != in_language(page, Path(app.srcdir).name, env):
            env.metadata[page]["nosearch"] = ""


def other_language(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Give the template the data of the link to the same page in the other language."""
    there, name = OTHER[Path(app.srcdir).name]
    target = in_language(page, there, app.env)
    # The pages that Sphinx makes, such as the search, have the same names in both.
    href = f"{'../' * (page.count('/') + 1)}{there}/{target}.html"
    context["other_language"] = {"href": href, "name": name, "code": there}


def only_this_branch(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """The sidebar shows the pages beside this one and above it, not those of all others: there are some 300."""
    whole = context["toctree"]
    context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def setup(app: Sphinx) -> None:
    app.add_search_language(ChineseSearch)
    code = Path(app.srcdir).name
    app.connect("autodoc-process-docstring", partial(translate, LANGUAGES[code]()), priority=400)
    app.connect("doctree-read", linked_types)
    if code == "zh":
        app.connect("doctree-read", dashes)
    app.connect("env-updated", only_this_language)
    app.connect("html-page-context", other_language)
    app.connect("html-page-context", only_this_branch, priority=400)
