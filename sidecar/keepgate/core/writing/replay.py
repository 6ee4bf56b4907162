"""Rebuilding a store from its ledger: entries and facts. Page files are canonical on disk."""

from attrs import field, frozen

from keepgate.core.model.fact import Fact
from keepgate.core.writing.ledger import Decision, Sealed
from keepgate.core.writing.mutation import FactStep, Mutation, Step
from keepgate.core.writing.states import Sort, recorded, sort_of
from keepgate.protocol.entries import Entry


@frozen
class Replay:
    """A store rebuilt from rows, its parts keyed by what the rows name as their subject.

    ``purged`` holds the subjects whose last state can no longer be known.
    """

    entries: dict[str, Entry] = field(factory=dict)
    purged: set[str] = field(factory=set)
    facts: dict[str, Fact] = field(factory=dict)

    def apply(self, row: Sealed) -> None:
        """Take one row in, in seq order."""
        if row.decision != Decision.ALLOWED or row.entry_id is None:
            return
        if sort_of(row) in (Sort.PAGE, Sort.ROOT):
            return
        step = recorded(row)
        if step is None:
            self.purged.add(row.entry_id)
            self.entries.pop(row.entry_id, None)
            self.facts.pop(row.entry_id, None)
            return
        self.purged.discard(row.entry_id)
        self._take(row.entry_id, step)

    def _take(self, subject: str, step: Step) -> None:
        match step:
            case Mutation(after=None):
                self.entries.pop(subject, None)
            case Mutation(after=entry) if entry is not None:
                self.entries[subject] = entry
            case FactStep(after=fact):
                self.facts[subject] = fact
            case _:  # pragma: no cover - rows of pages and folders were passed over before
                return
