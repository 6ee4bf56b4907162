"""Section 7 of the contract: the codes that the other pages do not provoke, and wishes that wait."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.errors import Fault
from keepgate.protocol.lifecycle import CONTRACTS

LAYER = {"track": "user", "scope": "workspace"}
WISH = {"action": "add", **LAYER, "text": "Likes tea."}


async def test_a_wish_waits_and_is_allowed_later(open_provider: Any) -> None:
    """DSH-7-PROPOSAL_NOT_FOUND, DSH-6-allowed: an approval stores it once; a second finds nothing."""
    async with open_provider() as provider:
        wish = (await provider.call("proposals/create", change=WISH))["proposal"]
    async with open_provider() as provider:
        shown = await provider.call("proposals/get", id=wish["id"], session=None)
        approved = await provider.call("proposals/approve", id=wish["id"], hash=shown["ask"]["hash"])
        with pytest.raises(Fault) as second:
            await provider.call("proposals/approve", id=wish["id"], hash=shown["ask"]["hash"])
        (row,) = await provider.rows("add")
        found = await provider.texts()

    assert (["Likes tea."], "approved") == (found, approved["proposal"]["status"])
    assert ("PROPOSAL_NOT_FOUND", {"id": wish["id"]}) == (second.value.code, second.value.details)
    assert "allowed-once (via inbox, writePolicy ask)" == row["outcome"]
    assert [row["seq"]] == approved["seqs"]


async def test_a_wish_is_dismissed(provider: Any, fault_of: Any) -> None:
    """DSH-6-denied: a no closes it, with its row; nothing is stored, nobody was asked on the way."""
    wish = (await provider.call("proposals/create", change=WISH))["proposal"]
    dismissed = await provider.call("proposals/dismiss", id=wish["id"])
    again = await fault_of(provider.call("proposals/dismiss", id=wish["id"]))
    listed = (await provider.call("proposals/list", session=None))["proposals"]
    (row,) = await provider.rows("add-denied")

    assert ("dismissed", "PROPOSAL_NOT_FOUND") == (dismissed["proposal"]["status"], again.code)
    assert [(wish["id"], "dismissed")] == [(item["id"], item["status"]) for item in listed]
    assert "rejected (via inbox, writePolicy ask)" == row["outcome"]
    assert ([], []) == (await provider.texts(), provider.person.questions)


async def test_a_yes_to_another_text_is_none(provider: Any, fault_of: Any) -> None:
    """DSH-3-reresolve: what the hash named has changed, so the wish stays pending."""
    await provider.add("Likes tea.")
    change = {"action": "remove", **LAYER, "match": "tea"}
    wish = (await provider.call("proposals/create", change=change))["proposal"]
    await provider.call("memory/replace", **LAYER, match="tea", text="Likes green tea.")

    fault = await fault_of(provider.call("proposals/approve", id=wish["id"], hash=wish["hash"]))
    now = await provider.call("proposals/get", id=wish["id"], session=None)

    assert ("WRITE_DENIED", "cancelled", "changed") == (
        fault.code,
        fault.details["outcome"],
        fault.details["reason"],
    )
    assert ("pending", "Likes green tea.") == (now["proposal"]["status"], now["ask"]["text"])


async def test_a_write_that_nobody_could_decide_waits(provider: Any, fault_of: Any) -> None:
    """DSH-7-WRITE_DENIED: unavailable, with the wish's id; a later yes stores it."""
    provider.person.answer = "nobody"
    fault = await fault_of(provider.add("Likes tea."))
    wish = await provider.call("proposals/get", id=fault.details["proposalId"], session=None)
    await provider.call("proposals/approve", id=wish["proposal"]["id"], hash=wish["ask"]["hash"])

    assert ("unavailable", "pending") == (fault.details["outcome"], wish["proposal"]["status"])
    assert ["Likes tea."] == await provider.texts()


async def test_a_full_queue_takes_no_more(open_provider: Any, fault_of: Any) -> None:
    """DSH-7-WRITE_DENIED: unavailable, because too many wishes wait."""
    async with open_provider(proposals={"maxPerSession": 2}) as provider:
        for text in ("one", "two"):
            await provider.call("proposals/create", change={**WISH, "text": text})
        fault = await fault_of(provider.call("proposals/create", change={**WISH, "text": "three"}))

    assert ("WRITE_DENIED", "queue-full") == (fault.code, fault.details["reason"])


@pytest.mark.parametrize("content", [b"no database at all, but long enough to be looked at" * 40, None])
async def test_a_store_that_cannot_be_read_is_refused(
    open_provider: Any, tmp_path: Path, content: bytes | None
) -> None:
    """DSH-7-STORE_CORRUPT: rubbish and foreign databases are named and left as they were."""
    path = tmp_path / "home/data/memory.db"
    path.parent.mkdir(parents=True)
    if content is None:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE entries (a)")
        db.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()

    with pytest.raises(Fault) as caught:
        async with open_provider():
            pass

    assert ("STORE_CORRUPT", str(path)) == (caught.value.code, caught.value.details["path"])
    assert before == path.read_bytes()


async def test_a_newer_store_is_refused(open_provider: Any, tmp_path: Path) -> None:
    """DSH-1-newer, DSH-7-STORE_UNSUPPORTED_VERSION: loudly, naming the path and both versions."""
    path = tmp_path / "home/data/memory.db"
    async with open_provider() as provider:
        await provider.add("Likes tea.")
        supported = (await provider.call("memory/status"))["storeVersion"]
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {supported + 1}")
    db.close()

    with pytest.raises(Fault) as caught:
        async with open_provider():
            pass

    assert "STORE_UNSUPPORTED_VERSION" == caught.value.code
    assert {"path": str(path), "found": supported + 1, "supported": supported} == caught.value.details


async def test_the_provider_says_which_contract_it_keeps(open_provider: Any) -> None:
    """DSH-1-id, DSH-1-migrate: the protocol's name and version, and the store's schema, a growing integer."""
    async with open_provider() as provider:
        status = await provider.call("memory/status")

    assert 1 == CONTRACTS["dsh-memory-protocol"]
    assert ("ok", int) == (status["health"], type(status["storeVersion"]))
