"""Case files: read, checked, and put in order."""

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from attrs import frozen

MUST: Final = "must"
STRICT: Final = "strict"
CONTRACTS: Final = ("verbs", "dsh")
_CASE_KEYS: Final = frozenset({"id", "title", "level", "requires", "steps"})
_STEP_KEYS: Final = frozenset(
    {"call", "method", "send", "with", "as", "person", "save", "collect", "expect", "repeat", "check", "set",
     "each", "steps", "pause_s", "restart"}
)  # fmt: skip
_KINDS: Final = ("call", "method", "send", "check", "set", "each", "pause_s", "restart")


class BadCase(Exception):
    """A case file cannot be used; the message names it."""


@frozen(kw_only=True)
class Case:
    """One case. ``requires`` are features that a target must have; without one the case is skipped."""

    id: str
    title: str
    level: str
    requires: tuple[str, ...]
    steps: tuple[Mapping[str, Any], ...]


def cases_folder() -> Path:
    """Where the case files are: in the installed package, or in the checkout. Raises :class:`BadCase`."""
    here = Path(__file__).resolve().parent
    for folder in (here / "cases", here.parents[2] / "tests" / "conformance" / "cases"):
        if (folder / "verbs").is_dir():
            return folder
    raise BadCase("the case files are not installed with this package")


def load_cases(contract: str, folder: Path | None = None) -> list[Case]:
    """The cases of a contract, those of a fresh store first. Raises :class:`BadCase`."""
    files = sorted(((folder or cases_folder()) / contract).glob("*.json"))
    cases = [case for file in files for case in _read(file)]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise BadCase(f"two cases are named {case.id}")
        seen.add(case.id)
    return sorted(cases, key=lambda case: "fresh" not in case.requires)


def chosen(cases: list[Case], pattern: str | None) -> list[Case]:
    """The cases whose ids a glob pattern matches; all of them without one."""
    return [case for case in cases if pattern is None or fnmatchcase(case.id, pattern)]


def _read(file: Path) -> Iterator[Case]:
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        for raw in document["cases"]:
            yield _case(raw, document.get("requires", []))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadCase(f"{file.name}: {error!r}") from error


def _case(raw: Mapping[str, Any], shared: list[str]) -> Case:
    if unknown := raw.keys() - _CASE_KEYS:
        raise ValueError(f"{raw.get('id')}: unknown keys {sorted(unknown)}")
    level = raw.get("level", MUST)
    if level not in (MUST, STRICT):
        raise ValueError(f"{raw['id']}: level {level}")
    for step in raw["steps"]:
        _check_step(raw["id"], step)
    return Case(
        id=raw["id"],
        title=raw["title"],
        level=level,
        requires=(*shared, *raw.get("requires", ())),
        steps=tuple(raw["steps"]),
    )


def _check_step(case: str, step: Mapping[str, Any]) -> None:
    if unknown := step.keys() - _STEP_KEYS:
        raise ValueError(f"{case}: unknown step keys {sorted(unknown)}")
    if len([kind for kind in _KINDS if kind in step]) != 1:
        raise ValueError(f"{case}: a step is one of {', '.join(_KINDS)}")
    for inner in step.get("steps", ()):
        _check_step(case, inner)
