"""Slugs and paths of page files: what a slug may be, so that it names one file below its root anywhere."""

import re
import unicodedata
from typing import Final

from keepgate.core.model.text import hidden_positions

ENDING: Final = ".md"
SLUG_UNITS_MAX: Final = 500
SEGMENT_BYTES_MAX: Final = 200
"""Of one name; file systems take 255 bytes, and the ending and a temporary name are longer."""

_FORBIDDEN: Final = re.compile(r'[\\:*?"<>|]')
_RESERVED: Final = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE
)
_UNSEEN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


def slug_problem(slug: str) -> str | None:
    """Why this cannot be a page's slug, in words; ``None`` when it can.

    A slug is the file's path below its root with ``/`` and without the ending. It is refused where some
    system reads another file in it: absolute, climbing, reserved or hidden names, and text that is not NFC.
    """
    if not slug.strip():
        return "must not be empty"
    if len(slug) > SLUG_UNITS_MAX:
        return f"has {len(slug)} characters; a slug may have {SLUG_UNITS_MAX}"
    return _text_problem(slug) or next(filter(None, map(_segment_problem, slug.split("/"))), None)


def _text_problem(slug: str) -> str | None:
    if any(unicodedata.category(char) in _UNSEEN for char in slug):
        return "must not hold control characters, U+0000 or lone surrogates"
    if hidden_positions(slug):
        return "must not hold hidden characters, which make one name look like another"
    if unicodedata.normalize("NFC", slug) != slug:
        return "must be composed text (Unicode NFC)"
    found = _FORBIDDEN.search(slug)
    return f"must not hold {found[0]}" if found else None


def _segment_problem(name: str) -> str | None:
    if not name:
        return "must have a name between slashes, and neither begin nor end with one"
    if name.startswith("."):
        return "must have no name that begins with a dot: such files are hidden, and .. leaves the root"
    if name != name.strip() or name.endswith("."):
        return "must have no name that begins or ends with a blank, or ends with a dot"
    if _RESERVED.fullmatch(name):
        return f"must not use {name}, which is the name of a device on Windows"
    if len(name.encode()) > SEGMENT_BYTES_MAX:
        return f"must have names of at most {SEGMENT_BYTES_MAX} bytes"
    return None


def path_of(slug: str) -> str:
    """The file's path below its root."""
    return slug + ENDING


def composed(slug: str) -> str:
    """A slug as it is compared and stored: Unicode NFC."""
    return unicodedata.normalize("NFC", slug)
