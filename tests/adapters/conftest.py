from collections.abc import Callable
from typing import Any

import pytest

from keepgate.adapters.built_in import BUILT_IN
from keepgate.adapters.contract import Adapter
from keepgate.protocol.entries import Entry, Scope, Track


def make_entry(text: str, track: str = "user", scope: str = "user-global", **fields: Any) -> Entry:
    """An entry of that layer with plain values."""
    return Entry(
        **{
            "id": "3f2a1c9e-8d4b-4e6f-9a7c-5b1d0e2f3a4b",
            "track": Track(track),
            "scope": Scope(scope),
            "workspace_key": "" if scope == "user-global" else "/srv/tides",
            "agent_key": "",
            "text": text,
            "source": "keepgate",
            "tags": (),
            "version": 1,
            "created_at": 1_700_000_000_000,
            "updated_at": 1_700_000_060_500,
            **fields,
        }
    )


@pytest.fixture(scope="session")
def entry() -> Callable[..., Entry]:
    """Makes an entry from a text, a layer and any other fields."""
    return make_entry


@pytest.fixture(scope="session")
def built_in() -> dict[str, Adapter]:
    """The adapters that ship, by id."""
    return {adapter.id: adapter for adapter in BUILT_IN}
