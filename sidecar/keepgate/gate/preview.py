"""Looking ahead without writing: what a change would do, and how it would be put to a person."""

from typing import Final

from attrs import evolve

from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.budget import LayerUse
from keepgate.core.writing.change import Change
from keepgate.core.writing.mutation import Mutation
from keepgate.core.writing.page_steps import PageFiles
from keepgate.core.writing.plan import Plan, plan
from keepgate.core.writing.proposal import StoredProposal
from keepgate.gate.question import question
from keepgate.protocol.proposals import ApprovalRequestParams
from keepgate.protocol.settings import Budgets, TrackBudgets
from keepgate.store.connection import Connection
from keepgate.store.open import Store
from keepgate.store.view import View

_UNBOUNDED: Final = TrackBudgets(user_global=2**53, workspace=2**53)


async def preview(
    store: Store, change: Change, author: Author, budgets: Budgets, stamp: Stamp
) -> tuple[tuple[Mutation, ...], tuple[LayerUse, ...]]:
    """What a change would do, budgets overrun included. Raises the plan's other faults; stores nothing."""
    unbounded = Budgets(user=_UNBOUNDED, agent=_UNBOUNDED)
    planned = await store.reading.run(lambda db: plan(change, author, View(db), unbounded, stamp))
    uses = (evolve(use, limit=budgets.limit(use.layer.track, use.layer.scope)) for use in planned.uses)
    return planned.mutations, tuple(uses)


async def look_ahead(store: Store, change: Change, author: Author, budgets: Budgets, stamp: Stamp) -> Plan:
    """What a change would do to the store as it is. Raises the plan's faults; stores nothing."""
    return await store.reading.run(lambda db: plan(change, author, View(db), budgets, stamp))


async def current_question(
    store: Store, files: PageFiles, stored: StoredProposal, budgets: Budgets, stamp: Stamp
) -> ApprovalRequestParams:
    """The question of a pending proposal as it would be put now. Raises the plan's faults."""
    return question(
        await current_ask(store, files, stored, budgets, stamp), stored.id, stored.expires_at, stored.asked_by
    )


async def current_ask(
    store: Store, files: PageFiles, stored: StoredProposal, budgets: Budgets, stamp: Stamp
) -> Ask:
    """What a pending proposal would do now, as a question is made of it. Raises the plan's faults."""

    def work_out(db: Connection) -> Ask:
        view = View(db, files)
        return ask_for(plan(stored.change, stored.author, view, budgets, stamp), view, stamp)

    return await store.reading.run(work_out)
