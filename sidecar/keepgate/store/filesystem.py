"""Which file system a store lies on. Write-ahead logging is for local ones only (docs/architecture.md)."""

import re
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final

from attrs import frozen

NETWORK_TYPES: Final = frozenset({
    "9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "gfs2", "glusterfs", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf",
    "virtiofs", "vmhgfs", "webdav",
})  # fmt: skip
"""Types whose locks or shared memory other machines, or the host of a guest, do not see."""

_OCTAL: Final = re.compile(r"\\([0-7]{3})")
_DRIVE_REMOTE: Final = 4
_MNT_LOCAL: Final = 0x1000


@frozen(kw_only=True)
class FileSystem:
    """``local`` says whether WAL is safe; ``type`` is the system's word; ``told_by`` says how it was told."""

    local: bool
    type: str
    told_by: str

    def __str__(self) -> str:
        """As status and doctor show it."""
        return f"{'local' if self.local else 'network'} ({self.type}, told by {self.told_by})"


def file_system_of(folder: str) -> FileSystem:
    """The file system under ``folder``. One that cannot be told counts as local."""
    tell = _TELLERS.get(sys.platform, _on_linux)
    try:
        return tell(str(Path(folder).resolve()))
    except OSError as error:
        return FileSystem(local=True, type="unknown", told_by=type(error).__name__)


def from_mountinfo(text: str, folder: str) -> FileSystem:
    """The file system of an absolute POSIX path, from the text of ``/proc/self/mountinfo``. Pure.

    The longest mount point that holds the path counts, and of equal ones the last, which lies on top.
    """
    place = PurePosixPath(folder)
    best: tuple[int, str] | None = None
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, types = before.split(" "), after.split(" ")
        if len(fields) < 5 or not types[0]:
            continue
        mount = PurePosixPath(_OCTAL.sub(lambda found: chr(int(found[1], 8)), fields[4]))
        depth = len(mount.parts)
        if (mount == place or mount in place.parents) and (best is None or depth >= best[0]):
            best = (depth, types[0])
    if best is None:
        return FileSystem(local=True, type="unknown", told_by="/proc/self/mountinfo")
    return FileSystem(local=is_local(best[1]), type=best[1], told_by="/proc/self/mountinfo")


def is_local(type_name: str) -> bool:
    """Whether this type keeps locks and shared memory on one machine. FUSE does not promise it."""
    name = type_name.lower()
    return name not in NETWORK_TYPES and not name.startswith(("fuse", "macfuse", "osxfuse"))


def _on_linux(folder: str) -> FileSystem:
    return from_mountinfo(Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape"), folder)


def _on_macos(folder: str) -> FileSystem:  # pragma: no cover - needs macOS's libc
    import ctypes  # noqa: PLC0415 - only this platform pays for it

    buffer = ctypes.create_string_buffer(4096)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc["statfs$INODE64" if hasattr(libc, "statfs$INODE64") else "statfs"](folder.encode(), buffer):
        raise OSError(ctypes.get_errno(), "statfs")
    # struct statfs of Darwin: f_flags stands at byte 64, f_fstypename at byte 72 with 16 bytes.
    flags = int.from_bytes(buffer.raw[64:68], sys.byteorder)
    name = buffer.raw[72:88].split(b"\x00", 1)[0].decode()
    return FileSystem(local=bool(flags & _MNT_LOCAL) and is_local(name), type=name, told_by="statfs")


def _on_windows(folder: str) -> FileSystem:  # pragma: no cover - needs Windows's kernel32
    import ctypes  # noqa: PLC0415 - only this platform pays for it

    kind = ctypes.WinDLL("kernel32").GetDriveTypeW(Path(folder).anchor)  # type: ignore[attr-defined,unused-ignore]  # typeshed offers it on Windows only
    remote = kind == _DRIVE_REMOTE or folder.startswith("\\\\")
    return FileSystem(local=not remote, type="remote" if remote else "drive", told_by="GetDriveTypeW")


_TELLERS: Final[dict[str, Callable[[str], FileSystem]]] = {
    "linux": _on_linux,
    "darwin": _on_macos,
    "win32": _on_windows,
}
