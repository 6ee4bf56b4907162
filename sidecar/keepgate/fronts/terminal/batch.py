"""Deciding many small facts at the terminal, after one look at all of them."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from keepgate.core.model.text import named, one_line
from keepgate.fronts.terminal.calls import Calls
from keepgate.fronts.terminal.inbox import says_yes
from keepgate.fronts.terminal.question import Line, Tone, change_lines, everything_lines
from keepgate.fronts.terminal.screen import Screen
from keepgate.fronts.terminal.tty import Terminal
from keepgate.protocol.errors import write_denied
from keepgate.protocol.proposals import (
    ApprovalRequestParams,
    ChangeKind,
    Outcome,
    ProposalsApproveResult,
    ProposalsGetResult,
    ProposalsListResult,
)
from keepgate.protocol.wire import structure

FACTS: Final = (ChangeKind.REMEMBER, ChangeKind.SUPERSEDE)
APPROVING: Final = "Approve all of these? y = yes, d = every detail, anything else = leave them waiting: "
AT_ONCE_MAX: Final = 200
"""As many as one decision may name."""


async def approve_all_facts(calls: Calls, terminal: Terminal) -> Any:
    """Show every fact that waits and, after one yes, store each as it was shown. The wire form of the result.

    Facts with a warning and such as can no longer be stored are left for a look of their own. Raises
    ``WRITE_DENIED`` when the person leaves them waiting.
    """
    waiting = structure(await calls.call("proposals/list", {"status": "pending"}), ProposalsListResult)
    facts = [item.id for item in waiting.proposals if item.kind in FACTS]
    found = [structure(await calls.call("proposals/get", {"id": each}), ProposalsGetResult) for each in facts]
    asks = [each.ask for each in found if each.ask is not None and not each.ask.warnings][:AT_ONCE_MAX]
    if not asks:
        raise write_denied(Outcome.CANCELLED, None, reason="no facts", suggestion=_ONE_BY_ONE)
    lines = _lines(asks, left=len(facts) - len(asks))
    if not await says_yes(terminal, lines, APPROVING, lambda: _details(asks)):
        advice = "They still wait and can be decided at any time."
        raise write_denied(Outcome.CANCELLED, None, reason="left waiting", suggestion=advice)
    return await calls.call("proposals/approve", {"ids": [{"id": ask.id, "hash": ask.hash} for ask in asks]})


_ONE_BY_ONE: Final = "No fact waits that can be approved with others; see what waits with `keepgate inbox`."


def _lines(asks: list[ApprovalRequestParams], *, left: int) -> Iterator[Line]:
    yield Line(f"keepgate asks: remember {_facts(len(asks))}?", Tone.TITLE)
    for ask in asks:
        yield Line("")
        client = named(str((ask.client or {}).get("client", "unknown")))
        session = named(ask.session_id or "unknown")
        yield Line(one_line(f"{ask.action}, asked by {client}, session {session}:"))
        yield from change_lines(ask)
    if left:
        yield Line("")
        why = "with a warning, or no longer possible; see `keepgate inbox`"
        yield Line(f"{_facts(left)} not among these: {why}.", Tone.WARNING)


def _details(asks: Iterable[ApprovalRequestParams]) -> Iterator[Line]:
    for ask in asks:
        yield from everything_lines(ask)


def _facts(count: int) -> str:
    return "1 fact" if count == 1 else f"{count} facts"


def approved(screen: Screen, result: ProposalsApproveResult) -> None:
    """What became of each."""
    done = [each for each in result.results if each.error is None]
    screen.line(f"Approved {_facts(len(done))}.")
    for each in result.results:
        if each.error is not None:
            screen.line(f"Not approved: {each.id}: {each.error.get('message')}")
