"""Which homes and roots of pages the connections of a process have in sight."""

import logging
import os
from collections.abc import Collection, Iterable

from keepgate.gate.policies import RulesFor
from keepgate.pages.keeping import Home
from keepgate.pages.roots import Root, user_root, workspace_roots
from keepgate.pages.scan import is_of_interest
from keepgate.protocol.errors import Fault
from keepgate.service.connection import Connection

_log = logging.getLogger(__name__)


def homes_of(connections: Iterable[Connection], rules_for: RulesFor, data_folder: str) -> list[Home]:
    """The workspaces of all connections, and the user's own; each with its roots.

    Looks at the disk, so it is called in a thread; never raises.
    """
    folders: dict[str, list[str]] = {}
    for connection in list(connections):
        for workspace in connection.workspaces:
            folders.setdefault(workspace.key, []).append(workspace.path)
        for key in list(connection.session_keys.values()):
            folders.setdefault(key, [])
    own = user_root(data_folder)
    homes = [Home(key="", folders=(os.path.realpath(data_folder),), roots=(own,))]
    for key in sorted(filter(None, folders)):
        try:
            homes.append(_home(key, folders[key] or [key], rules_for))
        except (Fault, OSError, ValueError) as error:
            # Such as a project file with a mistake in it, which every write is told about.
            _log.info("pages of a workspace are not indexed: %s", type(error).__name__)
    return homes


def homes_in_sight(homes: Iterable[Home], keys: Collection[str]) -> list[Home]:
    """The homes of some workspaces and the user's own."""
    return [home for home in homes if home.key in ("", *keys)]


def _home(key: str, folders: list[str], rules_for: RulesFor) -> Home:
    roots = workspace_roots(key, dict.fromkeys(folders), rules_for([key]).settings.pages.roots)
    kept = tuple(root for root in roots if not any(_reaches(other, root) for other in roots))
    return Home(
        key=key, folders=tuple(os.path.realpath(folder) for folder in dict.fromkeys(folders)), roots=kept
    )


def _reaches(outer: Root, inner: Root) -> bool:
    """Whether looking through one root finds the files of another, which would be two pages then."""
    prefix = os.path.join(outer.folder, "")  # noqa: PTH118 - of a string
    if not inner.folder.startswith(prefix):
        return False
    return is_of_interest(inner.folder[len(prefix) :].replace(os.sep, "/"))
