"""What a client says about itself in ``initialize`` (docs/protocol.md)."""

from collections.abc import Iterable, Mapping
from os import PathLike, fspath, getpid
from pathlib import Path
from typing import Any

Folder = str | PathLike[str]


def initialize_params(
    *,
    folders: Iterable[Folder],
    client_name: str,
    client_version: str | None,
    capabilities: Mapping[str, Any],
    settings: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The params of ``initialize``; the first folder is the root, and no folder at all is allowed.

    The process id is this process's, so that the sidecar ends when it does.
    """
    uris = [folder_uri(folder) for folder in folders]
    info = (
        {"name": client_name} if client_version is None else {"name": client_name, "version": client_version}
    )
    params: dict[str, Any] = {
        "processId": getpid(),
        "clientInfo": info,
        "rootUri": uris[0] if uris else None,
        "workspaceFolders": [{"uri": uri, "name": uri.rstrip("/").rpartition("/")[2]} for uri in uris]
        or None,
        "capabilities": dict(capabilities),
    }
    if settings is not None:
        params["initializationOptions"] = dict(settings)
    return params


def folder_uri(folder: Folder) -> str:
    """The URI of a folder; a string with a scheme, such as ``file:///a``, is one already.

    Relative paths are taken from the current folder; symbolic links stay, the sidecar resolves them.
    """
    text = fspath(folder)
    return text if "://" in text else Path(text).absolute().as_uri()


def all_folders(workspace: Folder | None, workspaces: Iterable[Folder]) -> list[Folder]:
    """The folders in order: the single one first."""
    return [*([] if workspace is None else [workspace]), *workspaces]


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with ``over`` laid on top; objects are merged member by member, all else is replaced."""
    result = dict(base)
    for name, value in over.items():
        below = result.get(name)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[name] = merged(below, value) if both else value  # type: ignore[arg-type] # both are mappings
    return result
