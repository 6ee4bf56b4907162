"""``completion``: what a shell needs to complete this command line."""

from typing import Final

import click

from keepgate.cli.common import Globals, command, pass_globals
from keepgate.cli.completing import SHELLS, script_for


@command(
    "completion",
    example="keepgate completion bash >> ~/.bashrc",
    short_help="Print a shell's completion script.",
)
@click.argument("shell", type=click.Choice(SHELLS))
@pass_globals
def completion(given: Globals, shell: str) -> None:
    """Print the completion script of a shell."""
    from keepgate.cli.output import Output  # noqa: PLC0415

    script = script_for(shell)
    if given.as_json:
        Output(given).document({"shell": shell, "script": script})
    else:
        Output(given).text(script)


COMMANDS: Final = {"completion": completion}
