"""When pages were last handed out by a search: derived, noted without holding up the answer."""

import asyncio
import json
import logging
from collections.abc import Collection
from typing import Final

import apsw

from keepgate.protocol.errors import Fault
from keepgate.store.lane import Lane

PAUSE_MS: Final = 5 * 60 * 1000
"""A page is noted at most once in so long."""

QUEUE_MAX: Final = 64
"""So many notes wait for a busy store; more are given up."""

_log: Final = logging.getLogger(__name__)

# pages is a JSON array of [home, slug].
_DUE: Final = """
SELECT asked.value ->> 0, asked.value ->> 1
FROM json_each(:pages) AS asked LEFT JOIN page_retrievals AS r
  ON r.home = asked.value ->> 0 AND r.slug = asked.value ->> 1
WHERE r.last_ms IS NULL OR :now_ms - r.last_ms >= :pause_ms
"""
_NOTE: Final = """
INSERT INTO page_retrievals (home, slug, last_ms) VALUES (?, ?, ?)
ON CONFLICT (home, slug) DO UPDATE SET last_ms = max(last_ms, excluded.last_ms)
"""

Pages = Collection[tuple[str, str]]
"""Homes and slugs."""


def due(db: apsw.Connection, pages: Pages, now_ms: int) -> list[tuple[str, str]]:
    """Which of these pages were not noted lately; mostly none, and then nothing needs to be written."""
    values = {"pages": json.dumps([list(page) for page in pages]), "now_ms": now_ms, "pause_ms": PAUSE_MS}
    return [(home, slug) for home, slug in db.execute(_DUE, values)]


def note(lane: Lane, pages: Pages, now_ms: int) -> None:
    """Note in the background that these pages were handed out; a store that cannot take it goes without."""
    if not pages or lane.waiting >= QUEUE_MAX:
        return

    def work(db: apsw.Connection) -> None:
        db.executemany(_NOTE, [(home, slug, now_ms) for home, slug in pages])

    lane.submit(lambda db: lane.transact(db, work)).add_done_callback(_note_failure)


def _note_failure(future: "asyncio.Future[None]") -> None:
    error = None if future.cancelled() else future.exception()
    if isinstance(error, Fault):
        _log.debug("a page's retrieval was not noted: %s", error.code)
    elif error is not None:
        _log.error("a page's retrieval was not noted", exc_info=error)
