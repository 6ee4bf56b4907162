"""Analysis of text for the search index: what a word is, in every script (docs/architecture.md)."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

VERSION: Final = 1
"""Goes up with every change of the analysis; a store with another version rebuilds its index."""

_CJK: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff"
)
_RUNS: Final = re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[\w])+(?:[-./](?=\w)(?:(?![{_CJK}])[\w])+)*|[^\w\s]")
# Letters beyond ASCII count as small ones, so that an accent does not tear a word apart.
_PARTS: Final = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_CJK_FIRST: Final = re.compile(rf"[{_CJK}]")


def tokens(text: str) -> Iterator[str]:
    """Index terms of a text: lower-case words, the parts of identifiers, CJK characters and their pairs.

    Compatibility forms are unified (NFKC), so full-width letters and half-width kana meet their usual forms.
    """
    for run in _RUNS.finditer(unicodedata.normalize("NFKC", text)):
        word = run[0]
        if _CJK_FIRST.match(word):
            yield from word
            yield from (word[index : index + 2] for index in range(len(word) - 1))
        elif not word[0].isalnum() and word[0] != "_":
            if unicodedata.category(word[0]) == "So":
                yield word
        else:
            yield from _word_and_parts(word)


def _word_and_parts(word: str) -> Iterator[str]:
    whole = word.lower()
    yield whole
    # Capitals throughout are emphasis, not the humps of an identifier.
    parts = [part.lower() for part in _PARTS.findall(whole if word == word.upper() else word)]
    if parts != [whole]:
        yield from parts


def analysed(text: str) -> str:
    """The text as the index takes it: terms with blanks between, each free of the index's own syntax."""
    return " ".join(tokens(text))
