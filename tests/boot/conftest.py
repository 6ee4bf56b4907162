"""A project with a file of its own, and rules that are read from it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keepgate.boot.projects import PROJECT_FILE, Projects
from keepgate.protocol.settings import Settings


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., str]:
    """Makes a project folder with these lines as its file, and returns the folder."""

    def make(*lines: str, name: str = "project") -> str:
        file = tmp_path / name / PROJECT_FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines), encoding="utf-8")
        return str(tmp_path / name)

    return make


@pytest.fixture
def projects() -> Callable[..., Projects]:
    """Makes the projects of a process with these settings; no folder is open under another key."""

    def make(**settings: Any) -> Projects:
        return Projects(Settings(**settings), lambda key: ())

    return make
