"""The steps that put what a session wrote out of every read, and those that bring it back.

An entry in quarantine is none in the store, a fact in quarantine has expired: every read leaves them out
without being told. The ledger has them whole, and release writes them back from there. The file of a page in
quarantine stays as it is; the index of pages leaves it out.
"""

from typing import Final

from attrs import evolve

from keepgate.core.model.fact import Sight, sight_of
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Quarantine, Release
from keepgate.core.writing.entry_steps import not_before
from keepgate.core.writing.mutation import QUARANTINE, RELEASE, FactStep, Mutation, PageStep, Step
from keepgate.core.writing.page_steps import is_open
from keepgate.core.writing.storeview import StoreView
from keepgate.core.writing.undoing import without_recalls
from keepgate.protocol.errors import Fault, Problem, invalid_input
from keepgate.protocol.looking_back import QUARANTINE_STEPS_MAX
from keepgate.protocol.verbs import Visibility

_NOTHING: Final = "wrote nothing in sight that could be put into quarantine"
_NOT_HELD: Final = "has nothing in sight in quarantine"


def quarantine_steps(change: Quarantine, author: Author, store: StoreView, stamp: Stamp) -> tuple[Step, ...]:
    """Take away each entry that the session wrote last, expire each fact of it, and hold each page of it, as
    far as in sight.

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
    steps += [step for step in _pages(change, author, store) if step is not None]
    return _some(steps, _NOTHING)


def pages_left(change: Quarantine, author: Author, store: StoreView) -> list[str]:
    """The slugs of pages in sight that the session wrote last and somebody changed since: they stay."""
    written = store.pages_by(change.session_id)
    return [
        item.step.slug
        for item, step in zip(written, _pages(change, author, store), strict=True)
        if step is None and isinstance(item.step, PageStep) and _is_seen(item.step, change, author)
        if item.step.content is not None
    ]


def _pages(change: Quarantine, author: Author, store: StoreView) -> list[PageStep | None]:
    """For each page that the session wrote last the step that holds it; ``None`` where it stays.

    Who wrote last decides: a file that is no longer as the session left it is somebody else's.
    """
    return [_held(item.step, change, author, store) for item in store.pages_by(change.session_id)]


def _held(step: Step, change: Quarantine, author: Author, store: StoreView) -> PageStep | None:
    if not isinstance(step, PageStep) or step.content is None or not _is_seen(step, change, author):
        return None
    if _text(step, store) != step.content:
        return None
    return evolve(
        step,
        action=QUARANTINE,
        before=step.content,
        before_visibility=step.visibility,
        content=None,
        visibility=None,
    )


def _is_seen(step: PageStep, change: Quarantine | Release, author: Author) -> bool:
    if step.home not in ("", author.workspace_key):
        return False
    return not change.world_only or is_open(step)


def _text(step: PageStep, store: StoreView) -> str | None:
    try:
        return store.page_text(step.root, step.path)
    except Fault:
        return None


def release_steps(change: Release, author: Author, store: StoreView, stamp: Stamp) -> tuple[Step, ...]:
    """Bring back what is in quarantine of the session, as it was; versions go on.

    Raises ``INVALID_INPUT`` when there is nothing.
    """
    sight = _sight(change, author)
    steps: list[Step] = []
    for held in store.held_of(change.session_id):
        match held.step:
            case Mutation(before=entry) if entry is not None and author.viewer.sees(entry):
                came = evolve(entry, version=entry.version + 1, updated_at=not_before(entry, stamp))
                steps.append(Mutation(action=RELEASE, before=None, after=came))
            case FactStep(before=was, after=fact) if was and sight.sees(fact.home, fact.visibility):
                steps.append(
                    FactStep(action=RELEASE, before=fact, after=evolve(was, version=fact.version + 1))
                )
            case PageStep() as step if _is_seen(step, change, author):
                back = _released(step, store)
                if not change.world_only or is_open(back):
                    steps.append(back)
    return _some(steps, _NOT_HELD)


def _released(step: PageStep, store: StoreView) -> PageStep:
    """The page as its file is now: nobody kept anybody from changing it."""
    text = _text(step, store)
    visibility = Visibility.PRIVATE if text is None else store.page_visibility(text)
    return evolve(
        step, action=RELEASE, before=None, before_visibility=None, content=text or "", visibility=visibility
    )


def _some(steps: list[Step], otherwise: str) -> tuple[Step, ...]:
    if not steps:
        raise invalid_input(Problem("$.sessionId", otherwise))
    return tuple(steps[:QUARANTINE_STEPS_MAX])


def _sight(change: Quarantine | Release, author: Author) -> Sight:
    keys = author.viewer.workspaces or frozenset()
    return sight_of(keys, world_only=change.world_only)
