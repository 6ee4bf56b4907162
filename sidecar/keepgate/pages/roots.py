"""Where page files lie: the user's own folder, and folders inside a workspace."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from attrs import frozen

USER_FOLDER: Final = "pages"


@frozen
class Root:
    """A folder of page files; ``home`` is a workspace key, empty for user-global.

    ``folder`` is its real path, with every link resolved; it need not exist.
    """

    home: str
    folder: str


def user_root(data_folder: str) -> Root:
    """The root of user-global pages, in the data folder."""
    return Root("", os.path.realpath(Path(data_folder) / USER_FOLDER))


def workspace_roots(home: str, folders: Iterable[str], names: Sequence[str]) -> list[Root]:
    """The roots of a workspace: each of ``names`` below each of its open ``folders``, in this order.

    One whose real path leaves its folder is left out, whatever link led there: a repository must not name
    files elsewhere as its pages. Folders of another system have none.
    """
    found: dict[str, Root] = {}
    for folder in folders:
        if not Path(folder).is_absolute():
            continue
        base = Path(os.path.realpath(folder))
        for name in names:
            real = Path(os.path.realpath(base / name))
            if real == base or base in real.parents:
                found.setdefault(str(real), Root(home, str(real)))
    return list(found.values())
