"""The OpenRPC document, checked against what OpenRPC 1.3 asks of one."""

from typing import Any

import pytest
from jsonschema import Draft7Validator

from keepgate.derive.openrpc import openrpc_document
from keepgate.protocol.errors import FAULTS
from keepgate.protocol.ops import BY_NAME, OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.verb_errors import VERB_ERROR_NUMBER

DOCUMENT = openrpc_document()
METHODS = {method["name"]: method for method in DOCUMENT["methods"]}
# The members that the specification knows; everything else must begin with `x-`.
KNOWN = {
    "document": {"openrpc", "info", "externalDocs", "servers", "methods", "components"},
    "method": {
        "name", "description", "summary", "servers", "tags", "paramStructure", "params", "result", "errors",
        "links", "examples", "deprecated", "externalDocs",
    },
    "descriptor": {"name", "description", "summary", "schema", "required", "deprecated"},
    "error": {"code", "message", "data"},
}  # fmt: skip


def unknown(kind: str, value: dict[str, Any]) -> set[str]:
    """The members of an object that OpenRPC does not know."""
    return {name for name in value if name not in KNOWN[kind] and not name.startswith("x-")}


def test_every_operation_is_a_method() -> None:
    """One method for each row, in the table's order, none besides."""
    assert [row.name for row in OPERATIONS] == list(METHODS)
    assert len(METHODS) == len(DOCUMENT["methods"])
    assert set() == unknown("document", DOCUMENT)
    assert "1.3.2" == DOCUMENT["openrpc"]
    assert {"title", "version"} <= DOCUMENT["info"].keys()


@pytest.mark.parametrize("name", METHODS)
def test_a_method_has_the_specifications_form(name: str) -> None:
    """Params by name with required ones first and no name twice, a result, and errors with unique codes."""
    method = METHODS[name]
    names = [param["name"] for param in method["params"]]
    required = [param["required"] for param in method["params"]]
    codes = [error["code"] for error in method["errors"]]

    assert "by-name" == method["paramStructure"]
    assert len(set(names)) == len(names)
    assert sorted(required, reverse=True) == required
    assert len(set(codes)) == len(codes)
    assert set() == unknown("method", method)
    assert set() == set().union(
        *(unknown("descriptor", each) for each in [*method["params"], method["result"]])
    )
    assert set() == set().union(*(unknown("error", each) for each in method["errors"]))


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_what_its_row_says(name: str) -> None:
    """Faults by their numbers, and access, latency and clauses under ``x-``."""
    method, row = METHODS[name], BY_NAME[name]

    numbers = {FAULTS[code].number for code in row.faults} | ({VERB_ERROR_NUMBER} if row.is_verb else set())
    assert numbers == {error["code"] for error in method["errors"]}
    assert (str(row.access), str(row.latency), list(row.clauses), row.command) == (
        method["x-access"],
        method["x-latency"],
        method["x-clauses"],
        method["x-command"],
    )


@pytest.mark.parametrize("name", METHODS)
def test_examples_pass_their_own_schemas(name: str) -> None:
    """Each example names parameters that exist, gives the required ones, and all values are valid."""
    method = METHODS[name]
    (example,) = method["examples"]
    schemas = {param["name"]: param["schema"] for param in method["params"]}
    schemas["the result"] = method["result"]["schema"]
    given = {param["name"]: param["value"] for param in example["params"]}
    wrong = [
        error.message
        for each, value in {**given, "the result": example["result"]["value"]}.items()
        for error in Draft7Validator({**schemas[each], "components": DOCUMENT["components"]}).iter_errors(
            value
        )
    ]

    assert {param["name"] for param in method["params"] if param["required"]} <= given.keys()
    assert [] == wrong


def test_server_messages_are_listed() -> None:
    """What the sidecar sends is told apart as notifications and requests."""
    listed = {message["name"]: message for message in DOCUMENT["x-serverMessages"]}

    assert [row.name for row in SERVER_MESSAGES] == list(listed)
    assert {row.name: row.result is not None for row in SERVER_MESSAGES} == {
        name: message["kind"] == "request" and "result" in message for name, message in listed.items()
    }
