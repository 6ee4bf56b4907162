"""From a method's name and raw params to its handler: the one way in for every front."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from attrs import frozen

from keepgate.gate.gate import Gate
from keepgate.protocol.entries import UNSET
from keepgate.protocol.errors import Fault, Problem, invalid_input, write_denied, write_requires_agent
from keepgate.protocol.operation import Access, Operation
from keepgate.protocol.ops import BY_NAME, OPERATIONS
from keepgate.protocol.proposals import Outcome
from keepgate.protocol.verb_params import read_verb_params
from keepgate.protocol.wire import structure, unstructure
from keepgate.service import (
    adapting,
    health,
    histories,
    portability,
    proposing,
    purging,
    reading,
    sessions,
    tainting,
    writing,
)
from keepgate.service.connection import Connection
from keepgate.service.context import AdminCtx, DecideCtx, ReadCtx, WriteCtx
from keepgate.service.granting import list_grants, revoke
from keepgate.service.looking_back import memory_as_of
from keepgate.service.pages import indexing
from keepgate.service.pages import reading as page_reading
from keepgate.service.pages import writing as page_writing
from keepgate.service.quarantining import quarantine, quarantined, release
from keepgate.service.verbs import deltas, entities, packing, recalling, remembering, synthesizing
from keepgate.service.verbs.faults import as_verb_fault

Handler = Callable[[Any, Any], Awaitable[Any]]

HANDLERS: Final[dict[str, Handler]] = {
    "memory/add": writing.add,
    "memory/replace": writing.replace,
    "memory/remove": writing.remove,
    "memory/consolidate": writing.consolidate,
    "memory/seed": writing.seed,
    "memory/undo": writing.undo,
    "memory/purge": purging.purge,
    "memory/query": reading.query,
    "memory/get": reading.get,
    "memory/history": histories.history,
    "memory/list": reading.list_entries,
    "memory/budgets": reading.budgets,
    "memory/snapshot": reading.snapshot,
    "memory/audit": reading.audit,
    "memory/why": histories.why,
    "memory/verify": health.verify,
    "memory/status": health.status,
    "memory/export": portability.export_memories,
    "memory/import": portability.import_memories,
    "proposals/create": proposing.create,
    "proposals/list": proposing.list_proposals,
    "proposals/get": proposing.get,
    "proposals/approve": proposing.approve,
    "proposals/dismiss": proposing.dismiss,
    "adapters/list": adapting.list_adapters,
    "adapters/register": adapting.register,
    "adapters/unregister": adapting.unregister,
    "session/open": sessions.open_session,
    "session/close": sessions.close_session,
    "session/active": sessions.active,
    "approval/shown": proposing.shown,
    "session/taint": tainting.taint,
    "memory/asOf": memory_as_of,
    "memory/quarantine": quarantine,
    "memory/release": release,
    "memory/quarantined": quarantined,
    "grants/list": list_grants,
    "grants/revoke": revoke,
    "verbs/recall": recalling.recall,
    "verbs/remember": remembering.remember,
    "verbs/entity": entities.entity,
    "verbs/synthesize": synthesizing.synthesize,
    "verbs/forget": remembering.forget,
    "verbs/context_pack": packing.context_pack,
    "verbs/delta": deltas.delta,
    "pages/get": page_reading.get,
    "pages/list": page_reading.list_pages,
    "pages/search": page_reading.search,
    "pages/backlinks": page_reading.backlinks,
    "pages/resolve": page_reading.resolve,
    "pages/put": page_writing.put,
    "pages/remove": page_writing.remove,
    "pages/link": page_writing.link,
    "pages/timeline": page_writing.timeline,
    "pages/capture": page_writing.capture,
    "pages/trust": page_writing.trust,
    "pages/reindex": indexing.reindex,
}

CONTEXTS: Final[Mapping[Access, Callable[..., Any]]] = {
    Access.WRITE: WriteCtx,
    Access.DECIDE: DecideCtx,
    Access.ADMIN: AdminCtx,
}


class UnknownMethod(Exception):
    """No operation has that name."""


def require_complete(
    operations: tuple[Operation, ...] = OPERATIONS, handlers: Mapping[str, Handler] = HANDLERS
) -> None:
    """Raise ``LookupError`` unless the table and the handlers name the same operations."""
    named = {row.name for row in operations}
    if named != handlers.keys():
        raise LookupError(f"operations without a handler or the reverse: {sorted(named ^ handlers.keys())}")


def operation(method: str) -> Operation:
    """The row of a method. Raises :class:`UnknownMethod`."""
    row = BY_NAME.get(method)
    if row is None:
        raise UnknownMethod(method)
    return row


@frozen
class Request:
    """Typed params of a row, and what is worth a warning in them: only verbs let such things pass."""

    row: Operation
    params: Any
    warnings: list[dict[str, str]]


def parse(row: Operation, connection: Connection, raw: Any, *, command: bool = False) -> Request:
    """Typed params; complaints come in a fixed order: leave to decide, the session, then the rest."""
    if row.is_verb:
        typed: tuple[Any, list[dict[str, str]]] = read_verb_params(raw, row.params)
        return Request(row, *typed)
    if row.access is Access.DECIDE and (command or not connection.may_decide):
        raise write_denied(Outcome.REJECTED, None, reason="not-an-approver", suggestion=_DECIDE_ADVICE)
    if row.session_required and _names_no_session(connection, raw):
        raise write_requires_agent()
    if type(raw) is list:
        raise invalid_input(Problem("$", "params go by name, not by position"), shape=True)
    params: Any = structure({} if raw is None else raw, row.params, forbid_unknown=row.refuses_unknown_fields)
    return Request(row, params, [])


_DECIDE_ADVICE: Final = (
    "Only the person's own client decides: an editor that announced an approver, or a terminal."
)


def _names_no_session(connection: Connection, raw: Any) -> bool:
    given = raw.get("session", UNSET) if type(raw) is dict else UNSET
    return given is None or (given is UNSET and connection.default_session is None)


async def run(ctx: ReadCtx, gate: Gate, request: Request) -> Any:
    """Run a request with the kind of context that its access gives it; returns JSON-ready values."""
    try:
        result = unstructure(await _handle(ctx, gate, request.row, request.params))
    except Fault as fault:
        if request.row.is_verb:
            raise as_verb_fault(fault) from fault
        raise
    if request.warnings:
        result["_meta"] = {"warnings": request.warnings}
    return result


async def _handle(ctx: ReadCtx, gate: Gate, row: Operation, params: Any) -> Any:
    handler = HANDLERS[row.name]
    make = CONTEXTS.get(row.access)
    if make is None:
        return await handler(ctx, params)
    widened = make(
        store=ctx.store,
        settings=ctx.settings,
        rules_for=ctx.rules_for,
        stamp=ctx.stamp,
        connection=ctx.connection,
        registry=ctx.registry,
        progress=ctx.progress,
        after_reply=ctx.after_reply,
        data_folder=ctx.data_folder,
        page_files=ctx.page_files,
        pages=ctx.pages,
        gate=gate,
    )
    return await handler(widened, params)
