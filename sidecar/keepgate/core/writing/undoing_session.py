"""The steps that take back everything that one session wrote, and what has to be left as it is.

What a session did to one entry, fact or page file is taken back in one step, to what was there before. A
change that took something away and put something in its place goes back whole or not at all.
"""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from attrs import evolve, frozen

from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import UndoSession
from keepgate.core.writing.mutation import QUARANTINE, RELEASE, FactStep, Mutation, PageStep, Step
from keepgate.core.writing.page_steps import TRUST, is_trust
from keepgate.core.writing.states import Recorded, subject_of
from keepgate.core.writing.storeview import StoreView
from keepgate.core.writing.undoing import inverse, sees, without_recalls
from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import Fault, Problem, invalid_input

UNDO_STEPS_MAX: Final = 1000
"""So many entries, facts and pages go back with one question; the older ones with another."""

CHANGED_SINCE: Final = "something changed it since"
CHANGED_BETWEEN: Final = "another session changed it in between; it is as that one left it"
NOT_WHOLE: Final = "it belongs to a change of which another part was changed since"
TOO_MANY: Final = f"one undo takes back {UNDO_STEPS_MAX} at most"
UNREADABLE: Final = "its file cannot be read as a page"


@frozen(kw_only=True)
class Left:
    """Something that the session wrote and that stays; ``seq`` is the session's last row about it."""

    subject: str
    seq: int
    reason: str


@frozen(kw_only=True)
class SessionUndo:
    """What goes back, the newest first, and what stays."""

    steps: tuple[Step, ...]
    left: tuple[Left, ...]


_Key = tuple[str, ...]


@frozen
class _Found:
    """What can be done about one subject: ``step`` takes it back, ``reason`` says why something stays."""

    step: Step | None = None
    reason: str | None = None


def session_undo_steps(
    change: UndoSession, author: Author, store: StoreView, stamp: Stamp
) -> tuple[Step, ...]:
    """The steps that take back what the session wrote. Raises ``INVALID_INPUT`` when there is none."""
    steps = session_undo(change, author, store, stamp).steps
    if not steps:
        reason = "wrote nothing in sight that can still be taken back"
        raise invalid_input(Problem("$.sessionId", reason))
    return steps


def session_undo(
    change: UndoSession, author: Author, store: StoreView, stamp: Stamp, *, limit: int = UNDO_STEPS_MAX
) -> SessionUndo:
    """Work out what of a session's changes can go back, ``limit`` at most. Writes and raises nothing."""
    seen = (
        [
            item
            for item in found
            if sees(author, change, item.step) and item.step.action not in (QUARANTINE, RELEASE)
        ]
        for found in store.changes_by_session(change.session_id)
    )
    changes = [found for found in seen if found]
    lives: dict[_Key, list[Recorded]] = {}
    for item in (item for found in changes for item in found):
        lives.setdefault(_key(item.step), []).append(item)
    bound = [
        {_key(item.step) for item in found}
        for found in changes
        if len(found) > 1 and any(item.step.before is not None for item in found)
    ]
    tied = {key for keys in bound for key in keys}
    looked = {key: _look(items, author, store, stamp, is_tied=key in tied) for key, items in lives.items()}
    _leave_whole(looked, bound)
    newest_first = sorted(lives, key=lambda key: lives[key][-1].seq, reverse=True)
    doable = [key for key in newest_first if looked[key].step is not None]
    for key in doable[limit:]:
        looked[key] = _Found(reason=TOO_MANY)
    return SessionUndo(
        steps=tuple(step for key in doable if (step := looked[key].step) is not None),
        left=tuple(_left(newest_first, lives, looked)),
    )


def _left(
    keys: Sequence[_Key], lives: dict[_Key, list[Recorded]], looked: dict[_Key, _Found]
) -> Iterator[Left]:
    for key in keys:
        if (reason := looked[key].reason) is not None:
            last = lives[key][-1]
            yield Left(subject=subject_of(last.step), seq=last.seq, reason=reason)


def _leave_whole(looked: dict[_Key, _Found], bound: Sequence[set[_Key]]) -> None:
    """Where a part of a change stays, all of it does, and what other changes did to those parts."""
    is_settled = False
    while not is_settled:
        is_settled = True
        for keys in bound:
            stays = any(looked[key].step is None and looked[key].reason is not None for key in keys)
            for key in keys if stays else ():
                if looked[key].step is not None:
                    looked[key], is_settled = _Found(reason=NOT_WHOLE), False


def _key(step: Step) -> _Key:
    match step:
        case Mutation() | FactStep():
            return (type(step).__name__, subject_of(step))
        case PageStep():
            return ("page", step.home, step.root, step.path)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(step)


def _look(items: list[Recorded], author: Author, store: StoreView, stamp: Stamp, *, is_tied: bool) -> _Found:
    run = _unbroken_end(items)
    whole = Recorded(seq=run[-1].seq, step=_merged(run[0].step, run[-1].step))
    state = _state(whole, items[0].step, store)
    if state is None:
        return _Found(reason=UNREADABLE)
    as_before, as_left = state
    if as_before and (as_left or not is_tied or _was_undone(run[-1], store)):
        return _Found()
    if not as_left:
        return _Found(reason=CHANGED_SINCE)
    reason = CHANGED_BETWEEN if len(run) < len(items) else None
    return _Found(step=inverse(whole, author, store, stamp), reason=reason)


def _state(whole: Recorded, oldest: Step, store: StoreView) -> tuple[bool, bool] | None:
    """Whether a subject is as before the session, and as the session left it; ``None``: cannot tell."""
    step = whole.step
    match step, oldest:
        case Mutation(), Mutation(before=before):
            subject = subject_of(_named(step, oldest))
            now = without_recalls(store.entry(subject))
            as_left = store.newest_change(subject) == whole.seq and now == step.after
            # What came back under the session's own hands says the same, too.
            return _says(now) == _says(step.before if as_left else before), as_left
        case FactStep(), FactStep(before=was):
            fact = store.fact(step.after.id)
            as_left = store.newest_change(subject_of(step)) == whole.seq and fact == step.after
            was = step.before if as_left else was
            gone = fact is None or fact.expired_at is not None
            return gone if was is None else _expiry(fact) == _expiry(was), as_left
        case PageStep(), PageStep(before=text):
            if is_trust(step):
                wanted = oldest.action != TRUST
                trusts = store.trusts_root(step.home, step.root)
                return trusts is wanted, trusts is not wanted
            try:
                there = store.page_text(step.root, step.path)
            except Fault:
                return None
            as_left = there == step.content
            return there == (step.before if as_left else text), as_left
    raise AssertionError("a subject has steps of one kind")  # pragma: no cover - keys tell kinds apart


def _named(step: Mutation, oldest: Mutation) -> Mutation:
    # What came and went again within the session has neither side left.
    return step if step.before or step.after else oldest


def _expiry(fact: object) -> tuple[object, ...]:
    expired_at, by, reason = (getattr(fact, name, None) for name in ("expired_at", "superseded_by", "reason"))
    return (expired_at is not None, by, reason)


def _says(entry: Entry | None) -> tuple[object, ...] | None:
    return None if entry is None else (entry.text, entry.tags, entry.agent_key, entry.source)


def _unbroken_end(items: list[Recorded]) -> list[Recorded]:
    """The session's last steps between which nobody else changed the subject."""
    start = len(items) - 1
    while start > 0 and _follows(items[start - 1].step, items[start].step):
        start -= 1
    return items[start:]


def _follows(one: Step, other: Step) -> bool:
    match one, other:
        case Mutation(after=None, before=went), Mutation(before=None, after=came):
            # Versions go on; another life in between would have used some up.
            return went is not None and came is not None and came.version == went.version + 1
        case Mutation(), Mutation():
            return one.after == other.before
        case FactStep(), FactStep():
            return one.after == other.before
        case PageStep(), PageStep():
            return is_trust(one) or one.content == other.before
        case _:  # pragma: no cover - keys tell kinds apart
            return False


def _merged(first: Step, last: Step) -> Step:
    """One step from the state before the first to the state after the last."""
    match first, last:
        case Mutation(), Mutation():
            return evolve(last, before=first.before)
        case FactStep(), FactStep():
            return evolve(last, before=first.before)
        case PageStep(), PageStep():
            if is_trust(first):
                return first
            return evolve(last, before=first.before, before_visibility=first.before_visibility)
        case _:  # pragma: no cover - keys tell kinds apart
            raise AssertionError("a subject has steps of one kind")


def _was_undone(last: Recorded, store: StoreView) -> bool:
    """Whether the newest change of a subject is an undo."""
    newest = store.newest_change(subject_of(last.step))
    made = () if newest is None else store.change_of(newest)
    return any(item.seq == newest and item.step.action.startswith("undo-") for item in made)
