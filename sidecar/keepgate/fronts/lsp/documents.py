"""The whole change as a file that an editor can open, for as long as its question is open."""

import contextlib
import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from keepgate.fronts.stdio.processes import is_alive
from keepgate.fronts.stdio.question import document_of
from keepgate.protocol.proposals import ApprovalRequestParams

_NAME: Final = re.compile(r"change-([0-9]+)-[0-9]+\.txt")
_numbers = itertools.count(1)


@contextlib.contextmanager
def change_document(folder: Path, question: ApprovalRequestParams) -> Iterator[Path]:
    """A file in ``folder`` that only this user can read and nobody writes; gone when the context ends.

    Raises ``OSError`` when it cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"change-{os.getpid()}-{next(_numbers)}.txt"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n", errors="backslashreplace") as file:
            file.write(document_of(question))
        path.chmod(0o400)
        yield path
    finally:
        _remove(path)


def remove_leftovers(folder: Path) -> None:
    """Remove the documents of processes that ended without doing so, as far as that is possible."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            name = _NAME.fullmatch(path.name)
            if name and not is_alive(int(name[1])):
                _remove(path)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        # Windows removes no file that is read-only.
        path.chmod(0o600)
        path.unlink()
