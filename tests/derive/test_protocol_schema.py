"""The protocol's schema agrees with the strict parser of the wire, case by case."""

from typing import Any

import attrs
import pytest

from keepgate.derive.examples import broken, example_params, full, minimal
from keepgate.derive.fields import fields_of, reachable
from keepgate.derive.json_schema import closed_types, definitions, schema_of
from keepgate.derive.protocol_schema import protocol_schema, protocol_types
from keepgate.protocol.errors import Fault
from keepgate.protocol.naming import wire_name
from keepgate.protocol.ops import BY_NAME, OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.wire import structure, unstructure

TYPES = sorted((cls for cls in reachable(protocol_types()) if attrs.has(cls)), key=lambda cls: cls.__name__)
BROKEN = [
    pytest.param(cls, case.payload, id=f"{cls.__name__}: {case.why}")
    for cls in TYPES
    for case in broken(cls, closed=cls in closed_types())
]


@pytest.mark.parametrize("make", [minimal, full])
@pytest.mark.parametrize("cls", TYPES, ids=lambda cls: cls.__name__)
def test_examples_are_valid_before_and_after_a_round_trip(cls: type, make, protocol) -> None:
    """The least and the most of each type pass the schema, and so does what the wire makes of them."""
    payload = make(cls)
    typed = structure(payload, cls, forbid_unknown=True)
    again = unstructure(typed)

    assert [] == protocol(cls.__name__, payload)
    assert [] == protocol(cls.__name__, again)
    assert typed == structure(again, cls, forbid_unknown=True)


@pytest.mark.parametrize(("cls", "payload"), BROKEN)
def test_broken_examples_are_refused_by_schema_and_parser(cls: type, payload: Any, protocol) -> None:
    """A missing field, a wrong type, an unknown word or an unknown field fails in both."""
    assert protocol(cls.__name__, payload)
    with pytest.raises(Fault):
        structure(payload, cls, forbid_unknown=True)


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_the_shown_request_is_valid(row, protocol) -> None:
    """The example of each operation passes its schema and the parser as the sidecar would use it."""
    params = example_params(row)

    assert [] == protocol(row.params.__name__, params)
    structure(params, row.params, forbid_unknown=row.refuses_unknown_fields)


VALUES = [
    ("AddParams", {"text": ""}, False),
    ("AddParams", {"text": "a\0b"}, False),
    ("AddParams", {"text": "a\nb\n"}, True),
    ("AddParams", {"source": "memory-tool"}, True),
    ("AddParams", {"source": "Memory Tool"}, False),
    ("AddParams", {"tags": None}, True),
    ("AddParams", {"session": None}, True),
    ("AddParams", {"session": {"id": ""}}, False),
    ("ConsolidateParams", {"matches": []}, False),
    ("ConsolidateParams", {"matches": ["x"] * 20}, True),
    ("ConsolidateParams", {"matches": ["x"] * 21}, False),
    ("ConsolidateParams", {"matches": [""]}, False),
    ("SeedParams", {"entries": []}, False),
    ("QueryParams", {"limit": 0}, False),
    ("QueryParams", {"offset": 0}, True),
    ("QueryParams", {"unknown": 1}, True),
    ("VerifyParams", {"workDoneToken": "t"}, True),
    ("VerifyParams", {"workDoneToken": 1}, True),
    ("VerifyParams", {"workDoneToken": 1.5}, False),
    ("AdaptersRegisterParams", {"id": "My Notes"}, False),
    ("ImportParams", {"payload": ["anything"]}, True),
    ("ApprovalAnswer", {"outcome": "allowed-for-ever"}, False),
]


@pytest.mark.parametrize(("name", "changes", "valid"), VALUES)
def test_limits_hold(name: str, changes: dict[str, Any], valid: bool, protocol) -> None:
    """Forms, bounds and sets of words stand in the schema where the types alone do not say them."""
    (cls,) = (cls for cls in TYPES if cls.__name__ == name)

    assert valid is (protocol(name, {**minimal(cls), **changes}) == [])


def test_every_method_and_message_is_there() -> None:
    """Each row of both tables has its params and result."""
    document = protocol_schema()

    assert [row.name for row in OPERATIONS] == list(document["x-methods"])
    assert [row.name for row in SERVER_MESSAGES] == list(document["x-serverMessages"])
    assert {"$ref": "#/$defs/AddParams"} == document["x-methods"]["memory/add"]["params"]
    assert {"$ref": "#/$defs/ApprovalAnswer"} == document["x-serverMessages"]["approval/request"]["result"]


def test_names_and_notes_are_those_of_the_types() -> None:
    """Each field stands under its wire name with its note; required are those without a default."""
    defs = protocol_schema()["$defs"]

    for cls in TYPES:
        properties = defs[cls.__name__]["properties"]
        assert [wire_name(cls, field.name) for field in attrs.fields(cls)] == list(properties)
        assert [f.note for f in fields_of(cls)] == [p.get("description", "") for p in properties.values()]
        assert [f.wire_name for f in fields_of(cls) if f.required] == defs[cls.__name__].get("required", [])


def test_writes_are_closed_and_reads_are_open() -> None:
    """A typo on a write is refused by the schema too; a type that reads carry as well stays open."""
    defs = protocol_schema()["$defs"]

    assert {row.name: not row.refuses_unknown_fields for row in OPERATIONS} == {
        row.name: defs[row.params.__name__].get("additionalProperties", True) for row in OPERATIONS
    }
    assert "additionalProperties" not in defs["SessionRef"]
    assert "additionalProperties" not in defs["Entry"]


def test_two_types_of_one_name_are_noticed() -> None:
    """Definitions are by name, so a second type of that name would silently replace the first."""
    other = attrs.make_class("AddParams", {"x": attrs.field(type=int)})

    with pytest.raises(ValueError, match="two published types are named AddParams"):
        definitions([BY_NAME["memory/add"].params, other], closed=())


def test_a_type_without_a_schema_is_noticed() -> None:
    """A hint that JSON cannot carry fails when it is derived, not when it is used."""
    with pytest.raises(TypeError, match="has no JSON Schema"):
        schema_of(set[str])
