"""The folders that a client has open, each by its own path: several may share one workspace."""

from collections.abc import Iterable, Sequence

from keepgate.service.connection import Workspace
from keepgate.service.workspaces import folder_of, open_workspace


def open_folders(folders: Sequence[str], where: str, *, identity: str) -> list[Workspace]:
    """The workspaces of folders, ``file:`` URIs or absolute paths; one that is named twice is opened once.

    ``where`` names the list to the client. Raises ``INVALID_INPUT`` for a folder that cannot be used.
    """
    return list(_opened(folders, where, identity).values())


def folders_after(
    before: Iterable[Workspace], *, added: Sequence[str], removed: Sequence[str], identity: str
) -> list[Workspace]:
    """What is open after an event. Raises ``INVALID_INPUT`` as :func:`open_folders` does."""
    gone = {folder_of(folder, f"$.event.removed[{index}]") for index, folder in enumerate(removed)}
    opened = {folder_of(item.path): item for item in before}
    # Those that stay come first: a session without a directory belongs to the first folder.
    after = {folder: item for folder, item in opened.items() if folder not in gone}
    for folder, item in _opened(added, "$.event.added", identity).items():
        after.setdefault(folder, item)
    return list(after.values())


def _opened(folders: Sequence[str], where: str, identity: str) -> dict[str, Workspace]:
    opened: dict[str, Workspace] = {}
    for index, folder in enumerate(folders):
        at = f"{where}[{index}]"
        opened.setdefault(folder_of(folder, at), open_workspace(folder, identity=identity, where=at))
    return opened
