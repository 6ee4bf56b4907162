"""``hermes-memory-md``: strict, one line for each entry."""

import pytest

from keepgate.adapters.hermes_md import ADAPTER
from keepgate.adapters.registry import adapt
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.errors import Code, Fault


@pytest.mark.parametrize("wrap", [str, lambda text: {"text": text}], ids=["string", "object"])
def test_reads_sections_and_bullets(wrap) -> None:
    """Headings become the only tag, or state the layer; both marks make entries; CRLF and a mark are fine."""
    text = "\ufeff- zero\r\n## Style\r\n\r\n- one \r\n*   two\r\n## agent/workspace\r\n- - three"

    adapted = adapt(ADAPTER, wrap(text))

    assert [
        ("zero", (), Track.USER, Scope.USER_GLOBAL),
        ("one", ("Style",), Track.USER, Scope.USER_GLOBAL),
        ("two", ("Style",), Track.USER, Scope.USER_GLOBAL),
        ("- three", (), Track.AGENT, Scope.WORKSPACE),
    ] == [(entry.text, entry.tags, entry.track, entry.scope) for entry in adapted.entries]


REFUSED = {
    "# Title\n": 1,
    "- one\n### deep": 2,
    "- one\n\n  - indented": 3,
    "+ plus": 1,
    "- one\n1. two": 2,
    "---": 1,
    "- one\ncontinued": 2,
    "##none": 1,
    "-none": 1,
    "- one\n- ": 2,
    "*": 1,
    "- o\x00": 1,
    "\n\n- \udcff": 3,
}


@pytest.mark.parametrize(("text", "line"), REFUSED.items())
def test_refuses_any_other_line_with_its_number(text: str, line: int) -> None:
    """A line that is not blank, a heading or a bullet is refused, and the message says where and why."""
    with pytest.raises(Fault) as caught:
        adapt(ADAPTER, text)

    assert Code.ADAPTER_PAYLOAD is caught.value.code
    assert {"adapterId": "hermes-memory-md", "line": line} == caught.value.details
    assert caught.value.message.startswith(f"hermes-memory-md: line {line}: ")


@pytest.mark.parametrize("payload", [None, 5, ["- one"], {"text": 5}, {}], ids=repr)
def test_refuses_what_is_no_text(payload: object) -> None:
    """Only text, or an object with text, can be converted."""
    with pytest.raises(Fault, match="expected text"):
        adapt(ADAPTER, payload)


def test_a_heading_that_cannot_be_a_tag_is_reported() -> None:
    """The entries below a long heading are kept without a tag, with a note that names the line."""
    title = "x" * 33

    adapted = adapt(ADAPTER, f"\n## {title}\n- one")

    assert [()] == [entry.tags for entry in adapted.entries]
    assert [("line 2", f"section: {title} (has 33 units; at most 32 are allowed)")] == [
        (note.path, note.problem) for note in adapted.notes
    ]


def test_export_flattens(entry) -> None:
    """Line breaks become blanks, groups are sorted by layer, and an empty export is empty text."""
    entries = [entry("b\r\nc\nd\re"), entry("--", "agent"), entry("  x ", "agent", "workspace")]

    text = ADAPTER.export(entries)["text"]

    assert [
        "## agent/user-global",
        "",
        "- --",
        "",
        "## agent/workspace",
        "",
        "- &#32; x&#32;",
        "",
        "## user/user-global",
        "",
        "- b c d e",
        "",
    ] == text.split("\n")


def test_an_empty_export_is_empty_text() -> None:
    """No entries, no headings."""
    assert {"plugin": "hermes-memory-md", "text": ""} == ADAPTER.export([])
