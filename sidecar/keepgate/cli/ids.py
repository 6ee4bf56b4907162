"""Ids as people type them: the whole, or a beginning that only one of those in view has."""

from collections.abc import Iterable
from typing import Any, Final

from keepgate.fronts.terminal.calls import Calls
from keepgate.protocol.entries import PAGE_LIMIT_MAX
from keepgate.protocol.errors import Code, Fault

ID_LENGTH: Final = 36
SHORTEST: Final = 4
SAMPLES_MAX: Final = 10


async def entry_id(calls: Calls, given: str, *, all_workspaces: bool = False) -> str:
    """The id of the visible entry that ``given`` begins; ``given`` itself when there is none.

    Raises ``AMBIGUOUS_MATCH`` when it begins several.
    """
    if not SHORTEST <= len(given) < ID_LENGTH:
        return given
    found: list[str] = []
    after: str | None = None
    while True:
        page = await calls.call(
            "memory/list", {"limit": PAGE_LIMIT_MAX, "after": after, "allWorkspaces": all_workspaces}
        )
        found += _beginning(page["entries"], given)
        after = page["next"]
        if after is None:
            return _the_one(found, given)


async def proposal_id(calls: Calls, given: str) -> str:
    """The id of the proposal that ``given`` begins; ``given`` itself when there is none.

    Raises ``AMBIGUOUS_MATCH`` when it begins several.
    """
    if not SHORTEST <= len(given) < ID_LENGTH:
        return given
    listed = await calls.call("proposals/list", {"limit": PAGE_LIMIT_MAX})
    return _the_one(_beginning(listed["proposals"], given), given)


def _beginning(things: Iterable[dict[str, Any]], given: str) -> list[str]:
    return [thing["id"] for thing in things if thing["id"].startswith(given.lower())]


def _the_one(found: list[str], given: str) -> str:
    if len(found) > 1:
        raise Fault(
            Code.AMBIGUOUS_MATCH,
            f"{len(found)} ids begin with {given}",
            {"match": given, "candidates": len(found), "sample": found[:SAMPLES_MAX]},
            suggestion="Type more of the id.",
        )
    return found[0] if found else given
