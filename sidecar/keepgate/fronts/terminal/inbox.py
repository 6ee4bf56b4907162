"""Deciding a proposal that waits, with the person who sits at the terminal."""

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from keepgate.fronts.terminal.calls import Calls
from keepgate.fronts.terminal.elsewhere import settled, tell_who_decided
from keepgate.fronts.terminal.prompt import CLOSED, confirm
from keepgate.fronts.terminal.question import Line, everything_lines, painted, proposal_lines
from keepgate.fronts.terminal.tty import Interrupted, Terminal
from keepgate.protocol.errors import Fault, proposal_not_found, write_denied
from keepgate.protocol.proposals import Outcome, ProposalsGetResult, ProposalStatus
from keepgate.protocol.wire import structure

APPROVING: Final = "Approve this? y = yes, d = every detail, anything else = leave it waiting: "
DISMISSING: Final = "Dismiss this? y = yes, d = every detail, anything else = leave it waiting: "


def nobody_here() -> Fault:
    """Deciding without a terminal."""
    advice = "Run it in the foreground of a terminal, where a person can answer."
    return write_denied(Outcome.UNAVAILABLE, None, reason="no terminal", suggestion=advice)


async def approve(calls: Calls, terminal: Terminal, proposal_id: str) -> Any:
    """Show the whole change and, after a yes, store what was shown. The wire form of the result.

    Raises ``WRITE_DENIED`` when the person leaves it waiting or it can no longer be made, and the faults of
    ``proposals/approve``.
    """
    found = await _pending(calls, proposal_id)
    if found.ask is None:
        raise write_denied(Outcome.CANCELLED, proposal_id, reason=found.problem)
    await _agree(calls, terminal, found, APPROVING)
    return await _decide(calls, terminal, "proposals/approve", {"id": proposal_id, "hash": found.ask.hash})


async def dismiss(calls: Calls, terminal: Terminal, proposal_id: str, reason: str | None) -> Any:
    """Show the change and, after a yes, close the wish. The wire form of the result.

    Raises ``WRITE_DENIED`` when the person leaves it waiting, and the faults of ``proposals/dismiss``.
    """
    found = await _pending(calls, proposal_id)
    await _agree(calls, terminal, found, DISMISSING)
    return await _decide(calls, terminal, "proposals/dismiss", {"id": proposal_id, "reason": reason})


async def _pending(calls: Calls, proposal_id: str) -> ProposalsGetResult:
    found = structure(await calls.call("proposals/get", {"id": proposal_id}), ProposalsGetResult)
    if found.proposal.status is not ProposalStatus.PENDING:
        raise proposal_not_found(proposal_id)
    return found


async def _agree(calls: Calls, terminal: Terminal, found: ProposalsGetResult, asking: str) -> None:
    ask = found.ask
    details = partial(everything_lines, ask) if ask is not None else tuple
    answering = asyncio.create_task(says_yes(terminal, proposal_lines(found), asking, details))
    overtaken = asyncio.create_task(settled(calls.sidecar.store, found.proposal.id))
    try:
        await asyncio.wait({answering, overtaken}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            terminal.write(CLOSED)
            await _tell_who_decided(calls, terminal, found.proposal.id)
            raise proposal_not_found(found.proposal.id)
    finally:
        overtaken.cancel()
        answering.cancel()
        await asyncio.wait({answering, overtaken})
    if not answering.result():
        advice = "It still waits and can be decided at any time."
        raise write_denied(Outcome.CANCELLED, found.proposal.id, reason="left waiting", suggestion=advice)


async def _decide(calls: Calls, terminal: Terminal, method: str, params: dict[str, Any]) -> Any:
    try:
        return await calls.call(method, params)
    except Fault:
        # Somebody else may have been faster than the answer.
        await _tell_who_decided(calls, terminal, params["id"])
        raise


async def _tell_who_decided(calls: Calls, terminal: Terminal, proposal_id: str) -> None:
    await tell_who_decided(calls.sidecar.store, terminal, proposal_id, calls.connection.asker.connection_id)


async def agree_to(terminal: Terminal, lines: Iterable[str], asking: str) -> None:
    """Return once the person agreed to what ``lines`` say. Raises ``WRITE_DENIED`` when they did not."""
    if not await says_yes(terminal, map(Line, lines), asking, tuple):
        raise write_denied(Outcome.REJECTED, None, suggestion="Nothing was changed.")


async def says_yes(
    terminal: Terminal, lines: Iterable[Line], asking: str, details: Callable[[], Iterable[Line]]
) -> bool:
    """Show ``lines``; whether the person answers with a yes. Ctrl-C is none."""
    terminal.write(f"\n{painted(lines, colour=terminal.colour)}\n")
    try:
        return await confirm(terminal, asking, details)
    except Interrupted:
        return False
