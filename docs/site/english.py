"""The words of the English pages: the docstrings' own."""

from __future__ import annotations

import suanzi
from facts import Facts, Parameter
from suanzi.operators.catalogue import Category

WORDS = {
    "operators": "Operators",
    "all": "The 134 operators of T/AI 137.1-2025 in the 18 categories of its Table 2, each followed by our additions to"
    " it, and the functions of `suanzi.extras`, which the standard does not name.",
    "function": "Function",
    "does": "What it does",
    "chinese": "Chinese name",
    "source": "Source",
    "category": "Category",
    "extras": "Beyond the standard: suanzi.extras",
    "belongs": "Belongs to",
    "kinds": "Element types",
    "no tensor": "takes no tensor",
    "beyond": "not named by the standard",
    "parameters": "Parameters",
    "returns": "Returns",
    "statuses": "Statuses",
    "number": "Number",
    "status": "Status",
    "exception": "Exception",
    "when": "When",
    "accuracy": "Accuracy",
    "no bound": "No bound is stated beyond what this page says.",
    "memory": "Memory",
    "notes": "Notes",
    "see": "See also",
    "example": "Example",
    "status codes": "Status codes",
    "about statuses": "The outcomes of an operator (5.5 and Table 1 of T/AI 137.1-2025). An operator that does not"
    " succeed raises the exception; `suanzi.attempt` calls it and gives the status instead.",
}
KINDS = {"B": "bool", "I": "integers", "F": "floating", "C": "complex", "S": "strings"}
CATEGORIES = {
    "creation": "Creation and destruction",
    "query": "Query and inspection",
    "transform": "Transformation",
    "arithmetic": "Arithmetic",
    "comparison": "Comparison",
    "logical": "Logic",
    "bitwise": "Bits",
    "power": "Powers",
    "rounding": "Rounding",
    "trigonometric": "Trigonometric functions",
    "hyperbolic": "Hyperbolic functions",
    "exponential": "Exponentials and logarithms",
    "reduction": "Reduction",
    "index": "Indices and sorting",
    "complex_numbers": "Complex numbers",
    "signal": "Signals",
    "linalg": "Linear algebra",
    "interpolation": "Interpolation",
}


class English:
    """The words of the pages under en/."""

    code, words, joint, colon = "en", WORDS, ", ", ": "

    def category(self, category: Category) -> str:
        return f"{CATEGORIES[category.key]} {category.chinese}"

    def title(self, facts: Facts) -> str:
        return facts.name

    def summary(self, facts: Facts) -> str:
        return facts.summary

    def description(self, facts: Facts) -> str:
        return "\n".join(facts.doc["Extended Summary"])

    def notes(self, facts: Facts) -> str:
        return "\n".join(facts.doc["Notes"])

    def type(self, text: str) -> str:
        return text

    def parameter(self, facts: Facts, parameter: Parameter) -> str:
        return parameter.text

    def returns(self, facts: Facts) -> list[tuple[str, str]]:
        return [(entry.type, entry.text) for entry in facts.entries("Returns")]

    def kinds(self, accepts: str) -> str:
        return ", ".join(KINDS[kind] for kind in accepts)

    def source(self, facts: Facts) -> str:
        return "\n".join(facts.doc["Source"])

    def accuracy(self, facts: Facts) -> str:
        return "\n".join(facts.doc["Accuracy"])

    def memory(self, facts: Facts) -> str:
        return "\n".join(facts.doc["Memory"])

    def status(self, status: suanzi.Status) -> str:
        return status.name

    def when(self, status: suanzi.Status, text: str) -> str:
        return text

    def meaning(self, status: suanzi.Status, error: type[suanzi.SuanziError] | None) -> str:
        """Return the meaning of a status, from the docstring of its exception."""
        said = (error.__doc__ or "").partition(": ")[2] if error else "the operator did what was asked."
        return said[:1].upper() + said[1:]
