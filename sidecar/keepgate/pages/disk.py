"""What the gate is given to look at page files and to write approved ones: files, and a lock per root."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import Timeout

from keepgate.pages import files
from keepgate.pages.folders import UnusableError
from keepgate.pages.locks import WRITING, lock_of
from keepgate.pages.parse import slug_of, visibility_in
from keepgate.pages.scan import scan
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.verbs import Visibility

LOCK_WAIT_S: Final = 1.5
"""Shorter than a process may take to end: whoever waits longer asks again."""


class Disk:
    """Page files on the disk. ``lock_folder`` holds the locks that keep processes out of one another's way.

    Its methods block; they are called in a thread.
    """

    def __init__(self, lock_folder: str) -> None:
        self._locks: Final = Path(lock_folder)

    def page_text(self, root: str, path: str) -> str | None:
        """The text of a page file; ``None``: there is none. Raises ``INVALID_INPUT`` for what is no page."""
        try:
            found = files.read(root, path)
            return None if found is None else found.text()
        except UnusableError as error:
            raise invalid_input(Problem("$.slug", f"the file {path} {error}")) from None
        except OSError as error:
            raise invalid_input(
                Problem("$.slug", f"the file {path} cannot be read: {error.strerror}")
            ) from None

    def page_visibility(self, text: str) -> Visibility:
        """Who may read a page with this text; private, too, where that cannot be told."""
        return visibility_in(text.encode())

    def page_texts(self, root: str) -> Iterator[tuple[str, str, str]]:
        """Slug, path and text of each page file of a root that can be read."""
        for path in sorted(scan(root).files):
            with suppress(UnusableError, OSError):
                found = files.read(root, path)
                if found is not None:
                    yield slug_of(path), path, found.text()

    def digest(self, root: str, path: str) -> str | None:
        """The digest of what is there; ``None`` for no file. Raises ``OSError`` for what is no page."""
        try:
            found = files.read(root, path)
        except UnusableError as error:
            raise OSError(errno.EINVAL, str(error), path) from None
        return None if found is None else found.digest

    def put(self, root: str, path: str, content: str, *, digest_before: str | None, home: str) -> bool:
        """See :func:`keepgate.pages.files.write`."""
        try:
            return files.write(root, path, content, digest_before=digest_before, home=home)
        except UnusableError as error:
            raise OSError(errno.EINVAL, str(error), path) from None

    def remove(self, root: str, path: str, *, digest_before: str) -> bool:
        """See :func:`keepgate.pages.files.remove`."""
        try:
            return files.remove(root, path, digest_before=digest_before)
        except UnusableError as error:
            raise OSError(errno.EINVAL, str(error), path) from None

    @contextmanager
    def alone(self, root: str) -> Iterator[None]:
        """Keep other processes from writing pages below ``root``. Raises ``TimeoutError``, ``OSError``."""
        self._locks.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = lock_of(self._locks, WRITING, root)
        try:
            lock.acquire(timeout=LOCK_WAIT_S, poll_interval=0.005)
        except Timeout:
            raise TimeoutError from None
        try:
            yield
        finally:
            lock.release()
