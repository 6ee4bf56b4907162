"""The operation table makes sense as a whole (docs/architecture.md)."""

import attrs
import pytest

from keepgate.protocol.entries import LAYERS, SessionRef
from keepgate.protocol.errors import Code
from keepgate.protocol.lifecycle import SessionOpenParams
from keepgate.protocol.operation import Access, Latency, Operation, Surface
from keepgate.protocol.ops import BY_NAME, OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.settings import STRICTNESS, Budgets, TrackBudgets, WritePolicy
from keepgate.protocol.verb_errors import VerbCode

PROVIDER = [
    "memory/add", "memory/replace", "memory/remove", "memory/consolidate", "memory/seed", "memory/query",
    "memory/get", "memory/history", "memory/list", "memory/budgets", "memory/snapshot", "memory/audit",
    "memory/verify", "memory/undo", "memory/why", "memory/export", "memory/import", "memory/status",
    "proposals/create", "proposals/list", "proposals/get", "proposals/approve", "proposals/dismiss",
    "adapters/list", "adapters/register", "adapters/unregister", "session/open", "session/close",
]  # fmt: skip
every_operation = pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)


def test_every_published_method_is_there() -> None:
    """Those of the provider, proposals, adapters and sessions (docs/protocol.md)."""
    assert set(PROVIDER) <= set(BY_NAME)


def test_names_are_unique() -> None:
    """One row per operation, in one table."""
    assert list(BY_NAME) == [row.name for row in OPERATIONS]
    assert len({row.name for row in SERVER_MESSAGES}) == len(SERVER_MESSAGES)


def test_types_are_unique() -> None:
    """No two operations share params, so that a typed call can only be one of them."""
    assert len(OPERATIONS) == len({row.params for row in OPERATIONS})


@every_operation
def test_a_row_describes_its_operation(row: Operation) -> None:
    """A group and a name, a sentence, attrs types whose fields are given by name."""
    group, name = row.name.split("/")

    assert group.isalpha()
    assert name.replace("_", "").isalpha()
    assert row.summary.endswith(".")
    for side in (row.params, row.result):
        assert side.__doc__
        assert all(item.kw_only for item in attrs.fields(side))


@every_operation
def test_whatever_is_no_read_refuses_unknown_fields(row: Operation) -> None:
    """A typo must not store into the wrong layer or decide the wrong proposal; verbs warn of it instead."""
    assert (row.access is not Access.READ and not row.is_verb) == row.refuses_unknown_fields


@every_operation
def test_only_deciding_has_no_command(row: Operation) -> None:
    """Everything else can be called through ``workspace/executeCommand``."""
    expected = None if row.access is Access.DECIDE else "keepgate." + ".".join(row.name.split("/"))

    assert expected == row.command


def test_commands_are_unique() -> None:
    """As the names they mirror."""
    commands = [row.command for row in OPERATIONS if row.command]

    assert len(commands) == len(set(commands))


def test_deciding_is_what_a_person_does() -> None:
    """Approving and dismissing, nothing else, on no surface for models and under no tool's name."""
    deciding = [row for row in OPERATIONS if row.access is Access.DECIDE]

    assert ["proposals/approve", "proposals/dismiss"] == [row.name for row in deciding]
    assert [(None, None)] * 2 == [(row.surface, row.tool) for row in deciding]


@every_operation
def test_a_write_needs_a_session_and_can_be_denied(row: Operation) -> None:
    """Every write goes through the gate; a verb may be written by the connection itself.

    What only makes the gate stricter is asked about by nobody.
    """
    if row.is_verb:
        assert not row.session_required
        assert (row.access is Access.WRITE) == (VerbCode.SCOPE_DENIED in row.verb_errors)
    elif row.access is Access.WRITE:
        assert row.session_required
        assert {Code.WRITE_REQUIRES_AGENT, Code.STORE_BUSY} <= set(row.faults)
        assert (Code.WRITE_DENIED in row.faults) == (row.name != "session/taint")
    else:
        assert not row.session_required


@every_operation
def test_an_operation_that_needs_a_session_takes_one(row: Operation) -> None:
    """In the field that carries sessions everywhere."""
    assert not row.session_required or "session" in attrs.fields_dict(row.params)


@every_operation
def test_faults_are_listed_once(row: Operation) -> None:
    """As documents show them; whoever has params can be given bad ones."""
    assert len(row.faults) == len(set(row.faults))
    if row.is_verb:
        assert VerbCode.INVALID_PARAMS in row.verb_errors
        assert not row.faults
    else:
        assert Code.INVALID_INPUT in row.faults or row.access is Access.READ


@every_operation
def test_only_writes_wait_for_a_person(row: Operation) -> None:
    """Reads never ask."""
    assert row.latency is not Latency.PERSON or row.access is Access.WRITE


def test_the_starter_surface_is_small() -> None:
    """What an agent needs every day."""
    starter = {row.name for row in OPERATIONS if row.surface is Surface.STARTER}

    assert {"memory/add", "memory/replace", "memory/remove", "memory/consolidate", "memory/query"} <= starter
    assert {"pages/search", "pages/get", "pages/put", "pages/list", "pages/capture"} <= starter
    assert len(starter) <= 20


def test_a_row_has_defaults_that_offer_nothing() -> None:
    """An operation that says no more is on no surface and needs no session."""
    row = Operation(
        name="toy/look", params=SessionRef, result=SessionRef, access=Access.READ, latency=Latency.INSTANT,
        summary="Look.",
    )  # fmt: skip

    assert (False, None, None, (), ()) == (
        row.session_required,
        row.surface,
        row.tool,
        row.faults,
        row.clauses,
    )


def test_only_questions_to_a_client_have_an_answer() -> None:
    """Everything else that the server sends is a notification."""
    assert {"approval/request", "adapters/adapt", "adapters/export"} <= {
        row.name for row in SERVER_MESSAGES if row.result is not None
    }


def test_a_session_that_is_opened_is_the_session_that_requests_carry() -> None:
    """Opening says no more than a request could, but for being the default."""
    opened = SessionOpenParams(id="s", agent_preset="pilot", cwd="/srv", default=True)

    assert SessionRef(id="s", agent_preset="pilot", cwd="/srv") == opened.ref()


def test_layers_come_in_the_order_of_every_report() -> None:
    """User before agent, everywhere before here (DSH-5)."""
    assert ["user/user-global", "user/workspace", "agent/user-global", "agent/workspace"] == [
        f"{track}/{scope}" for track, scope in LAYERS
    ]


def test_every_layer_has_its_own_budget() -> None:
    """By default 2000 for what is about the person and 4000 for the agent's notes."""
    uneven = Budgets(
        user=TrackBudgets(user_global=1, workspace=2), agent=TrackBudgets(user_global=3, workspace=4)
    )

    assert [1, 2, 3, 4] == [uneven.limit(*layer) for layer in LAYERS]
    assert [2000, 2000, 4000, 4000] == [Budgets().limit(*layer) for layer in LAYERS]


def test_policies_are_ordered_by_strictness() -> None:
    """Off before ask before auto."""
    assert [WritePolicy.OFF, WritePolicy.ASK, WritePolicy.AUTO] == sorted(
        WritePolicy, key=STRICTNESS.__getitem__, reverse=True
    )
