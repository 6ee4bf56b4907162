"""The operations ``adapters/*``, and running an adapter wherever it lives: here, or at a client."""

from collections.abc import Sequence
from typing import Any

from keepgate.adapters.contract import Adapted
from keepgate.adapters.describing import described
from keepgate.adapters.registry import adapt, adapted_drafts, export
from keepgate.protocol import portability as port
from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import Problem, adapter_not_found, adapter_payload, invalid_input
from keepgate.service.connection import PeerError
from keepgate.service.context import AdminCtx, ReadCtx
from keepgate.service.threads import in_thread


async def list_adapters(ctx: ReadCtx, params: port.AdaptersListParams) -> port.AdaptersListResult:
    """Built-in, installed and this client's adapters, sorted by id."""
    found = [*ctx.registry.list(), *ctx.connection.adapters.values()]
    return port.AdaptersListResult(adapters=sorted(found, key=lambda info: info.id))


async def register(ctx: AdminCtx, params: port.AdaptersRegisterParams) -> port.AdaptersRegisterResult:
    """Offer an adapter that this client runs. It vanishes with the connection."""
    info = described(params)
    if info.id in ctx.connection.adapters or any(info.id == known.id for known in ctx.registry.list()):
        raise invalid_input(Problem("$.id", f"{info.id} is registered already"))
    ctx.connection.adapters[info.id] = info
    return port.AdaptersRegisterResult(adapter=info)


async def unregister(ctx: AdminCtx, params: port.AdaptersUnregisterParams) -> port.AdaptersUnregisterResult:
    """Withdraw an adapter of this client; the built-in ones stay."""
    if ctx.connection.adapters.pop(params.id, None) is None:
        raise adapter_not_found(params.id)
    return port.AdaptersUnregisterResult()


async def run_adapt(ctx: ReadCtx, adapter_id: str, payload: Any) -> Adapted:
    """Entries from a foreign payload. Raises ``ADAPTER_NOT_FOUND`` and ``ADAPTER_PAYLOAD``."""
    if adapter_id not in ctx.connection.adapters:
        return await in_thread(adapt, ctx.registry.get(adapter_id), payload)
    params = port.AdaptersAdaptParams(id=adapter_id, payload=payload)
    try:
        answer = await ctx.connection.peer.request("adapters/adapt", params, port.AdaptersAdaptResult)
    except PeerError as error:
        raise adapter_payload(adapter_id, f"the client's adapter failed: {error}") from None
    return await in_thread(adapted_drafts, adapter_id, answer.entries)


async def run_export(ctx: ReadCtx, adapter_id: str, entries: Sequence[Entry]) -> Any:
    """Entries in an adapter's format. Raises ``ADAPTER_NOT_FOUND`` and ``ADAPTER_PAYLOAD``."""
    if adapter_id not in ctx.connection.adapters:
        return await in_thread(export, ctx.registry.get(adapter_id), entries)
    params = port.AdaptersExportParams(id=adapter_id, entries=list(entries))
    try:
        answer = await ctx.connection.peer.request("adapters/export", params, port.AdaptersExportResult)
    except PeerError as error:
        raise adapter_payload(adapter_id, f"the client's adapter failed: {error}") from None
    return answer.payload


def import_formats(ctx: ReadCtx, adapter_id: str) -> Sequence[str]:
    """What an adapter accepts. Raises ``ADAPTER_NOT_FOUND``."""
    of_client = ctx.connection.adapters.get(adapter_id)
    return (of_client or ctx.registry.get(adapter_id)).import_formats
