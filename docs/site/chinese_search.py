"""The search of the Chinese pages: Chinese is found by every two neighbouring characters, so without a dictionary."""

from __future__ import annotations

import re

from sphinx.search.en import SearchEnglish

_RUNS = re.compile(r"[\u4e00-\u9fff]+|[^\W\u4e00-\u9fff]+")


def pairs(text: str) -> list[str]:
    """The words of other scripts, and of Chinese each character and each two that follow each other."""
    words: list[str] = []
    for run in _RUNS.findall(text):
        if run[0] < "\u4e00" or run[0] > "\u9fff":
            words.append(run)
        else:
            words += [*run, *(run[i : i + 2] for i in range(len(run) - 1))]
    return words


class ChineseSearch(SearchEnglish):
    """Chinese beside English: code, names and the guides are in English."""

    lang = "zh_CN"
    language_name = "English"  # after which Sphinx names the class of the stemmer in the browser
    # A query must find all its pairs; a single character counts only where it stands alone.
    js_splitter_code = r"""
var splitQuery = (query) =>
  (query.match(/[\u4e00-\u9fff]+|(?:(?![\u4e00-\u9fff])[\p{Letter}\p{Number}_])+/gu) || []).flatMap((run) =>
    /[\u4e00-\u9fff]/.test(run) && run.length > 2
      ? Array.from({ length: run.length - 1 }, (_, i) => run.slice(i, i + 2))
      : [run]);
"""

    def split(self, input: str) -> list[str]:
        return pairs(input)
