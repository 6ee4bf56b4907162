"""From a file's bytes to a page. Pure, and never raises: what cannot be read is a flaw beside the rest."""

import re
import unicodedata
from typing import Final

from keepgate.core.model.page import Chunk, Link, Page, PageFlaw
from keepgate.pages.body import (
    LINES_MAX,
    Body,
    chunks_of,
    links_in,
    read_body,
    shortened,
    summary_of,
    timeline_of,
)
from keepgate.pages.frontmatter import FENCE, FrontMatter, Value, read_front_matter
from keepgate.pages.links import links_of_value, without_ending
from keepgate.protocol.verbs import Visibility

TITLE_UNITS: Final = 300
NAME_UNITS: Final = 200
NAMES_MAX: Final = 100
FLAWS_MAX: Final = 50
TYPED_MAX: Final = 1_000
USUAL_TYPE: Final = "page"

_OWN_KEYS: Final = frozenset({"title", "type", "aliases", "alias", "summary", "tags", "visibility"})
_LINE_ENDS: Final = re.compile(r"\r\n|\r|\n")
_SINGULARS: Final = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "series": "series",
}


def slug_of(path: str) -> str:
    """The slug of a file by its path below the root: NFC, with slashes, without the ending."""
    return unicodedata.normalize("NFC", without_ending(path))


def parse(path: str, data: bytes) -> Page:
    """The page in a file at ``path`` below its root."""
    flaws: list[PageFlaw] = []
    slug = slug_of(path)
    lines = _LINE_ENDS.split(_decoded(data, flaws))
    front = read_front_matter(lines)
    flaws += front.flaws
    body = read_body(lines, front.body)
    if len(lines) > LINES_MAX:
        flaws.append(
            PageFlaw(LINES_MAX + 1, "has too many lines; from here on it is searched and nothing more")
        )
    links = (*_typed_links(front, slug), *links_in(body, slug))
    return Page(
        slug=slug,
        title=_title(front, body, slug, flaws),
        type=_text(front, "type", flaws, NAME_UNITS) or type_of(slug),
        summary=shortened(_text(front, "summary", flaws, 10_000)) or summary_of(body),
        visibility=_visibility(front, flaws),
        tags=_names(front, "tags", flaws),
        aliases=_names(front, "aliases", flaws) or _names(front, "alias", flaws),
        links=links,
        timeline=tuple(timeline_of(body, flaws)),
        chunks=_chunks(front, body, flaws),
        flaws=tuple(flaws[:FLAWS_MAX]),
    )


def visibility_in(data: bytes) -> Visibility:
    """Who may read a page with these bytes, as :func:`parse` says; all else of it is left unread."""
    text = _decoded(data, [])
    if not text.startswith(FENCE):
        return Visibility.WORLD
    return _visibility(read_front_matter(_LINE_ENDS.split(text)), [])


def type_of(slug: str) -> str:
    """The type of a page that names none: its first folder in the singular, or ``page``."""
    folder, slash, _ = slug.partition("/")
    return _singular(folder.lower()) if slash else USUAL_TYPE


def _singular(word: str) -> str:
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        return word[:-1]
    return word


def _decoded(data: bytes, flaws: list[PageFlaw]) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        flaws.append(PageFlaw(data.count(b"\n", 0, error.start) + 1, "is not UTF-8 text"))
        text = data.decode("utf-8-sig", errors="replace")
    if (at := text.find("\0")) >= 0:
        flaws.append(PageFlaw(text.count("\n", 0, at) + 1, "has the character U+0000"))
        text = text.replace("\0", "�")
    return text


def _title(front: FrontMatter, body: Body, slug: str, flaws: list[PageFlaw]) -> str:
    if given := _text(front, "title", flaws, TITLE_UNITS):
        return given
    heading = next((heading.text for heading in body.headings if heading.text.strip()), "")
    return shortened(heading, TITLE_UNITS) or slug


def _text(front: FrontMatter, key: str, flaws: list[PageFlaw], units: int) -> str:
    """A value that is one line of text; empty where there is none."""
    value = front.values.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        flaws.append(PageFlaw(front.lines.get(key), f"{key} must be text"))
        return ""
    return shortened(_seen(value), units)


def _names(front: FrontMatter, key: str, flaws: list[PageFlaw]) -> tuple[str, ...]:
    """A list of names, or one string of names with commas between; each once."""
    value = front.values.get(key)
    if value is None:
        return ()
    given: list[Value] = (
        list(value.split(",")) if isinstance(value, str) else value if isinstance(value, list) else [{}]
    )
    if not all(isinstance(item, str) for item in given):
        flaws.append(PageFlaw(front.lines.get(key), f"{key} must be a list of texts, or texts with commas"))
    texts = (shortened(_seen(item), NAME_UNITS) for item in given if isinstance(item, str))
    if key == "tags":
        texts = (text.removeprefix("#").strip() for text in texts)
    return tuple(dict.fromkeys(text for text in texts if text))[:NAMES_MAX]


def _visibility(front: FrontMatter, flaws: list[PageFlaw]) -> Visibility:
    """Private, too, where it cannot be told: the page may have said so."""
    if "visibility" not in front.values:
        return Visibility.PRIVATE if front.unreadable else Visibility.WORLD
    value = front.values["visibility"]
    try:
        return Visibility(value.strip().lower() if isinstance(value, str) else "")
    except ValueError:
        problem = "visibility must be world or private; until it is, the page is private"
        flaws.append(PageFlaw(front.lines.get("visibility"), problem))
        return Visibility.PRIVATE


def _typed_links(front: FrontMatter, slug: str) -> list[Link]:
    """Links in front matter, under the name of their key."""
    found = (
        Link(target, shortened(_seen(key), NAME_UNITS))
        for key, value in front.values.items()
        if key not in _OWN_KEYS and key.strip()
        for target in links_of_value(value, slug)
        if target != slug
    )
    return list(dict.fromkeys(found))[:TYPED_MAX]


def _chunks(front: FrontMatter, body: Body, flaws: list[PageFlaw]) -> tuple[Chunk, ...]:
    """The text's chunks, and first of all the summary that the front matter gives: it is to be found, too."""
    chunks = tuple(chunks_of(body))
    given = front.values.get("summary")
    if not isinstance(given, str) or not given.strip():
        return chunks
    return (Chunk("", shortened(_seen(given), 1_500)), *(chunk for chunk in chunks if chunk.text))


def _seen(text: str) -> str:
    """Text without characters that no database and no terminal should get."""
    return "".join(char if char.isprintable() or char.isspace() else "�" for char in text)
