"""Secrets at the gate: refused before anything is stored, with a row that holds none of the text."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from keepgate.gate.screening import Screen
from keepgate.protocol.errors import Fault
from keepgate.store import reads

TOKEN = "ghp_" + "A1b2C3d4" * 4 + "A1b2"
AWS = "AKIA" + "Q2W3E4R5" * 2
LAYER = {"track": "user", "scope": "workspace"}
DRAFT = {**LAYER, "text": "plain"}
FORMS = [text.encode(encoding) for text in (TOKEN, AWS) for encoding in ("utf-8", "utf-16-le", "utf-16-be")]

WRITES = {
    "add": ("memory/add", {**LAYER, "text": f"it is {TOKEN}"}, "$.text", "add"),
    "tags": ("memory/add", {**DRAFT, "tags": ["a", AWS]}, "$.tags[1]", "add"),
    "seed": ("memory/seed", {"entries": [DRAFT, {**DRAFT, "text": TOKEN}]}, "$.entries[1].text", "seed"),
    "import": (
        "memory/import",
        {
            "payload": {
                "plugin": "dsh-memento",
                "schema": "memory-export-v1",
                "entries": [{**DRAFT, "text": TOKEN}],
            }
        },
        "$.entries[0].text",
        "seed",
    ),
    "proposal": (
        "proposals/create",
        {"change": {"action": "add", **LAYER, "text": TOKEN}},
        "$.change.text",
        "add",
    ),
    "page": ("pages/put", {"slug": "people/x", "content": f"# X\n\n{TOKEN}\n"}, "$.content", "page-put"),
    "note": ("pages/capture", {"text": TOKEN}, "$.text", "page-put"),
}


@pytest.mark.parametrize("name", WRITES)
async def test_a_secret_is_refused_with_its_place_and_leaves_a_row_without_it(
    house: Any, person: Any, name: str, holding: Any
) -> None:
    """INVALID_INPUT with path and kind, one refused row, no question, no proposal, no byte of it on disk."""
    method, params, path, action = WRITES[name]
    connection = house.connect(person)
    with pytest.raises(Fault) as caught:
        await house.call(connection, method, **params)
    fault = caught.value
    assert (str(fault.code), fault.details["reason"]) == ("INVALID_INPUT", "secret")
    (problem,) = fault.details["problems"]
    assert (problem["path"], problem["kind"]) == (path, "aws-key" if name == "tags" else "github-token")
    assert TOKEN not in f"{fault.message} {fault.data()}"
    assert person.questions == []

    (row,) = await house.rows(connection)
    assert (row["action"], row["outcome"]) == (f"{action}-refused", "INVALID_INPUT (secret)")
    assert path in row["text"]
    assert row["proposalId"] is None
    listed = await house.call(house.connect(person, session=None), "proposals/list")
    assert listed["proposals"] == []
    assert holding(house.home, FORMS) == []


@pytest.mark.parametrize("field", ["fact", "provenance", "entity"])
async def test_verbs_answer_invalid_params(house: Any, person: Any, field: str, holding: Any) -> None:
    """In the dialect of the verbs the same refusal is invalid_params."""
    connection = house.connect(person)
    params = {"fact": "plain", "provenance": "chat", field: f"is {TOKEN}"}
    with pytest.raises(Fault) as caught:
        await house.call(connection, "verbs/remember", **params)
    assert str(caught.value.code) == "invalid_params"
    assert "github-token" in caught.value.message
    assert TOKEN not in f"{caught.value.message} {caught.value.data()}"
    (row,) = await house.rows(connection)
    assert row["action"] == "remember-refused"
    assert holding(house.home, FORMS) == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("verbs/remember", {"fact": TOKEN, "provenance": "chat", "dry_run": True}),
        (
            "memory/import",
            {
                "payload": {
                    "plugin": "dsh-memento",
                    "schema": "memory-export-v1",
                    "entries": [{**DRAFT, "text": TOKEN}],
                },
                "dryRun": True,
            },
        ),
    ],
)
async def test_what_is_only_tried_is_refused_too_and_leaves_no_row(
    house: Any, person: Any, method: str, params: dict[str, Any]
) -> None:
    """A dry run says what the real run would."""
    connection = house.connect(person)
    with pytest.raises(Fault) as caught:
        await house.call(connection, method, **params)
    assert TOKEN not in caught.value.message
    assert await house.rows(connection) == []


async def test_no_policy_lets_a_secret_in(build: Callable[..., Any]) -> None:
    """The policy auto decides nothing about secrets."""
    house = await build(write_policy="auto")
    connection = house.connect()
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/add", **LAYER, text=TOKEN)
    assert caught.value.details["reason"] == "secret"


async def test_the_reason_of_a_dismissal_is_looked_at(house: Any, person: Any) -> None:
    """A reason goes into the ledger, so it is screened."""
    connection = house.connect(person, may_decide=True)
    made = await house.call(connection, "proposals/create", change={"action": "add", **DRAFT})
    proposal = made["proposal"]["id"]
    with pytest.raises(Fault) as caught:
        await house.call(connection, "proposals/dismiss", id=proposal, reason=f"has {TOKEN}")
    assert caught.value.details["problems"][0]["path"] == "$.reason"
    found = await house.sidecar.store.reading.run(reads.proposal, proposal)
    assert found.status == "pending"


async def test_a_memory_with_a_secret_from_before_can_be_named_taken_away_and_brought_back(
    house: Any, person: Any
) -> None:
    """Old texts are left alone: they can be matched, removed and restored."""
    connection = house.connect(person)
    person.script = ["allowed-once"] * 3
    house.sidecar.gate.screen = Screen()
    old = "a session cookie ghs_" + "Zz9Yy8Xx" * 4 + "Zz9Y"
    await house.call(connection, "memory/add", **LAYER, text=old)
    assert await house.call(connection, "memory/remove", **LAYER, match="ghs_Zz9Yy8Xx")
    rows = await house.rows(connection, "remove")
    restored = await house.call(connection, "memory/undo", seq=rows[0]["seq"])
    assert restored["restored"][0]["text"] == old


async def test_a_person_at_a_terminal_can_insist_and_the_row_says_so(house: Any, person: Any) -> None:
    """Who insists is asked about the change as ever, and the row names the kinds."""
    connection = house.connect(person)
    shown: list[str] = []

    async def insisting(hits: Any) -> bool:
        shown.extend(str(hit.described()) for hit in hits)
        return len(shown) > 1

    connection.asker.insisting = insisting
    with pytest.raises(Fault):
        await house.call(connection, "memory/add", **LAYER, text=TOKEN)
    person.script = ["allowed-once"]
    await house.call(connection, "memory/add", **LAYER, text=TOKEN)
    assert TOKEN not in "".join(shown)
    newest, refused = await house.rows(connection)
    assert newest["by"]["secretsConfirmed"] == ["github-token"]
    assert refused["action"] == "add-refused"
    assert len(person.questions) == 1


async def test_a_proposal_is_never_insisted_on(house: Any, person: Any) -> None:
    """A wish for later is refused whoever is there."""
    connection = house.connect(person)

    async def insisting(_hits: Any) -> bool:
        return True

    connection.asker.insisting = insisting
    with pytest.raises(Fault):
        await house.call(connection, "proposals/create", change={"action": "add", **LAYER, "text": TOKEN})


async def test_a_caller_that_gives_up_meanwhile_leaves_the_row_all_the_same(
    house: Any, person: Any, holding: Any
) -> None:
    """Cancelling while the screen looks stores nothing of the text."""
    connection = house.connect(person)
    task = asyncio.create_task(house.call(connection, "memory/add", **LAYER, text=TOKEN))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises((Fault, asyncio.CancelledError)):
        await task
    assert holding(house.home, FORMS) == []
