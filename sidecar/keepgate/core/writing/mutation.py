"""A step of a change: what happens, or happened, to one entry."""

from attrs import frozen

from keepgate.protocol.entries import Entry


@frozen(kw_only=True)
class Mutation:
    """One entry's step: inserted (``before`` is ``None``), rewritten, or deleted (``after`` is ``None``).

    ``action`` is the ledger's word for it (DSH-6).
    """

    action: str
    before: Entry | None
    after: Entry | None

    @property
    def entry(self) -> Entry:
        """The entry as the step leaves it, or as it was when the step deletes it."""
        entry = self.after or self.before
        assert entry is not None, "a mutation has a before or an after"
        return entry
