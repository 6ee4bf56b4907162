"""Putting a question and waiting: the only place where the gate waits for a person."""

import asyncio
import logging
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from keepgate.core.writing.approval import Allowed, Decider, Denied, Unreachable, Verdict
from keepgate.gate.approvers import Asker, NobodyThere
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams, Outcome
from keepgate.protocol.settings import WritePolicy

T = TypeVar("T")

_log: Final = logging.getLogger(__name__)

ALLOW_SESSION: Final = "allowed-session"


class DecidedElsewhere(Exception):
    """Another connection or process decided the proposal first."""


class Decisions:
    """Tells waiters that their proposal was decided by somebody else, in this process or another."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}

    @contextmanager
    def watching(self, proposal_id: str) -> Iterator[asyncio.Event]:
        """An event that is set once the proposal is decided elsewhere."""
        event = asyncio.Event()
        self._waiting.setdefault(proposal_id, set()).add(event)
        try:
            yield event
        finally:
            events = self._waiting[proposal_id]
            events.discard(event)
            if not events:
                del self._waiting[proposal_id]

    def decided(self, proposal_id: str) -> None:
        """Note a decision; whoever waits for it stops asking."""
        for event in self._waiting.get(proposal_id, ()):
            event.set()


async def wait_for(
    question: Awaitable[ApprovalAnswer],
    shown: ApprovalRequestParams,
    by: Decider,
    elsewhere: asyncio.Event,
    wait_ms: int | None,
) -> Verdict:
    """Wait for a question's answer, its deadline if it has one, or a decision elsewhere.

    Raises :class:`DecidedElsewhere`. A question that becomes moot is cancelled; its late answer changes
    nothing, because the proposal is closed by then.
    """
    asking = asyncio.ensure_future(question)
    overtaken = asyncio.ensure_future(elsewhere.wait())
    try:
        timeout = None if wait_ms is None else max(wait_ms, 0) / 1000
        await asyncio.wait({asking, overtaken}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if asking.done():
            return _verdict(asking, shown, by)
        if overtaken.done():
            raise DecidedElsewhere
        return Unreachable(by=by, reason="nobody answered before the deadline")
    finally:
        asking.cancel()
        overtaken.cancel()


def _verdict(asking: "asyncio.Future[ApprovalAnswer]", shown: ApprovalRequestParams, by: Decider) -> Verdict:
    try:
        answer = asking.result()
    except NobodyThere as reason:
        return Unreachable(by=by, reason=str(reason))
    except Exception as error:  # noqa: BLE001 - a front that fails to ask must not lose the wish (W29)
        _log.error("a question could not be put: %s", type(error).__name__)
        _log.debug("what went wrong", exc_info=error)
        return Unreachable(by=by, reason="asking failed")
    if answer.hash != shown.hash:
        return Denied(by=by, outcome=Outcome.CANCELLED)
    match answer.outcome:
        case "allowed-once" | "allowed-session":
            return Allowed(by=by, hash=shown.hash, for_session=answer.outcome == ALLOW_SESSION)
        case "rejected":
            return Denied(by=by, outcome=Outcome.REJECTED)
        case _:
            return Denied(by=by, outcome=Outcome.CANCELLED)


def decider(asker: Asker, *, via: str) -> Decider:
    """The person at a connection, as the ledger names them."""
    return Decider(
        via=via,
        policy=WritePolicy.ASK,
        client=asker.client.name,
        version=asker.client.version,
        connection=asker.connection_id,
        channel=asker.channel,
    )


async def to_the_end(work: Awaitable[T]) -> tuple[T, bool]:
    """Await ``work`` to its end even when the caller is cancelled; the flag says whether it was.

    A change whose commit has begun is completed and must be answered as such, so the caller decides what the
    cancellation still means. Raises what ``work`` raises.
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    return task.result(), cancelled
