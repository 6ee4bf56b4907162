"""The question in words: what, where and who in one line, then all of it, with nothing hidden."""

from typing import Any

import pytest

from keepgate.fronts.stdio.question import document_of, headline, message_of
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.proposals import (
    ApprovalRequestParams,
    AskEntry,
    AskFact,
    AskTarget,
    Caution,
    QueuedAsk,
)
from keepgate.protocol.verbs import FactKind, Visibility


def question(**given: Any) -> ApprovalRequestParams:
    return ApprovalRequestParams(
        **{
            "id": "p1",
            "action": "add",
            "track": "agent",
            "scope": "workspace",
            "workspace_key": "/home/me/project",
            "agent_key": "",
            "source": "keepgate",
            "session_id": "s1",
            "text": "Use tabs.",
            "hash": "0" * 64,
            "deadline": 0,
            "warnings": [],
        }
        | given
    )


def entry(text: str, *tags: str, **given: Any) -> AskEntry:
    return AskEntry(
        **{
            "track": Track.AGENT,
            "scope": Scope.WORKSPACE,
            "workspace_key": "/home/me/project",
            "agent_key": "coder",
            "text": text,
            "tags": list(tags),
            "source": "keepgate",
        }
        | given
    )


def target(text: str, *tags: str, **given: Any) -> AskTarget:
    return AskTarget(
        **{
            "id": "e1",
            "version": 3,
            "track": Track.AGENT,
            "scope": Scope.WORKSPACE,
            "workspace_key": "/home/me/project",
            "agent_key": "",
            "text": text,
            "tags": list(tags),
        }
        | given
    )


TARGET = target("Use spaces. " * 100)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 'Add to the agent memory of "project"? Source keepgate, session s1.'),
        (
            {"track": "user", "scope": "user-global", "workspace_key": "", "source": None},
            "Add to the user memory of every workspace? Session s1.",
        ),
        (
            {"action": "replace", "agent_key": "coder"},
            'Replace in the agent memory of "project"? Source keepgate, agent coder, session s1.',
        ),
        (
            {"action": "remove", "session_id": None, "client": {"client": "another editor"}},
            'Remove from the agent memory of "project"? Source keepgate, client "another editor".',
        ),
        (
            {"action": "consolidate", "targets": [TARGET, TARGET], "source": None, "session_id": None},
            'Consolidate 2 memories in the agent memory of "project"? Source unknown.',
        ),
        (
            {"action": "seed", "track": "batch", "scope": "batch", "count": 12},
            'Add 12 memories in "project"? Source keepgate, session s1.',
        ),
        (
            {"action": "seed", "track": "batch", "scope": "batch", "count": 1, "workspace_key": ""},
            "Add 1 memory? Source keepgate, session s1.",
        ),
        (
            {"action": "undo", "track": "batch", "scope": "batch", "workspace_key": ""},
            "Take back a change? Source keepgate, session s1.",
        ),
        (
            {"workspace_key": "C:\\Users\\me\\Project"},
            'Add to the agent memory of "Project"? Source keepgate, session s1.',
        ),
        (
            {"workspace_key": "/w/pro\u202eject\nYes", "session_id": "s\n\n1"},
            'Add to the agent memory of "pro⟨U+202E⟩ject ⏎ Yes"? Source keepgate, session "s\\n\\n1".',
        ),
    ],
)
def test_the_first_line(given: dict[str, Any], expected: str) -> None:
    """One line says what happens, where, and who wants it; names cannot break out of it."""
    assert expected == headline(question(**given))


def test_the_message_holds_the_whole_payload() -> None:
    """A blank line, then every character of the payload, however long it is."""
    text = "\n".join(f"agent/workspace: line {number}" for number in range(1000))

    head, _, payload = message_of(question(text=text)).partition("\n\n")

    assert f"{headline(question())}\nWorkspace: /home/me/project" == head
    assert text == payload


def test_hidden_characters_are_shown() -> None:
    """Bidirectional and zero-width characters are written out where they stand."""
    message = message_of(question(text="rm \u202efdp.tac\u202c \u200bnow"))

    assert message.endswith("\n\nrm ⟨U+202E⟩fdp.tac⟨U+202C⟩ ⟨U+200B⟩now")


def test_warnings_and_tags_come_before_the_payload() -> None:
    """The person reads what to be careful about first, and the tags that the text does not show."""
    asked = question(
        warnings=[Caution(kind="duplicate", message="entry e1 already says\nthe same")],
        entries=[entry("Use tabs.", "style", "go\u202e")],
    )

    assert [
        headline(asked),
        "Warning: entry e1 already says ⏎ the same",
        "Workspace: /home/me/project",
        "Seen by: agent coder alone",
        'Tags: style, "go⟨U+202E⟩"',
        "",
        "Use tabs.",
    ] == message_of(asked).split("\n")


def test_the_document_shows_every_text_in_full() -> None:
    """The document has what the message shortens: old texts, tags, layers, versions and the hash."""
    asked = question(action="consolidate", targets=[TARGET], entries=[entry("Use\u200b tabs.", "style")])

    document = document_of(asked)

    assert TARGET.text in document
    assert "--- entry e1, version 3, as it is now: agent/workspace\n" in document
    assert (
        "+++ agent/workspace, agent coder alone, tags style, source keepgate\nUse⟨U+200B⟩ tabs.\n" in document
    )
    assert f"Hash: {asked.hash}" in document
    assert "Workspace: /home/me/project" in document


def test_the_document_of_a_question_without_parts() -> None:
    """Where no targets and entries are listed, the payload stands in."""
    assert document_of(question()).endswith("\nUse tabs.\n")


def test_a_consolidation_is_shown_whole() -> None:
    """Long targets are not cut: the person decides on whole texts, not on the contract's excerpts."""
    asked = question(
        action="consolidate", text="remove: spaces\nUse sp…", targets=[TARGET], entries=[entry("Tabs.")]
    )

    assert f"remove: e1\n    {TARGET.text}\nnew text: Tabs." in message_of(asked)


def test_changed_tags_are_shown_with_those_before() -> None:
    """Clearing or changing tags is part of what the person sees."""
    asked = question(action="replace", targets=[target("x", "old")], entries=[entry("y")])

    assert "Tags: none (before: old)" in message_of(asked)
    assert "Tags: none (before: old)" in document_of(asked)


def test_who_will_see_a_private_entry_is_shown() -> None:
    """An entry that is private to a preset says so, also one that goes; so does a preset's shared one."""
    shared = question(agent_key="coder", entries=[entry("x", agent_key="")])

    assert "Seen by: agent coder alone" in message_of(question(entries=[entry("x")]))
    assert "Seen by: agent cook alone" in message_of(
        question(action="remove", targets=[target("x", agent_key="cook")])
    )
    assert "Seen by: every agent" in message_of(shared)


def test_a_batch_says_which_text_goes_to_which_workspace() -> None:
    """All workspaces in full before the texts, and each text behind its own."""
    asked = question(
        action="seed",
        track="batch",
        scope="batch",
        workspace_key="",
        text="agent/workspace: one\nagent/workspace: two",
        entries=[
            entry("one", "go", agent_key=""),
            entry("two", workspace_key="/srv/\u202epa", agent_key=""),
        ],
    )
    head, _, payload = message_of(asked).partition("\n\n")

    document = document_of(asked)

    workspaces = 'Workspaces: /home/me/project, "/srv/⟨U+202E⟩pa"'
    assert [workspaces, "Layers: agent/workspace"] == head.splitlines()[1:]
    assert [
        "agent/workspace of /home/me/project, tags go: one",
        'agent/workspace of "/srv/⟨U+202E⟩pa": two',
    ] == payload.splitlines()
    assert f"\n{workspaces}\n" in document
    assert '+++ agent/workspace of "/srv/⟨U+202E⟩pa", source keepgate\ntwo\n' in document


FACT_TEXT = "fact: one\n    visibility: private\nabout: people/me\nkind: fact\nreason: no\u202eway"


def of_fact(action: str, **given: Any) -> ApprovalRequestParams:
    fact = AskFact(
        action=action, id="7", version=1, workspace_key="/home/me/project", entity="people/me",
        text="one\nvisibility: private", kind=FactKind.FACT, visibility=Visibility.WORLD, provenance="chat",
        valid_until=None, reason=None,
    )  # fmt: skip
    return question(action=action, track="facts", source=None, text=FACT_TEXT, facts=[fact], **given)


@pytest.mark.parametrize(
    ("action", "scope", "said"),
    [
        ("remember", "workspace", 'Remember a fact in "project"? Session s1.'),
        ("remember", "user-global", "Remember a fact in every workspace? Session s1."),
        ("supersede", "workspace", 'Remember a fact in the place of another in "project"? Session s1.'),
        ("forget", "workspace", 'Forget a fact in "project"? Session s1.'),
    ],
)
def test_the_headline_of_a_fact(action: str, scope: str, said: str) -> None:
    """What happens, and how far it reaches."""
    assert said == headline(of_fact(action, scope=scope))


def test_a_fact_is_shown_whole_in_the_message_and_the_document() -> None:
    """Every field on a line of its own, hidden characters written out."""
    for text in (message_of(of_fact("remember")), document_of(of_fact("remember"))):
        lines = text.split("\n")
        assert ["fact: one", "    visibility: private", "about: people/me", "kind: fact"] == lines[
            lines.index("fact: one") :
        ][:4]
        assert "reason: no⟨U+202E⟩way" in lines
        assert "Workspace: /home/me/project" in lines


def test_what_waits_behind_it_is_listed() -> None:
    """Its number, and the first few by a line each that holds no line break of theirs."""
    queue = [
        QueuedAsk(id=f"p{n}", action="remember", text=f"fact: {n}\nkind: fact", hash="h") for n in range(7)
    ]

    *_, heading, first, second, third, fourth, fifth, rest = message_of(question(queue=queue)).split("\n")

    assert "7 more of this session will be asked after it:" == heading
    assert first.startswith("- remember: fact: 0")
    assert "- and others" == rest
    assert all(line.startswith("- remember: ") for line in (second, third, fourth, fifth))
