"""``install``: how an MCP client is told of keepgate, printed, or written into its settings."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals
from keepgate.cli.installing.clients import CLIENTS

if TYPE_CHECKING:
    from keepgate.cli.installing.clients import Launch

SCOPES: Final = ("user", "project")
SURFACES: Final = ("verbs", "starter", "full")
PASSED_ON: Final = ("KEEPGATE_HOME", "KEEPGATE_STORE")
"""Variables that say where the memory is: a client does not start its servers with all of ours."""
NOT_YET: Final = (
    "the server cannot start yet: the extra mcp is missing; from a checkout: python3 -m pip install '.[mcp]'"
)
ASKING: Final = "Write this? y = yes, anything else = no: "


@command(
    "install",
    example="keepgate install claude-code --surface verbs",
    short_help="Tell an MCP client of keepgate.",
)
@click.argument("client", metavar="CLIENT", type=click.Choice(list(CLIENTS)))
@click.option(
    "--surface", type=click.Choice(SURFACES), default="starter", show_default=True, help="The tools to offer."
)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="user",
    show_default=True,
    help="For all your projects, or for the one in the working directory.",
)
@click.option("--agent", metavar="NAME", help="Have the client speak for this agent preset.")
@click.option("--write", is_flag=True, help="Write the settings: the change is shown and asked about first.")
@pass_globals
def install(given: Globals, client: str, surface: str, scope: str, agent: str | None, *, write: bool) -> None:
    """Print the command or the settings that let CLIENT use keepgate: claude-code, codex, opencode, grok,
    gemini, cursor, vscode or zed.

    With --write the file is changed after a yes on the terminal; a copy of it is kept beside it, and nothing
    but keepgate's own entry is touched.
    """
    from keepgate.cli.installing import clients  # noqa: PLC0415

    system = clients.System(
        platform=sys.platform, environ=os.environ, home=Path.home(), project=_project(given)
    )
    launch = _launch(given, surface, agent)
    if importlib.util.find_spec("mcp") is None:
        click.echo(f"keepgate: {NOT_YET}", err=True)
    path = Path(clients.settings_path(client, scope, system))
    other = clients.other_path(client, path)
    if other is not None and Path(other).exists() and not path.exists():
        path = Path(other)
    if write:
        _write(given, client, launch, path)
        return
    shown = {
        "client": client,
        "path": str(path),
        "command": clients.own_command(client, scope, launch),
        "block": clients.block_for(client, launch),
    }
    _show(given, clients.CLIENTS[client], shown)


def _project(given: Globals) -> Path:
    return Path(given.workspace).resolve() if given.workspace is not None else Path.cwd()


def _launch(given: Globals, surface: str, agent: str | None) -> "Launch":
    from keepgate.cli.installing.clients import Launch  # noqa: PLC0415

    words = [*_program(), "mcp", "--surface", surface]
    if agent is not None:
        words += ["--agent", agent]
    if given.store is not None:
        words += ["--store", given.store]
    passed = {name: os.environ[name] for name in PASSED_ON if os.environ.get(name)}
    return Launch(command=words, environ={name: os.path.abspath(path) for name, path in passed.items()})  # noqa: PTH100


def _program() -> list[str]:
    """How this program is started from anywhere: clients need not have our PATH."""
    own = Path(sys.argv[0])
    if own.stem == "keepgate" and own.is_file():
        return [str(own.absolute())]
    return [sys.executable, "-m", "keepgate"]


def _show(given: Globals, client: Any, shown: dict[str, Any]) -> None:
    from keepgate.cli.output import Output  # noqa: PLC0415

    if given.as_json:
        Output(given).document(shown)
        return
    if shown["command"] is not None:
        click.echo(f"# {client.title}: run\n{shown['command']}\n\n# or put this into {shown['path']}")
    else:
        click.echo(f"# {client.title}: put this into {shown['path']}")
    click.echo(
        f"{shown['block']}\n# {client.note}\n# With --write keepgate does it, after showing the change."
    )


def _write(given: Globals, name: str, launch: "Launch", path: Path) -> None:
    from keepgate.cli.installing.clients import CLIENTS as KNOWN  # noqa: PLC0415
    from keepgate.cli.installing.clients import entry_for  # noqa: PLC0415
    from keepgate.cli.installing.editing import CannotEdit, edited  # noqa: PLC0415
    from keepgate.cli.installing.writing import replace_file  # noqa: PLC0415

    before = _read(path)
    try:
        after = edited(name, before, entry_for(name, launch))
    except CannotEdit as reason:
        raise click.ClickException(
            f"{path} is left as it is: {reason}. Put the entry there by hand: keepgate install {name}"
        ) from None
    if after == before:
        click.echo(f"{path} has this entry already.")
        return
    if not _agreed(given, path, before, after):
        click.echo("Nothing was written.")
        return
    if _read(path) != before:
        raise click.ClickException(f"{path} was changed meanwhile; nothing was written. Try again.")
    copy = replace_file(path, after)
    click.echo(f"Wrote {path}." + (f" The file as it was: {copy}" if copy is not None else ""))
    click.echo(KNOWN[name].note)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise click.ClickException(f"{path} is not UTF-8; it is left as it is.") from None


def _agreed(given: Globals, path: Path, before: str, after: str) -> bool:
    """Whether the person at the terminal says yes to the difference. Fails where there is no terminal."""
    import asyncio  # noqa: PLC0415
    import difflib  # noqa: PLC0415

    from keepgate.cli.running import controlling_terminal  # noqa: PLC0415
    from keepgate.core.model.text import make_visible  # noqa: PLC0415
    from keepgate.fronts.terminal.prompt import confirm  # noqa: PLC0415

    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), f"{path}", f"{path}", lineterm="")
    with controlling_terminal(given) as terminal:
        if terminal is None:
            raise click.ClickException("--write asks on a terminal, and there is none; nothing was written.")
        terminal.write("\n".join(make_visible(line) for line in lines) + "\n\n")
        return asyncio.run(confirm(terminal, ASKING))


COMMANDS: Final = {"install": install}
