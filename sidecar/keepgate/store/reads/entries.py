"""Reads of entries and of what they take up."""

import heapq
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

import apsw

from keepgate.core.model.entry import Layer
from keepgate.core.model.text import ascii_fold
from keepgate.core.model.viewer import Viewer
from keepgate.protocol.entries import LAYERS, Entry, Scope, Track
from keepgate.store.quarantine import held_units
from keepgate.store.rows import ENTRY_COLUMNS, Row, entry_of

_FROM: Final = "FROM entries AS e LEFT JOIN recall AS r ON r.entry = e.row"
_BY_ID: Final = f"SELECT {ENTRY_COLUMNS} {_FROM} WHERE e.id = :id"
_BEGINNING: Final = (
    "SELECT id, scope, workspace_key, agent_key FROM entries WHERE id >= :id AND id < :id || char(0x10ffff)"
)
_AT_ROWS: Final = f"""
SELECT {ENTRY_COLUMNS}
FROM json_each(?) AS asked CROSS JOIN entries AS e ON e.row = asked.value
  LEFT JOIN recall AS r ON r.entry = e.row
ORDER BY asked.key
"""  # noqa: S608
_AGENT: Final = "(:agent IS NULL OR e.agent_key = '' OR e.agent_key = :agent)"

# A view is a JSON array of [scope, workspace_key, track]; a view of null takes in every layer.
_IN_VIEW: Final = (
    "json_each(:view) AS v CROSS JOIN entries AS e INDEXED BY entries_layer "
    "ON e.scope = v.value ->> 0 AND e.workspace_key = v.value ->> 1 AND e.track = v.value ->> 2"
)
_ANYWHERE: Final = "entries AS e"
_OF_KIND: Final = "(:track IS NULL OR e.track = :track) AND (:scope IS NULL OR e.scope = :scope)"
_SAYS: Final = "(:needle = '' OR instr(e.folded, :needle) > 0)"
# Left out when no tags are asked for: tags are not in the index that covers the rest.
_TAGGED: Final = (
    " AND NOT EXISTS (SELECT 1 FROM json_each(:tags) AS wanted "
    "WHERE wanted.value NOT IN (SELECT had.value FROM json_each(e.tags) AS had))"
)
_HITS: Final = f"FROM {{source}} WHERE {_AGENT} AND {_OF_KIND} AND {_SAYS}{{tagged}}"
_COUNT: Final = f"SELECT count(*) {_HITS}"
# Materialised, so that the texts are searched once for page and total.
_BEST: Final = f"""
WITH hits AS MATERIALIZED (SELECT e.row, e.updated_at, e.ledger_seq {_HITS})
SELECT h.row, (SELECT count(*) FROM hits)
FROM hits AS h LEFT JOIN recall AS r ON r.entry = h.row
ORDER BY coalesce(r.count, 0) DESC, h.updated_at DESC, h.ledger_seq DESC LIMIT :limit OFFSET :offset
"""  # noqa: S608

_LAYER_PAGE: Final = f"""
SELECT e.created_seq, e.row FROM entries AS e INDEXED BY entries_layer
WHERE e.scope = :scope AND e.workspace_key = :workspace_key AND e.track = :track
  AND e.created_seq > :after AND {_AGENT}
ORDER BY e.created_seq
"""  # noqa: S608
_EVERY_PAGE: Final = f"""
SELECT e.created_seq, e.row FROM entries AS e
WHERE e.created_seq > :after AND {_AGENT} AND {_OF_KIND}
ORDER BY e.created_seq
"""  # noqa: S608

BATCH: Final = 200
"""Entries that an iterator reads at once."""

_USED: Final = "SELECT used FROM usage WHERE track = ? AND scope = ? AND workspace_key = ?"


def query(
    db: apsw.Connection,
    viewer: Viewer,
    *,
    track: Track | None = None,
    scope: Scope | None = None,
    text: str | None = None,
    tags: tuple[str, ...] = (),
    limit: int,
    offset: int = 0,
) -> tuple[list[Entry], int]:
    """Visible entries whose text contains ``text`` and that have every tag, and how many there are (DSH-4).

    Most recalled first, then last updated, then newest ledger row. ASCII case folds, nothing else does.
    """
    view = layers_in_view(viewer, track, scope)
    values = {
        "view": json.dumps(view),
        "agent": viewer.agent_key,
        "track": track,
        "scope": scope,
        "needle": ascii_fold(text or ""),
        "tags": json.dumps(tags),
        "limit": limit,
        "offset": offset,
    }
    parts = {"source": _ANYWHERE if view is None else _IN_VIEW, "tagged": _TAGGED if tags else ""}
    rows: list[Row] = db.execute(_BEST.format(**parts), values).fetchall()
    # A page beyond the end says nothing of the total.
    total: int = rows[0][1] if rows else db.execute(_COUNT.format(**parts), values).get if offset else 0
    return entries_at(db, [row for row, _ in rows]), total


def entry(db: apsw.Connection, entry_id: str) -> Entry | None:
    """The entry with that id, whoever may see it."""
    row = db.execute(_BY_ID, {"id": entry_id}).fetchone()
    return entry_of(row) if row else None


def visible_entry(db: apsw.Connection, viewer: Viewer, entry_id: str) -> Entry | None:
    """The entry with that id, if it is in view."""
    found = entry(db, entry_id)
    return found if found and viewer.sees(found) else None


def entry_ids(db: apsw.Connection, viewer: Viewer, beginning: str) -> list[str]:
    """The ids of the entries in view that begin so, in order."""
    return [
        entry_id
        for entry_id, scope, key, agent_key in db.execute(_BEGINNING, {"id": beginning})
        if viewer.sees_keys(() if scope == Scope.USER_GLOBAL else (key,), agent_key)
    ]


def list_page(
    db: apsw.Connection,
    viewer: Viewer,
    *,
    track: Track | None = None,
    scope: Scope | None = None,
    limit: int,
    after: int | None = None,
) -> tuple[list[Entry], int | None]:
    """A page of visible entries in creation order; where more follow, the ``created_seq`` to go on after."""
    ordered = _in_creation_order(db, viewer, track, scope, after or 0)
    found = list(islice(ordered, limit + 1))
    page = found[:limit]
    return entries_at(db, [row for _, row in page]), page[-1][0] if len(found) > limit else None


def snapshot_entries(db: apsw.Connection, viewer: Viewer) -> list[Entry]:
    """Every visible entry in creation order."""
    return list(all_entries(db, viewer))


def all_entries(db: apsw.Connection, viewer: Viewer) -> Iterator[Entry]:
    """Every visible entry in creation order, read as it goes: use it up where the connection runs."""
    ordered = _in_creation_order(db, viewer, None, None, 0)
    while rows := [row for _, row in islice(ordered, BATCH)]:
        yield from entries_at(db, rows)


def usage(db: apsw.Connection, workspace_key: str) -> list[tuple[Track, Scope, int]]:
    """Units in use in the four layers of a workspace, in their fixed order (DSH-5)."""
    return [
        (track, scope, used(db, Layer(track, scope, workspace_key if scope is Scope.WORKSPACE else "")))
        for track, scope in LAYERS
    ]


def used(db: apsw.Connection, layer: Layer) -> int:
    """Units in use in a layer, from the running totals; what is in quarantine keeps its room."""
    units: int | None = db.execute(_USED, (layer.track, layer.scope, layer.workspace_key)).get
    return (units or 0) + held_units(db, layer)


def layers_in_view(
    viewer: Viewer, track: Track | None = None, scope: Scope | None = None
) -> list[tuple[Scope, str, Track]] | None:
    """The layers a viewer sees, narrowed to a track and a scope; ``None`` when every workspace is in view."""
    if viewer.workspaces is None:
        return None
    keys = {Scope.USER_GLOBAL: [""], Scope.WORKSPACE: sorted(viewer.workspaces - {""})}
    return [
        (in_scope, key, in_track)
        for in_track, in_scope in LAYERS
        for key in keys[in_scope]
        if track in (None, in_track) and scope in (None, in_scope)
    ]


def _in_creation_order(
    db: apsw.Connection, viewer: Viewer, track: Track | None, scope: Scope | None, after: int
) -> Iterator[tuple[int, int]]:
    values: dict[str, Any] = {"agent": viewer.agent_key, "after": after, "track": track, "scope": scope}
    view = layers_in_view(viewer, track, scope)
    if view is None:
        yield from db.execute(_EVERY_PAGE, values)
        return
    # Each layer comes sorted from its index; merging them reads no further than the page does.
    yield from heapq.merge(*(
        db.execute(_LAYER_PAGE, {**values, "scope": in_scope, "workspace_key": key, "track": in_track})
        for in_scope, key, in_track in view
    ))  # fmt: skip


def entries_at(db: apsw.Connection, rows: Sequence[int]) -> list[Entry]:
    """The entries at these rowids, in the order given."""
    return [entry_of(row) for row in db.execute(_AT_ROWS, (json.dumps(rows),))]
