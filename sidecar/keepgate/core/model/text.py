"""Text as the contract counts, folds and shows it. All lengths are UTF-16 code units."""

import re
import unicodedata
from typing import Final

ELLIPSIS: Final = "…"
LINE_BREAK_SHOWN: Final = " ⏎ "

_BEYOND_BMP: Final = re.compile("[\U00010000-\U0010ffff]")
_LINE_BREAKS: Final = re.compile("\r\n|[\n\r\u2028\u2029\u0085\v\f]")
_UPPER_TO_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_JOINERS: Final = "\u200c\u200d"
_JOINED_KINDS: Final = frozenset({"Lo", "Lm", "Lu", "Ll", "Mn", "Mc", "So", "Sk"})
# Letters and marks that take room or none but draw nothing.
_BLANK_LETTERS: Final = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")


def units(text: str) -> int:
    """Length in UTF-16 code units, the unit of every budget and limit (DSH-2)."""
    return len(text) if text.isascii() else len(text) + len(_BEYOND_BMP.findall(text))


def ascii_fold(text: str) -> str:
    """Lower-case A to Z and nothing else: the only folding that matching does (DSH-4)."""
    return text.lower() if text.isascii() else text.translate(_UPPER_TO_LOWER)


def excerpt(text: str, limit_units: int) -> str:
    """``text``, or its longest beginning within the limit and an ellipsis; no character is cut in two."""
    if units(text) <= limit_units:
        return text
    used = 0
    for index, char in enumerate(text):
        used += 2 if ord(char) > 0xFFFF else 1
        if used > limit_units:
            return text[:index] + ELLIPSIS
    raise AssertionError("unreachable: the text is longer than the limit")


def is_hidden(char: str) -> bool:
    """Whether a character draws nothing or reorders its neighbours; line feed and tab do not count."""
    if char in "\n\t":
        return False
    if char in _BLANK_LETTERS or "\ufe00" <= char <= "\ufe0e" or "\U000e0100" <= char <= "\U000e01ef":
        return True
    return unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs")


def hidden_positions(text: str) -> list[int]:
    """Indices of hidden characters, joiners inside scripts and emoji that need them left out."""
    if text.isascii() and text.isprintable():
        return []
    return [
        index for index, char in enumerate(text) if is_hidden(char) and not _joins_neighbours(text, index)
    ]


def _joins_neighbours(text: str, index: int) -> bool:
    if text[index] not in _JOINERS or not 0 < index < len(text) - 1:
        return False
    around = text[index - 1] + text[index + 1]
    return not any(char.isascii() for char in around) and all(
        unicodedata.category(char) in _JOINED_KINDS for char in around
    )


def make_visible(text: str) -> str:
    """``text`` with every hidden character written as ``⟨U+202E⟩``."""
    positions = set(hidden_positions(text))
    if not positions:
        return text
    return "".join(f"⟨U+{ord(char):04X}⟩" if index in positions else char for index, char in enumerate(text))


def one_line(text: str) -> str:
    """``text`` on one line: breaks become `` ⏎ ``, hidden characters are written out, tabs become blanks."""
    return make_visible(_LINE_BREAKS.sub(LINE_BREAK_SHOWN, text).replace("\t", " "))
