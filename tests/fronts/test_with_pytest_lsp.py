"""The whole job through a stock language client: remember, be asked, recall in the next session."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, make_test_lsp_client

Person = Callable[[types.ShowMessageRequestParams], Awaitable[types.MessageActionItem | None]]
WRITE = {"session": {"id": "s1"}, "track": "agent", "scope": "workspace", "text": "Use tabs."}


@asynccontextmanager
async def editor(home: Path, project: Path, person: Person | None) -> AsyncIterator[LanguageClient]:
    """A language client with ``person`` in front of it; ``None`` cannot show messages at all."""

    def client() -> LanguageClient:
        made = make_test_lsp_client()
        if person is not None:
            made.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(person)
        return made

    config = ClientServerConfig(
        server_command=[sys.executable, "-m", "keepgate", "serve", "--stdio"],
        server_env={**os.environ, "KEEPGATE_HOME": str(home)},
        client_factory=client,
    )
    started = await config.start()
    try:
        await started.initialize_session(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(),
                workspace_folders=[types.WorkspaceFolder(uri=project.as_uri(), name=project.name)],
            )
        )
        yield started
        await started.shutdown_session()
    finally:
        await started.stop()


def clicks(title: str | None) -> Person:
    """A person who answers every prompt with one title, or dismisses it."""

    async def person(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        return None if title is None else types.MessageActionItem(title)

    return person


async def test_remember_and_recall(home: Path, project: Path) -> None:
    """What a person allowed in one session is in the snapshot of the next."""
    async with editor(home, project, clicks("Allow once")) as client:
        added = await client.protocol.send_request_async("memory/add", WRITE)
    async with editor(home, project, None) as client:
        snapshot = await client.protocol.send_request_async("memory/snapshot", {"session": {"id": "s2"}})

    assert added.entry.text == "Use tabs."
    assert "Use tabs." in snapshot.text


@pytest.mark.parametrize(
    ("title", "outcome"), [("Reject", "rejected"), (None, "cancelled"), ("Sure", "cancelled")]
)
async def test_a_denial(home: Path, project: Path, title: str | None, outcome: str) -> None:
    """A denied write is a fault with its outcome."""
    async with editor(home, project, clicks(title)) as client:
        with pytest.raises(JsonRpcException) as denied:
            await client.protocol.send_request_async("memory/add", WRITE)

    assert denied.value.code == -32055
    assert denied.value.data["details"]["outcome"] == outcome


async def test_a_client_that_shows_no_messages(home: Path, project: Path) -> None:
    """The stock client has no handler for prompts: unavailable, and the wish waits."""
    async with editor(home, project, None) as client:
        with pytest.raises(JsonRpcException) as denied:
            await client.protocol.send_request_async("memory/add", WRITE)
        waiting = await client.protocol.send_request_async("proposals/list", {"status": "pending"})

    assert denied.value.data["details"]["outcome"] == "unavailable"
    assert [proposal.text for proposal in waiting.proposals] == ["Use tabs."]


async def test_a_slow_person_and_a_cancelled_request(home: Path, project: Path) -> None:
    """The client cancels while the person thinks; what the person says then changes nothing."""
    asked, answer = asyncio.Event(), asyncio.Event()

    async def person(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        asked.set()
        await answer.wait()
        return types.MessageActionItem("Allow once")

    async with editor(home, project, person) as client:
        pending = client.protocol.send_request("memory/add", WRITE, msg_id="write")
        await asked.wait()
        client.cancel_request(types.CancelParams(id="write"))
        with pytest.raises(JsonRpcException) as cancelled:
            await asyncio.wrap_future(pending)
        answer.set()
        found = await client.protocol.send_request_async("memory/query", {"text": "tabs"})

    assert cancelled.value.code == -32800
    assert found.total == 0


async def test_a_command(home: Path, project: Path) -> None:
    """Clients that can only run commands reach the same operations."""
    async with editor(home, project, None) as client:
        result = await client.workspace_execute_command_async(
            types.ExecuteCommandParams(command="keepgate.memory.budgets", arguments=[{}])
        )

    assert len(result["budgets"]) == 4
