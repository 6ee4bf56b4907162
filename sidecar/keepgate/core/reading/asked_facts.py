"""What a person is told of a fact in a question: every field, each under its name."""

from collections.abc import Iterator
from typing import Final

from keepgate.core.model.times import iso
from keepgate.protocol.proposals import AskFact, ChangeKind
from keepgate.protocol.verbs import Visibility

NEEDLESS: Final = "needless"
"""The action of a fact because of which there is nothing to do."""

_FORGET: Final = "forget"
_HAPPENS: Final = {
    **dict.fromkeys(("forget", "supersede", "undo-remember", "quarantine"), _FORGET),
    NEEDLESS: "nothing to do, there is",
}
_READERS: Final = {
    Visibility.WORLD: "world, every connected agent reads it",
    Visibility.PRIVATE: "private, local callers alone read it",
}


def fact_fields(fact: AskFact) -> Iterator[tuple[str, str]]:
    """Names and values of what happens to a fact, and of the fact; the person answers for each of them."""
    if fact.id is not None:
        yield _HAPPENS.get(fact.action, "bring back"), f"fact {fact.id}"
    if fact.action == ChangeKind.SUPERSEDE:
        yield "because", "another fact takes its place"
    yield "fact", fact.text
    yield "about", "nobody and nothing in particular" if fact.entity is None else fact.entity
    yield "kind", fact.kind
    yield "visibility", _READERS[fact.visibility]
    yield "provenance", fact.provenance
    yield "expires", "never" if fact.valid_until is None else iso(fact.valid_until)
    yield "home", fact.workspace_key or "every workspace"
    if fact.reason is not None:
        yield "reason", fact.reason


def goes(fact: AskFact) -> bool:
    """Whether the change has the fact expire."""
    return _HAPPENS.get(fact.action) == _FORGET
