"""Queries, lists, histories, budgets and snapshots."""

from typing import Any

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.settings import Budgets, TrackBudgets, WritePolicy

ASK, AUTO = WritePolicy.ASK, WritePolicy.AUTO
UW = {"track": "user", "scope": "workspace"}
UG = {"track": "user", "scope": "user-global"}


def small(units: int) -> Budgets:
    """The same budget for every layer."""
    one = TrackBudgets(user_global=units, workspace=units)
    return Budgets(user=one, agent=one)


@pytest.mark.parametrize(
    ("needle", "found"),
    [
        ("TABS", ["Prefers Tabs"]),
        ("%", ["100 % sure"]),
        ("_", ["snake_case"]),
        ("ä", ["ärger"]),
        ("Ä", []),
        ("\u212a", []),
        ("記", ["記憶は大切"]),
        ("😀", ["smile 😀"]),
        ("é", []),
        (" ", ["Prefers Tabs", "100 % sure", "smile 😀", "cafe\u0301 noir"]),
        (
            "",
            [
                "Prefers Tabs",
                "100 % sure",
                "snake_case",
                "ärger",
                "記憶は大切",
                "smile 😀",
                "cafe\u0301 noir",
                "ΟΔΟΣΑ",
            ],
        ),
        ("ΟΔΟΣ", ["ΟΔΟΣΑ"]),
    ],
)
async def test_query_is_a_substring_test(client: Any, needle: str, found: list[str]) -> None:
    """DSH-4-query, A4: ASCII case folds, nothing else; wildcards are letters; nobody is asked."""
    texts = [
        "Prefers Tabs",
        "100 % sure",
        "snake_case",
        "ärger",
        "記憶は大切",
        "smile 😀",
        "cafe\u0301 noir",
        "ΟΔΟΣΑ",
    ]
    await client.call("memory/seed", entries=[{**UW, "text": text} for text in texts])

    assert sorted(found) == sorted(await client.texts(text=needle))
    assert 1 == len(client.person.questions)


@pytest.mark.parametrize("needle", ["TABS", "%", "ΟΔΟΣ", "記", " tabs"])
async def test_writes_match_as_queries_do(client: Any, needle: str) -> None:
    """A4: what one query finds, one remove finds."""
    texts = ["Prefers tabs", "100 %", "ΟΔΟΣΑ", "記憶", "other"]
    await client.call("memory/seed", entries=[{**UW, "text": text} for text in texts])
    (found,) = await client.texts(text=needle)

    assert found == (await client.call("memory/remove", **UW, match=needle))["entry"]["text"]


async def test_recalls_are_counted_after_the_order_is_decided(client: Any) -> None:
    """DSH-4-recall, DSH-4-order, A13: the page shows the counts before it; only the returned page counts."""
    await client.call(
        "memory/seed", entries=[{**UW, "text": text} for text in ("tea one", "tea two", "tea three")]
    )

    first = await client.call("memory/query", text="two")
    again = await client.call("memory/query", text="tea", limit=1)
    third = await client.call("memory/query", text="tea")

    assert [0] == [entry["recallCount"] for entry in first["entries"]]
    assert (["tea two"], 3, True) == (
        [entry["text"] for entry in again["entries"]],
        again["total"],
        again["truncated"],
    )
    assert [2, 0, 0] == [entry["recallCount"] for entry in third["entries"]]
    assert third["entries"][0]["lastRecalled"] >= third["entries"][0]["createdAt"]
    assert ["two", "tea", "tea"] == [row["text"] for row in await client.rows("recalled")]


async def test_a_session_s_recall_has_a_row(client: Any) -> None:
    """DSH-6-recalled: with the filter's track and scope, the needle and the session."""
    await client.call("memory/query", text="tea", track="user")

    (row,) = await client.rows("recalled")
    assert ("user", None, "tea", "ok", "s1") == tuple(
        row[name] for name in ("track", "scope", "text", "outcome", "sessionId")
    )


async def test_management_reads_count_nothing(client: Any) -> None:
    """W20, A13: a read without a session leaves order and ledger alone."""
    await client.add("tea")
    for _ in range(3):
        await client.call("memory/query", session=None)

    (entry,) = (await client.call("memory/query", session=None))["entries"]
    assert (0, None, []) == (entry["recallCount"], entry["lastRecalled"], await client.rows("recalled"))


async def test_query_pages(client: Any) -> None:
    """Offset and limit walk through all hits once."""
    await client.call("memory/seed", entries=[{**UW, "text": f"note {number}"} for number in range(7)])
    pages = [
        await client.call("memory/query", session=None, limit=3, offset=offset) for offset in (0, 3, 6, 9)
    ]

    assert [3, 3, 1, 0] == [len(page["entries"]) for page in pages]
    assert [True, True, False, False] == [page["truncated"] for page in pages]
    assert 7 == len({entry["id"] for page in pages for entry in page["entries"]})


async def test_limits_of_queries(build: Any) -> None:
    """DSH-4-limit: 20 unless the settings say otherwise, never more than 1000, at least 1."""
    client = (await build(query_limit=2, budgets=small(100_000))).client()
    for _ in range(2):
        await client.call("memory/seed", entries=[{**UW, "text": f"note {number}"} for number in range(600)])

    assert 2 == len(await client.texts())
    assert 1000 == len(await client.texts(limit=5000))
    assert Code.INVALID_INPUT == (await client.fault("memory/query", limit=0)).code
    assert Code.INVALID_INPUT == (await client.fault("memory/query", offset=-1)).code


async def test_query_by_tags(client: Any) -> None:
    """Every tag must be there."""
    await client.add("one", tags=["a", "b"])
    await client.add("two", tags=["a"])

    assert ["one"] == await client.texts(tags=["b", "a"])
    assert ["one", "two"] == sorted(await client.texts(tags=["a"]))


async def test_get_history_and_why(client: Any) -> None:
    """An entry by id, its states from the ledger, and who wanted and allowed each."""
    entry = await client.add("one")
    await client.call("memory/replace", **UW, match="one", text="two")
    await client.call("memory/remove", **UW, match="two")

    gone = await client.fault("memory/get", id=entry["id"])
    history = (await client.call("memory/history", id=entry["id"]))["versions"]
    why = await client.call("memory/why", id=entry["id"])

    assert Code.ENTRY_NOT_FOUND == gone.code
    expected = [("add", 1, "one"), ("replace", 2, "two"), ("remove", 2, "two")]
    assert expected == [(each["action"], each["version"], each["text"]) for each in history]
    assert why["entry"] is None
    hashes = [question.hash for question in client.person.questions]
    assert hashes == [link["hash"] for link in why["chain"]]
    assert {"tester"} == {link["decidedBy"]["client"] for link in why["chain"]}


@pytest.mark.parametrize("granted", [False, True])
async def test_why_without_a_question(build: Any, people: Any, granted: bool) -> None:
    """DSH-6: where a policy or a standing permission decided, the client that asked is named all the same."""
    client = (await build(write_policy=ASK if granted else AUTO)).client(person=people(["allowed-session"]))
    await client.add("first")

    entry = await client.add("second")

    (link,) = (await client.call("memory/why", id=entry["id"]))["chain"]
    asked_by = client.connection.asker.described()
    assert (asked_by, asked_by if granted else {"via": "policy"}) == (link["askedBy"], link["decidedBy"])
    assert (None, None) == (link["askedAt"], link["decidedAt"])


async def test_list_walks_in_creation_order(client: Any) -> None:
    """``next`` continues where the page ended, also when entries came and went."""
    for text in ("one", "two", "three", "four"):
        await client.add(text)

    first = await client.call("memory/list", limit=2)
    await client.call("memory/remove", **UW, match="three")
    second = await client.call("memory/list", limit=2, after=first["next"])

    assert (["one", "two"], ["four"]) == tuple(
        [each["text"] for each in page["entries"]] for page in (first, second)
    )
    assert second["next"] is None
    for bad in ("x", "-1", "1" * 30):
        assert Code.INVALID_INPUT == (await client.fault("memory/list", after=bad)).code


async def test_budgets_have_four_rows(client: Any) -> None:
    """DSH-4-budgets, DSH-5-count: in the fixed order; only text counts, in UTF-16 units."""
    await client.add("👍漢", tags=["a long tag"], source="some-label")

    rows = (await client.call("memory/budgets"))["budgets"]

    layers = [
        ("user", "user-global", 0),
        ("user", "workspace", 3),
        ("agent", "user-global", 0),
        ("agent", "workspace", 0),
    ]
    assert layers == [(row["track"], row["scope"], row["used"]) for row in rows]
    assert [2000, 2000, 4000, 4000] == [row["limit"] for row in rows]


async def test_a_workspace_layer_is_counted_for_that_workspace(build: Any) -> None:
    """A6: another folder's entries take no room; user-global is one pot; private and shared share it."""
    house = await build(budgets=small(10))
    here, there = house.client("s1", agent="planner", folders=("one",)), house.client("s2", folders=("two",))
    await here.add("1234567890")

    assert "1234567890" == (await there.add("1234567890"))["text"]
    await here.add("1234567890", scope="user-global")
    fault = await there.fault("memory/add", **UG, text="x")
    shared = await here.fault("memory/add", **UW, text="x", agentKey="")

    assert [(10, 11), (10, 11)] == [
        (each.details["used"], each.details["needed"]) for each in (fault, shared)
    ]


async def test_a_full_layer_takes_exactly_its_limit(build: Any) -> None:
    """DSH-5-exceeded: equal passes; needed is the total after the write."""
    client = (await build(budgets=small(10))).client()
    await client.add("1234567890")

    fault = await client.fault("memory/replace", **UW, match="1", text="12345678901")

    assert {**UW, "used": 10, "limit": 10, "needed": 11} == fault.details


async def test_a_snapshot_is_frozen_for_its_session(client: Any) -> None:
    """A12, DSH-6-snapshot: later changes and reconnects do not move it; its row holds its very text."""
    await client.add("one")
    first = await client.call("memory/snapshot")
    await client.call("memory/remove", **UW, match="one")
    await client.add("two")

    again = await client.call("memory/snapshot")
    other = await client.call("memory/snapshot", session={"id": "s2"})

    assert first == again
    assert ("- one" in first["text"], "- two" in other["text"]) == (True, True)
    rows = await client.rows("snapshot")
    assert [first["text"], other["text"]] == [row["text"] for row in rows]


async def test_a_snapshot_shows_true_use_in_creation_order(house: Any) -> None:
    """A6, A12: the heading counts entries of other presets, too; the order is that of creation."""
    await house.client("s0", agent="writer").add("hidden")
    planner = house.client(agent="planner")
    for text in ("b", "a"):
        await planner.add(text)

    text = (await planner.call("memory/snapshot"))["text"]

    assert "## About the user, in this workspace — 8/2000 chars used\n- b\n- a" in text
    assert "hidden" not in text


async def test_an_empty_snapshot_is_empty_and_has_its_row(client: Any) -> None:
    """DSH-6-snapshot: nothing visible gives the empty string, and the ledger says so."""
    answer = await client.call("memory/snapshot")

    assert ("", 0) == (answer["text"], answer["entries"])
    assert [""] == [row["text"] for row in await client.rows("snapshot")]


async def test_a_snapshot_needs_a_session(client: Any) -> None:
    """It is a session's; without one there is nothing to freeze it for."""
    assert Code.INVALID_INPUT == (await client.fault("memory/snapshot", session=None)).code


@pytest.mark.parametrize(
    ("method", "params", "paths"),
    [
        ("memory/query", {"limit": 0, "offset": -1, "tags": [" "]}, {"$.limit", "$.offset", "$.tags[0]"}),
        ("memory/list", {"limit": 0, "after": "x"}, {"$.limit", "$.after"}),
    ],
)
async def test_every_problem_of_a_page_is_told_at_once(
    client: Any, method: str, params: Any, paths: Any
) -> None:
    """DSH-7-INVALID_INPUT: nobody has to mend a request one field at a time."""
    fault = await client.fault(method, **params)

    assert paths == {problem["path"] for problem in fault.details["problems"]}
