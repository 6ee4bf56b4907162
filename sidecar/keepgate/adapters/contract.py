"""What an adapter is: a named pair of functions between a foreign payload and entries (DSH-9)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from attrs import frozen

from keepgate.protocol.entries import Entry, Scope, Track
from keepgate.protocol.portability import ImportNote


@frozen(kw_only=True)
class AdaptedEntry:
    """An entry as a foreign payload states it. ``None`` means that the payload does not say.

    ``source`` and ``workspace_key`` are as stated; the import turns them into what the store accepts and
    reports what it changed. An ``agent_key`` of ``""`` states the shared layer.
    """

    track: Track
    scope: Scope
    text: str
    tags: tuple[str, ...] = ()
    source: str | None = None
    workspace_key: str | None = None
    agent_key: str | None = None


@frozen
class Adapted:
    """What ``adapt`` returns: the entries in the payload's order, and what could not be kept as it was."""

    entries: tuple[AdaptedEntry, ...]
    notes: tuple[ImportNote, ...] = ()


class Described(Protocol):
    """The attributes by which an adapter is listed."""

    @property
    def id(self) -> str:
        """``[a-z0-9][a-z0-9-]*``, unique in a registry."""

    @property
    def name(self) -> str:
        """What a person calls it."""

    @property
    def description(self) -> str:
        """One sentence."""

    @property
    def version(self) -> str:
        """Of the converter, not of the format."""

    @property
    def import_formats(self) -> Sequence[str]:
        """What ``adapt`` accepts, in words or media types; may be empty."""

    @property
    def export_format(self) -> str:
        """What ``export`` returns."""


class Adapter(Described, Protocol):
    """A pure converter. It raises ``ADAPTER_PAYLOAD`` for what it cannot convert."""

    def adapt(self, payload: Any) -> Adapted | Mapping[str, Any]:
        """Entries from decoded JSON or text; all of the payload or a fault, never a part of it.

        A mapping has drafts under ``entries``, with the field names of the portable envelope, and may have
        ``notes``, each with ``path`` and ``problem``.
        """

    def export(self, entries: Sequence[Entry]) -> Any:
        """A JSON-ready payload in the adapter's format, or a fault."""


@frozen(kw_only=True)
class PureAdapter:
    """An adapter made of two functions."""

    id: str
    name: str
    description: str
    version: str
    import_formats: tuple[str, ...]
    export_format: str
    adapt: Callable[[Any], Adapted | Mapping[str, Any]]
    export: Callable[[Sequence[Entry]], Any]


class EntryPointLike(Protocol):
    """An entry point of the group ``keepgate.adapters``."""

    @property
    def name(self) -> str:
        """The name it was published under."""

    def load(self) -> Any:
        """Import the adapter, or a class that makes one without arguments."""
