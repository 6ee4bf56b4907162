"""Ledger rows, what they prove, and taking changes back."""

from typing import Any

import pytest

from keepgate.protocol.errors import Code

UW = {"track": "user", "scope": "workspace"}
AW = {"track": "agent", "scope": "workspace"}


async def test_each_allowed_change_has_its_row(client: Any) -> None:
    """DSH-6-allowed: action, keys, text, the real source of the verdict, and the proposal."""
    entry = await client.add("one", source="editor")

    (row,) = await client.rows("add")
    names = ("track", "scope", "entryId", "text", "outcome", "source", "sessionId", "purged")
    expected = [
        "user",
        "workspace",
        entry["id"],
        "one",
        "allowed-once (via approval, writePolicy ask)",
        "editor",
        "s1",
        False,
    ]
    assert expected == [row[name] for name in names]
    assert {"client": "tester", "version": "1", "channel": "test"}.items() <= row["by"].items()


@pytest.mark.parametrize(
    ("method", "params", "text"),
    [
        ("memory/add", {**UW, "text": "new"}, "new"),
        ("memory/replace", {**UW, "match": "old", "text": "new"}, "from:\nold\n\nto:\nnew"),
        ("memory/remove", {**UW, "match": "old"}, "old"),
        ("memory/consolidate", {**UW, "matches": ["old"], "text": "new"}, "remove: old\nold\nnew text: new"),
        ("memory/seed", {"entries": [{**UW, "text": "new"}]}, "user/workspace: new"),
        ("memory/undo", {"seq": 1}, "remove:\nold"),
    ],
)
@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("rejected", "rejected"),
        ("cancelled", "cancelled"),
        ("nobody", "unavailable"),
        (RuntimeError(), "unavailable"),
    ],
)
async def test_each_denied_write_has_its_row(
    house: Any, people: Any, method: str, params: Any, text: str, word: Any, outcome: str
) -> None:
    """DSH-6-denied, DSH-7-WRITE_DENIED, A9: the whole payload, and nothing is stored."""
    await house.client().add("old")
    client = house.client(person=people([word]))

    fault = await client.fault(method, **params)

    assert (Code.WRITE_DENIED, outcome) == (fault.code, fault.details["outcome"])
    action = f"{method.removeprefix('memory/')}-denied"
    (row,) = await client.rows(action)
    expected = (text, f"{outcome} (via approval, writePolicy ask)", None, fault.details["proposalId"])
    assert expected == (row["text"], row["outcome"], row["entryId"], row["proposalId"])
    assert ["old"] == await client.texts()


async def test_the_audit_pages_and_filters(client: Any) -> None:
    """Newest first; by action, entry and session; ``next`` goes on."""
    entries = [await client.add(f"note {number}") for number in range(4)]
    await client.call("memory/remove", **UW, match="note 2", session={"id": "s2"})

    first = await client.call("memory/audit", limit=2)
    rest = await client.call("memory/audit", limit=9, before=first["next"])

    assert [5, 4, 3, 2, 1] == [row["seq"] for row in [*first["rows"], *rest["rows"]]]
    assert rest["next"] is None
    of_entry = await client.call("memory/audit", entryId=entries[2]["id"])
    assert ["remove", "add"] == [row["action"] for row in of_entry["rows"]]
    assert [5] == [row["seq"] for row in (await client.call("memory/audit", sessionId="s2"))["rows"]]
    assert [5] == [row["seq"] for row in (await client.call("memory/audit", action="remove"))["rows"]]


async def test_verify_replays_the_ledger(client: Any) -> None:
    """DSH-6-rebuild: the head, the number of rows, and nothing to complain about."""
    await client.add("one")
    await client.call("memory/replace", **UW, match="one", text="two")

    result = await client.call("memory/verify")

    assert (True, 2, []) == (result["ok"], result["rows"], result["problems"])
    assert 64 == len(result["head"])


@pytest.mark.parametrize(
    ("method", "params", "back"),
    [
        ("memory/add", {**UW, "text": "new"}, {"removed": ["new"], "restored": []}),
        ("memory/replace", {**UW, "match": "one", "text": "uno"}, {"removed": [], "restored": ["one"]}),
        ("memory/remove", {**UW, "match": "one"}, {"removed": [], "restored": ["one"]}),
        (
            "memory/consolidate",
            {**UW, "matches": ["one", "two"], "text": "both"},
            {"removed": ["both"], "restored": ["two", "one"]},
        ),
        (
            "memory/seed",
            {"entries": [{**UW, "text": "x"}, {**AW, "text": "y"}]},
            {"removed": ["y", "x"], "restored": []},
        ),
    ],
)
async def test_every_change_has_an_inverse(client: Any, method: str, params: Any, back: Any) -> None:
    """As a new change that is asked about; same ids, and the version goes on."""
    before = {entry["id"]: entry["version"] for entry in [await client.add("one"), await client.add("two")]}
    await client.call(method, **params)
    seq = (await client.rows())[-1]["seq"]

    result = await client.call("memory/undo", seq=seq)

    assert back == {name: [entry["text"] for entry in result[name]] for name in back}
    assert ["one", "two"] == sorted(await client.texts())
    assert before.keys() == {entry["id"] for entry in (await client.call("memory/list"))["entries"]}
    assert all(entry["version"] > before[entry["id"]] for entry in result["restored"])
    assert "undo" == client.person.questions[-1].action


async def test_an_undo_can_be_undone(client: Any) -> None:
    """The version only ever goes up."""
    await client.add("one")
    await client.call("memory/replace", **UW, match="one", text="two")
    await client.call("memory/undo", seq=2)

    result = await client.call("memory/undo", seq=3)

    assert ("two", 4) == (result["restored"][0]["text"], result["restored"][0]["version"])


async def test_an_overtaken_change_is_not_undone(client: Any) -> None:
    """A change that a later one has overtaken must wait for the later one's undo."""
    await client.add("one")
    await client.call("memory/replace", **UW, match="one", text="two")

    for seq in (1, 99, 0):
        assert Code.INVALID_INPUT == (await client.fault("memory/undo", seq=seq)).code
    assert ["two"] == await client.texts()


async def test_a_removal_that_was_followed_by_another_life_is_not_undone(client: Any) -> None:
    """An entry that came back, changed and went again does not return to an older version."""
    await client.add("one")
    await client.call("memory/remove", **UW, match="one")
    await client.call("memory/undo", seq=2)
    await client.call("memory/replace", **UW, match="one", text="two")
    await client.call("memory/remove", **UW, match="two")

    fault = await client.fault("memory/undo", seq=2)
    restored = (await client.call("memory/undo", seq=5))["restored"]

    assert Code.INVALID_INPUT == fault.code
    assert [("two", 4)] == [(entry["text"], entry["version"]) for entry in restored]


async def test_an_undo_says_what_another_took_back_before(house: Any) -> None:
    """Of a batch over two workspaces and user-global, each takes back its part, the shared one once."""
    both = house.client(folders=("one", "two"))
    drafts = [
        {**UW, "text": "ours"},
        {"track": "user", "scope": "user-global", "text": "shared"},
        {**UW, "text": "theirs", "workspaceKey": house.key("two")},
    ]
    await both.call("memory/seed", entries=drafts)
    one, two = house.client("s2", folders=("one",)), house.client("s3", folders=("two",))
    (_, seq, *_) = [row["seq"] for row in await both.rows()]

    first = await one.call("memory/undo", seq=seq + 1)
    second = await two.call("memory/undo", seq=seq + 1)

    assert (["shared", "ours"], ["theirs"]) == tuple(
        [entry["text"] for entry in part["removed"]] for part in (first, second)
    )
    kinds = [[warning.kind for warning in each.person.questions[-1].warnings] for each in (one, two)]
    assert [[], ["already-undone"]] == kinds
    assert [] == (await both.call("memory/verify"))["problems"]
