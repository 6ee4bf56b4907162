"""From a tool call's arguments to an operation and its params."""

from collections.abc import Mapping
from typing import Any, Final

from attrs import fields_dict, frozen

from keepgate.core.model.entry import session_problems
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.operation import Access, Operation
from keepgate.protocol.surfaces import LOCAL_FIELDS_OF, SESSION_FIELD, Tool
from keepgate.protocol.wire import unstructure

SESSION_ID_UNITS_MAX: Final = 256
_META: Final = "_meta"
_OF_ALL_WORKSPACES: Final = ("verbs/", "pages/")
_ACTION: Final = "action"


@frozen
class Call:
    """An operation, its params as JSON, and what is worth a warning in the arguments."""

    row: Operation
    params: dict[str, Any]
    warnings: list[dict[str, str]]


def call_of(tool: Tool, arguments: Mapping[str, Any], session: SessionRef, *, several: bool = False) -> Call:
    """The operation that a call of a tool means, spoken by ``session``. Raises ``INVALID_INPUT``.

    Where the connection has ``several`` workspaces, reads of facts and pages speak for the connection: a
    session has one workspace in sight, the connection all of them.
    """
    given = {name: value for name, value in arguments.items() if name != _META}
    row = _row(tool, given)
    warnings = []
    if SESSION_FIELD in given:
        if not tool.is_verb:
            raise invalid_input(Problem("$.session", "is the connection's own and no argument"), shape=True)
        del given[SESSION_FIELD]
        warnings = [{"code": "unknown_param", "param": SESSION_FIELD}]
    _refuse_local_fields(row, given)
    in_sight = several and row.access is Access.READ and row.name.startswith(_OF_ALL_WORKSPACES)
    if SESSION_FIELD in fields_dict(row.params) and not in_sight:
        given[SESSION_FIELD] = unstructure(session)
    return Call(row, given, warnings)


def session_id_of(meta: Mapping[str, Any] | None, arguments: Mapping[str, Any]) -> str | None:
    """The session id beside the arguments, else inside them; one that cannot be used is none at all."""
    inside = arguments.get(_META)
    for place in (meta, inside):
        found = place.get("session_id") if isinstance(place, Mapping) else None
        if isinstance(found, str) and len(found) <= SESSION_ID_UNITS_MAX and not session_problems(found):
            return found
    return None


def _row(tool: Tool, given: dict[str, Any]) -> Operation:
    if "" in tool.rows:
        return tool.rows[""]
    action = given.pop(_ACTION, None)
    if not isinstance(action, str) or action not in tool.rows:
        raise invalid_input(Problem("$.action", f"must be one of {', '.join(tool.rows)}"))
    return tool.rows[action]


def _refuse_local_fields(row: Operation, given: Mapping[str, Any]) -> None:
    if found := sorted(LOCAL_FIELDS_OF.get(row.name, frozenset()) & given.keys()):
        raise invalid_input(Problem(f"$.{found[0]}", "is for local callers"), shape=True)
