"""Writes: ``add``, ``replace``, ``remove``, ``consolidate``, ``undo``; each asks on its own terminal."""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import (
    Globals,
    agent_option,
    command,
    given_params,
    layer_options,
    options,
    pass_globals,
)
from keepgate.cli.streams import text_argument

if TYPE_CHECKING:
    from keepgate.fronts.terminal.calls import Calls

_label_options = options(
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="A short label; may be repeated."),
    click.option("--source", metavar="LABEL", help="Where it comes from; default keepgate."),
)
_shared_option = click.option(
    "--shared", is_flag=True, help="With --agent: for every agent, not for it alone."
)
_id_option = click.option(
    "--id", "entry", metavar="ID", help="The memory by id, or by the beginning of its id."
)
_version_option = click.option(
    "--version", "version", type=int, metavar="N", help="With --id: only if it still has this version."
)


@command("add", example='keepgate add "Prefers small commits." --tag git', short_help="Remember something.")
@click.argument("text", metavar="TEXT|-")
@layer_options
@_label_options
@agent_option
@_shared_option
@pass_globals
def add(given: Globals, text: str, agent: str | None, shared: bool, **named: Any) -> None:
    """Remember TEXT, after asking. TEXT of - is read from stdin.

    Without --track and --scope it is about the user, in this workspace.
    """
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import added  # noqa: PLC0415
    from keepgate.protocol.entries import AddResult  # noqa: PLC0415

    params = given_params(text=text_argument(text), tags=named["tags"], source=named["source"])
    params |= _layer(named)
    params |= {"agentKey": ""} if shared else {}
    work = lambda calls: calls.call("memory/add", params)  # noqa: E731
    write(given, work, AddResult, added, agent=agent, insists=True)


@command("replace", example='keepgate replace "small commits" "Prefers small, signed commits."',
         short_help="Rewrite a memory.")  # fmt: skip
@click.argument("words", nargs=-1, required=True, metavar="[MATCH] TEXT|-")
@layer_options
@_label_options
@click.option("--no-tags", is_flag=True, help="Take all tags off; without --tag they stay.")
@_id_option
@_version_option
@agent_option
@pass_globals
def replace(
    given: Globals,
    words: tuple[str, ...],
    entry: str | None,
    version: int | None,
    no_tags: bool,
    agent: str | None,
    **named: Any,
) -> None:
    """Rewrite the one memory that contains MATCH, after asking; its id stays.

    With --id there is no MATCH, and the layer is the memory's own.
    """
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import replaced  # noqa: PLC0415
    from keepgate.protocol.entries import ReplaceResult  # noqa: PLC0415

    *match, text = words
    target = _target(match, entry, version)
    params = given_params(text=text_argument(text), tags=named["tags"], source=named["source"])
    params |= {"tags": []} if no_tags else {}

    async def work(calls: "Calls") -> Any:
        return await calls.call("memory/replace", params | await _found(calls, target, named))

    write(given, work, ReplaceResult, replaced, agent=agent)


@command("remove", example='keepgate remove "small commits"', short_help="Remove a memory.")
@click.argument("match", required=False, metavar="[MATCH]")
@layer_options
@_id_option
@_version_option
@agent_option
@pass_globals
def remove(
    given: Globals,
    match: str | None,
    entry: str | None,
    version: int | None,
    agent: str | None,
    **named: Any,
) -> None:
    """Remove the one memory that contains MATCH, after asking. The ledger keeps it; undo brings it back."""
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import removed  # noqa: PLC0415
    from keepgate.protocol.entries import RemoveResult  # noqa: PLC0415

    target = _target([match] if match is not None else [], entry, version)

    async def work(calls: "Calls") -> Any:
        return await calls.call("memory/remove", await _found(calls, target, named))

    write(given, work, RemoveResult, removed, agent=agent)


@command(
    "consolidate",
    example='keepgate consolidate "small commits" "signed" --into "Small, signed commits."',
    short_help="Put one memory in the place of several.",
)
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@click.option("--into", "text", required=True, metavar="TEXT|-", help="The memory that takes their place.")
@layer_options
@_label_options
@click.option("--id", "entries", multiple=True, metavar="ID", help="A memory by id, instead of MATCH.")
@agent_option
@_shared_option
@pass_globals
def consolidate(
    given: Globals,
    matches: tuple[str, ...],
    text: str,
    entries: tuple[str, ...],
    agent: str | None,
    shared: bool,
    **named: Any,
) -> None:
    """Remove every memory that a MATCH names and remember one in their place, with one question."""
    from keepgate.cli.ids import entry_id  # noqa: PLC0415
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import consolidated  # noqa: PLC0415
    from keepgate.protocol.entries import ConsolidateResult  # noqa: PLC0415

    if bool(matches) == bool(entries):
        raise click.UsageError("Name the memories either by MATCH or by --id.")
    params = given_params(
        text=text_argument(text), tags=named["tags"], source=named["source"], matches=matches
    )
    params |= {"agentKey": ""} if shared else {}

    async def work(calls: "Calls") -> Any:
        ids = [await entry_id(calls, one) for one in entries]
        layer = await _layer_of(calls, ids[0], named) if ids else _layer(named)
        targets = {"ids": [{"id": one} for one in ids]} if ids else {}
        return await calls.call("memory/consolidate", params | layer | targets)

    write(given, work, ConsolidateResult, consolidated, agent=agent)


@command("undo", example="keepgate undo 12", short_help="Take a change back.")
@click.argument("seq", type=int, required=False, metavar="[SEQ]")
@click.option("--session", metavar="ID", help="Everything that this session wrote, instead of SEQ.")
@agent_option
@pass_globals
def undo(given: Globals, seq: int | None, session: str | None, agent: str | None) -> None:
    """Take back the change of ledger row SEQ, as a new change that is asked about like any other.

    With --session: everything that a session wrote, with one question. What was changed since is left.
    """
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.fronts.terminal.cards import undone  # noqa: PLC0415
    from keepgate.protocol.entries import UndoResult  # noqa: PLC0415

    if (seq is None) == (session is None):
        raise click.UsageError("Name either the ledger row SEQ or --session.")
    params = given_params(seq=seq, session_id=session)
    write(given, lambda calls: calls.call("memory/undo", params), UndoResult, undone, agent=agent)


def _layer(named: dict[str, Any]) -> dict[str, str]:
    return {"track": named["track"] or "user", "scope": named["scope"] or "workspace"}


def _target(match: list[str], entry: str | None, version: int | None) -> dict[str, Any]:
    if len(match) != (0 if entry is not None else 1):
        raise click.UsageError("Name the memory either by MATCH or by --id.")
    if version is not None and entry is None:
        raise click.UsageError("--version needs --id.")
    return given_params(match=match[0] if match else None, id=entry, version=version)


async def _found(calls: "Calls", target: dict[str, Any], named: dict[str, Any]) -> dict[str, Any]:
    """A target with the whole id where a beginning was typed, and with its layer."""
    from keepgate.cli.ids import entry_id  # noqa: PLC0415

    if "id" not in target:
        return target | _layer(named)
    target = target | {"id": await entry_id(calls, target["id"])}
    return target | await _layer_of(calls, target["id"], named)


async def _layer_of(calls: "Calls", entry: str, named: dict[str, Any]) -> dict[str, str]:
    """The layer as given, filled up from the memory's own: an id alone is enough to name it."""
    if named["track"] is not None and named["scope"] is not None:
        return _layer(named)
    found = (await calls.call("memory/get", {"id": entry}))["entry"]
    return {"track": named["track"] or found["track"], "scope": named["scope"] or found["scope"]}


COMMANDS: Final = {"add": add, "replace": replace, "remove": remove, "consolidate": consolidate, "undo": undo}
