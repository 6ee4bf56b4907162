"""How far each session's deltas were delivered: derived state, and never more than one session's own.

A position moves when the reply that delivers up to it is written out. Until then the session's next wake in
this process waits, so that nothing is delivered twice.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Final

import apsw
from attrs import frozen

from keepgate.core.reading.delta import Position, earlier
from keepgate.store.lane import Lane

IDLE_MS: Final = 7 * 24 * 3600 * 1000
"""A session that did not wake for longer than this starts anew."""
CURSORS_MAX: Final = 1_000
"""Sessions remembered for one home and lane; beyond it the one that woke longest ago is forgotten."""
TURN_S: Final = 2.0
"""So long a wake waits for an earlier reply to be read; after that it delivers the same once more."""

_STORED: Final = """
SELECT page_since, page_slug, fact_id, used_ms FROM cursors
WHERE viewer = ? AND home = ? AND lane = ? AND session_id = ? AND used_ms >= ?
"""
_MOVE: Final = """
INSERT INTO cursors (viewer, home, lane, session_id, page_since, page_slug, fact_id, used_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (viewer, home, lane, session_id) DO UPDATE SET
  page_since = excluded.page_since, page_slug = excluded.page_slug, fact_id = excluded.fact_id,
  used_ms = excluded.used_ms
"""
_EVICT: Final = """
DELETE FROM cursors WHERE viewer = :viewer AND home = :home AND lane = :lane AND (
  used_ms < :idle OR session_id IN (
    SELECT session_id FROM cursors WHERE viewer = :viewer AND home = :home AND lane = :lane
    ORDER BY session_id = :session DESC, used_ms DESC LIMIT -1 OFFSET :max
  )
)
"""


@frozen
class SessionKey:
    """Whose cursors: ``lane`` is ``local``, ``remote`` or the id of an authenticated client.

    A session of the same id in another workspace is another session.
    """

    lane: str
    session_id: str


@frozen(kw_only=True)
class Stored:
    """The cursors of a session: of each home that it has one in, and when it woke last."""

    positions: Mapping[str, Position]
    used_ms: int | None


def stored(db: apsw.Connection, key: SessionKey, homes: Collection[str], now_ms: int) -> Stored:
    """The cursors of a session in these homes, without those that were idle for too long.

    Where several workspaces have one for what is user-global, the earlier counts.
    """
    positions, used = dict[str, Position](), list[int]()
    for viewer, home in _places(homes):
        values = (viewer, home, key.lane, key.session_id, now_ms - IDLE_MS)
        row = db.execute(_STORED, values).fetchone()
        if row is not None:
            found = Position(page_since=row[0], page_slug=row[1], fact_id=row[2])
            positions[home] = earlier(found, positions.get(home, found))
            used.append(row[3])
    return Stored(positions=positions, used_ms=max(used, default=None))


def move(db: apsw.Connection, key: SessionKey, positions: Mapping[str, Position], now_ms: int) -> None:
    """Store the cursors of all homes in a session's sight, inside the caller's transaction.

    What is idle or too many is evicted.
    """
    limits = {"lane": key.lane, "session": key.session_id, "idle": now_ms - IDLE_MS, "max": CURSORS_MAX}
    for viewer, home in _places(positions):
        at = positions[home]
        place = (viewer, home, key.lane, key.session_id)
        db.execute(_MOVE, (*place, at.page_since, at.page_slug, at.fact_id, now_ms))
        db.execute(_EVICT, {**limits, "viewer": viewer, "home": home})


def _places(homes: Collection[str]) -> list[tuple[str, str]]:
    """Each workspace with its own home and the user-global one; of no workspace the user-global one."""
    workspaces = sorted(home for home in homes if home)
    return [(viewer, home) for viewer in workspaces or [""] for home in {viewer: None, "": None}]


class Cursors:
    """The cursors of one open store, and whose wakes of this process wait for their turn."""

    def __init__(self, derived: Lane) -> None:
        self._derived = derived
        self._turns: dict[SessionKey, asyncio.Event] = {}

    async def take_turn(self, key: SessionKey) -> Callable[[], None]:
        """Wait until the reply to the session's wake before this one is settled; returns what ends the turn.

        A reply that nobody reads holds up the session for :data:`TURN_S` seconds and no longer.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(TURN_S):
                while (before := self._turns.get(key)) is not None:
                    await before.wait()
        turn = self._turns[key] = asyncio.Event()

        def end() -> None:
            turn.set()
            # After a reply that took too long, the turn is another's.
            if self._turns.get(key) is turn:
                del self._turns[key]

        return end

    async def move(self, key: SessionKey, positions: Mapping[str, Position], now_ms: int) -> None:
        """Store a session's cursors. Raises the faults of a store that cannot be written."""
        await self._derived.write(lambda db: move(db, key, positions, now_ms))
