"""The steps of a change of entries (DSH-3)."""

from typing import assert_never

from attrs import evolve

from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Add, Consolidate, Draft, EntryChange, Remove, Replace, Seed
from keepgate.core.writing.match import Findable, resolve, resolve_all
from keepgate.core.writing.mutation import Mutation
from keepgate.protocol.entries import Entry


def entry_steps(change: EntryChange, author: Author, store: Findable, stamp: Stamp) -> tuple[Mutation, ...]:
    """What a change does to entries, in order. Raises ``ENTRY_NOT_FOUND`` and ``AMBIGUOUS_MATCH``."""
    match change:
        case Add(draft=draft):
            return (_insertion("add", draft, author, stamp),)
        case Seed(drafts=drafts):
            return tuple(_insertion("add", draft, author, stamp) for draft in drafts)
        case Replace():
            return (_rewriting(change, resolve(store, change.layer, author, change.target), author, stamp),)
        case Remove():
            entry = resolve(store, change.layer, author, change.target)
            return (Mutation(action="remove", before=entry, after=None),)
        case Consolidate():
            return _consolidation(change, author, store, stamp)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def _insertion(action: str, draft: Draft, author: Author, stamp: Stamp) -> Mutation:
    entry = Entry(
        id=stamp.new_id(),
        track=draft.layer.track,
        scope=draft.layer.scope,
        workspace_key=draft.layer.workspace_key,
        agent_key=draft.agent_key,
        text=draft.text,
        source=draft.source,
        tags=draft.tags,
        version=1,
        created_at=stamp.now_ms,
        updated_at=stamp.now_ms,
        session_id=author.session_id,
    )
    return Mutation(action=action, before=None, after=entry)


def _rewriting(change: Replace, entry: Entry, author: Author, stamp: Stamp) -> Mutation:
    after = evolve(
        entry,
        text=change.text,
        tags=entry.tags if change.tags is None else change.tags,
        version=entry.version + 1,
        updated_at=not_before(entry, stamp),
        session_id=author.session_id,
    )
    return Mutation(action="replace", before=entry, after=after)


def not_before(entry: Entry, stamp: Stamp) -> int:
    """The moment, or the entry's last: a clock that stepped back makes no state older than its past."""
    return max(stamp.now_ms, entry.updated_at)


def _consolidation(
    change: Consolidate, author: Author, store: Findable, stamp: Stamp
) -> tuple[Mutation, ...]:
    targets = resolve_all(store, change.layer, author, change.targets)
    agent_key = change.agent_key
    if agent_key is None:
        agent_key = "" if all(entry.agent_key == "" for entry in targets) else author.agent_key
    draft = Draft(
        layer=change.layer, agent_key=agent_key, text=change.text, tags=change.tags, source=change.source
    )
    removals = tuple(Mutation(action="consolidate-remove", before=entry, after=None) for entry in targets)
    return (*removals, _insertion("consolidate-add", draft, author, stamp))
