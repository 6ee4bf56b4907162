"""A terminal that asks as wishes come: one more window at which the person of a workspace can be reached."""

import asyncio
from contextlib import suppress
from typing import Any, Final, NoReturn, TypeVar

from keepgate.fronts.terminal.calls import Calls
from keepgate.fronts.terminal.cards import client_words
from keepgate.fronts.terminal.prompt import TerminalApprover
from keepgate.fronts.terminal.question import Line, painted
from keepgate.fronts.terminal.tty import Terminal
from keepgate.gate.approvers import NobodyThere
from keepgate.protocol.proposals import ApprovalDecided, Outcome, ProposalsListResult
from keepgate.protocol.wire import structure
from keepgate.service.connection import PeerError

T = TypeVar("T")

_WORDS: Final = {
    Outcome.ALLOWED_ONCE: "Allowed",
    Outcome.REJECTED: "Rejected",
    Outcome.CANCELLED: "Dismissed",
    Outcome.UNAVAILABLE: "Left waiting",
}


async def watch(calls: Calls, terminal: Terminal) -> NoReturn:
    """Ask at ``terminal`` about the wishes of other processes, until cancelled. Raises the store's faults."""
    connection, sidecar = calls.connection, calls.sidecar
    connection.asker.approver = TerminalApprover(terminal)
    connection.peer = _Told(terminal)
    places = ", ".join(workspace.path for workspace in connection.workspaces) or "no workspace"
    waiting = structure(await calls.call("proposals/list", {"status": "pending"}), ProposalsListResult)
    _say(terminal, f"Asking here about wishes of {places}. Ctrl-C ends it.")
    if waiting.proposals:
        _say(terminal, f"Waiting already: {len(waiting.proposals)}; see them with `keepgate inbox`.")
    await sidecar.listen()
    sidecar.make_reachable(connection, acknowledges=False)
    await sidecar.start()
    await asyncio.Event().wait()
    raise AssertionError("nothing sets this event")


class _Told:
    """Says how each question ended, wherever it was answered. Implements the way back to a client."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def notify(self, method: str, params: Any) -> None:
        """Write a line for each decision."""
        if isinstance(params, ApprovalDecided):
            by = f" by {client_words(params.by)}" if params.by is not None else ""
            _say(self._terminal, f"{_WORDS[params.outcome]}{by}: proposal {params.id}.")

    async def request(self, method: str, params: Any, result: type[T]) -> T:
        """Refuse."""
        raise PeerError("this client cannot be asked")


def _say(terminal: Terminal, text: str) -> None:
    # A terminal that has gone ends the command by its signal.
    with suppress(NobodyThere):
        terminal.write(painted([Line(text)], colour=terminal.colour))
