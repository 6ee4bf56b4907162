"""Settings from their layers (docs/protocol.md): options, environment, the user's file, defaults.

What a project's own file narrows comes on top, workspace by workspace: :mod:`keepgate.boot.projects`.
"""

import errno
import logging
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from keepgate.boot.places import Places
from keepgate.core.model.entry import session_problems
from keepgate.gate.policies import KEY_FORMS
from keepgate.protocol.entries import PAGE_LIMIT_MAX
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.naming import camel
from keepgate.protocol.settings import Settings
from keepgate.protocol.wire import structure, unstructure

_log: Final = logging.getLogger("keepgate.config")
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
"""How the system says that there can be no file of that name."""


def load_settings(
    places: Places,
    environ: Mapping[str, str],
    *,
    options: Any = None,
) -> Settings:
    """The settings of a process. ``options`` are raw initialization options or flags by their wire names.

    Raises ``INVALID_INPUT`` that lists every unknown key and bad value, naming the file it stands in.
    """
    if options is not None and type(options) is not dict:
        raise invalid_input(Problem("$.initializationOptions", "must be an object"), shape=True)
    raw = unstructure(Settings())
    user = read_toml(Path(places.config_file))
    if user:
        typed(merged(raw, user), places.config_file)
        raw = merged(raw, user)
    if environ.get("KEEPGATE_STORE"):
        raw["storePath"] = places.store_path
    settings = typed(merged(raw, options or {}), "$.initializationOptions")
    if unused := sorted(_not_served(settings)):
        _log.warning("not served by this version: %s", ", ".join(unused))
    return settings


def _not_served(settings: Settings) -> Iterator[str]:
    """The settings that the protocol names, that somebody has set, and that nothing reads yet."""
    usual = Settings()
    for name in ("embeddings", "language_model"):
        if getattr(settings, name) != getattr(usual, name):
            yield camel(name)


def read_toml(path: Path) -> dict[str, Any]:
    """The settings in a file; none where there is no file. Raises ``INVALID_INPUT`` for one it cannot use."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno in _ABSENT:
            return {}
        raise invalid_input(Problem(str(path), f"cannot be read: {error}")) from None


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """``above`` over ``below``, object by object; a ``null`` above leaves what is below."""
    whole = dict(below)
    for name, value in above.items():
        under = whole.get(name)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            whole[name] = merged(under, value)
        elif value is not None or name not in below:
            whole[name] = value
    return whole


def typed(raw: Mapping[str, Any], root: str) -> Settings:
    """Settings from their wire form. Raises ``INVALID_INPUT`` with every problem, each below ``root``."""
    settings = structure(dict(raw), Settings, forbid_unknown=True, root=root)
    if problems := list(_problems(settings, root)):
        raise invalid_input(*problems)
    return settings


def _problems(settings: Settings, root: str) -> Sequence[Problem]:
    found: list[Problem] = []

    def require(holds: bool, name: str, problem: str) -> None:
        if not holds:
            found.append(Problem(f"{root}.{name}", problem))

    for track, budgets in (("user", settings.budgets.user), ("agent", settings.budgets.agent)):
        require(budgets.user_global > 0, f"budgets.{track}.userGlobal", "must be positive")
        require(budgets.workspace > 0, f"budgets.{track}.workspace", "must be positive")
    limits = settings.proposals
    for name, value in (
        ("approvalTimeoutSeconds", settings.approval_timeout_seconds),
        ("queryLimit", settings.query_limit),
        ("proposals.maxPerSession", limits.max_per_session),
        ("proposals.maxPerWorkspace", limits.max_per_workspace),
        ("proposals.expireDays", limits.expire_days),
        ("proposals.maxTextUnits", limits.max_text_units),
        ("facts.maxTextUnits", settings.facts.max_text_units),
    ):
        require(0 < value <= 2**31, name, "must be positive")
    require(settings.query_limit <= PAGE_LIMIT_MAX, "queryLimit", f"must be at most {PAGE_LIMIT_MAX}")
    require(0 <= settings.facts.score_floor <= 1, "facts.scoreFloor", "must be between 0 and 1")
    require(settings.facts.home in ("workspace", "user"), "facts.home", "must be workspace or user")
    require(
        settings.mcp.surface in ("verbs", "starter", "full"), "mcp.surface", "must be verbs, starter or full"
    )
    require(
        settings.workspace_identity in ("path", "repository"),
        "workspaceIdentity",
        "must be path or repository",
    )
    store = settings.store_path
    require(
        store is None or (Path(store).is_absolute() and "\x00" not in store),
        "storePath",
        "must be an absolute path",
    )
    for key in settings.write_policies:
        require(
            re.fullmatch(KEY_FORMS, key) is not None, f"writePolicies.{key}", "is not a key of writePolicies"
        )
    for index, folder in enumerate(settings.pages.roots):
        require(_inside(folder), f"pages.roots[{index}]", "must be a relative path inside the workspace")
    if settings.session is not None:
        found += session_problems(settings.session.id, f"{root}.session.id")
    return found


def _inside(folder: str) -> bool:
    parts = folder.replace("\\", "/").split("/")
    return bool(folder) and not Path(folder).is_absolute() and ".." not in parts and ":" not in parts[0]
