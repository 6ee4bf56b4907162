"""The steps that put what a session wrote out of every read, and those that bring it back.

An entry in quarantine is none in the store, a fact in quarantine has expired: every read leaves them out
without being told. The ledger has them whole, and release writes them back from there.
"""

from typing import Final

from attrs import evolve

from keepgate.core.model.fact import Sight, sight_of
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Quarantine, Release
from keepgate.core.writing.entry_steps import not_before
from keepgate.core.writing.mutation import QUARANTINE, RELEASE, FactStep, Mutation, Step
from keepgate.core.writing.storeview import StoreView
from keepgate.core.writing.undoing import without_recalls
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.looking_back import QUARANTINE_STEPS_MAX

_NOTHING: Final = "wrote nothing in sight that could be put into quarantine"
_NOT_HELD: Final = "has nothing in sight in quarantine"


def quarantine_steps(change: Quarantine, author: Author, store: StoreView, stamp: Stamp) -> tuple[Step, ...]:
    """Take away each entry that the session wrote last, and expire each fact of it, as far as in sight.

    Raises ``INVALID_INPUT`` when there is none.
    """
    entries, facts = store.written_by(change.session_id)
    sight = _sight(change, author)
    reason = f"quarantined: {change.reason}" if change.reason else "quarantined"
    steps: list[Step] = [
        Mutation(action=QUARANTINE, before=without_recalls(entry), after=None)
        for entry in entries
        if author.viewer.sees(entry)
    ]
    steps += [
        FactStep(
            action=QUARANTINE,
            before=fact,
            after=evolve(fact, expired_at=stamp.now_ms, reason=reason, version=fact.version + 1),
        )
        for fact in facts
        if fact.is_active(stamp.now_ms) and sight.sees(fact.home, fact.visibility)
    ]
    return _some(steps, _NOTHING)


def release_steps(change: Release, author: Author, store: StoreView, stamp: Stamp) -> tuple[Step, ...]:
    """Bring back what is in quarantine of the session, as it was; versions go on.

    Raises ``INVALID_INPUT`` when there is nothing.
    """
    sight = _sight(change, author)
    steps: list[Step] = []
    for held in store.held_of(change.session_id):
        match held.step:
            case Mutation(before=entry) if entry is not None and author.viewer.sees(entry):
                back = evolve(entry, version=entry.version + 1, updated_at=not_before(entry, stamp))
                steps.append(Mutation(action=RELEASE, before=None, after=back))
            case FactStep(before=was, after=fact) if was and sight.sees(fact.home, fact.visibility):
                steps.append(
                    FactStep(action=RELEASE, before=fact, after=evolve(was, version=fact.version + 1))
                )
    return _some(steps, _NOT_HELD)


def _some(steps: list[Step], otherwise: str) -> tuple[Step, ...]:
    if not steps:
        raise invalid_input(Problem("$.sessionId", otherwise))
    return tuple(steps[:QUARANTINE_STEPS_MAX])


def _sight(change: Quarantine | Release, author: Author) -> Sight:
    keys = author.viewer.workspaces or frozenset()
    return sight_of(keys, world_only=change.world_only)
