"""What the person should be warned of before answering."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from keepgate.core.model.entry import layer_of
from keepgate.core.model.fact import Fact, near_words, sight_of
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.text import ascii_fold, excerpt, hidden_positions, quoted_line
from keepgate.core.writing.change import Quarantine, Release, Remember, Undo, UndoSession
from keepgate.core.writing.fact_steps import seen_twins
from keepgate.core.writing.near_twins import COMPARED_MAX, nearest
from keepgate.core.writing.plan import Plan
from keepgate.core.writing.quarantine_steps import pages_left
from keepgate.core.writing.storeview import StoreView
from keepgate.core.writing.undoing import undone_already
from keepgate.core.writing.undoing_session import session_undo
from keepgate.core.writing.wary import FRAME, INSTRUCTION, wary_of
from keepgate.protocol.entries import Entry
from keepgate.protocol.proposals import Caution

TAINTED: Final = "tainted"
"""The kind of caution that says that the session has read untrusted material."""
QUARANTINED: Final = "quarantined"
"""The kind of caution that says that what the session wrote before is in quarantine."""
_SOURCES_SHOWN: Final = 5
_SOURCE_UNITS_SHOWN: Final = 120
_LEFT_SHOWN: Final = 20
NEW_COMPARED_MAX: Final = 20
"""Of an import of many entries the first are compared with what is there."""


def cautions_of(plan: Plan, store: StoreView, stamp: Stamp) -> tuple[Caution, ...]:
    """What the session has read, what an undo leaves out, hidden characters, what says the same already."""
    found = [
        *_held(plan, store),
        *_tainted(plan, store),
        *_undone(plan, store),
        *_left_by_undo(plan, store, stamp),
        *_left_by_quarantine(plan, store),
        *_hidden(plan),
        *_wary(plan),
        *_entry_twins(plan, store),
        *_near_entries(plan, store),
        *_fact_twins(plan, store, stamp.now_ms),
        *_near_facts(plan, store, stamp.now_ms),
    ]
    return tuple(dict.fromkeys(found))


def _held(plan: Plan, store: StoreView) -> Iterator[Caution]:
    if not isinstance(plan.change, Quarantine | Release) and store.held_of(plan.author.session_id):
        message = "what this session wrote before is in quarantine"
        yield Caution(kind=QUARANTINED, message=message)


def _tainted(plan: Plan, store: StoreView) -> Iterator[Caution]:
    sources = store.taint(plan.author.session_id, plan.author.workspace_key)
    if not sources:
        return
    quoted = [quoted_line(excerpt(source, _SOURCE_UNITS_SHOWN)) for source in sources[:_SOURCES_SHOWN]]
    more = [f"and {len(sources) - _SOURCES_SHOWN} more"] if len(sources) > _SOURCES_SHOWN else []
    message = f"this session has read what nobody vouches for: {', '.join([*quoted, *more])}"
    yield Caution(kind=TAINTED, message=message)


def _undone(plan: Plan, store: StoreView) -> Iterator[Caution]:
    if isinstance(plan.change, Undo) and (count := undone_already(plan.change, plan.author, store)):
        message = f"taken back before and left as it is: {count} of the memories of this change"
        yield Caution(kind="already-undone", message=message)


def _left_by_undo(plan: Plan, store: StoreView, stamp: Stamp) -> Iterator[Caution]:
    if not isinstance(plan.change, UndoSession):
        return
    left = session_undo(plan.change, plan.author, store, stamp).left
    if left:
        named = [f"{quoted_line(item.subject)} ({item.reason})" for item in left[:_LEFT_SHOWN]]
        more = [f"and {len(left) - _LEFT_SHOWN} more"] if len(left) > _LEFT_SHOWN else []
        yield Caution(kind="overtaken", message=f"left as they are: {', '.join([*named, *more])}")


def _left_by_quarantine(plan: Plan, store: StoreView) -> Iterator[Caution]:
    change = plan.change
    if isinstance(change, Quarantine | Release) and plan.pages:
        files = "the file stays" if len(plan.pages) == 1 else f"{len(plan.pages)} files stay"
        yield Caution(
            kind="files-stay", message=f"{files} on the disk; this is about what keepgate tells of them"
        )
    if isinstance(change, Quarantine) and (left := pages_left(change, plan.author, store)):
        named = [quoted_line(slug) for slug in left[:_LEFT_SHOWN]]
        more = [f"and {len(left) - _LEFT_SHOWN} more"] if len(left) > _LEFT_SHOWN else []
        message = f"pages that somebody changed since, which stay in reads: {', '.join([*named, *more])}"
        yield Caution(kind="overtaken", message=message)


def _hidden(plan: Plan) -> Iterator[Caution]:
    count = sum(len(hidden_positions(text)) for text in _texts_left(plan))
    if count:
        yield Caution(kind="hidden-characters", message=f"{count} hidden characters, shown as ⟨U+XXXX⟩")


def _texts_left(plan: Plan) -> Iterator[str]:
    yield from _steps_texts(plan)
    for page in plan.pages:
        yield page.content or ""


def _steps_texts(plan: Plan) -> Iterator[str]:
    for step in plan.mutations:
        if step.after is not None:
            yield "\n".join([step.after.text, *step.after.tags])
    for fact_step in plan.facts:
        fact = fact_step.after
        yield "\n".join([fact.text, fact.provenance, fact.entity or "", fact.reason or ""])


def _wary(plan: Plan) -> Iterator[Caution]:
    """Told by kind alone: what the text says stands in the question, and must not speak in our voice."""
    found = wary_of(_new_texts(plan))
    yield from (Caution(kind=kind, message=message) for kind, message in _WARY.items() if kind in found)


_WARY: Final = {
    INSTRUCTION: "reads like an instruction to an agent; a memory is shown to every agent that reads it",
    FRAME: "imitates the frame of a memory block or of a question; everything below is part of the memory",
}


def _new_texts(plan: Plan) -> Iterator[str]:
    """What would be left, of a rewritten page only the lines that it did not have."""
    yield from _steps_texts(plan)
    for page in plan.pages:
        before = frozenset((page.before or "").split("\n"))
        yield "\n".join(line for line in (page.content or "").split("\n") if line not in before)


def _entry_twins(plan: Plan, store: StoreView) -> Iterator[Caution]:
    gone = {step.entry.id for step in plan.mutations if step.after is None}
    for entry in _new_entries(plan):
        twin = store.twin(layer_of(entry), plan.author.agent_key, entry.text)
        if twin is not None and twin.id not in gone:
            yield Caution(kind="duplicate", message=f"entry {twin.id} already says the same")


def _near_entries(plan: Plan, store: StoreView) -> Iterator[Caution]:
    touched = {step.entry.id for step in plan.mutations}
    for entry in islice(_new_entries(plan), NEW_COMPARED_MAX):
        others = store.neighbours(layer_of(entry), plan.author.agent_key, COMPARED_MAX)
        twin = ascii_fold(entry.text)
        candidates = (
            (other.id, other.text)
            for other in others
            if other.id not in touched and ascii_fold(other.text) != twin
        )
        for entry_id in nearest(entry.text, candidates):
            yield Caution(kind="duplicate", message=f"entry {entry_id} says nearly the same")


def _new_entries(plan: Plan) -> Iterator[Entry]:
    return (step.after for step in plan.mutations if step.before is None and step.after is not None)


def _fact_twins(plan: Plan, store: StoreView, now_ms: int) -> Iterator[Caution]:
    if not isinstance(plan.change, Remember):
        return
    # The question may be put through the writer's own client: it tells of nothing that the writer cannot see.
    sight = sight_of([plan.author.workspace_key], world_only=plan.change.world_only)
    gone = {step.before.id for step in plan.facts if step.before is not None}
    for fact in seen_twins(plan.change.draft, store, sight, now_ms):
        if fact.id not in gone:
            yield Caution(
                kind="duplicate", message=f"fact {fact.id} already says nearly the same: {_told(fact)}"
            )


def _near_facts(plan: Plan, store: StoreView, now_ms: int) -> Iterator[Caution]:
    if not isinstance(plan.change, Remember):
        return
    draft = plan.change.draft
    sight = sight_of([plan.author.workspace_key], world_only=plan.change.world_only)
    touched = {step.after.id for step in plan.facts}
    candidates = (
        (fact, fact.text)
        for fact in store.facts_about(draft.home, draft.entity, now_ms, COMPARED_MAX)
        if fact.id not in touched
        and sight.sees(fact.home, fact.visibility)
        and near_words(fact.text) != near_words(draft.text)
    )
    for fact in nearest(draft.text, candidates):
        yield Caution(kind="duplicate", message=f"fact {fact.id} says nearly the same: {_told(fact)}")


def _told(fact: Fact) -> str:
    about = f" about {fact.entity}" if fact.entity else ""
    return f"{fact.kind}{about}, {fact.visibility}"
