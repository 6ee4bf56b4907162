"""How the store of another day, what sessions were allowed and what is in quarantine are shown."""

from keepgate.core.model.text import named
from keepgate.core.model.times import iso
from keepgate.fronts.terminal.screen import Column, Screen
from keepgate.fronts.terminal.tables import entries_table
from keepgate.protocol.looking_back import AsOfResult, GrantsListResult, QuarantinedResult


def as_of_result(screen: Screen, result: AsOfResult) -> None:
    """A page of the store as it was."""
    if result.ts is None:
        screen.line("The ledger begins later.")
        return
    screen.line(f"As it was after ledger row {result.seq}, of {iso(result.ts)}:")
    if result.entries:
        entries_table(screen, result.entries)
    if result.facts:
        columns = [Column(title="fact"), Column(title="about"), Column(title="text")]
        screen.table(columns, [[fact.id, fact.entity or "", fact.text] for fact in result.facts])
    for subject in result.unknown:
        screen.line(f"{subject}: purged")
    if result.next:
        screen.line(f"More follow: keepgate list --as-of {result.seq} --after {result.next}")
    elif not (result.entries or result.facts or result.unknown):
        screen.line("Nothing was remembered here.")


def grants_list(screen: Screen, result: GrantsListResult) -> None:
    """What sessions were allowed, one a row."""
    if not result.grants:
        screen.line("No session has leave for more than it asked.")
        return
    columns = [Column(title=title) for title in ("id", "session", "may", "kept for", "since", "by")]
    rows = [
        [
            grant.id,
            named(grant.session_id),
            f"{grant.kind} {grant.layer or 'facts'}",
            named(grant.kept_for) if grant.kept_for else "all",
            iso(grant.granted_at),
            str(grant.by.get("client", "")),
        ]
        for grant in result.grants
    ]
    screen.table(columns, rows)


def quarantined_list(screen: Screen, result: QuarantinedResult) -> None:
    """The sessions of which something is in quarantine, one a row."""
    if not result.sessions:
        screen.line("Nothing is in quarantine.")
        return
    columns = [
        Column(title="session"),
        Column(title="memories", right=True),
        Column(title="facts", right=True),
        Column(title="pages", right=True),
        Column(title="since"),
        Column(title="reason"),
    ]
    rows = [
        [
            named(item.session_id),
            *map(str, (item.entries, item.facts, item.pages)),
            iso(item.ts),
            item.reason or "",
        ]
        for item in result.sessions
    ]
    screen.table(columns, rows)
