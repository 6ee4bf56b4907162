"""Reads: ``query``, ``list``, ``show``, ``history``, ``why``, ``budgets`` and ``snapshot``.

They show the management view (this workspace and what holds everywhere, of all agents) unless ``--agent`` or
``--as-session`` asks for what a session would see.
"""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import (
    Globals,
    agent_option,
    command,
    every_workspace,
    given_params,
    layer_options,
    pass_globals,
    viewer_options,
)

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls


@command("query", example="keepgate query commits --track user", short_help="Find memories.")
@click.argument("text", required=False, metavar="[TEXT]")
@layer_options
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="Only memories that have it; may be repeated."
)
@click.option("--limit", type=int, metavar="N", help="At most so many; default 20.")
@click.option("--offset", type=int, metavar="N", help="Skip so many.")
@every_workspace
@viewer_options
@pass_globals
def query(given: Globals, agent: str | None, as_session: bool, **filters: Any) -> None:
    """Find memories that contain TEXT, most recalled first. Without TEXT: all of them."""
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.tables import query_result  # noqa: PLC0415
    from keepgate.protocol.entries import QueryResult  # noqa: PLC0415

    params = given_params(**filters)
    session = as_session or agent is not None

    async def work(calls: "Calls") -> Any:
        return await calls.call("memory/query", params, as_session=session)

    read(given, work, QueryResult, query_result, agent=agent)


@command("list", example="keepgate list --scope user-global", short_help="List memories page by page.")
@layer_options
@click.option("--limit", type=int, metavar="N", help="At most so many; default 100.")
@click.option("--after", metavar="CURSOR", help="Go on where the page before ended.")
@click.option(
    "--as-of", "as_of", metavar="SEQ|TIME", help="As it was after this ledger row, or at this moment."
)
@every_workspace
@viewer_options
@pass_globals
def listing(given: Globals, agent: str | None, as_session: bool, as_of: str | None, **filters: Any) -> None:
    """List memories in the order they came, page by page.

    With --as-of facts, too, as they were: after a ledger row, or at a moment such as 2026-11-30T10:00Z.
    """
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.tables import list_result  # noqa: PLC0415
    from keepgate.protocol.entries import ListResult  # noqa: PLC0415

    params = given_params(**filters)
    session = as_session or agent is not None
    if as_of is not None:
        return _listing_as_of(given, as_of, params, agent=agent, as_session=session)

    async def work(calls: "Calls") -> Any:
        return await calls.call("memory/list", params, as_session=session)

    return read(given, work, ListResult, list_result, agent=agent)


def _listing_as_of(
    given: Globals, as_of: str, params: dict[str, Any], *, agent: str | None, as_session: bool
) -> None:
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.looking_back import as_of_result  # noqa: PLC0415
    from keepgate.protocol.looking_back import AsOfResult  # noqa: PLC0415

    if "track" in params or "scope" in params:
        raise click.UsageError("--as-of shows all layers; leave --track and --scope out.")
    params |= _moment(as_of)

    async def work(calls: "Calls") -> Any:
        return await calls.call("memory/asOf", params, as_session=as_session)

    read(given, work, AsOfResult, as_of_result, agent=agent)


def _moment(as_of: str) -> dict[str, int]:
    from keepgate.boot.compose import stamp_now  # noqa: PLC0415
    from keepgate.core.model.times import BadMoment, parse_since  # noqa: PLC0415

    if as_of.isascii() and as_of.isdecimal():
        return {"seq": int(as_of)}
    try:
        return {"at": parse_since(as_of, stamp_now().now_ms)}
    except BadMoment as error:
        raise click.UsageError(f"--as-of names no ledger row and no moment: {as_of}") from error


def _by_id(given: Globals, method: str, entry: str, cls: Any, render: Any, *, all_workspaces: bool) -> None:
    from keepgate.cli.ids import entry_id  # noqa: PLC0415
    from keepgate.cli.running import read  # noqa: PLC0415

    async def work(calls: "Calls") -> Any:
        full = await entry_id(calls, entry, all_workspaces=all_workspaces)
        return await calls.call(method, given_params(id=full, all_workspaces=all_workspaces))

    read(given, work, cls, render)


@command("show", example="keepgate show 3f2b1c0e", short_help="Show one memory.")
@click.argument("entry", metavar="ID")
@every_workspace
@pass_globals
def show(given: Globals, entry: str, all_workspaces: bool) -> None:
    """Show one memory with all its fields. The beginning of its id is enough."""
    from keepgate.fronts.terminal.cards import entry_card  # noqa: PLC0415
    from keepgate.protocol.entries import GetResult  # noqa: PLC0415

    _by_id(given, "memory/get", entry, GetResult, lambda screen, result: entry_card(screen, result.entry),
           all_workspaces=all_workspaces)  # fmt: skip


@command("history", example="keepgate history 3f2b1c0e", short_help="Show every state a memory had.")
@click.argument("entry", metavar="ID")
@every_workspace
@pass_globals
def history(given: Globals, entry: str, all_workspaces: bool) -> None:
    """Show every state a memory had, from the ledger. A removed one needs its whole id.

    ID is that of a memory or a fact; of a page it is page: and its slug, such as page:people/alice.
    """
    from keepgate.fronts.terminal.tables import history_result  # noqa: PLC0415
    from keepgate.protocol.entries import HistoryResult  # noqa: PLC0415

    _by_id(given, "memory/history", entry, HistoryResult, history_result, all_workspaces=all_workspaces)


@command("why", example="keepgate why 3f2b1c0e", short_help="Show who wanted a memory and who allowed it.")
@click.argument("entry", metavar="ID")
@every_workspace
@pass_globals
def why(given: Globals, entry: str, all_workspaces: bool) -> None:
    """Show who wanted a memory, who allowed it, and the hash of what they saw.

    ID is that of a memory or a fact; of a page it is page: and its slug, such as page:people/alice.
    """
    from keepgate.fronts.terminal.cards import why_card  # noqa: PLC0415
    from keepgate.protocol.entries import WhyResult  # noqa: PLC0415

    _by_id(given, "memory/why", entry, WhyResult, why_card, all_workspaces=all_workspaces)


@command("budgets", example="keepgate budgets", short_help="Show how full each layer is.")
@pass_globals
def budgets(given: Globals) -> None:
    """Show how full each layer of this workspace is, in UTF-16 units."""
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.fronts.terminal.tables import budgets_table  # noqa: PLC0415
    from keepgate.protocol.entries import BudgetsResult  # noqa: PLC0415

    read(given, lambda calls: calls.call("memory/budgets", {}), BudgetsResult,
         lambda screen, result: budgets_table(screen, result.budgets))  # fmt: skip


@command("snapshot", example="keepgate snapshot --agent reviewer",
         short_help="Show what a new session would be given.")  # fmt: skip
@agent_option
@pass_globals
def snapshot(given: Globals, agent: str | None) -> None:
    """Show the block of memories that a new session in this workspace would be given.

    It is taken for a session of this command's own, so no other session's snapshot is touched.
    """
    from keepgate.cli.running import read  # noqa: PLC0415
    from keepgate.protocol.entries import SnapshotResult  # noqa: PLC0415

    read(given, lambda calls: calls.call("memory/snapshot", {}, as_session=True), SnapshotResult,
         lambda screen, result: screen.text(result.text) if result.text else screen.line("Nothing to show."),
         agent=agent)  # fmt: skip


COMMANDS: Final = {
    "query": query,
    "list": listing,
    "show": show,
    "history": history,
    "why": why,
    "budgets": budgets,
    "snapshot": snapshot,
}
