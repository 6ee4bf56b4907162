"""What an owner of the store does at a terminal: back up, restore, and ask what is wrong."""

import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen

from keepgate.core.model.stamp import Stamp
from keepgate.protocol.entries import VerifyResult
from keepgate.protocol.errors import Fault
from keepgate.service.connection import Progress
from keepgate.service.sidecar import Sidecar
from keepgate.service.usage_stats import summary
from keepgate.store import backup as copies
from keepgate.store import reads
from keepgate.store.rescue import restore_at
from keepgate.store.verify import check_pages, verify_store


@frozen(kw_only=True)
class Finding:
    """One thing that was looked at; ``fix`` says what to do when it is not well."""

    ok: bool
    name: str
    message: str
    fix: str | None = None


async def backup(sidecar: Sidecar, path: str, progress: Progress) -> copies.BackupResult:
    """A verified copy of the whole store at ``path``, made while others go on writing."""
    progress.begin("Backing up")
    try:
        return await copies.backup(sidecar.store, path, progress=progress.report)
    finally:
        progress.end()


async def restore(
    path: str, source: str, *, state_folder: str, stamp_maker: Callable[[], Stamp], progress: Progress
) -> copies.RestoreResult:
    """Put a backup in the place of the store at ``path``, also of one that can no longer be read.

    The caller has asked the person. The backup is checked whole first; what was there is kept beside it.
    """
    progress.begin("Restoring")
    try:
        return await restore_at(
            path, source, state_folder=state_folder, stamp_maker=stamp_maker, progress=progress.report
        )
    finally:
        progress.end()


async def examine(sidecar: Sidecar) -> list[Finding]:
    """Look at an open store and its surroundings; nothing is changed."""
    store = sidecar.store
    findings = [
        _permissions(Path(store.path)),
        Finding(ok=True, name="file system", message=f"{store.file_system}, journal {store.journal_mode}"),
        await _round_trip(sidecar),
        _pages(await check_pages(store)),
        _ledger(await verify_store(store, progress=lambda done, total: None)),
        await _workspaces(sidecar),
        await _inbox(sidecar),
        _verb_usage(sidecar),
    ]
    sidecar.registry.list()  # Loads those of installed packages.
    left_out = sidecar.registry.take_notices()
    return [
        *findings,
        *(Finding(ok=False, name="adapters", message=text, fix=_ADAPTER_FIX) for text in left_out),
    ]


_ADAPTER_FIX = "Upgrade or uninstall that package."


def _verb_usage(sidecar: Sidecar) -> Finding:
    """The usage log: no file is no problem, one that cannot be read is."""
    name = "memory_verbs_usage"
    try:
        told = summary(sidecar.store.state_folder, now_ms=sidecar.stamp().now_ms)
    except OSError as error:
        fix = f"Let this user read {error.filename}, or remove it."
        return Finding(ok=False, name=name, message=f"the log cannot be read: {error.strerror}", fix=fix)
    return Finding(ok=True, name=name, message=told)


def _permissions(path: Path) -> Finding:
    if os.name == "nt":
        return Finding(ok=True, name="permissions", message="kept by the user profile")
    loose = [
        str(item)
        for item, allowed in ((path.parent, 0o700), (path, 0o600))
        if stat.S_IMODE(item.stat().st_mode) & ~allowed
    ]
    if not loose:
        return Finding(ok=True, name="permissions", message="only this user can read the store")
    return Finding(
        ok=False,
        name="permissions",
        message=f"others may read {', '.join(loose)}",
        fix=f"chmod go-rwx {' '.join(loose)}",
    )


async def _round_trip(sidecar: Sidecar) -> Finding:
    try:
        took_ms = await sidecar.store.round_trip_ms()
    except Fault as fault:
        return Finding(
            ok=False, name="writing", message=f"{fault.code}: {fault.message}", fix=fault.suggestion
        )
    return Finding(ok=True, name="writing", message=f"a write transaction took {took_ms:.1f} ms")


def _pages(found: str) -> Finding:
    if found == "ok":
        return Finding(ok=True, name="pages", message="the file is sound")
    return Finding(ok=False, name="pages", message=found, fix=_RESTORE)


_RESTORE = "A backup can be put back with `keepgate restore PATH`."


def _ledger(result: VerifyResult) -> Finding:
    if result.ok:
        return Finding(
            ok=True, name="ledger", message=f"{result.rows} rows, and their replay equals the store"
        )
    first = result.problems[0]
    place = f" at row {first.seq}" if first.seq is not None else ""
    return Finding(
        ok=False,
        name="ledger",
        message=f"{len(result.problems)} problems; {first.kind}{place}: {first.message}",
        fix=f"See `keepgate verify`. {_RESTORE}",
    )


async def _workspaces(sidecar: Sidecar) -> Finding:
    keys: Sequence[str] = await sidecar.store.reading.run(reads.workspace_keys)
    orphans = [key for key in keys if key.startswith("/") == (os.sep == "/") and not Path(key).is_dir()]
    if not orphans:
        return Finding(
            ok=True, name="workspaces", message=f"{len(keys)} with memories, every folder is there"
        )
    return Finding(
        ok=False,
        name="workspaces",
        message=f"the folders of these workspaces are gone: {', '.join(orphans)}",
        fix="Moved? `keepgate export` with --workspace OLD, then `keepgate import` in the new folder.",
    )


async def _inbox(sidecar: Sidecar) -> Finding:
    counts = await sidecar.store.reading.run(reads.counts, sidecar.stamp().now_ms)
    waiting = counts["pending_proposals"]
    if not waiting:
        return Finding(ok=True, name="proposals", message="none waits")
    return Finding(ok=True, name="proposals", message=f"{waiting} wait; see `keepgate proposals list`")
