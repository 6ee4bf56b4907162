"""Leave for the rest of a session: given with a yes, looked up before each write, taken back by anybody.

It stands in the store, so that any process can list and end it. It counts in the process alone to which the
session speaks, and ends with it.
"""

import logging
from collections.abc import Collection
from typing import Final

from keepgate.core.model.entry import Layer
from keepgate.core.writing.approval import Decider
from keepgate.gate.policies import Grant
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ChangeKind
from keepgate.store import grants
from keepgate.store.grants import Given, Leave
from keepgate.store.memory import Transaction, Writer
from keepgate.store.open import Store

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
        txn.give_grant(given)

    async def living(self, workspaces: Collection[str]) -> list[Given]:
        """What holds in these workspaces now, oldest first."""
        given = await self._store.reading.run(grants.all_given)
        return [item for item in given if item.leave.workspace_key in workspaces and self._lives(item)]

    async def revoke(self, grant_id: str, workspaces: Collection[str]) -> bool:
        """End one leave of these workspaces at once, whichever process it is of; false when there is none."""
        ids = [item.id for item in await self.living(workspaces) if item.id == grant_id]
        return bool(ids) and await self._writer.run(lambda txn: txn.take_grants(ids)) > 0

    async def forget_session(self, session_id: str) -> None:
        """End what a session of this process was allowed, also where the store takes no writes now."""
        token = self._store.presence.token
        self._closed.add(session_id)
        try:
            ids = await self._store.reading.run(grants.of_session, session_id, token)
            if ids:
                await self._writer.run(lambda txn: txn.take_grants(ids))
        except Fault as fault:
            _log.warning("what a closed session was allowed stays in the store unused: %s", fault.code)
        else:
            self._closed.discard(session_id)

    async def sweep(self) -> None:
        """Forget what ended with its process."""
        gone = [item.id for item in await self._store.reading.run(grants.all_given) if not self._lives(item)]
        if gone:
            await self._writer.run(lambda txn: txn.take_grants(gone))

    def _lives(self, given: Given) -> bool:
        presence = self._store.presence
        return given.leave.holder == presence.token or presence.alive(given.leave.holder)


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
