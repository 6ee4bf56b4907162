"""The steps of a change of facts (VERBS-remember, VERBS-forget).

Nothing out of the writer's sight is found, superseded, forgotten or told of.
"""

from typing import assert_never

from attrs import evolve

from keepgate.core.model.fact import Fact, Sight, same_words, sight_of
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import FactChange, FactDraft, Forget, Remember
from keepgate.core.writing.mutation import FactStep
from keepgate.core.writing.storeview import StoreView
from keepgate.protocol.errors import fact_not_found


def fact_steps(
    change: FactChange, author: Author, store: StoreView, stamp: Stamp
) -> tuple[FactStep, ...] | Fact:
    """What a change does to facts; or the fact because of which nothing has to be done.

    Raises ``ENTRY_NOT_FOUND`` for a fact that is not there, or not in the writer's sight.
    """
    sight = sight_of([author.workspace_key], world_only=change.world_only)
    match change:
        case Remember():
            return _remembering(change, author, store, sight, stamp)
        case Forget():
            return _forgetting(change, store, sight, stamp)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def seen_twins(draft: FactDraft, store: StoreView, sight: Sight, now_ms: int) -> tuple[Fact, ...]:
    """Active facts of the draft's home that say about the same, of those that the writer sees."""
    found = store.fact_twins(draft.home, draft.text, now_ms)
    return tuple(fact for fact in found if sight.sees(fact.home, fact.visibility))


def is_duplicate(draft: FactDraft, fact: Fact) -> bool:
    """Whether a fact says exactly what a draft would: same entity or none, kind, visibility and words."""
    return (draft.entity, draft.kind, draft.visibility, same_words(draft.text)) == (
        fact.entity,
        fact.kind,
        fact.visibility,
        same_words(fact.text),
    )


def _remembering(
    change: Remember, author: Author, store: StoreView, sight: Sight, stamp: Stamp
) -> tuple[FactStep, ...] | Fact:
    draft, now_ms = change.draft, stamp.now_ms
    old = None if change.supersedes is None else _seen(change.supersedes, store, sight)
    twins = seen_twins(draft, store, sight, now_ms)
    twin = next((fact for fact in twins if is_duplicate(draft, fact)), None)
    if twin is not None and (old is None or _says_it_already(twin, old, now_ms)):
        return twin
    if old is not None and not old.is_active(now_ms):
        raise fact_not_found(old.fact_id)
    new = _new_fact(draft, author, store.next_fact_id(), now_ms)
    step = FactStep(action="remember", before=None, after=new)
    if old is None:
        return (step,)
    left = evolve(old, expired_at=now_ms, superseded_by=new.id, version=old.version + 1)
    return (FactStep(action="supersede", before=old, after=left), step)


def _says_it_already(twin: Fact, old: Fact, now_ms: int) -> bool:
    # Who supersedes a fact with its own words means to change what else it says, such as its ttl. What was
    # superseded already by a fact that says the same was so by this request, which comes once more.
    return twin.id != old.id and (old.is_active(now_ms) or old.superseded_by == twin.id)


def _new_fact(draft: FactDraft, author: Author, fact_id: int, now_ms: int) -> Fact:
    return Fact(
        id=fact_id,
        home=draft.home,
        entity=draft.entity,
        text=draft.text,
        kind=draft.kind,
        visibility=draft.visibility,
        provenance=draft.provenance,
        created_at=now_ms,
        valid_until=draft.valid_until,
        session_id=author.session_id,
    )


def _forgetting(change: Forget, store: StoreView, sight: Sight, stamp: Stamp) -> tuple[FactStep, ...] | Fact:
    fact = _seen(change.id, store, sight)
    if not fact.is_active(stamp.now_ms):
        return fact
    left = evolve(fact, expired_at=stamp.now_ms, reason=change.reason, version=fact.version + 1)
    return (FactStep(action="forget", before=fact, after=left),)


def undone(step: FactStep, current: Fact, stamp: Stamp) -> FactStep:
    """The step that takes another back: what was remembered expires, what was expired is as before."""
    version = current.version + 1
    if step.before is None:
        expired = evolve(current, expired_at=stamp.now_ms, version=version)
        return FactStep(action="undo-remember", before=current, after=expired)
    restored = evolve(step.before, version=version)
    if restored.expired_at is not None:
        return FactStep(action="undo-remember", before=current, after=restored)
    action = "undo-forget" if current.superseded_by is None else "undo-supersede"
    return FactStep(action=action, before=current, after=restored)


def _seen(fact_id: int, store: StoreView, sight: Sight) -> Fact:
    fact = store.fact(fact_id)
    if fact is None or not sight.sees(fact.home, fact.visibility):
        raise fact_not_found(str(fact_id))
    return fact
