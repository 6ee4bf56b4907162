"""Where each client keeps its servers, on each system, and what it is told."""

import json
import shlex
import tomllib
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from keepgate.cli.installing.clients import (
    CLIENTS,
    Format,
    Launch,
    System,
    block_for,
    entry_for,
    own_command,
    settings_path,
)

HOME = PurePosixPath("/home/alice")
WINDOWS = PureWindowsPath("C:/Users/alice")
PROJECT = PurePosixPath("/projects/demo")
LAUNCH = Launch(command=["/opt/keep gate/keepgate", "mcp", "--surface", "verbs"], environ={})
WITH_HOME = Launch(command=LAUNCH.command, environ={"KEEPGATE_HOME": "/data/my memory"})


def on(platform: str, home: PurePath = HOME, **environ: str) -> System:
    return System(platform=platform, environ=environ, home=home, project=PROJECT)


USER_FILES = {
    "claude-code": (".claude.json", ".claude.json", ".claude.json"),
    "codex": (".codex/config.toml",) * 3,
    "opencode": (".config/opencode/opencode.json",) * 3,
    "grok": (".grok/config.toml",) * 3,
    "gemini": (".gemini/settings.json",) * 3,
    "cursor": (".cursor/mcp.json",) * 3,
    "vscode": (
        ".config/Code/User/mcp.json",
        "Library/Application Support/Code/User/mcp.json",
        "AppData/Roaming/Code/User/mcp.json",
    ),
    "zed": (".config/zed/settings.json", ".config/zed/settings.json", "AppData/Roaming/Zed/settings.json"),
}
PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "codex": ".codex/config.toml",
    "opencode": "opencode.json",
    "grok": ".grok/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "zed": ".zed/settings.json",
}


def test_every_client_has_its_files() -> None:
    """No client was forgotten here."""
    assert CLIENTS.keys() == USER_FILES.keys() == PROJECT_FILES.keys()


@pytest.mark.parametrize("name", list(CLIENTS))
@pytest.mark.parametrize(
    ("system", "index"), [(on("linux"), 0), (on("darwin"), 1), (on("win32", WINDOWS), 2)], ids=str
)
def test_the_user_file(name: str, system: System, index: int) -> None:
    """Below the home folder, as each system has it."""
    assert system.home.joinpath(USER_FILES[name][index]) == settings_path(name, "user", system)


@pytest.mark.parametrize("name", list(CLIENTS))
def test_the_project_file(name: str) -> None:
    """Below the project, the same everywhere."""
    assert PROJECT / PROJECT_FILES[name] == settings_path(name, "project", on("linux"))


@pytest.mark.parametrize(
    ("name", "system", "path"),
    [
        ("claude-code", on("linux", CLAUDE_CONFIG_DIR="/cfg"), "/cfg/.claude.json"),
        ("codex", on("darwin", CODEX_HOME="/cfg"), "/cfg/config.toml"),
        ("zed", on("linux", XDG_CONFIG_HOME="/cfg"), "/cfg/zed/settings.json"),
        ("zed", on("darwin", XDG_CONFIG_HOME="/cfg"), "/home/alice/.config/zed/settings.json"),
        ("vscode", on("linux", XDG_CONFIG_HOME="/cfg"), "/cfg/Code/User/mcp.json"),
    ],
)
def test_a_variable_moves_the_file(name: str, system: System, path: str) -> None:
    """Where a client follows one."""
    assert PurePosixPath(path) == settings_path(name, "user", system)


def test_roaming_folders_are_followed() -> None:
    """Windows says where they are."""
    system = on("win32", WINDOWS, APPDATA="D:/Roaming")

    assert PureWindowsPath("D:/Roaming/Zed/settings.json") == settings_path("zed", "user", system)


@pytest.mark.parametrize("launch", [LAUNCH, WITH_HOME], ids=["bare", "with-home"])
@pytest.mark.parametrize("name", list(CLIENTS))
def test_a_block_says_what_the_entry_says(name: str, launch: Launch) -> None:
    """The printed block is the settings of an otherwise empty file."""
    client, block = CLIENTS[name], block_for(name, launch)

    read: Any = tomllib.loads(block) if client.format is Format.TOML else json.loads(block)

    assert {client.key: {"keepgate": entry_for(name, launch)}} == read


@pytest.mark.parametrize("name", list(CLIENTS))
def test_an_entry_starts_the_whole_command(name: str) -> None:
    """Program, arguments and environment, under the names of the client."""
    entry = entry_for(name, WITH_HOME)
    command = entry["command"] if name == "opencode" else [entry["command"], *entry["args"]]

    assert list(WITH_HOME.command) == command
    assert dict(WITH_HOME.environ) == entry.get("env", entry.get("environment"))


@pytest.mark.parametrize(
    ("name", "scope", "words"),
    [
        (
            "claude-code",
            "project",
            "claude mcp add --scope project keepgate -e KEY=V -- K mcp --surface verbs",
        ),
        ("codex", "user", "codex mcp add keepgate --env KEY=V -- K mcp --surface verbs"),
        ("grok", "user", "grok mcp add --scope user keepgate -e KEY=V -- K mcp --surface verbs"),
        ("gemini", "user", "gemini mcp add --scope user -e KEY=V keepgate K -- mcp --surface verbs"),
    ],
)
def test_the_command_of_a_client(name: str, scope: str, words: str) -> None:
    """Word for word, quoted for a shell."""
    told = own_command(name, scope, WITH_HOME)

    assert told is not None
    shown = ["K" if word == LAUNCH.command[0] else word for word in shlex.split(told)]
    assert words.replace("KEY=V", "KEEPGATE_HOME=V").split() == [
        word.replace("/data/my memory", "V") for word in shown
    ]


def test_the_command_of_vs_code_carries_json() -> None:
    """One argument that is the entry with its name."""
    told = own_command("vscode", "user", LAUNCH)

    assert told is not None
    *words, entry = shlex.split(told)
    assert ["code", "--add-mcp"] == words
    assert {"name": "keepgate", **entry_for("vscode", LAUNCH)} == json.loads(entry)


@pytest.mark.parametrize(
    ("name", "scope"),
    [("cursor", "user"), ("zed", "user"), ("opencode", "user"), ("codex", "project"), ("vscode", "project")],
)
def test_a_client_without_a_command(name: str, scope: str) -> None:
    """There the block is all there is."""
    assert own_command(name, scope, LAUNCH) is None
