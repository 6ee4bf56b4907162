"""``server-memory``: the knowledge graph as lines, as an array and as the server's answer."""

import json

import pytest

from keepgate.adapters.registry import adapt
from keepgate.adapters.server_memory import ADAPTER
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.errors import Code, Fault

API = {
    "type": "entity",
    "name": "api",
    "entityType": "service",
    "observations": ["listens on 8080", "逐行日志"],
}
DB = {"type": "entity", "name": "db", "entityType": "store", "observations": []}
USES = {"type": "relation", "from": "api", "to": "db", "relationType": "reads from"}
TEXTS = [("api: listens on 8080", ("service",)), ("api: 逐行日志", ("service",)), ("api reads from db", ())]


def untyped(item: dict) -> dict:
    """An item as the server's answer lists it."""
    return {name: value for name, value in item.items() if name != "type"}


PAYLOADS = {
    "lines": "\ufeff" + "\r\n".join(json.dumps(item) for item in (API, DB, USES)) + "\n\n",
    "object with text": {"text": "\n".join(json.dumps(item, ensure_ascii=False) for item in (API, DB, USES))},
    "array": [API, DB, USES],
    "answer of the server": {"entities": [untyped(API), untyped(DB)], "relations": [untyped(USES)]},
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_reads_observations_and_relations(payload: object) -> None:
    """Every form of the graph gives the same entries; an entity without observations is a note."""
    adapted = adapt(ADAPTER, payload)

    assert TEXTS == [(entry.text, entry.tags) for entry in adapted.entries]
    assert {(Track.USER, Scope.USER_GLOBAL)} == {(entry.track, entry.scope) for entry in adapted.entries}
    assert ["db has no observations; nothing was taken from it"] == [note.problem for note in adapted.notes]


def test_a_single_parsed_line() -> None:
    """A file of one line may arrive as the object it holds."""
    assert ["api reads from db"] == [entry.text for entry in adapt(ADAPTER, USES).entries]


def test_a_type_that_cannot_be_a_tag_is_reported() -> None:
    """The observations are kept without a tag; an empty type is not worth a note."""
    long = {**API, "entityType": "x" * 33}

    adapted = adapt(ADAPTER, [long, {**API, "entityType": ""}])

    assert [(), (), (), ()] == [entry.tags for entry in adapted.entries]
    assert ["$[0]"] == [note.path for note in adapted.notes]


REFUSED = {
    "a broken line": ('{"type":"entity"}x', 1, "not JSON: Extra data at column 18"),
    "a line that is no object": ("\n[1]", 2, "expected an object of type"),
    "another type": ('{"type":"graph"}', 1, "expected an object of type"),
    "NaN": ("NaN", 1, "not JSON: NaN is not JSON"),
    "deep nesting": ("[" * 200_000, 1, "not JSON: nested too deeply"),
    "an entity without observations": ('{"type":"entity","name":"a","entityType":"b"}', 1, "`observations`"),
    "a name that is no text": ('{"type":"entity","name":1,"entityType":"b","observations":[]}', 1, "`name`"),
    "an empty observation": (
        '{"type":"entity","name":"a","entityType":"b","observations":["x",""]}',
        1,
        "`observations[1]` must be text that is not empty",
    ),
    "an escaped U+0000": (
        '\n\n{"type":"entity","name":"a","entityType":"b","observations":["\\u0000"]}',
        3,
        "contains U+0000",
    ),
    "an escaped lone surrogate": (
        '{"type":"relation","from":"a","to":"\\ud800","relationType":"b"}',
        1,
        "contains a lone surrogate",
    ),
    "a relation without an end": (
        '{"type":"relation","from":"a","relationType":"b"}',
        1,
        "`to` must be text",
    ),
}


@pytest.mark.parametrize(("text", "line", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_refuses_a_broken_line_with_its_number(text: str, line: int, reason: str) -> None:
    """A line that is not JSON, or not an item of the graph, is named with what is wrong with it."""
    with pytest.raises(Fault) as caught:
        adapt(ADAPTER, text)

    assert Code.ADAPTER_PAYLOAD is caught.value.code
    assert line == caught.value.details["line"]
    assert reason in caught.value.message


REFUSED_ITEMS = {
    "in an array": ([API, 5], "$[1]: expected an object"),
    "among the entities": ({"entities": [untyped(API), {"name": "x"}]}, "$.entities[1]: `entityType`"),
    "entities that are no array": ({"entities": 5}, "$.entities: expected an array"),
    "relations that hold no object": ({"relations": ["x"]}, "$.relations[0]: expected an object"),
    "an object of another kind": ({"nodes": []}, "expected text, or an object whose `text` is a string"),
    "a number": (5, "expected text"),
}


@pytest.mark.parametrize(("payload", "reason"), REFUSED_ITEMS.values(), ids=REFUSED_ITEMS.keys())
def test_refuses_a_broken_item_with_its_path(payload: object, reason: str) -> None:
    """Where there are no lines, the path of the item is named."""
    with pytest.raises(Fault) as caught:
        adapt(ADAPTER, payload)

    assert Code.ADAPTER_PAYLOAD is caught.value.code
    assert reason in caught.value.message


def test_export_writes_the_servers_format(entry) -> None:
    """One entity for each layer, each line an object with exactly the members that the server reads."""
    text = ADAPTER.export([entry("one"), entry("two", "agent"), entry("three\n四")])["text"]

    assert [
        {
            "type": "entity",
            "name": "memories agent/user-global",
            "entityType": "agent/user-global",
            "observations": ["two"],
        },
        {
            "type": "entity",
            "name": "memories user/user-global",
            "entityType": "user/user-global",
            "observations": ["one", "three\n四"],
        },
    ] == [json.loads(line) for line in text.splitlines()]
