"""Wishes that wait for a person."""

from typing import Any

import pytest
from attrs import evolve

from keepgate.boot.compose import stamp_now
from keepgate.core.model.stamp import Stamp
from keepgate.protocol.errors import Code
from keepgate.protocol.settings import Budgets, ProposalLimits, TrackBudgets

UW = {"track": "user", "scope": "workspace"}


def small(units: int) -> Budgets:
    """The same budget for every layer."""
    one = TrackBudgets(user_global=units, workspace=units)
    return Budgets(user=one, agent=one)


async def test_a_wish_for_the_inbox_asks_nobody(client: Any) -> None:
    """proposals/create, list, get, approve: stored, shown whole, and stored for good by a yes to its hash."""
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "one"}))["proposal"]
    got = await client.call("proposals/get", id=made["id"])

    approved = await client.call("proposals/approve", id=made["id"], hash=got["ask"]["hash"])

    assert [] == client.person.questions
    assert ("pending", "one") == (made["status"], got["ask"]["text"])
    assert ("approved", "allowed-once") == (approved["proposal"]["status"], approved["proposal"]["outcome"])
    outcomes = [(row["action"], row["outcome"]) for row in await client.rows()]
    assert [("proposal", "pending"), ("add", "allowed-once (via inbox, writePolicy ask)")] == outcomes
    listed = await client.call("proposals/list", status="approved")
    assert [made["id"]] == [each["id"] for each in listed["proposals"]]
    assert [] == (await client.call("proposals/list", status="pending"))["proposals"]


async def test_a_dismissed_wish_is_over(client: Any) -> None:
    """DSH-7-PROPOSAL_NOT_FOUND: decided once; the ledger has the no."""
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "one"}))["proposal"]
    await client.call("proposals/dismiss", id=made["id"], reason="not true")

    faults = [
        await client.fault("proposals/dismiss", id=made["id"]),
        await client.fault("proposals/approve", id=made["id"], hash=made["hash"]),
        await client.fault("proposals/approve", id="unknown", hash=made["hash"]),
        await client.fault("proposals/get", id="unknown"),
    ]

    assert [(Code.PROPOSAL_NOT_FOUND, made["id"])] * 2 == [
        (each.code, each.details["id"]) for each in faults[:2]
    ]
    assert {Code.PROPOSAL_NOT_FOUND} == {each.code for each in faults}
    (row,) = await client.rows("add-denied")
    assert "rejected (via inbox, writePolicy ask)" == row["outcome"]


async def test_an_approval_binds_to_what_was_shown(client: Any) -> None:
    """A wish whose target moved is not approved by the old hash; it stays pending with the new question."""
    await client.add("one")
    change = {"action": "replace", **UW, "match": "one", "text": "two"}
    made = (await client.call("proposals/create", change=change))["proposal"]
    await client.call("memory/replace", **UW, match="one", text="one and a half")

    fault = await client.fault("proposals/approve", id=made["id"], hash=made["hash"])
    got = await client.call("proposals/get", id=made["id"])
    await client.call("proposals/approve", id=made["id"], hash=got["ask"]["hash"])

    assert (Code.WRITE_DENIED, "changed") == (fault.code, fault.details["reason"])
    assert ("one and a half", "two") == (got["ask"]["from"], got["ask"]["to"])
    assert ["two"] == await client.texts()


async def test_a_wish_that_cannot_come_true_any_more(client: Any) -> None:
    """It shows its problem; approving it refuses, closes it and says so in the ledger."""
    await client.add("one")
    change = {"action": "replace", **UW, "match": "one", "text": "two"}
    made = (await client.call("proposals/create", change=change))["proposal"]
    await client.call("memory/remove", **UW, match="one")

    got = await client.call("proposals/get", id=made["id"])
    fault = await client.fault("proposals/approve", id=made["id"], hash=made["hash"])

    assert (None, True) == (got["ask"], got["problem"].startswith("ENTRY_NOT_FOUND"))
    assert Code.ENTRY_NOT_FOUND == fault.code
    (row,) = await client.rows("replace-refused")
    assert row["outcome"].startswith("ENTRY_NOT_FOUND")
    assert "refused" == (await client.call("proposals/get", id=made["id"]))["proposal"]["status"]


async def test_a_write_takes_up_the_same_wish_from_the_inbox(client: Any) -> None:
    """Asked again by that agent while one waits, the caller attaches; nothing is stored twice."""
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "one"}))["proposal"]

    await client.add("one")

    (proposal,) = (await client.call("proposals/list"))["proposals"]
    assert (made["id"], "approved") == (proposal["id"], proposal["status"])
    assert ["one"] == await client.texts()


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"action": "undo", "seq": 1},
        {"action": "nonsense"},
        {"action": "add", **UW, "text": ""},
        {"action": "add", **UW, "text": "x", "unknown": 1},
        {"action": "add", **UW, "text": "x", "session": {"id": "s"}},
        {"action": "add", **UW, "text": "x" * 4001},
    ],
)
async def test_wishes_that_are_no_good(build: Any, change: Any) -> None:
    """A14: bad changes are refused at once, also a text over the limit, which is never cut."""
    client = (await build(budgets=small(100_000))).client()

    fault = await client.fault("proposals/create", change=change)

    assert Code.INVALID_INPUT == fault.code
    assert all(problem["path"].startswith("$.change") for problem in fault.details["problems"])


async def test_only_an_approver_decides(house: Any) -> None:
    """Deciding is refused to connections without an approver and to command mirrors, whatever the wish."""
    client = house.client(may_decide=False)
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "one"}))["proposal"]

    fault = await client.fault("proposals/approve", id=made["id"], hash=made["hash"])
    decider = house.client()
    with pytest.raises(Exception, match="not-an-approver"):
        await house.sidecar.call(
            decider.connection, "proposals/approve", {"id": made["id"], "hash": made["hash"]}, command=True
        )

    assert (Code.WRITE_DENIED, "not-an-approver") == (fault.code, fault.details["reason"])
    assert [] == await client.texts()


async def test_queues_have_an_end(build: Any) -> None:
    """A14: a full queue is WRITE_DENIED, unavailable, with a row; nothing is lost or cut."""
    house = await build(proposals=ProposalLimits(max_per_session=2, max_per_workspace=3))
    one, two = house.client("s1"), house.client("s2")
    for client, text in ((one, "a"), (one, "b"), (two, "c")):
        await client.call("proposals/create", change={"action": "add", **UW, "text": text})

    faults = [
        await client.fault("proposals/create", change={"action": "add", **UW, "text": "d"})
        for client in (one, two)
    ]

    assert [("unavailable", "queue-full")] * 2 == [
        (each.details["outcome"], each.details["reason"]) for each in faults
    ]
    assert 2 == len(await one.rows("add-denied"))


async def test_a_wish_left_alone_expires(build: Any) -> None:
    """A14: after its days it is closed, and the ledger says so."""
    moment = Moment()
    house = await build(stamp=moment)
    client = house.client()
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "one"}))["proposal"]
    moment.now_ms = made["expiresAt"]
    late = await client.fault("proposals/approve", id=made["id"], hash=made["hash"])

    await house.sidecar.gate.sweep()

    assert Code.PROPOSAL_NOT_FOUND == late.code
    assert "expired" == (await client.call("proposals/get", id=made["id"]))["proposal"]["status"]
    (row,) = await client.rows("add-denied")
    assert "cancelled (via expiry, writePolicy ask)" == row["outcome"]


async def test_wishes_are_in_a_snapshot_only_when_a_setting_asks(build: Any) -> None:
    """A12, W22: unapproved text stays out of prompts by default."""
    house = await build()
    client = house.client()
    await client.call("proposals/create", change={"action": "add", **UW, "text": "not approved"})
    plain = await client.call("memory/snapshot")
    open_house = await build(proposals=ProposalLimits(in_snapshot=True))

    asked_for = await open_house.client("s2").call("memory/snapshot")

    assert "" == plain["text"]
    assert "## Waiting for approval, not stored\n- not approved" in asked_for["text"]


class Moment:
    """A clock that stands where a test puts it."""

    def __init__(self) -> None:
        self.now_ms = stamp_now().now_ms

    def __call__(self) -> Stamp:
        return evolve(stamp_now(), now_ms=self.now_ms)
