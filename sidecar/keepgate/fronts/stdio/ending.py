"""An end that nothing can hang, for a process that serves one client."""

import asyncio
import contextlib
import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import Any, Final

from keepgate.fronts.stdio.logs import incident

SIGNALS: Final = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
GUARD_S: Final = 1.5
"""After this long on the way out the process ends whatever still hangs; 2 s are promised."""

logger = logging.getLogger(__name__)


class CertainEnd:
    """From :meth:`due` on the end is certain, also when the event loop is not free to bring it about.

    ``exit_code`` is asked at that end.
    """

    def __init__(self, exit_code: Callable[[], int]) -> None:
        self._exit_code = exit_code
        # Its put may be called from a signal handler: it takes no lock that this thread could hold already.
        self._is_due: queue.SimpleQueue[None] = queue.SimpleQueue()

    def start(self) -> None:
        """Wait for the end on a thread of its own."""
        threading.Thread(target=self._wait, name="keepgate-guard", daemon=True).start()

    def due(self) -> None:
        """The process is on its way out."""
        self._is_due.put(None)

    def _wait(self) -> None:
        self._is_due.get()
        time.sleep(GUARD_S)
        os._exit(self._exit_code())


def on_signals(handler: Callable[[int, FrameType | None], None]) -> None:
    """Handle every signal that asks a process to end."""
    for name in SIGNALS:
        if (number := getattr(signal, name, None)) is not None:
            signal.signal(number, handler)


async def in_time(work: Awaitable[Any], timeout_s: float) -> None:
    """Do ``work``, at most for ``timeout_s`` seconds; on the way out one failure stops no next step."""
    try:
        async with asyncio.timeout(timeout_s):
            await work
    except TimeoutError:
        logger.warning("left with something unfinished after %s s", timeout_s)
    except Exception as error:  # noqa: BLE001 - see above
        incident(error)


def log_unhandled(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log what the event loop has nobody else to tell."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        incident(error)
    else:
        logger.error("%s", context["message"])


def say(line: str) -> None:
    """One line on stderr; without one, or with a closed one, there is nobody to tell."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"keepgate: {line}\n")
        sys.stderr.flush()
