"""What an entry may hold: the checks of text, tags, labels and sessions (DSH-2).

Every check returns problems instead of raising, so that one answer names them all.
"""

import re
from collections.abc import Iterable
from typing import Final

from attrs import frozen

from keepgate.core.model.text import units
from keepgate.protocol.entries import TAG_UNITS_MAX, TAGS_MAX, Entry, Scope, Track
from keepgate.protocol.errors import Problem

SOURCE_FORM: Final = "[a-z0-9][a-z0-9._-]{0,63}"
SESSION_ID_MAX: Final = 256
_SOURCE: Final = re.compile(SOURCE_FORM)
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_TAG_CONTROL: Final = re.compile("[\x00-\x1f\x7f]")
# The white space that JavaScript's trim removes; Python's strip takes U+001C to U+001F and U+0085 too.
_JS_BLANKS: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


@frozen
class Layer:
    """A budgeted layer; a workspace layer belongs to one workspace, a user-global one has no key."""

    track: Track
    scope: Scope
    workspace_key: str

    @property
    def name(self) -> str:
        """``track/scope``, as policies and messages name it."""
        return f"{self.track}/{self.scope}"


def layer_of(entry: Entry) -> Layer:
    """The layer whose budget an entry counts against."""
    return Layer(entry.track, entry.scope, entry.workspace_key)


def text_problems(text: str, path: str = "$.text") -> list[Problem]:
    """Text is never empty and holds no U+0000 and no lone surrogate; everything else is kept as given."""
    if not text:
        return [Problem(path, "must not be empty")]
    if "\x00" in text:
        return [Problem(path, "contains U+0000")]
    if _LONE_SURROGATE.search(text):
        return [Problem(path, "contains a lone surrogate")]
    return []


def clean_tags(tags: Iterable[str], path: str = "$.tags") -> tuple[tuple[str, ...], list[Problem]]:
    """Trim as JavaScript does, drop repeats, and check: 1 to 32 units each, no controls, 16 at most."""
    kept: dict[str, None] = {}
    problems: list[Problem] = []
    for index, raw in enumerate(tags):
        tag = raw.strip(_JS_BLANKS)
        if problem := _tag_problem(tag):
            problems.append(Problem(f"{path}[{index}]", problem))
        kept[tag] = None
    if len(kept) > TAGS_MAX:
        problems.append(Problem(path, f"has {len(kept)} tags; at most {TAGS_MAX} are allowed"))
    return tuple(kept), problems


def _tag_problem(tag: str) -> str | None:
    if not tag:
        return "must not be blank"
    if _TAG_CONTROL.search(tag):
        return "contains a control character"
    if _LONE_SURROGATE.search(tag):
        return "contains a lone surrogate"
    if units(tag) > TAG_UNITS_MAX:
        return f"has {units(tag)} units; at most {TAG_UNITS_MAX} are allowed"
    return None


def source_problems(source: str, path: str = "$.source") -> list[Problem]:
    """A source is a short lower-case label."""
    return [] if _SOURCE.fullmatch(source) else [Problem(path, f"must match {SOURCE_FORM}")]


def slug_source(label: str) -> str | None:
    """The nearest valid source for a foreign label, or nothing when no letter or digit is left."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", label.lower())[:64].strip("-._")
    return slug or None


def session_problems(session_id: str, path: str = "$.session.id") -> list[Problem]:
    """A session id has 1 to 256 characters, no U+0000 and no lone surrogate."""
    if not 0 < len(session_id) <= SESSION_ID_MAX:
        return [Problem(path, f"must have 1 to {SESSION_ID_MAX} characters")]
    return text_problems(session_id, path)
