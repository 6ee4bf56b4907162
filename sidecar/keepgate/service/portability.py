"""Import and export (DSH-8): what comes in goes through ``seed``, what goes out is in sight and complete."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from keepgate.adapters.contract import AdaptedEntry
from keepgate.adapters.registry import as_stated
from keepgate.core.model.entry import slug_source, source_problems
from keepgate.core.model.text import one_line
from keepgate.core.model.times import iso
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import homes_of
from keepgate.gate.preview import preview
from keepgate.protocol import portability as port
from keepgate.protocol.entries import IMPORT_ENTRIES_MAX, DraftParams, Entry, Scope
from keepgate.protocol.errors import Problem, adapter_payload, invalid_input
from keepgate.protocol.lifecycle import FRAME_BYTES_MAX
from keepgate.protocol.wire import decode, structure
from keepgate.service.adapting import import_formats, run_adapt, run_export
from keepgate.service.context import ReadCtx, WriteCtx
from keepgate.service.drafts import one_of, seed_change
from keepgate.service.reading import usage_rows
from keepgate.service.threads import in_thread
from keepgate.store import reads

_STEPS: Final = 4


async def import_memories(ctx: WriteCtx, params: port.ImportParams) -> port.ImportResult:
    """One question, one transaction, all or nothing; ids, times and counters are fresh (DSH-8)."""
    author = ctx.writing_author(params.session)
    ctx.progress.begin("Importing memories")
    try:
        payload = await _payload(ctx, params)
        ctx.progress.report(1, _STEPS)
        drafts, notes = await _drafts(ctx, params.adapter, payload, author)
        ctx.progress.report(2, _STEPS)
        change = seed_change(drafts, author, ctx.connection.keys)
        if params.dry_run:
            await ctx.gate.screen.require_clean(change)
            budgets = ctx.rules_for(homes_of(change, author)).settings.budgets
            steps, uses = await preview(ctx.store, change, author, budgets, ctx.stamp())
            over = [
                port.ImportNote(
                    path="$.entries",
                    problem=f"{use.layer.name} would need {use.after} of {use.limit} units",
                )
                for use in uses
                if use.after > use.limit
            ]
            return port.ImportResult(
                added=0,
                entries=[step.entry for step in steps],
                usage=[use.usage for use in uses],
                problems=[*notes, *over],
            )
        ours = all(draft.source is None for draft in drafts)
        receipt = await ctx.gate.submit(change, author, ctx.connection.asker, label_is_ours=ours)
        ctx.progress.report(_STEPS, _STEPS)
        return port.ImportResult(
            added=len(receipt.steps),
            entries=[step.entry for step in receipt.steps],
            usage=list(receipt.usage),
            problems=notes,
        )
    finally:
        ctx.progress.end()


async def _payload(ctx: ReadCtx, params: port.ImportParams) -> Any:
    if problem := one_of("$", "payload", params.payload, "path", params.path):
        raise invalid_input(problem, shape=params.path is None)
    if params.path is None:
        return params.payload
    if ctx.connection.remote:
        raise invalid_input(Problem("$.path", "is for local callers; send the payload itself"))
    formats = None if params.adapter is None else import_formats(ctx, params.adapter)
    # In a thread: the file may be large, and others are served meanwhile.
    return await in_thread(_content, Path(params.path), params.adapter, formats)


def _content(path: Path, adapter: str | None, formats: Sequence[str] | None) -> Any:
    content = _read(path)
    if adapter is None or formats is None:
        try:
            return decode(content)
        except ValueError as error:
            raise invalid_input(Problem("$.path", f"the file is not JSON: {error}")) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise adapter_payload(adapter, f"the file is not UTF-8 at byte {error.start}") from None
    if any(form.startswith("text/") for form in formats):
        return text
    try:
        return decode(content)
    except ValueError:
        return text  # Line formats are not one JSON value; the adapter says what is wrong with it.


def _read(path: Path) -> bytes:
    if not path.is_absolute():
        raise invalid_input(Problem("$.path", "must be an absolute path"))
    try:
        if path.is_file() and path.stat().st_size > FRAME_BYTES_MAX:
            raise invalid_input(Problem("$.path", f"the file has more than {FRAME_BYTES_MAX} bytes"))
        if not path.is_file():
            raise invalid_input(Problem("$.path", f"is not a file: {one_line(str(path))}"))
        return path.read_bytes()
    except OSError as error:
        raise invalid_input(Problem("$.path", f"cannot be read: {error.strerror}")) from None


async def _drafts(
    ctx: ReadCtx, adapter: str | None, payload: Any, author: Author
) -> tuple[list[DraftParams], list[port.ImportNote]]:
    if adapter is not None:
        adapted = await run_adapt(ctx, adapter, payload)
        entries, notes = adapted.entries, list(adapted.notes)
    else:
        entries, notes = await in_thread(_envelope_entries, payload), []
    if len(entries) > IMPORT_ENTRIES_MAX:
        reason = f"has more than {IMPORT_ENTRIES_MAX} entries, which one import takes"
        raise invalid_input(Problem("$.payload", reason))
    fitted = [_fit(entry, f"$.entries[{index}]", ctx, author, notes) for index, entry in enumerate(entries)]
    return fitted, notes


def _envelope_entries(payload: Any) -> tuple[AdaptedEntry, ...]:
    if type(payload) is not dict:
        raise invalid_input(Problem("$.payload", "must be a memory-export-v1 object"))
    for name, wanted in (("plugin", port.EXPORT_PLUGIN), ("schema", port.EXPORT_SCHEMA)):
        if payload.get(name) != wanted:
            raise invalid_input(Problem(f"$.payload.{name}", f"must be {wanted}"))
    listed = payload.get("entries")
    # Of more than an import takes, one is enough to say so.
    some = listed[: IMPORT_ENTRIES_MAX + 1] if type(listed) is list else listed
    return tuple(as_stated(draft) for draft in structure(some, list[DraftParams], root="$.payload.entries"))


def _fit(
    entry: AdaptedEntry, path: str, ctx: ReadCtx, author: Author, notes: list[port.ImportNote]
) -> DraftParams:
    """An entry as this session may store it; every difference from what was stated is noted."""

    def note(field: str, problem: str) -> None:
        notes.append(port.ImportNote(path=f"{path}.{field}", problem=problem))

    source = entry.source
    if source is not None and source_problems(source):
        source = slug_source(source)
        note("source", f"not a label; stored as {source or 'the default source'}")
    key = entry.workspace_key if entry.scope is Scope.WORKSPACE else None
    if key and key != author.workspace_key and key not in ctx.connection.keys:
        note("workspaceKey", "that workspace is not open; stored in the session's workspace")
        key = None
    agent_key = ""
    if entry.agent_key:
        agent_key = author.agent_key
        if agent_key != entry.agent_key:
            note(
                "agentKey",
                f"private to another preset; stored {'as private to this one' if agent_key else 'as shared'}",
            )
    return DraftParams(
        track=entry.track,
        scope=entry.scope,
        text=entry.text,
        tags=list(entry.tags),
        source=source,
        agent_key=agent_key,
        workspace_key=key or None,
    )


async def export_memories(ctx: ReadCtx, params: port.ExportParams) -> Any:
    """Every entry in sight; read-only, so nothing is asked and no ledger row is written (DSH-8)."""
    ctx.progress.begin("Exporting memories")
    try:
        author = ctx.author(params.session)
        viewer = ctx.viewer(author, all_workspaces=params.all_workspaces)
        entries = await ctx.store.reading.run(lambda db: list(reads.all_entries(db, viewer)))
        ctx.progress.report(1, 2)
        if params.adapter is not None:
            return await run_export(ctx, params.adapter, entries)
        first = ctx.connection.workspaces[0].key if ctx.connection.workspaces else ""
        whole = port.Envelope(
            plugin=port.EXPORT_PLUGIN,
            schema=port.EXPORT_SCHEMA,
            exported_at=iso(ctx.stamp().now_ms),
            budgets=await usage_rows(ctx, author.workspace_key if author else first),
            entries=[],
        )
        parts = [evolve(whole, entries=chunk) for chunk in _chunks(entries)]
        return parts[0] if len(parts) == 1 else port.ExportParts(parts=parts)
    finally:
        ctx.progress.end()


def _chunks(entries: Sequence[Entry]) -> list[list[Entry]]:
    starts = range(0, max(len(entries), 1), IMPORT_ENTRIES_MAX)
    return [list(entries[start : start + IMPORT_ENTRIES_MAX]) for start in starts]
