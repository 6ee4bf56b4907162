"""Every hostile text through all that draws it: no text escapes its frame, no control reaches a screen.

The measure is a harmless text of as many lines: what is drawn around the texts must be the same for both.
"""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from keepgate.core.model.text import hidden_positions
from keepgate.core.reading.block import pack_block
from keepgate.core.reading.render import NOTICE, render_snapshot
from keepgate.core.reading.rendering import MARKER, entity_line, fact_line, page_line, thread_line
from keepgate.core.writing.wary import FRAME, INSTRUCTION, wary_of
from keepgate.fronts.stdio.question import document_of, headline, message_of
from keepgate.fronts.terminal import cards, tables
from keepgate.fronts.terminal.question import everything_lines, painted, question_lines
from keepgate.fronts.terminal.screen import Look, Screen
from keepgate.protocol.entries import AuditResult, AuditRow, Entry, ListResult, Scope, Track, Usage
from keepgate.protocol.proposals import ApprovalRequestParams, AskEntry, AskFact, AskPage, AskTarget, Caution
from keepgate.protocol.verbs import FactKind, Thread, ThreadKind, Visibility
from keepgate.protocol.wire import decode, encode, unstructure

CORPUS: Final = json.loads((Path(__file__).parent / "corpus.json").read_text("utf-8"))
TEXTS: Final = [item["text"] for item in CORPUS]
BREAKS: Final = "\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"
USAGE: Final = [Usage(track=Track.USER, scope=Scope.WORKSPACE, used=5, limit=2000)]

each_text = pytest.mark.parametrize(
    "text", TEXTS, ids=[f"{n}-{item['kind']}" for n, item in enumerate(CORPUS)]
)


def test_the_corpus_is_wide() -> None:
    """At least a hundred texts, none twice, of every kind and in more than eight languages."""
    assert len(set(TEXTS)) == len(TEXTS) >= 100
    told = {item["language"] for item in CORPUS if item["kind"] == "instruction"}
    assert len(told) >= 8
    kinds = {item["kind"] for item in CORPUS}
    assert kinds >= {
        "heading",
        "fence",
        "bidi",
        "approval",
        "base64",
        "markup",
        "control",
        "huge",
        "json",
        "rtl",
    }


def harmless(text: str) -> str:
    """A text with as many lines and nothing in them."""
    return "\n".join("x" for _ in text.split("\n"))


def question(text: str, action: str, **given: Any) -> ApprovalRequestParams:
    keys = {"workspace_key": "/p", "agent_key": ""}
    layer = {"track": Track.USER, "scope": Scope.WORKSPACE, **keys}
    entry = AskEntry(**layer, text=text, tags=["t"], source="keepgate")
    target = AskTarget(**layer, id="e1", version=1, text=text, tags=["t"])
    shapes: dict[str, dict[str, Any]] = {
        "add": {"entries": [entry], "to": text},
        "replace": {"targets": [target], "entries": [entry], "from_": "the old words", "to": text},
        "remove": {"targets": [target]},
        "consolidate": {"targets": [target, target], "entries": [entry]},
        "seed": {"track": "batch", "scope": "batch", "entries": [entry, entry], "count": 2},
        "remember": {
            "track": "facts",
            "facts": [
                AskFact(
                    id="1",
                    action="remember",
                    workspace_key="/p",
                    entity=text,
                    text=text,
                    kind=FactKind.FACT,
                    visibility=Visibility.WORLD,
                    provenance=text,
                    valid_until=None,
                    version=None,
                    reason=text,
                )
            ],
        },
        "page-put": {
            "track": "pages",
            "pages": [
                AskPage(
                    action="page-put",
                    workspace_key="/p",
                    root="/p/pages",
                    slug="people/x",
                    path="people/x.md",
                    before=None,
                    content=text,
                )
            ],
        },
    }
    return ApprovalRequestParams(
        **{
            "id": "p1",
            "action": action,
            "track": "user",
            "scope": "workspace",
            **keys,
            "source": "keepgate",
            "session_id": "s1",
            "text": text,
            "hash": "0" * 64,
            "deadline": 0,
            "warnings": [],
            "usage": USAGE,
        }
        | shapes[action]
        | given
    )


ACTIONS: Final = ("add", "replace", "remove", "consolidate", "seed", "remember", "page-put")


def bare(text: str) -> None:
    """Nothing in a drawn text draws nothing, moves a cursor, or turns the direction."""
    assert hidden_positions(text) == []
    assert not any(char in text for char in BREAKS.replace("\n", ""))


def on_screen(draw: Callable[[Screen], None], *, boxes: bool) -> str:
    out = io.StringIO()
    draw(Screen(stream=out, look=Look(boxes=boxes, colour=False)))
    return out.getvalue()


@each_text
@pytest.mark.parametrize("action", ACTIONS)
def test_questions_keep_every_text_in_its_frame(text: str, action: str) -> None:
    """Message, document and terminal draw the same frame around a hostile text as around a harmless one."""
    hostile, plain = question(text, action), question(harmless(text), action)
    for draw in (message_of, document_of):
        bare(draw(hostile))
    assert headline(hostile) == headline(plain)
    assert "\n" not in headline(hostile)
    for lines in (question_lines, everything_lines):
        drawn, expected = (painted(lines(shown), colour=False) for shown in (hostile, plain))
        bare(drawn)
        assert list(_frame(drawn)) == list(_frame(expected))


def _frame(drawn: str) -> Iterator[str]:
    """The lines that are ours: of those that hold a text only the beginning."""
    for line in drawn.split("\n"):
        if line.startswith(("+ ", "- ")):
            yield line[:2]
        elif line.startswith("  "):
            yield line[:14] if line[2:3].isalpha() else line[:2]
        else:
            yield line


@each_text
def test_a_document_and_a_message_hold_the_frame_of_several_texts(text: str) -> None:
    """Of a batch each text begins a line of its own; its further lines are indented."""
    for action in ("seed", "consolidate"):
        hostile, plain = question(text, action), question("x", action)
        drawn, expected = (
            [line for line in message_of(shown).split("\n") if line[:1].strip()] for shown in (hostile, plain)
        )
        assert len(drawn) == len(expected)


@each_text
def test_warnings_quote_no_text(text: str) -> None:
    """A warning is one line, whatever it holds."""
    shown = question("x", "add", warnings=[Caution(kind="k", message=text)])
    assert message_of(shown).split("\n\n")[0].count("\n") == message_of(
        question("x", "add", warnings=[Caution(kind="k", message="x")])
    ).split("\n\n")[0].count("\n")
    bare(painted(question_lines(shown), colour=False))


def entry(number: int, text: str) -> Entry:
    return Entry(
        id=f"id-{number}",
        track=Track.USER,
        scope=Scope.WORKSPACE,
        workspace_key="/p",
        agent_key="",
        text=text,
        source="keepgate",
        tags=(text[:20],),
        version=1,
        created_at=0,
        updated_at=0,
        session_id="s1",
    )


@each_text
def test_a_snapshot_keeps_one_line_an_entry(text: str) -> None:
    """Notice, headings and the entries around it stay as they are."""
    block = render_snapshot([entry(1, "before"), entry(2, text), entry(3, "after")], USAGE, [text])
    bare(block)
    lines = block.split("\n")
    assert lines[:4] == [NOTICE, "", "## About the user, in this workspace — 5/2000 chars used", "- before"]
    assert lines[5:8] == ["- after", "", "## Waiting for approval, not stored"]
    assert len(lines) == 9
    for line in (lines[4], lines[8]):
        assert line.startswith("- ")
        assert not line.startswith(("- # ", "- - ", "- ```", "- ~~~", "- > ", "- * "))
        assert "```" not in line
        assert "-->" not in line
        assert "</" not in line
    assert block.lower().count("[keepgate memory") - block.lower().count("\\[keepgate memory") == 1


@each_text
def test_a_pack_and_a_delta_keep_one_line_an_item(text: str) -> None:
    """Marker and headings are ours alone, each item is one inert line."""
    thread = Thread(kind=ThreadKind.COMMITMENT, text=text, date=text[:10])
    items = [
        entity_line(text, text, text),
        thread_line(thread),
        fact_line(text, text, "1"),
        page_line(text, text),
    ]
    block = pack_block(["Standing"], [[[(0, line)] for line in items]], None).text
    bare(block)
    assert block.split("\n") == [MARKER, "", "## Standing", *items]
    for line in items:
        assert line.startswith("- ")
        assert "<" not in line
        assert "```" not in line


@each_text
def test_tables_and_cards_on_a_terminal(text: str) -> None:
    """With boxes and without, nothing that steers a terminal is drawn."""
    row = AuditRow(
        seq=1, ts=0, action="add", track=Track.USER, scope=Scope.WORKSPACE, entry_id="e", text=text,
        outcome=text, source=text, session_id=text, proposal_id=None, by=None,
    )  # fmt: skip
    listed = ListResult(entries=[entry(1, text)], next=None)
    for draw in (
        lambda screen: tables.list_result(screen, listed),
        lambda screen: tables.audit_result(screen, AuditResult(rows=[row], next=None)),
        lambda screen: cards.entry_card(screen, entry(1, text)),
    ):
        bare(on_screen(draw, boxes=False))
        bare(on_screen(draw, boxes=True))


@each_text
def test_the_wire_carries_it_in_one_line_and_unchanged(text: str) -> None:
    """JSON keeps every character, and no line break of a text ends a message."""
    for action in ACTIONS:
        sent = unstructure(question(text, action))
        written = encode(sent)
        assert b"\n" not in written
        assert b"\r" not in written
        assert decode(written) == sent


def test_what_speaks_to_agents_or_imitates_a_frame_is_flagged() -> None:
    """Every instruction in every language is flagged, and most of the forged frames."""
    spoken = [item["text"] for item in CORPUS if item["kind"] == "instruction"]
    assert [text for text in spoken if INSTRUCTION not in wary_of([text])] == []
    framed = [item["text"] for item in CORPUS if item["kind"] in ("frame", "approval", "markup")]
    flagged = [text for text in framed if FRAME in wary_of([text])]
    assert len(flagged) * 3 >= len(framed)
