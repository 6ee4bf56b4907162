"""The TypeScript SDK's client, as most harnesses use it, lists and calls every tool of each surface."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from keepgate.protocol.operation import Surface
from keepgate.protocol.surfaces import SURFACES, offered

pytestmark = pytest.mark.npm

SCRIPT = Path(__file__).parent / "node" / "client.mjs"
PACKAGE = "@modelcontextprotocol/sdk@1"
ARGUMENTS: Any = {
    "remember": {"fact": "Alice likes tea.", "provenance": "a test", "entity": "people/alice"},
    "recall": {"query": "tea"},
    "entity": {"name": "Alice"},
    "synthesize": {"question": "What does Alice like?"},
    "forget": {"id": "999"},
    "context_pack": {"entities": "Alice"},
    "delta": {"since": "2026-01-01"},
    "memory": {"action": "add", "track": "agent", "scope": "workspace", "text": "Use tabs."},
    "put_page": {"slug": "people/alice", "content": "# Alice\n"},
}


@pytest.fixture(scope="module")
def client_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script and the package, which is fetched from the registry."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("node")
    shutil.copy(SCRIPT, folder)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    fetched = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if fetched.returncode != 0:
        pytest.skip("the package registry cannot be reached, or it does not have the package")
    return folder


@pytest.mark.parametrize("surface", list(SURFACES))
def test_every_tool_of_a_surface_answers(
    client_folder: Path, home: Path, project: Path, surface: Surface
) -> None:
    """Each tool gives one text block of JSON; writes are asked by elicitation; roots are the workspace."""
    wanted = {
        "command": [sys.executable, "-m", "keepgate", "mcp", "--surface", surface],
        "env": {**os.environ, "KEEPGATE_HOME": str(home)},
        "cwd": str(client_folder),
        "root": str(project),
        "arguments": ARGUMENTS,
    }

    told = subprocess.run(
        ["node", "client.mjs", json.dumps(wanted)],
        cwd=client_folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert 0 == told.returncode, told.stderr
    seen = json.loads(told.stdout)
    assert "keepgate" == seen["server"]["name"]
    assert list(offered(surface)) == [tool["name"] for tool in seen["tools"]]
    assert {("text",)} == {tuple(answer["blocks"]) for answer in seen["answers"].values()}
    assert all(answer["document"]["suggestion"] for answer in seen["answers"].values() if answer["isError"])
    assert not seen["answers"]["remember"]["isError"], seen["answers"]["remember"]
    assert 1 <= seen["asked"]
    if "whoami" in seen["answers"]:
        assert str(project.resolve()) == seen["answers"]["whoami"]["document"]["workspace"]["key"]
