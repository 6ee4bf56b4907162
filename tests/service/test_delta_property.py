"""Deltas on a real store, whatever happens in between: all at least once, unchanged once, nothing foreign."""

import asyncio
import hashlib
import shutil
import tempfile
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from attrs import define, field
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.core.model.page import PageFile
from keepgate.core.model.stamp import Stamp
from keepgate.core.reading.tokens import estimate
from keepgate.gate.approvers import ClientInfo
from keepgate.pages.parse import parse
from keepgate.pages.ready import indexed
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.service.after_reply import AfterReply
from keepgate.service.connection import Connection, NoPeer
from keepgate.service.sidecar import Sidecar
from keepgate.store.pages import put_pages

FOLDERS = {"one": ("one",), "two": ("two",), "both": ("one", "two")}
READERS = [
    ("one", False, False), ("one", False, True), ("one", True, True), ("two", False, False),
    ("both", False, True), ("both", True, False),
]  # fmt: skip
"""Whose folders, whether remote, and whether it asks for what is private."""
DRAINS = 40


@define
class Item:
    """A fact, or a state of a page."""

    name: str
    home: str
    private: bool
    ends_ms: int | None = None
    gone: bool = False


@define(eq=False)
class Reader:
    """A session, what arrived at it, and what may come again because a crash fell between."""

    folders: tuple[str, ...]
    remote: bool
    private: bool
    session_id: str
    since: int | None = None
    got: Counter[str] = field(factory=Counter)
    excused: set[str] = field(factory=set)

    def sees(self, item: Item) -> bool:
        in_view = item.home in ("", *self.folders)
        return in_view and (not item.private or (self.private and not self.remote))


class World:
    """A provider, its readers and what is kept in it."""

    def __init__(self) -> None:
        shared = Path("/dev/shm")
        self.base = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None)).resolve()
        self.now_ms = 1_790_000_000_000
        self.items: list[Item] = []
        self.pages: dict[tuple[str, str], Item] = {}
        self.readers = [Reader(FOLDERS[name], *how, f"s{n}") for n, (name, *how) in enumerate(READERS)]
        self.sidecar: Sidecar
        self.connections: dict[tuple[tuple[str, ...], bool], Connection]

    def stamp(self) -> Stamp:
        self.now_ms += 1
        return Stamp(now_ms=self.now_ms, new_id=lambda: f"id-{self.now_ms}", new_salt=lambda: "0" * 32)

    async def open(self) -> None:
        places = find_places({"KEEPGATE_HOME": str(self.base / "home")})
        self.sidecar = await compose(Settings(write_policy=WritePolicy.AUTO), places, stamp=self.stamp)
        self.connections = {}

    def connection(self, folders: tuple[str, ...], remote: bool) -> Connection:
        if (folders, remote) not in self.connections:
            paths = [self.base / name for name in folders]
            for path in paths:
                path.mkdir(exist_ok=True)
            self.connections[folders, remote] = self.sidecar.connect(
                peer=NoPeer(), channel="test", client=ClientInfo(name="test"), approver=None,
                folders=[str(path) for path in paths], remote=remote,
            )  # fmt: skip
        return self.connections[folders, remote]

    async def do(self, step: tuple[Any, ...]) -> None:
        match step:
            case "facts", home, count, private, brief:
                for _ in range(count):
                    await self.fact(home, private, brief)
            case "page", home, slug, private:
                await self.page(home, slug, private)
            case "forget", which:
                await self.forget(which)
            case "pass", minutes:
                self.now_ms += minutes * 60_000
            case "wake", which, budget, ending:
                await self.wake(self.readers[which], budget, ending)

    async def fact(self, home: str, private: bool, brief: bool) -> None:
        params = {
            "fact": f"fact {len(self.items)}", "provenance": "test",
            "visibility": "private" if private else "world", **({"ttl": "30m"} if brief else {}),
        }  # fmt: skip
        made = await self.sidecar.call(self.connection((home,), False), "verbs/remember", params)
        ends_ms = self.now_ms + 30 * 60_000 if brief else None
        self.items.append(Item(f"fact {made['id']}", home, private, ends_ms))

    async def page(self, home: str, slug: str, private: bool) -> None:
        key = str(self.base / home) if home else ""
        state = len(self.items)
        data = f"---\nvisibility: {'private' if private else 'world'}\n---\nState {state}.\n".encode()
        file = PageFile(
            home=key, root=f"{key}/pages", path=f"{slug}.md", size=len(data), mtime_ns=0,
            digest=hashlib.sha256(data).hexdigest(),
        )  # fmt: skip
        page, now_ms = indexed(file, parse(f"{slug}.md", data)), self.now_ms
        await self.sidecar.store.derived.write(lambda db: put_pages(db, [page], now_ms=now_ms))
        stamped: int = await self.sidecar.store.reading.run(
            lambda db: db.execute("SELECT changed_at FROM pages WHERE home = ? AND slug = ?", (key, slug)).get
        )
        if (before := self.pages.get((home, slug))) is not None:
            before.gone = True
        item = Item(f"{home}/{slug} {stamped}", home, private)
        self.pages[home, slug] = item
        self.items.append(item)

    async def forget(self, which: int) -> None:
        alive = [item for item in self.items if item.name.startswith("fact ") and not item.gone]
        if alive:
            item = alive[which % len(alive)]
            params = {"id": item.name.removeprefix("fact ")}
            await self.sidecar.call(self.connection((item.home,), False), "verbs/forget", params)
            item.gone = True

    async def wake(self, reader: Reader, budget: int | None, ending: str) -> bool:
        params = {"session_id": reader.session_id, "include_private": reader.private, "budget_tokens": budget}
        after = AfterReply()
        connection = self.connection(reader.folders, reader.remote)
        result = await self.sidecar.call(connection, "verbs/delta", params, after_reply=after)
        names = self.names(result)
        self.must_be_seen(reader, names)
        assert "budget_used" not in result or result["budget_used"] == estimate(result["text"]) <= (
            budget or 0
        )
        if reader.since is None:
            reader.since = len(self.items)
            assert [] == names
        if ending != "lost":
            reader.got.update(names)
        if ending == "arrives":
            await after.written()
        elif ending == "lost":
            after.lost()
        else:
            reader.excused.update(names)
            await self.sidecar.close()
            await self.open()
        return bool(result["has_more"])

    def names(self, result: Any) -> list[str]:
        keys = {str(self.base / home) if home else "": home for home in ("", "one", "two")}
        pages = [
            f"{keys[page['source_id']]}/{page['slug']} {_ms(page['updated_at'])}" for page in result["pages"]
        ]
        return [*pages, *(f"fact {fact['fact_id']}" for fact in result["facts"])]

    def must_be_seen(self, reader: Reader, names: list[str]) -> None:
        known = {item.name: item for item in self.items}
        for name in names:
            item = known[name]
            assert reader.sees(item), (reader, item)
            assert not item.gone, item
            assert item.ends_ms is None or item.ends_ms > self.now_ms - 10, item

    async def drain(self) -> None:
        for reader in self.readers:
            for _ in range(DRAINS):
                if not await self.wake(reader, None, "arrives"):
                    break
            await self.wake(reader, None, "arrives")

    def check(self) -> None:
        for reader in self.readers:
            assert reader.since is not None
            for item in self.items[reader.since :]:
                alive = not item.gone and (item.ends_ms is None or item.ends_ms > self.now_ms + 1000)
                if alive and reader.sees(item):
                    assert reader.got[item.name] >= 1, (reader, item)
            twice = {name for name, count in reader.got.items() if count > 1}
            assert twice <= reader.excused, (reader, twice)


def _ms(instant: str) -> int:
    return round(datetime.fromisoformat(instant).timestamp() * 1000)


HOMES = st.sampled_from(["one", "two"])
PAGE_HOMES = st.sampled_from(["", "one", "two"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("facts"), HOMES, st.sampled_from([1, 2, 3, 53]), st.booleans(), st.booleans()),
        st.tuples(st.just("page"), PAGE_HOMES, st.sampled_from("abcd"), st.booleans()),
        st.tuples(st.just("page"), PAGE_HOMES, st.sampled_from("abcd"), st.booleans()),
        st.tuples(st.just("forget"), st.integers(0, 50)),
        st.tuples(st.just("pass"), st.sampled_from([1, 20, 45])),
        st.tuples(
            st.just("wake"), st.integers(0, len(READERS) - 1), st.sampled_from([None, None, 30, 45, 200]),
            st.sampled_from(["arrives", "arrives", "arrives", "lost", "crash"]),
        ),
        st.tuples(
            st.just("wake"), st.integers(0, len(READERS) - 1), st.sampled_from([None, None, 30, 45, 200]),
            st.just("arrives"),
        ),
    ),
    min_size=4,
    max_size=24,
)  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_whatever_happens_in_between(steps: list[tuple[Any, ...]]) -> None:
    """Pages, facts, forgetting, ttl, budgets, limits, lost replies and crashes, in any order."""

    async def run() -> None:
        world = World()
        try:
            await world.open()
            for reader in world.readers:
                await world.wake(reader, None, "arrives")
            for step in steps:
                await world.do(step)
            await world.drain()
            world.check()
        finally:
            await world.sidecar.close()
            shutil.rmtree(world.base)

    asyncio.run(run())


@define(eq=False)
class TwoFields:
    """A client without a session that passes on ``since`` and ``slug``, as the contract says."""

    folders: tuple[str, ...]
    cursor: dict[str, str]
    got: Counter[str] = field(factory=Counter)

    async def wake(self, world: World, budget: int | None) -> bool:
        params = {**self.cursor, "budget_tokens": budget, "include_private": True}
        result = await world.sidecar.call(world.connection(self.folders, False), "verbs/delta", params)
        self.got.update(world.names(result))
        cursor = result["next_cursor"]
        self.cursor = {"since": cursor["since"], "since_slug": cursor["slug"]}
        return bool(result["has_more"])


STATELESS_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("facts"), HOMES, st.sampled_from([1, 3, 53, 110]), st.just(False), st.just(False)),
        st.tuples(st.just("page"), PAGE_HOMES, st.sampled_from("abcd"), st.just(False)),
        st.tuples(st.just("pass"), st.sampled_from([0, 1])),
        st.tuples(st.just("back"), st.integers(1, 30)),
        st.tuples(st.just("wake"), st.sampled_from([None, 30, 45, 200])),
    ),
    min_size=3,
    max_size=16,
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STATELESS_STEPS)
def test_two_fields_are_enough(steps: list[tuple[Any, ...]]) -> None:
    """Nothing is lost for a client that ignores ``fact``, and it comes to an end; pages come once.

    ``back`` lets the stamps of pages run ahead of the clock, as those of a bulk do.
    """

    async def run() -> None:
        world = World()
        try:
            await world.open()
            client = TwoFields(("one", "two"), {"since": "2020-01-01"})
            for step in steps:
                if step[0] == "back":
                    for number in range(step[1]):
                        world.now_ms -= 1
                        await world.page("one", f"bulk{number}", False)
                elif step[0] == "wake":
                    await client.wake(world, step[1])
                else:
                    await world.do(step)
            for _ in range(DRAINS):
                if not await client.wake(world, None):
                    break
            else:
                raise AssertionError("it never comes to an end")
            for item in world.items:
                assert item.gone or client.got[item.name] >= 1, item
            assert not [name for name, count in client.got.items() if "/" in name and count > 1]
        finally:
            await world.sidecar.close()
            shutil.rmtree(world.base)

    asyncio.run(run())
