"""What is in quarantine: told from the ledger, whose row is the newest of its subject then."""

import json
from collections.abc import Collection, Iterator
from typing import Any, Final

import apsw
from attrs import frozen

from keepgate.core.model.entry import Layer, layer_of
from keepgate.core.model.fact import Fact
from keepgate.core.model.text import units
from keepgate.core.writing.ledger import Sealed
from keepgate.core.writing.mutation import QUARANTINE, FactStep, Mutation, PageStep, Step
from keepgate.core.writing.states import PAGE_SUBJECT, Recorded, Sort, recorded, sort_of
from keepgate.protocol.entries import Entry
from keepgate.store.rows import ENTRY_COLUMNS, FACT_COLUMNS, SEALED_COLUMNS, entry_of, fact_of, sealed_of

_HELD: Final = f"""
SELECT {SEALED_COLUMNS} FROM ledger AS l
WHERE action = 'quarantine' AND decision = 'allowed' AND NOT EXISTS (
  SELECT 1 FROM ledger AS newer
  WHERE newer.entry_id = l.entry_id AND newer.workspace_key IS l.workspace_key AND newer.seq > l.seq
    AND newer.decision = 'allowed' AND newer.action <> 'purge-page'
)
ORDER BY seq
"""  # noqa: S608 - constants of this package
_ENTRIES: Final = f"""
SELECT {ENTRY_COLUMNS} FROM entries AS e LEFT JOIN recall AS r ON r.entry = e.row
WHERE e.session_id = ? ORDER BY e.created_seq
"""  # noqa: S608
_FACTS: Final = (
    f"SELECT {FACT_COLUMNS} FROM facts AS f WHERE f.session_id = ? AND f.expired_at IS NULL ORDER BY f.id"  # noqa: S608
)
_PAGES: Final = f"""
SELECT {SEALED_COLUMNS} FROM ledger AS l
WHERE session_id = ? AND decision = 'allowed' AND entry_id BETWEEN 'page:' AND 'page;'
  AND action NOT IN ('quarantine', 'release', 'purge-page') AND NOT EXISTS (
    SELECT 1 FROM ledger AS newer
    WHERE newer.entry_id = l.entry_id AND newer.workspace_key IS l.workspace_key AND newer.seq > l.seq
      AND newer.decision = 'allowed' AND newer.action NOT IN ('quarantine', 'release', 'purge-page')
  )
ORDER BY seq
"""  # noqa: S608
_WRITER: Final = """
SELECT session_id FROM ledger
WHERE entry_id = ? AND workspace_key IS ? AND decision = 'allowed' AND seq < ?
  AND action NOT IN ('quarantine', 'release', 'purge-page')
ORDER BY seq DESC LIMIT 1
"""
_NEWEST_OF_PAGE: Final = """
SELECT action FROM ledger
WHERE entry_id = ? AND workspace_key IS ? AND decision = 'allowed' AND action <> 'purge-page'
ORDER BY seq DESC LIMIT 1
"""
_PLACE: Final = "SELECT root, path FROM page_writes WHERE home = ? AND slug = ? ORDER BY id DESC LIMIT 1"

_REASONS: Final = """
SELECT id, json_extract(change, '$.reason') FROM proposals
WHERE id IN (SELECT value FROM json_each(?))
"""


@frozen(kw_only=True)
class Held:
    """One entry, fact or page in quarantine: its row, when that was written, and the wish it came with."""

    found: Recorded
    session_id: str
    ts: int
    proposal_id: str | None


def written_by(db: apsw.Connection, session_id: str) -> tuple[tuple[Entry, ...], tuple[Fact, ...]]:
    """The entries that a session wrote last, and the facts that it brought and that are not expired."""
    entries: Any = db.execute(_ENTRIES, (session_id,))
    facts: Any = db.execute(_FACTS, (session_id,))
    return tuple(map(entry_of, entries)), tuple(map(fact_of, facts))


def pages_by(db: apsw.Connection, session_id: str) -> tuple[Recorded, ...]:
    """The writes of pages that were a session's and the last of their pages; none of what is held already."""
    rows = map(sealed_of, db.execute(_PAGES, (session_id,)))
    steps = ((row.seq, recorded(row)) for row in rows)
    return tuple(
        Recorded(seq=seq, step=step)
        for seq, step in steps
        if isinstance(step, PageStep) and not holds_page(db, step.home, step.slug)
    )


def holds_page(db: apsw.Connection, home: str, slug: str) -> bool:
    """Whether a page is in quarantine: no read may tell of its file, whatever is in it by now."""
    row = db.execute(_NEWEST_OF_PAGE, (f"{PAGE_SUBJECT}{slug}", home)).fetchone()
    return row is not None and row[0] == QUARANTINE


def held(db: apsw.Connection) -> Iterator[Held]:
    """Everything in quarantine, whoever may see it, in the order in which it came there.

    Of an entry or a fact that was purged nothing is left to hold; a page's file is there all the same.
    """
    for row in db.execute(_HELD).fetchall():
        sealed = sealed_of(row)
        found = _held(db, sealed)
        if found is not None:
            step, session_id = found
            yield Held(
                found=Recorded(seq=sealed.seq, step=step),
                session_id=session_id,
                ts=sealed.ts,
                proposal_id=sealed.proposal_id,
            )


def _held(db: apsw.Connection, row: Sealed) -> tuple[Step, str] | None:
    step = _purged_page(db, row) if row.payload is None else recorded(row)
    match step:
        case Mutation(before=was) | FactStep(before=was) if was and was.session_id:
            return step, was.session_id
        case PageStep():
            writer = db.execute(_WRITER, (row.entry_id, row.workspace_key, row.seq)).fetchone()
            return (step, writer[0]) if writer and writer[0] else None
        case _:
            return None


def _purged_page(db: apsw.Connection, row: Sealed) -> PageStep | None:
    """The hold of a page whose texts were purged from the ledger: where its file is, and no more."""
    home, slug = row.workspace_key or "", (row.entry_id or "").removeprefix(PAGE_SUBJECT)
    place = db.execute(_PLACE, (home, slug)).fetchone() if sort_of(row) is Sort.PAGE else None
    if place is None:
        return None
    return PageStep(
        action=row.action, home=home, root=place[0], slug=slug, path=place[1], before="", content=None
    )


def held_of(db: apsw.Connection, session_id: str) -> tuple[Recorded, ...]:
    """The steps that put into quarantine what is in it now of a session."""
    return tuple(item.found for item in held(db) if item.session_id == session_id)


def held_units(db: apsw.Connection, layer: Layer) -> int:
    """Units of a layer that are in quarantine: their room is kept, so that release finds it."""
    entries = (item.found.step.before for item in held(db) if isinstance(item.found.step, Mutation))
    return sum(units(entry.text) for entry in entries if entry is not None and layer_of(entry) == layer)


def reasons(db: apsw.Connection, proposals: Collection[str]) -> dict[str, str | None]:
    """The reasons that were given with wishes to quarantine, by the ids of these."""
    return dict(db.execute(_REASONS, (json.dumps(sorted(proposals)),)))
