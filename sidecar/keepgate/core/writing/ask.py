"""The question: exactly what the person sees, and the hash that binds an answer to it (DSH-3)."""

import hashlib
from typing import Any, assert_never

from attrs import frozen

from keepgate.core.model.fact import Fact
from keepgate.core.model.stamp import Stamp
from keepgate.core.reading.asked import BATCH, FACTS, PAGES
from keepgate.core.writing.cautions import cautions_of
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
    kind_of,
)
from keepgate.core.writing.ledger import canonical
from keepgate.core.writing.match import named
from keepgate.core.writing.mutation import FactStep, Mutation, PageStep, Step
from keepgate.core.writing.page_change import (
    EditPage,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.page_steps import ask_page, page_content
from keepgate.core.writing.plan import Plan
from keepgate.core.writing.storeview import StoreView
from keepgate.core.writing.wording import ask_fact, payload_text
from keepgate.protocol.entries import DEFAULT_SOURCE, Scope
from keepgate.protocol.proposals import AskEntry, AskFact, AskPage, AskTarget, Caution, ChangeKind


@frozen(kw_only=True)
class Ask:
    """A plan put as a question. ``text`` is the contract's payload text, ``hash`` covers what would change.

    ``track`` and ``scope`` read ``batch`` where a change may span layers; for facts and pages ``track`` reads
    ``facts`` or ``pages``, and ``scope`` says whether they are user-global.
    """

    plan: Plan
    kind: ChangeKind
    track: str
    scope: str
    workspace_key: str
    source: str | None
    text: str
    hash: str
    warnings: tuple[Caution, ...]

    @property
    def count(self) -> int | None:
        """How many entries a seed adds; ``None`` for other changes."""
        return len(self.plan.mutations) if self.kind is ChangeKind.SEED else None

    @property
    def targets(self) -> tuple[AskTarget, ...]:
        """The entries that would be rewritten or removed, whole."""
        names = _names(self.plan.change)
        found = [step.before for step in self.plan.mutations if step.before is not None]
        return tuple(
            AskTarget(
                id=entry.id,
                version=entry.version,
                track=entry.track,
                scope=entry.scope,
                workspace_key=entry.workspace_key,
                agent_key=entry.agent_key,
                text=entry.text,
                match=names[index] if index < len(names) else None,
                tags=list(entry.tags),
            )
            for index, entry in enumerate(found)
        )

    @property
    def entries(self) -> tuple[AskEntry, ...]:
        """The entries that the change would add or leave behind, whole."""
        return tuple(
            AskEntry(
                track=entry.track,
                scope=entry.scope,
                workspace_key=entry.workspace_key,
                agent_key=entry.agent_key,
                text=entry.text,
                tags=list(entry.tags),
                source=entry.source,
            )
            for entry in (step.after for step in self.plan.mutations)
            if entry is not None
        )

    @property
    def facts(self) -> tuple[AskFact, ...]:
        """The facts that the change adds, expires or brings back, whole, as they would be left."""
        return tuple(ask_fact(step) for step in self.plan.facts)

    @property
    def pages(self) -> tuple[AskPage, ...]:
        """The page files that the change writes or removes, whole, and the folders that it trusts."""
        return tuple(map(ask_page, self.plan.pages))

    @property
    def from_to(self) -> tuple[str | None, str | None]:
        """The texts before and after, for a change of exactly one entry."""
        if len(self.plan.mutations) != 1:
            return None, None
        step = self.plan.mutations[0]
        return step.before.text if step.before else None, step.after.text if step.after else None


def ask_for(plan: Plan, store: StoreView, stamp: Stamp) -> Ask:
    """Put a plan as a question, with what the person should be warned of. Pure but for reading ``store``."""
    track, scope = _place(plan)
    keys = _keys(plan) - {""}
    return Ask(
        plan=plan,
        kind=kind_of(plan.change),
        track=track,
        scope=scope,
        workspace_key=keys.pop() if len(keys) == 1 else "",
        source=_source(plan),
        text=payload_text(plan),
        hash=content_hash(plan),
        warnings=cautions_of(plan, store, stamp),
    )


def _place(plan: Plan) -> tuple[str, str]:
    change = plan.change
    match change:
        case Seed() | Undo() | UndoSession() | Quarantine() | Release():
            return BATCH, BATCH
        case Add() | Replace() | Remove() | Consolidate():
            layer = plan.uses[0].layer
            return layer.track, layer.scope
        case Remember() | Forget():
            return FACTS, _scope_of(_keys(plan))
        case PutPage() | EditPage() | RemovePage() | TrustRoot():
            return PAGES, _scope_of({change.home})
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def _scope_of(homes: set[str]) -> str:
    # What reaches every workspace is the wider of the two.
    return Scope.USER_GLOBAL if "" in homes else Scope.WORKSPACE


def _keys(plan: Plan) -> set[str]:
    facts = [step.after.home for step in plan.facts]
    facts += [plan.existing.home] if plan.existing is not None else []
    pages = (step.home for step in plan.pages)
    return {*(use.layer.workspace_key for use in plan.uses), *facts, *pages}


def content_hash(plan: Plan) -> str:
    """SHA-256 over what the person agrees to: the action, the layers and keys, the source that is named, new
    texts, tags and sources, every field of a fact and the whole text of a page file, and each target's id,
    version and text. Usage, warnings, deadlines and new ids are left out.
    """
    content: dict[str, Any] = {
        "action": str(kind_of(plan.change)),
        "agentKey": plan.author.agent_key,
        "workspaceKey": plan.author.workspace_key,
        "source": _source(plan),
        "steps": [_step_content(step) for step in plan.steps],
    }
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def _step_content(step: Step) -> dict[str, Any]:
    match step:
        case Mutation():
            return _entry_content(step)
        case FactStep():
            return _fact_content(step)
        case PageStep():
            return page_content(step)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(step)


def _entry_content(step: Mutation) -> dict[str, Any]:
    content: dict[str, Any] = {"action": step.action}
    if step.before is not None:
        content["target"] = [step.before.id, step.before.version, step.before.text]
    if step.after is not None:
        entry = step.after
        content["entry"] = [
            entry.track, entry.scope, entry.workspace_key, entry.agent_key,
            entry.text, list(entry.tags), entry.source,
        ]  # fmt: skip
    return content


def _fact_content(step: FactStep) -> dict[str, Any]:
    content: dict[str, Any] = {"action": step.action, "fact": _fact_values(step.after)}
    if step.before is not None:
        content["target"] = [step.before.id, step.before.version, *_fact_values(step.before)]
    return content


def _fact_values(fact: Fact) -> list[Any]:
    return [
        fact.home, fact.entity, fact.text, fact.kind, fact.visibility, fact.provenance, fact.valid_until,
        fact.expired_at is not None, fact.reason,
    ]  # fmt: skip


def _names(change: Change) -> tuple[str, ...]:
    match change:
        case Replace() | Remove():
            return (named(change.target),)
        case Consolidate():
            return tuple(named(target) for target in change.targets)
        case _:
            return ()


def _source(plan: Plan) -> str | None:
    match plan.change:
        case Add(draft=draft):
            return draft.source
        case Remove():
            return plan.mutations[0].entry.source
        case Replace() | Consolidate() | Undo() | UndoSession():
            return plan.change.source
        case Seed(drafts=drafts):
            sources = {draft.source for draft in drafts}
            return sources.pop() if len(sources) == 1 else DEFAULT_SOURCE
        case Quarantine() | Release():
            return None
        case Remember() | Forget() | PutPage() | EditPage() | RemovePage() | TrustRoot():
            return None
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(plan.change)
