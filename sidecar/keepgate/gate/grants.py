"""Leave for the rest of a session: given with a yes, looked up before each write, taken back by anybody.

It stands in the store, so that any process can list and end it. It counts in the process alone to which the
session speaks, and ends with it.
"""

import logging
from collections.abc import Collection, Mapping
from typing import Any, Final

from keepgate.core.model.entry import Layer
from keepgate.core.writing.approval import Decider
from keepgate.core.writing.ledger import Decision, Row
from keepgate.gate.approvers import Asker
from keepgate.gate.policies import Grant
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ChangeKind
from keepgate.store import grants
from keepgate.store.grants import Given, Leave
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store

GRANT: Final = "grant"
ENDED: Final = "grant-ended"
"""The ledger's actions."""

_log: Final = logging.getLogger(__name__)


class Grants:
    """What people allowed for the rest of this process's sessions, and the list of what others' were."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store: Final = store
        self._writer: Final = writer
        self._closed: set[str] = set()

    def holds(self, txn: Transaction, grant: Grant) -> bool:
        """Whether a session of this process has that leave."""
        if grant.session_id in self._closed:
            return False
        return txn.holds_grant(_leave(grant, self._store.presence.token))

    def give(self, txn: Transaction, grant: Grant, by: Decider, *, seq: int, holder: str | None) -> None:
        """Give leave along with the change of row ``seq``; ``holder`` is the process that waits for it."""
        leave = _leave(grant, holder or self._store.presence.token)
        given = Given(
            id=txn.stamp.new_id(),
            leave=leave,
            granted_at=txn.stamp.now_ms,
            by=by.by() or {},
            ledger_seq=seq,
        )
        if txn.give_grant(given):
            txn.append(_row(given, GRANT, "given", txn.stamp.now_ms, given.by))

    async def living(self, workspaces: Collection[str]) -> list[Given]:
        """What holds in these workspaces now, oldest first."""
        given = await self._store.reading.run(grants.all_given)
        return [item for item in given if item.leave.workspace_key in workspaces and self._lives(item)]

    async def revoke(self, grant_id: str, workspaces: Collection[str], asker: Asker) -> bool:
        """End one leave of these workspaces at once, whichever process it is of; false when there is none."""
        ids = [item.id for item in await self.living(workspaces) if item.id == grant_id]
        return bool(ids) and await self._end(ids, "revoked", asker.described()) > 0

    async def forget_session(self, session_id: str) -> None:
        """End what a session of this process was allowed, also where the store takes no writes now."""
        token = self._store.presence.token
        self._closed.add(session_id)
        try:
            ids = await self._store.reading.run(grants.of_session, session_id, token)
            if ids:
                await self._end(ids, "session closed")
        except Fault as fault:
            _log.warning("what a closed session was allowed stays in the store unused: %s", fault.code)
        else:
            self._closed.discard(session_id)

    async def sweep(self) -> None:
        """Forget what ended with its process."""
        gone = [item.id for item in await self._store.reading.run(grants.all_given) if not self._lives(item)]
        if gone:
            await self._end(gone, "process gone")

    async def _end(self, ids: Collection[str], outcome: str, by: Mapping[str, Any] | None = None) -> int:
        """Take leaves back, each with a row that says who did, or why; how many there were."""

        def work(txn: Transaction) -> int:
            taken = txn.take_grants(ids)
            for given in taken:
                txn.append(_row(given, ENDED, outcome, txn.stamp.now_ms, by))
            return len(taken)

        return await self._writer.run(work)

    def _lives(self, given: Given) -> bool:
        presence = self._store.presence
        return given.leave.holder == presence.token or presence.alive(given.leave.holder)


def _row(given: Given, action: str, outcome: str, now_ms: int, by: Mapping[str, Any] | None) -> Row:
    """A note: it changes nothing that a replay of the ledger would have to know."""
    leave = given.leave
    layer = leave.track and Layer(Track(leave.track), Scope.WORKSPACE, leave.workspace_key).name
    what = f"adding to {layer}" if layer else "remembering facts"
    whose = f"kept for {leave.kept_for}" if leave.kept_for else "shared"
    return Row(
        ts=now_ms,
        action=action,
        decision=Decision.NOTE,
        outcome=outcome,
        track=leave.track,
        scope=Scope.WORKSPACE,
        workspace_key=leave.workspace_key,
        agent_key=leave.agent_key,
        session_id=leave.session_id,
        by=by,
        payload={
            "text": f"{what}, {whose}",
            "grant": given.id,
            "kind": leave.kind,
            "layer": layer,
            "keptFor": leave.kept_for,
            "with": given.ledger_seq,
        },
    )


def _leave(grant: Grant, holder: str) -> Leave:
    what = grant.what
    return Leave(
        session_id=grant.session_id,
        agent_key=grant.agent_key,
        kind=str(ChangeKind.ADD if isinstance(what, Layer) else ChangeKind.REMEMBER),
        track=str(what.track) if isinstance(what, Layer) else None,
        workspace_key=what.workspace_key if isinstance(what, Layer) else what.home,
        kept_for=grant.kept_for,
        holder=holder,
    )
