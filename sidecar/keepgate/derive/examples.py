"""Example payloads from the types: the least, the most, broken ones, and one to show for each operation.

Values are taken by field name where a plain one would be refused or say nothing, else by type.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, get_args, get_origin

import attrs
from attrs import frozen

from keepgate.derive.fields import Field, fields_of, is_enum, is_nullable, members_of
from keepgate.protocol import entries as e
from keepgate.protocol import portability as port
from keepgate.protocol.operation import Operation

_ID: Final = "3f2a1c9e-8d4b-4e6f-9a7c-5b1d0e2f3a4b"
_HASH: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_TEXT: Final = "Run `make check` before every commit."
_TAGS: Final = ["build"]
_FACT: Final = "Releases are cut on Thursdays."
_ROWS: Final = [
    {"track": str(track), "scope": str(scope), "used": 120, "limit": 2000} for track, scope in e.LAYERS
]
_BY_FIELD: Final[Mapping[tuple[str, str], Any]] = {
    ("SessionRef", "id"): "session-1",
    ("SessionOpenParams", "id"): "session-1",
    ("SessionCloseParams", "id"): "session-1",
    ("AdapterInfo", "id"): "my-notes",
    ("AdaptersRegisterParams", "id"): "my-notes",
    ("AdaptersUnregisterParams", "id"): "my-notes",
    ("AdaptersAdaptParams", "id"): "my-notes",
    ("AdaptersExportParams", "id"): "my-notes",
    ("ApprovalAnswer", "outcome"): "allowed-once",
    ("ReplaceParams", "text"): "Run `make check` and `make docs` before every commit.",
    ("KeepgateCapabilities", "approval"): "message",
    ("Envelope", "budgets"): _ROWS,
    ("BudgetsResult", "budgets"): _ROWS,
    ("ForgetParams", "id"): "42",
    ("ForgetResult", "id"): "42",
    ("RememberResult", "id"): "42",
    ("DryRun", "id"): "42",
    ("PackFact", "fact_id"): "42",
    ("RecallFact", "id"): 42,
    ("RecallFact", "fact_id"): "42",
    ("RecallFact", "source"): "user said in chat",
    ("PagePutParams", "content"): "---\ntitle: Alice\n---\n\nRuns the [[projects/apollo]] team.\n",
    ("PageLinkParams", "from"): "people/alice",
    ("PageLinkParams", "to"): "projects/apollo",
    ("PageLinkParams", "type"): "works_on",
    ("PageLink", "from"): "people/alice",
    ("PageLink", "to"): "projects/apollo",
    ("ContextPackParams", "entities"): "people/alice, projects/apollo",
    ("DeltaParams", "entities"): "people/alice, projects/apollo",
    ("SynthesizeParams", "since"): "2026-11-01",
    ("FactSettings", "home"): "workspace",
}
_BY_NAME: Final[Mapping[str, Any]] = {
    "fact": _FACT,
    "provenance": "user said in chat",
    "ttl": "30d",
    "entity": "projects/apollo",
    "entity_slug": "projects/apollo",
    "name": "Apollo",
    "query": "release day",
    "question": "When are releases cut?",
    "slug": "people/alice",
    "date": "2026-11-30",
    "budget_tokens": 800,
    "since": "2026-11-30T08:00:00.000Z",
    "valid_from": "2026-11-30T08:00:00.000Z",
    "valid_until": "2026-12-30T08:00:00.000Z",
    "created_at": "2026-11-30T08:00:00.000Z",
    "updated_at": "2026-11-30T08:00:00.000Z",
    "track": "agent",
    "scope": "workspace",
    "id": _ID,
    "entryId": _ID,
    "proposalId": _ID,
    "text": _TEXT,
    "to": _TEXT,
    "from": "Run the tests before every commit.",
    "match": "make check",
    "matches": ["make check", "run the tests"],
    "tags": _TAGS,
    "source": e.DEFAULT_SOURCE,
    "agentKey": "",
    "agentPreset": "reviewer",
    "cwd": "/srv/project",
    "workspaceKey": "/srv/project",
    "path": "/srv/project/MEMORY.md",
    "storePath": "/srv/data/keepgate/memory.db",
    "sessionId": "session-1",
    "hash": _HASH,
    "head": _HASH,
    "action": "add",
    "outcome": "allowed-once (via approval, writePolicy ask)",
    "plugin": port.EXPORT_PLUGIN,
    "schema": port.EXPORT_SCHEMA,
    "exportedAt": "2025-01-02T03:04:05.678Z",
    "health": "ok",
    "adapter": "claude-code-memory-md",
    "framing": "lsp",
    "home": "workspace",
    "surface": "full",
    "workspaceIdentity": "path",
    "importFormats": ["text/plain"],
    "exportFormat": "text/plain",
    "payload": {"text": "- Run `make check` before every commit.\n"},
    "change": {"action": "add", "track": "agent", "scope": "workspace", "text": _TEXT},
    "by": {"client": "an editor", "channel": "approval"},
    "uri": "file:///srv/project",
    "key": "/srv/project",
    "rule": "cwd",
}
# The optional fields that a shown request has.
_SHOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "memory/add": ("tags", "session"),
    "memory/replace": ("match", "session"),
    "memory/remove": ("match", "session"),
    "memory/consolidate": ("matches", "tags", "session"),
    "memory/query": ("text", "limit", "session"),
    "memory/audit": ("limit", "action"),
    "memory/list": ("track", "limit"),
    "memory/snapshot": ("session",),
    "memory/export": ("adapter",),
    "memory/import": ("path", "adapter", "dryRun", "session"),
    "proposals/list": ("status",),
    "session/open": ("agentPreset", "cwd", "default"),
    "verbs/recall": ("query", "entity", "budget_tokens"),
    "verbs/remember": ("entity", "ttl"),
    "verbs/context_pack": ("budget_tokens",),
    "verbs/delta": ("since", "entities"),
    "pages/link": ("type",),
}


def minimal(cls: type) -> dict[str, Any]:
    """The required fields alone."""
    return _object(cls, [field for field in fields_of(cls) if field.required], full=False)


def full(cls: type) -> dict[str, Any]:
    """Every field, none of them ``null``."""
    return _object(cls, fields_of(cls), full=True)


def example_params(row: Operation) -> dict[str, Any]:
    """Params as a person would write them first."""
    shown = _SHOWN.get(row.name, ("session",) if row.session_required else ())
    fields = [field for field in fields_of(row.params) if field.required or field.wire_name in shown]
    return _object(row.params, fields, full=False)


@frozen
class Broken:
    """A payload that must be refused, and why."""

    why: str
    payload: Any


def broken(cls: type, *, closed: bool) -> Iterator[Broken]:
    """Payloads that differ from the full one in one place which the type forbids."""
    good = full(cls)
    yield Broken("not an object", [])
    for field in fields_of(cls):
        name = field.wire_name
        if field.required:
            yield Broken(f"{name} is missing", {key: value for key, value in good.items() if key != name})
        if (wrong := _wrong_type(field.hint)) is not _NONE:
            yield Broken(f"{name} has a wrong type", {**good, name: wrong})
        if not is_nullable(field.hint) and field.hint is not Any:
            yield Broken(f"{name} is null", {**good, name: None})
        if any(is_enum(member) for member in members_of(field.hint)):
            yield Broken(f"{name} is an unknown word", {**good, name: "no-such-word"})
    if closed:
        yield Broken("an unknown field", {**good, "noSuchField": 1})


_NONE: Final = object()


def _wrong_type(hint: Any) -> Any:
    members = members_of(hint)
    if Any in members:
        return _NONE
    takes_numbers = any(member in (int, float) for member in members)
    return {"wrong": True} if takes_numbers and str in members else "5" if takes_numbers else 5


def _object(cls: type, fields: Any, *, full: bool) -> dict[str, Any]:
    return {field.wire_name: _value(cls, field, full=full) for field in fields}


def _value(cls: type, field: Field, *, full: bool) -> Any:
    named = _BY_FIELD.get((cls.__name__, field.wire_name), _BY_NAME.get(field.wire_name, _NONE))
    (first, *_) = members_of(field.hint)
    if named is not _NONE and _fits(named, first):
        return named
    return _by_type(first, full=full)


def _fits(value: Any, hint: Any) -> bool:
    if is_enum(hint):
        return value in [item.value for item in hint]
    origin = get_origin(hint) or hint
    return hint is Any or (isinstance(origin, type) and isinstance(value, origin))


def _by_type(hint: Any, *, full: bool) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if is_enum(hint):
        return next(iter(hint)).value
    if attrs.has(hint):
        return _object(hint, [f for f in fields_of(hint) if full or f.required], full=full)
    if origin in (list, tuple):
        return [_by_type(args[0], full=full)]
    if origin is dict:
        return {"key": _by_type(args[1], full=full)}
    return {str: "words", int: 7, float: 0.5, bool: True}.get(hint, {"any": "JSON"})
