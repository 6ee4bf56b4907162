"""What was allowed for the rest of sessions: ``grants list``, ``grants revoke``."""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls
    from keepgate.fronts.terminal.screen import Screen
    from keepgate.protocol.looking_back import GrantsRevokeResult


class Grants(click.Group):
    """The group; without a subcommand it lists what holds."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take ``list`` as meant, unless help is asked for or a shell completes the line."""
        names_none = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        return super().parse_args(ctx, ["list", *args] if names_none and not ctx.resilient_parsing else args)


@command("list", example="keepgate grants list", short_help="List what sessions were allowed.")
@pass_globals
def listing(given: Globals) -> None:
    """List what was allowed for the rest of sessions of this workspace, in every process that lives."""
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.looking_back import grants_list  # noqa: PLC0415
    from keepgate.protocol.looking_back import GrantsListResult  # noqa: PLC0415

    read(given, lambda calls: calls.call("grants/list", {}), GrantsListResult, grants_list)


@command("revoke", example="keepgate grants revoke 0c9a7f21", short_help="End what a session was allowed.")
@click.argument("grant", metavar="ID")
@pass_globals
def revoke(given: Globals, grant: str) -> None:
    """End what was allowed for the rest of a session. The beginning of its id is enough."""
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.protocol.looking_back import GrantsRevokeResult  # noqa: PLC0415

    async def work(calls: "Calls") -> Any:
        known = [item["id"] for item in (await calls.call("grants/list", {}))["grants"]]
        named = [each for each in known if each.startswith(grant)]
        if len(named) > 1:
            raise click.UsageError(f"Several begin with {grant}; give more of the id.")
        return await calls.call("grants/revoke", {"id": named[0] if named else grant})

    read(given, work, GrantsRevokeResult, _told)


def _told(screen: "Screen", result: "GrantsRevokeResult") -> None:
    screen.line("The session is asked again." if result.revoked else "There is no such leave, or no more.")


COMMANDS: Final = {
    "grants": Grants(
        name="grants",
        commands=[listing, revoke],
        short_help="See and end what sessions were allowed.",
        help="See and end what was allowed for the rest of sessions. Without a command: list it.",
    )
}
