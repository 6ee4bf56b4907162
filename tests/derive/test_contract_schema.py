"""The normative schema of the contract."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from keepgate.derive.contract_schema import contract_schema
from keepgate.derive.examples import full
from keepgate.derive.openrpc import openrpc_document
from keepgate.derive.protocol_schema import protocol_schema, settings_schema
from keepgate.protocol import errors
from keepgate.protocol.entries import AuditRow, DraftParams, Entry
from keepgate.protocol.portability import AdapterInfo, Envelope


@pytest.mark.parametrize("make", [contract_schema, protocol_schema, settings_schema])
def test_documents_are_valid_schemas(make) -> None:
    """Every document follows JSON Schema 2020-12 and every reference in it leads somewhere."""
    document = make()

    Draft202012Validator.check_schema(document)
    refs = [ref for ref in _refs(document) if ref.removeprefix("#/$defs/") not in document["$defs"]]

    assert [] == refs
    assert document["$id"].startswith("urn:keepgate:schema:")


def _refs(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [ref for inner in value.values() for ref in _refs(inner)]
    return [ref for inner in value for ref in _refs(inner)] if isinstance(value, list) else []


ENTRY = full(Entry)
ENVELOPE = full(Envelope)
BUDGET = ENVELOPE["budgets"][0]
DRAFT = full(DraftParams)

GOOD = {
    "entry": ("Entry", ENTRY),
    "entry with upper-case id": ("Entry", {**ENTRY, "id": ENTRY["id"].upper()}),
    "entry never recalled": ("Entry", {**ENTRY, "lastRecalled": None, "sessionId": None}),
    "global entry": ("Entry", {**ENTRY, "scope": "user-global", "workspaceKey": ""}),
    "Chinese text": ("Entry", {**ENTRY, "text": "用制表符\n👍"}),
    "sixteen tags": ("Entry", {**ENTRY, "tags": [f"t{index}" for index in range(16)]}),
    "foreign source": ("Entry", {**ENTRY, "source": "Some Tool"}),
    "envelope": ("Envelope", ENVELOPE),
    "empty envelope": ("Envelope", {**ENVELOPE, "entries": []}),
    "full envelope": ("Envelope", {**ENVELOPE, "entries": [ENTRY] * 1000}),
    "audit row": ("AuditRow", full(AuditRow)),
    "audit row of the contract alone": (
        "AuditRow",
        {"seq": 1, "ts": 2, "action": "recalled"}
        | dict.fromkeys(["track", "scope", "entryId", "text", "outcome", "source", "sessionId"]),
    ),
    "usage": ("Usage", BUDGET),
    "add": ("AddInput", {"track": "user", "scope": "workspace", "text": "x"}),
    "add with keys": ("AddInput", DRAFT),
    "replace": (
        "ReplaceInput",
        {"track": "user", "scope": "workspace", "match": "a", "text": "b", "tags": []},
    ),
    "remove": ("RemoveInput", {"track": "user", "scope": "workspace", "match": " "}),
    "consolidate": (
        "ConsolidateInput",
        {"track": "user", "scope": "workspace", "matches": ["a"], "text": "b"},
    ),
    "seed": ("SeedInput", [DRAFT]),
    "filter": ("QueryFilter", {"track": "user", "text": "", "limit": 5}),
    "empty filter": ("QueryFilter", {}),
    "options": ("QueryOptions", {"sessionId": "s", "agentKey": ""}),
    "query result": ("QueryResult", {"entries": [ENTRY], "total": 7, "truncated": True}),
    "adapter": ("Adapter", full(AdapterInfo)),
    "adapted": ("Adapted", {"entries": [DRAFT]}),
}


@pytest.mark.parametrize(("name", "value"), GOOD.values(), ids=GOOD.keys())
def test_what_the_contract_allows(name: str, value: Any, contract) -> None:
    """Values at the edge of the contract pass (DSH-2, DSH-3, DSH-4, DSH-8, DSH-9)."""
    assert [] == contract(name, value)


def without(value: dict[str, Any], name: str) -> dict[str, Any]:
    """The object without one member."""
    return {key: each for key, each in value.items() if key != name}


BAD = {
    **{f"entry without {name}": ("Entry", without(ENTRY, name)) for name in ENTRY},
    "entry with another field": ("Entry", {**ENTRY, "mood": 1}),
    "entry id of version 1": ("Entry", {**ENTRY, "id": "3f2a1c9e-8d4b-1e6f-9a7c-5b1d0e2f3a4b"}),
    "entry id that is none": ("Entry", {**ENTRY, "id": "1"}),
    "unknown track": ("Entry", {**ENTRY, "track": "team"}),
    "unknown scope": ("Entry", {**ENTRY, "scope": "global"}),
    "global entry with a workspace": ("Entry", {**ENTRY, "scope": "user-global", "workspaceKey": "/w"}),
    "empty text": ("Entry", {**ENTRY, "text": ""}),
    "text with U+0000": ("Entry", {**ENTRY, "text": "a\0b"}),
    "empty source": ("Entry", {**ENTRY, "source": ""}),
    "version 0": ("Entry", {**ENTRY, "version": 0}),
    "version in words": ("Entry", {**ENTRY, "version": "1"}),
    "negative recall count": ("Entry", {**ENTRY, "recallCount": -1}),
    "seventeen tags": ("Entry", {**ENTRY, "tags": [f"t{index}" for index in range(17)]}),
    "a long tag": ("Entry", {**ENTRY, "tags": ["x" * 33]}),
    "an empty tag": ("Entry", {**ENTRY, "tags": [""]}),
    "a tag twice": ("Entry", {**ENTRY, "tags": ["a", "a"]}),
    "a tag with a control character": ("Entry", {**ENTRY, "tags": ["a\x07"]}),
    **{f"envelope without {name}": ("Envelope", without(ENVELOPE, name)) for name in ENVELOPE},
    "envelope with another field": ("Envelope", {**ENVELOPE, "note": 1}),
    "envelope of another plugin": ("Envelope", {**ENVELOPE, "plugin": "keepgate"}),
    "envelope of another version": ("Envelope", {**ENVELOPE, "schema": "memory-export-v2"}),
    "envelope with three budgets": ("Envelope", {**ENVELOPE, "budgets": ENVELOPE["budgets"][:3]}),
    "envelope with five budgets": ("Envelope", {**ENVELOPE, "budgets": [*ENVELOPE["budgets"], BUDGET]}),
    "envelope with too many entries": ("Envelope", {**ENVELOPE, "entries": [ENTRY] * 1001}),
    "envelope with a broken entry": ("Envelope", {**ENVELOPE, "entries": [without(ENTRY, "sessionId")]}),
    "negative use": ("Usage", {**BUDGET, "used": -1}),
    "audit row without action": ("AuditRow", {**full(AuditRow), "action": ""}),
    "audit row without session": ("AuditRow", without(full(AuditRow), "sessionId")),
    "add with a session": ("AddInput", {**DRAFT, "session": {"id": "s"}}),
    "replace without match": ("ReplaceInput", {"track": "user", "scope": "workspace", "text": "b"}),
    "replace with null match": (
        "ReplaceInput",
        {"track": "user", "scope": "workspace", "text": "b", "match": None},
    ),
    "remove with empty match": ("RemoveInput", {"track": "user", "scope": "workspace", "match": ""}),
    "remove by id": ("RemoveInput", {"track": "user", "scope": "workspace", "match": "a", "id": "x"}),
    "consolidate nothing": (
        "ConsolidateInput",
        {"track": "user", "scope": "workspace", "matches": [], "text": "b"},
    ),
    "consolidate too many": (
        "ConsolidateInput",
        {"track": "user", "scope": "workspace", "matches": ["a"] * 21, "text": "b"},
    ),
    "seed nothing": ("SeedInput", []),
    "seed a broken draft": ("SeedInput", [without(DRAFT, "text")]),
    "filter by another field": ("QueryFilter", {"q": "x"}),
    "adapter with a bad id": ("Adapter", {**full(AdapterInfo), "id": "My Notes"}),
    "unknown fault": ("Error", {"code": "OOPS", "message": "x", "details": {}}),
    "fault without details": ("Error", {"code": "WRITE_REQUIRES_AGENT", "message": "x"}),
    "budget fault without needed": (
        "Error",
        {
            "code": "BUDGET_EXCEEDED",
            "message": "x",
            "details": {"track": "user", "scope": "workspace", "used": 1, "limit": 2},
        },
    ),
    "denied without outcome": ("Error", {"code": "WRITE_DENIED", "message": "x", "details": {}}),
    "denied as allowed": (
        "Error",
        {"code": "WRITE_DENIED", "message": "x", "details": {"outcome": "allowed-once"}},
    ),
}


@pytest.mark.parametrize(("name", "value"), BAD.values(), ids=BAD.keys())
def test_what_the_contract_forbids(name: str, value: Any, contract) -> None:
    """Each of these differs in one place from something that passes (DSH-2-fields, DSH-2-tags)."""
    assert contract(name, value)


FAULTS = [
    errors.invalid_input(errors.Problem("$.text", "must not be empty")),
    errors.write_requires_agent(),
    errors.budget_exceeded(track="user", scope="workspace", used=1, limit=2, needed=3),
    errors.entry_not_found(track="user", scope="workspace", match="x"),
    errors.ambiguous_match(track="user", scope="workspace", match="x", candidates=2, sample=["ax", "bx"]),
    errors.write_denied("rejected", "p"),
    errors.write_denied("unavailable", None),
    errors.proposal_not_found("p"),
    errors.adapter_not_found("a"),
    errors.adapter_payload("a", "no", line=3),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault.code))
def test_our_own_faults_have_the_contracts_shape(fault, contract) -> None:
    """What the sidecar raises passes the contract's error shape (DSH-7)."""
    assert [] == contract(
        "Error", {"code": str(fault.code), "message": fault.message, "details": fault.details}
    )


def test_an_export_is_validated_by_the_document_itself() -> None:
    """Without a fragment the schema describes an export, so that a file can be checked with any tool."""
    validator = Draft202012Validator(json.loads(json.dumps(contract_schema())))

    assert validator.is_valid(ENVELOPE)
    assert not validator.is_valid({**ENVELOPE, "schema": "memory-export-v2"})
    assert not validator.is_valid({})


def test_openrpc_shares_the_definitions() -> None:
    """The OpenRPC components are the protocol's definitions, referred to in their own place."""
    ours = json.dumps(protocol_schema()["$defs"]).replace("#/$defs/", "#/components/schemas/")

    assert json.loads(ours) == openrpc_document()["components"]["schemas"]
