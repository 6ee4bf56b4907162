"""The key that seals ledger rows: one per installation, outside every store."""

import hashlib
import hmac
import secrets
from pathlib import Path
from typing import Final

from attrs import field, frozen
from filelock import FileLock, Timeout

from keepgate.store.connection import WAIT_MS
from keepgate.store.faults import busy, read_only
from keepgate.store.syncing import write_whole

KEY_BYTES: Final = 32
_NAME: Final = "ledger.key"


@frozen(kw_only=True)
class Key:
    """The sealing key. ``id`` names it in rows and tells nothing about it."""

    id: str
    secret: bytes = field(repr=False)

    def mac(self, row_hash: str) -> str:
        """HMAC-SHA256 over a row's hash, in hex."""
        return hmac.new(self.secret, row_hash.encode(), hashlib.sha256).hexdigest()


def load_key(state_folder: str) -> Key:
    """The key of this installation, made on first use (0600, also when many processes ask at once).

    Raises ``STORE_READ_ONLY`` when there is none and none can be stored, ``STORE_BUSY`` when another process
    does not come to an end with making it.
    """
    path = Path(state_folder) / _NAME
    try:
        if not path.exists():
            _make(path)
        secret = path.read_bytes()
    except Timeout:
        raise busy(WAIT_MS) from None
    except OSError as error:
        raise read_only(str(path), f"the ledger's key cannot be kept: {error.strerror}") from error
    if len(secret) != KEY_BYTES:
        raise read_only(str(path), f"the ledger's key has {len(secret)} bytes instead of {KEY_BYTES}")
    return Key(id=hashlib.sha256(b"keepgate ledger key" + secret).hexdigest()[:16], secret=secret)


def peek_key(state_folder: str) -> Key | None:
    """The key of this installation, if there is one; makes none."""
    return load_key(state_folder) if (Path(state_folder) / _NAME).exists() else None


def _make(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with FileLock(f"{path}.lock", timeout=WAIT_MS / 1000, mode=0o600):
        if not path.exists():
            write_whole(path, secrets.token_bytes(KEY_BYTES))
