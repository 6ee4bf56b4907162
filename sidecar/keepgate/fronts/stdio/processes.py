"""Whether a process still lives, on every platform."""

import os
import sys
from pathlib import Path
from typing import Final

_ENDED: Final = frozenset("ZXx")
"""States of a Linux process that has ended: waiting to be collected, or dead."""


class Lifeline:
    """A process that this one must not outlive.

    A parent that ended but was collected by nobody still answers to its id where ``/proc`` does not tell;
    its children notice it by their new parent.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._is_parent = os.getppid() == pid

    def holds(self) -> bool:
        """Whether the process still runs."""
        if self._is_parent and os.getppid() != self._pid:
            return False
        return is_alive(self._pid)


def is_alive(pid: int) -> bool:
    """Whether a process with this id runs. One that has ended and was not collected yet does not run."""
    if pid <= 0 or pid > 0xFFFFFFFF:
        return False
    return _is_alive_windows(pid) if sys.platform == "win32" else _is_alive_posix(pid)


def has_ended(stat: str) -> bool:
    """Whether a line of ``/proc/PID/stat`` tells of an ended process. The name in it may hold anything."""
    fields = stat.rpartition(")")[2].split()
    return bool(fields) and fields[0] in _ENDED


def _is_alive_posix(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    try:
        return not has_ended(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        # No such file system here, or the process ended just now; the next look will tell.
        return True


def _is_alive_windows(pid: int) -> bool:
    import ctypes  # noqa: PLC0415 - only needed there

    still_active = 259
    query_limited_information = 0x1000
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]  # on Windows only
    process = kernel.OpenProcess(query_limited_information, False, pid)
    if not process:
        access_denied = 5
        return bool(ctypes.get_last_error() == access_denied)  # type: ignore[attr-defined,unused-ignore]  # on Windows only
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(process, ctypes.byref(code))
    kernel.CloseHandle(process)
    return code.value == still_active
