"""Sessions from outside: ``session taint``."""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, agent_option, command, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls
    from keepgate.fronts.terminal.screen import Screen
    from keepgate.protocol.looking_back import SessionTaintResult


@command(
    "taint",
    example='keepgate session taint s1 --source "https://example.org/issue/7"',
    short_help="Say that a session has read untrusted material.",
)
@click.argument("session", metavar="ID")
@click.option("--source", "sources", multiple=True, required=True, metavar="TEXT",
              help="What it has read; may be repeated.")  # fmt: skip
@agent_option
@pass_globals
def taint(given: Globals, session: str, sources: tuple[str, ...], agent: str | None) -> None:
    """Say that the session ID of this workspace has read untrusted material. There is no way back.

    From now on a person is asked about each of its writes, whatever policy or leave there is, and told why.
    """
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.protocol.looking_back import SessionTaintResult  # noqa: PLC0415

    async def work(calls: "Calls") -> Any:
        who = {"id": session, "agentPreset": agent or "", "cwd": calls.session.cwd}
        return await calls.call("session/taint", {"sources": list(sources), "session": who})

    read(given, work, SessionTaintResult, _told)


def _told(screen: "Screen", result: "SessionTaintResult") -> None:
    from keepgate.core.model.text import quoted_line  # noqa: PLC0415

    screen.line("From now on each write of this session is asked about. It has read:")
    for source in result.sources:
        screen.line(f"  {quoted_line(source)}")


COMMANDS: Final = {
    "session": click.Group(
        name="session",
        commands=[taint],
        short_help="Be careful with a session.",
        help="Be careful with a session from now on.",
    )
}
