"""Putting one value into JSON with comments, by its place in the text: every other byte stays.

Only objects are looked into. What cannot be followed raises :class:`NotFollowed`; nothing is guessed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from attrs import frozen

INDENT: Final = "  "
_BLANK: Final = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"[^\s,\]}/]+")
_TRAILING: Final = re.compile(r",(?=\s*[}\]])")


class NotFollowed(Exception):
    """The text is not JSON that can be followed; the message says where."""


@frozen
class Member:
    """A member of an object: its name, and where its value stands."""

    name: str
    start: int
    end: int


@frozen
class Object:
    """An object: its members, the place behind its brace, and its closing brace."""

    members: tuple[Member, ...]
    opened: int
    closed: int
    last_end: int
    trailing_comma: bool

    def member(self, name: str) -> Member | None:
        """The member that counts: of several with one name, the last."""
        return next((each for each in reversed(self.members) if each.name == name), None)


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """``text`` with ``value`` at ``path``, objects on the way made where they are missing.

    An empty text is an empty object. Raises :class:`NotFollowed`.
    """
    if _BLANK.fullmatch(text) is not None:
        return text + json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    start, depth = _skip(text, 0), 0
    while True:
        found = object_at(text, start)
        member = found.member(path[depth])
        if member is None:
            added = _nested(path[depth + 1 :], value)
            return _inserted(text, found, path[depth], added, depth + 1, newline)
        if depth == len(path) - 1:
            shown = _shown(value, depth + 1, newline)
            return text[: member.start] + shown + text[member.end :]
        start, depth = member.start, depth + 1


def parsed(text: str) -> Any:
    """The value of JSON with comments and trailing commas. Raises :class:`NotFollowed`."""
    bare = "".join(_without_comments(text))
    try:
        return json.loads(_outside_strings(bare)) if bare.strip() else {}
    except ValueError as error:
        raise NotFollowed(f"it is not JSON: {error}") from None


def object_at(text: str, start: int) -> Object:
    """The object that begins at ``start``. Raises :class:`NotFollowed`."""
    if text[start : start + 1] != "{":
        raise NotFollowed(f"there is no object at line {_line(text, start)}")
    members: list[Member] = []
    at, last_end, comma = _skip(text, start + 1), start + 1, False
    while text[at : at + 1] != "}":
        name = _STRING.match(text, at)
        if name is None or (members and not comma):
            raise NotFollowed(f"line {_line(text, at)} is not what an object holds")
        colon = _skip(text, name.end())
        if text[colon : colon + 1] != ":":
            raise NotFollowed(f"a colon is missing at line {_line(text, colon)}")
        begin = _skip(text, colon + 1)
        last_end = _value_end(text, begin)
        members.append(Member(json.loads(name[0]), begin, last_end))
        at = _skip(text, last_end)
        comma = text[at : at + 1] == ","
        if comma:
            last_end, at = at + 1, _skip(text, at + 1)
    return Object(tuple(members), start + 1, at, last_end, comma)


def _value_end(text: str, start: int) -> int:
    first = text[start : start + 1]
    if first == "{":
        return object_at(text, start).closed + 1
    if first == "[":
        at = _skip(text, start + 1)
        while text[at : at + 1] != "]":
            at = _skip(text, _value_end(text, at))
            if text[at : at + 1] == ",":
                at = _skip(text, at + 1)
        return at + 1
    found = (_STRING if first == '"' else _SCALAR).match(text, start)
    if found is None:
        raise NotFollowed(f"a value is missing at line {_line(text, start)}")
    return found.end()


def _inserted(text: str, into: Object, name: str, value: Any, depth: int, newline: str) -> str:
    own = f"{json.dumps(name, ensure_ascii=False)}: {_shown(value, depth, newline)}"
    comma = "," if into.members and not into.trailing_comma else ""
    after = "," if into.trailing_comma else ""
    head, tail = text[: into.last_end], text[into.last_end :]
    # What stands between the last member and the brace, a comment perhaps, stays before the new one.
    between, closing = tail[: into.closed - into.last_end], text[into.closed :]
    kept = between.rstrip(" \t\r\n")
    return f"{head}{comma}{kept}{newline}{INDENT * depth}{own}{after}{newline}{INDENT * (depth - 1)}{closing}"


def _shown(value: Any, depth: int, newline: str) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", newline + INDENT * depth)


def _nested(path: Sequence[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    assert found is not None, "nothing at all matches"
    return found.end()


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


_COMMENT_OR_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|\ufeff', re.DOTALL)


def _without_comments(text: str) -> list[str]:
    return [_COMMENT_OR_STRING.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)]


def _outside_strings(text: str) -> str:
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', text)
    # A comma and the brace behind it stand in one piece: with a string between them the comma counts.
    return "".join(piece if index % 2 else _TRAILING.sub("", piece) for index, piece in enumerate(pieces))


def differs_only_at(before: Mapping[str, Any], after: Mapping[str, Any], path: Sequence[str]) -> bool:
    """Whether two documents are equal but for what stands at ``path``."""
    name, *rest = path
    others = {key: value for key, value in before.items() if key != name}
    if others != {key: value for key, value in after.items() if key != name} or name not in after:
        return False
    if not rest:
        return True
    inner = before.get(name, {})
    if not isinstance(inner, Mapping) or not isinstance(after[name], Mapping):
        return False
    return differs_only_at(inner, after[name], rest)
