"""The payload text of a plan: the full change in words, approve what you see (DSH-3)."""

from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from keepgate.core.model.fact import Fact
from keepgate.core.model.text import continued, excerpt
from keepgate.core.model.times import iso
from keepgate.core.writing.change import (
    Add,
    Consolidate,
    EditPage,
    EntryChange,
    Forget,
    PutPage,
    Remember,
    Remove,
    RemovePage,
    Replace,
    Seed,
    TrustRoot,
    Undo,
)
from keepgate.core.writing.match import named
from keepgate.core.writing.mutation import FactStep, Mutation, PageStep, Step
from keepgate.core.writing.page_diff import unified_diff
from keepgate.core.writing.page_steps import TRUST, is_trust
from keepgate.core.writing.plan import Plan
from keepgate.protocol.verbs import Visibility

CONSOLIDATE_EXCERPT_UNITS: Final = 300

READERS: Final = {
    Visibility.WORLD: "world, every connected agent reads it",
    Visibility.PRIVATE: "private, local callers alone read it",
}
EVERYWHERE: Final = "every workspace"
NEVER: Final = "never"


def payload_text(plan: Plan) -> str:
    """The full change as the contract words it.

    Of facts every field stands after its label, and no line of a value can pass for one.
    """
    change = plan.change
    if plan.is_needless and plan.existing is None:
        return "nothing to do"
    if plan.existing is not None:
        return f"nothing to do: fact {plan.existing.id}\n{_lines(fact_fields(plan.existing))}"
    match change:
        case Add() | Remove() | Replace() | Consolidate() | Seed():
            return _entries_text(change, plan.mutations)
        case Remember() | Forget():
            return "\n\n".join(_lines(step_fields(step)) for step in plan.facts)
        case PutPage() | EditPage() | RemovePage() | TrustRoot():
            return "\n\n".join(page_text(step) for step in plan.pages)
        case Undo():
            return "\n\n".join(_undo_text(step) for step in plan.steps)
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


def step_fields(step: FactStep) -> Iterator[tuple[str, str]]:
    """Names and values of what happens to a fact, and of the fact as it would be left."""
    fact = step.after
    if step.before is not None:
        yield ("forget" if fact.expired_at is not None else "bring back"), f"fact {fact.id}"
    if fact.superseded_by is not None and fact.expired_at is not None:
        yield "because", "another fact takes its place"
    yield from fact_fields(fact)
    if fact.reason is not None:
        yield "reason", fact.reason


def fact_fields(fact: Fact) -> Iterator[tuple[str, str]]:
    """Names and values of a fact, each of which the person answers for."""
    yield "fact", fact.text
    yield "about", "nobody and nothing in particular" if fact.entity is None else fact.entity
    yield "kind", fact.kind
    yield "visibility", READERS[fact.visibility]
    yield "provenance", fact.provenance
    yield "expires", NEVER if fact.valid_until is None else iso(fact.valid_until)
    yield "home", fact.home or EVERYWHERE


def page_text(step: PageStep) -> str:
    """What happens to a page file: new and removed ones whole, a rewritten one as a difference."""
    if is_trust(step):
        return f"{'trust' if step.action == TRUST else 'distrust'} the pages of:\n{step.root}"
    if step.before is None:
        return f"create {step.path}:\n{step.content}"
    if step.content is None:
        return f"remove {step.path}:\n{step.before}"
    return unified_diff(step.path, step.before, step.content)


def _lines(fields: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{name}: {continued(value)}" for name, value in fields)


def _from_to(step: Mutation) -> str:
    assert step.before is not None and step.after is not None, "a rewriting has both sides"  # noqa: PT018
    return f"from:\n{step.before.text}\n\nto:\n{step.after.text}"


def _undo_text(step: Step) -> str:
    match step:
        case Mutation(before=None):
            return f"restore:\n{step.entry.text}"
        case Mutation(after=None):
            return f"remove:\n{step.entry.text}"
        case Mutation():
            return _from_to(step)
        case FactStep():
            return _lines(step_fields(step))
        case PageStep():
            return page_text(step)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(step)
