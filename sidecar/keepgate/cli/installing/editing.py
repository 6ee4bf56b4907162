"""What a client's settings become with keepgate in them; judged by what they mean, not by how they look."""

import re
import tomllib
from collections.abc import Mapping
from typing import Any, Final

from keepgate.cli.installing import jsonc
from keepgate.cli.installing.clients import CLIENTS, NAME, Format, toml_table

_HEADER: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)


class CannotEdit(Exception):
    """The settings are left alone; the message says why and is for the person."""


def edited(name: str, text: str, entry: Mapping[str, Any]) -> str:
    """``text`` with the entry of keepgate; the same text where it is there already.

    Raises :class:`CannotEdit` for settings that are broken or written in a way that cannot be followed.
    """
    client = CLIENTS[name]
    path = (client.key, NAME)
    read = _read_toml if client.format is Format.TOML else _read_json
    before = read(text)
    inner = before.get(client.key)
    if inner is not None and not isinstance(inner, Mapping):
        raise CannotEdit(f"its {client.key} is no table of servers")
    if inner is not None and inner.get(NAME) == entry:
        return text
    if client.format is Format.TOML:
        after = _with_table(text, client.key, entry)
    else:
        try:
            after = jsonc.with_value(text, path, dict(entry))
        except jsonc.NotFollowed as error:
            raise CannotEdit(str(error)) from None
    if not jsonc.differs_only_at(before, read(after), path) or read(after)[client.key][NAME] != entry:
        raise CannotEdit("the entry cannot be put there without touching something else")
    return after


def _read_json(text: str) -> Mapping[str, Any]:
    try:
        found = jsonc.parsed(text)
    except jsonc.NotFollowed as error:
        raise CannotEdit(str(error)) from None
    if not isinstance(found, dict):
        raise CannotEdit("it holds no object")
    return found


def _read_toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise CannotEdit(f"it is not TOML: {error}") from None


def _with_table(text: str, key: str, entry: Mapping[str, Any]) -> str:
    """The table appended, or put in the place of the one that is there."""
    newline = "\r\n" if "\r\n" in text else "\n"
    table = toml_table(key, entry).replace("\n", newline)
    header = re.compile(rf'^[ \t]*\[[ \t]*{key}[ \t]*\.[ \t]*"?{NAME}"?[ \t]*\][^\n]*\n?', re.MULTILINE)
    found = header.search(text)
    if found is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return text + gap + table
    following = _HEADER.search(text, found.end())
    end = following.start() if following is not None else len(text)
    # Blank lines and comments before the next table are about that one.
    body = text[found.start() : end]
    kept = re.search(r"(?:^[ \t]*(?:#[^\n]*)?\r?\n)*\Z", body, re.MULTILINE)
    tail = kept[0] if kept is not None and following is not None else ""
    return text[: found.start()] + table + tail + text[end:]
