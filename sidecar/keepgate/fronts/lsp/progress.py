"""Work-done progress: what long work reports, as the editor protocol shows it (docs/protocol.md)."""

import asyncio
import contextlib
import itertools
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from typing import Any, Final

import attrs
from lsprotocol import types

from keepgate.fronts.lsp.params import Token, is_token
from keepgate.fronts.lsp.protocol import KeepgateProtocol
from keepgate.protocol.operation import Latency, Operation
from keepgate.service.connection import PeerError, Progress, Silent

CREATE_S: Final = 1.0
"""How long work waits for the client to make room for a progress that the server starts."""

_numbers = itertools.count(1)


class WorkDone:
    """Reports under one token; a percentage is sent once, so work may report as often as it likes.

    The store's threads may call it: what they say is sent from the event loop.
    """

    def __init__(self, protocol: KeepgateProtocol, token: Token) -> None:
        self._progress = protocol.progress
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._shown: int | None = None

    def begin(self, title: str) -> None:
        """The work starts."""
        self._on_loop(lambda: self._begin(title))

    def report(self, done: int, total: int) -> None:
        """``done`` of ``total`` steps are through."""
        self._on_loop(lambda: self._report(done, total))

    def end(self) -> None:
        """The work is over; sent once, and only when it had begun."""
        self._on_loop(self._end)

    def _begin(self, title: str) -> None:
        if self._shown is None:
            self._shown = 0
            begun = types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0)
            self._progress.begin(self._token, begun)

    def _report(self, done: int, total: int) -> None:
        percentage = min(done * 100 // max(total, 1), 100)
        if self._shown is not None and percentage > self._shown:
            self._shown = percentage
            message = f"{done} of {total}"
            report = types.WorkDoneProgressReport(cancellable=True, message=message, percentage=percentage)
            self._progress.report(self._token, report)

    def _end(self) -> None:
        if self._shown is not None:
            self._shown = None
            self._progress.end(self._token, types.WorkDoneProgressEnd())

    def _on_loop(self, act: Callable[[], None]) -> None:
        if threading.get_ident() == self._thread:
            act()
        else:
            self._loop.call_soon_threadsafe(act)


@contextlib.asynccontextmanager
async def progress_of(
    protocol: KeepgateProtocol, operation: Operation, token: Any
) -> AsyncIterator[Progress]:
    """Where an operation reports while it runs: under the client's token, under one of ours, or nowhere.

    One of ours is made for operations that report, when the client announced work-done progress and makes
    room in time. ``window/workDoneProgress/cancel`` for the token cancels the current task.
    """
    chosen = token if is_token(token) else await _created(protocol, operation)
    tokens = protocol.progress.tokens
    if chosen is None or (chosen == token and chosen in tokens):
        # A token that is in use already belongs to the work that uses it.
        yield Silent()
        return
    task = asyncio.current_task()
    assert task is not None, "requests run in tasks"
    work = WorkDone(protocol, chosen)
    cancelled = tokens.setdefault(chosen, Future())
    cancelled.add_done_callback(lambda _: task.cancel())
    try:
        yield work
    finally:
        work.end()
        tokens.pop(chosen, None)


async def _created(protocol: KeepgateProtocol, operation: Operation) -> Token | None:
    window = protocol.client_capabilities.window
    if not reports(operation) or window is None or not window.work_done_progress:
        return None
    token = f"keepgate-progress-{next(_numbers)}"
    try:
        async with asyncio.timeout(CREATE_S):
            await protocol.progress.create_async(token)
    except (PeerError, TimeoutError):
        return None
    return token


def reports(operation: Operation) -> bool:
    """Whether an operation may take long enough to be watched: its latency says so, or its params do."""
    return operation.latency is Latency.LONG or "work_done_token" in attrs.fields_dict(operation.params)
