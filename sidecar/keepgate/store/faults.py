"""SQLite's errors as the contract's faults (DSH-7). Errors that are our own mistakes stay what they are."""

import errno
import shutil
from pathlib import Path
from typing import Final

import apsw

from keepgate.protocol.errors import Code, Fault

ROOM_BYTES: Final = 64 * 1024
"""A disk with less room than this cannot take a commit."""

_BUSY: Final = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)
_READ_ONLY: Final = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)
_NO_ROOM: Final = (apsw.IOError, apsw.CantOpenError)
_CORRUPT: Final = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)


def fault_of(error: apsw.Error, path: str, waited_ms: int = 0) -> Fault | None:
    """The fault that an SQLite error means for the store at ``path``; ``None`` for programming errors."""
    if isinstance(error, _BUSY):
        return busy(waited_ms)
    # A full disk also shows as a log that cannot be made or grown.
    if isinstance(error, apsw.FullError) or (isinstance(error, _NO_ROOM) and _no_room(path)):
        return full(path)
    if isinstance(error, _CORRUPT):
        return corrupt(path, str(error))
    if isinstance(error, _READ_ONLY):
        return read_only(path)
    return None


def of_system(error: OSError, path: str) -> Fault:
    """The fault of a file beside the store, such as a backup, that cannot be written or read."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return full(path)
    return read_only(path, f"{error.filename or path}: {error.strerror}")


def busy(waited_ms: int) -> Fault:
    """Another process kept the write lock; worth another try."""
    return Fault(
        Code.STORE_BUSY,
        f"another process kept the store locked for {waited_ms} ms; nothing was stored",
        {"waitedMs": waited_ms},
    )


def full(path: str) -> Fault:
    """No room for a commit."""
    return Fault(Code.STORE_FULL, "the disk is full; nothing was stored", {"path": path})


def read_only(path: str, reason: str = "the store cannot be written") -> Fault:
    """The file, its folder or the state folder takes no writes."""
    return Fault(Code.STORE_READ_ONLY, reason, {"path": path})


def corrupt(path: str, reason: str) -> Fault:
    """The file is not a whole keepgate store; it is left as it is."""
    return Fault(Code.STORE_CORRUPT, f"this is not a readable keepgate store: {reason}", {"path": path})


def unsupported(path: str, found: int, supported: int) -> Fault:
    """The file was written by a newer keepgate."""
    return Fault(
        Code.STORE_UNSUPPORTED_VERSION,
        f"the store has version {found}; this keepgate reads versions up to {supported}",
        {"path": path, "found": found, "supported": supported},
    )


def _no_room(path: str) -> bool:
    try:
        return shutil.disk_usage(Path(path).parent).free < ROOM_BYTES
    except OSError:
        return False
