"""A store, a folder of page files and the index over both."""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import define

from keepgate.core.model.fact import sight_of
from keepgate.core.model.stamp import Stamp
from keepgate.pages.indexing import Indexing
from keepgate.pages.keeping import Home, Pages
from keepgate.pages.roots import Root
from keepgate.store.open import Store, open_store
from keepgate.store.reads import pages as reads

WAIT_S = 90.0
KEY = "/work"


def stamp() -> Stamp:
    return Stamp(
        now_ms=time.time_ns() // 1_000_000,
        new_id=lambda: str(uuid.uuid4()),
        new_salt=lambda: os.urandom(16).hex(),
    )


@define(eq=False)
class Corner:
    """One process's view of a workspace's pages."""

    store: Store
    folder: Path
    root: Root
    indexing: Indexing
    state: Path

    def write(self, path: str, text: str = "Text", folder: Path | None = None) -> Path:
        file = (folder or self.folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    async def pages(self, key: str = KEY) -> dict[str, reads.FoundPage]:
        sight = sight_of({key}, world_only=False)
        found = await self.store.reading.run(reads.pages_after, sight, limit=100_000)
        return {page.slug: page for page in found}

    async def slugs(self) -> list[str]:
        return list(await self.pages())

    async def problems(self) -> dict[str, str]:
        found = await self.store.reading.run(reads.page_problems, sight_of({KEY}, world_only=False))
        return {each.path: each.problem for each in found}

    async def whole(self, slug: str) -> Any:
        return await self.store.reading.run(reads.whole_page, sight_of({KEY}, world_only=False), slug)

    def keep(self, *more: Root, roots: Callable[[], list[Root]] | None = None) -> Pages:
        """The pages of a process that lives on, or of a command when nothing starts it."""

        def homes() -> list[Home]:
            mine = roots() if roots is not None else [self.root, *more]
            return [Home(key=KEY, folders=(str(self.folder.parent),), roots=tuple(mine))]

        return Pages(store=self.store, stamp=stamp, lock_folder=str(self.state / "locks"), homes=homes)


async def until(holds: Callable[[], Awaitable[bool]], timeout_s: float = WAIT_S) -> None:
    """Poll until it holds."""
    deadline = time.monotonic() + timeout_s
    while not await holds():
        assert time.monotonic() < deadline, "it never came to hold"
        await asyncio.sleep(0.02)


@pytest.fixture(name="until")
def _until() -> Callable[..., Awaitable[None]]:
    return until


@pytest.fixture
async def corner(tmp_path: Path) -> AsyncIterator[Corner]:
    """An open store and a workspace with a folder of pages."""
    folder = tmp_path / "work" / "pages"
    folder.mkdir(parents=True)
    state = tmp_path / "state"
    store = await open_store(str(tmp_path / "data" / "memory.db"), state_folder=str(state), stamp_maker=stamp)
    indexing = Indexing(store, stamp)
    yield Corner(store, folder, Root(KEY, str(folder)), indexing, state)
    await indexing.close()
    await store.close()


@pytest.fixture
async def another(corner: Corner, tmp_path: Path) -> AsyncIterator[Corner]:
    """The same workspace and store, seen by a process of its own."""
    store = await open_store(
        str(tmp_path / "data" / "memory.db"), state_folder=str(corner.state), stamp_maker=stamp
    )
    indexing = Indexing(store, stamp)
    yield Corner(store, corner.folder, corner.root, indexing, corner.state)
    await indexing.close()
    await store.close()
