"""Lists of results on a screen: entries, budgets, the ledger, versions and proposals."""

import time
from collections.abc import Iterable, Sequence
from typing import Final

from keepgate.core.model.text import excerpt
from keepgate.fronts.terminal.screen import Cell, Column, Screen, Share
from keepgate.protocol.entries import (
    AuditResult,
    AuditRow,
    Entry,
    HistoryResult,
    ListResult,
    QueryResult,
    Usage,
)
from keepgate.protocol.portability import ImportResult
from keepgate.protocol.proposals import ProposalsListResult, ProposalStatus

SHORT_ID: Final = 8
"""Enough of an id for a person to point at it; every command that takes an id takes its beginning."""


ROW_UNITS: Final = 100
"""How much of a ledger row's text a person is shown; a snapshot's row holds all of it."""


def clock(ms: int | None) -> str:
    """A moment in local time, to the second."""
    return "never" if ms is None else time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000))


def memories(count: int) -> str:
    """So many memories."""
    return "1 memory" if count == 1 else f"{count} memories"


def shown_id(screen: Screen, full: str | None) -> str:
    """An id: its beginning for a person, the whole of it for a program."""
    return "" if full is None else full[:SHORT_ID] if screen.look.boxes else full


def entries_table(screen: Screen, entries: Sequence[Entry]) -> None:
    """Entries, one a row."""
    tagged = any(entry.tags for entry in entries)
    private = any(entry.agent_key for entry in entries)
    columns = [Column(title="id"), Column(title="layer")]
    columns += [Column(title="agent")] if private else []
    columns += [Column(title="tags")] if tagged else []
    rows: list[list[Cell]] = []
    for entry in entries:
        row: list[Cell] = [shown_id(screen, entry.id), f"{entry.track}/{entry.scope}"]
        row += [entry.agent_key or "shared"] if private else []
        row += [", ".join(entry.tags)] if tagged else []
        rows.append([*row, entry.text])
    screen.table([*columns, Column(title="text")], rows)


def query_result(screen: Screen, result: QueryResult) -> None:
    """The hits of a query, and how many there are."""
    entries_table(screen, result.entries)
    if result.truncated:
        screen.line(f"{len(result.entries)} of {result.total} shown; see more with --limit or --offset.")
    elif not result.total:
        screen.line("Nothing found.")


def list_result(screen: Screen, result: ListResult) -> None:
    """A page of entries in creation order."""
    entries_table(screen, result.entries)
    if result.next:
        screen.line(f"More follow: keepgate list --after {result.next}")
    elif not result.entries:
        screen.line("Nothing is remembered here.")


def budgets_table(screen: Screen, budgets: Iterable[Usage]) -> None:
    """How full each layer is."""
    columns = [
        Column(title="layer"),
        Column(title="used", right=True),
        Column(title="of", right=True),
        Column(title="share"),
    ]
    rows: list[list[Cell]] = [
        [f"{row.track}/{row.scope}", str(row.used), str(row.limit), Share(row.used, row.limit)]
        for row in budgets
    ]
    screen.table(columns, rows)


def audit_result(screen: Screen, result: AuditResult) -> None:
    """Ledger rows, newest first. A person's terminal has no room for every column."""
    titles = ("when", "what", "entry") if screen.look.boxes else _AUDIT_WIDE
    columns = [Column(title=title) for title in (*titles, "text")]
    rows = [[str(row.seq), *_audit_cells(screen, row)] for row in result.rows]
    screen.table([Column(title="seq", right=True), *columns], rows)
    if result.next is not None:
        screen.line(f"Older rows: keepgate audit --before {result.next}")
    elif not rows:
        screen.line("The ledger has no such rows.")


_AUDIT_WIDE: Final = ("when", "action", "layer", "entry", "outcome")


def _audit_cells(screen: Screen, row: AuditRow) -> list[Cell]:
    text = "(purged)" if row.purged else row.text or ""
    entry = shown_id(screen, row.entry_id)
    if not screen.look.boxes:
        layer = f"{row.track or _sort_of(row)}/{row.scope}" if row.scope else ""
        return [clock(row.ts), row.action, layer, entry, row.outcome or "", excerpt(text, ROW_UNITS)]
    outcome = (row.outcome or "").partition(" (")[0]
    what = f"{row.action}: {outcome}" if row.action.endswith(("-denied", "-refused")) else row.action
    return [clock(row.ts)[: -len(":00")], what, entry, excerpt(text, ROW_UNITS)]


def _sort_of(row: AuditRow) -> str:
    # Only entries have a track.
    return "pages" if (row.entry_id or row.action).startswith("page") else "facts"


def history_result(screen: Screen, result: HistoryResult) -> None:
    """Every state an entry had."""
    reasons = ("reason",) if any(isinstance(item.reason, str) for item in result.versions) else ()
    columns = [
        Column(title="version", right=True),
        *(Column(title=title) for title in ("when", "action", "row", "tags", "text", *reasons)),
    ]
    rows: list[list[Cell]] = [
        [
            str(item.version),
            clock(item.ts),
            item.action,
            str(item.seq),
            ", ".join(item.tags or ()),
            "(purged)" if item.text is None else item.text,
            *(item.reason if isinstance(item.reason, str) else "" for _ in reasons),
        ]
        for item in result.versions
    ]
    screen.table(columns, rows)


def proposals_list(screen: Screen, result: ProposalsListResult) -> None:
    """Proposals, oldest first; their status where not all of them wait."""
    decided = any(item.status is not ProposalStatus.PENDING for item in result.proposals)
    titles = ("id", "asked", *(("status",) if decided else ()), "kind", "layer", "change")
    columns = [Column(title=title) for title in titles]
    rows: list[list[Cell]] = [
        [
            shown_id(screen, item.id),
            clock(item.created_at)[: -len(":00")],
            *((item.status,) if decided else ()),
            item.kind,
            f"{item.track}/{item.scope}" if item.track != "batch" else "several",
            excerpt(item.text, ROW_UNITS),
        ]
        for item in result.proposals
    ]
    screen.table(columns, rows)
    if not rows:
        screen.line("No proposals.")


def import_result(screen: Screen, result: ImportResult, *, dry_run: bool) -> None:
    """What an import brought in, or would."""
    for note in result.problems:
        screen.line(f"note: {note.path.removeprefix('$.')}: {note.problem}")
    if dry_run:
        entries_table(screen, result.entries)
        screen.line(f"{memories(len(result.entries))} would be added; nothing was stored.")
    else:
        screen.line(f"Added {memories(result.added)}.")
    budgets_table(screen, result.usage)
