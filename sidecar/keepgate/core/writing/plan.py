"""The plan: what a change would do to the store as it is now.

``plan`` is pure and runs twice for every write: before the question, and again inside the transaction
that commits. Whatever the second run finds is what is written, and only if it is what was shown.
"""

from collections import defaultdict
from typing import Protocol, assert_never

from attrs import evolve, frozen

from keepgate.core.model.entry import Layer, layer_of
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.budget import LayerUse, require_room, weigh
from keepgate.core.writing.change import Add, Change, Consolidate, Draft, Remove, Replace, Seed, Undo
from keepgate.core.writing.ledger import Recorded
from keepgate.core.writing.match import Findable, resolve, resolve_all
from keepgate.core.writing.mutation import Mutation
from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.settings import Budgets


@frozen(kw_only=True)
class Plan:
    """What a change would do: its steps in order, and every layer it touches."""

    change: Change
    author: Author
    mutations: tuple[Mutation, ...]
    uses: tuple[LayerUse, ...]


class StoreView(Findable, Protocol):
    """A consistent look at the store, read inside one transaction."""

    def used(self, layer: Layer) -> int:
        """Units in use in a layer."""

    def twin(self, layer: Layer, agent_key: str, text: str) -> Entry | None:
        """An entry of the layer, visible to that agent, with the same text but for ASCII case."""

    def change_of(self, seq: int) -> tuple[Recorded, ...]:
        """The entry steps of the allowed change that row ``seq`` belongs to; empty when there is none."""

    def newest_change(self, entry_id: str) -> int | None:
        """The newest allowed row of an entry, also of one that is gone; ``None`` before the first."""


def plan(change: Change, author: Author, store: StoreView, budgets: Budgets, stamp: Stamp) -> Plan:
    """Work out a change against the store as it is.

    Raises ``ENTRY_NOT_FOUND``, ``AMBIGUOUS_MATCH``, ``BUDGET_EXCEEDED`` and, for an undo that later changes
    have overtaken, ``INVALID_INPUT``. Writes nothing.
    """
    mutations = _mutations(change, author, store, stamp)
    deltas: dict[Layer, int] = defaultdict(int)
    for step in mutations:
        grown = units(step.after.text) if step.after else 0
        deltas[layer_of(step.entry)] += grown - (units(step.before.text) if step.before else 0)
    uses = weigh({layer: store.used(layer) for layer in deltas}, deltas, budgets)
    require_room(uses)
    return Plan(change=change, author=author, mutations=mutations, uses=uses)


def _mutations(change: Change, author: Author, store: StoreView, stamp: Stamp) -> tuple[Mutation, ...]:
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
        case Undo():
            return _inversion(change, author, store, stamp)
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
        updated_at=_not_before(entry, stamp),
        session_id=author.session_id,
    )
    return Mutation(action="replace", before=entry, after=after)


def _not_before(entry: Entry, stamp: Stamp) -> int:
    # A clock that stepped back must not make an entry older than its last state.
    return max(stamp.now_ms, entry.updated_at)


def _consolidation(
    change: Consolidate, author: Author, store: StoreView, stamp: Stamp
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


def _inversion(change: Undo, author: Author, store: StoreView, stamp: Stamp) -> tuple[Mutation, ...]:
    # A batch may reach into other workspaces: each of them takes back its part.
    found = [item for item in store.change_of(change.seq) if author.viewer.sees(item.step.entry)]
    if not found:
        raise invalid_input(Problem("$.seq", "names no allowed change that this session can see"))
    return tuple(_inverse(item, author, store, stamp) for item in reversed(found))


def _inverse(found: Recorded, author: Author, store: StoreView, stamp: Stamp) -> Mutation:
    step = found.step
    current = store.entry(step.entry.id)
    # Being as the step left it is not enough: an entry that came and went again has a history of its own.
    if store.newest_change(step.entry.id) != found.seq or _without_recalls(current) != step.after:
        reason = f"entry {step.entry.id} has changed since ledger row {found.seq}; undo that first"
        raise invalid_input(Problem("$.seq", reason))
    if step.before is None:
        return Mutation(action="undo-remove", before=current, after=None)
    latest = current or step.before
    restored = evolve(
        step.before,
        version=latest.version + 1,
        updated_at=_not_before(latest, stamp),
        session_id=author.session_id,
        last_recalled=current.last_recalled if current else None,
        recall_count=current.recall_count if current else 0,
    )
    return Mutation(action="undo-replace" if current else "undo-add", before=current, after=restored)


def _without_recalls(entry: Entry | None) -> Entry | None:
    # Recall counts are derived: the ledger never holds them, and reading an entry does not overtake a change.
    return entry and evolve(entry, last_recalled=None, recall_count=0)
