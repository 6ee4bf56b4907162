"""Connections to a scripted server, each a real process that is gone after its test."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from keepgate.protocol.framing import Framing
from keepgate_client.connection import Connection

SCRIPT = Path(__file__).with_name("scripted_server.py")
GRACE_S = 0.2

Command = Callable[..., list[str]]
Connect = Callable[..., Awaitable[Connection]]


@pytest.fixture
def command() -> Command:
    """Build the command of a scripted server from a framing and options."""

    def build(framing: Framing = Framing.LSP, *options: str) -> list[str]:
        return [sys.executable, "-S", str(SCRIPT), framing, *options]

    return build


@pytest.fixture
async def connect(command: Command) -> AsyncIterator[Connect]:
    """Open connections to scripted servers with a framing, options and an environment."""
    opened: list[Connection] = []

    async def open_one(
        framing: Framing = Framing.LSP, *options: str, env: dict[str, str | None] | None = None
    ) -> Connection:
        connection = await Connection.open(command(framing, *options), framing=framing, env=env)
        opened.append(connection)
        return connection

    yield open_one
    for connection in opened:
        await connection.close(GRACE_S)
