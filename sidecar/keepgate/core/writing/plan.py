"""The plan: what a change would do to the store as it is now.

``plan`` is pure and runs twice for every write: before the question, and again inside the transaction
that commits. Whatever the second run finds is what is written, and only if it is what was shown.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import assert_never

from attrs import frozen

from keepgate.core.model.entry import Layer, layer_of
from keepgate.core.model.fact import Fact
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.text import units
from keepgate.core.model.viewer import Author
from keepgate.core.writing.budget import LayerUse, require_room, weigh
from keepgate.core.writing.change import (
    Add,
    Change,
    Consolidate,
    Forget,
    Quarantine,
    Release,
    Remember,
    Remove,
    Replace,
    Seed,
    Undo,
    UndoSession,
)
from keepgate.core.writing.entry_steps import entry_steps
from keepgate.core.writing.fact_steps import fact_steps
from keepgate.core.writing.mutation import (
    QUARANTINE,
    RELEASE,
    FactStep,
    Mutation,
    PageStep,
    Step,
    of_entries,
    of_facts,
    of_pages,
)
from keepgate.core.writing.page_change import (
    EditPage,
    PageChange,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.page_steps import page_steps
from keepgate.core.writing.quarantine_steps import quarantine_steps, release_steps
from keepgate.core.writing.storeview import StoreView
from keepgate.core.writing.undoing import undo_steps
from keepgate.core.writing.undoing_session import session_undo_steps
from keepgate.protocol.settings import Budgets


@frozen(kw_only=True)
class Plan:
    """What a change would do: its steps in order, and every layer it touches.

    ``existing`` is set when nothing would change: the fact that says the same already, or that has expired
    already. Such a change, like one of a page that says so already, is answered without a question.
    """

    change: Change
    author: Author
    mutations: tuple[Mutation, ...] = ()
    facts: tuple[FactStep, ...] = ()
    pages: tuple[PageStep, ...] = ()
    uses: tuple[LayerUse, ...] = ()
    existing: Fact | None = None

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps, in the order in which they are written."""
        return (*self.mutations, *self.facts, *self.pages)

    @property
    def is_needless(self) -> bool:
        """Whether nothing would change."""
        return self.existing is not None or (isinstance(self.change, PageChange) and not self.pages)


def plan(change: Change, author: Author, store: StoreView, budgets: Budgets, stamp: Stamp) -> Plan:
    """Work out a change against the store as it is.

    Raises ``ENTRY_NOT_FOUND`` (also for facts), ``AMBIGUOUS_MATCH``, ``BUDGET_EXCEEDED`` and, for an undo
    that later changes have overtaken, ``INVALID_INPUT``. Writes nothing.
    """
    steps: Iterable[Step]
    match change:
        case Add() | Replace() | Remove() | Consolidate() | Seed():
            steps = entry_steps(change, author, store, stamp)
        case Remember() | Forget():
            found = fact_steps(change, author, store, stamp)
            if isinstance(found, Fact):
                return Plan(change=change, author=author, existing=found)
            steps = found
        case PutPage() | EditPage() | RemovePage() | TrustRoot():
            steps = page_steps(change, store)
        case Undo():
            steps = undo_steps(change, author, store, stamp)
        case UndoSession():
            steps = session_undo_steps(change, author, store, stamp)
        case Quarantine():
            steps = quarantine_steps(change, author, store, stamp)
        case Release():
            steps = release_steps(change, author, store, stamp)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)
    mutations = of_entries(steps)
    return Plan(
        change=change,
        author=author,
        mutations=mutations,
        facts=of_facts(steps),
        pages=of_pages(steps),
        uses=_room_for(mutations, store, budgets),
    )


def _room_for(mutations: tuple[Mutation, ...], store: StoreView, budgets: Budgets) -> tuple[LayerUse, ...]:
    deltas: dict[Layer, int] = defaultdict(int)
    for step in mutations:
        if step.action in (QUARANTINE, RELEASE):
            # What is in quarantine keeps its room.
            deltas[layer_of(step.entry)] += 0
            continue
        grown = units(step.after.text) if step.after else 0
        deltas[layer_of(step.entry)] += grown - (units(step.before.text) if step.before else 0)
    uses = weigh({layer: store.used(layer) for layer in deltas}, deltas, budgets)
    require_room(uses)
    return uses
