"""Logging of a server: to stderr, and to a rotated file when asked, never with memory text above debug.

Records go through a queue to a thread of their own, so a client that does not read stderr stops nothing;
when the queue is full, records are dropped.
"""

import contextlib
import logging
import logging.handlers
import os
import queue
import traceback
import uuid
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Final

QUEUED_RECORDS: Final = 1000
FILE_BYTES: Final = 1024 * 1024
FILES_KEPT: Final = 3
FORMAT: Final = "%(asctime)s %(levelname)s %(name)s: %(message)s"
BORROWED: Final = ("pygls", "mcp", "asyncio", "watchdog", "filelock")
"""Loggers of libraries; below warning they print message bodies, and so memory text."""

logger = logging.getLogger(__name__)


def configure(level: str, file: str | None) -> logging.handlers.QueueListener:
    """Send the log to stderr, and to ``file`` when given; returns what :func:`finish` ends.

    Raises ``OSError`` when ``file`` cannot be opened, ``ValueError`` for an unknown level.
    """
    outputs: list[logging.Handler] = [logging.StreamHandler()]
    if file is not None:
        outputs.append(
            _PrivateFile(
                file, maxBytes=FILE_BYTES, backupCount=FILES_KEPT, encoding="utf-8", errors="backslashreplace"
            )
        )
    for output in outputs:
        output.setFormatter(logging.Formatter(FORMAT))
    records: queue.Queue[logging.LogRecord] = queue.Queue(QUEUED_RECORDS)
    root = logging.getLogger()
    root.handlers = [logging.handlers.QueueHandler(records)]
    root.setLevel(level.upper())
    for name in BORROWED:
        logging.getLogger(name).setLevel(logging.WARNING)
    # Without this, a full queue and an unwritable stderr are reported on stderr, which would then block.
    logging.raiseExceptions = False
    listener = logging.handlers.QueueListener(records, *outputs)
    listener.start()
    return listener


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A log file for this user alone: at debug level it has the words of memories."""

    def _open(self) -> TextIOWrapper:
        os.close(os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        return super()._open()


def incident(error: BaseException) -> str:
    """Log an unforeseen failure and return the id under which the log has it.

    The log names the kind of error and the lines of code. The error's own words may quote a memory: they
    are logged at debug level alone.
    """
    number = uuid.uuid4().hex[:12]
    logger.error("incident %s: %s\n%s", number, type(error).__name__, "\n".join(_places(error)))
    logger.debug("incident %s in full", number, exc_info=error)
    return number


def finish(listener: logging.handlers.QueueListener, timeout_s: float) -> None:
    """Write what is queued, for at most ``timeout_s`` seconds."""
    with contextlib.suppress(queue.Full):
        listener.enqueue_sentinel()
    thread = getattr(listener, "_thread", None)
    if thread is not None:
        thread.join(timeout_s)


def _places(error: BaseException) -> Iterator[str]:
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} in {frame.name}"
    if error.__cause__ is not None:
        yield f"caused by {type(error.__cause__).__name__}"
        yield from _places(error.__cause__)
