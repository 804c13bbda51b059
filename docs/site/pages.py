"""The generated pages: a page for each function, class and module, and pages that list these pages.

The pages only name the objects in reStructuredText. The descriptions come from autodoc and `docstrings`.
"""

from __future__ import annotations

import inspect
from pathlib import Path

import suanzi
from docstrings import marked_up, prose
from english import English
from facts import CLASSES, FUNCTIONS, MODULES, ROWS, Facts, described_as, members, module


def heading(title: str, line: str = "=") -> str:
    return f"{title}\n{line * (2 * len(title))}"


def directive(name: str, argument: str = "", *, body: str = "", **options: str) -> str:
    given = [f"   :{key}: {value}".rstrip() for key, value in options.items()]
    return "\n".join([f".. {name}:: {argument}".rstrip(), *given, "", *(f"   {line}" for line in body.splitlines())])


def page(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


def titled(facts: Facts) -> str:
    return f"{facts.name} {facts.chinese}".strip()


def function_page(facts: Facts) -> str:
    words = dict.fromkeys([facts.chinese, *facts.synonyms])
    index = "\n".join([".. index::", *(f"   single: {word}" for word in words if word)]) if any(words) else ""
    return page(index, heading(titled(facts)), directive("autofunction", f"suanzi.{facts.name}"))


def class_entry(name: str, thing: type) -> str:
    """Return the entry of a class with its members, attributes first, without members inherited from Python's classes.

    The docstring of a named tuple describes the tuple's fields.
    """
    ours = {n for base in inspect.getmro(thing) if base.__module__.startswith("suanzi") for n in vars(base)}
    public = [n for n in dir(thing) if n[0] != "_" and n in ours and n not in getattr(thing, "_fields", ())]
    public.sort(key=lambda n: inspect.isroutine(inspect.getattr_static(thing, n)))
    return directive("autoclass", name, **{"members": ", ".join(public), "undoc-members": ""})


def category(key: str, language: English) -> str:
    record = ROWS[key][0].record
    return language.category(record.entry.category) if record else language.words[key]


def category_page(key: str, language: English) -> str:
    """Return the page of a category: a table of the category's functions, and the list of pages for the sidebar."""
    words = language.words
    rows = [(words["function"], words["chinese"], words["does"])]
    for facts in ROWS[key]:
        summary = marked_up(" ".join(language.summary(facts).split()))
        rows.append((f":py:func:`{facts.name} <suanzi.{facts.name}>`", facts.chinese, summary))
    cells = "\n".join(f"{'  -' if column else '* -'} {cell}" for row in rows for column, cell in enumerate(row))
    table = directive("list-table", body=cells, **{"header-rows": "1", "class": "words"})
    below = "\n".join(f"{facts.name} </functions/{facts.name}>" for facts in ROWS[key])
    return page(heading(category(key, language)), table, directive("toctree", body=below, hidden=""))


def place(key: str) -> str:
    """Return the name of a category's page: the category's row in Table 2, and the category's key. The row is
    necessary because a page `index` would be an index page.
    """
    record = ROWS[key][0].record
    return f"operators/{record.entry.category.number:02}-{key}" if record else f"operators/{key}"


def module_page(name: str, language: English) -> str:
    """Return a module's page. Members whose function has a page have one line, and other members have a description."""
    about = {"no-index": ""} if name in FUNCTIONS else {}  # `suanzi.devices` is also a function
    told = prose(language.text(Facts(name, module(name))), name)
    parts = [heading(f"suanzi.{name}"), directive("py:module", f"suanzi.{name}", **about), told]
    for member, thing in members(name).items():
        facts, full, known = Facts(f"{name}.{member}", thing), f"suanzi.{name}.{member}", described_as(thing)
        if inspect.ismodule(thing):
            if facts.name not in MODULES:
                parts += [directive("py:module", full), f":py:mod:`{full}`: {marked_up(language.summary(facts))}"]
        elif known and (known.name == facts.name or isinstance(thing, type)):
            parts.append(f":py:obj:`{full} <suanzi.{known.name}>`: {marked_up(language.summary(known))}")
        elif isinstance(thing, type):
            parts.append(class_entry(full, thing))
        elif callable(thing) and not isinstance(thing, suanzi.DType):
            parts.append(directive("autofunction", full))
        else:
            parts.append(directive("py:data", member, body=f"``{thing!r}``", module=f"suanzi.{name}"))
    return page(*parts)


def write(folder: Path, language: English) -> None:
    """Write all generated pages below a folder."""
    words = language.words
    pages = {f"functions/{name}": function_page(facts) for name, facts in FUNCTIONS.items()}
    for name, facts in CLASSES.items():
        pages[f"classes/{name}"] = page(heading(titled(facts)), class_entry(f"suanzi.{name}", facts.thing))
    pages |= {f"modules/{name}": module_page(name, language) for name in MODULES}
    pages |= {place(key): category_page(key, language) for key in ROWS}
    below = directive("toctree", body="\n".join(map(place, ROWS)), maxdepth="2")
    pages["operators"] = page(heading(words["operators"]), marked_up(words["all"]), below)
    for kind, names in {"classes": CLASSES, "modules": MODULES}.items():
        below = "\n".join(f"{kind}/{name}" for name in names)
        pages[kind] = page(heading(words[kind]), directive("toctree", body=below))
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
