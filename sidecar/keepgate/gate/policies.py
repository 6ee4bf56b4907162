"""Write policies: what happens before anyone is asked (wire-protocol section 2). Pure."""

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from keepgate.core.model.entry import SOURCE_FORM, Layer, layer_of
from keepgate.core.writing.plan import Plan
from keepgate.protocol.entries import LAYERS, Scope
from keepgate.protocol.proposals import ChangeKind
from keepgate.protocol.settings import STRICTNESS, Settings, WritePolicy

KEY_FORMS: Final = f"source:{SOURCE_FORM}|facts|pages|" + "|".join(
    f"{track}/{scope}" for track, scope in LAYERS
)
"""What a key of ``writePolicies`` may be, as a regular expression."""


def strictest(policies: Iterable[WritePolicy]) -> WritePolicy:
    """The policy that allows least."""
    return max(policies, key=STRICTNESS.__getitem__)


def policy_for(plan: Plan, settings: Settings, *, label_is_ours: bool) -> WritePolicy:
    """The policy of a change: the strictest over its layers and over every source it names.

    A layer's own key beats the global policy, and a source's key beats both where the label is ours. Callers
    choose the source they send, so a label of theirs can only tighten (``label_is_ours`` false).
    """
    named = {f"source:{source}" for source in sources_of(plan)}
    of_sources = [rule for key, rule in settings.write_policies.items() if key in named]
    if label_is_ours and of_sources:
        return strictest(of_sources)
    layers = {layer_of(step.entry) for step in plan.mutations}
    return strictest([*(_layer_policy(layer, settings) for layer in layers), *of_sources])


def _layer_policy(layer: Layer, settings: Settings) -> WritePolicy:
    return settings.write_policies.get(layer.name, settings.write_policy)


def sources_of(plan: Plan) -> frozenset[str]:
    """Every source label in a change: those of new entries and those of entries it touches."""
    both = (entry for step in plan.mutations for entry in (step.before, step.after))
    named = getattr(plan.change, "source", None)
    return frozenset(entry.source for entry in both if entry is not None) | (
        {named} if named else frozenset()
    )


@frozen
class Grant:
    """A person's leave to add to one layer for the rest of one session, without asking each time."""

    session_id: str
    agent_key: str
    layer: Layer


def grant_for(plan: Plan, kind: ChangeKind, *, warned: bool) -> Grant | None:
    """The grant that could cover a change, if any: adding to one workspace layer, nothing to warn of."""
    if kind is not ChangeKind.ADD or warned:
        return None
    layer = layer_of(plan.mutations[0].entry)
    if layer.scope is Scope.USER_GLOBAL:
        return None
    return Grant(plan.author.session_id, plan.author.agent_key, layer)
