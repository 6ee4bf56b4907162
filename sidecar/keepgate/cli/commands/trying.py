"""``try``: the main job as a show, with a real sidecar and a store of its own."""

from typing import Final

import click

from keepgate.cli.common import Globals, command, pass_globals


@command("try", example="keepgate try", short_help="See the main job done, with a store of its own.")
@click.option("--script", is_flag=True, help="Let a script answer, as it does where there is no terminal.")
@pass_globals
def trying(given: Globals, script: bool) -> None:
    """Play an editor with a sidecar in the current folder: import, approve, reject, recall.

    Everything goes into a temporary store that is removed at the end. Your own is not touched.
    """
    from keepgate.cli.tryout.stage import perform  # noqa: PLC0415

    if given.store is not None:
        raise click.UsageError("try makes a store of its own and takes no --store.")
    perform(given, scripted=script)


COMMANDS: Final = {"try": trying}
