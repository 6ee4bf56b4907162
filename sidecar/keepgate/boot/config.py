"""Settings from their layers (docs/protocol.md): options, environment, the user's file, defaults.

A project's own file can only narrow: a repository must never loosen the gate or move the store.
"""

import logging
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from keepgate.boot.places import Places
from keepgate.core.model.entry import session_problems
from keepgate.gate.policies import KEY_FORMS, strictest
from keepgate.protocol.entries import PAGE_LIMIT_MAX
from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.settings import Budgets, Settings, TrackBudgets, WritePolicy
from keepgate.protocol.wire import structure, unstructure

PROJECT_FILE: Final = ".keepgate/config.toml"
PROJECT_KEYS: Final = ("budgets", "writePolicy", "writePolicies", "pages")
_log: Final = logging.getLogger("keepgate.config")


def load_settings(
    places: Places,
    environ: Mapping[str, str],
    *,
    options: Any = None,
    workspace: str | Sequence[str] | None = None,
) -> Settings:
    """The settings of a process. ``options`` are raw initialization options or flags by their wire names;
    ``workspace`` names the folders whose project file narrows.

    Raises ``INVALID_INPUT`` that lists every unknown key and bad value, naming the file it stands in.
    """
    if options is not None and type(options) is not dict:
        raise invalid_input(Problem("$.initializationOptions", "must be an object"), shape=True)
    raw = unstructure(Settings())
    user = _read(Path(places.config_file))
    if user:
        _typed(_merged(raw, user), places.config_file)
        raw = _merged(raw, user)
    if environ.get("KEEPGATE_STORE"):
        raw["storePath"] = places.store_path
    settings = _typed(_merged(raw, options or {}), "$.initializationOptions")
    folders = [workspace] if isinstance(workspace, str) else workspace or ()
    for folder in folders:
        settings = narrowed(settings, folder)
    return settings


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise invalid_input(Problem(str(path), f"cannot be read: {error}")) from None


def _merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """``above`` over ``below``, object by object; a ``null`` above leaves what is below."""
    merged = dict(below)
    for name, value in above.items():
        under = merged.get(name)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            merged[name] = _merged(under, value)
        elif value is not None or name not in below:
            merged[name] = value
    return merged


def _typed(raw: Mapping[str, Any], root: str) -> Settings:
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


def narrowed(settings: Settings, folder: str) -> Settings:
    """``settings`` as a project's own file narrows them; whatever could loosen is left out and logged."""
    path = Path(folder) / PROJECT_FILE
    raw = _read(path)
    for name in sorted(raw.keys() - set(PROJECT_KEYS)):
        _log.warning("%s: %s can only stand in the user's own settings; ignored", path, name)
    known: dict[str, Any] = {name: raw[name] for name in PROJECT_KEYS if name in raw}
    if not known:
        return settings
    asked = _typed(_merged(unstructure(settings), known), str(path))
    policy = strictest([settings.write_policy, asked.write_policy])
    return evolve(
        settings,
        budgets=_smaller(settings.budgets, asked.budgets),
        write_policy=policy,
        write_policies=_stricter(settings, policy, known.get("writePolicies", {}), asked),
        pages=asked.pages,
    )


def _smaller(ours: Budgets, theirs: Budgets) -> Budgets:
    def of(one: TrackBudgets, other: TrackBudgets) -> TrackBudgets:
        return TrackBudgets(
            user_global=min(one.user_global, other.user_global), workspace=min(one.workspace, other.workspace)
        )

    return Budgets(user=of(ours.user, theirs.user), agent=of(ours.agent, theirs.agent))


def _stricter(
    settings: Settings, policy: WritePolicy, named: Mapping[str, Any], asked: Settings
) -> dict[str, WritePolicy]:
    ours = settings.write_policies
    # A source's key beats a layer's key, so a project's own source key must be no looser than any of them.
    hardest = strictest([policy, *ours.values()])
    result = {key: strictest([rule, asked.write_policy]) for key, rule in ours.items()}
    for key in named:
        floor = ours.get(key, hardest if key.startswith("source:") else policy)
        result[key] = strictest([floor, asked.write_policies[key], asked.write_policy])
    return result
