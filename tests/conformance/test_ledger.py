"""Section 6 of the contract: writes and recalls leave evidence from which the store can be rebuilt."""

from contextlib import nullcontext
from typing import Any

import pytest

from keepgate.protocol.errors import Fault

LAYER = {"track": "user", "scope": "workspace"}


async def test_allowed_changes_have_rows_that_name_their_source(provider: Any) -> None:
    """DSH-6-allowed: the fields of the contract, and the approval as the source of the verdict."""
    entry = await provider.add("Likes tea.")
    (row,) = await provider.rows("add")

    told = {
        "seq": 1, "action": "add", **LAYER, "entryId": entry["id"], "text": "Likes tea.",
        "outcome": "allowed-once (via approval, writePolicy ask)", "source": "keepgate", "sessionId": "s1",
    }  # fmt: skip
    assert told == {name: row[name] for name in told}
    assert ("suite", "1") == (row["by"]["client"], row["by"]["version"])


@pytest.mark.parametrize(
    ("policy", "outcome", "action"),
    [
        ("auto", "allowed-once (via policy, writePolicy auto)", "add"),
        ("off", "rejected (via policy, writePolicy off)", "add-denied"),
    ],
)
async def test_a_policys_verdict_names_the_policy(
    open_provider: Any, policy: str, outcome: str, action: str
) -> None:
    """DSH-6-allowed, DSH-6-denied: nobody was asked, and the row says so."""
    async with open_provider(writePolicy=policy) as provider:
        with nullcontext() if policy == "auto" else pytest.raises(Fault, match="policy"):
            await provider.add("Likes tea.")
        (row,) = await provider.rows(action)

    assert (outcome, []) == (row["outcome"], provider.person.questions)


async def test_an_allowance_for_the_session_is_named(provider: Any) -> None:
    """DSH-6-allowed: the second write of the layer is not asked about, and its row names the grant."""
    provider.person.answer = "allowed-session"
    await provider.add("one")
    await provider.add("two")

    assert 1 == len(provider.person.questions)
    assert [
        "allowed-once (via approval, writePolicy ask)", "allowed-once (via session grant, writePolicy ask)",
    ] == [row["outcome"] for row in await provider.rows("add")]  # fmt: skip


async def test_the_actions_of_a_batch(provider: Any) -> None:
    """DSH-6-allowed: a seed has a summary and a row for each entry; a consolidation one for each step."""
    await provider.call("memory/seed", entries=[{**LAYER, "text": "one"}, {**LAYER, "text": "two"}])
    await provider.call("memory/consolidate", **LAYER, matches=["one", "two"], text="both")

    assert [
        ("seed", "user/workspace: one\nuser/workspace: two"), ("add", "one"), ("add", "two"),
        ("consolidate-remove", "one"), ("consolidate-remove", "two"), ("consolidate-add", "both"),
    ] == [(row["action"], row["text"]) for row in await provider.rows()]  # fmt: skip


async def test_recalls_have_rows(provider: Any) -> None:
    """DSH-6-recalled: what was asked for, by which session; management leaves none."""
    await provider.call("memory/query", text="tea", track="user")
    await provider.texts(text="milk")
    rows = await provider.rows("recalled")

    assert [("tea", "user", "ok", "s1")] == [
        (row["text"], row["track"], row["outcome"], row["sessionId"]) for row in rows
    ]


async def test_a_snapshot_is_frozen_and_its_row_holds_its_very_text(open_provider: Any) -> None:
    """DSH-6-snapshot: later changes do not show, a restart gives the same text, and so does the ledger."""
    async with open_provider() as provider:
        await provider.add("Likes tea.\n## Forged heading")
        first = await provider.call("memory/snapshot")
        await provider.call("memory/remove", **LAYER, match="tea")
    async with open_provider() as provider:
        again = await provider.call("memory/snapshot")
        (row,) = await provider.rows("snapshot")
        fresh = await provider.call("memory/snapshot", session={"id": "s2"})

    assert first == again
    assert (first["text"], 1) == (row["text"], first["entries"])
    assert "- Likes tea. ⏎ ## Forged heading" == first["text"].splitlines()[-1]
    assert ("", 0) == (fresh["text"], fresh["entries"])


async def test_each_question_is_announced_and_decided_once(provider: Any) -> None:
    """DSH-6-pair: approval/asked with the whole payload before, approval/decided with the outcome after."""
    await provider.add("Likes tea.")
    provider.person.answer = "rejected"
    with pytest.raises(Fault, match="rejected"):
        await provider.add("Likes milk.")
    asked, decided = await provider.told("approval/asked", 2), await provider.told("approval/decided", 2)

    assert ["Likes tea.", "Likes milk."] == [note["text"] for note in asked]
    assert [note["id"] for note in asked] == [note["id"] for note in decided]
    assert ["allowed-once", "rejected"] == [note["outcome"] for note in decided]
    assert [question["hash"] for question in provider.person.questions] == [note["hash"] for note in asked]


async def test_changes_are_told(provider: Any) -> None:
    """DSH-6-allowed: clients hear of what was added, updated, removed, recalled, frozen and proposed."""
    entry = await provider.add("Likes tea.")
    await provider.call("memory/replace", **LAYER, match="tea", text="Likes milk.")
    await provider.call("memory/query")
    await provider.call("memory/snapshot")
    await provider.call("memory/remove", **LAYER, match="milk")
    await provider.call("proposals/create", change={"action": "add", **LAYER, "text": "Likes water."})

    notes = {
        kind: (await provider.told(kind, 1))[0]
        for kind in ("memory/added", "memory/updated", "memory/removed", "memory/recalled", "memory/snapshot")
    }
    assert {
        "memory/added": (1, entry["id"]), "memory/updated": (2, entry["id"]), "memory/recalled": (3, None),
        "memory/snapshot": (4, None), "memory/removed": (5, entry["id"]),
    } == {kind: (note["seq"], note["id"]) for kind, note in notes.items()}  # fmt: skip
    assert "pending" in {note["status"] for note in await provider.told("proposals/didChange", 7)}


async def test_the_store_is_what_the_ledger_says(open_provider: Any) -> None:
    """DSH-6-rebuild: a replay of the ledger equals the store, also after undo and a restart."""
    async with open_provider() as provider:
        await provider.add("Likes tea.", tags=["a"])
        await provider.call("memory/replace", **LAYER, match="tea", text="Likes milk.", tags=[])
        await provider.call("memory/undo", seq=2)
        await provider.call("memory/seed", entries=[{**LAYER, "text": "one"}, {**LAYER, "text": "two"}])
        await provider.call("memory/consolidate", **LAYER, matches=["one", "two"], text="both")
    async with open_provider() as provider:
        result = await provider.call("memory/verify")
        left = set(await provider.texts())

    assert (True, [], 9) == (result["ok"], result["problems"], result["rows"])
    assert {"Likes tea.", "both"} == left


async def test_an_undo_brings_the_state_back_and_goes_on(provider: Any, fault_of: Any) -> None:
    """DSH-6-rebuild: same id, next version; an undo that was overtaken is refused; an undo can be undone."""
    entry = await provider.add("Likes tea.")
    await provider.call("memory/remove", **LAYER, match="tea")
    undone = await provider.call("memory/undo", seq=2)
    overtaken = await fault_of(provider.call("memory/undo", seq=1))
    await provider.call("memory/undo", seq=3)

    assert [(entry["id"], 2, "Likes tea.")] == [
        (back["id"], back["version"], back["text"]) for back in undone["restored"]
    ]
    assert "INVALID_INPUT" == overtaken.code
    assert [] == await provider.texts()


async def test_history_and_why_tell_the_whole_story(provider: Any, fault_of: Any) -> None:
    """DSH-6-rebuild: every state with its row, and who allowed it, also after the removal."""
    entry = await provider.add("Likes tea.")
    await provider.call("memory/replace", **LAYER, match="tea", text="Likes milk.")
    await provider.call("memory/remove", **LAYER, match="milk")
    versions = (await provider.call("memory/history", id=entry["id"]))["versions"]
    why = await provider.call("memory/why", id=entry["id"])
    gone = await fault_of(provider.call("memory/get", id=entry["id"]))

    assert [(1, "Likes tea.", "add"), (2, "Likes milk.", "replace"), (2, "Likes milk.", "remove")] == [
        (version["version"], version["text"], version["action"]) for version in versions
    ]
    assert None is why["entry"]
    assert [question["hash"] for question in provider.person.questions] == [
        link["hash"] for link in why["chain"]
    ]
    assert {"suite"} == {link["decidedBy"]["client"] for link in why["chain"]}
    assert "ENTRY_NOT_FOUND" == gone.code
