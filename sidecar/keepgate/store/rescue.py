"""Restoring a store that can no longer be opened. Nothing is ever set aside but by the user's own restore."""

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from keepgate.core.model.stamp import Stamp
from keepgate.protocol.errors import Code, Fault
from keepgate.store import faults
from keepgate.store.anchor import advance_anchor, anchors_folder
from keepgate.store.appending import Appender
from keepgate.store.backup import RestoreResult, adopt, require_source, restore, take_in
from keepgate.store.connection import Patience, connect
from keepgate.store.contents import counts_of
from keepgate.store.copying import written_time
from keepgate.store.keyring import load_key
from keepgate.store.lane import Lane
from keepgate.store.open import open_store
from keepgate.store.stopping import Progress, never, silent
from keepgate.store.syncing import sync_folder

_BESIDE: Final = ("-wal", "-shm", "-journal")


async def restore_at(
    path: str,
    source_path: str,
    *,
    state_folder: str,
    stamp_maker: Callable[[], Stamp],
    progress: Progress = silent,
) -> RestoreResult:
    """Restore where the store may be missing, or too damaged to be read; a damaged file is kept beside it.

    Raises what :func:`restore` raises, with nothing changed; and what opening a store raises but
    ``STORE_CORRUPT``.
    """
    require_source(path, source_path)
    if Path(path).exists():
        try:
            store = await open_store(path, state_folder=state_folder, stamp_maker=stamp_maker)
            try:
                return await restore(store, source_path, progress=progress)
            finally:
                await store.close()
        except Fault as fault:
            ours = fault.code is Code.STORE_CORRUPT and fault.details.get("path") == path
            if not ours or not Path(path).is_file():
                raise
    lane = Lane("restoring", path, lambda _: apsw.Connection(":memory:"))
    try:
        return await lane.run(lambda _: _put_in_place(path, source_path, state_folder, stamp_maker()))
    except OSError as error:
        raise faults.of_system(error, path) from error
    finally:
        await lane.close()


def _put_in_place(path: str, source_path: str, state_folder: str, stamp: Stamp) -> RestoreResult:
    """Make the backup a store of its own and give it the path; until then what is there stays there."""
    draft = f"{path}.{secrets.token_hex(8)}.part"
    anchors = anchors_folder(state_folder)
    Path(path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        take_in(source_path, draft, never)
        incoming = connect(draft, Patience(), synchronous="FULL")
        try:
            appender = Appender(incoming, load_key(state_folder), stamp, secrets.token_hex(8))
            found = adopt(incoming, appender, source_path, anchors)
            entries, rows = counts_of(incoming)
        finally:
            incoming.close()
        aside = f"{path}.damaged-{written_time(stamp.now_ms)}"
        is_there = Path(path).exists()
        _swap(path, draft, aside, is_there=is_there)
    finally:
        with suppress(OSError):
            Path(draft).unlink()
    restored = connect(path, Patience(), read_only=True)
    try:
        advance_anchor(restored, anchors, renew=True)
    finally:
        restored.close()
    return RestoreResult(
        path=path,
        source=source_path,
        kept=aside if is_there else None,
        entries=entries,
        ledger_rows=rows,
        content_hash=found,
    )


def _swap(path: str, draft: str, aside: str, *, is_there: bool) -> None:
    """Put ``draft`` in the place of the file at ``path``, which gets a second name first, if it is there.

    There is a file at the path at every moment, so that nobody makes an empty store there. The old log goes
    before, also one whose store is gone: a new file must never meet it.
    """
    if is_there:
        _name_twice(path, aside)
    moved: list[str] = []
    try:
        for ending in _BESIDE:
            if Path(path + ending).exists():
                Path(path + ending).rename(aside + ending)
                moved.append(ending)
        Path(draft).replace(path)
    except OSError:
        for ending in moved:
            Path(f"{aside}{ending}").rename(path + ending)
        if is_there:
            Path(aside).unlink()
        raise
    sync_folder(path)


def _name_twice(path: str, kept: str) -> None:
    try:
        os.link(path, kept)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links.
        shutil.copy2(path, kept)
