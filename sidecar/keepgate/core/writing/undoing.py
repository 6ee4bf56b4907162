"""The steps that take a change back."""

from typing import assert_never

from attrs import evolve

from keepgate.core.model.fact import sight_of
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Undo, UndoSession
from keepgate.core.writing.entry_steps import not_before
from keepgate.core.writing.fact_steps import undone
from keepgate.core.writing.mutation import QUARANTINE, RELEASE, FactStep, Mutation, PageStep, Step
from keepgate.core.writing.page_steps import is_open, page_undone
from keepgate.core.writing.states import Recorded, subject_of
from keepgate.core.writing.storeview import StoreView
from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import Fault, Problem, invalid_input


def undo_steps(change: Undo, author: Author, store: StoreView, stamp: Stamp) -> tuple[Step, ...]:
    """The inverse of every step that the author sees, the last first.

    A batch may reach into other workspaces: each of them takes back its part. What they share is taken back
    by the first of them, and left as it is by the others. Raises ``INVALID_INPUT`` where there is no such
    change in sight, and where later changes have overtaken it.
    """
    found = _in_sight(change, author, store)
    if not found:
        raise invalid_input(Problem("$.seq", "names no allowed change that this session can see"))
    if found[0].step.action in (QUARANTINE, RELEASE):
        # A person answers for it, whatever policy undo has.
        raise invalid_input(Problem("$.seq", "is of a quarantine; release the session, or hold it again"))
    left = [item for item in found if not _is_undone(item, store)]
    return tuple(inverse(item, author, store, stamp) for item in reversed(left or found))


def undone_already(change: Undo, author: Author, store: StoreView) -> int:
    """How many steps in sight were taken back before, with another part of the same change."""
    return sum(_is_undone(item, store) for item in _in_sight(change, author, store))


def _in_sight(change: Undo, author: Author, store: StoreView) -> list[Recorded]:
    return [item for item in store.change_of(change.seq) if sees(author, change, item.step)]


def _is_undone(found: Recorded, store: StoreView) -> bool:
    """Whether the newest change of an entry is the undo of this very step. Versions never come twice."""
    newest = store.newest_change(subject_of(found.step))
    if newest is None or newest == found.seq or not isinstance(found.step, Mutation):
        return False
    later = next((item.step for item in store.change_of(newest) if item.seq == newest), None)
    if not isinstance(later, Mutation) or not later.action.startswith("undo-"):
        return False
    if found.step.after is not None or found.step.before is None:
        return later.before == found.step.after
    return later.after is not None and later.after.version == found.step.before.version + 1


def sees(author: Author, change: Undo | UndoSession, step: Step) -> bool:
    """Whether the author of an undo sees what a step changed."""
    match step:
        case Mutation():
            return author.viewer.sees(step.entry)
        case FactStep(after=fact):
            keys = author.viewer.workspaces or frozenset()
            return sight_of(keys, world_only=change.world_only).sees(fact.home, fact.visibility)
        case PageStep(home=home):
            if change.world_only and not is_open(step):
                return False
            return home in ("", author.workspace_key)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(step)


def inverse(found: Recorded, author: Author, store: StoreView, stamp: Stamp) -> Step:
    """The step that takes one back. Raises ``INVALID_INPUT`` where a later change has overtaken it."""
    match found.step:
        case Mutation() as step:
            return _inverse_entry(found.seq, step, author, store, stamp)
        case FactStep() as step:
            current = store.fact(step.after.id)
            if _overtaken(found, store) or current is None or current != step.after:
                raise _too_late(f"fact {subject_of(step)}", found.seq)
            return undone(step, current, stamp)
        case PageStep() as step:
            # The file counts, whoever wrote it: it is the page.
            return page_undone(step, store, found.seq)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(found.step)


def _overtaken(found: Recorded, store: StoreView) -> bool:
    # Being as the step left it is not enough: what came and went again has a history of its own.
    return store.newest_change(subject_of(found.step)) != found.seq


def _too_late(what: str, seq: int) -> Fault:
    return invalid_input(Problem("$.seq", f"{what} has changed since ledger row {seq}; undo that first"))


def _inverse_entry(seq: int, step: Mutation, author: Author, store: StoreView, stamp: Stamp) -> Mutation:
    current = store.entry(step.entry.id)
    if _overtaken(Recorded(seq=seq, step=step), store) or without_recalls(current) != step.after:
        raise _too_late(f"entry {step.entry.id}", seq)
    if step.before is None:
        return Mutation(action="undo-remove", before=current, after=None)
    latest = current or step.before
    restored = evolve(
        step.before,
        version=latest.version + 1,
        updated_at=not_before(latest, stamp),
        session_id=author.session_id,
        last_recalled=current.last_recalled if current else None,
        recall_count=current.recall_count if current else 0,
    )
    return Mutation(action="undo-replace" if current else "undo-add", before=current, after=restored)


def without_recalls(entry: Entry | None) -> Entry | None:
    """An entry as the ledger keeps it."""
    # Recall counts are derived: the ledger never holds them, and reading an entry does not overtake a change.
    return entry and evolve(entry, last_recalled=None, recall_count=0)
