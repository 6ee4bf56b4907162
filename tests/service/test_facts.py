"""remember and forget over a whole provider: VERBS-remember, VERBS-forget."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from keepgate.boot.compose import stamp_now
from keepgate.protocol.settings import FactSettings, WritePolicy
from keepgate.store.facts import RUN_OUT_AT_ONCE

LIGHT = "I prefer light mode"
DARK = "I prefer dark mode"
CHAT = "user said in chat"


async def remember(client: Any, fact: str = DARK, provenance: str = CHAT, **params: Any) -> Any:
    """What remember answers."""
    return await client.call("verbs/remember", fact=fact, provenance=provenance, **params)


async def refused(client: Any, verb: str = "remember", **params: Any) -> Any:
    """The envelope of the error that a verb ends with."""
    given = {"fact": DARK, "provenance": CHAT, **params} if verb == "remember" else params
    return (await client.fault(f"verbs/{verb}", **given)).envelope()


async def test_a_fact_is_saved_after_a_yes(client: Any, house: Any) -> None:
    """The whole answer, the question that was asked, and the ledger row (VERBS-remember)."""
    answer = await remember(client, f"  {DARK}\n", f" {CHAT} ")

    assert {
        "id": "1",
        "status": "inserted",
        "status_text": "Remembered.",
        "entity_slug": None,
        "valid_until": None,
        "degraded_dedup": True,
        "protocol_version": 1,
    } == answer
    (question,) = client.person.questions
    assert ("remember", "facts", "workspace", house.key()) == (
        question.action,
        question.track,
        question.scope,
        question.workspace_key,
    )
    (fact,) = question.facts
    assert (None, DARK, CHAT, "fact", "world") == (
        fact.id,
        fact.text,
        fact.provenance,
        fact.kind,
        fact.visibility,
    )
    (row,) = await client.rows("remember")
    assert (None, "workspace", "1", DARK, "s1") == (
        row["track"],
        row["scope"],
        row["entryId"],
        row["text"],
        row["sessionId"],
    )


async def test_clients_hear_of_facts(house: Any) -> None:
    """Those of the workspace and no other; remote ones, who see no private facts, are told nothing."""
    await house.sidecar.start()
    client, other = house.client(), house.client("s2", folders=("other",))
    remote = house.client("s3", remote=True)
    await remember(client, LIGHT)
    await remember(client, DARK, supersedes="1", visibility="private")
    await client.call("verbs/forget", id="2")
    await client.call("memory/undo", seq=4)

    events = await client.hears("facts/didChange", 5)

    assert [
        (1, "1", "remember"),
        (2, "1", "supersede"),
        (3, "2", "remember"),
        (4, "2", "forget"),
        (5, "2", "undo-forget"),
    ] == [(event.seq, event.id, event.action) for event in events]
    assert {(house.key(), "s1")} == {(event.workspace_key, event.session_id) for event in events}
    assert [] == other.told("facts/didChange") + remote.told("facts/didChange")


async def test_every_value_of_a_fact_is_kept(client: Any) -> None:
    """Entity, kind, visibility and ttl as they were given."""
    answer = await remember(
        client,
        entity="People/Ægir",
        kind="commitment",
        visibility="private",
        ttl="2999-01-01",
    )
    (question,) = client.person.questions

    assert ("people/ægir", "2999-01-01T00:00:00.000Z") == (answer["entity_slug"], answer["valid_until"])
    (fact,) = question.facts
    assert ("people/ægir", "commitment", "private") == (fact.entity, fact.kind, fact.visibility)
    assert "expires: 2999-01-01T00:00:00.000Z" in question.text.split("\n")


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"fact": " \n\t "}, "invalid_params"),
        ({"fact": " ", "provenance": " "}, "invalid_params"),
        ({"provenance": " "}, "provenance_required"),
        ({"provenance": " ", "ttl": "P30D"}, "provenance_required"),
        ({"provenance": "x" * 501}, "invalid_params"),
        ({"provenance": "\U0001f600" * 251}, "invalid_params"),
        ({"provenance": "a\x00b"}, "invalid_params"),
        ({"fact": "a\x00b"}, "invalid_params"),
        ({"fact": "a\ud800b"}, "invalid_params"),
        ({"fact": "x" * 4001}, "invalid_params"),
        ({"fact": "\U0001f600" * 2001}, "invalid_params"),
        ({"ttl": "P30D"}, "invalid_params"),
        ({"ttl": "99999999999d"}, "invalid_params"),
        ({"ttl": "1.5h"}, "invalid_params"),
        ({"entity": "!?"}, "invalid_params"),
        ({"entity": "x" * 257}, "invalid_params"),
        ({"entity": "a\x00"}, "invalid_params"),
        ({"supersedes": "0x1"}, "not_found"),
        ({"supersedes": "9"}, "not_found"),
        ({"kind": "rumour"}, "invalid_params"),
        ({"visibility": "secret"}, "invalid_params"),
    ],
)
async def test_what_cannot_be_saved_is_refused(client: Any, params: dict[str, Any], code: str) -> None:
    """With the contract's code and a suggestion, before anybody is asked; nothing is left behind."""
    envelope = await refused(client, **params)

    assert code == envelope["error"]
    assert envelope["suggestion"]
    assert [] == client.person.questions
    assert [] == await client.rows()


async def test_the_limits_are_inclusive(client: Any) -> None:
    """4,000 units of fact and 500 of provenance, after trimming."""
    answer = await remember(client, f" {'x' * 4000} ", "\U0001f600" * 250 + " ")

    assert "inserted" == answer["status"]


async def test_a_duration_gets_its_shorthand(client: Any) -> None:
    """The suggestion is what to send (VERBS-remember)."""
    assert "30d" in (await refused(client, ttl="P30D"))["suggestion"]


async def test_the_limit_of_a_fact_is_a_setting(build: Callable[..., Any]) -> None:
    """In UTF-16 units."""
    house = await build(facts=FactSettings(max_text_units=10))

    assert "invalid_params" == (await refused(house.client(), fact="\U0001f600" * 6))["error"]
    assert "inserted" == (await remember(house.client(), "\U0001f600" * 5))["status"]


async def test_what_is_known_is_answered_without_a_question(client: Any) -> None:
    """Same words but for case and white space, same entity or none, kind and visibility (VERBS-remember)."""
    first = await remember(client, DARK, ttl="2999-01-01")
    rows = await client.rows()
    again = await remember(client, "  i PREFER\n dark   Mode ", "another source", ttl="1d")

    assert (first["id"], "duplicate", "2999-01-01T00:00:00.000Z") == (
        again["id"],
        again["status"],
        again["valid_until"],
    )
    assert 1 == len(client.person.questions)
    assert rows == await client.rows()


@pytest.mark.parametrize(
    "other", [{"entity": "people/me"}, {"kind": "preference"}, {"visibility": "private"}]
)
async def test_what_differs_in_more_than_words_is_another_fact(client: Any, other: dict[str, str]) -> None:
    """It is saved, and the person is told that the words are known."""
    await remember(client)
    again = await remember(client, **other)

    assert ("2", "inserted") == (again["id"], again["status"])
    assert ["duplicate"] == [warning.kind for warning in client.person.questions[1].warnings]


async def test_a_fact_of_another_workspace_is_no_duplicate(house: Any) -> None:
    """A home knows nothing of another's facts."""
    await remember(house.client())
    again = await remember(house.client("s2", folders=("other",)))

    assert "inserted" == again["status"]


async def test_what_has_run_out_is_no_duplicate(client: Any) -> None:
    """A ttl that is past makes room at once."""
    await remember(client, ttl="2020-01-01")

    assert "inserted" == (await remember(client))["status"]


async def test_a_fact_takes_the_place_of_another(client: Any) -> None:
    """Only when the caller says so; both rows are in the ledger, and the question shows both."""
    await remember(client, LIGHT)
    answer = await remember(client, DARK, supersedes="1")
    question = client.person.questions[-1]

    assert ("2", "superseded") == (answer["id"], answer["status"])
    assert ("supersede", ["supersede", "remember"]) == (
        question.action,
        [fact.action for fact in question.facts],
    )
    assert ["1", None] == [fact.id for fact in question.facts]
    assert [("supersede", "1"), ("remember", "2")] == [
        (row["action"], row["entryId"]) for row in (await client.rows())[1:]
    ]
    assert "not_found" == (await refused(client, fact="third", supersedes="1"))["error"]


async def test_a_repeated_superseding_is_a_duplicate(client: Any) -> None:
    """A caller that lost the answer may ask again."""
    await remember(client, LIGHT)
    await remember(client, DARK, supersedes="1")
    again = await remember(client, DARK, supersedes="1")

    assert ("2", "duplicate") == (again["id"], again["status"])


async def test_own_words_may_be_superseded(client: Any) -> None:
    """It gives the fact another ttl."""
    await remember(client, DARK)
    again = await remember(client, DARK, supersedes="1", ttl="2999-01-01")

    assert ("2", "superseded") == (again["id"], again["status"])


async def test_a_fact_is_forgotten_once(client: Any) -> None:
    """The second time nobody is asked; the reason is in the ledger (VERBS-forget)."""
    await remember(client)
    first = await client.call("verbs/forget", id=" 1 ", reason=" it changed ")
    again = await client.call("verbs/forget", id="1", reason="again")

    assert {"id": "1", "expired": True, "reason": "it changed", "protocol_version": 1} == first
    assert {"id": "1", "expired": False, "reason": "again", "protocol_version": 1} == again
    assert 2 == len(client.person.questions)
    assert "reason: it changed" in client.person.questions[1].text.split("\n")
    assert ["remember", "forget"] == [row["action"] for row in await client.rows()]
    past, chain = await client.call("memory/history", id="1"), await client.call("memory/why", id="1")
    for told in (past["versions"], chain["chain"]):
        assert [None, "it changed"] == [step.get("reason") for step in told]


async def test_what_has_run_out_or_was_superseded_is_expired_already(client: Any) -> None:
    """No error (VERBS-forget)."""
    await remember(client, LIGHT, ttl="2020-01-01")
    await remember(client, "old")
    await remember(client, "new", supersedes="2")

    for fact_id in ("1", "2"):
        assert not (await client.call("verbs/forget", id=fact_id))["expired"]


@pytest.mark.parametrize(
    "fact_id",
    [
        "2",
        "",
        " ",
        "0",
        "-1",
        "1.0",
        "1e0",
        "0x1",
        "01",
        "+1",
        "１",
        "9" * 18,
        "9" * 40,
        "people/me",
        "\x00",
        "١",
    ],
)
async def test_an_odd_id_is_not_found(client: Any, fact_id: str) -> None:
    """Whatever its shape, with the same words (VERBS-forget)."""
    await remember(client)
    envelope = await refused(client, "forget", id=fact_id)

    assert ("not_found", "no fact in sight has this id") == (envelope["error"], envelope["message"])


async def test_a_dry_run_changes_nothing(client: Any) -> None:
    """It says what would be done, and asks nobody."""
    await remember(client, LIGHT)
    before = await client.rows()

    assert {
        "dry_run": True,
        "action": "remember",
        "entity_slug": None,
        "valid_until": None,
        "protocol_version": 1,
    } == await remember(client, dry_run=True)
    superseding = await remember(client, supersedes="1", dry_run=True)
    known = await remember(client, LIGHT, dry_run=True)
    assert [("supersede", "1"), ("duplicate", "1")] == [
        (answer["action"], answer["id"]) for answer in (superseding, known)
    ]
    assert "forget" == (await client.call("verbs/forget", id="1", dry_run=True))["action"]
    assert "not_found" == (await refused(client, "forget", id="7", dry_run=True))["error"]
    assert before == await client.rows()
    assert 1 == len(client.person.questions)


async def test_a_no_is_scope_denied(house: Any, people: Any) -> None:
    """With the outcome and the proposal in the detail; the ledger has the whole fact."""
    client = house.client(person=people(["rejected"]))
    envelope = await refused(client)

    assert "scope_denied" == envelope["error"]
    assert "outcome rejected" in envelope["detail"]
    (row,) = await client.rows("remember-denied")
    assert (None, None) == (row["track"], row["entryId"])
    assert DARK in row["text"]


async def test_a_wish_that_nobody_answers_waits_in_the_inbox(house: Any, people: Any) -> None:
    """And is saved when it is approved there."""
    client = house.client(person=people(["nobody"]))
    envelope = await refused(client)
    (waiting,) = (await client.call("proposals/list", status="pending"))["proposals"]
    shown = await client.call("proposals/get", id=waiting["id"])
    await client.call("proposals/approve", id=waiting["id"], hash=shown["ask"]["hash"])

    assert "unavailable" == envelope["error"]
    assert waiting["id"] in envelope["suggestion"]
    assert DARK == shown["ask"]["facts"][0]["text"]
    assert "duplicate" == (await remember(client))["status"]


async def test_a_wish_that_came_true_meanwhile_is_closed(house: Any, people: Any) -> None:
    """Approving it stores nothing a second time."""
    client = house.client(person=people(["nobody", "allowed-once"]))
    await refused(client)
    (waiting,) = (await client.call("proposals/list", status="pending"))["proposals"]
    await remember(client, entity="people/me")
    other = house.client(person=people(["allowed-once"]))
    await remember(other, DARK, kind="belief")
    shown = await client.call("proposals/get", id=waiting["id"])
    await remember(house.client("s9"), DARK, provenance="elsewhere")
    decided = await client.call("proposals/approve", id=waiting["id"], hash=shown["ask"]["hash"])

    assert "refused" == decided["proposal"]["status"]
    assert [] == decided["seqs"]
    (row,) = await client.rows("remember-refused")
    assert row["outcome"].startswith("nothing to do")


async def test_a_grant_covers_remembering_in_one_workspace(house: Any, people: Any) -> None:
    """Not what is warned of, not superseding, not forgetting, and not another visibility."""
    client = house.client(person=people(["allowed-session"]))
    await remember(client, "one")
    await remember(client, "two")
    assert 1 == len(client.person.questions)

    await remember(client, "two", kind="belief")
    await remember(client, "three", supersedes="1")
    await client.call("verbs/forget", id="2")
    await remember(client, "four", visibility="private")

    assert 5 == len(client.person.questions)


async def test_a_grant_never_covers_every_workspace(build: Callable[..., Any], people: Any) -> None:
    """What every workspace reads is asked about each time."""
    house = await build(facts=FactSettings(home="user"))
    client = house.client(person=people(["allowed-session", "allowed-session"]))
    await remember(client, "one")
    await remember(client, "two")

    assert ["user-global"] * 2 == [question.scope for question in client.person.questions]


@pytest.mark.parametrize(("policy", "asked", "error"), [("auto", 0, None), ("off", 0, "scope_denied")])
async def test_facts_have_a_policy_of_their_own(
    build: Callable[..., Any], policy: str, asked: int, error: str | None
) -> None:
    """The key `facts` of writePolicies."""
    house = await build(write_policies={"facts": WritePolicy(policy)})
    client = house.client()
    if error is None:
        assert "inserted" == (await remember(client))["status"]
    else:
        assert error == (await refused(client))["error"]

    assert asked == len(client.person.questions)
    await client.add("an entry is asked about")
    assert asked + 1 == len(client.person.questions)


async def test_a_remote_writer_is_told_what_it_cannot_read(house: Any) -> None:
    """A private fact is out of its sight at once (VERBS-remember)."""
    remote = house.client(remote=True)
    answer = await remember(remote, visibility="private")

    assert "cannot read it back" in answer["status_text"]
    assert "not_found" == (await refused(remote, "forget", id=answer["id"]))["error"]
    assert "not_found" == (await refused(remote, fact="x", supersedes=answer["id"]))["error"]
    assert (await house.client().call("verbs/forget", id=answer["id"]))["expired"]


async def test_a_fact_without_a_workspace_has_no_home(house: Any) -> None:
    """It is refused, never filed where every workspace reads it."""
    envelope = await refused(house.client(folders=()))

    assert "invalid_params" == envelope["error"]
    assert "facts.home" in envelope["suggestion"]


async def test_remembering_and_forgetting_are_undone(client: Any) -> None:
    """As new changes with their own questions; what came back can be forgotten again."""
    await remember(client, LIGHT)
    await remember(client, DARK, supersedes="1")
    undone = await client.call("memory/undo", seq=3)
    assert [("2", False), ("1", True)] == [(fact["id"], fact["active"]) for fact in undone["facts"]]

    await client.call("verbs/forget", id="1")
    back = await client.call("memory/undo", seq=(await client.rows("forget"))[-1]["seq"])
    assert [("1", True)] == [(fact["id"], fact["active"]) for fact in back["facts"]]

    gone = await client.call("memory/undo", seq=(await client.rows("undo-forget"))[-1]["seq"])
    assert [("1", False)] == [(fact["id"], fact["active"]) for fact in gone["facts"]]


async def test_an_overtaken_change_of_a_fact_is_not_undone(client: Any) -> None:
    """First what came after it."""
    await remember(client)
    await client.call("verbs/forget", id="1")

    assert "INVALID_INPUT" == (await client.fault("memory/undo", seq=1)).code


async def test_a_remote_undoes_nothing_private(house: Any) -> None:
    """It learns nothing of the change, either."""
    await remember(house.client(), visibility="private")

    assert "INVALID_INPUT" == (await house.client(remote=True).fault("memory/undo", seq=1)).code


async def test_the_ledger_tells_of_a_fact(house: Any, client: Any) -> None:
    """Its rows, its states, and who is behind them; forgotten or not."""
    await remember(client, LIGHT)
    await remember(client, DARK, supersedes="1")
    await client.call("verbs/forget", id="2", reason="it changed")

    rows = (await client.call("memory/audit", entryId="2"))["rows"]
    assert ["forget", "remember"] == [row["action"] for row in rows]
    versions = (await client.call("memory/history", id="2"))["versions"]
    assert [(1, DARK, None, "remember"), (2, DARK, None, "forget")] == [
        (each["version"], each["text"], each["tags"], each["action"]) for each in versions
    ]
    why = await client.call("memory/why", id="1")
    assert [("remember", 1), ("supersede", 2)] == [(link["action"], link["version"]) for link in why["chain"]]
    assert {"id": "1", "text": LIGHT, "active": False} == why["fact"]
    assert {"tester"} == {link["decidedBy"]["client"] for link in why["chain"]}
    stranger = house.client("s2", folders=("other",))
    for method in ("memory/history", "memory/why"):
        assert "ENTRY_NOT_FOUND" == (await stranger.fault(method, id="1")).code
    assert [] == (await stranger.call("memory/audit", entryId="1"))["rows"]


async def test_a_remote_caller_finds_no_trace_of_private_facts(house: Any, people: Any) -> None:
    """Neither in the ledger nor in the inbox; not of denied and waiting wishes, either."""
    script = ["allowed-once", "allowed-once", "allowed-once", "rejected", "nobody", "nobody", "nobody"]
    local, remote = house.client(person=people(script)), house.client("s2", remote=True)
    secret = "the safe opens with 1234"
    await remember(local, secret, visibility="private")
    await remember(local, f"{secret} again", visibility="private", supersedes="1")
    await local.call("verbs/forget", id="2", reason=secret)
    await refused(local, fact=f"{secret} no", visibility="private")
    await refused(local, fact=f"{secret} later", visibility="private")
    await local.fault("memory/undo", seq=4)
    await refused(local, fact="all the world knows")

    seen = [
        await remote.call("memory/audit", session=None, limit=1000),
        await remote.call("memory/audit", entryId="1"),
        await remote.call("proposals/list", session=None),
    ]
    for method in ("memory/history", "memory/why"):
        assert "ENTRY_NOT_FOUND" == (await remote.fault(method, id="1")).code

    counts = [(await each.call("memory/status"))["counts"] for each in (local, remote)]
    assert [(0, 3), (0, 1)] == [(each["facts"], each["pendingProposals"]) for each in counts]
    assert "1234" not in repr(seen)
    assert ["remember-denied"] == [row["action"] for row in seen[0]["rows"]]
    assert ["unavailable"] == [row["outcome"].partition(" ")[0] for row in seen[0]["rows"]]
    assert 1 == len(seen[2]["proposals"])
    assert 3 == len((await local.call("proposals/list", status="pending"))["proposals"])


async def test_a_ttl_that_ran_out_is_noted_once(build: Callable[..., Any]) -> None:
    """By a sweep, when it is first seen; what had run out when it was saved is noted, too."""
    moment = [1_700_000_000_000]
    house = await build(stamp=lambda: evolve(stamp_now(), now_ms=moment[0]))
    client = house.client()
    await remember(client, LIGHT, ttl="10s")
    await remember(client, DARK)
    await house.sidecar.gate.sweep()
    assert [] == await client.rows("expire")

    moment[0] += 10_000
    await house.sidecar.gate.sweep()
    await remember(client, "long past", ttl="2020-01-01")
    await house.sidecar.gate.sweep()
    await house.sidecar.gate.sweep()

    assert [("1", LIGHT), ("3", "long past")] == [
        (row["entryId"], row["text"]) for row in await client.rows("expire")
    ]
    assert not (await client.call("verbs/forget", id="1"))["expired"]


async def test_an_entity_is_resolved_as_reading_resolves_it(house: Any, client: Any, shelve: Any) -> None:
    """By alias, title, or the end of a slug; a fact filed under a name is found under it."""
    page = "---\ntitle: Alice Example\naliases: [Ali]\n---\nWrites compilers.\n"
    await shelve(house, {"people/alice-example": page})

    for name in ("Ali", "alice example", "Alice-Example", "people/alice-example"):
        answer = await remember(client, f"fact about {name}", entity=name)
        assert ("people/alice-example", None) == (answer["entity_slug"], answer.get("suggestions"))


async def test_a_similar_entity_is_told_and_never_used(house: Any, client: Any, shelve: Any) -> None:
    """What a name without a page may have meant (VERBS-remember)."""
    await shelve(house, {"projects/apollo-migration-2025": "# Apollo migration 2025\n\nDone.\n"})
    answer = await remember(client, entity="projects/apollo-migration-2026")

    assert "projects/apollo-migration-2026" == answer["entity_slug"]
    assert "projects/apollo-migration-2025" in [each["slug"] for each in answer["suggestions"]]


async def test_a_remote_learns_no_private_pages_name(house: Any, shelve: Any) -> None:
    """Its own words are the slug."""
    page = "---\ntitle: Secret Alice\nvisibility: private\naliases: [Ali]\n---\nHidden.\n"
    await shelve(house, {"people/secret-alice": page})
    answer = await remember(house.client(remote=True), entity="Ali")

    assert ("ali", None) == (answer["entity_slug"], answer.get("suggestions"))


async def test_two_callers_who_say_the_same_at_once_are_told_of_one_fact(house: Any, people: Any) -> None:
    """Both were asked before either was saved; the second yes finds the first one's fact."""
    both = asyncio.Event()
    asked: list[str] = []

    async def when_both_are_asked(question: Any) -> str:
        asked.append(question.id)
        if len(asked) == 2:
            both.set()
        await both.wait()
        return "allowed-once"

    clients = [house.client(name, person=people([when_both_are_asked])) for name in ("s1", "s2")]
    answers = await asyncio.gather(*(remember(client) for client in clients))

    assert {("1", "inserted"), ("1", "duplicate")} == {(each["id"], each["status"]) for each in answers}
    assert 2 == len(asked)
    assert ["remember", "remember-refused"] == [row["action"] for row in await clients[0].rows()]


async def test_a_fact_that_went_while_the_person_thought_is_not_superseded(house: Any, people: Any) -> None:
    """The yes was for another state; the caller gets the fault, and the ledger says so."""
    local = house.client("s2")

    async def meanwhile_forgotten(question: Any) -> str:
        await local.call("verbs/forget", id="1")
        return "allowed-once"

    await remember(local, LIGHT)
    client = house.client(person=people([meanwhile_forgotten]))

    assert "not_found" == (await refused(client, supersedes="1"))["error"]
    assert ["remember", "forget", "supersede-refused"] == [row["action"] for row in await client.rows()]


async def test_facts_are_forgotten_and_superseded_in_the_workspace_that_they_are_of(house: Any) -> None:
    """Who recalls the facts of several workspaces changes them where they are (VERBS-forget)."""
    other = house.client(folders=("other",))
    for text in ("one", "two", "three"):
        await remember(other, text)
    remote = house.client("r", folders=("project", "other"), cwd="project", remote=True)
    managing = house.client(None, folders=("project", "other"))

    forgotten = await remote.call("verbs/forget", id="1")
    superseded = await remember(remote, "two, now", supersedes="2")
    also = await managing.call("verbs/forget", id="3")
    local = await house.client("l", folders=("project", "other"), cwd="project").fault("verbs/forget", id="4")

    assert (True, True) == (forgotten["expired"], also["expired"])
    assert ("superseded", "4") == (superseded["status"], superseded["id"])
    assert [house.key("other")] == [
        fact["source_id"] for fact in (await managing.call("verbs/recall"))["facts"]
    ]
    assert "not_found" == local.envelope()["error"]


async def test_a_fact_of_another_connections_workspace_stays_out_of_reach(house: Any) -> None:
    """Several workspaces in sight are those that the connection has open, and no others."""
    await remember(house.client(folders=("elsewhere",)))
    remote = house.client("r", folders=("project", "other"), remote=True)

    fault = await remote.fault("verbs/forget", id="1")

    assert "not_found" == fault.envelope()["error"]


async def test_the_status_counts_no_private_wish_for_a_remote_caller(house: Any, people: Any) -> None:
    """Neither in its counts nor in its message."""
    local = house.client(person=people(["nobody"]))
    await local.fault("verbs/remember", fact="hush", provenance="test", visibility="private")

    seen = await local.call("memory/status")
    told = await house.client("r", remote=True).call("memory/status")

    assert (1, "1 waiting for approval") == (seen["pendingProposals"], seen["message"])
    assert (0, "ok") == (told["pendingProposals"], told["message"])


async def test_a_sweep_notes_however_many_have_run_out(build: Any) -> None:
    """Some at a time, so that other writes come in between; each once."""
    house = await build(write_policies={"facts": WritePolicy.AUTO})
    client, count = house.client(), RUN_OUT_AT_ONCE + 5
    for number in range(count):
        await remember(client, f"number {number}", ttl="2026-01-01")
    at_once: list[int] = []
    house.sidecar.store.on_commit.append(lambda: at_once.append(1))
    await house.sidecar.gate.sweep()
    swept = len(at_once)
    await house.sidecar.gate.sweep()

    assert [str(number + 1) for number in range(count)] == [
        row["entryId"] for row in await client.rows("expire")
    ]
    # The inbox, and two lots of facts.
    assert 3 == swept
