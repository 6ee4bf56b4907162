"""``mcp``: the tools of a surface over stdio, for MCP clients."""

import importlib.util
import os
from typing import Final

import click

from keepgate.cli.common import Command, Globals, pass_globals
from keepgate.protocol.errors import ExitCode

SURFACES: Final = ("verbs", "starter", "full")
WANTED: Final = "mcp needs the MCP SDK; install it from a checkout: python3 -m pip install '.[mcp]'"


@click.command(
    "mcp",
    cls=Command,
    example="keepgate mcp --surface verbs",
    short_help="Serve an MCP client over stdin and stdout.",
)
@click.option(
    "--surface", type=click.Choice(SURFACES), help="The tools to offer at most; default from the settings."
)
@click.option("--agent", metavar="NAME", help="Speak for this agent preset.")
@click.option(
    "--log-file", type=click.Path(path_type=str, dir_okay=False), metavar="PATH", help="Log there, too."
)
@pass_globals
def mcp(given: Globals, surface: str | None, agent: str | None, log_file: str | None) -> None:
    """Offer the memory's tools to one MCP client until it leaves.

    The workspace is --workspace, else what the client names as its roots, else found from the working
    directory. Nothing here answers a question in the person's place.
    """
    if importlib.util.find_spec("mcp") is None:
        click.echo(f"keepgate: {WANTED}", err=True)
        click.get_current_context().exit(ExitCode.USAGE)
    if given.as_json:
        raise click.UsageError("mcp takes no --json; it speaks MCP.")
    if log_file is not None:
        from keepgate.cli.files import require_log_file  # noqa: PLC0415 - few clients want a log file

        require_log_file(log_file, store=given.store)
    from keepgate.boot.config import load_settings  # noqa: PLC0415
    from keepgate.boot.places import find_places  # noqa: PLC0415
    from keepgate.fronts.mcp.server import serve  # noqa: PLC0415 - what it brings only this command needs
    from keepgate.fronts.mcp.terms import Terms  # noqa: PLC0415
    from keepgate.protocol.operation import Surface  # noqa: PLC0415

    places = find_places(os.environ)
    options = {"storePath": given.store} if given.store is not None else None
    settings = load_settings(places, os.environ, options=options)
    serve(
        Terms(
            settings=settings,
            places=places,
            ceiling=Surface(surface or settings.mcp.surface),
            agent=agent or "",
            workspace=given.workspace,
        ),
        log_level=given.log_level or "warning",
        log_file=log_file,
    )


COMMANDS: Final = {"mcp": mcp}
