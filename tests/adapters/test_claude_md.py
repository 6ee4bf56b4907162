"""``claude-code-memory-md`` on what people really write."""

from pathlib import Path

import pytest

from keepgate.adapters.claude_md import ADAPTER, bullet
from keepgate.adapters.registry import adapt
from keepgate.core.model.text import units
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.errors import Code, Fault

SAMPLE = Path(__file__).parents[2] / "sidecar" / "keepgate" / "cli" / "samples" / "MEMORY.md"

GROUPED = {
    "bullets of all three marks": ("- one\n* two\n+ three", ["one", "two", "three"]),
    "indented top-level bullets": ("  - one\n  - two", ["one", "two"]),
    "a bullet one blank deeper is a sibling": ("- one\n - two", ["one", "two"]),
    "nested bullets stay with their parent": (
        "- one\n  - deep\n    - deeper\n- two",
        ["one\n- deep\n  - deeper", "two"],
    ),
    "nested with tabs": ("- one\n\t- deep\n- two", ["one\n- deep", "two"]),
    "wrapped and indented": ("- one\n  goes on\n- two", ["one\ngoes on", "two"]),
    "wrapped without indentation": ("- one\ngoes on\n- two", ["one\ngoes on", "two"]),
    "indented paragraph after a blank line": ("- one\n\n  more\n\n- two", ["one\n\nmore", "two"]),
    "text at the margin after a blank line": ("- one\n\nmore", ["one", "more"]),
    "far content after the mark": ("-   one\n    more", ["one\nmore"]),
    "code right behind the mark": ("-       code\n  more", ["code\nmore"]),
    "an empty bullet": ("-\n- two", ["two"]),
    "an empty bullet with content below": ("-\n  below", ["below"]),
    "task list": ("- [ ] open\n- [x] done", ["[ ] open", "[x] done"]),
    "a paragraph is joined": ("first line\n  second line\nthird", ["first line second line third"]),
    "two paragraphs": ("one\n\ntwo", ["one", "two"]),
    "hard breaks stay": ("Name: x  \nPort: 80", ["Name: x\nPort: 80"]),
    "paragraph, then bullets": ("Rules:\n- one\n- two", ["Rules:", "one", "two"]),
    "rules are skipped": ("one\n\n---\n\n***\n_ _ _\n\n- - -\ntwo", ["one", "two"]),
    "a rule ends a paragraph": ("one\n---\ntwo", ["one", "two"]),
    "table with a paragraph": (
        "Ports:\n| a | b |\n|---|---|\n| 1 | 2 |",
        ["Ports:\n| a | b |\n|---|---|\n| 1 | 2 |"],
    ),
    "table alone": (
        "one\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\ntwo",
        ["one", "| a | b |\n|---|:-:|\n| 1 | 2 |", "two"],
    ),
    "table without outer bars": ("a | b\n--- | ---\n1 | 2", ["a | b\n--- | ---\n1 | 2"]),
    "table after a bullet": ("- one\n| a |\n|---|", ["one", "| a |\n|---|"]),
    "quotation": ("> one\n> two\n\nthree", ["> one\n> two", "three"]),
    "numbered list is one entry": (
        "1. one\n2. two\n   more\n\n3) three\n\nend",
        ["1. one\n2. two\n   more\n\n3) three", "end"],
    ),
    "numbered list with bullets": ("1. one\n   - deep\n2. two", ["1. one\n   - deep\n2. two"]),
    "numbered after a bullet": ("- one\n1. two", ["one", "1. two"]),
    "fence alone": ("```\na\n\nb\n```", ["```\na\n\nb\n```"]),
    "fence with its paragraph": ("Run:\n```sh\nmake\n```\nend", ["Run:\n```sh\nmake\n```\nend"]),
    "fence across a blank line": (
        "Run:\n\n```sh\n# not a heading\n- no bullet\n```\n\nend",
        ["Run:\n```sh\n# not a heading\n- no bullet\n```", "end"],
    ),
    "fence in a bullet": (
        "- Run:\n\n  ```sh\n  make\n\n  # no\n  ```\n- two",
        ["Run:\n\n```sh\nmake\n\n# no\n```", "two"],
    ),
    "fence at the margin of a bullet": ("- Run:\n```\nmake\n```\n- two", ["Run:\n```\nmake\n```", "two"]),
    "fence of tildes holds backticks": ("~~~~\n```\n~~~\n~~~~\nend", ["~~~~\n```\n~~~\n~~~~\nend"]),
    "fence that never ends": ("```\na\n\n- b", ["```\na\n\n- b"]),
    "indented fence": ("Run:\n   ```\n     deep\n   ```", ["Run:\n```\n  deep\n```"]),
    "indented code keeps lines": ("    make\n    make test", ["make\n    make test"]),
    "comment between": ("one\n<!-- no -->\ntwo", ["one", "two"]),
    "comment over lines": ("one\n\n<!-- no\n- no\n-->\n- two", ["one", "two"]),
    "comment inside a bullet": ("- one\n  <!-- no -->\n  more", ["one\nmore"]),
    "text after a comment": ("<!-- a --> <!-- b --> one", ["one"]),
    "comment in a fence is code": ("```\n<!-- yes -->\n```", ["```\n<!-- yes -->\n```"]),
    "comment in the middle is text": ("one <!-- yes --> two", ["one <!-- yes --> two"]),
    "front matter": ("---\nname: x\n---\none", ["one"]),
    "a rule at the top": ("---\none\n---\ntwo", ["one", "two"]),
    "front matter that never ends": ("---\nname: x\n", ["name: x"]),
    "byte-order mark and CRLF": ("\ufeff- one\r\n- two\r\n", ["one", "two"]),
    "Chinese and blank ideographs": ("- 用制表符。\n\u3000\n- 二", ["用制表符。", "二"]),
    "nothing": ("", []),
    "only blanks": (" \n\t\n\u3000\n", []),
}


@pytest.mark.parametrize(("text", "expected"), GROUPED.values(), ids=GROUPED.keys())
def test_groups_lines_into_what_belongs_together(text: str, expected: list[str]) -> None:
    """Each block of Markdown becomes one entry, headings and decoration become none."""
    adapted = adapt(ADAPTER, text)

    assert expected == [entry.text for entry in adapted.entries]


HEADED = {
    "second level": ("## Style\n- one", [("Style",)]),
    "first level alone": ("# Style\n- one", [("Style",)]),
    "first level is a title once there is a second": ("# Title\n## Style\n- one", [("Style",)]),
    "third level adds": ("## Build\n### Docker\n- one", [("Build", "Docker")]),
    "a sibling replaces": ("## Build\n### Docker\n## Style\n- one", [("Style",)]),
    "a first level ends what was below": ("## Build\n# Title\n- one", [("Title",)]),
    "closing marks": ("## Style ##\n- one", [("Style",)]),
    "a sharp at the end of a word": ("## C#\n- one", [("C#",)]),
    "underlined": ("Title\n=====\n- one", [("Title",)]),
    "an underline below two lines is text": ("a\nb\n===\n", [()]),
    "hashes without a blank are text": ("##no\n\n#tag", [(), ()]),
    "seven hashes are text": ("####### no", [()]),
    "an empty heading": ("## A\n##\n- one", [()]),
    "repeated": ("## A\n### A\n- one", [("A",)]),
}


@pytest.mark.parametrize(("text", "expected"), HEADED.values(), ids=HEADED.keys())
def test_headings_become_tags(text: str, expected: list[tuple[str, ...]]) -> None:
    """The headings above an entry are its tags, the document's title only where it stands alone."""
    adapted = adapt(ADAPTER, text)

    assert expected == [entry.tags for entry in adapted.entries]


def test_a_heading_that_cannot_be_a_tag_is_reported_once() -> None:
    """A long heading is a note with its line; the headings around it still become tags."""
    long = "A heading that goes on for much longer than a tag may"

    adapted = adapt(ADAPTER, f"## {long}\n- one\n### Short\n- two")

    assert [(), ("Short",)] == [entry.tags for entry in adapted.entries]
    assert [("line 1", True)] == [
        (note.path, note.problem.startswith(f"section: {long}")) for note in adapted.notes
    ]


def test_a_heading_may_state_the_layer() -> None:
    """``## track/scope`` sets the layer for all below it, until the next heading of its level."""
    adapted = adapt(ADAPTER, "- zero\n## agent/workspace\n- one\n### Docker\n- two\n## Other\n- three")

    assert [
        (Track.USER, Scope.USER_GLOBAL, ()),
        (Track.AGENT, Scope.WORKSPACE, ()),
        (Track.AGENT, Scope.WORKSPACE, ("Docker",)),
        (Track.USER, Scope.USER_GLOBAL, ("Other",)),
    ] == [(entry.track, entry.scope, entry.tags) for entry in adapted.entries]


def test_what_was_left_out_is_reported_in_order() -> None:
    """Front matter, comments and headings that are no tags are notes, sorted by line."""
    adapted = adapt(ADAPTER, "---\nname: x\n---\n## " + "x" * 33 + "\n<!-- a -->\n- one\n<!-- b -->")

    assert ["line 1", "line 4", "line 5", "line 7"] == [note.path for note in adapted.notes]


REFUSED = {
    "a number": (5, None),
    "nothing": (None, None),
    "a list": (["- one"], None),
    "an object without text": ({"plugin": "claude-code-memory-md"}, None),
    "an endless comment": ("one\n\n<!-- two\n- three", 3),
    "U+0000": ("- one\n- t\x00wo", 2),
    "a lone surrogate": ("one\ntwo\n\ud800", 3),
}


@pytest.mark.parametrize(("payload", "line"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses_with_the_line(payload: object, line: int | None) -> None:
    """What cannot be converted is ``ADAPTER_PAYLOAD`` with the line, where there is one."""
    with pytest.raises(Fault) as caught:
        adapt(ADAPTER, payload)

    assert Code.ADAPTER_PAYLOAD is caught.value.code
    assert line == caught.value.details.get("line")


def test_export_reads_as_markdown(entry) -> None:
    """Layers become headings, entries bullets with their further lines indented."""
    entries = [entry("one\n\n- two", "agent", "workspace"), entry("three"), entry("four", tags=("x",))]

    payload = ADAPTER.export(entries)

    assert {
        "plugin": "claude-code-memory-md",
        "text": "## agent/workspace\n\n- one\n\n  - two\n\n## user/user-global\n\n- three\n- four\n",
    } == payload


ESCAPED = {
    " lead": "&#32;lead",
    "trail\t": "trail&#9;",
    "\n": "&#10;",
    "a\n": "a&#10;",
    "a\n \nb": "a\n  &#32;\n  b",
    "a\rb": "a&#13;b",
    "--": "&#45;&#45;",
    "a\n <!-- b": "a\n   &#60;!-- b",
    "&#32;": "&amp;#32;",
    "&amp;#32;": "&amp;amp;#32;",
    "&amp; &lt; &#65;": "&amp; &lt; &#65;",
}


@pytest.mark.parametrize(("text", "written"), ESCAPED.items())
def test_export_guards_only_what_markdown_would_lose(text: str, written: str) -> None:
    """Edges, lone carriage returns and look-alikes become references; everything else stays readable."""
    assert written == bullet(text)


def test_the_sample_is_a_realistic_import() -> None:
    """The sample file of the documentation gives about fifteen entries that fit one default budget."""
    adapted = adapt(ADAPTER, SAMPLE.read_text(encoding="utf-8"))
    texts = [entry.text for entry in adapted.entries]

    assert 15 <= len(texts) <= 20
    assert sum(units(text) for text in texts) < 1_900
    assert any("```" in text for text in texts)
    assert any("\n- " in text for text in texts)
    assert any(not text.isascii() for text in texts)
    assert ["a comment was left out"] == [note.problem for note in adapted.notes]
