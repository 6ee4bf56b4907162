"""Restoring a store that can no longer be opened. Nothing is ever set aside but by the user's own restore."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
from attrs import evolve

from keepgate.core.model.stamp import Stamp
from keepgate.protocol.errors import Code, Fault
from keepgate.store import faults
from keepgate.store.backup import RestoreResult, require_source, restore, take_in
from keepgate.store.copying import written_time
from keepgate.store.lane import Lane
from keepgate.store.open import open_store
from keepgate.store.stopping import Progress, never, silent


async def restore_at(
    path: str,
    source_path: str,
    *,
    state_folder: str,
    stamp_maker: Callable[[], Stamp],
    progress: Progress = silent,
) -> RestoreResult:
    """Restore where the store may be too damaged to be opened; the damaged file is then kept beside it.

    Raises what :func:`restore` raises, with nothing changed; and what opening a store raises but
    ``STORE_CORRUPT``.
    """
    kept: str | None = None
    try:
        store = await open_store(path, state_folder=state_folder, stamp_maker=stamp_maker)
    except Fault as fault:
        if fault.code is not Code.STORE_CORRUPT or not Path(path).is_file():
            raise
        kept = await _set_aside(path, source_path, stamp_maker())
        store = await open_store(path, state_folder=state_folder, stamp_maker=stamp_maker)
    try:
        result = await restore(store, source_path, progress=progress)
    finally:
        await store.close()
    if kept is None:
        return result
    # What was kept of the new, empty store is of no use to anybody.
    Path(result.kept).unlink()
    return evolve(result, kept=kept)


async def _set_aside(path: str, source_path: str, stamp: Stamp) -> str:
    """Give a damaged file and its log another name, once it is sure that the backup can take their place."""
    kept = f"{path}.damaged-{written_time(stamp.now_ms)}"
    draft = f"{path}.{secrets.token_hex(8)}.part"

    def work(_: apsw.Connection) -> None:
        try:
            take_in(source_path, draft, never)
            for ending in ("-wal", "-shm", ""):
                with suppress(FileNotFoundError):
                    Path(path + ending).rename(kept + ending)
        finally:
            with suppress(OSError):
                Path(draft).unlink()

    require_source(path, source_path)
    lane = Lane("restoring", path, lambda _: apsw.Connection(":memory:"))
    try:
        await lane.run(work)
    except OSError as error:
        raise faults.of_system(error, path) from error
    finally:
        await lane.close()
    return kept
