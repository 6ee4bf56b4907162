"""Decoded JSON to typed values: nothing is coerced, every complaint has its place (wire-protocol section 1)."""

import pytest

from keepgate.protocol.entries import AddParams, Scope, Track
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Settings
from keepgate.protocol.wire import structure, unstructure

ADD = {"track": "user", "scope": "workspace", "text": "Tide tables are in knots."}


def test_words_of_a_closed_set_become_its_members() -> None:
    """Tracks and scopes arrive as members, so that code may tell them apart by identity."""
    added = structure(ADD, AddParams)

    assert (Track.USER, Scope.WORKSPACE) == (added.track, added.scope)
    assert (Track, Scope) == (type(added.track), type(added.scope))


def test_a_word_outside_a_closed_set_is_a_bad_value() -> None:
    """An unknown track has the right type and a wrong value: -32050, with the words that would do."""
    with pytest.raises(Fault) as caught:
        structure(ADD | {"track": "crew"}, AddParams)

    assert (Code.INVALID_INPUT, -32050) == (caught.value.code, caught.value.number)
    assert [{"path": "$.track", "problem": "must be one of user, agent"}] == caught.value.details["problems"]


def test_members_of_a_closed_set_become_words() -> None:
    """What was written out reads back in: settings are merged as JSON."""
    written = unstructure(Settings())

    assert str is type(written["writePolicy"])
    assert Settings() == structure(written, Settings)
