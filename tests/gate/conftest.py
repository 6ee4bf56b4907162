"""A real store and gate, with approvers that answer as a test says."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field

from keepgate.boot import open_sidecar
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo, NobodyThere
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Settings
from keepgate.service.connection import Connection
from keepgate.service.sidecar import Sidecar


@define
class Person:
    """An approver: answers each question by the next word of the script, or waits when there is none.

    A word is an outcome, ``nobody`` (unreachable), ``other-hash`` (allows other content), or a callable that
    runs first and returns a word.
    """

    script: list[Any] = field(factory=list)
    questions: list[ApprovalRequestParams] = field(factory=list)
    seen: asyncio.Event = field(factory=asyncio.Event)

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        self.questions.append(question)
        self.seen.set()
        if not self.script:
            await asyncio.Event().wait()
        word = self.script.pop(0)
        if callable(word):
            word = await word(question)
        if word == "nobody":
            raise NobodyThere("nobody is there")
        if word == "other-hash":
            return ApprovalAnswer(outcome="allowed-once", hash="0" * 64)
        return ApprovalAnswer(outcome=word, hash=question.hash)


@define
class Heard:
    """A peer that keeps what it is told."""

    notes: list[tuple[str, Any]] = field(factory=list)

    def notify(self, method: str, params: Any) -> None:
        self.notes.append((method, params))

    async def request(self, method: str, params: Any, result: type[Any]) -> Any:
        raise AssertionError(f"unexpected request {method}")

    def of(self, method: str) -> list[Any]:
        return [params for name, params in self.notes if name == method]


@define
class House:
    """A sidecar over a store of its own, and a way to connect to it."""

    sidecar: Sidecar
    folder: Path
    home: Path
    settings: Settings

    def connect(
        self,
        person: Person | None = None,
        *,
        session: str | None = "s1",
        agent: str = "",
        folder: str = "project",
        may_decide: bool = False,
        peer: Any = None,
    ) -> Connection:
        path = self.folder / folder
        path.mkdir(exist_ok=True)
        return self.sidecar.connect(
            peer=peer or Heard(),
            channel="test",
            client=ClientInfo(name="test", version="1"),
            folders=[str(path)],
            approver=person,
            may_decide=may_decide,
            session=SessionRef(id=session, agent_preset=agent) if session else None,
        )

    async def call(self, connection: Connection, method: str, **params: Any) -> Any:
        return await self.sidecar.call(connection, method, params)

    async def rows(self, connection: Connection, action: str | None = None) -> list[dict[str, Any]]:
        params = {"session": None, **({"action": action} if action else {})}
        result = await self.sidecar.call(connection, "memory/audit", params)
        rows: list[dict[str, Any]] = result["rows"]
        return rows

    async def reopen(self) -> "House":
        """Another process's view of the same store, as good as one can have it in this process."""
        places = find_places({"KEEPGATE_HOME": str(self.home)})
        return evolve(self, sidecar=await open_sidecar(self.settings, places))


@pytest.fixture
async def build(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Make houses with given settings; every one is closed at the end, and its ledger verified."""
    made: list[House] = []

    async def make(**settings: Any) -> House:
        home = tmp_path / "home"
        places = find_places({"KEEPGATE_HOME": str(home)})
        chosen = Settings(**settings)
        house = House(await open_sidecar(chosen, places), tmp_path, home, chosen)
        made.append(house)
        return house

    yield make
    for house in made:
        connection = house.connect(session=None)
        verified = await house.sidecar.call(connection, "memory/verify", {})
        await house.sidecar.close()
        assert [problem for problem in verified["problems"] if problem["kind"] != "purged"] == []


@pytest.fixture
async def house(build: Callable[..., Any]) -> House:
    """A house with default settings."""
    made: House = await build()
    return made


@pytest.fixture
def person() -> Person:
    """Somebody who answers as the test scripts."""
    return Person()
