"""Permission to commit has one maker (docs/architecture.md)."""

import pytest
from attrs import evolve

from keepgate.core.writing.approval import Allowed, Approved, Decider, approve
from keepgate.core.writing.ask import Ask, ask_for
from keepgate.core.writing.change import Add, Draft
from keepgate.core.writing.plan import plan
from keepgate.protocol.settings import Budgets, WritePolicy

PERSON = Decider(
    via="approval", policy=WritePolicy.ASK, client="vim", version="9.1", connection="c-1", channel="request"
)


@pytest.fixture
def ask(store_of, layer, author) -> Ask:
    """A question about one new entry."""
    store = store_of()
    draft = Draft(layer=layer(), agent_key="", text="Knots.", tags=(), source="claude")
    return ask_for(plan(Add(draft=draft), author(), store, Budgets(), store.stamp()), store, store.stamp())


def test_a_yes_to_what_was_shown_is_permission(ask: Ask) -> None:
    """For that ask, by that decider."""
    approved = approve(ask, Allowed(by=PERSON, hash=ask.hash))

    assert (ask, PERSON) == (approved.ask, approved.by)


@pytest.mark.parametrize("spoil", [lambda text: "", lambda text: text.upper(), lambda text: text[:-1]])
def test_a_yes_to_other_content_is_none(spoil, ask: Ask) -> None:
    """The hash must be that of the ask, to the letter."""
    with pytest.raises(ValueError, match="names other content"):
        approve(ask, Allowed(by=PERSON, hash=spoil(ask.hash)))


def test_permission_cannot_be_made_by_hand(ask: Ask) -> None:
    """Nothing but the one maker holds the key."""
    with pytest.raises(TypeError, match="only approve"):
        Approved(object(), ask, PERSON)


@pytest.mark.parametrize(
    ("expected", "via", "policy"),
    [
        ("allowed-once (via approval, writePolicy ask)", "approval", WritePolicy.ASK),
        ("allowed-once (via session grant, writePolicy ask)", "session grant", WritePolicy.ASK),
        ("allowed-once (via policy, writePolicy auto)", "policy", WritePolicy.AUTO),
        ("allowed-once (via inbox, writePolicy ask)", "inbox", WritePolicy.ASK),
    ],
)
def test_a_label_names_the_real_source(expected: str, via: str, policy: WritePolicy) -> None:
    """The ledger says who decided and under which policy (DSH-6)."""
    assert expected == Decider(via=via, policy=policy).label("allowed-once")


def test_a_decider_is_shown_as_far_as_it_is_known() -> None:
    """What nobody knows is left out."""
    known = {"client": "vim", "version": "9.1", "connection": "c-1", "channel": "request"}

    assert known == PERSON.by()
    assert {"channel": "terminal"} == Decider(via="inbox", policy=WritePolicy.ASK, channel="terminal").by()


def test_a_policy_decides_by_itself() -> None:
    """No person stands behind it: a row says so beside the client that asked, a proposal says it alone."""
    policy = evolve(PERSON, via="policy", policy=WritePolicy.OFF)

    assert {"via": "policy", **(PERSON.by() or {})} == policy.by()
    assert ({"via": "policy"}, PERSON.by()) == (policy.decided_by(), PERSON.decided_by())
