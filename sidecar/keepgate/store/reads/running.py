"""Where reads run: inline on the event loop when nothing can hold them up, else in a lane."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import apsw

from keepgate.store import faults
from keepgate.store.connection import Patience
from keepgate.store.lane import Connect, Lane

T = TypeVar("T")


class Reads:
    """Runs functions of this package, each in one read transaction and so on one state of the store."""

    def __init__(self, path: str, connect: Connect, *, inline: bool) -> None:
        self._lane: Final = Lane("reading", path, connect)
        self._connect = connect
        self._inline = inline
        self._db: apsw.Connection | None = None

    async def run(self, fn: Callable[..., T], *args: Any, instant: bool = False, **named: Any) -> T:
        """``fn(db, *args, **named)``. Instant reads run inline where the journal lets no writer hold them up.

        Raises ``STORE_BUSY`` and ``STORE_CORRUPT``. What ``fn`` returns must not read any more: lists, not
        iterators.
        """
        if instant and self._inline:
            try:
                return self._at_once(lambda db: fn(db, *args, **named))
            except apsw.BusyError:
                # A rare moment, such as another process's recovery of the log: wait for it off the loop.
                pass
            except apsw.Error as error:
                if fault := faults.fault_of(error, self._lane.path):
                    raise fault from error
                raise
        return await self._lane.run(lambda db: _consistently(db, lambda: fn(db, *args, **named)))

    async def close(self) -> None:
        """Close both connections. May be called twice."""
        if self._db is not None:
            self._db.close()
        self._inline = False
        await self._lane.close()

    def _at_once(self, work: Callable[[apsw.Connection], T]) -> T:
        if self._db is None:
            self._db = self._connect(Patience(0))
        db = self._db
        return _consistently(db, lambda: work(db))


def _consistently(db: apsw.Connection, work: Callable[[], T]) -> T:
    db.execute("BEGIN DEFERRED")
    try:
        return work()
    finally:
        # An error of the disk ends the transaction by itself.
        if db.in_transaction:
            db.execute("ROLLBACK")
