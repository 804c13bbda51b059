"""Settings of Sphinx for the site in the language that build.py passes."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import suanzi
from chinese import LANGUAGES
from chinese_search import ChineseSearch
from docstrings import dashes, linked_types, translate

project = "Suanzi 算子"
copyright, release = "the authors of Suanzi, Apache-2.0", suanzi.__version__
suppress_warnings = ["toc.not_included"]  # pages link to measurements and to translated originals
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "sphinx_design"]
myst_enable_extensions = ["deflist", "fieldlist", "colon_fence"]
myst_heading_anchors = 4  # as many anchors of headings as on GitHub
myst_ref_domains = ["std", "py"]  # no links to names of C++
nb_execution_mode = "off"  # tests/site/test_translations.py runs the notebooks, which contain their results
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
napoleon_use_param = napoleon_use_rtype = False
lists = [("Attributes", "params_style"), ("属性", "params_style")]
napoleon_custom_sections = [*lists, "Accuracy", "Memory", "Source", "精度", "内存", "出处"]
add_function_parentheses = False
toc_object_entries_show_parents = "hide"
highlight_options = {"python": {"stripnl": True}}  # examples end in an empty line for doctest
pygments_dark_style = "github-dark"
locale_dirs = [str(Path(__file__).parent / "locale")]  # translations of the theme's words
html_theme, html_title = "furo", "Suanzi 算子"
html_show_sphinx = html_copy_source = False
html_static_path = ["static"]
html_logo = html_favicon = "static/mark.svg"
html_css_files = ["site.css"]
templates_path = ["templates"]


def in_language(page: str, language: str, env: BuildEnvironment) -> str:
    """Return the page with the same content in a language, or the English page if no Chinese page exists."""
    english = page.replace("README.zh", "README").replace("docs/zh/", "docs/")
    chinese = "README.zh" if english == "README" else english.replace("docs/", "docs/zh/", 1)
    return chinese if language == "zh" and chinese in env.found_docs else english


def only_this_language(app: Sphinx, env: BuildEnvironment) -> None:
    """Exclude a page from the site's search if the page also exists in the language of the site."""
    for page in env.found_docs:
        if page != in_language(page, Path(app.srcdir).name, env):
            env.metadata[page]["nosearch"] = ""


def other_language(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Give the page's template the data for the link to the same page in the other language."""
    there = next(language for code, language in LANGUAGES.items() if code != Path(app.srcdir).name)
    target = in_language(page, there.code, app.env)
    # Generated pages of Sphinx, such as the search, have the same names in both languages.
    href = f"{'../' * (page.count('/') + 1)}{there.code}/{target}.html"
    context["other_language"] = {"href": href, "name": there.own_name, "code": there.code}


def only_this_branch(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Limit the sidebar to the pages beside and above the current page, because the site has some 300 further pages."""
    whole = context["toctree"]
    context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def setup(app: Sphinx) -> None:
    app.add_search_language(ChineseSearch)
    code = Path(app.srcdir).name
    app.connect("autodoc-process-docstring", partial(translate, LANGUAGES[code]), priority=400)
    app.connect("doctree-read", linked_types)
    if code == "zh":
        app.connect("doctree-read", dashes)
    app.connect("env-updated", only_this_language)
    app.connect("html-page-context", other_language)
    app.connect("html-page-context", only_this_branch, priority=400)
