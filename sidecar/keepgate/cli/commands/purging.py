"""Purging: ``purge --secret``."""

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls


@command("purge", example="keepgate purge --secret", short_help="Take a text out for good.")
@click.option(
    "--secret",
    is_flag=True,
    required=True,
    help="Type the text unseen, or send it on stdin; never as an argument.",
)
@click.option("--pages", is_flag=True, help="Rewrite the page files that hold it, too; each is shown first.")
@pass_globals
def purge(given: Globals, *, secret: bool, pages: bool) -> None:
    """Take a text out of every memory, fact, proposal, index, ledger row and backup, after asking.

    Nothing brings it back. The ledger keeps that something was purged, and its chain holds. Page files that
    hold the text are named and left to you; with --pages those of this workspace and your own are rewritten.
    """
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import purged  # noqa: PLC0415
    from keepgate.protocol.entries import PurgeResult  # noqa: PLC0415

    assert secret, "the option is required"
    text = _unseen()

    async def work(calls: "Calls") -> Any:
        return await calls.call("memory/purge", {"text": text, "pages": pages})

    write(given, work, PurgeResult, purged, agent=None)


def _unseen() -> str:
    from keepgate.cli.streams import read_stdin  # noqa: PLC0415

    if sys.stdin.isatty():
        typed: str = click.prompt("The text to purge", hide_input=True, err=True)
        return typed
    # What a pipe adds at the end is not part of the secret.
    return read_stdin().rstrip("\r\n")


COMMANDS: Final = {"purge": purge}
