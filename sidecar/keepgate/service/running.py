"""The operations that run for each connection, so that they can be given up when it goes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from keepgate.service.connection import Connection

DISCONNECT_SECONDS: Final = 1.0
TURNS: Final = 20
"""More turns of the event loop than an answer takes from a front to the gate, which then decides by it.

Nothing waits for anything else on that way, so that turns are what counts, and not time.
"""


class Running:
    """The tasks of the connections of one sidecar."""

    def __init__(self) -> None:
        self._tasks: dict[Connection, set[asyncio.Task[Any]]] = {}

    def begin(self, connection: Connection) -> None:
        """A connection is there."""
        self._tasks[connection] = set()

    @contextmanager
    def tracked(self, connection: Connection) -> Iterator[None]:
        """Count the current task as work for a connection."""
        task = asyncio.current_task()
        running = self._tasks.get(connection, set())
        if task is not None:
            running.add(task)
        try:
            yield
        finally:
            if task is not None:
                running.discard(task)

    async def give_up(self, connection: Connection) -> None:
        """Cancel what runs for a connection that goes, and give it a moment to end."""
        waiting = self._tasks.pop(connection, set()) - {asyncio.current_task()}
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting, timeout=DISCONNECT_SECONDS)


async def answers_heard() -> None:
    """Wait until every answer of a person that has arrived in this process is acted upon."""
    for _ in range(TURNS):
        await asyncio.sleep(0)
