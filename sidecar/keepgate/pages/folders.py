"""The folder that holds a page file, reached without following a link: roots are resolved paths.

Each folder on the way, from the top, is opened from the one before it, so that nobody can swap one for a link
meanwhile. Where the system cannot do that (Windows), the resolved path is compared instead.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from attrs import frozen

FOLDER_MODE: Final = 0o755
NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
LINK_ERRORS: Final = frozenset({errno.ELOOP, errno.ENOTDIR, errno.EMLINK})
"""What the system says of a link, or of a file where a folder should be, when it is not to follow it."""

_BY_DESCRIPTOR: Final = os.open in os.supports_dir_fd
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | NO_LINK | getattr(os, "O_CLOEXEC", 0)
# Folders that one may only pass through cannot be opened for reading.
_PASSED: Final = _FOLDER | getattr(os, "O_PATH", 0)


class UnusableError(Exception):
    """The file is none that a page can be; the message says why, as what follows ``the file``."""


@frozen
class Place:
    """A folder: open, where the system can work from an open folder, else by its path."""

    path: str
    descriptor: int | None

    def at(self, name: str) -> str:
        """What to call a file in it."""
        return name if self.descriptor is not None else os.path.join(self.path, name)  # noqa: PTH118 - for os functions


@contextmanager
def parent(root: str, path: str, *, make: bool = False) -> Iterator[tuple[Place, str]]:
    """The folder that holds a file, and the file's name in it."""
    *folders, name = path.split("/")
    if any(part in ("", ".", "..") or "\x00" in part for part in (*folders, name)):
        raise UnusableError("has a path that leaves its root")
    if not _BY_DESCRIPTOR:  # pragma: no cover - needs Windows
        with _by_path(root, folders, make=make) as place:
            yield place, name
        return
    parts = [*filter(None, root.split("/")), *folders]
    opened = [os.open("/", _PASSED)]
    try:
        for count, part in enumerate(parts, 1):
            opened.append(_step(opened[-1], part, _FOLDER if count == len(parts) else _PASSED, make=make))
        yield Place(os.path.join(root, *folders), opened[-1]), name  # noqa: PTH118
    finally:
        for descriptor in reversed(opened):
            os.close(descriptor)


def _step(parent: int, part: str, flags: int, *, make: bool) -> int:
    try:
        return _open_folder(parent, part, flags)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):
        os.mkdir(part, FOLDER_MODE, dir_fd=parent)
        _sync(parent)
    return _open_folder(parent, part, flags)


def _sync(folder: int) -> None:
    """Have a new name survive a power cut, where the folder may be read."""
    with suppress(OSError):
        readable = os.open(".", _FOLDER, dir_fd=folder)
        try:
            os.fsync(readable)
        finally:
            os.close(readable)


def _open_folder(parent: int, part: str, flags: int) -> int:
    try:
        return os.open(part, flags, dir_fd=parent)
    except OSError as error:
        if error.errno in LINK_ERRORS:
            raise UnusableError("lies behind a link or a file, which are not followed") from None
        raise


@contextmanager
def _by_path(
    root: str, folders: list[str], *, make: bool
) -> Iterator[Place]:  # pragma: no cover - needs Windows
    resolved = Path(os.path.realpath(root))
    folder = resolved.joinpath(*folders)
    if make:
        folder.mkdir(parents=True, exist_ok=True)
    if Path(os.path.realpath(folder)) != folder:
        raise UnusableError("lies behind a link or a file, which are not followed")
    yield Place(str(folder), None)
