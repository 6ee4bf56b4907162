"""Which copies of a store are known of: those beside it, and those that a backup noted when it was made."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

NOTED: Final = "backups"
NOTED_MAX: Final = 1000
_BESIDE: Final = ("-wal", "-shm", "-journal")


def note_backup(state_folder: str, path: str) -> None:
    """Note a backup that was made, so that a purge finds it. Where nothing can be noted, nothing is."""
    noted = _noted(state_folder)
    lines = [*(line for line in _lines(noted) if line != path), path][-NOTED_MAX:]
    with suppress(OSError):
        descriptor = os.open(noted, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


def known_backups(state_folder: str, path: str) -> list[str]:
    """The copies that are there: files beside the store whose names begin with its own, and noted ones."""
    store = Path(path)
    beside = [
        str(found)
        for found in sorted(store.parent.glob(f"{store.name}.*"))
        if found.is_file() and not found.name.endswith(_BESIDE)
    ]
    noted = [line for line in _lines(_noted(state_folder)) if Path(line).is_file()]
    return list(dict.fromkeys([*beside, *noted]))


def _noted(state_folder: str) -> Path:
    return Path(state_folder) / NOTED


def _lines(noted: Path) -> list[str]:
    with suppress(OSError, ValueError):
        found = (json.loads(line) for line in noted.read_text("utf-8").splitlines())
        return [line for line in found if isinstance(line, str)]
    return []
