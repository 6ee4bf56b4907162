"""What a person allows for the rest of a session: seen and ended from everywhere."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from keepgate.protocol.errors import Code
from keepgate.store.connection import Patience, connect
from keepgate.store.grants import Given, Leave, give

FACT = {"entity": "alice", "kind": "fact", "provenance": "a test"}


@pytest.fixture
async def two(build: Callable[..., Any]) -> Any:
    """Two processes' worth of sidecars on one store."""
    return [await build() for _ in range(2)]


def _trusting(house: Any, people: Any, session: str = "s1", **more: Any) -> Any:
    return house.client(session, person=people(always="allowed-session"), **more)


async def test_leave_is_listed_with_what_it_covers(house: Any, people: Any) -> None:
    """Kind, layer, workspace, for whom it is kept, when and by whom; nothing for what it never covers."""
    client = _trusting(house, people)
    await client.add("prefers tabs")
    await client.call("verbs/remember", fact="Alice likes tea.", **FACT)
    await client.add("likes tea", scope="user-global")
    await client.call("memory/replace", track="user", scope="workspace", match="tabs", text="blanks")

    entries, facts = (await client.call("grants/list"))["grants"]

    assert ("add", "user/workspace", "") == (entries["kind"], entries["layer"], entries["keptFor"])
    assert ("remember", None, "world") == (facts["kind"], facts["layer"], facts["keptFor"])
    for grant in (entries, facts):
        assert ("s1", house.key(), "tester") == (
            grant["sessionId"], grant["workspaceKey"], grant["by"]["client"],
        )  # fmt: skip
        assert grant["grantedAt"] > 0


async def test_leave_is_ended_from_another_process(two: Any, people: Any) -> None:
    """The next write is asked about; a second time there is nothing to end."""
    one, other = two
    client, elsewhere = _trusting(one, people), other.client("me")
    await client.add("asked")
    await client.add("not asked")
    (grant,) = (await elsewhere.call("grants/list"))["grants"]

    ended = [(await elsewhere.call("grants/revoke", id=grant["id"]))["revoked"] for _ in range(2)]
    await client.add("asked again")

    assert ([True, False], 2) == (ended, len(client.person.questions))
    assert 1 == len((await elsewhere.call("grants/list"))["grants"])


async def test_leave_counts_where_the_session_speaks(two: Any, people: Any) -> None:
    """The same session id through another process is asked."""
    one, other = two
    await _trusting(one, people).add("asked")
    client = other.client()

    await client.add("asked, too")

    assert 1 == len(client.person.questions)


async def test_leave_ends_with_its_session(house: Any, people: Any) -> None:
    """Closed, it is gone from the list, and a session of that name is asked."""
    client = _trusting(house, people)
    await client.add("asked")

    await client.call("session/close", id="s1")
    after = (await client.call("grants/list"))["grants"]
    await client.add("asked again")
    await client.add("not asked")

    assert ([], 2) == (after, len(client.person.questions))


async def test_leave_ends_with_its_process(build: Callable[..., Any], people: Any) -> None:
    """What a process that is gone left in the store is not listed, holds nothing, and is swept away."""
    one, other = await build(), await build()
    await _trusting(one, people).add("asked")
    one.sidecar.store.presence.release()
    client = other.client()

    listed = (await client.call("grants/list"))["grants"]
    await client.add("asked here")
    await other.sidecar.gate.sweep()

    assert ([], 1) == (listed, len(client.person.questions))
    count = "SELECT count(*) FROM grants"
    assert 0 == await other.sidecar.store.reading.run(lambda db: db.execute(count).get)


async def test_leave_of_another_workspace_is_out_of_sight(house: Any, people: Any) -> None:
    """It is neither listed nor ended there."""
    here, there = _trusting(house, people), house.client("me", folders=("other",))
    await here.add("asked")
    (grant,) = (await here.call("grants/list"))["grants"]

    assert [] == (await there.call("grants/list"))["grants"]
    assert {"revoked": False} == await there.call("grants/revoke", id=grant["id"])
    await here.add("not asked")
    assert 1 == len(here.person.questions)


async def test_nobody_writes_leave_without_an_approved_change(client: Any, house: Any) -> None:
    """The store refuses a row that no allowed change of that session and layer backs, and any edit."""
    await client.add("once")

    def forged(**changed: Any) -> Given:
        leave = {
            "session_id": "s1", "agent_key": "", "kind": "add", "track": "user", "workspace_key": house.key(),
            "kept_for": "", "holder": "x", **changed,
        }  # fmt: skip
        return Given(id="g", leave=Leave(**leave), granted_at=1, by={}, ledger_seq=1)

    lane = house.sidecar.store.canonical
    for change in ({"session_id": "s2"}, {"track": "agent"}, {"workspace_key": "/other"}):
        with pytest.raises(Exception, match="leave for a session comes with an approved change"):
            await lane.run(lambda db, change=change: give(db, forged(**change)))
    await lane.run(lambda db: give(db, forged()))
    with pytest.raises(Exception, match="never changed"):
        await lane.run(lambda db: db.execute("UPDATE grants SET holder = 'y'").fetchall())


async def test_a_remote_caller_has_no_such_tools(client: Any) -> None:
    """No surface offers them; and params are checked like everywhere."""
    from keepgate.protocol.ops import BY_NAME
    from keepgate.protocol.surfaces import TOOLS

    offered = {row.name for tool in TOOLS for row in tool.rows.values()}
    assert not offered & {"grants/list", "grants/revoke"}
    assert not any(BY_NAME[name].tool for name in ("grants/list", "grants/revoke"))
    assert Code.INVALID_INPUT == (await client.fault("grants/revoke")).code


async def test_the_ledger_tells_of_leave_and_of_its_end(two: Any, people: Any) -> None:
    """Who gave it, for what, to which session; who ended it; that it ended with its session or process."""
    one, other = two
    client, elsewhere = _trusting(one, people), other.client("me")
    await client.add("asked")
    await client.call("verbs/remember", fact="Alice likes tea.", **FACT)
    for grant in (await elsewhere.call("grants/list"))["grants"][:1]:
        await elsewhere.call("grants/revoke", id=grant["id"])
    await client.call("session/close", id="s1")
    third = _trusting(one, people, "s3")
    await third.add("of another session", track="agent")
    one.sidecar.store.presence.release()
    await other.sidecar.gate.sweep()

    rows = await elsewhere.rows("grant", "grant-ended")

    assert [
        ("grant", "s1", "user", "given", "adding to user/workspace, shared"),
        ("grant", "s1", None, "given", "remembering facts, kept for world"),
        ("grant-ended", "s1", "user", "revoked", "adding to user/workspace, shared"),
        ("grant-ended", "s1", None, "session closed", "remembering facts, kept for world"),
        ("grant", "s3", "agent", "given", "adding to agent/workspace, shared"),
        ("grant-ended", "s3", "agent", "process gone", "adding to agent/workspace, shared"),
    ] == [(row["action"], row["sessionId"], row["track"], row["outcome"], row["text"]) for row in rows]
    assert "tester" == rows[0]["by"]["client"] == rows[2]["by"]["client"]
    assert elsewhere.connection.asker.connection_id == rows[2]["by"]["connection"]
    assert [None, None] == [rows[3]["by"], rows[5]["by"]]
    assert (await elsewhere.call("memory/verify"))["ok"]


async def test_leave_that_is_there_already_is_not_told_again(house: Any, people: Any) -> None:
    """Two questions at once can be answered with the same leave."""
    client = _trusting(house, people)

    await asyncio.gather(client.add("one"), client.add("two"))

    assert 2 == len(client.person.questions)
    assert 1 == len(await client.rows("grant"))


async def test_leave_ends_with_its_session_though_the_store_takes_no_writes(house: Any, people: Any) -> None:
    """It stays in the store, where it counts for nothing: a session of that name is asked."""
    client = _trusting(house, people)
    await client.add("asked")
    lock = connect(house.sidecar.store.path, Patience())
    house.sidecar.store.canonical._patience.limit_ms = 30
    lock.execute("BEGIN IMMEDIATE")

    await client.call("session/close", id="s1")
    lock.execute("ROLLBACK")
    lock.close()
    await client.add("asked again")
    await client.add("and once more")

    assert 3 == len(client.person.questions)
    assert [] == await client.rows("grant-ended")
