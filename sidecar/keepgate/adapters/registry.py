"""The adapters of a process, and the only door through which they are run (DSH-9)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from traceback import format_exception_only
from types import MappingProxyType
from typing import Any, Final, TypeVar

from attrs import evolve, frozen

from keepgate.adapters.contract import Adapted, AdaptedEntry, Adapter, EntryPointLike
from keepgate.adapters.describing import REASON_UNITS_MAX, described, load_entry_points
from keepgate.core.model.entry import clean_tags, text_problems
from keepgate.core.model.text import excerpt
from keepgate.protocol.entries import IMPORT_ENTRIES_MAX, DraftParams, Entry, Scope, Track
from keepgate.protocol.errors import (
    Code,
    Fault,
    Problem,
    adapter_not_found,
    adapter_payload,
    invalid_input,
)
from keepgate.protocol.portability import AdapterInfo, ImportNote
from keepgate.protocol.wire import encode, structure

_CHECKED_MAX: Final = IMPORT_ENTRIES_MAX + 1
"""Of more entries than an import takes, this many are enough to refuse it."""
T = TypeVar("T")


@frozen
class _Row:
    adapter: Adapter
    info: AdapterInfo


class Registry:
    """Adapters by id. The table is replaced, never changed, so a listing under way stays whole.

    Those that ``installed`` packages offer are loaded when somebody first asks for more than the built-in
    ones, not at each start; they cannot take the ids of those.
    """

    def __init__(
        self,
        built_in: Iterable[Adapter] = (),
        installed: Callable[[], Iterable[EntryPointLike]] = tuple,
    ) -> None:
        self._rows: Mapping[str, _Row] = MappingProxyType({})
        self._notices: list[str] = []
        for adapter in built_in:
            self._register(adapter)
        self._installed: Callable[[], Iterable[EntryPointLike]] | None = installed

    def register(self, adapter: Adapter) -> Callable[[], None]:
        """Offer ``adapter`` under its id; the disposer takes this registration back, and only this one.

        Raises ``INVALID_INPUT`` for a bad description and for an id that is taken.
        """
        self._complete()
        return self._register(adapter)

    def _register(self, adapter: Adapter) -> Callable[[], None]:
        info = described(adapter)
        problems = [
            Problem(f"$.{name}", "must be a function")
            for name in ("adapt", "export")
            if not callable(getattr(adapter, name, None))
        ]
        if info.id in self._rows:
            problems.append(Problem("$.id", f"{info.id} is registered already"))
        if problems:
            raise invalid_input(*problems)
        row = _Row(adapter, info)
        self._rows = MappingProxyType({**self._rows, info.id: row})

        def dispose() -> None:
            if self._rows.get(info.id) is row:
                self._rows = MappingProxyType(
                    {key: value for key, value in self._rows.items() if key != info.id}
                )

        return dispose

    def get(self, adapter_id: str) -> Adapter:
        """The adapter with that id; raises ``ADAPTER_NOT_FOUND``."""
        if adapter_id not in self._rows:
            self._complete()
        row = self._rows.get(adapter_id)
        if row is None:
            raise adapter_not_found(adapter_id)
        return row.adapter

    def list(self) -> tuple[AdapterInfo, ...]:
        """Every adapter, sorted by id."""
        self._complete()
        return tuple(self._rows[key].info for key in sorted(self._rows))

    def take_notices(self) -> Sequence[str]:
        """A sentence about each installed adapter that was left out, told once."""
        notices, self._notices = self._notices, []
        return notices

    def _complete(self) -> None:
        if self._installed is None:
            return
        points, self._installed = self._installed(), None
        adapters, self._notices = load_entry_points(points)
        for adapter in adapters:
            try:
                self._register(adapter)
            except Fault as fault:
                self._notices.append(f"adapter {adapter.id} was left out: {fault.message}")


def adapt(adapter: Adapter, payload: Any) -> Adapted:
    """What ``adapter`` makes of ``payload``, checked: every entry could be stored as it stands.

    An adapter may return an :class:`Adapted` or, as a client's does, a mapping with drafts under ``entries``.
    Raises ``ADAPTER_PAYLOAD`` for everything that goes wrong in the adapter and in what it returns.
    """

    def run() -> Any:
        found: Any = adapter.adapt(payload)
        return _of_mapping(adapter.id, found) if isinstance(found, Mapping) else found

    return _checked(adapter.id, _guarded(adapter.id, run))


def export(adapter: Adapter, entries: Sequence[Entry]) -> Any:
    """The payload that ``adapter`` makes of ``entries``, JSON-ready; raises ``ADAPTER_PAYLOAD``."""

    def run() -> Any:
        payload = adapter.export(entries)
        encode(payload)
        return payload

    return _guarded(adapter.id, run)


def _of_mapping(adapter_id: str, found: Mapping[str, Any]) -> Adapted:
    if "entries" not in found:
        raise adapter_payload(adapter_id, "$.entries: is missing from what the adapter returned")
    entries, notes = found["entries"], found.get("notes", ())
    drafts = list(entries) if isinstance(entries, (list, tuple)) else entries
    adapted = adapted_drafts(adapter_id, drafts)
    return evolve(adapted, notes=tuple(structure(list(notes), list[ImportNote], root="$.notes")))


def adapted_drafts(adapter_id: str, drafts: Any) -> Adapted:
    """What a client's adapter answered: drafts in the envelope's field names, checked like any other.

    Raises ``ADAPTER_PAYLOAD``.
    """
    if not isinstance(drafts, list):
        raise adapter_payload(adapter_id, "$.entries: expected an array")
    some = enumerate(drafts[:_CHECKED_MAX])
    return _checked(adapter_id, Adapted(tuple(_drafted(adapter_id, *item) for item in some)))


def _drafted(adapter_id: str, index: int, draft: Any) -> AdaptedEntry:
    try:
        typed = structure(draft, DraftParams)
    except Fault as fault:
        reason = f"$.entries[{index}]{fault.message.removeprefix('$')}"
        raise adapter_payload(adapter_id, reason) from None
    return as_stated(typed)


def as_stated(draft: DraftParams) -> AdaptedEntry:
    """An entry as a draft states it; a label left empty is none."""
    return AdaptedEntry(
        track=draft.track,
        scope=draft.scope,
        text=draft.text,
        tags=tuple(draft.tags or ()),
        source=draft.source or None,
        workspace_key=draft.workspace_key,
        agent_key=draft.agent_key,
    )


def _guarded(adapter_id: str, run: Callable[[], T]) -> T:
    try:
        return run()
    except Fault as fault:
        if fault.code is Code.ADAPTER_PAYLOAD:
            raise
        raise adapter_payload(adapter_id, fault.message) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code may raise anything
        reason = excerpt("".join(format_exception_only(error)).strip(), REASON_UNITS_MAX)
        raise adapter_payload(adapter_id, f"the adapter failed: {reason}") from None


def _checked(adapter_id: str, adapted: Any) -> Adapted:
    entries: Any = getattr(adapted, "entries", None)
    notes: Any = getattr(adapted, "notes", None)
    if not isinstance(adapted, Adapted) or type(entries) is not tuple:
        raise adapter_payload(adapter_id, "the adapter returned something else than entries")
    if type(notes) is not tuple or not all(_is_note(note) for note in notes):
        raise adapter_payload(adapter_id, "the adapter returned something else than notes")
    some = enumerate(entries[:_CHECKED_MAX])
    return Adapted(tuple(_entry(adapter_id, index, entry) for index, entry in some), notes)


def _is_note(note: Any) -> bool:
    if not isinstance(note, ImportNote):
        return False
    words: tuple[Any, ...] = (note.path, note.problem)
    return all(isinstance(word, str) for word in words)


def _entry(adapter_id: str, index: int, entry: Any) -> AdaptedEntry:
    path = f"$.entries[{index}]"

    def refuse(problem: str) -> Fault:
        return adapter_payload(adapter_id, f"{path}{problem}")

    if not isinstance(entry, AdaptedEntry):
        raise refuse(": expected an entry")
    for name in ("text", "source", "workspace_key", "agent_key"):
        value = getattr(entry, name)
        if not isinstance(value, str) and (value is not None or name == "text"):
            raise refuse(f".{name}: expected text")
    labels: Any = entry.tags
    if type(labels) is not tuple or not all(isinstance(tag, str) for tag in labels):
        raise refuse(".tags: expected a tuple of texts")
    tags, tag_problems = clean_tags(entry.tags)
    for problem in (*text_problems(entry.text), *tag_problems):
        raise refuse(f"{problem.path.removeprefix('$')}: {problem.problem}")
    try:
        return evolve(entry, track=Track(entry.track), scope=Scope(entry.scope), tags=tags)
    except ValueError:
        raise refuse(": expected a track and a scope of the contract") from None
