"""The generated pages: one for each category of functions, an index of these, the status codes, and the namespaces.

A page for each function would take minutes to build, and make a sidebar of 250 entries.

The contents come from `facts`, in the words of a language; this module only lays out pages.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Protocol

import suanzi
from english import English
from facts import Facts, Parameter, by_category
from markup import Link, definitions, fence, inline, paragraphs, table
from suanzi.operators.catalogue import Category
from suanzi.tensor.status import ERRORS


class Language(Protocol):
    """The words that `english` and `chinese` provide, each in its own way; texts have the form of docstrings."""

    code: str
    joint: str
    colon: str
    words: dict[str, str]

    def category(self, category: Category) -> str: ...
    def title(self, facts: Facts) -> str: ...
    def summary(self, facts: Facts) -> str: ...
    def description(self, facts: Facts) -> str: ...
    def notes(self, facts: Facts) -> str: ...
    def type(self, text: str) -> str: ...
    def parameter(self, facts: Facts, parameter: Parameter) -> str: ...
    def returns(self, facts: Facts) -> list[tuple[str, str]]: ...
    def kinds(self, accepts: str) -> str: ...
    def source(self, facts: Facts) -> str: ...
    def accuracy(self, facts: Facts) -> str: ...
    def memory(self, facts: Facts) -> str: ...
    def status(self, status: suanzi.Status) -> str: ...
    def when(self, status: suanzi.Status, text: str) -> str: ...
    def meaning(self, status: suanzi.Status, error: type[suanzi.SuanziError] | None) -> str: ...


ROWS = by_category()
FUNCTIONS = {facts.name: facts for rows in ROWS.values() for facts in rows}
NAMESPACES = ("linalg", "fft", "random", "array_api")


def anchor(name: str) -> str:
    """Where a function is described, on whichever page."""
    return f"suanzi-{re.sub(r'[._]', '-', name)}"


def linking(name: str, parameters: set[str]) -> Link:
    """Turns the names of functions into links to them; not a function's own name and those of its parameters."""
    room = name.rpartition(".")[0]

    def link(code: str) -> str | None:
        bare = code.removeprefix("suanzi.")
        for target in (f"{room}.{bare}" if room else bare, bare):
            if target in FUNCTIONS and target != name and code not in parameters:
                return f"[`{code}`](#{anchor(target)})"
        return None

    return link


def section(facts: Facts, language: Language) -> str:
    """Return the section for one function."""
    words = language.words
    link = linking(facts.name, {name for entry in facts.entries("Parameters") for name in entry.names})
    see = [name for names, _ in facts.doc["See Also"] for name, _ in names]
    below = {
        words["parameters"]: _parameters(facts, language, link),
        words["returns"]: _returns(facts, language, link),
        words["statuses"]: _statuses(facts, language, link),
        words["accuracy"]: paragraphs(language.accuracy(facts) or words["no bound"], link),
        words["memory"]: paragraphs(language.memory(facts), link),
        words["notes"]: paragraphs(language.notes(facts), link),
        words["see"]: language.joint.join(link(name) or f"`{name}`" for name in see),
        words["example"]: fence(facts.example, "pycon"),
    }
    parts = [
        f"({anchor(facts.name)})=\n## {inline(language.title(facts))}",
        fence("", f"{{py:function}} suanzi.{facts.name}{facts.signature}"),
        paragraphs(language.summary(facts), link),
        paragraphs(language.description(facts), link),
        _facts_list(facts, language),
        *(f"**{title}**\n\n{text}" for title, text in below.items() if text),
    ]
    return "\n\n".join(part for part in parts if part)


def _parameters(facts: Facts, language: Language, link: Link) -> str:
    entries = []
    for parameter in facts.entries("Parameters"):
        term = language.joint.join(f"`{name}`" for name in parameter.names)
        if parameter.type:
            term += f"{language.colon}*{inline(language.type(parameter.type))}*"
        entries.append((term, paragraphs(language.parameter(facts, parameter), link)))
    return definitions(entries)


def _returns(facts: Facts, language: Language, link: Link) -> str:
    return definitions((f"*{inline(type_)}*", paragraphs(text, link)) for type_, text in language.returns(facts))


def _statuses(facts: Facts, language: Language, link: Link) -> str:
    words = language.words
    rows = []
    for status, text in facts.statuses:
        number = int(status)
        when = inline(language.when(status, text), link)
        rows.append((str(number), f"[{language.status(status)}](#status-{number})", when))
    return table((words["number"], words["status"], words["when"]), rows)


def _facts_list(facts: Facts, language: Language) -> str:
    """Return the source and the accepted types of the function, as a list of fields."""
    words, record = language.words, facts.record
    fields = {
        words["chinese"]: inline(facts.chinese),
        words["source"]: inline(language.source(facts)) or words["beyond"],
    }
    if record:
        if record.is_extra:
            fields[words["belongs"]] = f"[`{record.of}`](#{anchor(record.of)}) {record.entry.chinese}"
        fields[words["kinds"]] = language.kinds(record.accepts) or words["no tensor"]
    return "\n".join(f":{name}: {text}" for name, text in fields.items() if text)


def _heading(rows: list[Facts], language: Language) -> str:
    category = rows[0].category
    return f"{category.number} {language.category(category)}" if category else language.words["extras"]


def category_page(rows: list[Facts], language: Language) -> str:
    """The functions of one category, after a list of them."""
    parts = [f"# {_heading(rows, language)}", _list(rows, language), *(section(facts, language) for facts in rows)]
    return "\n\n".join([*parts, ""])


def _list(rows: list[Facts], language: Language) -> str:
    words = language.words
    return table(
        (words["function"], words["chinese"], words["does"]),
        (
            (f"[`{facts.name}`](#{anchor(facts.name)})", inline(facts.chinese), inline(language.summary(facts)))
            for facts in rows
        ),
    )


def place(key: str) -> str:
    """The page of a category: with its row in Table 2, as `index` alone would be taken for an index."""
    category = ROWS[key][0].category
    return f"{category.number:02}-{key}" if category else key


def index_page(language: Language) -> str:
    """All functions by category."""
    parts = [f"# {language.words['operators']}", inline(language.words["all"])]
    for key, rows in ROWS.items():
        names = language.joint.join(f"[`{facts.name}`](#{anchor(facts.name)})" for facts in rows)
        parts.append(f"**[{_heading(rows, language)}](operators/{place(key)}.md)**\n\n{names}")
    return "\n\n".join(
        [*parts, fence(":hidden:\n\n" + "\n".join(f"operators/{place(key)}" for key in ROWS), "{toctree}"), ""]
    )


def statuses_page(language: Language) -> str:
    """The codes of Table 1."""
    words = language.words
    parts = [f"# {words['status codes']}", inline(words["about statuses"])]
    for status in suanzi.Status:
        error = ERRORS[status]
        parts += [
            f"(status-{int(status)})=\n## {int(status)} {status.name} {status.chinese}",
            inline(language.meaning(status, error)),
            f":{words['status']}: `suanzi.Status.{status.standard}`"
            + (f"\n:{words['exception']}: `suanzi.{error.__name__}`" if error else ""),
        ]
    return "\n\n".join([*parts, ""])


def namespace_page(name: str) -> str:
    """A module's members: links to those that have a page, the others described here. In English alone."""
    module: ModuleType = getattr(suanzi, name)
    pages = {id(facts.function): facts for facts in FUNCTIONS.values()}
    rows, own = [], []
    for member in module.__all__:
        thing = getattr(module, member)
        if facts := pages.get(id(thing)):
            rows.append((f"[`{member}`](#{anchor(facts.name)})", inline(facts.summary)))
        elif callable(thing) and not isinstance(thing, suanzi.DType):
            own.append(_member(f"{name}.{member}", thing))
            rows.append((f"[`{member}`](#suanzi.{name}.{member})", inline(Facts(member, thing).summary)))
        else:
            rows.append((f"`{member}`", inline(_value(thing))))
    heading = f"# suanzi.{name}\n\n{paragraphs(inspect.getdoc(module) or '')}"
    return "\n\n".join([heading, table(("Name", "What it is"), rows), *own, ""])


def _value(thing: object) -> str:
    if isinstance(thing, ModuleType):
        return (inspect.getdoc(thing) or "").splitlines()[0]
    return f"`{thing!r}`"


def _member(name: str, thing: object) -> str:
    """Return the section for a member that only this namespace has: its docstring as it stands, then its methods."""
    is_method = name.count(".") > 1
    kind = "class" if isinstance(thing, type) else "method" if is_method else "function"
    facts, english = Facts(name, thing), English()
    link = linking(name, {parameter for entry in facts.entries("Parameters") for parameter in entry.names})
    methods = vars(thing).items() if isinstance(thing, type) else ()
    below = {
        "Parameters": _parameters(facts, english, link),
        "Returns": _returns(facts, english, link),
        "Example": fence(facts.example, "pycon") if facts.example else "",
    }
    text = [
        "" if is_method else f"## {name.rpartition('.')[2]}",
        fence("", f"{{py:{kind}}} suanzi.{name}{facts.signature}"),
        paragraphs(facts.summary, link),
        paragraphs(english.description(facts), link),
        *(f"**{title}**\n\n{said}" for title, said in below.items() if said),
        *(_member(f"{name}.{n}", method) for n, method in methods if inspect.isfunction(method) and n[0] != "_"),
    ]
    return "\n\n".join(part for part in text if part)


def write(folder: Path, language: Language) -> None:
    """All generated pages, below a folder."""
    pages = {f"operators/{place(key)}": category_page(rows, language) for key, rows in ROWS.items()}
    pages["operators"] = index_page(language)
    pages["statuses"] = statuses_page(language)
    pages |= {f"namespaces/{name}": namespace_page(name) for name in NAMESPACES}
    for name, text in pages.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
