"""Names of entities: keys under which titles and aliases are looked up, and slugs (VERBS-entity).

Writing and reading fold a name in the same way, so what was filed under a name is found under it.
"""

import re
import unicodedata
from typing import Final

_BRACKETS: Final = frozenset({
    '""', "''", "()", "[]", "{}", "<>", "“”", "„“", "‘’", "«»", "‹›", "「」", "『』", "《》", "〈〉", "【】",
})  # fmt: skip
# Told by name, because names are told apart by them: C, C++, C#.
_SPELLED: Final = {"+": "-plus", "#": "-sharp"}
_TELLING_SIGNS: Final = re.compile(r"(?<=\w)[+#]+(?!\w)")
_DASHES: Final = re.compile("-{2,}")
_NO_WORD: Final = re.compile("[^0-9a-z_]+")


def alias_key(name: str) -> str:
    """The key of an alias or title: NFKC, lower case, single blanks, no quotes or brackets around it."""
    key = " ".join(_folded(name).split())
    while len(key) > 2 and key[0] + key[-1] in _BRACKETS:
        key = key[1:-1].strip()
    return key


def slugify(name: str) -> str:
    """A name as a slug, segment by segment: letters, marks, digits, emoji and ``_`` of any script stay.

    Everything else becomes a dash. Empty when nothing is left, as of punctuation alone. Idempotent.
    """
    segments = (_segment(part) for part in _folded(name).split("/"))
    return "/".join(filter(None, segments))


def tail(slug: str) -> str:
    """The folded last segment of a slug, by which the end of one is looked up."""
    return slugify(slug).rpartition("/")[2]


def slug_key(slug: str) -> str:
    """What two slugs share that differ in capitals alone: both cannot be pages of one home."""
    # Folding of cases spells some letters out, such as ß, which are no capitals of one another in a name.
    return f"{slug.casefold()}\0{tail(slug)}"


def ends_with(folded: str, name_slug: str) -> bool:
    """Whether a page's slug, folded by :func:`slugify`, is, or ends in, the slug of a name."""
    return folded == name_slug or folded.endswith(f"/{name_slug}")


def _folded(name: str) -> str:
    if name.isascii():
        return name.lower()
    # Lower-casing can decompose, so that the form is restored after it.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).lower())


def _segment(text: str) -> str:
    spelled = _TELLING_SIGNS.sub(lambda signs: "".join(map(_SPELLED.__getitem__, signs[0])), text)
    if spelled.isascii():
        # What most names are, in one step: of ASCII nothing else is kept.
        return _NO_WORD.sub("-", spelled).strip("-")
    kept = "".join(_kept(char) for char in spelled)
    return _DASHES.sub("-", kept).strip("-")


def _kept(char: str) -> str:
    if char.isalnum() or char == "_":
        return char
    kind = unicodedata.category(char)
    if kind in ("So", "Mn", "Mc", "Nd") or "\U0001f3fb" <= char <= "\U0001f3ff":
        # A selector of emoji style is a mark, too, but names no other thing.
        return "" if "\ufe00" <= char <= "\ufe0f" else char
    # Joiners and other hidden characters are no word break.
    return "" if kind == "Cf" else "-"
