"""The question: exactly what the person sees, and the hash that binds an answer to it (DSH-3)."""

import hashlib
from typing import Any, Final, assert_never

from attrs import frozen

from keepgate.core.model.entry import layer_of
from keepgate.core.model.text import excerpt, hidden_positions
from keepgate.core.reading.asked import BATCH
from keepgate.core.writing.change import Add, Change, Consolidate, Remove, Replace, Seed, Undo, kind_of
from keepgate.core.writing.ledger import canonical
from keepgate.core.writing.match import named
from keepgate.core.writing.mutation import Mutation
from keepgate.core.writing.plan import Plan, StoreView
from keepgate.protocol.entries import DEFAULT_SOURCE
from keepgate.protocol.proposals import AskEntry, AskTarget, Caution, ChangeKind

CONSOLIDATE_EXCERPT_UNITS: Final = 300


@frozen(kw_only=True)
class Ask:
    """A plan put as a question. ``text`` is the contract's payload text, ``hash`` covers what would change.

    ``track`` and ``scope`` read ``batch`` where a change may span layers.
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
    def from_to(self) -> tuple[str | None, str | None]:
        """The texts before and after, for a change of exactly one entry."""
        if len(self.plan.mutations) != 1:
            return None, None
        step = self.plan.mutations[0]
        return step.before.text if step.before else None, step.after.text if step.after else None


def ask_for(plan: Plan, store: StoreView) -> Ask:
    """Put a plan as a question, with what the person should be warned of. Pure but for reading ``store``."""
    change = plan.change
    layers = {use.layer for use in plan.uses}
    batch = isinstance(change, Seed | Undo)
    layer = None if batch or not layers else next(iter(layers))
    keys = {layer.workspace_key for layer in layers if layer.workspace_key}
    return Ask(
        plan=plan,
        kind=kind_of(change),
        track=layer.track if layer else BATCH,
        scope=layer.scope if layer else BATCH,
        workspace_key=keys.pop() if len(keys) == 1 else "",
        source=_source(plan),
        text=payload_text(plan),
        hash=content_hash(plan),
        warnings=_warnings(plan, store),
    )


def content_hash(plan: Plan) -> str:
    """SHA-256 over what the person agrees to: the action, the layers and keys, the source that is named, new
    texts, tags and sources, and each target's id, version and text. Usage, warnings, deadlines and new ids
    are left out.
    """
    content: dict[str, Any] = {
        "action": str(kind_of(plan.change)),
        "agentKey": plan.author.agent_key,
        "workspaceKey": plan.author.workspace_key,
        "source": _source(plan),
        "steps": [_step_content(step) for step in plan.mutations],
    }
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def _step_content(step: Mutation) -> dict[str, Any]:
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


def payload_text(plan: Plan) -> str:
    """The full change as the contract words it: approve what you see (DSH-3)."""
    change, steps = plan.change, plan.mutations
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
        case Undo():
            return "\n\n".join(_undo_text(step) for step in steps)
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def _from_to(step: Mutation) -> str:
    assert step.before is not None and step.after is not None, "a rewriting has both sides"  # noqa: PT018
    return f"from:\n{step.before.text}\n\nto:\n{step.after.text}"


def _undo_text(step: Mutation) -> str:
    if step.before is None:
        return f"restore:\n{step.entry.text}"
    return f"remove:\n{step.entry.text}" if step.after is None else _from_to(step)


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
        case Replace() | Consolidate() | Undo():
            return plan.change.source
        case Seed(drafts=drafts):
            sources = {draft.source for draft in drafts}
            return sources.pop() if len(sources) == 1 else DEFAULT_SOURCE
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(plan.change)


def _warnings(plan: Plan, store: StoreView) -> tuple[Caution, ...]:
    left = [(step.before, step.after) for step in plan.mutations if step.after is not None]
    hidden = sum(len(hidden_positions("\n".join([entry.text, *entry.tags]))) for _, entry in left)
    found = []
    if hidden:
        found.append(
            Caution(kind="hidden-characters", message=f"{hidden} hidden characters, shown as ⟨U+XXXX⟩")
        )
    gone = {step.entry.id for step in plan.mutations if step.after is None}
    for before, entry in left:
        if before is not None:
            continue
        twin = store.twin(layer_of(entry), plan.author.agent_key, entry.text)
        if twin is not None and twin.id not in gone:
            found.append(Caution(kind="duplicate", message=f"entry {twin.id} already says the same"))
    return tuple(dict.fromkeys(found))
