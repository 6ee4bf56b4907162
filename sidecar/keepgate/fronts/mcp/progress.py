"""Progress of a call, for clients that gave a token: how long it has run, and what it waits for."""

import asyncio
import time
from typing import Final

from mcp.server.session import ServerSession

from keepgate.protocol.operation import Latency, Operation

FIRST_S: Final = 0.3
EVERY_S: Final = 2.0
_WAITING: Final = "waiting for a person to allow this"


class CallProgress:
    """Reports while a call runs. Implements ``service.connection.Progress``.

    ``progress`` is the seconds since the call began: it must grow with every report, whatever is going on.
    ``wait_s`` is how long a person has to answer.
    """

    def __init__(self, session: ServerSession, row: Operation, wait_s: int) -> None:
        self._session = session
        self._total = float(wait_s) if row.latency is Latency.PERSON else None
        self._message = _WAITING if row.latency is Latency.PERSON else ""
        self._title = ""

    def begin(self, title: str) -> None:
        """The work starts."""
        self._title = self._message = title
        self._total = None

    def report(self, done: int, total: int) -> None:
        """``done`` of ``total`` steps are through."""
        self._message = f"{self._title}: {done} of {total}"

    def end(self) -> None:
        """The work is over; what comes next is told as the wait for a person."""
        self._message = _WAITING

    async def tell(self) -> None:
        """Report again and again, until cancelled."""
        began = time.monotonic()
        await asyncio.sleep(FIRST_S)
        while True:
            await self._session.report_progress(
                round(time.monotonic() - began, 3), self._total, self._message or None
            )
            await asyncio.sleep(EVERY_S)
