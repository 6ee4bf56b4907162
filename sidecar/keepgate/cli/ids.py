"""Ids as people type them: the whole, or a beginning that only one of those in view has."""

from collections.abc import Callable
from typing import Final

from keepgate.core.model.viewer import Viewer
from keepgate.fronts.terminal.calls import Calls
from keepgate.protocol.errors import Code, Fault
from keepgate.store import reads
from keepgate.store.connection import Connection

ID_LENGTH: Final = 36
SHORTEST: Final = 4
SAMPLES_MAX: Final = 10


async def entry_id(calls: Calls, given: str, *, all_workspaces: bool = False) -> str:
    """The id of the visible entry that ``given`` begins; ``given`` itself when there is none.

    The id of a fact is given in full. Raises ``AMBIGUOUS_MATCH`` when it begins several.
    """
    viewer = _viewer(calls, all_workspaces=all_workspaces)
    if await calls.sidecar.store.reading.run(lambda db: reads.visible_fact(db, viewer, given)) is not None:
        return given
    return await _full(calls, given, reads.entry_ids, all_workspaces=all_workspaces)


async def proposal_id(calls: Calls, given: str) -> str:
    """The id of the proposal that ``given`` begins; ``given`` itself when there is none.

    Raises ``AMBIGUOUS_MATCH`` when it begins several.
    """
    return await _full(calls, given, reads.proposal_ids)


async def _full(
    calls: Calls,
    given: str,
    beginning: Callable[[Connection, Viewer, str], list[str]],
    *,
    all_workspaces: bool = False,
) -> str:
    if not SHORTEST <= len(given) < ID_LENGTH or not given.isascii():
        return given
    viewer = _viewer(calls, all_workspaces=all_workspaces)
    found = await calls.sidecar.store.reading.run(lambda db: beginning(db, viewer, given.lower()))
    return _the_one(found, given)


def _viewer(calls: Calls, *, all_workspaces: bool) -> Viewer:
    return Viewer(workspaces=None if all_workspaces else calls.connection.keys, agent_key=None)


def _the_one(found: list[str], given: str) -> str:
    if len(found) > 1:
        raise Fault(
            Code.AMBIGUOUS_MATCH,
            f"{len(found)} ids begin with {given}",
            {"match": given, "candidates": len(found), "sample": found[:SAMPLES_MAX]},
            suggestion="Type more of the id.",
        )
    return found[0] if found else given
