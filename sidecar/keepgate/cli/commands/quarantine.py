"""A session's memories out of every read, and back: ``quarantine``, ``release``."""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, agent_option, command, given_params, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.screen import Screen
    from keepgate.protocol.looking_back import QuarantineResult


@command("quarantine", example='keepgate quarantine s1 --reason "read a bad page"',
         short_help="Put what a session wrote out of every read.")  # fmt: skip
@click.argument("session", required=False, metavar="[SESSION]")
@click.option("--reason", metavar="TEXT", help="Why; kept in the ledger.")
@agent_option
@pass_globals
def quarantine(given: Globals, session: str | None, reason: str | None, agent: str | None) -> None:
    """Put what SESSION wrote in this workspace out of every read, after asking. Without SESSION: list.

    The ledger still tells of it, its room in the budgets is kept, and release brings it back.
    """
    from keepgate.cli.running import read, write  # noqa: PLC0415
    from keepgate.fronts.terminal.looking_back import quarantined_list  # noqa: PLC0415
    from keepgate.protocol.looking_back import QuarantinedResult, QuarantineResult  # noqa: PLC0415

    if session is None:
        if reason is not None:
            raise click.UsageError("--reason needs SESSION.")
        return read(
            given, lambda calls: calls.call("memory/quarantined", {}), QuarantinedResult, quarantined_list
        )
    params = given_params(session_id=session, reason=reason)

    def told(screen: "Screen", result: "QuarantineResult") -> None:
        screen.line(f"In quarantine: {_counted(result)}. Bring back with: keepgate release {session}")

    return write(
        given, lambda calls: calls.call("memory/quarantine", params), QuarantineResult, told, agent=agent
    )


@command("release", example="keepgate release s1", short_help="Bring back what is in quarantine.")
@click.argument("session", metavar="SESSION")
@agent_option
@pass_globals
def release(given: Globals, session: str, agent: str | None) -> None:
    """Bring back what is in quarantine of SESSION, as it was, after asking."""
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.protocol.looking_back import QuarantineResult  # noqa: PLC0415

    def told(screen: "Screen", result: "QuarantineResult") -> None:
        screen.line(f"Back: {_counted(result)}.")

    params: dict[str, Any] = {"sessionId": session}
    write(given, lambda calls: calls.call("memory/release", params), QuarantineResult, told, agent=agent)


def _counted(result: "QuarantineResult") -> str:
    entries, facts = len(result.entries), len(result.facts)
    memories = f"{entries} {'memory' if entries == 1 else 'memories'}"
    pages = len(result.pages)
    told = f"{memories}, {facts} {'fact' if facts == 1 else 'facts'}"
    return f"{told}, {pages} {'page' if pages == 1 else 'pages'}" if pages else told


COMMANDS: Final = {"quarantine": quarantine, "release": release}
