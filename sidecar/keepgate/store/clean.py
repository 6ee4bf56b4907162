"""Whether a store lies as the last process left it, so that opening it need not look at every page.

Whoever closes a store last notes size and time of its file in the state folder. A file that was altered
since, was put there by other means, or has a log beside it without anybody at work, is checked.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from keepgate.store.presence import anybody_lives

_BESIDE: Final = ("-wal", "-journal")


def note_clean(state_folder: str, path: str) -> None:
    """Note how the file lies, unless others have it open. Where nothing can be noted, nothing is."""
    if _left_beside(path):
        return
    mark = _mark(state_folder, path)
    with suppress(OSError):
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(mark, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(_look(path))


def needs_check(state_folder: str, path: str) -> bool:
    """Whether nobody vouches for the file's pages: neither its last process nor one that is at work now."""
    try:
        vouched = not _left_beside(path) and _mark(state_folder, path).read_text("ascii") == _look(path)
    except (OSError, UnicodeDecodeError):
        vouched = False
    return not vouched and not anybody_lives(presence_folder(state_folder))


def presence_folder(state_folder: str) -> str:
    """Where the processes of this installation show that they live."""
    return str(Path(state_folder) / "presence")


def _left_beside(path: str) -> bool:
    return any(Path(path + ending).exists() for ending in _BESIDE)


def _mark(state_folder: str, path: str) -> Path:
    return Path(state_folder) / "clean" / hashlib.sha256(path.encode()).hexdigest()[:16]


def _look(path: str) -> str:
    found = Path(path).stat()
    return f"{found.st_size} {found.st_mtime_ns}"
