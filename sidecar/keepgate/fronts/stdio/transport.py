"""The process's own stdin and stdout as the wire, and nobody else's (docs/protocol.md).

:func:`claim` moves both to descriptors that only this module knows. :class:`Wire` pumps bytes between
them and the event loop with one reading and one writing thread, the same on pipes, sockets and files and
on every platform. Neither thread ever keeps the loop or the process's end waiting.
"""

import asyncio
import io
import os
import queue
import select
import selectors
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

from attrs import frozen

READ_BYTES: Final = 64 * 1024
QUEUED_BYTES_HIGH: Final = 8 * 1024 * 1024
"""Above this much unread output no further input is read, until the client reads again."""
CHUNKS_AHEAD: Final = 16
"""How many chunks of input may wait for the event loop."""

_Job = bytes | Callable[[], Any]


@frozen
class Descriptors:
    """The wire: a descriptor to read from and one to write to."""

    input: int
    output: int


def claim() -> Descriptors:
    """Take stdin and stdout for the protocol.

    Afterwards descriptor 1 is stderr and descriptor 0 is empty, for Python, for C code and for child
    processes alike: whatever prints cannot reach the wire.
    """
    null = os.open(os.devnull, os.O_RDWR)
    wire = Descriptors(os.dup(0), os.dup(1))
    os.dup2(null, 0)
    if not _is_open(2):
        # A free descriptor 2 would be given to the next file, and printed into.
        os.dup2(null, 2)
    os.dup2(2, 1)
    if null > 2:
        os.close(null)
    for descriptor in (wire.input, wire.output):
        _set_binary(descriptor)
    # Without buffers of its own: the process's end flushes nothing.
    raw = io.FileIO(1, "w", closefd=False)
    sys.stdout = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", write_through=True)
    return wire


def other_end_gone(descriptor: int) -> bool:
    """Whether nobody reads or writes at the other end any more, told without reading or writing.

    Always false where the platform cannot tell; a read or a write tells there.
    """
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    # Not POLLNVAL: some systems say that of every device.
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


class Wire:
    """Bytes in through ``on_input``, bytes out with :meth:`write`. Belongs to the running event loop.

    ``on_end`` is called once when the input ends, ``on_broken`` once when the output cannot be written
    any more; both on the loop. ``on_last`` is called on the reading thread before ``on_end``, and so even
    when the loop is busy.
    """

    def __init__(
        self,
        descriptors: Descriptors,
        *,
        on_input: Callable[[bytes], None],
        on_end: Callable[[], None],
        on_broken: Callable[[], None],
        on_last: Callable[[], None],
    ) -> None:
        self.descriptors = descriptors
        self.queued_bytes = 0
        self._loop = asyncio.get_running_loop()
        self._on_input = on_input
        self._on_end = on_end
        self._on_broken = on_broken
        self._on_last = on_last
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._broken = False
        self._may_read = threading.Event()
        self._may_read.set()
        self._ahead = threading.Semaphore(CHUNKS_AHEAD)

    def start(self) -> None:
        """Start both threads. They are daemons: a read that never returns keeps no process alive."""
        for target in (self._read, self._write):
            threading.Thread(target=target, name=f"keepgate-wire{target.__name__}", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Queue bytes, whole and in order; returns at once."""
        if self._broken:
            return
        self.queued_bytes += len(data)
        if self.queued_bytes > QUEUED_BYTES_HIGH:
            self._may_read.clear()
        self._jobs.put(data)

    @property
    def is_gone(self) -> bool:
        """Whether the client has let go of an end: of its reading one, or of both while it reads nothing.

        While reading is paused, nobody would notice the end of input.
        """
        if other_end_gone(self.descriptors.output):
            return True
        return not self._may_read.is_set() and other_end_gone(self.descriptors.input)

    def when_written(self, callback: Callable[[], Any]) -> None:
        """Call back on the loop once everything queued so far is written; never when it could not be."""
        self._jobs.put(lambda: None if self._broken else self._post(callback))

    async def flush(self, timeout_s: float) -> None:
        """Wait until everything queued so far is written, at most ``timeout_s`` seconds."""
        written = asyncio.Event()
        self._jobs.put(lambda: self._post(written.set))
        try:
            async with asyncio.timeout(timeout_s):
                await written.wait()
        except TimeoutError:
            return

    def _read(self) -> None:
        while True:
            self._may_read.wait()
            self._ahead.acquire()
            data = _read_some(self.descriptors.input)
            if not data:
                break
            self._post(self._take, data)
        self._on_last()
        self._post(self._on_end)

    def _take(self, data: bytes) -> None:
        self._ahead.release()
        self._on_input(data)

    def _write(self) -> None:
        while True:
            job = self._jobs.get()
            if not isinstance(job, bytes):
                job()
            elif not self._broken:
                self._broken = not _write_all(self.descriptors.output, job)
                self._post(self._written, len(job))

    def _written(self, size: int) -> None:
        self.queued_bytes -= size
        if self._broken:
            self._on_broken()
        if self.queued_bytes <= QUEUED_BYTES_HIGH:
            self._may_read.set()

    def _post(self, callback: Callable[..., Any], *args: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:
            # The loop is closed: the process is on its way out and nobody is left to tell.
            return


def _read_some(descriptor: int) -> bytes:
    """The next bytes, at least one; empty at the end of input or when it cannot be read."""
    while True:
        try:
            return os.read(descriptor, READ_BYTES)
        except BlockingIOError:
            _wait_for(descriptor, selectors.EVENT_READ)
        except OSError:
            return b""


def _write_all(descriptor: int, data: bytes) -> bool:
    """Whether all of it could be written."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            _wait_for(descriptor, selectors.EVENT_WRITE)
        except OSError:
            return False
    return True


def _wait_for(descriptor: int, event: int) -> None:
    # A descriptor that the other side made non-blocking stays so for both; it is waited for instead.
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, event)
        selector.select()


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _set_binary(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - only there

        msvcrt.setmode(descriptor, os.O_BINARY)
