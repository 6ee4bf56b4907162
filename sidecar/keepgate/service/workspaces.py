"""Folders to workspaces: links followed, repository identity when asked for, roots found."""

import os
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from keepgate.core.model.workspace import holds, is_absolute, is_windows_path, workspace_key
from keepgate.protocol.errors import Fault, Problem, invalid_input
from keepgate.service.connection import Workspace

MARKERS: Final = (".keepgate", ".git")
REPOSITORY: Final = "repository"
_CUT_OFF: Final = re.compile(r"[?#\t\r\n]")
"""What ends the path of a URI or vanishes from it, so that what is left names another folder."""


def path_of(folder: str, where: str) -> str:
    """The path that a ``file:`` URI or a plain path names.

    Raises ``INVALID_INPUT`` for any other scheme, for what cannot be a path, and for a URI that other
    folders could mean as well. Nothing is looked up.
    """
    path = folder if is_absolute(folder) else _path_in(folder, where)
    workspace_key(path, where)
    return path


def _path_in(uri: str, where: str) -> str:
    try:
        parts = urlsplit(uri)
    except ValueError:  # Such as a bracket that is not closed.
        raise invalid_input(Problem(where, "is not a URI")) from None
    if parts.scheme != "file":
        raise invalid_input(Problem(where, "must be a file: URI or an absolute path"))
    if _CUT_OFF.search(uri):
        raise invalid_input(Problem(where, "must write ?, # and line breaks of a path as %3F, %23, %0A"))
    try:
        path = unquote(parts.path, errors="strict")
    except UnicodeDecodeError:  # Replaced by a mark, all such names would be one folder.
        raise invalid_input(Problem(where, "is not UTF-8 once its % escapes are decoded")) from None
    if parts.netloc and parts.netloc != "localhost":
        return f"\\\\{parts.netloc}{path}".replace("/", "\\")
    return path[1:] if is_windows_path(path[1:]) else path


def folder_of(folder: str, where: str = "$.cwd") -> str:
    """A folder as it is spelled, without looking at the disk: the same for its URI and its path.

    Raises ``INVALID_INPUT`` as :func:`path_of` does.
    """
    return workspace_key(path_of(folder, where), where)


def real_paths(uris: Iterable[str]) -> list[str]:
    """The files that URIs name, below the real paths of their folders; what names no file is left out."""
    found: list[str] = []
    for uri in uris:
        try:
            folder, name = os.path.split(path_of(uri, "$.uri"))
            found.append(os.path.join(os.path.realpath(folder), name))  # noqa: PTH118 - of strings
        except (Fault, OSError, ValueError):
            continue
    return found


def uri_of(path: str) -> str:
    """The ``file:`` URI of an absolute path of this system, or the path itself when it is foreign."""
    native = Path(path)
    return native.as_uri() if native.is_absolute() else path


def open_workspace(folder: str, *, identity: str, rule: str = "folder", where: str = "$.cwd") -> Workspace:
    """The workspace of a folder, which need not exist. Raises ``INVALID_INPUT`` for unusable paths."""
    path = path_of(folder, where)
    native = is_windows_path(path) == (os.name == "nt")
    resolved = os.path.realpath(path) if native else path
    if identity == REPOSITORY and native and (shared := repository_of(Path(resolved))):
        return Workspace(path=path, uri=uri_of(path), key=workspace_key(str(shared), where), rule=REPOSITORY)
    return Workspace(path=path, uri=uri_of(path), key=workspace_key(resolved, where), rule=rule)


def repository_of(folder: Path) -> Path | None:
    """The main work tree of the repository that holds ``folder``; every linked work tree gives the same.

    ``None`` where there is none, or the disk does not let one look.
    """
    try:
        for candidate in (folder, *folder.parents):
            git = candidate / ".git"
            if git.is_dir():
                return candidate
            if git.is_file():
                return _main_work_tree(candidate, git)
    except OSError:  # Such as a name that is too long, or a folder that is not this user's.
        return None
    return None


def _main_work_tree(work_tree: Path, git_file: Path) -> Path:
    first = git_file.read_text(encoding="utf-8", errors="replace").strip()
    git_dir = (work_tree / first.removeprefix("gitdir:").strip()).resolve()
    common = git_dir / "commondir"
    if not common.is_file():
        return work_tree  # A submodule: a repository of its own.
    shared = (git_dir / common.read_text(encoding="utf-8", errors="replace").strip()).resolve()
    return shared.parent if shared.name == ".git" else shared


def workspace_for(
    cwd: str | None, folders: Sequence[Workspace], *, identity: str, where: str = "$.session.cwd"
) -> Workspace | None:
    """The workspace of a session: the deepest open folder that holds ``cwd``, else the first folder.

    With no open folder the working directory is its own workspace. Raises ``INVALID_INPUT`` when folders are
    open and none holds ``cwd``.
    """
    if cwd is None:
        return folders[0] if folders else None
    if not is_absolute(cwd):
        raise invalid_input(Problem(where, "must be an absolute path"))
    for item in folders:
        # As mostly: what was found out when it was opened need not be asked of the disk again.
        if item.path == cwd:
            return item
    own = open_workspace(cwd, identity=identity, rule="cwd", where=where)
    if not folders:
        return own
    plain = own if identity != REPOSITORY else open_workspace(cwd, identity="path", where=where)
    inside = [item for item in folders if holds(item.key, plain.key) or item.key == own.key]
    if not inside:
        raise invalid_input(Problem(where, "lies outside every open folder"))
    return max(inside, key=lambda item: len(item.key))


async def find_root(
    cwd: str,
    known: Callable[[list[str]], Awaitable[set[str]]],
    override: str | None,
    *,
    identity: str = "path",
) -> Workspace:
    """The workspace of a command line: ``override``, else the deepest ancestor that has memories,
    else the nearest one with ``.keepgate`` or ``.git``, else ``cwd`` itself.

    ``known`` answers which of some keys have memories. A home folder's own markers do not count: dotfile
    repositories would swallow every project below them.
    """
    if override is not None:
        chosen = os.path.abspath(os.path.expanduser(override))  # noqa: PTH100, PTH111 - links are kept for the echo
        return open_workspace(chosen, identity=identity, rule="given", where="--workspace")
    here = Path(os.path.realpath(cwd))
    ancestors = [item for item in (here, *here.parents) if item != Path(item.anchor)]
    keys = {workspace_key(str(item)): item for item in ancestors}
    with_memories = await known(list(keys))
    for key, item in keys.items():
        if key in with_memories:
            return open_workspace(str(item), identity=identity, rule="known-workspace")
    home = Path(os.path.realpath(Path.home()))
    for item in ancestors:
        if item != home and any((item / marker).exists() for marker in MARKERS):
            return open_workspace(str(item), identity=identity, rule="marker")
    return open_workspace(str(here), identity=identity, rule="directory")
