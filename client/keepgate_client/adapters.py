"""Adapters that run in this client: foreign memory formats the sidecar can import and export (DSH-9)."""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from attrs import frozen

from keepgate.protocol.entries import Entry
from keepgate.protocol.errors import adapter_not_found, adapter_payload
from keepgate.protocol.portability import (
    AdapterInfo,
    AdaptersAdaptParams,
    AdaptersAdaptResult,
    AdaptersExportParams,
    AdaptersExportResult,
    AdaptersRegisterParams,
    AdaptersRegisterResult,
    AdaptersUnregisterParams,
    AdaptersUnregisterResult,
)
from keepgate.protocol.wire import structure, unstructure
from keepgate_client.connection import Connection

Drafts = Iterable[dict[str, Any]]
TypedCall = Callable[[str, Any, type[Any]], Awaitable[Any]]


@frozen(kw_only=True)
class ClientAdapter:
    """An adapter: how it is listed, and its two conversions, which may be asynchronous.

    ``adapt`` makes drafts, in the field names of the portable envelope, from a payload; ``export`` makes
    a payload from entries. Both raise ``ValueError`` with the reason for what they cannot convert.
    """

    info: AdapterInfo
    adapt: Callable[[Any], Drafts | Awaitable[Drafts]]
    export: Callable[[list[Entry]], Any]


class ClientAdapters:
    """The adapters this client offers to its sidecar; they vanish with the connection."""

    def __init__(self, connection: Connection, call: TypedCall) -> None:
        self._call = call
        self._adapters: dict[str, ClientAdapter] = {}
        connection.on_request("adapters/adapt", self._adapt)
        connection.on_request("adapters/export", self._export)

    async def register(self, adapter: ClientAdapter) -> AdapterInfo:
        """Offer an adapter; returns it as the sidecar lists it. Raises ``INVALID_INPUT``."""
        info = adapter.info
        params = AdaptersRegisterParams(
            id=info.id,
            name=info.name,
            description=info.description,
            version=info.version,
            import_formats=info.import_formats,
            export_format=info.export_format,
        )
        registered: AdaptersRegisterResult = await self._call(
            "adapters/register", params, AdaptersRegisterResult
        )
        self._adapters[info.id] = adapter
        return registered.adapter

    async def unregister(self, adapter_id: str) -> None:
        """Withdraw an adapter of this client. Raises ``ADAPTER_NOT_FOUND``."""
        params = AdaptersUnregisterParams(id=adapter_id)
        await self._call("adapters/unregister", params, AdaptersUnregisterResult)
        self._adapters.pop(adapter_id, None)

    async def _adapt(self, params: Any) -> Any:
        asked = structure(params, AdaptersAdaptParams)
        drafts = await self._convert(asked.id, self._find(asked.id).adapt, asked.payload)
        return unstructure(AdaptersAdaptResult(entries=list(drafts)))

    async def _export(self, params: Any) -> Any:
        asked = structure(params, AdaptersExportParams)
        payload = await self._convert(asked.id, self._find(asked.id).export, asked.entries)
        return unstructure(AdaptersExportResult(payload=payload))

    def _find(self, adapter_id: str) -> ClientAdapter:
        if adapter_id not in self._adapters:
            raise adapter_not_found(adapter_id)
        return self._adapters[adapter_id]

    async def _convert(self, adapter_id: str, conversion: Callable[[Any], Any], value: Any) -> Any:
        try:
            converted = conversion(value)
            return await converted if inspect.isawaitable(converted) else converted
        except ValueError as error:
            raise adapter_payload(adapter_id, str(error)) from error
