"""Who sees what, and how a request says who asks."""

import contextlib
import json
from typing import Any

import pytest

from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Code, Fault

UW = {"track": "user", "scope": "workspace"}


async def test_a_session_sees_its_own_and_what_is_shared(house: Any) -> None:
    """DSH-2-visibility, A3: own preset and shared, own workspace and user-global, on every road."""
    planner = house.client("p", agent="planner", folders=("one",))
    own = await planner.add("seen private tea")
    hidden = [
        await house.client("w", agent="writer", folders=("one",)).add("unseen writer tea"),
        await house.client("e", folders=("two",)).add("unseen elsewhere tea"),
        await house.client("g", agent="writer", folders=("two",)).add(
            "unseen global tea", scope="user-global"
        ),
    ]

    shown: list[Any] = [
        await planner.call("memory/query", text="tea"),
        await planner.call("memory/list"),
        await planner.call("memory/snapshot"),
        await planner.call("memory/audit", limit=1000),
        await planner.call("memory/export"),
        await planner.call("proposals/list"),
    ]
    faults = [
        await planner.fault(method, id=entry["id"])
        for method in ("memory/get", "memory/history", "memory/why")
        for entry in hidden
    ]

    assert "unseen" not in json.dumps(shown)
    assert own["id"] == (await planner.call("memory/get", id=own["id"]))["entry"]["id"]
    assert {Code.ENTRY_NOT_FOUND} == {fault.code for fault in faults}
    assert "seen private tea" == (await planner.call("memory/remove", **UW, match="tea"))["entry"]["text"]
    for entry in hidden:
        layer = {"track": entry["track"], "scope": entry["scope"]}
        fault = await planner.fault("memory/remove", **layer, id=entry["id"])
        assert Code.ENTRY_NOT_FOUND == fault.code
    for row in await planner.rows("add"):
        if row["entryId"] != own["id"]:
            assert Code.INVALID_INPUT == (await planner.fault("memory/undo", seq=row["seq"])).code


async def test_the_management_view(house: Any) -> None:
    """DSH-2-management, A3: every agent's entries of this connection's workspaces; all with allWorkspaces."""
    await house.client("w", agent="writer", folders=("one",)).add("writer's")
    await house.client("e", folders=("two",)).add("elsewhere")
    view = house.client("p", agent="planner", folders=("one",))

    assert ["writer's"] == await view.texts()
    assert ["elsewhere", "writer's"] == sorted(await view.texts(allWorkspaces=True))
    assert Code.INVALID_INPUT == (await view.fault("memory/query", allWorkspaces=True)).code
    remote = house.client(None, folders=("one",), remote=True)
    assert Code.INVALID_INPUT == (await remote.fault("memory/query", allWorkspaces=True)).code


async def test_ambiguity_counts_and_shows_visible_entries_only(house: Any) -> None:
    """DSH-7-AMBIGUOUS_MATCH, A3: what the session sees; at most ten samples of 200 units."""
    await house.client("w", agent="writer").add("tea of the writer")
    planner = house.client(agent="planner")
    for number in range(12):
        await planner.add(f"tea {number} " + "x" * (300 if number == 0 else 1))

    fault = await planner.fault("memory/remove", **UW, match="TEA")

    assert (12, 10) == (fault.details["candidates"], len(fault.details["sample"]))
    assert f"tea 0 {'x' * 194}…" == fault.details["sample"][0]
    assert "writer" not in str(fault.details)


async def test_sessions_and_their_workspaces(house: Any) -> None:
    """The answer echoes key and rule: the deepest open folder that holds cwd, else the first."""
    client = house.client(None, folders=("one", "one/inner", "two"))
    deep = str(house.folder / "one" / "inner" / "deep")

    opened = [
        await client.call("session/open", id="a"),
        await client.call("session/open", id="b", cwd=deep, agentPreset=" planner "),
        await client.call("session/open", id="c", cwd=str(house.folder / "two")),
    ]

    assert [house.key("one"), house.key("one/inner"), house.key("two")] == [
        each["workspaceKey"] for each in opened
    ]
    assert ["folder", "folder-containing-cwd", "folder-containing-cwd"] == [each["rule"] for each in opened]
    assert ["", "planner", ""] == [each["agentKey"] for each in opened]
    outside = await client.fault("session/open", id="d", cwd=str(house.folder))
    assert Code.INVALID_INPUT == outside.code


async def test_a_session_without_folders_has_its_own_cwd(house: Any) -> None:
    """With no open folder the working directory is its own workspace; without one there is none."""
    client = house.client(None, folders=())

    own = await client.call("session/open", id="a", cwd=str(house.folder))
    none = await client.call("session/open", id="b")

    assert (str(house.folder.resolve()), "cwd") == (own["workspaceKey"], own["rule"])
    assert ("", "none") == (none["workspaceKey"], none["rule"])


async def test_a_default_session_applies_to_reads_and_writes(house: Any) -> None:
    """Until it is closed; ``session: null`` asks for the management view all the same."""
    client = house.client(None)
    await client.call("session/open", id="a", agentPreset="planner", default=True)

    assert "planner" == (await client.add("mine"))["agentKey"]
    await client.call("memory/query", text="mine")
    assert ["a"] == [row["sessionId"] for row in await client.rows("recalled")]
    assert {"closed": True} == await client.call("session/close", id="a")
    assert {"closed": False} == await client.call("session/close", id="a")
    assert Code.WRITE_REQUIRES_AGENT == (await client.fault("memory/add", **UW, text="x")).code


async def test_an_opened_session_is_remembered_by_its_id(house: Any) -> None:
    """A request that names the id alone gets preset and cwd of its opening."""
    client = house.client(None, folders=("one", "two"))
    await client.call("session/open", id="a", agentPreset="planner", cwd=str(house.folder / "two"))

    entry = await client.add("x", session={"id": "a"})

    assert ("planner", house.key("two")) == (entry["agentKey"], entry["workspaceKey"])


@pytest.mark.parametrize(
    "session", [{"id": ""}, {"id": "x" * 257}, {"id": "a\x00"}, {"id": "s", "cwd": "relative"}]
)
async def test_bad_sessions_are_refused(client: Any, session: Any) -> None:
    """Ids have 1 to 256 characters; a working directory is absolute."""
    assert Code.INVALID_INPUT == (await client.fault("memory/add", **UW, text="x", session=session)).code


async def test_a_connection_can_come_with_a_session(house: Any) -> None:
    """The default session of a connection's settings is there from the start."""
    client = house.client(None, default=SessionRef(id="given", agent_preset="planner"))

    entry = await client.add("x")

    assert ("given", "planner") == (entry["sessionId"], entry["agentKey"])


# Batches that go to several workspaces of one connection.


async def test_a_batch_over_two_folders_is_announced_to_those_who_have_both(house: Any) -> None:
    """A client without one of the folders hears nothing of that folder's text."""
    both = house.client(folders=("one", "two"))
    witness = house.client("s2", folders=("two", "one", "three"))
    others = [house.client(f"o{folder}", folders=(folder,)) for folder in ("one", "two", "three")]
    drafts = [{**UW, "text": "of one"}, {**UW, "text": "of two", "workspaceKey": house.key("two")}]

    await both.call("memory/seed", entries=drafts)

    assert [1, 1] == [len(client.told("approval/asked")) for client in (both, witness)]
    assert "of two" not in str([other.notes for other in others])


@pytest.mark.parametrize("method", ["memory/audit", "proposals/list"])
@pytest.mark.parametrize("word", ["allowed-once", "rejected"])
async def test_a_batch_for_another_folder_is_no_news_here(
    house: Any, people: Any, method: str, word: str
) -> None:
    """A session of one folder reads nothing that was meant for the other, allowed or denied."""
    both = house.client(folders=("one", "two"), person=people([word]))
    drafts = [{**UW, "text": "of one"}, {**UW, "text": "of two", "workspaceKey": house.key("two")}]
    with contextlib.suppress(Fault):
        await both.call("memory/seed", entries=drafts)

    shown = await house.client("s2", folders=("one",)).call(method)

    assert "of two" not in str(shown)


@pytest.mark.parametrize("word", ["allowed-once", "rejected"])
async def test_a_batch_over_two_folders_is_shown_to_who_has_both(house: Any, people: Any, word: str) -> None:
    """R-SCOPE: the connection that asked sees row and wish whole; with one folder the wish is unknown."""
    both = house.client(folders=("one", "two"), person=people([word]))
    drafts = [{**UW, "text": "of one"}, {**UW, "text": "of two", "workspaceKey": house.key("two")}]
    with contextlib.suppress(Fault):
        await both.call("memory/seed", entries=drafts)
    rows = (await both.call("memory/audit", session=None))["rows"]
    (wish,) = (await both.call("proposals/list", session=None))["proposals"]

    hidden = await house.client("s2", folders=("one",)).fault("proposals/get", id=wish["id"])

    assert "user/workspace: of one\nuser/workspace: of two" == wish["text"]
    assert 1 == len([row for row in rows if row["text"] == wish["text"]])
    assert Code.PROPOSAL_NOT_FOUND == hidden.code


async def test_a_batch_for_one_other_folder_is_hidden_from_its_authors_folder(
    house: Any, people: Any
) -> None:
    """R-SCOPE: also when nothing of it goes to the folder that the session stands in."""
    both = house.client(folders=("one", "two"), person=people(["rejected", "allowed-once"]))
    drafts = [{**UW, "text": "of two", "workspaceKey": house.key("two")}]
    await both.fault("memory/seed", entries=drafts)
    await both.call("memory/seed", entries=drafts)
    one = house.client("s2", folders=("one",))

    shown = [await one.call(method, session=None) for method in ("memory/audit", "proposals/list")]

    assert "of two" not in str(shown)


async def test_each_folder_takes_back_its_part_of_a_batch(house: Any) -> None:
    """R-UNDO: from either folder, by any row of the batch; what is in the other stays."""
    both = house.client(folders=("one", "two"))
    drafts = [{**UW, "text": "of one"}, {**UW, "text": "of two", "workspaceKey": house.key("two")}]
    await both.call("memory/seed", entries=drafts)

    taken = [
        await house.client(folder, folders=(folder,)).call("memory/undo", seq=1) for folder in ("two", "one")
    ]

    assert [["of two"], ["of one"]] == [[entry["text"] for entry in each["removed"]] for each in taken]
    assert [] == await both.texts()
