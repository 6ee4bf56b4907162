"""Links of a page: ``[[slug]]``, ``[[slug|text]]`` and relative Markdown links. Pure; never raises."""

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from keepgate.pages.frontmatter import Value

ENDINGS: Final = (".md", ".markdown")
UNITS_MAX: Final = 500
LINK_DEPTH_MAX: Final = 4

_WIKI: Final = re.compile(
    r"(?<!!)\[\[([^\[\]|#\n]{1,300})(?:#[^\[\]|\n]{0,300})?(?:\|([^\[\]\n]{0,300}))?\]\]"
)
_MARKDOWN: Final = re.compile(
    r"(?<!!)\[([^\[\]\n]{0,300})\]\(\s{0,9}<?([^()<>\n]{1,500}?)>?(?:\s+\"[^\"\n]{0,300}\")?\s{0,9}\)"
)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_CODE: Final = re.compile(r"(?<!`)(`{1,9})(?!`)([^\n]{1,2000}?)(?<!`)\1(?!`)")
_EMPHASIS: Final = re.compile(r"\*\*|__|`+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


def targets_in(line: str, slug: str) -> Iterator[str]:
    """The slugs that a line of the page ``slug`` links to, in order; code and comments do not count."""
    if "](" not in line and "[[" not in line:
        return
    text = _without_comments(_CODE.sub(" ", line))
    found = [(match.start(), wiki_target(match[1], slug)) for match in _WIKI.finditer(text)]
    found += [(match.start(), _relative(match[2], slug)) for match in _MARKDOWN.finditer(text)]
    for _, target in sorted(found, key=lambda item: item[0]):
        if target and target != slug:
            yield target


def wiki_target(written: str, slug: str) -> str | None:
    """The slug that stands in a wiki link of the page ``slug``; one that begins with a dot is relative."""
    target = without_ending(unicodedata.normalize("NFC", written).replace("\\", "/").strip().rstrip("/"))
    if target.startswith(("./", "../")):
        return _below(posixpath.join(posixpath.dirname(slug), target))
    return _below(target.lstrip("/"))


def links_of_value(value: Value, slug: str) -> list[str]:
    """The slugs in a front-matter value that is a wiki link, or a list of them."""
    found: list[str] = []
    _collect(value, slug, found, 0)
    return found


def plain(text: str) -> str:
    """A line of Markdown as plain words: links by their text, no emphasis, no code marks, single blanks."""
    text = _without_comments(text)
    text = _WIKI.sub(lambda match: match[2] or match[1], text)
    text = _MARKDOWN.sub(lambda match: match[1], text)
    return " ".join(_EMPHASIS.sub("", text).split())


def without_ending(path: str) -> str:
    """A path without the ending of a page file."""
    for ending in ENDINGS:
        if path.lower().endswith(ending) and len(path) > len(ending):
            return path[: -len(ending)]
    return path


def _without_comments(line: str) -> str:
    kept, rest = "", line
    while (at := rest.find("<!--")) >= 0:
        kept += rest[:at] + " "
        rest = rest[at:].partition("-->")[2]
    return kept + rest


def _collect(value: Value, slug: str, found: list[str], depth: int) -> None:
    if isinstance(value, str):
        match = _WIKI.fullmatch(value.strip())
        if match and (target := wiki_target(match[1], slug)):
            found.append(target)
    elif isinstance(value, list) and depth < LINK_DEPTH_MAX:
        # YAML reads an unquoted [[slug]] as a list in a list.
        if (
            len(value) == 1
            and isinstance(value[0], list)
            and len(value[0]) == 1
            and isinstance(value[0][0], str)
        ):
            if target := wiki_target(value[0][0].split("|")[0].split("#")[0], slug):
                found.append(target)
            return
        for item in value:
            _collect(item, slug, found, depth + 1)


def _relative(written: str, slug: str) -> str | None:
    path = written.strip().split("#")[0].split("?")[0]
    if not path or path.startswith("/") or _SCHEME.match(path):
        return None
    path = unicodedata.normalize("NFC", unquote(path, errors="replace"))
    if not path.lower().endswith(ENDINGS):
        return None
    return _below(without_ending(posixpath.join(posixpath.dirname(slug), path)))


def _below(path: str) -> str | None:
    """The slug of a path, if it stays below the root and can be one."""
    if not path or len(path) > UNITS_MAX:
        return None
    normal = posixpath.normpath(path)
    if normal in (".", "..") or normal.startswith(("../", "/")) or not normal.isprintable():
        return None
    return normal
