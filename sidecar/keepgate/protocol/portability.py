"""Adapters, import and export (DSH-8, DSH-9)."""

from typing import Annotated, Any, Final

from attrs import frozen

from keepgate.protocol.entries import UNSET, Entry, SessionParam, Usage

EXPORT_PLUGIN: Final = "dsh-memento"
EXPORT_SCHEMA: Final = "memory-export-v1"
ADAPTER_ID_FORM: Final = "[a-z0-9][a-z0-9-]*"


@frozen(kw_only=True)
class Envelope:
    """``memory-export-v1``: the portable export (DSH-8)."""

    plugin: Annotated[str, "Always `dsh-memento`."]
    schema: Annotated[str, "Always `memory-export-v1`."]
    exported_at: Annotated[str, "ISO 8601 with `Z`."]
    budgets: Annotated[list[Usage], "Four rows."]
    entries: list[Entry]


@frozen(kw_only=True)
class ExportParams:
    """Params of ``memory/export``."""

    adapter: Annotated[str | None, "Adapter id; absent: the portable envelope."] = None
    all_workspaces: bool = False
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ExportParts:
    """Result of ``memory/export`` above 1,000 entries."""

    parts: Annotated[list[Envelope], "Valid envelopes of at most 1,000 entries each, in creation order."]


@frozen(kw_only=True)
class ImportParams:
    """Params of ``memory/import``: exactly one of ``payload`` and ``path``."""

    payload: Annotated[Any, "The envelope, or what the adapter accepts."] = None
    path: Annotated[str | None, "Absolute path of a UTF-8 file, at most 16 MiB."] = None
    adapter: Annotated[str | None, "Adapter id; absent: the portable envelope."] = None
    dry_run: Annotated[bool, "Say what would happen, ask nobody, store nothing."] = False
    work_done_token: Annotated[str | int | None, "Where to report progress."] = None
    session: SessionParam = UNSET


@frozen(kw_only=True)
class ImportNote:
    """Something the import changed on the way in, or would refuse."""

    path: str
    problem: str


@frozen(kw_only=True)
class ImportResult:
    """Result of ``memory/import``; a dry run returns the same fields and stores nothing."""

    added: Annotated[int, "Entries stored; 0 in a dry run."]
    entries: list[Entry]
    usage: Annotated[list[Usage], "The layers as they are, or in a dry run as they would be."]
    problems: Annotated[list[ImportNote], "What was mapped, renamed or would be refused."]


@frozen(kw_only=True)
class AdapterInfo:
    """A registered adapter."""

    id: Annotated[str, "`[a-z0-9][a-z0-9-]*`"]
    name: str
    description: str
    version: str
    import_formats: list[str]
    export_format: str


@frozen(kw_only=True)
class AdaptersListParams:
    """Params of ``adapters/list``."""


@frozen(kw_only=True)
class AdaptersListResult:
    """Result of ``adapters/list``, sorted by id."""

    adapters: list[AdapterInfo]


@frozen(kw_only=True)
class AdaptersRegisterParams:
    """Params of ``adapters/register``; the client then answers ``adapters/adapt`` and ``adapters/export``."""

    id: str
    name: str
    description: str
    version: str
    import_formats: list[str]
    export_format: str


@frozen(kw_only=True)
class AdaptersRegisterResult:
    """Result of ``adapters/register``; the adapter vanishes with its connection."""

    adapter: AdapterInfo


@frozen(kw_only=True)
class AdaptersUnregisterParams:
    """Params of ``adapters/unregister``."""

    id: str


@frozen(kw_only=True)
class AdaptersUnregisterResult:
    """Result of ``adapters/unregister``."""


@frozen(kw_only=True)
class AdaptersAdaptParams:
    """Params of the request ``adapters/adapt`` to the client that registered the adapter."""

    id: str
    payload: Any


@frozen(kw_only=True)
class AdaptersAdaptResult:
    """What the client answers: drafts in the envelope's field names."""

    entries: list[dict[str, Any]]


@frozen(kw_only=True)
class AdaptersExportParams:
    """Params of the request ``adapters/export`` to the client that registered the adapter."""

    id: str
    entries: list[Entry]


@frozen(kw_only=True)
class AdaptersExportResult:
    """What the client answers."""

    payload: Annotated[Any, "May be null, which is not the same as missing."]
