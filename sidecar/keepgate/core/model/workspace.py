"""Workspace keys: one spelling per folder, from a path that the system has already resolved.

Pure: symbolic links are followed by the caller. Paths of the other operating system (a Windows editor
with a sidecar in a Linux guest) are kept as what they are, folded by their own rules.
"""

import posixpath
import re
import unicodedata
from typing import Final

from keepgate.protocol.errors import Problem, invalid_input

_DRIVE: Final = re.compile(r"[A-Za-z]:(?:\\|$)")
_EXTENDED: Final = re.compile(r"\\\\[?.]\\(?:(UNC)\\)?", re.IGNORECASE)
_WSL_HOSTS: Final = frozenset({"wsl$", "wsl.localhost"})


def is_windows_path(path: str) -> bool:
    """Whether a path is absolute by Windows rules: a drive, or a share."""
    folded = path.replace("/", "\\")
    return bool(_DRIVE.match(folded)) or (folded.startswith("\\\\") and not path.startswith("//"))


def is_absolute(path: str) -> bool:
    """Whether a path is absolute by the rules of any system."""
    return path.startswith("/") or is_windows_path(path)


def workspace_key(path: str, where: str = "$.cwd") -> str:
    r"""The key of an absolute path. Raises ``INVALID_INPUT`` for relative paths, roots and U+0000.

    Windows paths compare without case; drive, share, ``\\?\`` and WSL forms of one folder get one key.
    """
    if not path or "\x00" in path or not is_absolute(path):
        raise invalid_input(Problem(where, "must be an absolute path"))
    composed = unicodedata.normalize("NFC", path)
    key = _windows_key(composed) if is_windows_path(composed) else posixpath.normpath(composed)
    key = key.replace("//", "/", 1) if key.startswith("//") else key
    if key == "/" or re.fullmatch(r"[a-z]:\\|\\\\[^\\]+(\\[^\\]+)?", key):
        raise invalid_input(Problem(where, "the root of a file system cannot be a workspace"))
    return key


def _windows_key(path: str) -> str:
    backslashed = path.replace("/", "\\")
    if extended := _EXTENDED.match(backslashed):
        rest = backslashed[extended.end() :]
        backslashed = f"\\\\{rest}" if extended[1] else rest
    share = backslashed.startswith("\\\\")
    parts = [part.lower() for part in backslashed.split("\\") if part not in ("", ".")]
    kept: list[str] = []
    for part in parts:
        if part != "..":
            kept.append(part)
        elif len(kept) > 1:
            kept.pop()
    if share and kept and kept[0] in _WSL_HOSTS:
        kept[0] = "wsl.localhost"
    if share:
        return "\\\\" + "\\".join(kept)
    return kept[0] + "\\" + "\\".join(kept[1:])


def holds(parent_key: str, key: str) -> bool:
    """Whether a folder is ``parent_key`` or lies inside it."""
    separator = "\\" if is_windows_path(parent_key) else "/"
    return key == parent_key or key.startswith(parent_key.rstrip(separator) + separator)
