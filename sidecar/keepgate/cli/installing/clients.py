"""The MCP clients that ``keepgate install`` knows: where their settings are and what an entry looks like.

Pure: paths come from a system's name, its environment and a home folder, never from this process.
"""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import PurePath
from typing import Any, Final

from attrs import frozen

NAME: Final = "keepgate"


class Format(StrEnum):
    """How a client writes its settings."""

    JSON = "json"
    TOML = "toml"


@frozen(kw_only=True)
class System:
    """Where files are sought: ``platform`` as ``sys.platform`` names it."""

    platform: str
    environ: Mapping[str, str]
    home: PurePath
    project: PurePath


@frozen(kw_only=True)
class Launch:
    """How keepgate is started: the whole command, and the environment that it needs beside."""

    command: Sequence[str]
    environ: Mapping[str, str]


@frozen(kw_only=True)
class Client:
    """One client. ``key`` holds the servers in its settings; ``note`` is what a person does afterwards.

    ``add`` are the words of its own command before the server's name, empty where it has none; ``{scope}``
    stands for the scope.
    """

    title: str
    format: Format
    key: str
    note: str
    add: tuple[str, ...] = ()


CLIENTS: Final[Mapping[str, Client]] = {
    "claude-code": Client(
        title="Claude Code",
        format=Format.JSON,
        key="mcpServers",
        add=("claude", "mcp", "add", "--scope", "{scope}"),
        note="Check with: claude mcp list",
    ),
    "codex": Client(
        title="Codex",
        format=Format.TOML,
        key="mcp_servers",
        add=("codex", "mcp", "add"),
        note="Check with: codex mcp list. A project's own file counts in a trusted project alone.",
    ),
    "opencode": Client(title="opencode", format=Format.JSON, key="mcp", note="Check with: opencode mcp list"),
    "grok": Client(
        title="Grok Build",
        format=Format.TOML,
        key="mcp_servers",
        add=("grok", "mcp", "add", "--scope", "{scope}"),
        note="Check with: grok mcp doctor keepgate",
    ),
    "gemini": Client(
        title="Gemini CLI",
        format=Format.JSON,
        key="mcpServers",
        add=("gemini", "mcp", "add", "--scope", "{scope}"),
        note="Restart Gemini CLI, then check with: gemini mcp list",
    ),
    "cursor": Client(
        title="Cursor",
        format=Format.JSON,
        key="mcpServers",
        note="Restart Cursor and switch the server on in its MCP settings.",
    ),
    "vscode": Client(
        title="VS Code",
        format=Format.JSON,
        key="servers",
        add=("code", "--add-mcp"),
        note="Start it with the command `MCP: List Servers`.",
    ),
    "zed": Client(
        title="Zed",
        format=Format.JSON,
        key="context_servers",
        note="The server shows in the settings of the agent panel.",
    ),
}


def settings_path(name: str, scope: str, system: System) -> PurePath:
    """The file that holds a client's servers; ``scope`` is ``user`` or ``project``."""
    if scope == "project":
        return system.project.joinpath(*_PROJECT_FILES[name])
    return _USER_FILES[name](system)


def other_path(name: str, path: PurePath) -> PurePath | None:
    """Where the same client's settings may be instead."""
    return path.with_suffix(".jsonc") if name == "opencode" else None


_PROJECT_FILES: Final = {
    "claude-code": (".mcp.json",),
    "codex": (".codex", "config.toml"),
    "opencode": ("opencode.json",),
    "grok": (".grok", "config.toml"),
    "gemini": (".gemini", "settings.json"),
    "cursor": (".cursor", "mcp.json"),
    "vscode": (".vscode", "mcp.json"),
    "zed": (".zed", "settings.json"),
}


def _under(given: str | None, usual: PurePath) -> PurePath:
    return type(usual)(given) if given else usual


def _config(system: System) -> PurePath:
    given = system.environ.get("XDG_CONFIG_HOME") if system.platform == "linux" else None
    return _under(given, system.home / ".config")


def _application(system: System) -> PurePath:
    """Where programs with a window keep their settings."""
    if system.platform == "win32":
        return _under(system.environ.get("APPDATA"), system.home / "AppData" / "Roaming")
    if system.platform == "darwin":
        return system.home / "Library" / "Application Support"
    return _config(system)


def _zed(system: System) -> PurePath:
    return _application(system) / "Zed" if system.platform == "win32" else _config(system) / "zed"


_USER_FILES: Final[Mapping[str, Callable[[System], PurePath]]] = {
    "claude-code": lambda on: _under(on.environ.get("CLAUDE_CONFIG_DIR"), on.home) / ".claude.json",
    "codex": lambda on: _under(on.environ.get("CODEX_HOME"), on.home / ".codex") / "config.toml",
    "opencode": lambda on: _config(on) / "opencode" / "opencode.json",
    "grok": lambda on: on.home / ".grok" / "config.toml",
    "gemini": lambda on: on.home / ".gemini" / "settings.json",
    "cursor": lambda on: on.home / ".cursor" / "mcp.json",
    "vscode": lambda on: _application(on) / "Code" / "User" / "mcp.json",
    "zed": lambda on: _zed(on) / "settings.json",
}


def entry_for(name: str, launch: Launch) -> dict[str, Any]:
    """The entry of the server in a client's settings."""
    program, *arguments = launch.command
    environ = dict(launch.environ)
    if name == "opencode":
        extra = {"environment": environ} if environ else {}
        return {"type": "local", "command": list(launch.command), "enabled": True, **extra}
    typed = {"type": "stdio"} if name in ("claude-code", "cursor", "vscode") else {}
    return {**typed, "command": program, "args": arguments, **({"env": environ} if environ else {})}


def own_command(name: str, scope: str, launch: Launch) -> str | None:
    """The client's own command that adds the server, for a POSIX shell; nothing where it has none."""
    client = CLIENTS[name]
    if not client.add or (name in ("codex", "vscode") and scope == "project"):
        return None
    words = [word.format(scope=scope) for word in client.add]
    if name == "vscode":
        return shlex.join([*words, json.dumps({"name": NAME, **entry_for(name, launch)})])
    flag = "--env" if name == "codex" else "-e"
    environ = [word for key, value in launch.environ.items() for word in (flag, f"{key}={value}")]
    if name == "claude-code":
        # Its option takes as many values as follow, so the name stands before it.
        return shlex.join([*words, NAME, *environ, "--", *launch.command])
    if name == "gemini":
        program, *arguments = launch.command
        return shlex.join([*words, *environ, NAME, program, "--", *arguments])
    return shlex.join([*words, NAME, *environ, "--", *launch.command])


def block_for(name: str, launch: Launch) -> str:
    """The entry as a person would write it into an empty file."""
    client, entry = CLIENTS[name], entry_for(name, launch)
    if client.format is Format.TOML:
        return toml_table(client.key, entry)
    return json.dumps({client.key: {NAME: entry}}, indent=2, ensure_ascii=False) + "\n"


def toml_table(key: str, entry: Mapping[str, Any]) -> str:
    """The entry as a TOML table of strings, lists of strings and one table of strings."""
    lines = [f"[{key}.{NAME}]"]
    for name, value in entry.items():
        if isinstance(value, Mapping):
            pairs = ", ".join(f"{_toml(each)} = {_toml(text)}" for each, text in value.items())
            lines.append(f"{name} = {{ {pairs} }}")
        else:
            lines.append(f"{name} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    # A JSON string is a TOML basic string, once DEL is escaped too.
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return "[" + ", ".join(_toml(item) for item in value) + "]"
