"""Workspace keys: one spelling per folder, from a path that the system has already resolved.

Pure: symbolic links are followed by the caller. Paths of the other operating system (a Windows editor
with a sidecar in a Linux guest) are kept as what they are, folded by their own rules.
"""

import posixpath
import re
import unicodedata
from typing import Final

from keepgate.protocol.errors import Problem, invalid_input

_DRIVE: Final = re.compile(r"[A-Za-z]:(?:\\|\Z)")
_DRIVE_NAME: Final = re.compile(r"[a-z]:")
_DEVICE: Final = re.compile(r"\\\\[?.]\\")
_ROOT: Final = re.compile(r"/|[a-z]:\\|\\\\[^\\]*(\\[^\\]+)?")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NOWHERE: Final = frozenset({"", ".", "?"})
_WSL_HOSTS: Final = frozenset({"wsl$", "wsl.localhost"})


def is_windows_path(path: str) -> bool:
    """Whether a path is absolute by Windows rules: a drive, or a share."""
    folded = path.replace("/", "\\")
    return bool(_DRIVE.match(folded)) or (folded.startswith("\\\\") and path.startswith("\\"))


def is_absolute(path: str) -> bool:
    """Whether a path is absolute by the rules of any system."""
    return path.startswith("/") or is_windows_path(path)


def workspace_key(path: str, where: str = "$.cwd") -> str:
    r"""The key of an absolute path, the same for the key itself.

    Raises ``INVALID_INPUT`` for relative paths, for roots, and for U+0000 and undecodable bytes in a path.

    Windows paths compare without case; drive, share, ``\\?\`` and WSL forms of one folder get one key.
    """
    if not is_absolute(path):
        raise invalid_input(Problem(where, "must be an absolute path"))
    if "\x00" in path or _LONE_SURROGATE.search(path):
        raise invalid_input(Problem(where, "must be Unicode text without U+0000"))
    composed = unicodedata.normalize("NFC", path)
    key = _windows_key(composed) if is_windows_path(composed) else posixpath.normpath(composed)
    key = key.replace("//", "/", 1) if key.startswith("//") else key
    if _ROOT.fullmatch(key):
        raise invalid_input(Problem(where, "the root of a file system cannot be a workspace"))
    return key


def _windows_key(path: str) -> str:
    backslashed = path.replace("/", "\\")
    device = _DEVICE.match(backslashed)
    # No file is called `?`; dropping it keeps a device prefix from turning up behind another one.
    parts = [
        part for part in backslashed[device.end() if device else 0 :].split("\\") if part not in _NOWHERE
    ]
    parts = [unicodedata.normalize("NFC", part.lower()) for part in parts]
    share = backslashed.startswith("\\\\")
    if device and parts[:1] == ["unc"]:
        del parts[0]
    elif device and parts and _DRIVE_NAME.fullmatch(parts[0]):
        share = False
    elif device:
        parts.insert(0, "?")
    # `..` climbs no higher than the drive, or the server with its share.
    parts = _climbed(parts, root=2 if share else 1)
    if not share:
        return parts[0] + "\\" + "\\".join(parts[1:])
    if parts and parts[0] in _WSL_HOSTS:
        parts[0] = "wsl.localhost"
    return "\\\\" + "\\".join(parts)


def _climbed(parts: list[str], *, root: int) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if part != "..":
            kept.append(part)
        elif len(kept) > root:
            kept.pop()
    return kept


def holds(parent_key: str, key: str) -> bool:
    """Whether a folder is ``parent_key`` or lies inside it."""
    separator = "\\" if is_windows_path(parent_key) else "/"
    return key == parent_key or key.startswith(parent_key.rstrip(separator) + separator)
