"""The lines of a question: everything in it, and nothing of it raw."""

import pytest

from keepgate.fronts.terminal.question import everything_lines, proposal_lines, question_lines
from keepgate.protocol.entries import Scope, Track, Usage
from keepgate.protocol.proposals import (
    ApprovalRequestParams,
    AskEntry,
    AskFact,
    AskTarget,
    Caution,
    Proposal,
    ProposalsGetResult,
    ProposalStatus,
)
from keepgate.protocol.verbs import FactKind, Visibility


def a_question(**changes):
    """A question that adds one memory, or as ``changes`` say."""
    fields = {
        "id": "p1",
        "action": "add",
        "track": "user",
        "scope": "workspace",
        "workspace_key": "/w",
        "agent_key": "",
        "source": "keepgate",
        "session_id": "s1",
        "text": "x",
        "hash": "ab" * 32,
        "deadline": 0,
        "warnings": [],
        "entries": [an_entry("x")],
        "usage": [Usage(track=Track.USER, scope=Scope.WORKSPACE, used=1, limit=10)],
    }
    return ApprovalRequestParams(**fields | changes)


def an_entry(text, **changes):
    """An entry as a question shows it."""
    fields = {
        "track": Track.USER,
        "scope": Scope.WORKSPACE,
        "workspace_key": "/w",
        "agent_key": "",
        "text": text,
        "tags": [],
        "source": "keepgate",
    }
    return AskEntry(**fields | changes)


def a_target(text, **changes):
    """An entry as it is now."""
    fields = {
        "id": "e1",
        "version": 1,
        "track": Track.USER,
        "scope": Scope.WORKSPACE,
        "workspace_key": "/w",
        "agent_key": "",
        "text": text,
    }
    return AskTarget(**fields | changes)


def shown(lines):
    """Lines as one text."""
    return "\n".join(line.text for line in lines)


def test_warnings_stand_before_everything_else():
    """What a person should know comes right below the first line."""
    question = a_question(warnings=[Caution(kind="duplicate", message="entry e1 already says the same")])

    lines = [line.text for line in question_lines(question)]

    assert [
        "keepgate asks: add a memory to user/workspace?",
        "! entry e1 already says the same",
        "",
    ] == lines[:3]


@pytest.mark.parametrize(
    "place",
    [
        {"session_id": "s\x1b[2J\n"},
        {"workspace_key": "/w\x1b[2J\n"},
        {"agent_key": "a\x1b[2J\n"},
        {"source": "s\x1b[2J\n"},
        {"action": "odd\x1b[2J\n"},
        {"client": {"client": "c\x1b[2J\n", "version": "1\x1b"}},
        {"warnings": [Caution(kind="x", message="w\x1b[2J\n")]},
        {"entries": [an_entry("t\x1b[2J", tags=["g\x1b[2J\n"], agent_key="k\x1b", source="o\x1b")]},
        {
            "targets": [
                a_target(
                    "t\x1b[2J", id="i\x1b[2J\n", match="m\x1b[2J\n", workspace_key="w\x1b", agent_key="k\x1b"
                )
            ]
        },
        {"from_": "f\x1b[2J", "to": "t\x1b[2J"},
    ],
    ids=lambda place: next(iter(place)),
)
def test_no_field_of_a_question_reaches_the_terminal_raw(place):
    """Whatever a client put into whatever field, no line holds a control character."""
    question = a_question(**place)

    for line in [*question_lines(question), *everything_lines(question)]:
        assert "\x1b" not in line.text
        assert "\n" not in line.text


def test_two_texts_that_differ_in_a_hidden_character_differ_on_the_screen():
    """The difference is made of what is shown, not of what is stored."""
    question = a_question(action="replace", from_="ab", to="a\u200bb")

    assert "- ab\n+ a⟨U+200B⟩b" in shown(question_lines(question))


def test_a_batch_names_layer_and_tags_of_each():
    """In a question over several layers every memory says where it would go."""
    entries = [an_entry("one", tags=["a", "b"]), an_entry("two", track=Track.AGENT)]
    question = a_question(action="seed", track="batch", scope="batch", count=2, entries=entries)

    text = shown(question_lines(question))

    assert "keepgate asks: add 2 memories?" in text
    assert "layers      user/workspace, agent/workspace" in text
    assert "user/workspace, tags a, b:\n+ one\nagent/workspace:\n+ two" in text


def test_a_batch_over_workspaces_names_that_of_each():
    """All of them in full at the top, and each memory's own before its text."""
    entries = [an_entry("one"), an_entry("two", workspace_key="/v", agent_key="cook")]
    question = a_question(action="seed", track="batch", scope="batch", count=2, entries=entries)

    text = shown(question_lines(question))

    assert "workspaces  /v, /w" in text
    assert "user/workspace of /w:\n+ one\nuser/workspace of /v, agent cook alone:\n+ two" in text


def test_what_changes_beside_the_text_is_shown():
    """Tags before and after, and who sees the entry, in the question and in all its fields."""
    target = a_target("x", tags=["old"], agent_key="cook")
    question = a_question(
        action="replace", from_="x", to="x", targets=[target], entries=[an_entry("x", agent_key="cook")]
    )

    text, everything = shown(question_lines(question)), shown(everything_lines(question))

    assert "tags        none (before: old)" in text
    assert "seen by     agent cook alone" in text
    assert "seen by     agent cook alone\n  tags        old\n- x" in everything


def test_another_client_is_named():
    """A wish that came from elsewhere says from where."""
    question = a_question(client={"client": "editor", "version": "3"}, agent_key="reviewer")

    text = shown(question_lines(question))

    assert "asked by    editor 3, session s1" in text
    assert "agent       reviewer" in text


def test_a_client_cannot_pose_as_this_command():
    """Names that clients chose are quoted where they could pass for other words of the question."""
    named = {"client": "this command, session cli-1", "version": "1, session cli-1"}

    text = shown(question_lines(a_question(client=named)))

    assert 'asked by    "this command, session cli-1" "1, session cli-1", session s1' in text


def test_a_layer_over_its_budget_stands_out():
    """The effect on the budget is told, and told apart when it is over."""
    usage = [Usage(track=Track.USER, scope=Scope.WORKSPACE, used=11, limit=10)]

    last = list(question_lines(a_question(usage=usage)))[-1]

    assert ("user/workspace will hold 11 of 10 units", "warning") == (last.text, last.tone.value)


@pytest.mark.parametrize(
    ("status", "problem", "line"),
    [
        (
            ProposalStatus.PENDING,
            "ENTRY_NOT_FOUND: gone",
            "! It can no longer be made: ENTRY_NOT_FOUND: gone",
        ),
        (ProposalStatus.DISMISSED, None, "Proposal p1, dismissed, rejected (via inbox, writePolicy ask)"),
    ],
)
def test_a_wish_without_a_question_still_shows_its_text(status, problem, line):
    """What cannot be asked any more is shown with what became of it."""
    outcome = "rejected (via inbox, writePolicy ask)" if status is ProposalStatus.DISMISSED else None
    proposal = Proposal(
        id="p1", kind="add", status=status, track="user", scope="workspace", workspace_key="/w", agent_key="",
        source=None, session_id=None, text="one\ntwo", hash="ab", created_at=0, expires_at=0, decided_at=None,
        outcome=outcome,
    )  # fmt: skip

    text = shown(proposal_lines(ProposalsGetResult(proposal=proposal, ask=None, problem=problem)))

    assert line in text
    assert "add in user/workspace:\n  one\n  two" in text


def a_fact(text, **changes):
    """A fact as a question shows it."""
    fields = {
        "action": "remember",
        "id": None,
        "version": None,
        "workspace_key": "/w",
        "entity": "people/me",
        "text": text,
        "kind": FactKind.PREFERENCE,
        "visibility": Visibility.WORLD,
        "provenance": "user said\nin chat",
        "valid_until": 0,
        "reason": None,
    }
    return AskFact(**fields | changes)


def of_facts(action, *facts):
    """A question about facts."""
    return a_question(
        action=action, track="facts", source=None, entries=[], usage=[], facts=list(facts), text="-"
    )


def test_a_fact_is_shown_field_by_field():
    """No line of a value passes for one of ours."""
    lines = [line.text for line in question_lines(of_facts("remember", a_fact("one\n  kind        fact")))]

    assert "keepgate asks: remember a fact?" == lines[0]
    assert [
        "+ one",
        "+   kind        fact",
        "  about       people/me",
        "  kind        preference",
        "  visibility  world, every connected agent reads it",
        "  provenance  user said ⏎ in chat",
        "  expires     1970-01-01T00:00:00.000Z",
        "  home        /w",
    ] == lines[lines.index("+ one") : lines.index("+ one") + 8]


def test_what_a_fact_takes_the_place_of_is_shown_as_going():
    """With its number and why; everything names the versions."""
    old = a_fact("old", action="supersede", id="7", version=3, entity=None)
    question = of_facts("supersede", old, a_fact("new", workspace_key="", valid_until=None))
    lines = [line.text for line in question_lines(question)]
    everything = [line.text for line in everything_lines(question)]

    for line in ("- old", "  forget      fact 7", "  because     another fact takes its place", "+ new"):
        assert line in lines
        assert line in everything
    assert "  expires     never" in lines
    assert "  home        every workspace" in lines
    assert "fact 7, now version 3, as it would be:" in everything


def test_forgetting_shows_the_fact_and_the_reason():
    """All of it."""
    fact = a_fact("gone", action="forget", id="7", version=1, reason="it\nchanged")
    lines = [line.text for line in question_lines(of_facts("forget", fact))]

    assert "keepgate asks: forget a fact?" == lines[0]
    assert ["- gone", "  forget      fact 7"] == lines[lines.index("- gone") :][:2]
    assert "  reason      it ⏎ changed" in lines


def test_a_fact_that_comes_back_is_shown_as_coming():
    """By an undo."""
    fact = a_fact("back", action="undo-forget", id="7", version=2)
    lines = [line.text for line in question_lines(of_facts("undo", fact))]

    assert ["+ back", "  bring back  fact 7"] == lines[lines.index("+ back") :][:2]
