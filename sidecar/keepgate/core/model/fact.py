"""Facts: the value, its states, and who may see it (VERBS-recall, VERBS-remember)."""

import re
from collections.abc import Collection
from typing import Final

from attrs import frozen

from keepgate.protocol.verbs import FactKind, Visibility

FACT_ID: Final = re.compile("[1-9][0-9]{0,17}", re.ASCII)
"""What the id of a fact looks like, whole."""


@frozen(kw_only=True)
class Fact:
    """One fact as the store keeps it. Times are epoch milliseconds.

    ``home`` is a workspace key, empty for user-global; ``entity`` is a slug. ``expired_at`` is set by
    forgetting, superseding and undoing; a ttl that ran out shows in ``valid_until`` alone.
    """

    id: int
    home: str
    entity: str | None
    text: str
    kind: FactKind
    visibility: Visibility
    provenance: str
    created_at: int
    valid_until: int | None = None
    expired_at: int | None = None
    superseded_by: int | None = None
    reason: str | None = None
    session_id: str | None = None
    version: int = 1

    @property
    def fact_id(self) -> str:
        """The opaque id of the contract."""
        return str(self.id)

    def is_active(self, now_ms: int) -> bool:
        """Whether reads may show it: neither expired nor past its ttl."""
        return self.expired_at is None and (self.valid_until is None or self.valid_until > now_ms)


def same_words(text: str) -> str:
    """What two facts have in common that say the same: no case, single blanks (VERBS-remember)."""
    return " ".join(text.casefold().split())


def near_words(text: str) -> str:
    """What two facts have in common that nearly say the same: letters and digits alone, without case."""
    kept = "".join(char if char.isalnum() else " " for char in text.casefold())
    return " ".join(kept.split()) or same_words(text)


@frozen(kw_only=True)
class Sight:
    """What a reader of facts and pages may see; every arm of every verb applies it.

    ``homes`` holds the workspace keys in view, and always the empty key of user-global. ``world_only`` leaves
    out what is private: remote callers, and local ones that did not ask for it where the verb says so.
    """

    homes: frozenset[str]
    world_only: bool

    def sees(self, home: str, visibility: Visibility) -> bool:
        """Whether something of this home and visibility is in view."""
        return home in self.homes and not (self.world_only and visibility is Visibility.PRIVATE)


def sight_of(workspace_keys: Collection[str], *, world_only: bool) -> Sight:
    """The sight of a caller with these workspaces."""
    return Sight(homes=frozenset({"", *workspace_keys}), world_only=world_only)
