"""Whatever there is has a place in the documents, and whatever they name is there."""

import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from keepgate import __version__
from keepgate.cli.root import COMMANDS
from keepgate.protocol.naming import camel
from keepgate.protocol.settings import Settings

Run = Callable[..., subprocess.CompletedProcess[str]]

LINK = re.compile(r"\]\((?!https?:)(?P<path>[^)#\s]*)(?:#(?P<anchor>[^)\s]+))?\)")
HEADING = re.compile(r"^#{1,6} (?P<title>.+)$", re.MULTILINE)
FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

ARCHITECTURE = "docs/architecture.md"
COMMAND_LINE = "docs/guides/command-line.md"
SETTINGS = "docs/guides/settings.md"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_is_described(documents: Mapping[str, str], name: str) -> None:
    """A command has a heading on the page of the command line, and is named in the changelog."""
    assert f"\n## `keepgate {name}" in documents[COMMAND_LINE]
    assert re.search(rf"`(?:keepgate )?{name}\b", documents["CHANGELOG.md"])


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_option_is_described(documents: Mapping[str, str], run: Run, name: str) -> None:
    """An option of a command stands in its section, or with the options of every command."""
    told = run("-m", "keepgate", name, "--help").stdout
    options = set(re.findall(r"^\s+(?:-\w, )?(--[a-z-]+)", told, re.MULTILINE))
    section = re.split(
        r"^## ", documents[COMMAND_LINE].partition(f"\n## `keepgate {name}")[2], flags=re.MULTILINE
    )[0]
    everywhere = documents[COMMAND_LINE].partition("\n## ")[0]

    assert [] == [option for option in sorted(options) if option not in section + everywhere]


def test_every_setting_is_described(documents: Mapping[str, str]) -> None:
    """The guide names each setting."""
    missing = [name for name in _settings(Settings, "") if f"`{name}`" not in documents[SETTINGS]]

    assert [] == missing


def _settings(kind: type, prefix: str) -> Iterator[str]:
    for field in attrs.fields(kind):
        name = prefix + camel(field.name)
        if attrs.has(type(field.default)):
            yield from _settings(type(field.default), f"{name}.")
        else:
            yield name


def test_the_changelog_has_a_place_for_this_version(documents: Mapping[str, str]) -> None:
    """The newest section is the unreleased one, or this version's."""
    first = re.search(r"^## \[?(?P<name>[^\]\s]+)", documents["CHANGELOG.md"], re.MULTILINE)

    assert first is not None
    assert first["name"] in ("Unreleased", __version__)


def test_links_lead_somewhere(documents: Mapping[str, str], root: Path) -> None:
    """Each relative link names a file that is there, and a heading in it."""
    broken = [
        f"{path}: {match[0]}"
        for path, text in documents.items()
        for match in LINK.finditer(_without_code(text))
        if not _leads(root, path, match["path"], match["anchor"])
    ]

    assert [] == broken


def _without_code(text: str) -> str:
    return FENCED.sub("", text)


def _leads(root: Path, page: str, path: str, anchor: str | None) -> bool:
    target = (root / page).parent / path if path else root / page
    if not target.exists():
        return False
    if anchor is None:
        return True
    titles = [match["title"] for match in HEADING.finditer(_without_code(target.read_text(encoding="utf-8")))]
    return anchor in [_anchor(title) for title in titles]


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def test_paths_in_the_code_map_exist(documents: Mapping[str, str], root: Path) -> None:
    """Each file and folder that the architecture page names is there."""
    named = re.findall(
        r"`((?:sidecar|client|tests|docs|schemas|benchmarks|editors)/[\w./*-]*)`", documents[ARCHITECTURE]
    )
    missing = [path for path in named if not list(root.glob(path.rstrip("/")))]

    assert named
    assert [] == missing


def test_every_invariant_names_its_check(documents: Mapping[str, str], root: Path) -> None:
    """An invariant of the architecture page ends with the contract or the test that holds it."""
    contracts = (root / ".importlinter").read_text(encoding="utf-8")
    lines = re.findall(r"^- (?P<text>.*?) \*Check: (?P<check>.*)\*$", documents[ARCHITECTURE], re.MULTILINE)
    invariants = documents[ARCHITECTURE].count("\n**Invariants**\n")
    unknown = [
        name
        for _, check in lines
        for name in re.findall(r"`([^`]+)`", check)
        if f"name = {name}\n" not in contracts and not (root / name).exists()
    ]

    assert lines
    assert invariants > 5
    assert [] == unknown


def test_targets_of_make_exist(documents: Mapping[str, str], root: Path) -> None:
    """Each ``make WORD`` in the documents is a target."""
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    named = {word for text in documents.values() for word in re.findall(r"`make ([a-z-]+)", text)}

    assert [] == [word for word in sorted(named) if not re.search(rf"^{word}:", makefile, re.MULTILINE)]


def test_every_decision_is_listed(root: Path) -> None:
    """The index names each page, and each page has the same parts."""
    folder = root / "docs/adr"
    index = (folder / "README.md").read_text(encoding="utf-8")
    pages = sorted(folder.glob("[0-9]*.md"))
    parts = ("\n## Context\n", "\n## Decision\n", "\n## Consequences\n", "\n## What would make us revisit\n")
    bare = [
        page.name for page in pages if any(part not in page.read_text(encoding="utf-8") for part in parts)
    ]

    assert pages
    assert [] == [page.name for page in pages if f"]({page.name})" not in index]
    assert [] == bare


def test_every_dependency_has_its_reason(root: Path) -> None:
    """What pyproject.toml names stands in the decision about dependencies."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    page = (root / "docs/adr/0008-dependencies.md").read_text(encoding="utf-8")
    names = [re.split(r"[<>=\[ ]", requirement)[0] for requirement in wanted]

    assert [] == [name for name in names if name not in page]


THREATS = "docs/threat-model.md"
TEST_OF_ATTACK = re.compile(r"`(tests/[\w/.-]+\.py)::(\w+)`")


def test_every_test_of_an_attack_exists(documents: Mapping[str, str], root: Path) -> None:
    """What the threat model names as shown by a test is; each kind of attack has one, and what is left."""
    parts = re.split(r"^## (?=T\d+ )", documents[THREATS], flags=re.MULTILINE)[1:]
    named = {found for part in parts for found in TEST_OF_ATTACK.findall(part)}
    missing = [
        f"{path}::{name}"
        for path, name in sorted(named)
        if not (root / path).is_file() or f"def {name}(" not in (root / path).read_text(encoding="utf-8")
    ]
    rows = [line for part in parts for line in part.splitlines() if line.startswith("| ")]
    attacks = [row for row in rows if row != "| attack | defence | test |" and not row.startswith("| ---")]

    assert [] == missing
    assert [] == [part.splitlines()[0] for part in parts if "\nNot defended: " not in part]
    assert [] == [part.splitlines()[0] for part in parts if not TEST_OF_ATTACK.search(part)]
    assert [] == [row for row in attacks if not TEST_OF_ATTACK.search(row)]
