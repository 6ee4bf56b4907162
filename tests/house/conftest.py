"""What the house tests look at: the checkout itself, its sources, tests and documents."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (Path("sidecar/keepgate"), Path("client/keepgate_client"))
RUN_SECONDS = 100


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def sources() -> Mapping[str, str]:
    """Every Python file of both packages: path from the checkout, and its text."""
    return _texts(*PACKAGES)


@pytest.fixture(scope="session")
def tests() -> Mapping[str, str]:
    """Every Python file under ``tests``, the house left out: path from the checkout, and its text."""
    found = _texts(Path("tests"))
    return {path: text for path, text in found.items() if not path.startswith("tests/house/")}


@pytest.fixture(scope="session")
def documents() -> Mapping[str, str]:
    """Every hand-written document: path from the checkout, and its text."""
    places = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("editors/**/*.md")]
    generated = ROOT / "docs/reference"
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(places)
        if generated not in path.parents and not {"samples", "node_modules"} & set(path.parts)
    }


def _texts(*folders: Path) -> dict[str, str]:
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
    }


@pytest.fixture
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a Python command line; ``tree`` is a checkout whose packages are used instead of this one's."""

    def call(
        *arguments: str,
        tree: Path | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd or tree or ROOT,
            env={**os.environ, **(imports_from(tree) if tree else {}), **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=RUN_SECONDS,
        )

    return call


def imports_from(tree: Path) -> dict[str, str]:
    """The environment in which the packages of ``tree`` come before the installed ones."""
    return {"PYTHONPATH": os.pathsep.join(str(tree / folder.parent) for folder in PACKAGES)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of both packages and the import contracts, to break on purpose."""
    tree = tmp_path_factory.mktemp("checkout")
    for folder in PACKAGES:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", tree)
    yield tree
    shutil.rmtree(tree)
