"""The inbox: ``list``, ``show``, ``approve``, ``dismiss``, ``watch``; deciding needs a terminal.

``inbox`` and ``proposals`` are two names of one group: the first for people, the second for scripts.
"""

import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from keepgate.cli.common import Globals, command, given_params, pass_globals

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls
    from keepgate.fronts.terminal.screen import Screen
    from keepgate.fronts.terminal.tty import Terminal
    from keepgate.protocol.proposals import ProposalsApproveResult, ProposalsDismissResult

T = TypeVar("T")
WATCH: Final = "--watch"
STATUSES: Final = ("pending", "approved", "dismissed", "refused", "expired", "all")


class Proposals(click.Group):
    """The group; without a subcommand it lists what waits, and with ``--watch`` alone it watches."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take ``list`` for granted, unless help is asked for or a shell completes the line."""
        if WATCH in args and "watch" not in args:
            args = ["watch", *(each for each in args if each != WATCH)]
        names_none = not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names)
        takes_list = names_none and not ctx.resilient_parsing
        return super().parse_args(ctx, ["list", *args] if takes_list else args)


@command("list", example="keepgate inbox list", short_help="List the wishes that wait.")
@click.option("--status", type=click.Choice(STATUSES), default="pending", show_default=True)
@click.option("--limit", type=int, metavar="N", help="At most so many.")
@pass_globals
def listing(given: Globals, status: str, limit: int | None) -> None:
    """List the wishes of this workspace, oldest first."""
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.tables import proposals_list  # noqa: PLC0415
    from keepgate.protocol.proposals import ProposalsListResult  # noqa: PLC0415

    params = given_params(status=None if status == "all" else status, limit=limit)
    read(given, lambda calls: calls.call("proposals/list", params), ProposalsListResult, proposals_list)


@command("show", example="keepgate inbox show 0c9a7f21", short_help="Show a wish as it would be asked.")
@click.argument("proposal", metavar="ID")
@pass_globals
def show(given: Globals, proposal: str) -> None:
    """Show the whole change that a wish asks for, as the question would put it now."""
    from keepgate.cli.ids import proposal_id  # noqa: PLC0415
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.question import proposal_lines  # noqa: PLC0415
    from keepgate.protocol.proposals import ProposalsGetResult  # noqa: PLC0415

    async def work(calls: "Calls") -> Any:
        return await calls.call("proposals/get", {"id": await proposal_id(calls, proposal)})

    read(given, work, ProposalsGetResult, lambda screen, result: screen.lines(proposal_lines(result)))


@command("approve", example="keepgate inbox approve 0c9a7f21", short_help="Say yes to a wish that waits.")
@click.argument("proposal", metavar="ID", required=False)
@click.option("--all-facts", is_flag=True, help="All facts that wait, after one look at all of them.")
@pass_globals
def approve(given: Globals, proposal: str | None, all_facts: bool) -> None:
    """Show the whole change and, after a yes on the terminal, store it."""
    from keepgate.fronts.terminal import batch, inbox  # noqa: PLC0415
    from keepgate.protocol.proposals import ProposalsApproveResult  # noqa: PLC0415

    if all_facts == (proposal is not None):
        raise click.UsageError("Give an ID, or --all-facts.")

    def drawn(screen: "Screen", result: "ProposalsApproveResult") -> None:
        rows = ", ".join(map(str, result.seqs))
        assert result.proposal is not None, "one was decided"
        name = "row" if len(result.seqs) == 1 else "rows"
        screen.line(f"Approved {result.proposal.id}; ledger {name} {rows}.")

    if proposal is None:
        _at_terminal(given, batch.approve_all_facts, ProposalsApproveResult, batch.approved)
    else:
        _decide(given, proposal, inbox.approve, ProposalsApproveResult, drawn)


@command("dismiss", example='keepgate inbox dismiss 0c9a7f21 --reason "not true any more"',
         short_help="Close a wish without storing it.")  # fmt: skip
@click.argument("proposal", metavar="ID")
@click.option("--reason", metavar="TEXT", help="Why.")
@pass_globals
def dismiss(given: Globals, proposal: str, reason: str | None) -> None:
    """Show the change and, after a yes on the terminal, close the wish. Nothing is stored."""
    from keepgate.fronts.terminal import inbox  # noqa: PLC0415
    from keepgate.protocol.proposals import ProposalsDismissResult  # noqa: PLC0415

    def drawn(screen: "Screen", result: "ProposalsDismissResult") -> None:
        assert result.proposal is not None, "one was decided"
        screen.line(f"Dismissed {result.proposal.id}; nothing was stored.")

    async def deciding(calls: "Calls", terminal: "Terminal", full_id: str) -> Any:
        return await inbox.dismiss(calls, terminal, full_id, reason)

    _decide(given, proposal, deciding, ProposalsDismissResult, drawn)


@command("watch", example="keepgate inbox --watch", short_help="Ask at this terminal as wishes come.")
@pass_globals
def watch(given: Globals) -> None:
    """Ask at this terminal about the wishes of other processes in this workspace, until Ctrl-C.

    `keepgate inbox --watch` is the same.
    """
    from keepgate.cli.running import controlling_terminal, inside  # noqa: PLC0415
    from keepgate.fronts.terminal.inbox import nobody_here  # noqa: PLC0415
    from keepgate.fronts.terminal.watching import watch as watching  # noqa: PLC0415

    with controlling_terminal(given) as terminal:
        if terminal is None:
            raise nobody_here()
        here = terminal
        # Ctrl-C is how one leaves, and no failure.
        with contextlib.suppress(KeyboardInterrupt):
            inside(given, lambda calls: watching(calls, here), terminal=here, may_decide=True)


def _decide(
    given: Globals,
    proposal: str,
    deciding: "Callable[[Calls, Terminal, str], Awaitable[Any]]",
    cls: type[T],
    render: "Callable[[Screen, T], None]",
) -> None:
    from keepgate.cli.ids import proposal_id  # noqa: PLC0415

    async def work(calls: "Calls", terminal: "Terminal") -> Any:
        return await deciding(calls, terminal, await proposal_id(calls, proposal))

    _at_terminal(given, work, cls, render)


def _at_terminal(
    given: Globals,
    work: "Callable[[Calls, Terminal], Awaitable[Any]]",
    cls: type[T],
    render: "Callable[[Screen, T], None]",
) -> None:
    from keepgate.cli.output import Output  # noqa: PLC0415
    from keepgate.cli.running import controlling_terminal, inside  # noqa: PLC0415
    from keepgate.fronts.terminal.inbox import nobody_here  # noqa: PLC0415

    with controlling_terminal(given) as terminal:
        if terminal is None:
            raise nobody_here()
        here = terminal
        document = inside(given, lambda calls: work(calls, here), terminal=here, may_decide=True)
    Output(given).result(document, cls, render)


def _group(name: str, short_help: str) -> Proposals:
    return Proposals(
        name=name,
        commands=[listing, show, approve, dismiss, watch],
        short_help=short_help,
        help="See and decide the wishes that wait in this workspace. Without a command: list them.",
    )


COMMANDS: Final = {
    "inbox": _group("inbox", "The wishes that wait: see and decide them; --watch asks as they come."),
    "proposals": _group("proposals", "See and decide the wishes that wait."),
}
