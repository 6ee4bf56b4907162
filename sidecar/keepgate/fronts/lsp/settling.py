"""What operations owe after their replies: begun when the reply's bytes have left the process."""

import asyncio
from collections.abc import Callable
from typing import Any

from keepgate.fronts.lsp.answers import Reply
from keepgate.service.after_reply import AfterReply


class Settling:
    """The debts of replies that are on their way, and those that are being paid.

    ``when_written`` calls back on the loop once everything sent so far is written; never when it was not.
    """

    def __init__(self, when_written: Callable[[Callable[[], None]], None]) -> None:
        self._when_written = when_written
        self._running: set[asyncio.Task[None]] = set()

    def sent(self, task: asyncio.Task[Any]) -> None:
        """Take note that the answer to the request that ``task`` has served was sent."""
        if task.cancelled() or task.exception() is not None or not isinstance(task.result(), Reply):
            return
        after = task.result().after
        if after.is_owed:
            self._when_written(lambda: self._begin(after))

    async def wait(self, timeout_s: float) -> None:
        """Wait until what has begun is done, at most ``timeout_s`` seconds."""
        if self._running:
            await asyncio.wait(tuple(self._running), timeout=timeout_s)

    def _begin(self, after: AfterReply) -> None:
        running = asyncio.get_running_loop().create_task(after.written())
        self._running.add(running)
        running.add_done_callback(self._running.discard)
