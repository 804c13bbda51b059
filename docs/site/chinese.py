"""The words of the Chinese pages: sentences and phrases in chinese/*.toml, and the numbers of the records.

`words.toml` has headings, types, statuses, and sentences that many docstrings have. `parameters.toml` describes
parameters, unless a file or an object has its own description. Every other file has the objects of a category or of
modules: `shared` has the parameters that several of these objects have. Each object has a summary, a result and
parameters. If an object is a single text, the text is the object's summary. A name that begins with a dot is a member
of any class. Parameters that a docstring describes together have one phrase.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import suanzi
from english import English
from facts import Facts
from suanzi.operators.catalogue import NETWORKS
from suanzi.operators.scratch import WORDS

CODE = re.compile(r"`+[^`]+`+")


class Chinese(English):
    """The texts of the Chinese pages, which are under zh/."""

    code, sphinx_name, own_name, joint = "zh", "zh_CN", "中文", "、"

    def __init__(self) -> None:
        files = sorted((Path(__file__).parent / "chinese").glob("*.toml"))
        read: dict[str, Any] = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in files}
        self.tables: dict[str, dict[str, str]] = read.pop("words")
        self.words, self.kinds = self.tables["headings"], self.tables["kinds"]
        self.categories = {}  # categories need no other names than the standard's names
        self.shared: dict[str, dict[str, str]] = {"parameters": read.pop("parameters")}
        self.shared |= {file: rows.pop("shared", {}) for file, rows in read.items()}
        self.file = {name: file for file, rows in read.items() for name in rows}
        said = {name: told for rows in read.values() for name, told in rows.items()}
        self.objects = {name: {"summary": told} if isinstance(told, str) else told for name, told in said.items()}
        self.parts = re.compile("|".join(map(re.escape, sorted(self.tables["types"], key=len, reverse=True))))

    def key(self, name: str) -> str:
        """Return the key of an object's texts: the object's own name, or the key that all members of the same name
        share.
        """
        return name if name in self.objects else f".{name.rpartition('.')[2]}"

    def told(self, facts: Facts) -> dict[str, Any]:
        """Return an object's own texts, or a common translation for summaries that differ only in names."""
        common = self.tables["docstrings"].get(CODE.sub("{}", facts.summary), "")
        about = {"summary": common.format(*CODE.findall(facts.summary))} if common else {}
        return self.objects.get(self.key(facts.name), about)

    def summary(self, facts: Facts) -> str:
        """Return the first paragraph of an object's summary in Chinese, or in English if it has no translation."""
        return str(self.told(facts).get("summary", facts.summary)).strip().partition("\n\n")[0]

    def text(self, facts: Facts) -> str:
        """Return an object's docstring in Chinese. Examples, and the code of modules, are copied from the docstring."""
        texts = self.told(facts)
        if not texts:
            return facts.text
        code = [part for part in facts.text.split("\n\n") if part[:4].isspace() and inspect.ismodule(facts.thing)]
        doc, parameters, member = facts.doc, self.parameters(facts), partial(Facts, thing=None, given="")
        result = " or ".join(entry.type for entry in doc["Returns"])
        errors = [error for entry in (*doc["Raises"], *doc["Warns"]) for error in entry.type.split(", ")]
        entries = {
            "Parameters": [(e.name, e.type, parameters.get(e.name, "")) for e in doc["Parameters"]],
            "属性": [(e.name, e.type, self.summary(member(f"{facts.name}.{e.name}"))) for e in doc["Attributes"]],
            "Returns": [("", result, texts.get("returns", ""))] if result else [],
            "Raises": [("", error, self.when(error)) for error in errors],
        }
        sections = {title: "\n".join(map(self._entry, rows)) for title, rows in entries.items()}
        sections |= {"精度": self.accuracy(facts), "内存": self.memory(facts), "出处": self.source(facts)}
        sections["Examples"] = "\n".join(doc["Examples"])
        told = [f"{title}\n{'-' * 8}\n{said}" for title, said in sections.items() if said]
        return "\n\n".join([texts["summary"].strip(), *code, *told])

    def _entry(self, row: tuple[str, str, str]) -> str:
        return f"{' : '.join(filter(None, (row[0], self.type(row[1]))))}\n    {row[2]}".rstrip()

    def type(self, text: str) -> str:
        """Translate the type of a parameter or result part by part, without blanks between Chinese words."""
        words = self.parts.sub(lambda found: self.tables["types"][found[0]], text)
        return re.sub(r"(?<=[\u3000-\u9fff]) (?=[\u3000-\u9fff])", "", words)

    def parameters(self, facts: Facts) -> dict[str, str]:
        """Return the texts of an object's parameters: the object's own texts, its file's texts, and common texts."""
        file = self.file.get(self.key(facts.name), "parameters")
        return {**self.shared["parameters"], **self.shared[file], **self.told(facts).get("parameters", {})}

    def source(self, facts: Facts) -> str:
        if not facts.record:
            return ""
        entry = facts.record.entry
        if entry.category is NETWORKS:
            return f"{entry.chinese}：T/AI 137.1-2025 未作规定，见 GB/T 46069.2-2025（本库未见其文本）。"
        clause = entry.clause.replace(", Table ", "，表 ") if entry.clause else f"表 2，{entry.category.chinese}"
        return f"T/AI 137.1-2025，{clause}：{entry.chinese}。"

    def accuracy(self, facts: Facts) -> str:
        bound = facts.record.accuracy if facts.record else None
        if bound:
            return self.tables["sentences"]["accuracy"].format(**bound._asdict())
        return str(self.told(facts).get("accuracy", ""))

    def memory(self, facts: Facts) -> str:
        if not (facts.record and facts.record.scratch):
            return ""
        scratch, sentences = facts.record.scratch, self.tables["memory"]
        words = [sentences[word] for word in WORDS if word in scratch.words]
        return "".join([sentences["bound"].format(expression=scratch), *words])

    def when(self, error: str) -> str:
        """Return the condition for an error of the given class: the class's own sentence, or its status's sentence."""
        if error in self.tables["errors"]:
            return self.tables["errors"][error]
        status = getattr(suanzi, error).status
        return f"{status.name} {status.chinese}：{self.tables['statuses'][status.name]}"


LANGUAGES: dict[str, English] = {language.code: language for language in (English(), Chinese())}
