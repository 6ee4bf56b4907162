"""``keepgate install``: what it prints, and how it writes another program's settings."""

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from keepgate.cli.installing.clients import CLIENTS

ASKING = "Write this?"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A person's home folder."""
    folder = tmp_path / "user"
    folder.mkdir()
    return folder


def env(user: Path) -> dict[str, str]:
    return {"HOME": str(user), "USERPROFILE": str(user), "XDG_CONFIG_HOME": "", "CODEX_HOME": ""}


@pytest.mark.parametrize("name", list(CLIENTS))
def test_it_prints_how_to_install(keepgate: Any, user: Path, name: str) -> None:
    """For people and for programs; nothing is written."""
    told = keepgate.here("install", name, "--surface", "verbs", env=env(user))
    document = keepgate.here("install", name, "--surface", "verbs", "--json", env=env(user)).json

    assert 0 == told.code
    assert document["block"] in told.out
    assert document["path"] in told.out
    assert document["path"].startswith(str(user))
    assert (document["command"] or "") in told.out
    assert "--surface" in document["block"]
    assert [] == list(user.iterdir())


def test_the_program_is_named_whole(keepgate: Any, user: Path) -> None:
    """A client need not have our PATH, nor our environment."""
    entry = json.loads(keepgate.here("install", "cursor", "--json", env=env(user)).json["block"])
    server = entry["mcpServers"]["keepgate"]

    assert Path(server["command"]).is_absolute()
    assert ["mcp", "--surface", "starter"] == server["args"][-3:]
    assert str(keepgate.home) == server["env"]["KEEPGATE_HOME"]


def test_a_project_has_a_file_of_its_own(keepgate: Any, user: Path) -> None:
    """``--scope project`` means the working directory, or ``--workspace``."""
    document = keepgate.here("install", "vscode", "--scope", "project", "--json", env=env(user)).json

    assert str(keepgate.workspace / ".vscode" / "mcp.json") == document["path"]


def test_an_agent_and_a_store_are_passed_on(keepgate: Any, user: Path, tmp_path: Path) -> None:
    """What the client starts is what was asked for."""
    store = str(tmp_path / "other.db")
    document = keepgate.here(
        "install", "grok", "--agent", "coder", "--store", store, "--json", env=env(user)
    ).json

    args = tomllib.loads(document["block"])["mcp_servers"]["keepgate"]["args"]
    assert ["--agent", "coder", "--store", store] == args[-4:]


def test_it_writes_after_a_yes(keepgate: Any, user: Path) -> None:
    """The difference is shown, the file as it was is kept beside it, its mode too, and a link stays one."""
    real = user / "dotfiles.json"
    real.write_text('{\n  // mine\n  "mcpServers": {"other": {"command": "x"}}\n}\n')
    real.chmod(0o640)
    (user / ".cursor").mkdir()
    path = user / ".cursor" / "mcp.json"
    path.symlink_to(real)

    terminal = keepgate.at_terminal("install", "cursor", "--write", env=env(user))
    terminal.until(ASKING)
    terminal.type("y\r")
    code = terminal.end()

    assert 0 == code
    assert '+    "keepgate": {' in terminal.screen
    assert path.is_symlink()
    assert "// mine" in real.read_text()
    assert '"other": {"command": "x"}' in real.read_text()
    assert 0o640 == stat.S_IMODE(real.stat().st_mode)
    assert (
        '{\n  // mine\n  "mcpServers": {"other": {"command": "x"}}\n}\n'
        == (user / "dotfiles.json.before-keepgate").read_text()
    )


def test_it_makes_a_file_that_is_not_there(keepgate: Any, user: Path) -> None:
    """With its folder; there is nothing to keep."""
    terminal = keepgate.at_terminal("install", "codex", "--write", env=env(user))
    terminal.until(ASKING)
    terminal.type("y\r")
    code = terminal.end()

    assert 0 == code
    assert ["config.toml"] == [each.name for each in (user / ".codex").iterdir()]
    assert "keepgate" in tomllib.loads((user / ".codex" / "config.toml").read_text())["mcp_servers"]


@pytest.mark.parametrize("keys", ["n\r", "\r", "yes\r"])
def test_anything_but_a_yes_writes_nothing(keepgate: Any, user: Path, keys: str) -> None:
    """No is the answer to whatever is not ``y``."""
    terminal = keepgate.at_terminal("install", "cursor", "--write", env=env(user))
    terminal.until(ASKING)
    terminal.type(keys)
    terminal.end()

    assert "Nothing was written." in terminal.screen
    assert [] == list(user.iterdir())


def test_without_a_terminal_nothing_is_written(keepgate: Any, user: Path) -> None:
    """Nobody there is no yes."""
    told = keepgate.run("install", "cursor", "--write", env=env(user), stdin=b"y\n")

    assert 1 == told.code
    assert "asks on a terminal" in told.err
    assert [] == list(user.iterdir())


def test_what_is_there_already_is_left_alone(keepgate: Any, user: Path) -> None:
    """A second time nothing is asked and nothing is written."""
    (user / ".cursor").mkdir()
    path = user / ".cursor" / "mcp.json"
    path.write_text(keepgate.run("install", "cursor", "--json", env=env(user)).json["block"])
    before = path.read_bytes()

    told = keepgate.run("install", "cursor", "--write", env=env(user))

    assert (0, before) == (told.code, path.read_bytes())
    assert "already" in told.out
    assert [path] == list(path.parent.iterdir())


def test_a_file_that_cannot_be_followed_is_left_alone(keepgate: Any, user: Path) -> None:
    """With the reason, and the way to do it by hand."""
    (user / ".gemini").mkdir()
    path = user / ".gemini" / "settings.json"
    path.write_text("{ broken")

    told = keepgate.run("install", "gemini", "--write", env=env(user))

    assert 1 == told.code
    assert "left as it is" in told.err
    assert "keepgate install gemini" in told.err
    assert "{ broken" == path.read_text()


def test_a_file_with_comments_in_its_name_is_found(keepgate: Any, user: Path) -> None:
    """Opencode reads ``opencode.jsonc`` as well."""
    folder = user / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{}")

    document = keepgate.here("install", "opencode", "--json", env=env(user)).json

    assert str(folder / "opencode.jsonc") == document["path"]


def test_an_unknown_client_is_a_wrong_usage(keepgate: Any) -> None:
    """The known ones are listed."""
    told = keepgate.here("install", "emacs")

    assert 2 == told.code
    assert "claude-code" in told.err
