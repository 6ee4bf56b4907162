"""Reach: which processes of a workspace have a person at hand, and which of them shows what.

A file per process and workspace, named by the process' presence token; it counts while that presence is held.
Its time is the last sign of the person there. A mark per question and process says who shows it: its time is
renewed while the question is open, so that the mark of a process that is stopped grows old.
"""

import hashlib
import os
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final

from keepgate.store.presence import Presence

_DECLINED: Final = b"declined"
_FORGOTTEN_S: Final = 24 * 60 * 60


class Reach:
    """What this process shows of itself to the others, and what they show; all of one store.

    Where the folder takes no files this process is not reachable, and nothing is raised.
    """

    def __init__(self, store_id: str, state_folder: str, presence: Presence) -> None:
        self._folder: Final = Path(state_folder) / "reach"
        self._marks: Final = self._folder / "marks"
        self._store_id: Final = store_id
        self._presence: Final = presence
        self._entered: frozenset[str] = frozenset()

    @property
    def token(self) -> str:
        """This process."""
        return self._presence.token

    def enter(self, keys: Collection[str] | None) -> None:
        """Be reachable for these workspaces, and for no others; ``None`` leaves.

        A process that is reachable at all is so for what is of every workspace, the empty key, also one that
        has no folder open.
        """
        wanted = frozenset[str]() if keys is None else frozenset({"", *keys})
        for key in self._entered - wanted:
            with suppress(OSError):
                self._place(key, self.token).unlink(missing_ok=True)
        for key in wanted - self._entered:
            with suppress(OSError):
                _touch(self._place(key, self.token))
            # Looking clears away what processes left that were killed.
            self._in(key)
        if wanted and not self._entered:
            self._forget_old_marks()
        self._entered = wanted

    def active(self) -> None:
        """The person is at this process now: it is preferred until another one says the same."""
        for key in self._entered:
            with suppress(OSError):
                _touch(self._place(key, self.token))

    def reachable(self, keys: Collection[str]) -> list[str]:
        """The processes that are reachable for all of these workspaces, the preferred one first."""
        found = [self._in(key) for key in sorted(keys) or [""]]
        common = set(found[0]).intersection(*found[1:])
        times = {token: max(each[token] for each in found) for token in common}
        return sorted(common, key=lambda token: (-times[token], token))

    def hold(self, question: str) -> None:
        """This process shows a question, or will; to be repeated while it does."""
        with suppress(OSError):
            _touch(self._mark(question, self.token))

    def decline(self, question: str) -> None:
        """This process cannot show it after all."""
        with suppress(OSError):
            _touch(self._mark(question, self.token), _DECLINED)

    def let_go(self, question: str) -> None:
        """The question is closed here."""
        with suppress(OSError):
            self._mark(question, self.token).unlink(missing_ok=True)

    def silent_s(self, question: str, token: str) -> float | None:
        """For how many seconds a process has not renewed its mark; infinite where it declined.

        ``None`` where it made none.
        """
        mark = self._mark(question, token)
        try:
            look = mark.stat()
            if look.st_size and mark.read_bytes() == _DECLINED:
                return float("inf")
        except OSError:
            return None
        return max(0.0, time.time() - look.st_mtime)

    def _in(self, key: str) -> dict[str, int]:
        found: dict[str, int] = {}
        with suppress(OSError):
            for path in self._place(key, "").iterdir():
                if self._presence.alive(path.name):
                    found[path.name] = path.stat().st_mtime_ns
                else:
                    path.unlink(missing_ok=True)
        return found

    def _place(self, key: str, token: str) -> Path:
        # A path is no file name, and another store's windows are no windows of this one.
        name = hashlib.sha256(f"{self._store_id}\x00{key}".encode()).hexdigest()[:32]
        return self._folder / name / token

    def _mark(self, question: str, token: str) -> Path:
        return self._marks / f"{question}.{token}"

    def _forget_old_marks(self) -> None:
        with suppress(OSError):
            for path in self._marks.iterdir():
                if path.stat().st_mtime < time.time() - _FORGOTTEN_S:
                    path.unlink(missing_ok=True)


def _touch(path: Path, content: bytes = b"") -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        if content:
            file.write(content)
    # What the system sets by itself is as coarse as its tick: two signs within one would tie.
    now = time.time_ns()
    os.utime(path, ns=(now, now))
