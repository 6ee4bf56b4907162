"""``call``: any operation by its method name, in process."""

from typing import Any, Final

import click

from keepgate.cli.common import Globals, agent_option, command, pass_globals


@command(
    "call", example="""keepgate call memory/query '{"text": "commits"}'""", short_help="Do any operation."
)
@click.argument("method")
@click.argument("params", metavar="[JSON|-]", required=False)
@agent_option
@click.option("--as-session", is_flag=True, help="Reads, too, speak for this command's session.")
@pass_globals
def call(
    given: Globals,
    method: str,
    params: str | None,
    agent: str | None,
    as_session: bool,
) -> None:
    """Do an operation of the protocol and print its result as JSON.

    Writes speak for this command's own session unless JSON names one, and ask on the terminal. Deciding
    proposals is left to: keepgate proposals approve, dismiss.
    """
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.cli.running import controlling_terminal, inside, progress  # noqa: PLC0415
    from keepgate.protocol.ops import BY_NAME  # noqa: PLC0415

    if method not in BY_NAME:
        raise click.UsageError(f"There is no method {method}; see: keepgate schema")
    raw = _decoded(params)
    session = as_session or agent is not None
    with controlling_terminal(given) as terminal:
        inside(
            given,
            lambda calls: calls.call(method, raw, as_session=session, progress=progress()),
            agent=agent,
            terminal=terminal,
            show=Output(given).document,
        )


def _decoded(params: str | None) -> dict[str, Any]:
    from keepgate.cli.streams import read_stdin  # noqa: PLC0415
    from keepgate.protocol.wire import decode  # noqa: PLC0415

    if params is None:
        return {}
    text = read_stdin() if params == "-" else params
    try:
        decoded = decode(text.encode())
    except ValueError as error:
        raise click.UsageError(f"The params are not JSON: {error}") from None
    if not isinstance(decoded, dict):
        raise click.UsageError("The params must be a JSON object.")
    return decoded


COMMANDS: Final = {"call": call}
