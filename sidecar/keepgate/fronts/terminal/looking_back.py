"""How the store of another day is shown on a terminal."""

from keepgate.core.model.times import iso
from keepgate.fronts.terminal.screen import Column, Screen
from keepgate.fronts.terminal.tables import entries_table
from keepgate.protocol.looking_back import AsOfResult


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
