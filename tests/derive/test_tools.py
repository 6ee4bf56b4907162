"""Tool definitions: stand-alone input schemas and honest annotations."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from keepgate.derive.examples import example_params
from keepgate.derive.tools import definition_of, tools_document
from keepgate.derive.tools_page import tools_page
from keepgate.protocol.surfaces import TOOLS, Tool

READS = {
    "recall",
    "entity",
    "synthesize",
    "context_pack",
    "delta",
    "search",
    "get_page",
    "list_pages",
    "get_backlinks",
    "resolve_slugs",
    "memory_snapshot",
    "memory_budgets",
    "whoami",
}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_definition_stands_alone(tool: Tool) -> None:
    """A title, words that say when to use it, a valid schema without references, and no output schema."""
    definition = definition_of(tool)
    words = json.dumps(definition["inputSchema"])

    Draft202012Validator.check_schema(definition["inputSchema"])
    assert {"name", "title", "description", "inputSchema", "annotations"} == definition.keys()
    assert "object" == definition["inputSchema"]["type"]
    assert definition["description"]
    assert "$ref" not in words
    assert '"null"' not in words
    assert not {"session", "allWorkspaces", "workDoneToken"} & definition["inputSchema"]["properties"].keys()


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.rows], ids=lambda tool: tool.name)
def test_a_schema_takes_what_the_operation_takes(tool: Tool) -> None:
    """The example of each operation, less what local callers say, is valid; without a field it is not."""
    schema = definition_of(tool)["inputSchema"]
    for action, row in tool.rows.items():
        local = {"session", "path", "allWorkspaces", "workDoneToken"}
        example = {name: value for name, value in example_params(row).items() if name not in local}
        arguments = {**example, **({"action": action} if action else {})}

        assert [] == [error.message for error in Draft202012Validator(schema).iter_errors(arguments)]
    for name in schema.get("required", []):
        assert not Draft202012Validator(schema).is_valid(
            {key: arguments[key] for key in arguments if key != name}
        )


def test_reads_say_that_they_read() -> None:
    """A client may let them pass without asking; nothing that writes is among them."""
    hinted = {tool.name for tool in TOOLS if definition_of(tool)["annotations"].get("readOnlyHint")}
    writing = {tool.name for tool in TOOLS for row in tool.rows.values() if row.access == "write"}

    assert READS <= hinted
    assert set() == hinted & writing


def test_the_verbs_have_the_annotations_of_the_contract() -> None:
    """Remember is idempotent, forget destructive and idempotent."""
    hints: dict[str, Any] = {tool.name: definition_of(tool)["annotations"] for tool in TOOLS}

    assert hints["remember"]["idempotentHint"] is True
    assert hints["remember"]["destructiveHint"] is False
    assert (True, True) == (hints["forget"]["destructiveHint"], hints["forget"]["idempotentHint"])


def test_synthesize_names_its_price_first() -> None:
    """Before anything else that a model reads of it."""
    tool = next(tool for tool in TOOLS if tool.name == "synthesize")

    assert definition_of(tool)["description"].startswith("[EXPENSIVE / SLOW")


def test_the_list_of_a_surface_is_small() -> None:
    """What every session of an agent pays for, in characters."""
    document = tools_document()
    sizes = {
        surface: len(json.dumps([tool for tool in document["tools"] if tool["name"] in names]))
        for surface, names in document["surfaces"].items()
    }

    assert sizes["verbs"] < 8_000
    assert sizes["starter"] < 18_000


def test_every_tool_is_on_the_reference_page() -> None:
    """With a heading of its own."""
    page = tools_page()

    assert [] == [tool.name for tool in TOOLS if f"\n## `{tool.name}`\n" not in page]
