"""Having the disk hold what was written; macOS must be asked for that in its own way."""

import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_F_FULLFSYNC: Final = 51
"""macOS's ``fcntl`` command for "through the drive's own cache"; :mod:`fcntl` names it only there."""


def needs_full_sync(platform: str) -> bool:
    """Whether ``fsync`` stops at the drive's cache on a platform, as ``sys.platform`` calls it."""
    return platform == "darwin"


def sync_handle(handle: int) -> None:
    """Have the disk hold all that was written to an open file. Raises ``OSError``."""
    if needs_full_sync(sys.platform):  # pragma: no cover - another platform
        import fcntl  # noqa: PLC0415 - Windows has none

        with suppress(OSError):
            # Some file systems do not know it; they get the plain sync.
            fcntl.fcntl(handle, _F_FULLFSYNC)
            return
    os.fsync(handle)


def sync_file(path: str) -> None:
    """Have the disk hold a closed file's content. Raises ``OSError``."""
    handle = os.open(path, os.O_RDWR)
    try:
        sync_handle(handle)
    finally:
        os.close(handle)


def sync_folder(path: str) -> None:
    """Have the disk hold the name of a file; Windows has no such call and needs none."""
    if os.name != "posix":  # pragma: no cover - another platform
        return
    handle = os.open(Path(path).parent, os.O_RDONLY)
    try:
        sync_handle(handle)
    finally:
        os.close(handle)


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file (0600) so that nobody ever reads half of it. Raises ``OSError``."""
    draft = path.with_suffix(f".{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        sync_handle(file.fileno())
    draft.replace(path)
    sync_folder(str(path))
