"""Text as the contract counts, folds and shows it. All lengths are UTF-16 code units."""

import json
import re
import unicodedata
from itertools import accumulate, takewhile
from typing import Final

ELLIPSIS: Final = "…"
LINE_BREAK_SHOWN: Final = " ⏎ "

_BEYOND_BMP: Final = re.compile("[\U00010000-\U0010ffff]")
_LINE_BREAKS: Final = re.compile("\r\n|[\n\r\u2028\u2029\u0085\v\f]")
# Those too at which only some programs break lines.
_ALL_LINE_BREAKS: Final = re.compile("\r\n|[\n\r\u2028\u2029\u0085\v\f\x1c-\x1e]")
_UPPER_TO_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
# What draws nothing although its category does not say so: blank letters and marks, variation selectors,
# and everything that Unicode sets aside to be ignored, assigned or not.
_BLANKS: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
_PLAIN_NAME: Final = re.compile(r"[\w.@+:/\\~#-]+")
_HIDDEN_KINDS: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Cs"})
_STYLE_SELECTORS: Final = "\ufe0e\ufe0f"
_JOINERS: Final = "\u200c\u200d"
# The scripts that are spelled with joiners: Arabic and its kin, the Indic family, Mongolian. In all others,
# Han, Latin and Cyrillic among them, a joiner only hides in a word.
_JOINING_SCRIPTS: Final = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\ua95f\ua980-\uaaff\uabc0-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_EMOJI: Final = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
# Emoji outside the blocks of symbols: key caps, interrobangs, the information letter, the wavy dash.
_STYLED_OTHERS: Final = frozenset("0123456789#*\u203c\u2049\u2139\u3030")


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
    lengths = accumulate(2 if ord(char) > 0xFFFF else 1 for char in text)
    fitting = sum(1 for _ in takewhile(lambda length: length <= limit_units, lengths))
    return text[:fitting] + ELLIPSIS


def is_hidden(char: str) -> bool:
    """Whether a character draws nothing or reorders its neighbours; line feed and tab do not count."""
    if char in "\n\t":
        return False
    return _BLANKS.match(char) is not None or unicodedata.category(char) in _HIDDEN_KINDS


def hidden_positions(text: str) -> list[int]:
    """Indices of hidden characters; joiners and style selectors that belong to a script or emoji left out."""
    # What is printable hides nothing but blanks; told at once, because pages are long.
    if text.replace("\n", "").replace("\t", "").isprintable() and not _BLANKS.search(text):
        return []
    return [index for index, char in enumerate(text) if is_hidden(char) and not _belongs(text, index)]


def _belongs(text: str, index: int) -> bool:
    char, before, after = text[index], text[index - 1 : index], text[index + 1 : index + 2]
    if char in _STYLE_SELECTORS:
        return before in _STYLED_OTHERS or (before != "" and unicodedata.category(before) in ("So", "Sm"))
    if char not in _JOINERS:
        return False
    if _spelled_with_joiners(before) and _spelled_with_joiners(after):
        return True
    if char != "\u200d" or not _EMOJI.match(after):
        return False
    return _EMOJI.match(before) is not None or (before == "\ufe0f" and _belongs(text, index - 1))


def _spelled_with_joiners(char: str) -> bool:
    if not _JOINING_SCRIPTS.match(char) or _BLANKS.match(char):
        return False
    return unicodedata.category(char)[0] in "LM"


def make_visible(text: str) -> str:
    """``text`` with every hidden character written as ``⟨U+202E⟩``."""
    positions = set(hidden_positions(text))
    if not positions:
        return text
    return "".join(f"⟨U+{ord(char):04X}⟩" if index in positions else char for index, char in enumerate(text))


def continued(text: str) -> str:
    """``text`` as the value after a label: its further lines are indented, so that none begins a label."""
    return _ALL_LINE_BREAKS.sub("\n    ", text)


def named(value: str) -> str:
    """A name that somebody chose, quoted unless it is one plain word: it must not pass for words of ours."""
    return value if _PLAIN_NAME.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def named_client(client: str, version: object) -> str:
    """A client and its version, where it told one; both are its own words."""
    return f"{named(client)} {named(str(version))}" if version else named(client)


def quoted_line(text: str) -> str:
    """Somebody's words on one line, in quotation marks that they cannot end."""
    return json.dumps(one_line(text), ensure_ascii=False)


def one_line(text: str) -> str:
    """``text`` on one line: breaks become `` ⏎ ``, hidden characters are written out, tabs become blanks."""
    if not text.isprintable():
        text = _LINE_BREAKS.sub(LINE_BREAK_SHOWN, text).replace("\t", " ")
    return make_visible(text)
