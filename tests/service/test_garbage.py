"""Any JSON at all as params of any operation: an answer or a fault of the contract, never anything else."""

import asyncio
import json
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import attrs
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.errors import Fault
from keepgate.protocol.naming import camel
from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.service.connection import Connection, NoPeer
from keepgate.service.sidecar import Sidecar

WORDS = [
    "user", "agent", "workspace", "user-global", "add", "replace", "seed", "pending", "mem0", "s1", "planner",
    "", "memory-export-v1", "dsh-memento", "tabs", "/", "file:///x", "\x00", "\ud800", "x" * 5000, "0" * 64,
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 20, 1001, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63) - 1, 10**30]
LEAVES = (
    st.none()
    | st.booleans()
    | st.sampled_from(NUMBERS)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=8,
)
DRAFT = st.fixed_dictionaries(
    {"track": st.sampled_from(["user", "agent"]), "scope": st.sampled_from(["workspace", "user-global"])},
    optional={
        "text": st.sampled_from(["tabs", "x"]) | JSON,
        "tags": JSON,
        "agentKey": JSON,
        "workspaceKey": JSON,
    },
)
LIKELY: dict[str, Any] = {
    "track": st.sampled_from(["user", "agent"]),
    "scope": st.sampled_from(["workspace", "user-global"]),
    "text": st.sampled_from(["tabs", "more tabs"]),
    "match": st.just("tabs"),
    "matches": st.lists(st.sampled_from(["tabs", "more"]), max_size=3),
    "ids": st.lists(
        st.fixed_dictionaries({"id": st.sampled_from(WORDS)}, optional={"version": JSON}), max_size=3
    ),
    "session": st.fixed_dictionaries({"id": st.just("s1")}, optional={"agentPreset": JSON, "cwd": JSON}),
    "entries": st.lists(DRAFT, max_size=3),
    "change": st.fixed_dictionaries(
        {"action": st.sampled_from(WORDS)}, optional={"entries": st.lists(DRAFT, max_size=2)}
    )
    | st.builds(lambda draft: {"action": "add", **draft}, DRAFT),
    "seq": st.sampled_from([1, 2, 3]),
    "tags": st.lists(st.sampled_from(["a", " b ", ""]), max_size=3),
    "payload": st.fixed_dictionaries(
        {
            "plugin": st.just("dsh-memento"),
            "schema": st.just("memory-export-v1"),
            "entries": st.lists(DRAFT, max_size=3),
        }
    ),
    "adapter": st.sampled_from(["mem0", "hermes-memory-md", "claude-code-memory-md", "server-memory"]),
}


def fitting(name: str, kind: Any) -> st.SearchStrategy[Any]:
    """Values of the type that a field has, within its limits or far outside."""
    if name in LIKELY:
        return st.one_of(LIKELY[name], LIKELY[name], fitting("", kind))
    members = [member for member in get_args(kind) if member is not type(None)]
    if type(None) in get_args(kind) and len(members) == 1:
        return st.none() | fitting(name, members[0])
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return st.sampled_from([*kind]).map(str)
    if get_origin(kind) is list:
        return st.lists(fitting("", members[0]), max_size=3)
    plain = {int: st.sampled_from(NUMBERS), str: st.sampled_from(WORDS), bool: st.booleans()}
    return plain.get(kind, JSON)


@st.composite
def requests(draw: Callable[..., Any]) -> tuple[str, Any]:
    """An operation, and params that are nearly right, or not at all."""
    row = draw(st.sampled_from(OPERATIONS))
    if draw(st.integers(0, 29)) == 0:
        return row.name, draw(JSON)
    params = {}
    kinds = get_type_hints(row.params)
    for item in attrs.fields(row.params):
        name = camel(item.name)
        chance = draw(st.integers(0, 39))
        if chance == 0:
            params[name] = draw(JSON)
        elif chance < 25 or item.default is attrs.NOTHING or (name == "session" and row.session_required):
            params[name] = draw(fitting(name, kinds[item.name]))
    return row.name, params


PROFILE: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": [Phase.explicit, Phase.generate, Phase.shrink],
}


async def provider(folder: Path) -> tuple[Sidecar, Connection]:
    """A provider that allows every write, and a connection that may decide."""
    places = find_places({"KEEPGATE_HOME": str(folder / "home")})
    sidecar = await compose(Settings(write_policy=WritePolicy.AUTO), places)
    connection = sidecar.connect(
        peer=NoPeer(),
        channel="test",
        client=ClientInfo(name="t"),
        folders=[str(folder)],
        approver=None,
        may_decide=True,
    )
    return sidecar, connection


def throw_garbage(folder: Path, **profile: Any) -> None:
    """Throw requests at one provider; afterwards its ledger must prove its store."""
    with asyncio.Runner() as runner:
        sidecar, connection = runner.run(provider(folder))

        @settings(**PROFILE, **profile)
        @given(requests())
        def once(request: tuple[str, Any]) -> None:
            try:
                answer = runner.run(sidecar.call(connection, *request))
            except Fault as fault:
                answer = fault.data()
            assert json.loads(json.dumps(answer)) == answer
            # What a request changes of the connection is put back for the next one.
            connection.default_session = None
            connection.sessions.clear()

        try:
            once()
            verified = runner.run(sidecar.call(connection, "memory/verify", {}))
        finally:
            runner.run(sidecar.close())
    assert [] == verified["problems"]


def test_garbage(tmp_path: Path) -> None:
    """W31, DSH-7-INVALID_INPUT: the answer to anything is JSON or a fault, and the store stays whole."""
    throw_garbage(tmp_path, max_examples=600, derandomize=True)


@pytest.mark.slow
def test_much_garbage(tmp_path: Path) -> None:
    """The same, other garbage each time, and much more of it."""
    throw_garbage(tmp_path, max_examples=50_000)
