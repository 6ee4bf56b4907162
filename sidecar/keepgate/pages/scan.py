"""Looking through a root: which page files are there, by their size and time. Nothing is opened."""

import os
import stat
from collections.abc import Callable, Iterator
from typing import Final

from attrs import define, field, frozen

from keepgate.core.model.page import PageFlaw
from keepgate.pages.links import ENDINGS

DEPTH_MAX: Final = 64
SKIPPED: Final = frozenset({"node_modules"})


@frozen
class Seen:
    """A page file: ``path`` is below the root, with slashes."""

    path: str
    size: int
    mtime_ns: int


@define
class Scan:
    """What a look found. ``unread`` are folders that could not be looked into, so nothing follows of what is
    missing below them; ``flaws`` are what no index can take, by path.
    """

    files: dict[str, Seen] = field(factory=dict)
    unread: list[str] = field(factory=list)
    flaws: dict[str, PageFlaw] = field(factory=dict)

    def is_unknown(self, path: str) -> bool:
        """Whether the file may be there all the same."""
        return any(not folder or path.startswith(f"{folder}/") for folder in self.unread)


def scan(root: str, below: str = "", is_stopped: Callable[[], bool] = lambda: False) -> Scan:
    """The page files of a root, or of what is at ``below`` in it; stops early when told to.

    Hidden and skipped names are left out, and so is every link: what it leads to may lie anywhere. A file at
    ``below`` is found as well as a folder; where nothing is, nothing is found.
    """
    found = Scan()
    if below and not _is_folder(root, below, found):
        return found
    folders = [below]
    while folders and not is_stopped():
        folder = folders.pop()
        if folder.count("/") > DEPTH_MAX:
            found.flaws[folder] = PageFlaw(None, "is too deep; what is below it is left out")
            continue
        folders += _look_into(root, folder, found)
    if is_stopped():
        found.unread.append("")
    return found


def _changed_ns(status: os.stat_result) -> int:
    """When a file last changed. A program can set its time back; the time of its node it cannot.

    On Windows the latter is the time of its creation, which is then the earlier one.
    """
    return max(status.st_mtime_ns, status.st_ctime_ns)


def is_of_interest(path: str) -> bool:
    """Whether no name on a path below a root is hidden or skipped."""
    return not any(name.startswith(".") or name in SKIPPED for name in path.split("/"))


def is_page(path: str) -> bool:
    """Whether a file's name is a page's."""
    return path.lower().endswith(ENDINGS)


def _is_folder(root: str, below: str, found: Scan) -> bool:
    """Whether a folder is there; a page file is noted as found. Neither when a link is on the way."""
    at = root
    try:
        if not is_of_interest(below):
            return False
        for name in below.split("/"):
            at = os.path.join(at, name)  # noqa: PTH118 - for os functions
            status = os.lstat(at)
            if stat.S_ISLNK(status.st_mode):
                return False
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        found.unread.append(below)
        return False
    if stat.S_ISREG(status.st_mode) and is_page(below):
        found.files[below] = Seen(below, status.st_size, _changed_ns(status))
    return stat.S_ISDIR(status.st_mode)


def _look_into(root: str, folder: str, found: Scan) -> Iterator[str]:
    """Note the files of a folder, and return the folders in it."""
    inner: list[str] = []
    try:
        with os.scandir(os.path.join(root, *folder.split("/")) if folder else root) as entries:  # noqa: PTH118
            for entry in entries:
                _note(entry, f"{folder}/{entry.name}" if folder else entry.name, inner, found)
    except (FileNotFoundError, NotADirectoryError):
        # Gone a moment ago, or a root that is not there yet.
        pass
    except OSError as error:
        found.unread.append(folder)
        found.flaws[folder] = PageFlaw(None, f"cannot be looked into: {error.strerror}")
    return iter(inner)


def _note(entry: "os.DirEntry[str]", path: str, inner: list[str], found: Scan) -> None:
    name = entry.name
    if name.startswith(".") or name in SKIPPED:
        return
    try:
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and not (is_page(name) and entry.is_file(follow_symlinks=False)):
            return
        if not name.isprintable():
            # Such as a line break, or bytes that are no text of the system.
            shown = path.encode("utf-8", "backslashreplace").decode()
            found.flaws[shown] = PageFlaw(None, "has a name that cannot be a slug")
        elif is_folder:
            inner.append(path)
        else:
            status = entry.stat(follow_symlinks=False)
            found.files[path] = Seen(path, status.st_size, _changed_ns(status))
    except FileNotFoundError:
        return
    except OSError as error:
        found.flaws[path] = PageFlaw(None, f"cannot be looked at: {error.strerror}")
