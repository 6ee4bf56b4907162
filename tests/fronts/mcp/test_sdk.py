"""Loading less of the SDK changes nothing but the time it takes; where that fails, all of it is loaded."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LOAD = "from keepgate.fronts.mcp import sdk; front = sdk.load_front(); import sys; "


def python(code: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_the_web_parts_and_the_client_are_not_loaded() -> None:
    """What serves HTTP, and what calls servers, is not there."""
    told = python(LOAD + "print(sorted(n for n in sys.modules if n in {'uvicorn', 'httpx2', 'mcp.client'}))")

    assert "[]\n" == told.stdout, told.stderr


def test_what_was_left_out_says_so() -> None:
    """Nobody uses a hollow class by mistake."""
    told = python(LOAD + "from mcp.server.lowlevel.server import Starlette; Starlette()")

    assert "Starlette is for serving over HTTP and was not loaded" in told.stderr


def test_the_editor_front_is_not_loaded() -> None:
    """Neither pygls nor its types."""
    told = python(LOAD + "print([n for n in sys.modules if n.split('.')[0] in {'pygls', 'lsprotocol'}])")

    assert "[]\n" == told.stdout, told.stderr


def test_another_layout_is_loaded_whole() -> None:
    """An SDK that is not laid out as expected is imported as usual."""
    code = "from keepgate.fronts.mcp import sdk; sdk.BARE = ('mcp', 'mcp.no_such.package'); "
    show = "front = sdk.load_front(); import mcp; print(front.Front.__name__, mcp.Client.__name__)"

    told = python(code + show)

    assert "Front Client\n" == told.stdout, told.stderr


def test_the_command_line_does_without_the_sdk(home: Path) -> None:
    """No other command needs the extra."""
    code = "import sys; sys.modules['mcp'] = None; from keepgate.cli import main; main()"
    told: Any = subprocess.run(
        [sys.executable, "-c", code, "budgets", "--json"],
        env={**os.environ, "KEEPGATE_HOME": str(home)},
        cwd=home.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (0, "") == (told.returncode, told.stderr)
