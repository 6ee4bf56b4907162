"""Write policies: what happens before anyone is asked (docs/protocol.md). Pure."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final, assert_never

from attrs import field, frozen

from keepgate.core.model.entry import SOURCE_FORM, Layer, layer_of
from keepgate.core.reading.asked import FACTS, PAGES
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
)
from keepgate.core.writing.page_change import (
    EditPage,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.core.writing.page_steps import is_trust
from keepgate.core.writing.plan import Plan
from keepgate.protocol.entries import DEFAULT_SOURCE, LAYERS, Scope
from keepgate.protocol.proposals import ChangeKind
from keepgate.protocol.settings import STRICTNESS, Settings, WritePolicy

KEY_FORMS: Final = f"source:{SOURCE_FORM}|{FACTS}|{PAGES}|" + "|".join(
    f"{track}/{scope}" for track, scope in LAYERS
)
"""What a key of ``writePolicies`` may be, as a regular expression."""


def strictest(policies: Iterable[WritePolicy]) -> WritePolicy:
    """The policy that allows least."""
    return max(policies, key=STRICTNESS.__getitem__)


@frozen(kw_only=True)
class Floor:
    """What a project demands at least. It is applied after every rule of the user's, so none lies below it.

    ``write_policies`` has the keys of the setting of that name; each that fits a change counts.
    """

    write_policy: WritePolicy = WritePolicy.AUTO
    write_policies: Mapping[str, WritePolicy] = field(factory=dict)


@frozen(kw_only=True)
class Rules:
    """Settings as they hold in some workspaces, with the floor of their projects."""

    settings: Settings
    floor: Floor = Floor()


RulesFor = Callable[[Collection[str]], Rules]
"""The rules for a change that is about these workspaces.

Raises ``INVALID_INPUT`` when a project's own file cannot be used: a floor that cannot be read is not ignored.
"""


def policy_for(plan: Plan, rules: Rules, *, label_is_ours: bool) -> WritePolicy:
    """The policy of a change: the strictest over its layers and over every source it names.

    A layer's own key beats the global policy. Callers choose the sources they send, and so those of the
    entries that are there: these can only tighten. The product's own label, where the caller gave none
    (``label_is_ours``), beats the layers, but never a project's floor.
    """
    settings, floor = rules.settings, rules.floor
    layers = layer_names(plan)
    found = [settings.write_policies.get(layer, settings.write_policy) for layer in layers]
    own = settings.write_policies.get(f"source:{DEFAULT_SOURCE}")
    if label_is_ours and own is not None:
        found = [own]
    named = {f"source:{source}" for source in sources_of(plan)}
    found += [rule for key, rule in settings.write_policies.items() if key in named]
    named |= layers
    demanded = [rule for key, rule in floor.write_policies.items() if key in named]
    if any(map(is_trust, plan.pages)) or isinstance(plan.change, Quarantine | Release):
        # A person trusts a folder or a session; a policy is none.
        found.append(WritePolicy.ASK)
    return strictest([*found, floor.write_policy, *demanded])


def may_be_ours(change: Change) -> bool:
    """Whether the only label that a change gives is the product's own, as when its caller gave none."""
    match change:
        case Add(draft=draft):
            return draft.source == DEFAULT_SOURCE
        case Seed(drafts=drafts):
            return all(draft.source == DEFAULT_SOURCE for draft in drafts)
        case Replace() | Consolidate():
            return change.source == DEFAULT_SOURCE
        case Remove() | Undo() | UndoSession() | Remember() | Forget() | Quarantine() | Release():
            return False
        case PutPage() | EditPage() | RemovePage() | TrustRoot():
            return False
        case _:
            assert_never(change)


def layer_names(plan: Plan) -> frozenset[str]:
    """The keys of ``writePolicies`` that stand for what a change touches: layers, ``facts``, ``pages``."""
    names = {layer_of(step.entry).name for step in plan.mutations}
    if plan.facts:
        names.add(FACTS)
    if plan.pages:
        names.add(PAGES)
    return frozenset(names)


def sources_of(plan: Plan) -> frozenset[str]:
    """Every source label in a change: those of new entries and those of entries it touches."""
    both = (entry for step in plan.mutations for entry in (step.before, step.after))
    named = getattr(plan.change, "source", None)
    return frozenset(entry.source for entry in both if entry is not None) | (
        {named} if named else frozenset()
    )


@frozen
class FactsOf:
    """The facts of one workspace, as something that a grant can be for."""

    home: str


@frozen
class Grant:
    """A person's leave to add to one layer, or to a workspace's facts, for the rest of one session.

    ``kept_for`` is the entries' agent key, or the facts' visibility: leave for private notes is none for what
    every agent reads.
    """

    session_id: str
    agent_key: str
    what: Layer | FactsOf
    kept_for: str


def grant_for(plan: Plan, kind: ChangeKind, *, warned: bool) -> Grant | None:
    """The grant that could cover a change, if any: adding to one workspace layer, or remembering a fact of
    one workspace in no other's place, with nothing to warn of.
    """
    if warned:
        return None
    match kind:
        case ChangeKind.ADD:
            entry = plan.mutations[0].entry
            what: Layer | FactsOf = layer_of(entry)
            is_global, kept_for = entry.scope is Scope.USER_GLOBAL, entry.agent_key
        case ChangeKind.REMEMBER:
            fact = plan.facts[0].after
            what, is_global, kept_for = FactsOf(fact.home), not fact.home, str(fact.visibility)
        case _:
            return None
    return None if is_global else Grant(plan.author.session_id, plan.author.agent_key, what, kept_for)
