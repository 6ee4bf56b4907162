"""Front matter: the YAML mapping at the head of a file, as plain text values. Pure; never raises.

Values are built from the parser's events: no tag makes an object, no ``yes`` becomes true and no alias is
followed, so that neither a date is lost nor a bomb goes off.
"""

import itertools
import re
from collections.abc import Iterator
from typing import Any, Final

from attrs import field, frozen

from keepgate.core.model.page import PageFlaw

FENCE: Final = "---"
UNITS_MAX: Final = 64 * 1024
DEPTH_MAX: Final = 16
NODES_MAX: Final = 5_000

Value = str | None | list["Value"] | dict[str, "Value"]

_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_KEY_LINE: Final = re.compile(r"[^\s#:][^:]{0,100}:(?:\s|$)")
_BARE_LINKS: Final = re.compile(
    r"^(\s*[^\s:#][^:]{0,100}:\s+)(\[\[[^\[\]\n]*\]\](?:\s*,\s*\[\[[^\[\]\n]*\]\])+)\s*$"
)
_BARE_LINK: Final = re.compile(r"\[\[[^\[\]\n]*\]\]")


@frozen(kw_only=True)
class FrontMatter:
    """The values by key, and the line of each key in the file.

    ``body`` is the index of the first line after it. ``unreadable`` says that there is front matter that
    could not be read: what it meant to say, such as that the page is private, is unknown.
    """

    values: dict[str, Value] = field(factory=dict)
    lines: dict[str, int] = field(factory=dict)
    body: int = 0
    flaws: tuple[PageFlaw, ...] = ()
    unreadable: bool = False


def read_front_matter(lines: list[str]) -> FrontMatter:
    """The front matter of a file's lines, empty where there is none."""
    if not lines or lines[0].rstrip() != FENCE:
        return FrontMatter()
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() in (FENCE, "...")), None)
    if end is None:
        # Three dashes may also be a rule above prose.
        if len(lines) > 1 and _KEY_LINE.match(lines[1]):
            flaw = PageFlaw(1, "the front matter has no end: a line of three dashes is missing")
            return FrontMatter(body=1, flaws=(flaw,), unreadable=True)
        return FrontMatter()
    text = "\n".join(map(_quoted, lines[1:end]))
    if len(text) > UNITS_MAX:
        flaw = PageFlaw(1, f"the front matter has {len(text)} characters; it may have {UNITS_MAX}")
        return FrontMatter(body=end + 1, flaws=(flaw,), unreadable=True)
    return _loaded(text, end + 1)


def _quoted(line: str) -> str:
    """``key: [[a]], [[b]]``, which people write and YAML does not know, as a list."""
    if (found := _BARE_LINKS.match(line)) is None:
        return line
    return found[1] + "[" + ", ".join(f'"{link}"' for link in _BARE_LINK.findall(found[2])) + "]"


def _loaded(text: str, body: int) -> FrontMatter:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - only who indexes pays for it

    reader = _Reader()
    try:
        events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        value = reader.document(events)
    except _TooMuch as reason:
        return FrontMatter(body=body, flaws=(PageFlaw(1, str(reason)),), unreadable=True)
    except yaml.YAMLError as error:
        flaw = PageFlaw(_line_of(error), f"the front matter is not YAML: {_reason(error)}")
        return FrontMatter(body=body, flaws=(flaw,), unreadable=True)
    except (RecursionError, ValueError):
        return FrontMatter(
            body=body, flaws=(PageFlaw(1, "the front matter cannot be read"),), unreadable=True
        )
    if value is None:
        return FrontMatter(body=body)
    if not isinstance(value, dict):
        flaw = PageFlaw(2, "the front matter must be keys with values")
        return FrontMatter(body=body, flaws=(flaw,), unreadable=True)
    return FrontMatter(values=value, lines=reader.lines, body=body, flaws=tuple(reader.flaws))


def _line_of(error: Any) -> int:
    mark = getattr(error, "problem_mark", None)
    # Lines of the mark count from 0 and from the line after the dashes.
    return int(mark.line) + 2 if mark is not None else 2


def _reason(error: Any) -> str:
    return " ".join(str(getattr(error, "problem", None) or "it has characters that YAML forbids").split())[
        :200
    ]


class _TooMuch(Exception):
    """The front matter is nested too deeply, or has too many values."""


class _Reader:
    """Builds values from the events of one document."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}
        self.flaws: list[PageFlaw] = []
        self._left = NODES_MAX

    def document(self, events: Iterator[Any]) -> Value:
        """The value of the first document. Raises what the parser raises, and :class:`_TooMuch`."""
        for event in events:
            kind = type(event).__name__
            if kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent", "AliasEvent"):
                value = self._value(event, events, 0)
                # To the end, for what is wrong behind it.
                for _ in itertools.islice(events, NODES_MAX):
                    continue
                return value
        return None

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Value:
        self._left -= 1
        if self._left < 0 or depth > DEPTH_MAX:
            raise _TooMuch("the front matter is nested too deeply, or has too many values")
        kind = type(event).__name__
        if kind == "ScalarEvent":
            plain_null = event.implicit[0] and event.style in (None, "") and event.value in _NULLS
            return None if plain_null else str(event.value)
        if kind == "SequenceStartEvent":
            return [self._value(item, events, depth + 1) for item in _until(events, "SequenceEndEvent")]
        if kind == "MappingStartEvent":
            return self._mapping(events, depth)
        self.flaws.append(PageFlaw(event.start_mark.line + 2, "aliases (*name) are not followed"))
        return None

    def _mapping(self, events: Iterator[Any], depth: int) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for event in _until(events, "MappingEndEvent"):
            key, line = self._value(event, events, depth + 1), event.start_mark.line + 2
            value = self._value(next(events), events, depth + 1)
            if not isinstance(key, str):
                self.flaws.append(PageFlaw(line, "a key of the front matter is no text; it is left out"))
            elif depth == 0 and key in found:
                self.flaws.append(PageFlaw(line, f"the key {key[:80]} is there twice; the first one counts"))
            else:
                found[key] = value
                if depth == 0:
                    self.lines[key] = line
        return found


def _until(events: Iterator[Any], end: str) -> Iterator[Any]:
    return itertools.takewhile(lambda event: type(event).__name__ != end, events)
