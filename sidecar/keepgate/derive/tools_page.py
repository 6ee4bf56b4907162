"""``docs/reference/tools.md``: every MCP tool with its arguments and what it answers."""

from typing import Any, Final

from keepgate.derive.markdown import WRITTEN_BY, link, table
from keepgate.derive.tools import definition_of
from keepgate.protocol.operation import Operation
from keepgate.protocol.surfaces import SURFACES, TOOLS, Tool, offered

TOOLS_PAGE_PATH: Final = "docs/reference/tools.md"
_OPERATIONS: Final = "operations.md"
_INTRO: Final = (
    "What `keepgate mcp` offers on each surface; see [the guide](../guides/mcp.md). A result is one text "
    "block that holds a JSON object, a failure is the same with `isError`. The session is the connection's "
    "own and is not an argument.\n"
)


def tools_page() -> str:
    """The page's text."""
    rows = [
        [link(tool.name), *("yes" if tool.name in offered(surface) else "" for surface in SURFACES)]
        for tool in TOOLS
    ]
    parts = [
        WRITTEN_BY,
        "# MCP tools\n",
        _INTRO,
        table(["tool", *(str(surface) for surface in SURFACES)], rows),
        *(_tool(tool) for tool in TOOLS),
    ]
    return "\n".join(parts)


def _tool(tool: Tool) -> str:
    definition = definition_of(tool)
    answers = ", ".join(_answer(action, row) for action, row in tool.rows.items())
    hints = [name for name, holds in definition["annotations"].items() if holds is True]
    lines = [
        f"## `{tool.name}`\n",
        f"{tool.description}\n",
        _arguments(definition["inputSchema"]),
        f"Annotations: {', '.join(f'`{name}`' for name in hints) or 'none'}.\n",
    ]
    if answers:
        lines.append(f"Operation: {answers}.\n")
    return "\n".join(lines)


def _answer(action: str, row: Operation) -> str:
    of_action = f"`{action}`: " if action else ""
    return f"{of_action}{link(row.name, _OPERATIONS)}"


def _arguments(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    rows = [
        [f"`{name}`", _type(each), "required" if name in required else "", each.get("description", "")]
        for name, each in schema["properties"].items()
    ]
    return table(["argument", "type", "", "meaning"], rows) if rows else "No arguments.\n"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " or ".join(f"`{word}`" for word in schema["enum"])
    kind = schema.get("type", "any JSON")
    words = " or ".join(kind) if isinstance(kind, list) else str(kind)
    return f"array of {_type(schema['items'])}" if kind == "array" and "items" in schema else words
