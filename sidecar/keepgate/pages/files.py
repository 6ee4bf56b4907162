"""Page files on the disk: read with their digest, written whole or not at all, removed.

A root is a resolved path, and no link is followed from there on, so that nothing outside of it is read or
written, not even when somebody swaps a folder for a link meanwhile.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from attrs import frozen

from keepgate.core.model.digest import digest_of
from keepgate.pages.folders import LINK_ERRORS, NO_LINK, Place, UnusableError, parent
from keepgate.protocol.pages import PAGE_BYTES_MAX

FILE_MODE: Final = 0o644
TEMPORARY: Final = ".keepgate-"
"""How temporary files begin: hidden, so no index takes one for a page."""


@frozen
class Content:
    """A page file's bytes, with their SHA-256 in hex."""

    data: bytes
    digest: str

    def text(self) -> str:
        """The bytes as text, line endings and all. Raises :class:`UnusableError` for other than UTF-8."""
        try:
            return self.data.decode()
        except UnicodeDecodeError:
            raise UnusableError("is not UTF-8 text") from None


def read(root: str, path: str) -> Content | None:
    """The file at ``path`` below ``root``; ``None`` where there is none.

    Raises :class:`UnusableError` for links, folders and other things, and for files over the limit;
    ``OSError`` where the system does not let one read.
    """
    try:
        with parent(root, path) as (place, name):
            return _read_at(place, name)
    except FileNotFoundError:
        return None


def write(root: str, path: str, content: str, *, digest_before: str | None, home: str) -> bool:
    """Put ``content`` in the place of the file that has ``digest_before``, or of none: whole or not at all.

    Missing folders are made, the root too, but not the workspace ``home`` that it lies in. ``False`` when
    something else is there; nothing was changed then. Raises ``OSError`` when the disk does not take it,
    which leaves the old file as it was. Two writers of one file have to be kept apart by the caller.
    """
    _require_workspace(root, home)
    with parent(root, path, make=True) as (place, name):
        if not _is_as_before(place, name, digest_before):
            return False
        temporary = _write_temporary(place, name, content.encode())
        try:
            _copy_mode(place, name, temporary)
            # Once more, as late as can be: writing the new file took a while.
            is_as_before = _is_as_before(place, name, digest_before)
            if is_as_before:
                _replace(place, temporary, name)
        except BaseException:
            _drop(place, temporary)
            raise
        if not is_as_before:
            _drop(place, temporary)
            return False
        _sync_folder(place)
    return True


def remove(root: str, path: str, *, digest_before: str) -> bool:
    """Remove the file that has ``digest_before``; ``False`` when another, or none, is there.

    The folders that it leaves empty stay. Raises ``OSError``.
    """
    try:
        with parent(root, path) as (place, name):
            if not _is_as_before(place, name, digest_before):
                return False
            _unlink(place, name)
            _sync_folder(place)
    except FileNotFoundError:
        return False
    return True


def _require_workspace(root: str, home: str) -> None:
    """Refuse to make the workspace that a root lies in for the sake of a page."""
    if home and Path(home) in Path(root).parents and not Path(home).is_dir():
        raise FileNotFoundError(errno.ENOENT, "the workspace's folder is gone", home)


def _read_at(place: Place, name: str) -> Content | None:
    if not NO_LINK and os.path.islink(place.at(name)):  # pragma: no cover - needs Windows  # noqa: PTH114
        raise UnusableError("is a link, which is not followed")
    try:
        # Without blocking: a pipe of that name must not hold anybody up.
        flags = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(place.at(name), flags | getattr(os, "O_CLOEXEC", 0), dir_fd=place.descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in LINK_ERRORS:
            raise UnusableError("is a link, which is not followed") from None
        raise
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnusableError("is no regular file")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(PAGE_BYTES_MAX + 1)
    finally:
        os.close(descriptor)
    if len(data) > PAGE_BYTES_MAX:
        raise UnusableError(f"is larger than {PAGE_BYTES_MAX} bytes")
    return Content(data, digest_of(data))


def _is_as_before(place: Place, name: str, digest_before: str | None) -> bool:
    try:
        found = _read_at(place, name)
    except UnusableError:
        return False
    return (found.digest if found else None) == digest_before


def _write_temporary(place: Place, name: str, data: bytes) -> str:
    # Of each page the same name: what a killed writer left behind, the next one takes away.
    temporary = TEMPORARY + digest_of(name)[:16]
    _drop(place, temporary)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | getattr(os, "O_BINARY", 0)
    descriptor = os.open(place.at(temporary), flags, FILE_MODE, dir_fd=place.descriptor)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - of a descriptor
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        _drop(place, temporary)
        raise
    return temporary


def _drop(place: Place, temporary: str) -> None:
    with suppress(OSError):
        _unlink(place, temporary)


def _copy_mode(place: Place, name: str, temporary: str) -> None:
    """The new file keeps who may read and write the old one."""
    with suppress(OSError, NotImplementedError):
        found = os.stat(place.at(name), dir_fd=place.descriptor, follow_symlinks=False)
        os.chmod(place.at(temporary), stat.S_IMODE(found.st_mode), dir_fd=place.descriptor)


def _replace(place: Place, temporary: str, name: str) -> None:
    os.replace(place.at(temporary), place.at(name), src_dir_fd=place.descriptor, dst_dir_fd=place.descriptor)


def _unlink(place: Place, name: str) -> None:
    os.unlink(place.at(name), dir_fd=place.descriptor)


def _sync_folder(place: Place) -> None:
    """Have the name survive a power cut, where folders can be synced."""
    if place.descriptor is not None:
        with suppress(OSError):
            os.fsync(place.descriptor)
