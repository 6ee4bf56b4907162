"""The payload text of a plan: the full change in words, approve what you see (DSH-3)."""

from typing import Final, assert_never

from keepgate.core.model.text import continued, excerpt, quoted_line
from keepgate.core.reading.asked_facts import NEEDLESS, fact_fields
from keepgate.core.writing.change import (
    Add,
    Consolidate,
    EntryChange,
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
from keepgate.core.writing.match import named
from keepgate.core.writing.mutation import QUARANTINE, RELEASE, FactStep, Mutation, PageStep, Step
from keepgate.core.writing.page_change import (
    EditPage,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.page_diff import unified_diff
from keepgate.core.writing.page_steps import TRUST, is_trust
from keepgate.core.writing.plan import Plan
from keepgate.protocol.proposals import AskFact

CONSOLIDATE_EXCERPT_UNITS: Final = 300


def payload_text(plan: Plan) -> str:
    """The full change as the contract words it.

    Of facts every field stands after its label, and no line of a value can pass for one.
    """
    change = plan.change
    if plan.is_needless and plan.existing is None:
        return "nothing to do"
    if plan.existing is not None:
        known = FactStep(action=NEEDLESS, before=plan.existing, after=plan.existing)
        return _fact_text(ask_fact(known))
    match change:
        case Add() | Remove() | Replace() | Consolidate() | Seed():
            return _entries_text(change, plan.mutations)
        case Remember() | Forget():
            return "\n\n".join(_fact_text(ask_fact(step)) for step in plan.facts)
        case PutPage() | EditPage() | RemovePage() | TrustRoot():
            return "\n\n".join(page_text(step) for step in plan.pages)
        case Undo() | UndoSession() | Quarantine() | Release():
            return _undoing_text(change, plan.steps)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def _entries_text(change: EntryChange, steps: tuple[Mutation, ...]) -> str:
    match change:
        case Add() | Remove():
            return steps[0].entry.text
        case Replace():
            return _from_to(steps[0])
        case Consolidate():
            lines = []
            for target, step in zip(change.targets, steps[:-1], strict=True):
                lines += [f"remove: {named(target)}", excerpt(step.entry.text, CONSOLIDATE_EXCERPT_UNITS)]
            return "\n".join([*lines, f"new text: {change.text}"])
        case Seed():
            return "\n".join(f"{step.entry.track}/{step.entry.scope}: {step.entry.text}" for step in steps)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def ask_fact(step: FactStep) -> AskFact:
    """A fact as a question shows it: as it would be left."""
    fact = step.after
    return AskFact(
        action=step.action,
        id=None if step.before is None else fact.fact_id,
        version=None if step.before is None else step.before.version,
        workspace_key=fact.home,
        entity=fact.entity,
        text=fact.text,
        kind=fact.kind,
        visibility=fact.visibility,
        provenance=fact.provenance,
        valid_until=fact.valid_until,
        reason=fact.reason,
    )


def _fact_text(fact: AskFact) -> str:
    return "\n".join(f"{name}: {continued(value)}" for name, value in fact_fields(fact))


def page_text(step: PageStep) -> str:
    """What happens to a page file: new and removed ones whole, a rewritten one as a difference."""
    if is_trust(step):
        return f"{'trust' if step.action == TRUST else 'distrust'} the pages of:\n{step.root}"
    if step.action == QUARANTINE:
        return f"leave the file and tell of it no more, page {step.path}:\n{step.before}"
    if step.action == RELEASE:
        return f"tell of it again, page {step.path}:\n{step.content}"
    if step.before is None:
        return f"create {step.path}:\n{step.content}"
    if step.content is None:
        return f"remove {step.path}:\n{step.before}"
    return unified_diff(step.path, step.before, step.content)


def _from_to(step: Mutation) -> str:
    assert step.before is not None and step.after is not None, "a rewriting has both sides"  # noqa: PT018
    return f"from:\n{step.before.text}\n\nto:\n{step.after.text}"


def _undoing_text(change: Undo | UndoSession | Quarantine | Release, steps: tuple[Step, ...]) -> str:
    parts = [_undo_text(step) for step in steps]
    if not isinstance(change, Undo):
        name = quoted_line(change.session_id)
        heads: dict[type, str] = {
            UndoSession: f"take back what session {name} wrote:",
            Quarantine: f"put into quarantine, out of every read, what session {name} wrote:",
            Release: f"bring back from quarantine what session {name} wrote:",
        }
        parts.insert(0, heads[type(change)])
    if isinstance(change, Quarantine) and change.reason:
        parts.insert(1, f"reason: {continued(change.reason)}")
    return "\n\n".join(parts)


def _undo_text(step: Step) -> str:
    match step:
        case Mutation(before=None):
            return f"restore:\n{step.entry.text}"
        case Mutation(after=None):
            return f"remove:\n{step.entry.text}"
        case Mutation():
            return _from_to(step)
        case FactStep():
            return _fact_text(ask_fact(step))
        case PageStep():
            return page_text(step)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(step)
