"""What a project's own file demands: ``.keepgate/config.toml`` in a workspace's folder.

It can only narrow: a repository must never loosen the gate or move the store.
"""

import logging
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from keepgate.boot.config import merged, read_toml, typed
from keepgate.gate.policies import Floor, Rules, strictest
from keepgate.protocol.settings import Budgets, Settings, TrackBudgets, WritePolicy
from keepgate.protocol.wire import unstructure

PROJECT_FILE: Final = ".keepgate/config.toml"
PROJECT_KEYS: Final = ("budgets", "writePolicy", "writePolicies", "pages")
CACHED_MAX: Final = 200
_log: Final = logging.getLogger("keepgate.config")

_Signature = tuple[int, ...] | None


class Projects:
    """The rules of each workspace: the process's settings, narrowed by that workspace's project file.

    ``folders_of`` names the folders that are open under a workspace key; a key is a folder itself. A file is
    read again when it was changed.
    """

    def __init__(self, settings: Settings, folders_of: Callable[[str], Collection[str]]) -> None:
        self._settings = settings
        self._folders_of = folders_of
        self._known: dict[tuple[str, ...], tuple[list[_Signature], Rules]] = {}

    def rules_for(self, workspaces: Collection[str]) -> Rules:
        """The rules for what is about these workspaces: of several projects, the strictest of each.

        Raises ``INVALID_INPUT`` for a project file that cannot be used.
        """
        folders = tuple(sorted({folder for key in workspaces for folder in (key, *self._folders_of(key))}))
        signatures = [_signature(folder) for folder in folders]
        known = self._known.get(folders)
        if known is not None and known[0] == signatures:
            return known[1]
        rules = Rules(settings=self._settings)
        for folder in folders:
            rules = narrowed(rules, folder)
        if len(self._known) >= CACHED_MAX:
            self._known.clear()
        self._known[folders] = (signatures, rules)
        return rules


def _signature(folder: str) -> _Signature:
    """What changes when a project's file does; ``None`` where there is none to look at."""
    try:
        found = os.stat(f"{folder}/{PROJECT_FILE}")  # noqa: PTH116 - quick, because every write asks
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def narrowed(rules: Rules, folder: str) -> Rules:
    """``rules`` as the file of one project narrows them; what it may not say is left out and logged.

    Raises ``INVALID_INPUT`` for a file that cannot be used.
    """
    path = Path(folder) / PROJECT_FILE
    # The key of a folder of another system is no path here.
    raw = read_toml(path) if path.is_absolute() else {}
    for name in sorted(raw.keys() - set(PROJECT_KEYS)):
        _log.warning("%s: %s can only stand in the user's own settings; ignored", path, name)
    said: dict[str, Any] = {name: raw[name] for name in PROJECT_KEYS if name in raw}
    if not said:
        return rules
    asked = typed(merged(unstructure(rules.settings), said), str(path))
    return Rules(
        settings=evolve(
            rules.settings, budgets=_smaller(rules.settings.budgets, asked.budgets), pages=asked.pages
        ),
        floor=_higher(
            rules.floor,
            asked.write_policy if "writePolicy" in said else WritePolicy.AUTO,
            {key: asked.write_policies[key] for key in said.get("writePolicies", ())},
        ),
    )


def _smaller(ours: Budgets, theirs: Budgets) -> Budgets:
    def of(one: TrackBudgets, other: TrackBudgets) -> TrackBudgets:
        return TrackBudgets(
            user_global=min(one.user_global, other.user_global), workspace=min(one.workspace, other.workspace)
        )

    return Budgets(user=of(ours.user, theirs.user), agent=of(ours.agent, theirs.agent))


def _higher(floor: Floor, policy: WritePolicy, policies: Mapping[str, WritePolicy]) -> Floor:
    of_key = dict(floor.write_policies)
    for key, rule in policies.items():
        of_key[key] = strictest([rule, of_key.get(key, WritePolicy.AUTO)])
    return Floor(write_policy=strictest([floor.write_policy, policy]), write_policies=of_key)
