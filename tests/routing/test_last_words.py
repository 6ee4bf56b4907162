"""What an editor said before it left counts, and one that was greeted can be asked."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from keepgate.protocol.framing import Framing, frame
from keepgate.protocol.wire import encode
from keepgate_client.connection import Connection

Json = dict[str, Any]
SERVE = (sys.executable, "-m", "keepgate", "serve")
ADD = {"session": {"id": "s1"}, "track": "user", "scope": "workspace", "text": "The sky is blue."}


class Window:
    """An editor by hand: its bytes are written together or apart, as a test says."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.questions: asyncio.Queue[tuple[Any, Json]] = asyncio.Queue()
        connection.trace = self._seen
        connection.on_request("approval/request", self._wait)

    async def greet(self, folder: Any) -> None:
        """Send ``initialize`` and read its answer; no more."""
        announced = {"experimental": {"keepgate": {"approvalRequest": True}}}
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        hello = {"processId": None, "capabilities": announced, "workspaceFolders": folders}
        await self.connection.request("initialize", hello)

    async def allow(self, *then: Json) -> None:
        """Answer the next question with yes, say these things in the same breath, and leave."""
        number, shown = await self.questions.get()
        result = {"outcome": "allowed-once", "hash": shown["hash"]}
        said = ({"jsonrpc": "2.0", "id": number, "result": result}, *then)
        self.connection.send_bytes(b"".join(frame(encode(each), Framing.LSP) for each in said))
        self.connection.process.close_stdin()

    def _seen(self, direction: str, message: Any) -> None:
        if direction == "received" and message.get("method") == "approval/request":
            self.questions.put_nowait((message["id"], message["params"]))

    async def _wait(self, _: Json) -> None:
        await asyncio.Event().wait()


@pytest.fixture
async def window(house: Any) -> AsyncIterator[Callable[[], Any]]:
    """Makes windows that have the answer to ``initialize`` and have said nothing since."""
    async with AsyncExitStack() as stack:

        async def make() -> Window:
            connection = await Connection.open(SERVE, env=house.env)
            stack.push_async_callback(connection.close, 1.0)
            made = Window(connection)
            await made.greet(house.project)
            return made

        yield make


SHUTDOWN: Json = {"jsonrpc": "2.0", "id": "bye", "method": "shutdown"}
EXIT: Json = {"jsonrpc": "2.0", "method": "exit"}
FAREWELLS = pytest.mark.parametrize("then", [(), (EXIT,), (SHUTDOWN, EXIT)], ids=["eof", "exit", "shutdown"])


async def texts(house: Any) -> list[str]:
    """What the store holds."""
    return [entry.text for entry in (await (await house.person()).query()).entries]


async def test_a_window_that_was_greeted_is_reachable(house: Any, window: Any) -> None:
    """From the answer to ``initialize`` on others wait for it, not from some moment after it."""
    made = await window()
    greeted = house.reachable() > 0
    await made.connection.close(1.0)

    assert (True, 0) == (greeted, house.reachable())


@FAREWELLS
async def test_a_yes_to_an_agent_before_the_end(house: Any, window: Any, then: tuple[Json, ...]) -> None:
    """The agent's wish is stored, although the window left with the answer."""
    made = await window()
    await made.connection.notify("initialized", {})
    agent = await house.agent()
    wish = agent.remember("The sky is blue.")

    await made.allow(*then)

    assert "inserted" == (await agent.answer(wish))["status"]


@FAREWELLS
async def test_a_yes_to_a_wish_of_its_own_before_the_end(
    house: Any, window: Any, then: tuple[Json, ...]
) -> None:
    """It is stored, and answered where the client still reads."""
    made = await window()
    await made.connection.notify("initialized", {})
    call = made.connection.begin("memory/add", ADD)

    await made.allow(*then)

    assert ADD["text"] == (await call.answer)["result"]["entry"]["text"]
    assert [ADD["text"]] == await texts(house)
