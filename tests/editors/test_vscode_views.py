"""The views of the extension for VS Code: what they show and do, over real sidecars and without a window.

The tests are written for ``node --test`` in ``editors/vscode/test/views``. How the views look in a window is
shown by ``tests/workbench``.
"""

import subprocess
from pathlib import Path
from typing import Any

import pytest

# Some forty sidecars are started, on a machine that may have other work.
LIMIT_S = 900
pytestmark = [pytest.mark.editor, pytest.mark.timeout(2 * LIMIT_S)]

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


def test_the_views_show_what_is_stored_and_change_it_through_the_gate(program: Any) -> None:
    """Trees, paging, hostile text, two windows, drafts, the inbox with real agents, the ledger, models."""
    npm = program("npm")
    if not (EXTENSION / "node_modules" / ".package-lock.json").is_file():
        _run(npm, "ci")

    done = _run(npm, "run", "test:views")
    assert "# fail 0" in done
    assert "# skipped 0" in done


def _run(*command: str) -> str:
    done = subprocess.run(
        command, cwd=EXTENSION, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return done.stdout
