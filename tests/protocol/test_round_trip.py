"""What is sent is what arrives: every published type survives the wire."""

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgate.protocol.entries import UNSET, Entry, QueryParams, Scope, SessionRef, Track
from keepgate.protocol.naming import wire_name
from keepgate.protocol.wire import decode, encode, structure, unstructure


@settings(max_examples=15)
@given(data=st.data())
def test_a_value_survives_the_wire(published_type: type, any_of, data: st.DataObject) -> None:
    """Written down, encoded, decoded, checked strictly and read back, it is equal."""
    value = data.draw(any_of(published_type))

    sent = decode(encode(unstructure(value)))

    assert value == structure(sent, published_type, forbid_unknown=True)
    assert sent == decode(encode(unstructure(structure(sent, published_type))))


@settings(max_examples=10)
@given(data=st.data())
def test_a_value_is_written_in_wire_names(published_type: type, any_of, data: st.DataObject) -> None:
    """Every field but a session that was not given, with ``null`` for what is not there."""
    written = unstructure(data.draw(any_of(published_type)))

    names = {wire_name(published_type, item.name) for item in attrs.fields(published_type)}
    may_be_absent = {item.name for item in attrs.fields(published_type) if item.default is UNSET}
    assert names - may_be_absent <= set(written) <= names


ENTRY = Entry(
    id="e-1", track=Track.USER, scope=Scope.USER_GLOBAL, workspace_key="", agent_key="", text="月",
    source="keepgate", tags=("sea",), version=1, created_at=1, updated_at=2,
)  # fmt: skip


def test_an_entry_has_its_fourteen_fields() -> None:
    """All of them, always (DSH-2)."""
    assert {
        "id": "e-1", "track": "user", "scope": "user-global", "workspaceKey": "", "agentKey": "",
        "text": "月", "source": "keepgate", "tags": ["sea"], "version": 1, "createdAt": 1, "updatedAt": 2,
        "lastRecalled": None, "recallCount": 0, "sessionId": None,
    } == unstructure(ENTRY)  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "query"),
    [
        ({}, QueryParams()),
        ({"session": None}, QueryParams(session=None)),
        ({"session": {"id": "s", "agentPreset": None, "cwd": None}}, QueryParams(session=SessionRef(id="s"))),
    ],
)
def test_a_session_that_was_not_given_is_not_sent(expected: dict[str, object], query: QueryParams) -> None:
    """``null`` would ask for the management view."""
    sent = unstructure(query)

    assert expected == {name: value for name, value in sent.items() if name == "session"}


def test_words_are_written_as_words() -> None:
    """A member of a closed set is its word in JSON."""
    assert b'{"track":"agent"}' == encode({"track": unstructure(Track.AGENT)})
