"""The locks of a folder of pages: one for whoever indexes it, and one for whoever writes below it."""

import hashlib
from pathlib import Path
from typing import Final

from filelock import FileLock

INDEXING: Final = "index"
WRITING: Final = "pages"
"""What a lock keeps others from."""


def lock_of(lock_folder: str | Path, work: str, *names: str) -> FileLock:
    """The lock for ``work`` on the folder that ``names`` tell apart; the system drops it with its process."""
    name = hashlib.sha256("\0".join(names).encode()).hexdigest()[:32]
    return FileLock(Path(lock_folder) / f"{work}-{name}.lock", mode=0o600, thread_local=False)
