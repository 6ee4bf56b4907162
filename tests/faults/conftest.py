"""Processes that are killed, stopped and starved, and what is left of their stores."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.settings import Settings
from keepgate.service.connection import Connection, NoPeer
from keepgate.service.sidecar import Sidecar

WAIT_S = 90.0
WORKER = Path(__file__).with_name("worker.py")


@define
class Writer:
    """A writer's process and what it noted so far."""

    pid: int
    notes_file: Path
    order: Callable[..., int]
    is_collected: bool = False

    def notes(self, event: str | None = None) -> list[dict[str, Any]]:
        """The notes of one kind, or all."""
        if not self.notes_file.exists():
            return []
        lines = self.notes_file.read_bytes().split(b"\n")[:-1]
        return [note for note in map(json.loads, lines) if event in (None, note["event"])]

    def until(self, event: str) -> dict[str, Any]:
        """The first note of a kind, once it is there."""
        deadline = time.monotonic() + WAIT_S
        while not (found := self.notes(event)):
            assert time.monotonic() < deadline, f"no {event}: {self.notes()[-3:]}"
            time.sleep(0.002)
        return found[0]

    def signal(self, number: int) -> None:
        """Send a signal to a writer that has not been collected."""
        assert not self.is_collected
        os.kill(self.pid, number)

    def ended(self, *, kill: bool = False) -> None:
        """Wait until the process is over, and collect it."""
        if not self.is_collected:
            assert self.pid == self.order(end=self.pid, kill=kill), f"still there: {self.notes()[-3:]}"
            self.is_collected = True

    def kill(self) -> None:
        """End it without asking."""
        self.ended(kill=True)


@define
class Nursery:
    """Forks writers from a process that has everything imported: a child costs milliseconds."""

    home: Path
    process: Any
    writers: list[Writer] = field(factory=list)

    def start(self, role: str, session: str, *, folder: str = "project", **job: Any) -> Writer:
        """A new writer on the store of this nursery's home, or of ``home``."""
        home = Path(job.pop("home", self.home))
        place = home.parent / folder
        place.mkdir(parents=True, exist_ok=True)
        notes = home.parent / f"notes-{len(self.writers)}.jsonl"
        paths = {"home": str(home), "folder": str(place), "notes": str(notes)}
        pid = self._order(start={"role": role, "session": session, **paths, **job})
        writer = Writer(pid, notes, self._order)
        self.writers.append(writer)
        return writer

    def close(self) -> None:
        """End every writer."""
        for writer in self.writers:
            writer.kill()

    def _order(self, **order: Any) -> int:
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@define
class Look:
    """What is in a store, seen by a process of its own: this one, when all others are gone or at work."""

    sidecar: Sidecar
    connection: Connection

    async def call(self, method: str, **params: Any) -> Any:
        """A management read over all workspaces."""
        return await self.sidecar.call(self.connection, method, params)

    async def entries(self) -> list[dict[str, Any]]:
        """Every entry."""
        found: list[dict[str, Any]] = []
        after = None
        while True:
            page = await self.call("memory/list", allWorkspaces=True, limit=1000, after=after)
            found += page["entries"]
            after = page["next"]
            if after is None:
                return found

    async def rows(self) -> list[dict[str, Any]]:
        """Every ledger row, oldest first."""
        found: list[dict[str, Any]] = []
        before = None
        while True:
            page = await self.call("memory/audit", allWorkspaces=True, limit=1000, before=before)
            found += page["rows"]
            before = page["next"]
            if before is None:
                return found[::-1]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in memory where there is one: what is tried here is the order of things, not the disk."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def forking() -> Iterator[Any]:
    """The process that forks writers."""
    process = subprocess.Popen(
        [sys.executable, str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )
    yield process
    process.stdin.close()
    process.wait(WAIT_S)
    process.stdout.close()


@pytest.fixture
def nursery(place: Path, forking: Any) -> Iterator[Nursery]:
    """Writers on one store; none outlives the test."""
    made = Nursery(place / "home", forking)
    yield made
    made.close()


@pytest.fixture
def look() -> Callable[..., Any]:
    """``look(home, work)`` opens the store, runs ``await work(look)`` and returns what that returns."""

    def run(home: Path, work: Callable[[Look], Any], **settings: Any) -> Any:
        async def through() -> Any:
            sidecar = await compose(Settings(**settings), find_places({"KEEPGATE_HOME": str(home)}))
            try:
                connection = sidecar.connect(
                    peer=NoPeer(), channel="test", client=ClientInfo(name="look"), folders=[], approver=None
                )
                return await work(Look(sidecar, connection))
            finally:
                await sidecar.close()

        return asyncio.run(through())

    return run
