"""Wishes that wait for a person."""

from typing import Any

import pytest
from attrs import evolve

from keepgate.boot.compose import stamp_now
from keepgate.core.model.stamp import Stamp
from keepgate.protocol.errors import Code
from keepgate.protocol.settings import Budgets, ProposalLimits, TrackBudgets, WritePolicy

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


async def test_a_wish_that_was_looked_up_again(client: Any) -> None:
    """A yes to what the inbox shows now is kept with the wish: it and the ledger agree on what was shown."""
    await client.add("one")
    change = {"action": "replace", **UW, "match": "one", "text": "two"}
    made = (await client.call("proposals/create", change=change))["proposal"]
    await client.call("memory/replace", **UW, match="one", text="one and a half")
    got = await client.call("proposals/get", id=made["id"])

    approved = (await client.call("proposals/approve", id=made["id"], hash=got["ask"]["hash"]))["proposal"]

    assert (got["ask"]["hash"], got["ask"]["text"]) == (approved["hash"], approved["text"])
    assert [] == (await client.call("memory/verify"))["problems"]


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


async def test_a_wish_that_waits_is_not_stored_again(build: Any) -> None:
    """Created again, by any session of that agent and place, it is the one that waits: one yes, one entry."""
    house = await build()
    client, other, agent = house.client(), house.client("s2"), house.client("s3", agent="a")
    change = {"action": "add", **UW, "text": "one"}

    made = [
        (await each.call("proposals/create", change=change))["proposal"] for each in (client, client, other)
    ]
    apart = (await agent.call("proposals/create", change=change))["proposal"]
    await client.call("proposals/approve", id=made[0]["id"], hash=made[0]["hash"])

    assert [made[0]] * 3 == made
    assert made[0]["id"] != apart["id"]
    assert 2 == len(await client.rows("proposal"))
    assert (
        Code.PROPOSAL_NOT_FOUND
        == (await client.fault("proposals/approve", id=made[1]["id"], hash=made[1]["hash"])).code
    )


async def test_a_wish_after_nobody_answered(house: Any, people: Any) -> None:
    """An add that nobody could decide waits already, so creating the same wish gives that one."""
    client = house.client(person=people(["nobody"]))
    left = (await client.fault("memory/add", **UW, text="one")).details["proposalId"]

    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "one"}))["proposal"]

    assert [left] == [each["id"] for each in (await client.call("proposals/list"))["proposals"]]
    assert left == made["id"]


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
    assert "## Waiting for approval, not stored\n- add: not approved" in asked_for["text"]


async def test_a_snapshot_shows_what_wishes_would_store(build: Any) -> None:
    """New texts with the kind of change; what would go is shown as the memory that it still is."""
    house = await build(proposals=ProposalLimits(in_snapshot=True))
    client = house.client()
    await client.add("keep me")
    await client.add("old")
    for change in (
        {"action": "remove", **UW, "match": "keep"},
        {"action": "replace", **UW, "match": "old", "text": "new"},
        {"action": "seed", "entries": [{**UW, "text": "one"}, {**UW, "text": "two"}]},
    ):
        await client.call("proposals/create", change=change)

    text = (await client.call("memory/snapshot"))["text"]

    waiting = text.partition("## Waiting for approval, not stored\n")[2]
    assert ["- replace: new", "- seed: one", "- seed: two"] == waiting.splitlines()
    assert 1 == text.count("keep me")


async def test_a_twin_named_otherwise_is_another_wish(client: Any) -> None:
    """Of a match and an id that name one entry today, a yes to the one commits the one."""
    entry = await client.add("foo a")
    client.person.script = ["nobody"]
    await client.fault("memory/replace", **UW, match="foo", text="new")
    await client.add("foo b")

    result = await client.call("memory/replace", **UW, id=entry["id"], text="new")

    assert entry["id"] == result["entry"]["id"]
    listed = (await client.call("proposals/list"))["proposals"]
    assert ["pending", "approved"] == [each["status"] for each in listed if each["kind"] == "replace"]


async def test_who_takes_up_a_wish_is_named_in_entry_and_ledger(house: Any, people: Any) -> None:
    """The session that the person was told of is the one that is stored, not the one that asked first."""
    first = house.client("first", person=people(["nobody"]))
    await first.fault("memory/add", **UW, text="one")
    second = house.client("second")

    entry = await second.add("one")

    (row,) = await second.rows("add")
    (link,) = (await second.call("memory/why", id=entry["id"]))["chain"]
    (wish,) = (await second.call("proposals/list"))["proposals"]
    assert ["second"] * 5 == [
        second.person.questions[0].session_id,
        entry["sessionId"],
        row["sessionId"],
        link["sessionId"],
        wish["sessionId"],
    ]
    assert second.connection.asker.connection_id == link["askedBy"]["connection"]


async def test_expired_wishes_fill_no_queue(build: Any) -> None:
    """Also where nothing sweeps: they list as expired, are not counted, and make room for the next."""
    moment = Moment()
    house = await build(stamp=moment, proposals=ProposalLimits(max_per_workspace=1))
    client = house.client()
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "a"}))["proposal"]
    moment.now_ms = made["expiresAt"]

    listed = [
        [each["id"] for each in (await client.call("proposals/list", status=status))["proposals"]]
        for status in ("pending", "expired")
    ]
    waiting = (await client.call("memory/status"))["pendingProposals"]
    await client.add("b")

    assert ([[], [made["id"]]], 0) == (listed, waiting)
    (row,) = await client.rows("add-denied")
    assert "cancelled (via expiry, writePolicy ask)" == row["outcome"]
    (decided, _) = client.told("approval/decided")
    assert (made["id"], "cancelled", None) == (decided.id, decided.outcome, decided.by)


async def test_the_inbox_takes_nothing_that_a_policy_refuses(build: Any) -> None:
    """``off`` refuses a wish like a write: denied by the policy, with its row, and nothing waits."""
    client = (await build(write_policy=WritePolicy.OFF)).client()

    fault = await client.fault("proposals/create", change={"action": "add", **UW, "text": "one"})

    assert (Code.WRITE_DENIED, "rejected", "policy") == (
        fault.code,
        fault.details["outcome"],
        fault.details["reason"],
    )
    (row,) = await client.rows()
    assert ("add-denied", "rejected (via policy, writePolicy off)") == (row["action"], row["outcome"])
    assert [] == (await client.call("proposals/list"))["proposals"]


async def test_a_yes_under_a_policy_of_off_is_announced_as_the_policys_no(build: Any) -> None:
    """Whoever says yes, the policy decided, and listeners hear so."""
    client = (await build()).client()
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "one"}))["proposal"]
    strict = (await build(write_policy=WritePolicy.OFF)).client()

    await strict.fault("proposals/approve", id=made["id"], hash=made["hash"])

    (decided,) = strict.told("approval/decided")
    assert ("rejected", {"via": "policy"}) == (decided.outcome, decided.by)


async def test_a_swept_wish_is_announced(build: Any) -> None:
    """This process's clients hear that a wish has expired, as those of others do."""
    moment = Moment()
    house = await build(stamp=moment)
    client = house.client()
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "a"}))["proposal"]
    moment.now_ms = made["expiresAt"]

    await house.sidecar.gate.sweep()

    (decided,) = client.told("approval/decided")
    assert (made["id"], "cancelled", None) == (decided.id, decided.outcome, decided.by)


async def test_a_wish_of_an_unknown_kind_is_listed_and_left_alone(build: Any) -> None:
    """What a newer version stored breaks no list and no sweep; here it cannot be decided."""
    moment = Moment()
    house = await build(stamp=moment)
    client = house.client()
    made = (await client.call("proposals/create", change={"action": "add", **UW, "text": "a"}))["proposal"]

    def store(db: Any) -> None:
        columns = [
            row[1] for row in db.execute("PRAGMA table_info(proposals)") if row[1] not in ("row", "id")
        ]
        newer = {"change": """'{"type":"Forget","fact":1}'""", "kind": "'forget'"}
        picked = ", ".join(newer.get(name, name) for name in columns)
        db.execute(
            f"INSERT INTO proposals (id, {', '.join(columns)}) SELECT 'newer', {picked} FROM proposals"
        )

    await house.sidecar.store.canonical.write(store)

    listed = (await client.call("proposals/list"))["proposals"]
    got = await client.call("proposals/get", id="newer")
    fault = await client.fault("proposals/approve", id="newer", hash=made["hash"])
    moment.now_ms = made["expiresAt"]
    await house.sidecar.gate.sweep()

    assert [("add", "pending"), ("forget", "pending")] == [(each["kind"], each["status"]) for each in listed]
    assert (None, "it was stored by another version of keepgate, which can decide it") == (
        got["ask"],
        got["problem"],
    )
    assert Code.PROPOSAL_NOT_FOUND == fault.code
    assert [made["id"]] == [row["proposalId"] for row in await client.rows("add-denied")]


class Moment:
    """A clock that stands where a test puts it."""

    def __init__(self) -> None:
        self.now_ms = stamp_now().now_ms

    def __call__(self) -> Stamp:
        return evolve(stamp_now(), now_ms=self.now_ms)
