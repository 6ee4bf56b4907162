"""The anchor: the newest ledger head, kept outside the store, so that a cut or a rewriting is noticed."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw
from attrs import asdict, frozen
from filelock import FileLock

from keepgate.store.syncing import sync_file, write_whole

LOCK_WAIT_S: Final = 0.5
"""How long to wait for another process that moves the same anchor."""

REPLACED: Final = "replacedAnchor"
"""In the payload of a ``restored`` note: the hash that was anchored when a backup took the ledger's place."""

_STORE_ID: Final = "SELECT value FROM meta WHERE key = 'store_id'"
_HEAD: Final = "SELECT seq, hash, key_id FROM ledger ORDER BY seq DESC LIMIT 1"
_HASH_AT: Final = "SELECT hash FROM ledger WHERE seq = ?"
_PUT_BACK: Final = f"""
SELECT count(*) FROM ledger WHERE action = 'restored' AND decision = 'note' AND payload ->> '{REPLACED}' = ?
"""  # noqa: S608 - a constant of this module


@frozen(kw_only=True)
class Anchor:
    """A ledger row that was once the newest: its seq, its hash and the id of the key that sealed it."""

    seq: int
    hash: str
    key_id: str


def anchors_folder(state_folder: str) -> str:
    """The folder of the anchors of an installation."""
    return str(Path(state_folder) / "anchors")


def anchor_path(folder: str, store_id: str) -> Path:
    """Where a store's anchor is kept."""
    return Path(folder) / f"{store_id}.json"


def read_anchor(folder: str, store_id: str) -> Anchor | None:
    """The anchor of a store; ``None`` when there is none or it cannot be read."""
    try:
        return Anchor(**json.loads(anchor_path(folder, store_id).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def advance_anchor(db: apsw.Connection, folder: str, *, renew: bool = False) -> Anchor | None:
    """Move the store's anchor to the ledger's head, forward only; returns where it stands.

    It stays where it is when the anchored row is no longer in the ledger: the anchor is then the evidence,
    unless a restore has noted that it put the ledger in the place of that row's. ``renew`` moves it anyway,
    for the restore itself. It also stays, until the next time, when the state folder is
    read-only or another process is at it.
    """
    store_id: str = db.execute(_STORE_ID).get
    with suppress(OSError):
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        path = anchor_path(folder, store_id)
        # A lock that cannot be had in time is an OSError, too.
        with FileLock(f"{path}.lock", timeout=LOCK_WAIT_S, mode=0o600):
            head = db.execute(_HEAD).fetchone()
            anchor = read_anchor(folder, store_id)
            if head and (renew or anchor is None or _precedes(db, anchor, head[0])):
                anchor = Anchor(seq=head[0], hash=head[1], key_id=head[2])
                # Evidence rows are committed without a sync. An anchor must not outlive the row it names, so
                # the log that holds this row goes to the disk between the reading of it and the anchor.
                _sync_log(db)
                write_whole(path, json.dumps(asdict(anchor)).encode())
            return anchor
    return read_anchor(folder, store_id)


def _precedes(db: apsw.Connection, anchor: Anchor, head_seq: int) -> bool:
    if db.execute(_HASH_AT, (anchor.seq,)).get == anchor.hash:
        return anchor.seq < head_seq
    return bool(db.execute(_PUT_BACK, (anchor.hash,)).get)


def _sync_log(db: apsw.Connection) -> None:
    # The log carries no locks of SQLite's; opening the database here would drop them. Without a log every
    # commit is synced.
    with suppress(FileNotFoundError):
        sync_file(f"{db.filename}-wal")
