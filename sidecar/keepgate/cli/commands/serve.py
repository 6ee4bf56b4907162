"""``serve``: the sidecar over stdio."""

from typing import Final

import click

from keepgate.cli.common import Command, Globals, pass_globals


@click.command(
    "serve",
    cls=Command,
    example="keepgate serve --stdio",
    short_help="Speak the protocol over stdin and stdout.",
)
@click.option("--stdio", is_flag=True, help="What editors append; it changes nothing.")
@click.option("--framing", type=click.Choice(["lsp", "lines"]), help="Default: told from the first byte.")
@click.option(
    "--log-file", type=click.Path(path_type=str, dir_okay=False), metavar="PATH", help="Log there, too."
)
@pass_globals
def serve(given: Globals, stdio: bool, framing: str | None, log_file: str | None) -> None:
    """Speak the protocol over stdin and stdout until the client leaves.

    The client names the workspaces, so --workspace is not taken here.
    """
    from keepgate.fronts.lsp.server import serve as run  # noqa: PLC0415 - brings pygls, which only this needs
    from keepgate.protocol.framing import Framing  # noqa: PLC0415

    if given.workspace is not None or given.as_json:
        raise click.UsageError("serve takes neither --workspace nor --json; the client names its workspaces.")
    if log_file is not None:
        from keepgate.cli.files import require_log_file  # noqa: PLC0415 - few clients want a log file

        require_log_file(log_file, store=given.store)
    run(
        store=given.store,
        framing=Framing(framing) if framing is not None else None,
        log_level=given.log_level or "warning",
        log_file=log_file,
    )


COMMANDS: Final = {"serve": serve}
