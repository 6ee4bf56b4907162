"""The provider as the contract knows it, through two of its faces: in this process, and over stdio.

Every case of this folder runs against both.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from keepgate.boot import open_sidecar
from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo, NobodyThere
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.wire import unstructure
from keepgate_client import RpcError
from keepgate_client.testing import FakeEditor

Json = dict[str, Any]

CAN_DECIDE = {"experimental": {"keepgate": {"approver": True, "approvalRequest": True}}}
NOBODY = "nobody"

LAYER = {"track": "user", "scope": "workspace"}


@define
class Person:
    """Answers each question with ``answer``: an outcome, ``nobody``, or a function of the question."""

    answer: Any = "allowed-once"
    questions: list[Json] = field(factory=list)

    async def decide(self, question: Json) -> Json | None:
        """The answer to ``approval/request``; ``None`` when nobody is there."""
        self.questions.append(question)
        answer = self.answer
        if callable(answer):
            answer = await answer(question)
        return None if answer == NOBODY else {"outcome": answer, "hash": question["hash"]}


class Provider:
    """One connection to a provider. ``call`` returns JSON and raises ``Fault``; ``told`` is what it sent."""

    def __init__(
        self, person: Person, send: Callable[[str, Json], Awaitable[Any]], told: Callable[[], list[Json]]
    ) -> None:
        self.person = person
        self._send = send
        self._told = told

    async def call(self, method: str, **params: Any) -> Any:
        """Run an operation for the session ``s1``, unless ``session`` says otherwise."""
        return await self._send(method, {"session": {"id": "s1"}, **params} if _speaks(method) else params)

    async def add(self, text: str, **params: Any) -> Json:
        """Add to the user's layer of the workspace; returns the entry."""
        entry: Json = (await self.call("memory/add", **{**LAYER, "text": text, **params}))["entry"]
        return entry

    async def texts(self, **params: Any) -> list[str]:
        """The texts that a query of the management view finds, in its order."""
        found = await self.call("memory/query", **{"session": None, **params})
        return [entry["text"] for entry in found["entries"]]

    async def rows(self, action: str | None = None) -> list[Json]:
        """The ledger, oldest first."""
        wanted = {"action": action} if action else {}
        rows: list[Json] = (await self.call("memory/audit", session=None, limit=1000, **wanted))["rows"]
        return rows[::-1]

    async def told(self, method: str, count: int) -> list[Json]:
        """The params of what it sent under a name, once there are so many."""
        async with asyncio.timeout(30):
            # Both faces keep lists; neither has an event to wait for.
            while len(found := self._of(method)) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        return found

    def _of(self, method: str) -> list[Json]:
        return [item["params"] for item in self._told() if item["method"] == method]


def _speaks(method: str) -> bool:
    """Whether the params of a method have a session."""
    silent = ("memory/verify", "memory/status", "proposals/approve", "proposals/dismiss")
    return method.startswith(("memory/", "proposals/")) and method not in silent


Open = Callable[..., Any]


class _Heard:
    def __init__(self) -> None:
        self.messages: list[Json] = []

    def notify(self, method: str, params: Any) -> None:
        self.messages.append({"method": method, "params": unstructure(params)})

    async def request(self, method: str, params: Any, result: type[Any]) -> Any:
        raise AssertionError(f"unexpected request {method}")


class _Approver:
    def __init__(self, person: Person) -> None:
        self.person = person

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        answer = await self.person.decide(unstructure(question))
        if answer is None:
            raise NobodyThere("nobody is there")
        return ApprovalAnswer(outcome=answer["outcome"], hash=answer["hash"])


@asynccontextmanager
async def _inside(home: Path, folders: list[Path], settings: Json, person: Person) -> AsyncIterator[Provider]:
    environ = {"KEEPGATE_HOME": str(home)}
    places = find_places(environ)
    sidecar = await open_sidecar(load_settings(places, environ, options=settings), places)
    peer = _Heard()
    connection = sidecar.connect(
        peer=peer,
        channel="test",
        client=ClientInfo(name="suite", version="1"),
        folders=[str(folder) for folder in folders],
        approver=_Approver(person),
        may_decide=True,
    )
    await sidecar.start()
    try:
        yield Provider(
            person, lambda method, params: sidecar.call(connection, method, params), lambda: peer.messages
        )
    finally:
        await sidecar.close()


@asynccontextmanager
async def _over_stdio(
    home: Path, folders: list[Path], settings: Json, person: Person
) -> AsyncIterator[Provider]:
    async with FakeEditor.spawn(
        workspaces=folders,
        env={"KEEPGATE_HOME": str(home)},
        settings=settings,
        capabilities=CAN_DECIDE,
        client_name="suite",
        client_version="1",
    ) as editor:

        async def ask(question: Json) -> Json:
            answer = await person.decide(question)
            if answer is None:
                raise RpcError(-32601, "nobody is there")
            return answer

        editor.on_request("approval/request", ask)
        yield Provider(person, editor.request, editor.notifications)


FACES = {"in-process": _inside, "stdio": _over_stdio}


@pytest.fixture(params=list(FACES))
def open_provider(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Open a provider of this home: ``folders`` by name, ``settings`` as initialization options."""

    @asynccontextmanager
    async def open_one(
        *folders: str, person: Person | None = None, home: str = "home", **settings: Any
    ) -> AsyncIterator[Provider]:
        paths = [tmp_path / name for name in folders or ("project",)]
        for path in paths:
            path.mkdir(parents=True, exist_ok=True)
        face = FACES[request.param]
        async with face(tmp_path / home, paths, settings, person or Person()) as provider:
            yield provider

    return open_one


@pytest.fixture
async def provider(open_provider: Open) -> AsyncIterator[Provider]:
    """A provider with one workspace, defaults, and a person who says yes."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(open_provider())


@pytest.fixture
def fault_of() -> Callable[[Awaitable[Any]], Awaitable[Fault]]:
    """The fault that a call fails with."""

    async def run(call: Awaitable[Any]) -> Fault:
        with pytest.raises(Fault) as caught:
            await call
        return caught.value

    return run
