"""The ledger: ``audit`` and ``verify``."""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, every_workspace, given_params, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls


@command("audit", example="keepgate audit --action remove --limit 10", short_help="Show the ledger.")
@click.option("--limit", type=int, metavar="N", help="At most so many rows; default 100.")
@click.option("--before", type=int, metavar="SEQ", help="Only rows older than this one.")
@click.option(
    "--action", metavar="ACTION", help="Only rows of this action, for instance add or remove-denied."
)
@click.option("--entry", metavar="ID", help="Only rows about this memory.")
@click.option("--session", metavar="ID", help="Only rows of this session.")
@every_workspace
@pass_globals
def audit(
    given: Globals,
    limit: int | None,
    before: int | None,
    action: str | None,
    entry: str | None,
    session: str | None,
    all_workspaces: bool,
) -> None:
    """Show the ledger, newest row first: every change, and every wish that was denied."""
    from keepgate.cli.ids import entry_id  # noqa: PLC0415
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.tables import audit_result  # noqa: PLC0415
    from keepgate.protocol.entries import AuditResult  # noqa: PLC0415

    async def work(calls: "Calls") -> Any:
        about = await entry_id(calls, entry, all_workspaces=all_workspaces) if entry is not None else None
        params = given_params(
            limit=limit,
            before=before,
            action=action,
            entry_id=about,
            session_id=session,
            all_workspaces=all_workspaces,
        )
        return await calls.call("memory/audit", params)

    read(given, work, AuditResult, audit_result)


@command("verify", example="keepgate verify", short_help="Check that the ledger holds.")
@pass_globals
def verify(given: Globals) -> None:
    """Check the ledger's chain, and that replaying it gives this store. Exit code 7 when it does not hold."""
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.cli.running import inside, progress  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import verify_card  # noqa: PLC0415
    from keepgate.protocol.entries import VerifyResult  # noqa: PLC0415
    from keepgate.protocol.errors import ExitCode  # noqa: PLC0415

    document = inside(given, lambda calls: calls.call("memory/verify", {}, progress=progress()))
    Output(given).result(document, VerifyResult, verify_card)
    if not document["ok"]:
        click.get_current_context().exit(ExitCode.STORE)


COMMANDS: Final = {"audit": audit, "verify": verify}
