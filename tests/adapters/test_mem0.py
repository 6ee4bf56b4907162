"""``mem0``: facts with metadata that may be ours or anybody's."""

import pytest

from keepgate.adapters.contract import AdaptedEntry
from keepgate.adapters.mem0 import ADAPTER
from keepgate.adapters.registry import adapt
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.errors import Code, Fault


@pytest.mark.parametrize("wrap", [list, lambda facts: {"facts": facts}], ids=["array", "facts"])
def test_takes_layer_tags_source_and_keys(wrap) -> None:
    """Category comes before tags, repeats go, and everything of ours in the metadata is taken."""
    metadata = {
        "category": "style",
        "tags": ["tabs", "style", " make "],
        "track": "agent",
        "scope": "workspace",
        "source": "Some Tool",
        "workspace_key": "/srv/tides",
        "agent_key": "",
    }

    adapted = adapt(ADAPTER, wrap([{"id": "1", "memory": "one", "metadata": metadata}, {"memory": " two\n"}]))

    assert (
        AdaptedEntry(
            track=Track.AGENT,
            scope=Scope.WORKSPACE,
            text="one",
            tags=("style", "tabs", "make"),
            source="Some Tool",
            workspace_key="/srv/tides",
            agent_key="",
        ),
        AdaptedEntry(track=Track.USER, scope=Scope.USER_GLOBAL, text=" two\n"),
    ) == adapted.entries
    assert () == adapted.notes


def test_foreign_metadata_is_reported_and_passed_over() -> None:
    """Values under our names that mean something else cost nothing but a note each."""
    metadata = {
        "track": "Side A",
        "scope": 5,
        "source": ["x"],
        "category": ["a", {"b": 1}],
        "tags": "x" * 33,
        "agent_key": False,
        "workspace_key": None,
    }

    adapted = adapt(ADAPTER, [{"memory": "one", "metadata": metadata}])

    assert (
        AdaptedEntry(track=Track.USER, scope=Scope.USER_GLOBAL, text="one", tags=("a",)) == adapted.entries[0]
    )
    assert [
        "$[0].metadata.track",
        "$[0].metadata.scope",
        "$[0].metadata.source",
        "$[0].metadata.agent_key",
        "$[0].metadata",
        "$[0].metadata",
    ] == [note.path for note in adapted.notes]


def test_more_than_sixteen_tags() -> None:
    """The first sixteen are kept and the others reported, because no entry holds more."""
    tags = [f"t{index}" for index in range(18)]

    adapted = adapt(ADAPTER, [{"memory": "one", "metadata": {"tags": tags}}])

    assert tuple(tags[:16]) == adapted.entries[0].tags
    assert ["tag: t16 (at most 16 tags are kept)", "tag: t17 (at most 16 tags are kept)"] == [
        note.problem for note in adapted.notes
    ]


REFUSED = {
    "text": ("one", "$: expected an array"),
    "messages": ({"messages": []}, "$: expected an array"),
    "memories": ({"memories": []}, "$: expected an array"),
    "results": ({"results": []}, "give the array under `results` itself"),
    "facts that are no array": ({"facts": {}}, "$.facts: expected an array"),
    "an item that is no object": ([{"memory": "one"}, "two"], r"$[1]: expected an object"),
    "an item without memory": ({"facts": [{"text": "one"}]}, "$.facts[0].memory: expected text"),
    "empty memory": ([{"memory": ""}], "$[0].memory: must not be empty"),
    "U+0000": ([{"memory": "a\x00"}], "$[0].memory: contains U+0000"),
    "a lone surrogate": ([{"memory": "\ud800"}], "$[0].memory: contains a lone surrogate"),
    "metadata that is no object": ([{"memory": "one", "metadata": "x"}], "$[0].metadata: expected an object"),
}


@pytest.mark.parametrize(("payload", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses_with_item_and_reason(payload: object, reason: str) -> None:
    """One bad item refuses the whole payload and is named."""
    with pytest.raises(Fault) as caught:
        adapt(ADAPTER, payload)

    assert Code.ADAPTER_PAYLOAD is caught.value.code
    assert reason in caught.value.message


def test_export_shape(entry) -> None:
    """Facts carry ISO times and everything that a later import takes."""
    exported = ADAPTER.export([entry("one", "agent", "workspace", tags=("x",), source="memory-tool")])

    assert {
        "plugin": "mem0",
        "facts": [
            {
                "memory": "one",
                "created_at": "2023-11-14T22:13:20.000Z",
                "updated_at": "2023-11-14T22:14:20.500Z",
                "metadata": {
                    "track": "agent",
                    "scope": "workspace",
                    "source": "memory-tool",
                    "workspace_key": "/srv/tides",
                    "agent_key": "",
                    "tags": ["x"],
                },
            }
        ],
    } == exported
