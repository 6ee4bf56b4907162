"""A file that several processes append lines to, held open between lines, and begun anew when it is full."""

import os
from pathlib import Path
from typing import Final

from attrs import define, field

_APPENDING: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND


@define
class AppendedFile:
    """Lines at ``path``; what was before the last rotation is beside it with ``.1`` at the end."""

    path: Path
    _descriptor: int | None = field(init=False, default=None)

    def append(self, line: bytes, full_bytes: int) -> None:
        """Add a line; a file above ``full_bytes`` is put aside. Raises ``OSError``."""
        descriptor = self._usable(full_bytes)
        # One write to a file opened for appending: lines of several processes do not mix.
        os.write(descriptor, line)
        if os.fstat(descriptor).st_size > full_bytes:
            self._put_aside(descriptor)

    def close(self) -> None:
        """Let the file go; the next line opens it again."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            os.close(descriptor)

    def _usable(self, full_bytes: int) -> int:
        if self._descriptor is not None:
            # Another process may have put the file aside, or the person may have deleted it.
            status = os.fstat(self._descriptor)
            if status.st_size > full_bytes or not status.st_nlink:
                self.close()
        if self._descriptor is None:
            self._descriptor = self._opened()
        return self._descriptor

    def _opened(self) -> int:
        try:
            return os.open(self.path, _APPENDING, 0o600)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(self.path, _APPENDING, 0o600)

    def _put_aside(self, descriptor: int) -> None:
        mine = os.path.samestat(os.fstat(descriptor), self.path.stat())
        # Some systems rename no open file.
        self.close()
        if mine:
            self.path.replace(self.path.with_name(f"{self.path.name}.1"))
