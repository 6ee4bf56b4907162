"""What runs beside requests: nobody waits for it, and a failure of one piece is not the end of the next."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from keepgate.protocol.errors import Fault

_log: Final = logging.getLogger(__name__)


class Background:
    """The tasks in the background of one sidecar, until it stops them."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Run ``work`` beside everything else; what it raises is its awaiter's, if there is one."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def stop(self) -> None:
        """Give up what still runs, and wait until it has ended."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def errand(work: Callable[[], Awaitable[None]]) -> None:
    """Do ``work``; a failure is logged, without the words of an error, which may quote a memory.

    It is begun here and not by the caller: an errand that is given up before its first step begins nothing.
    """
    try:
        await work()
    except Fault as fault:
        _log.info("put off: %s", fault.code)
    except Exception as error:  # noqa: BLE001 - whatever it is, what comes after may go well
        _log.error("something in the background failed: %s", type(error).__name__)
        _log.debug("what went wrong", exc_info=error)
