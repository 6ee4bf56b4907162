"""Analysis of text for the search index: what a word is, in every script (docs/adr/0020).

Text and query are analysed alike. The index takes the terms as they are: it stems ASCII endings and splits
at blanks, nothing else.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from attrs import field, frozen

VERSION: Final = 2
"""Goes up with every change of the analysis; a store with another version rebuilds its index."""

TERM_CHARS_MAX: Final = 96
"""A longer term is cut, in text and query alike."""

_CJK: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3100-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Thai, Lao, Burmese and Khmer are written without blanks between words, too; vowels and tones are marks.
_UNSPACED: Final = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u109d\u1780-\u17d3"
)
_CLUSTERS: Final = re.compile(
    "[^ ][\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3]*"
)
_JOINT: Final = r"[-./'’]"
_JOINTS: Final = re.compile(r"[-./'’_]")
_APOSTROPHES: Final = re.compile("['’]")
_PARTS: Final = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# Joiners, style selectors, soft hyphens, directions and the Arabic stretch make no other word.
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u0640\u180b-\u180e\u200c-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f"
    "\ufeff\U000e0001-\U000e01ef]"
)
# Letters that no decomposition brings to the ones they are typed as.
_TYPED_AS: Final = str.maketrans({
    "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th",
})  # fmt: skip
# Up to Arabic, marks are accents and vowels that people leave out; in Indic scripts they spell the word.
_LAST_TO_LOSE_MARKS: Final = "\u08ff"


@frozen
class Word:
    """One word of a text: it is there where all terms of one of its ``forms`` are."""

    forms: tuple[tuple[str, ...], ...]
    terms: tuple[str, ...] = field(init=False)
    """Every term of every form, in order."""

    @terms.default
    def _terms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(term for form in self.forms for term in form))


def words(text: str) -> Iterator[Word]:
    """The words of a query, in order.

    Compatibility forms are unified (NFKC), so full-width letters and half-width kana meet their usual forms.
    """
    for kind, run in _runs(text):
        if kind == "word":
            yield _joined_word(run)
        elif kind == "symbol":
            yield Word(((run,),))
        else:
            signs = _signs(kind, run)
            yield Word((_pairs(signs) or tuple(signs),))


def tokens(text: str) -> Iterator[str]:
    """Index terms of a text: words in lower case, parts of identifiers, signs of CJK and their pairs."""
    for kind, run in _runs(text):
        if kind == "word":
            yield from _joined_word(run).terms
        elif kind == "symbol":
            yield run
        else:
            signs = _signs(kind, run)
            yield from signs
            yield from _pairs(signs)


def analysed(text: str) -> str:
    """The text as the index takes it: terms with blanks between, each free of the index's own syntax."""
    return " ".join(tokens(text))


def _runs(text: str) -> Iterator[tuple[str, str]]:
    unified = unicodedata.normalize("NFKC", text)
    if not unified.isascii():
        unified = _UNSEEN.sub("", unified)
    for run in _pattern(_has_marks(unified)).finditer(unified):
        # Every alternative of the pattern has a name.
        kind = str(run.lastgroup)
        if kind != "other":
            yield kind, run[0]
        elif _is_symbol(run[0]):
            yield "symbol", run[0]


def _is_symbol(char: str) -> bool:
    kind = unicodedata.category(char)
    # The newest emoji are not assigned to anything yet where Unicode is older than they are.
    return kind == "So" or (kind == "Cn" and "\U0001f000" <= char <= "\U0001faff")


def _has_marks(text: str) -> bool:
    return not text.isascii() and any(unicodedata.category(char)[0] == "M" for char in set(text))


@cache
def _pattern(with_marks: bool) -> "re.Pattern[str]":
    marks = _marks() if with_marks else ""
    letter = rf"(?:(?![{_CJK}{_UNSPACED}])\w)"
    inner = rf"(?:(?![{_CJK}{_UNSPACED}])[\w{marks}])"
    return re.compile(
        rf"(?P<cjk>[{_CJK}]+)|(?P<unspaced>[{_UNSPACED}]+)"
        rf"|(?P<word>{letter}{inner}*(?:{_JOINT}(?={letter}){inner}+)*)|(?P<other>[^\w\s])"
    )


def _marks() -> str:
    # Looked up once per process, and only when a text has any: a list of them would age with Unicode.
    codes = range(0x300, 0x1F000)
    return "".join(map(chr, (code for code in codes if unicodedata.category(chr(code))[0] == "M")))


def _signs(kind: str, run: str) -> list[str]:
    return list(run) if kind == "cjk" else _CLUSTERS.findall(run)


def _pairs(signs: list[str]) -> tuple[str, ...]:
    return tuple(first + second for first, second in pairwise(signs))


@lru_cache(maxsize=4096)
def _joined_word(run: str) -> Word:
    """A word as a whole; of a path its segments; its parts, as humps and joints tell them."""
    if run.isascii() and run.isalpha() and (run.islower() or run[1:].islower() or run.isupper()):
        return Word(((run[:TERM_CHARS_MAX].lower(),),))
    whole = _APOSTROPHES.sub("", run)
    forms: list[tuple[str, ...]] = [(form,) for form in _folded(whole)]
    forms += _together(whole.split("/")) if "/" in whole else []
    # Capitals throughout are emphasis, not the humps of an identifier.
    forms += _together(_parts(run.lower() if run == run.upper() else run))
    return Word(tuple(dict.fromkeys(forms)))


def _parts(run: str) -> list[str]:
    pieces = _JOINTS.split(run)
    # Marks belong to no hump, so a piece with marks stays in one.
    return [part for piece in pieces for part in ([piece] if _has_marks(piece) else _PARTS.findall(piece))]


def _together(parts: list[str]) -> list[tuple[str, ...]]:
    folded = [_folded(part) for part in parts if part]
    return [tuple(forms[place] for forms in folded) for place in (0, -1) if folded]


def _folded(word: str) -> tuple[str, ...]:
    """A word as it is looked up, and without any marks where that is another word to its script."""
    if word.isascii():
        return (word[:TERM_CHARS_MAX].lower(),)
    apart = unicodedata.normalize("NFD", word.casefold().translate(_TYPED_AS))
    bare = [char for char in apart if unicodedata.category(char)[0] != "M"]
    full = [char for char in apart if char > _LAST_TO_LOSE_MARKS or unicodedata.category(char)[0] != "M"]
    return tuple(_composed(chars) for chars in ((full,) if full == bare else (full, bare)))


def _composed(chars: list[str]) -> str:
    return unicodedata.normalize("NFC", "".join(chars))[:TERM_CHARS_MAX]
