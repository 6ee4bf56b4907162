"""Resolving a target: exactly one visible entry, or a fault that says why not (DSH-3)."""

from typing import Final, Protocol

from attrs import frozen

from keepgate.core.model.entry import Layer, layer_of
from keepgate.core.model.text import ascii_fold, excerpt
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import ById, ByMatch, Target
from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import ambiguous_match, entry_not_found

SAMPLE_MAX: Final = 10
SAMPLE_UNITS: Final = 200


@frozen
class Hits:
    """How many visible entries of a layer contain a substring, and the first few in creation order."""

    count: int
    first: tuple[Entry, ...]


class Findable(Protocol):
    """What resolving needs of a store snapshot."""

    def find(self, layer: Layer, agent_key: str, match: str) -> Hits:
        """Entries of ``layer``, shared or private to ``agent_key``, that contain ``match``."""

    def entry(self, entry_id: str) -> Entry | None:
        """The entry with that id, whoever may see it."""


def contains(text: str, match: str) -> bool:
    """The one test, for reads and writes: a substring, ASCII case folded, nothing trimmed (DSH-4)."""
    return ascii_fold(match) in ascii_fold(text)


def resolve(store: Findable, layer: Layer, author: Author, target: Target) -> Entry:
    """The target's entry. Raises ``ENTRY_NOT_FOUND`` or ``AMBIGUOUS_MATCH``; neither shows hidden entries."""
    if isinstance(target, ById):
        return _resolve_id(store, layer, author, target)
    hits = store.find(layer, author.agent_key, target.match)
    if hits.count == 0 or not author.viewer.sees(hits.first[0]):
        raise entry_not_found(track=layer.track, scope=layer.scope, match=target.match)
    if hits.count > 1:
        raise ambiguous_match(
            track=layer.track,
            scope=layer.scope,
            match=target.match,
            candidates=hits.count,
            sample=[excerpt(entry.text, SAMPLE_UNITS) for entry in hits.first[:SAMPLE_MAX]],
        )
    return hits.first[0]


def _resolve_id(store: Findable, layer: Layer, author: Author, target: ById) -> Entry:
    entry = store.entry(target.id)
    if entry is None or layer_of(entry) != layer or not author.viewer.sees(entry):
        raise entry_not_found(track=layer.track, scope=layer.scope, match=target.id)
    if target.version is not None and entry.version != target.version:
        reason = f"version {target.version} was asked for, the entry is at version {entry.version}"
        raise entry_not_found(track=layer.track, scope=layer.scope, match=target.id, reason=reason)
    return entry


def resolve_all(
    store: Findable, layer: Layer, author: Author, targets: tuple[Target, ...]
) -> tuple[Entry, ...]:
    """Every target's entry, each a different one.

    Raises what :func:`resolve` raises, for the first target that it cannot resolve, and ``ENTRY_NOT_FOUND``
    for one that names the entry of an earlier target.
    """
    found: dict[str, Entry] = {}
    for target in targets:
        entry = resolve(store, layer, author, target)
        if entry.id in found:
            raise entry_not_found(
                track=layer.track,
                scope=layer.scope,
                match=named(target),
                reason="another match already names that entry",
            )
        found[entry.id] = entry
    return tuple(found.values())


def named(target: Target) -> str:
    """What the caller called the target."""
    return target.match if isinstance(target, ByMatch) else target.id
