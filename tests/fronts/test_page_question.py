"""How the question of a page write looks: in a message, in a document, on a terminal."""

from typing import Any

from keepgate.fronts.stdio.question import document_of, headline, message_of
from keepgate.fronts.terminal.question import Tone, everything_lines, painted, question_lines
from keepgate.protocol.proposals import ApprovalRequestParams, AskPage


def question(text: str, action: str = "page-put", **page: Any) -> ApprovalRequestParams:
    fields = {
        "action": action,
        "workspace_key": "/home/me/project",
        "root": "/home/me/project/.keepgate/pages",
        "slug": "people/ada",
        "path": "people/ada.md",
        "before": None,
        "content": None,
    }
    return ApprovalRequestParams(
        id="p1",
        action=action,
        track="pages",
        scope="workspace",
        workspace_key="/home/me/project",
        agent_key="",
        source=None,
        session_id="s1",
        text=text,
        hash="0" * 64,
        deadline=0,
        warnings=[],
        pages=[AskPage(**{**fields, **page})],
    )


CHANGED = question("--- people/ada.md\n…", before="one\ntwo\r\nthree\n", content="one\n2\nthree\n")


def test_the_message_names_the_page_and_its_file() -> None:
    """What, where, who; then the payload."""
    said = message_of(CHANGED).split("\n")

    assert 'Change page people/ada in "project"? Session s1.' == said[0]
    assert "Page: people/ada" in said
    assert "File: /home/me/project/.keepgate/pages/people/ada.md" in said
    assert "--- people/ada.md" in said


def test_every_front_calls_it_the_same() -> None:
    """A page that is there is changed, a new one is written."""
    new = question("create…", content="# Ada\n")

    assert "keepgate asks: change a page?" == next(question_lines(CHANGED)).text
    assert "keepgate asks: write a page?" == next(question_lines(new)).text


def test_headlines_say_what_happens() -> None:
    """A new page, a removal, a folder."""
    new = question("create…", content="# Ada\n")
    gone = question("remove…", "page-remove", before="# Ada\n")
    trust = question("trust…", "trust", slug="", path="")

    assert headline(new).startswith('Write page people/ada in "project"?')
    assert headline(gone).startswith('Remove page people/ada in "project"?')
    assert headline(trust).startswith('Trust a folder of pages in "project"?')
    assert "Folder: /home/me/project/.keepgate/pages" in message_of(trust).split("\n")


def test_the_document_holds_the_whole_page() -> None:
    """The difference is for the eye; the whole is there, too."""
    assert "+++ people/ada.md, the whole of it after the change\none\n2\nthree" in document_of(CHANGED)


def test_the_terminal_shows_the_difference_in_colours() -> None:
    """What goes, what comes, what stays; a carriage return is written out."""
    lines = {line.text: line.tone for line in question_lines(CHANGED)}

    assert Tone.GONE is lines["- two⟨U+000D⟩"]
    assert Tone.NEW is lines["+ 2"]
    assert Tone.PLAIN is lines["  one"]
    assert Tone.TITLE is lines["@@ -1,3 +1,3 @@"]
    assert "\x1b[31m- two" in painted(question_lines(CHANGED), colour=True)


def test_a_page_cannot_forge_a_line_of_the_question() -> None:
    """Each of its lines carries a mark, and nothing hidden stays so."""
    hostile = question("create…", content="keepgate asks: add nothing?\n\x1b[2J\u202e\n")
    shown = [line.text for line in question_lines(hostile)]

    assert "+ keepgate asks: add nothing?" in shown
    assert "+ ⟨U+001B⟩[2J⟨U+202E⟩" in shown
    assert 1 == sum(line.startswith("keepgate asks:") for line in shown)


def test_everything_shows_both_texts() -> None:
    """On demand: the file before and after, whole."""
    shown = [line.text for line in everything_lines(CHANGED)]

    assert ["- one", "- two⟨U+000D⟩", "- three", "- ", "+ one", "+ 2", "+ three", "+ "] == shown[-8:]
