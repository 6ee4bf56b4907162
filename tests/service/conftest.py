"""A whole provider over a real store, with people who answer as a test says."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import attrs
import pytest
from attrs import define, field

from keepgate.boot.compose import compose, stamp_now
from keepgate.boot.places import find_places
from keepgate.core.model.page import IndexedPage, PageFile
from keepgate.gate.approvers import ClientInfo, NobodyThere
from keepgate.pages.parse import parse
from keepgate.pages.ready import indexed
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Fault
from keepgate.protocol.ops import BY_NAME
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Settings
from keepgate.service.connection import Connection, PeerError
from keepgate.service.sidecar import Sidecar
from keepgate.store.pages import put_pages

WAIT_S = 90.0


@define(eq=False)
class Person:
    """Answers each question by the next word of the script; without a script by ``always``.

    A word is an outcome, ``nobody``, ``other-hash``, ``waits`` (for ever), an exception to raise, or a
    coroutine function of the question that returns one of these.
    """

    script: list[Any] = field(factory=list)
    always: str = "allowed-once"
    questions: list[ApprovalRequestParams] = field(factory=list)
    asked: asyncio.Event = field(factory=asyncio.Event)

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        self.questions.append(question)
        self.asked.set()
        word = self.script.pop(0) if self.script else self.always
        if callable(word):
            word = await word(question)
        if isinstance(word, Exception):
            raise word
        if word == "waits":
            await asyncio.Event().wait()
        if word == "nobody":
            raise NobodyThere("nobody is there")
        hash_ = "0" * 64 if word == "other-hash" else question.hash
        return ApprovalAnswer(outcome="allowed-once" if word == "other-hash" else word, hash=hash_)


@define(eq=False)
class Client:
    """One client: its person, what it was told, and the adapter that it runs when it has one."""

    sidecar: Sidecar
    person: Person
    session: dict[str, Any] | None
    notes: list[tuple[str, Any]] = field(factory=list)
    adapter: Callable[[str, Any], Any] | None = None
    connection: Connection = field(init=False)

    def notify(self, method: str, params: Any) -> None:
        self.notes.append((method, params))

    async def request(self, method: str, params: Any, result: type[Any]) -> Any:
        if self.adapter is None:
            raise PeerError("this client runs no adapter")
        return self.adapter(method, params)

    async def call(self, method: str, **params: Any) -> Any:
        """The result of an operation, with this client's session unless the call says otherwise."""
        takes_session = method in BY_NAME and hasattr(attrs.fields(BY_NAME[method].params), "session")
        given = {"session": self.session} if takes_session and self.session is not None else {}
        return await self.sidecar.call(self.connection, method, {**given, **params})

    async def fault(self, method: str, **params: Any) -> Fault:
        """The fault that an operation ends with."""
        with pytest.raises(Fault) as caught:
            await self.call(method, **params)
        return caught.value

    async def add(self, text: str, track: str = "user", scope: str = "workspace", **params: Any) -> Any:
        """The entry that an add leaves behind."""
        return (await self.call("memory/add", track=track, scope=scope, text=text, **params))["entry"]

    async def texts(self, **params: Any) -> list[str]:
        """The texts that a query finds, without counting as a recall."""
        found = await self.call("memory/query", **{"session": None, **params})
        return [entry["text"] for entry in found["entries"]]

    async def rows(self, *actions: str) -> list[Any]:
        """Every ledger row of the store with one of these actions, or all, oldest first."""
        page = await self.call("memory/audit", session=None, allWorkspaces=True, limit=1000)
        return [row for row in reversed(page["rows"]) if not actions or row["action"] in actions]

    def told(self, method: str) -> list[Any]:
        """The params of the notifications of one kind so far."""
        return [params for name, params in self.notes if name == method]

    async def hears(self, method: str, count: int = 1) -> list[Any]:
        """The params of the notifications of one kind, once there are so many."""
        async with asyncio.timeout(WAIT_S):
            while len(self.told(method)) < count:  # noqa: ASYNC110 - the peer's method is no coroutine
                await asyncio.sleep(0.005)
        return self.told(method)


@define(eq=False)
class House:
    """A sidecar over a store of its own."""

    sidecar: Sidecar
    folder: Path
    settings: Settings

    def client(
        self,
        session: str | None = "s1",
        *,
        agent: str = "",
        folders: tuple[str, ...] = ("project",),
        cwd: str | None = None,
        person: Person | None = None,
        may_decide: bool = True,
        remote: bool = False,
        default: SessionRef | None = None,
    ) -> Client:
        """A client with its own connection; folders are names below the test's folder."""
        paths = [self.folder / name for name in folders]
        for path in paths:
            path.mkdir(parents=True, exist_ok=True)
        where = {} if cwd is None else {"cwd": str(self.folder / cwd)}
        ref = None if session is None else {"id": session, "agentPreset": agent, **where}
        client = Client(self.sidecar, person or Person(), ref)
        client.connection = self.sidecar.connect(
            peer=client,
            channel="test",
            client=ClientInfo(name="tester", version="1"),
            folders=[str(path) for path in paths],
            approver=client.person,
            may_decide=may_decide,
            remote=remote,
            session=default,
        )
        return client

    def key(self, folder: str = "project") -> str:
        """The workspace key of a folder."""
        return str((self.folder / folder).resolve())


@pytest.fixture(autouse=True)
def time_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A read waits for the index as long as it takes, so that a busy machine changes no answer."""
    monkeypatch.setattr("keepgate.pages.keeping.REFRESH_S", 60.0)


@pytest.fixture
async def build(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """Open houses over one store, with given settings and clock; at the end its ledger must prove it."""
    made: list[House] = []

    async def make(stamp: Any = stamp_now, **settings: Any) -> House:
        chosen = Settings(**settings)
        places = find_places({"KEEPGATE_HOME": str(tmp_path / "home")})
        house = House(await compose(chosen, places, stamp=stamp), tmp_path, chosen)
        made.append(house)
        return house

    yield make
    for house in made:
        verified = await house.sidecar.call(house.client(None).connection, "memory/verify", {})
        await house.sidecar.close()
        assert [] == verified["problems"]


@pytest.fixture
async def house(build: Callable[..., Any]) -> House:
    """A house with default settings."""
    made: House = await build()
    return made


@pytest.fixture
def client(house: House) -> Client:
    """A client whose person allows everything."""
    return house.client()


@pytest.fixture
def people() -> type[Person]:
    """Makes people: ``people(["rejected"])``."""
    return Person


@pytest.fixture
def shelve() -> Callable[..., Any]:
    """Puts pages into the index of a house, as the indexing of their files does."""

    async def put(house: House, pages: dict[str, str], *, home: str | None = None, now_ms: int = 0) -> None:
        key = house.key() if home is None else home
        ready = [_indexed_page(key, path, text.encode()) for path, text in pages.items()]
        await house.sidecar.store.derived.write(lambda db: put_pages(db, ready, now_ms=now_ms, budget_s=3600))

    return put


def _indexed_page(home: str, path: str, data: bytes) -> IndexedPage:
    file = PageFile(
        home=home,
        root=f"{home or '/user-global'}/pages",
        path=path,
        size=len(data),
        mtime_ns=1,
        digest=hashlib.sha256(data).hexdigest(),
    )
    return indexed(file, parse(path, data))
