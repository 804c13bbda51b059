"""Docstrings for autodoc: translated to the page's language, with the records' facts, and with code as links.

autodoc finds public names and typed signatures, and napoleon lays out sections. This module only prepares the input of
autodoc and napoleon.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from docutils import nodes
from sphinx import addnodes

from english import English
from facts import CLASSES, ERROR_CLASSES, FUNCTIONS, MODULES, Facts, described_as, members

# The reStructuredText role for a reference to each name under `suanzi` that has a page.
_LINKED = {**dict.fromkeys(FUNCTIONS, "func"), **dict.fromkeys((*CLASSES, *ERROR_CLASSES, "Status"), "class")}
_CODE = re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL)
_SPECIAL = re.compile(r"[\\*|]|_(?![A-Za-z0-9])")
_EXAMPLES = re.compile(r"^Examples\n-+\n", re.MULTILINE)


def marked_up(text: str, own: Container[str] = (), room: str = "") -> str:
    """Convert a docstring's text to reStructuredText. Link names that have a page, and escape markup characters.

    Names in `own`, such as parameters, and names in double backticks become code without a link. The spaces that
    reStructuredText needs around code are escaped, so that the page does not show these spaces.
    """

    def code(found: re.Match[str]) -> str:
        bare = (found[2] or "").removeprefix("suanzi.")
        for target in (f"{room}.{bare}", bare):
            if target in _LINKED and found[2] not in own:
                return rf"\ :py:{_LINKED[target]}:`{found[2]} <suanzi.{target}>`\ "
        return rf"\ ``{' '.join((found[1] or found[2]).split())}``\ "

    parts, at = [], 0
    for found in _CODE.finditer(text):
        parts += [_SPECIAL.sub(r"\\\g<0>", text[at : found.start()]), code(found)]
        at = found.end()
    return "".join([*parts, _SPECIAL.sub(r"\\\g<0>", text[at:])])


def described_in(room: str) -> set[str]:
    """Return the names that a module's own page describes. Links would lead to functions of `suanzi` instead."""
    return {name for name, thing in members(room).items() if not described_as(thing)} if room in MODULES else set()


def prose(text: str, room: str) -> str:
    """Convert the docstring of a module, in which indented paragraphs are code."""
    own = described_in(room)
    parts = text.split("\n\n")
    return "\n\n".join(f"::\n\n{part}" if part.startswith("    ") else marked_up(part, own) for part in parts)


def field_list(facts: Facts, language: English) -> str:
    """Return a function's Chinese name, other names, category and element types as a list of fields."""
    words, record, joint = language.words, facts.record, language.joint
    # A name with a trailing underscore would be a link in reStructuredText.
    others = joint.join(_SPECIAL.sub(r"\\\g<0>", word) for word in facts.synonyms if word != facts.chinese)
    fields = {words["chinese"]: facts.chinese, words["synonyms"]: others}
    if record:
        if record.is_extra:
            fields[words["belongs"]] = f":py:func:`{record.of} <suanzi.{record.of}>` {record.entry.chinese}"
        fields[words["category"]] = language.category(record.entry.category)
        fields[words["kinds"]] = joint.join(language.kinds[kind] for kind in record.accepts) or words["no tensor"]
    return "\n".join(f":{name}: {text}" for name, text in fields.items() if text)


def in_words(name: str, thing: Any, found: str, language: English) -> str:
    """Return the text about a public object, or a reference if another name of the object has a page."""
    page = described_as(thing)
    if page and page.name != name:
        return f"{marked_up(language.summary(page))}{language.words['see']} :py:func:`suanzi.{page.name}`"
    facts = FUNCTIONS.get(name) or CLASSES.get(name) or Facts(name, thing, given=found)
    room = name.rpartition(".")[0]
    parameters = {parameter for entry in facts.doc["Parameters"] for parameter in entry.name.split(", ")}
    told, *examples = _EXAMPLES.split(language.text(facts), maxsplit=1)
    said = marked_up(told, {*parameters, name, *described_in(room)}, room)
    if name in FUNCTIONS:
        summary, _, rest = said.partition("\n\n")
        said = f"{summary}\n\n{field_list(facts, language)}\n\n{rest}"
    return said.rstrip() + "".join(f"\n\nExamples\n--------\n{example}" for example in examples)


def translate(language: English, _app: Any, what: str, name: str, thing: Any, _: Any, lines: list[str]) -> None:
    """Replace a docstring by its text in the page's language. autodoc calls this function with each docstring.

    In the first line about an attribute, napoleon reads the text before a colon as the attribute's type. The first line
    therefore has only one word.
    """
    text = in_words(name.removeprefix("suanzi."), thing, "\n".join(lines).strip(), language)
    lines[:] = [*(text.replace(" ", "\n", 1) if what in ("attribute", "property") else text).splitlines(), ""]


def dashes(_app: Any, doctree: Any) -> None:
    """Replace the two hyphens behind a parameter by a colon, because Sphinx makes a dash of hyphens in English only."""
    for text in list(doctree.findall(nodes.Text)):
        if " -- " in text and not isinstance(text.parent, nodes.literal | nodes.literal_block):
            text.parent.replace(text, nodes.Text(text.replace(" -- ", "：")))


def linked_types(_app: Any, doctree: Any) -> None:
    """Link the types in signatures. Classes of `suanzi` become links, under any of their names, and other types become
    plain text.

    In signatures `bool` is Python's class and `Tensor` is Suanzi's class, although `suanzi.bool` and MindSpore's
    `Tensor` have entries, too.
    """
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.get("refdomain") != "py" or node["reftype"] not in ("class", "exc", "obj") or node.get("refexplicit"):
            continue
        name = node["reftarget"].rpartition(".")[2]
        if _LINKED.get(name) == "class" and not (node.get("py:module") or "").startswith("suanzi.interop.mindspore"):
            node["reftarget"] = f"suanzi.{name}"
        elif f"suanzi.{name}" != node["reftarget"]:
            node.replace_self(addnodes.desc_sig_name("", node["reftarget"].rpartition(".")[2]))
