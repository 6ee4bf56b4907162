"""Writing a file that belongs to another program: a copy beside it first, then whole or not at all."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

_NEW_MODE: Final = 0o600


def replace_file(path: Path, text: str) -> Path | None:
    """Put ``text`` in the place of ``path`` and return the copy of what was there, if there was anything.

    A link is followed: what it leads to is replaced. Raises ``OSError``; the file is as it was then.
    """
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    backup = _backup(target) if target.exists() else None
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(target.stat().st_mode & 0o7777 if backup is not None else _NEW_MODE)
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    return backup


def _backup(target: Path) -> Path:
    number = 0
    while True:
        copy = target.with_name(f"{target.name}.before-keepgate{f'-{number}' if number else ''}")
        try:
            with copy.open("xb"):
                pass
        except FileExistsError:
            number += 1
        else:
            shutil.copy2(target, copy)
            return copy
