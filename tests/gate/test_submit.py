"""Writes through the gate with a person who answers, drifts under their eyes, and deadlines."""

import asyncio
from typing import Any

import pytest

from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Budgets, TrackBudgets, WritePolicy

ADD = {"track": "user", "scope": "workspace", "text": "prefers tabs"}


async def test_an_allowed_add_is_stored_with_its_row(house: Any, person: Any) -> None:
    """DSH-3-add, DSH-6: a yes stores the entry and one row that names the approval."""
    person.script = ["allowed-once"]
    connection = house.connect(person)

    result = await house.call(connection, "memory/add", **ADD)

    assert "prefers tabs" == result["entry"]["text"]
    assert {"track": "user", "scope": "workspace", "used": 12, "limit": 2000} == result["usage"]
    (row,) = await house.rows(connection, "add")
    assert "allowed-once (via approval, writePolicy ask)" == row["outcome"]
    assert result["entry"]["id"] == row["entryId"]


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("rejected", "rejected"),
        ("cancelled", "cancelled"),
        ("other-hash", "cancelled"),
        ("maybe", "cancelled"),
        ("nobody", "unavailable"),
    ],
)
async def test_anything_but_an_allow_is_a_denial(house: Any, person: Any, word: str, outcome: str) -> None:
    """DSH-3: nothing is stored, the ledger has the full payload, and the fault names the outcome."""
    person.script = [word]
    connection = house.connect(person)

    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/add", **ADD)

    assert Code.WRITE_DENIED == caught.value.code
    assert outcome == caught.value.details["outcome"]
    (row,) = await house.rows(connection)
    assert ("add-denied", "prefers tabs", None) == (row["action"], row["text"], row["entryId"])
    assert row["outcome"].startswith(outcome)
    assert 0 == (await house.call(connection, "memory/query"))["total"]


async def test_an_unanswered_question_leaves_the_wish_pending(build: Any, person: Any) -> None:
    """Wire-protocol 5: at the deadline the caller is told, the wish waits, a later yes stores it."""
    house = await build(approval_timeout_seconds=1)
    connection = house.connect(person, may_decide=True)

    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/add", **ADD)

    proposal = caught.value.details["proposalId"]
    assert "unavailable" == caught.value.details["outcome"]
    ask = (await house.call(connection, "proposals/get", id=proposal))["ask"]
    approved = await house.call(connection, "proposals/approve", id=proposal, hash=ask["hash"])
    assert "approved" == approved["proposal"]["status"]
    rows = [row["action"] for row in await house.rows(connection)]
    assert ["add", "add-denied"] == rows
    with pytest.raises(Fault) as again:
        await house.call(connection, "proposals/approve", id=proposal, hash=ask["hash"])
    assert Code.PROPOSAL_NOT_FOUND == again.value.code


async def test_a_target_rewritten_meanwhile_is_asked_again(house: Any, person: Any) -> None:
    """What was shown is what is written: a drifted target puts the question anew with the new text."""
    other = house.connect(person.__class__(script=["allowed-once"] * 2), session="s2")
    await house.call(other, "memory/add", **ADD)

    async def meanwhile(_: Any) -> str:
        await house.call(
            other,
            "memory/replace",
            track="user",
            scope="workspace",
            match="tabs",
            text="prefers tabs, 4 wide",
        )
        return "allowed-once"

    person.script = [meanwhile, "allowed-once"]
    connection = house.connect(person)
    result = await house.call(
        connection, "memory/replace", track="user", scope="workspace", match="tabs", text="prefers spaces"
    )

    assert ["prefers tabs", "prefers tabs, 4 wide"] == [question.from_ for question in person.questions]
    assert ("prefers tabs, 4 wide", 3) == (result["previous"]["text"], result["entry"]["version"])


async def test_a_target_that_drifts_for_ever_is_given_up(house: Any, person: Any) -> None:
    """After three more questions the write is cancelled and nothing is stored."""
    other = house.connect(person.__class__(script=["allowed-once"] * 9), session="s2")
    await house.call(other, "memory/add", **ADD)
    turn = iter(range(9))

    async def meanwhile(_: Any) -> str:
        text = f"tabs {next(turn)}"
        await house.call(other, "memory/replace", track="user", scope="workspace", match="tabs", text=text)
        return "allowed-once"

    person.script = [meanwhile] * 4
    connection = house.connect(person)
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/remove", track="user", scope="workspace", match="tabs")

    assert "cancelled" == caught.value.details["outcome"]
    assert 4 == len(person.questions)


async def test_a_budget_used_up_meanwhile_refuses_after_the_yes(build: Any, person: Any) -> None:
    """The re-check refuses, the proposal closes, and the ledger has a row that says so (W28)."""
    budgets = Budgets(user=TrackBudgets(user_global=20, workspace=20))
    house = await build(budgets=budgets)
    other = house.connect(person.__class__(script=["allowed-once"]), session="s2")

    async def meanwhile(_: Any) -> str:
        await house.call(other, "memory/add", track="user", scope="workspace", text="0123456789")
        return "allowed-once"

    person.script = [meanwhile]
    connection = house.connect(person)
    with pytest.raises(Fault) as caught:
        await house.call(connection, "memory/add", **ADD)

    assert Code.BUDGET_EXCEEDED == caught.value.code
    assert {"used": 10, "limit": 20, "needed": 22} == {
        name: caught.value.details[name] for name in ("used", "limit", "needed")
    }
    (row,) = await house.rows(connection, "add-refused")
    assert row["outcome"].startswith("BUDGET_EXCEEDED")
    proposals = (await house.call(connection, "proposals/list", session=None))["proposals"]
    assert ["approved", "refused"] == sorted(item["status"] for item in proposals)


async def test_cancelling_the_caller_closes_the_wish(house: Any, person: Any) -> None:
    """A cancelled request is a cancelled write, and a late answer finds it closed."""
    connection = house.connect(person)
    call = asyncio.create_task(house.call(connection, "memory/add", **ADD))
    await person.seen.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    (row,) = await house.rows(connection)
    assert ("add-denied", "cancelled (via approval, writePolicy ask)") == (row["action"], row["outcome"])
    (proposal,) = (await house.call(connection, "proposals/list"))["proposals"]
    assert "dismissed" == proposal["status"]


async def test_a_lost_client_leaves_the_wish_pending(house: Any, person: Any) -> None:
    """EOF with a question open: the wish stays in the inbox."""
    connection = house.connect(person)
    call = asyncio.create_task(house.call(connection, "memory/add", **ADD))
    await person.seen.wait()
    await house.sidecar.disconnect(connection)
    with pytest.raises(Fault) as caught:
        await call
    assert "unavailable" == caught.value.details["outcome"]

    later = house.connect(session="s2")
    (proposal,) = (await house.call(later, "proposals/list", session=None))["proposals"]
    assert "pending" == proposal["status"]
    (row,) = await house.rows(later, "add-denied")
    assert (proposal["id"], True) == (row["proposalId"], row["outcome"].startswith("unavailable"))


async def test_the_same_wish_again_attaches_to_the_pending_one(build: Any, person: Any) -> None:
    """A second caller with the same content waits for the same proposal."""
    house = await build(approval_timeout_seconds=1)
    connection = house.connect(person)
    with pytest.raises(Fault):
        await house.call(connection, "memory/add", **ADD)
    person.script = ["allowed-once"]
    await house.call(connection, "memory/add", **ADD)

    proposals = (await house.call(connection, "proposals/list"))["proposals"]
    assert ["approved"] == [item["status"] for item in proposals]


async def test_two_approvals_of_one_proposal_store_once(house: Any, person: Any) -> None:
    """W17: the second approval finds nothing pending."""
    connection = house.connect(person, may_decide=True)
    change = {"action": "add", **ADD}
    made = (await house.call(connection, "proposals/create", change=change))["proposal"]
    answers = await asyncio.gather(
        *(house.call(connection, "proposals/approve", id=made["id"], hash=made["hash"]) for _ in range(2)),
        return_exceptions=True,
    )

    assert [Code.PROPOSAL_NOT_FOUND] == [answer.code for answer in answers if isinstance(answer, Fault)]
    assert 1 == (await house.call(connection, "memory/query"))["total"]


@pytest.mark.parametrize(
    ("policy", "finer", "source", "stored"),
    [
        (WritePolicy.AUTO, {}, None, True),
        (WritePolicy.OFF, {}, None, False),
        (WritePolicy.AUTO, {"user/workspace": WritePolicy.OFF}, None, False),
        (WritePolicy.OFF, {"user/workspace": WritePolicy.AUTO}, None, True),
        (WritePolicy.OFF, {"source:claude": WritePolicy.AUTO}, "claude", False),
        (WritePolicy.AUTO, {"source:claude": WritePolicy.OFF}, "claude", False),
        (WritePolicy.OFF, {"source:keepgate": WritePolicy.AUTO}, None, True),
        (WritePolicy.OFF, {"source:keepgate": WritePolicy.AUTO}, "keepgate", False),
    ],
)
async def test_policies_decide_and_sources_only_tighten(
    build: Any, person: Any, policy: WritePolicy, finer: Any, source: str | None, stored: bool
) -> None:
    """W6, W7: a caller's source never opens a door; a layer's key beats the global policy."""
    house = await build(write_policy=policy, write_policies=finer)
    connection = house.connect(person)
    params = {**ADD, **({"source": source} if source else {})}
    try:
        await house.call(connection, "memory/add", **params)
        outcome = True
    except Fault:
        outcome = False

    assert stored is outcome
    assert [] == person.questions
    (row,) = await house.rows(connection)
    assert (
        f"{'allowed-once' if stored else 'rejected'} (via policy, writePolicy {'auto' if stored else 'off'})"
        == row["outcome"]
    )


async def test_allow_for_session_covers_adding_to_that_layer_only(house: Any, person: Any) -> None:
    """A session grant: further adds to the layer are not asked; removal and other layers are."""
    person.script = ["allowed-session", "rejected", "rejected", "rejected"]
    connection = house.connect(person)
    await house.call(connection, "memory/add", **ADD)
    await house.call(connection, "memory/add", **{**ADD, "text": "uses vim"})
    for method, params in (
        ("memory/remove", {"track": "user", "scope": "workspace", "match": "vim"}),
        ("memory/add", {**ADD, "track": "agent"}),
        ("memory/add", {**ADD, "text": "hidden\u202e"}),
    ):
        with pytest.raises(Fault):
            await house.call(connection, method, **params)

    assert 4 == len(person.questions)
    outcomes = [row["outcome"] for row in await house.rows(connection, "add")]
    assert [
        "allowed-once (via session grant, writePolicy ask)",
        "allowed-once (via approval, writePolicy ask)",
    ] == outcomes


async def test_leave_for_private_notes_is_none_for_shared_ones(house: Any, person: Any) -> None:
    """What every agent reads is another matter than what one preset keeps for itself."""
    person.script = ["allowed-session", "rejected"]
    connection = house.connect(person, agent="reviewer")
    note = {"track": "agent", "scope": "workspace"}
    await house.call(connection, "memory/add", **note, text="mine")

    await house.call(connection, "memory/add", **note, text="mine too")
    with pytest.raises(Fault):
        await house.call(connection, "memory/add", **note, text="for all", agentKey="")

    assert ["mine", "for all"] == [question.text for question in person.questions]
