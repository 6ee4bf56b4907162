"""A disk that fails at every write in turn: what was acknowledged stays, the rest is whole or absent."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Settings
from keepgate.service.connection import NoPeer
from keepgate.service.sidecar import Sidecar

UW = {"track": "user", "scope": "workspace"}
STEPS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("memory/add", {**UW, "text": "one"}, ["kept", "one"]),
    ("memory/replace", {**UW, "match": "one", "text": "uno"}, ["kept", "uno"]),
    ("memory/query", {"text": "uno"}, ["kept", "uno"]),
    ("memory/seed", {"entries": [{**UW, "text": "a"}, {**UW, "text": "b"}]}, ["a", "b", "kept", "uno"]),
    ("memory/undo", {"seq": 5}, ["kept", "uno"]),
    ("memory/consolidate", {**UW, "matches": ["kept", "uno"], "text": "both"}, ["both"]),
    ("memory/remove", {**UW, "match": "both"}, []),
]
"""What is done on the disk, and the texts that each step leaves behind."""


class Disk(apsw.VFS):
    """The usual file system, on which the write number ``fails_at`` and all later ones fail; 0 is never."""

    def __init__(self, name: str) -> None:
        self.usual = apsw.vfs_names()[0]
        super().__init__(name, base=self.usual)
        self.error: type[apsw.Error] = apsw.FullError
        self.fails_at = 0
        self.writes = 0

    def xOpen(self, name: Any, flags: list[int]) -> "File":  # noqa: N802 - the library's name
        return File(self, name, flags)

    def write(self) -> None:
        """Count a write, and fail when it is time."""
        self.writes += 1
        if self.fails_at and self.writes >= self.fails_at:
            raise self.error("the disk")


class File(apsw.VFSFile):
    """A file on that disk."""

    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        self.disk = disk
        super().__init__(disk.usual, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - the library's name
        self.disk.write()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802 - the library's name
        self.disk.write()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802 - the library's name
        self.disk.write()
        super().xTruncate(size)


class Yes:
    """A person who allows everything."""

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        return ApprovalAnswer(outcome="allowed-once", hash=question.hash)


@pytest.fixture
def disk() -> Iterator[Disk]:
    """A disk that every store of this process lies on."""
    made = Disk("failing")
    apsw.set_default_vfs("failing")
    yield made
    apsw.set_default_vfs(made.usual)
    made.unregister()


@pytest.fixture
def prepared(place: Path) -> Path:
    """A home whose store has one entry and is closed."""

    async def prepare() -> None:
        sidecar = await open_at(place / "prepared")
        await call(sidecar, place, "memory/add", {**UW, "text": "kept"})
        await sidecar.close()

    (place / "project").mkdir()
    asyncio.run(prepare())
    return place / "prepared"


async def open_at(home: Path) -> Sidecar:
    return await compose(Settings(), find_places({"KEEPGATE_HOME": str(home)}))


async def call(sidecar: Sidecar, place: Path, method: str, params: dict[str, Any]) -> Any:
    """One operation by a session in the project."""
    connection = sidecar.connect(
        peer=NoPeer(),
        channel="test",
        client=ClientInfo(name="t"),
        folders=[str(place / "project")],
        approver=Yes(),
    )
    if method.startswith("memory/verify"):
        return await sidecar.call(connection, method, params)
    return await sidecar.call(connection, method, {"session": {"id": "s1"}, **params})


async def go_through(disk: Disk, home: Path, place: Path) -> tuple[list[list[str]], Exception | None]:
    """Every step until one fails: the states that may be found afterwards, and what went wrong."""
    acknowledged = ["kept"]
    try:
        sidecar = await open_at(home)
    except (Fault, apsw.Error) as error:
        return [acknowledged], error
    try:
        for method, params, left in STEPS:
            try:
                await call(sidecar, place, method, params)
            except (Fault, apsw.Error) as error:
                return [acknowledged, left], error
            acknowledged = left
        return [acknowledged], None
    finally:
        # SQLite keeps quiet about a disk that fails while a file is closed; a disk written in Python cannot.
        disk.fails_at = 0
        await sidecar.close()


async def found(home: Path, place: Path) -> list[str]:
    """The texts that are there, in a store that proves itself, and that takes writes again."""
    sidecar = await open_at(home)
    try:
        verified = await call(sidecar, place, "memory/verify", {})
        assert [] == verified["problems"]
        listed = await call(sidecar, place, "memory/list", {})
        await call(sidecar, place, "memory/add", {**UW, "text": "afterwards"})
        return sorted(entry["text"] for entry in listed["entries"])
    finally:
        await sidecar.close()


def fail_everywhere(
    disk: Disk, prepared: Path, place: Path, error: type[apsw.Error], step: int
) -> set[Code | None]:
    """Let every ``step``-th write fail, each in a copy of the store; returns the codes of what went wrong."""
    disk.error = error
    shutil.copytree(prepared, place / "whole")
    disk.writes = 0
    states, failed = asyncio.run(go_through(disk, place / "whole", place))
    assert ([[]], None) == (states, failed)
    codes: set[Code | None] = set()
    for number in range(1, disk.writes + 1, step):
        home = place / f"home-{number}"
        shutil.copytree(prepared, home)
        disk.writes, disk.fails_at = 0, number
        states, failed = asyncio.run(go_through(disk, home, place))
        disk.fails_at = 0
        assert asyncio.run(found(home, place)) in states, number
        if failed is not None:
            codes.add(failed.code if isinstance(failed, Fault) else None)
        shutil.rmtree(home)
    return codes


def test_a_full_disk(disk: Disk, prepared: Path, place: Path) -> None:
    """DSH-3-pipeline, R-CONC: it is STORE_FULL, wherever it strikes, and nothing is stored by halves."""
    assert {Code.STORE_FULL} == fail_everywhere(disk, prepared, place, apsw.FullError, 7)


def test_a_broken_disk(disk: Disk, prepared: Path, place: Path) -> None:
    """DSH-3-pipeline, R-CONC: an error that has no code of its own leaves no half change either."""
    assert {None} == fail_everywhere(disk, prepared, place, apsw.IOError, 7)


@pytest.mark.slow
@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError])
def test_every_write_fails_once(disk: Disk, prepared: Path, place: Path, error: type[apsw.Error]) -> None:
    """The same for every single write, none left out."""
    assert 1 == len(fail_everywhere(disk, prepared, place, error, 1))
