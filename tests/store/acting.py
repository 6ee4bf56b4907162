"""Acting on a store: plain helpers for tests, and, run as a script, another process that does the same.

``python acting.py ACT FOLDER [ARGUMENT...]`` says what it has done, a line at a time, on stdout.
"""

import asyncio
import os
import sys
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import apsw
from attrs import frozen

from keepgate.core.model.entry import Layer
from keepgate.core.model.fact import Fact
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.approval import Allowed, Decider, approve
from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.change import (
    Add,
    ByMatch,
    Change,
    Draft,
    FactDraft,
    Forget,
    Remember,
    Remove,
    Replace,
    Seed,
)
from keepgate.core.writing.plan import plan
from keepgate.core.writing.proposal import StoredProposal
from keepgate.core.writing.storeview import StoreView
from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ProposalStatus
from keepgate.protocol.settings import Budgets, TrackBudgets, WritePolicy
from keepgate.protocol.verbs import FactKind, Visibility
from keepgate.store.connection import Patience, connect
from keepgate.store.feed import FeedEvent, FeedWatcher, head
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store, open_store

ROOM = Budgets(
    user=TrackBudgets(user_global=10**9, workspace=10**9),
    agent=TrackBudgets(user_global=10**9, workspace=10**9),
)
WORK = "/work"
HERE = Layer(Track.USER, Scope.WORKSPACE, WORK)
EVERYWHERE = Layer(Track.USER, Scope.USER_GLOBAL, "")
ME = Author(session_id="session-1", agent_key="", workspace_key=WORK)


@frozen(kw_only=True)
class Made:
    """What a commit made: an entry per step (a deleted one as it was), and every ledger row, in order."""

    entries: tuple[Entry, ...]
    seqs: tuple[int, ...]


def stamp() -> Stamp:
    """This moment."""
    return Stamp(
        now_ms=time.time_ns() // 1_000_000,
        new_id=lambda: str(uuid.uuid4()),
        new_salt=lambda: os.urandom(16).hex(),
    )


def store_path(folder: Path) -> str:
    """Where a test's store lies."""
    return str(folder / "data" / "memory.db")


async def open_at(folder: Path, *, read_only: bool = False) -> Store:
    """Open the store of a test's folder; its state lies beside it."""
    return await open_store(
        store_path(folder), state_folder=str(folder / "state"), stamp_maker=stamp, read_only=read_only
    )


def draft(text: str, layer: Layer = HERE, *, agent: str = "", tags: tuple[str, ...] = ()) -> Draft:
    """A draft of an entry."""
    return Draft(layer=layer, agent_key=agent, text=text, tags=tags, source="test")


def asked(view: StoreView, change: Change, author: Author = ME, *, at: Stamp | None = None) -> Ask:
    """The question that a change puts."""
    moment = at or stamp()
    return ask_for(plan(change, author, view, ROOM, moment), view, moment)


def commit(
    txn: Transaction,
    change: Change,
    author: Author = ME,
    *,
    proposal_id: str | None = None,
    via: str = "policy",
) -> Made:
    """Plan, allow and commit a change, as the gate does it under an allowing policy."""
    ask = asked(txn, change, author, at=txn.stamp)
    by = Decider(via=via, policy=WritePolicy.AUTO, client="tester", version="1")
    seqs = txn.commit(approve(ask, Allowed(by=by, hash=ask.hash)), proposal_id=proposal_id)
    return Made(entries=tuple(step.entry for step in ask.plan.mutations), seqs=seqs)


async def add(writer: Writer, text: str, layer: Layer = HERE, author: Author = ME, **more: Any) -> Entry:
    """Add one entry."""
    made = await writer.run(lambda txn: commit(txn, Add(draft=draft(text, layer, **more)), author))
    return made.entries[0]


async def replace(writer: Writer, match: str, text: str, layer: Layer = HERE, author: Author = ME) -> Entry:
    """Rewrite the one entry that contains ``match``."""
    change = Replace(layer=layer, target=ByMatch(match), text=text, tags=None, source="test")
    return (await writer.run(lambda txn: commit(txn, change, author))).entries[0]


async def remove(writer: Writer, match: str, layer: Layer = HERE, author: Author = ME) -> Entry:
    """Remove the one entry that contains ``match``."""
    change = Remove(layer=layer, target=ByMatch(match))
    return (await writer.run(lambda txn: commit(txn, change, author))).entries[0]


def fact_draft(text: str, **more: Any) -> FactDraft:
    """A draft of a fact."""
    return FactDraft(
        **{
            "home": WORK,
            "entity": None,
            "text": text,
            "kind": FactKind.FACT,
            "visibility": Visibility.WORLD,
            "provenance": "a test",
            "valid_until": None,
            **more,
        }
    )


async def remember(
    writer: Writer,
    text: str,
    author: Author = ME,
    *,
    supersedes: int | None = None,
    world_only: bool = False,
    **more: Any,
) -> Fact:
    """Save one fact; the fact that says the same, where there is one already."""
    change = Remember(draft=fact_draft(text, **more), supersedes=supersedes, world_only=world_only)

    def work(txn: Transaction) -> Fact:
        ask = asked(txn, change, author, at=txn.stamp)
        if ask.plan.existing is not None:
            return ask.plan.existing
        commit(txn, change, author)
        return ask.plan.facts[-1].after

    return await writer.run(work)


async def forget(writer: Writer, fact_id: int, reason: str | None = None, author: Author = ME) -> None:
    """Expire one fact."""
    change = Forget(id=fact_id, reason=reason, world_only=False)
    await writer.run(lambda txn: commit(txn, change, author))


async def seed(writer: Writer, drafts: list[Draft], author: Author = ME) -> Made:
    """Add many entries in one change."""
    return await writer.run(lambda txn: commit(txn, Seed(drafts=tuple(drafts)), author))


def wish(
    view: StoreView,
    text: str,
    author: Author = ME,
    *,
    waiter: str | None = None,
    expires_at: int = 2**53,
    layer: Layer = HERE,
) -> StoredProposal:
    """A pending proposal to add ``text``."""
    now = stamp()
    ask = asked(view, Add(draft=draft(text, layer)), author)
    return StoredProposal(
        id=now.new_id(),
        status=ProposalStatus.PENDING,
        change=ask.plan.change,
        author=author,
        kind=ask.kind,
        track=ask.track,
        scope=ask.scope,
        source=ask.source,
        text=ask.text,
        hash=ask.hash,
        asked_by={"client": "tester", "channel": "test"},
        waiter=waiter,
        created_at=now.now_ms,
        expires_at=expires_at,
    )


def say(*words: object) -> None:
    """Tell the test what happened."""
    print(*words, flush=True)  # noqa: T201 - the whole point of the script


async def _create(folder: Path) -> None:
    """Open a store in each folder that a line of stdin names, as soon as it names it."""
    say("ready")
    while name := (await asyncio.to_thread(sys.stdin.readline)).strip():
        try:
            store = await open_at(folder / name)
        except Fault as fault:
            say("fault", fault.code, fault.message)
        else:
            say("opened", store.id, store.journal_mode)
            await store.close()


async def _write(folder: Path, count: str, label: str) -> None:
    store = await open_at(folder)
    writer = Writer(store)
    say("ready")
    for number in range(int(count)):
        try:
            entry = await add(writer, f"{label} {number}")
        except Fault as fault:
            say("fault", fault.code)
        else:
            say("added", entry.id)
    await store.close()


async def _hold(folder: Path, seconds: str) -> None:
    db = connect(store_path(folder), Patience())
    db.execute("BEGIN IMMEDIATE")
    say("held")
    await asyncio.sleep(float(seconds))
    db.execute("ROLLBACK")
    db.close()
    say("let go")


async def _keep_open(folder: Path) -> None:
    store = await open_at(folder)
    say("opened", store.id, store.presence.token)
    await asyncio.to_thread(sys.stdin.read)
    await store.close()


async def _propose(folder: Path) -> None:
    store = await open_at(folder)

    def work(txn: Transaction) -> str:
        stored = wish(txn, "waits for a person", waiter=store.presence.token)
        txn.propose(stored)
        return stored.id

    say("proposed", await Writer(store).run(work), store.presence.token)
    await asyncio.Event().wait()


async def _watch(folder: Path, count: str) -> None:
    store = await open_at(folder)
    seen: list[FeedEvent] = []
    enough = asyncio.Event()

    def heard(events: Any) -> None:
        seen.extend(events)
        if len(seen) >= int(count):
            enough.set()

    watcher = FeedWatcher(store, heard)
    await watcher.start(after=await store.reading.run(head))
    say("watching")
    await enough.wait()
    await watcher.close()
    await store.close()
    for event in seen:
        say(event.seq, event.kind, event.entry_id)


async def _search(folder: Path, rounds: str) -> None:
    """Read on and on, as another window does, and say what was found at the end of each line of stdin."""
    store = await open_at(folder)
    say("opened")
    for _ in range(int(rounds)):
        await asyncio.to_thread(sys.stdin.readline)
        rows = await store.reading.run(
            lambda db: db.execute("SELECT text FROM entries ORDER BY text").fetchall()
        )
        say("found", *[text for (text,) in rows])
    await store.close()


ACTS: dict[str, Callable[..., Awaitable[None]]] = {
    "create": _create,
    "write": _write,
    "hold": _hold,
    "keep-open": _keep_open,
    "propose": _propose,
    "watch": _watch,
    "search": _search,
}


def main() -> None:
    """Do one act; a fault is said and ends the process with 7."""
    act, folder, *rest = sys.argv[1:]
    try:
        asyncio.run(ACTS[act](Path(folder), *rest))
    except Fault as fault:
        say("fault", fault.code, fault.message)
        sys.exit(7)
    except apsw.Error as error:
        say("error", type(error).__name__, error)
        sys.exit(1)


if __name__ == "__main__":
    main()
