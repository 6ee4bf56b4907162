"""The borders between packages hold, and each contract would notice when they did not."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

LINT = ("-c", "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))")

LAYERS = "A layer imports only what lies below it"
STRANGERS = "Fronts are strangers to one another"
CYCLES = "No package has a cycle among its own modules"
APPROVAL = "Only the gate and the store's writer know an approval"
WRITER = "Only the gate and the composition root hold the store's writer"
PURGING = "Only the gate purges"
PURE = "What is pure stays pure"
SQL = "Only the store speaks SQL"
LSP = "Only the LSP front knows LSP's types"
MCP = "Only the MCP front knows the MCP SDK"
START = "The command line reaches the LSP front through serve alone"
CLIENT = "The client shares the published protocol with the sidecar and nothing else"
NETWORK = "Nothing opens a socket"

S, C = "sidecar/keepgate", "client/keepgate_client"
PLANTED = [
    (LAYERS, f"{S}/protocol/planted.py", "import keepgate.core"),
    (LAYERS, f"{S}/core/planted.py", "import keepgate.adapters"),
    (LAYERS, f"{S}/adapters/planted.py", "import keepgate.derive"),
    (LAYERS, f"{S}/store/planted.py", "import keepgate.derive"),
    (LAYERS, f"{S}/store/planted.py", "import keepgate.gate"),
    (LAYERS, f"{S}/gate/planted.py", "import keepgate.service"),
    (LAYERS, f"{S}/service/planted.py", "import keepgate.boot"),
    (LAYERS, f"{S}/boot/planted.py", "import keepgate.fronts.terminal"),
    (LAYERS, f"{S}/fronts/terminal/planted.py", "import keepgate.conformance"),
    (LAYERS, f"{S}/conformance/planted.py", "import keepgate.cli"),
    (LAYERS, f"{S}/fronts/terminal/planted.py", "import keepgate.cli"),
    (LAYERS, f"{S}/newcomer/__init__.py", '"""A package that nobody gave a layer."""'),
    (STRANGERS, f"{S}/fronts/terminal/planted.py", "import keepgate.fronts.lsp"),
    (STRANGERS, f"{S}/fronts/lsp/planted.py", "import keepgate.fronts.terminal"),
    (CYCLES, f"{S}/core/model/planted.py", "import keepgate.core.writing.plan"),
    (APPROVAL, f"{S}/service/planted.py", "from keepgate.core.writing.approval import approve"),
    (APPROVAL, f"{S}/store/planted.py", "from keepgate.core.writing.approval import approve"),
    (APPROVAL, f"{S}/core/writing/planted.py", "from keepgate.core.writing.approval import approve"),
    (PURGING, f"{S}/service/planted.py", "from keepgate.store.purging import purge"),
    (WRITER, f"{S}/service/planted.py", "from keepgate.store.memory import Writer"),
    (WRITER, f"{S}/fronts/lsp/planted.py", "from keepgate.store.memory import Writer"),
    (WRITER, f"{S}/store/reads/planted.py", "from keepgate.store.memory import Writer"),
    *(
        (PURE, f"{S}/core/planted.py", f"import {name}")
        for name in ("time", "uuid", "os", "pathlib", "random")
    ),
    (PURE, f"{S}/core/planted.py", "import asyncio"),
    (PURE, f"{S}/protocol/planted.py", "import apsw"),
    (PURE, f"{S}/adapters/planted.py", "import pygls"),
    (SQL, f"{S}/service/planted.py", "import apsw"),
    (SQL, f"{S}/gate/planted.py", "import sqlite3"),
    (LSP, f"{S}/service/planted.py", "import lsprotocol"),
    (LSP, f"{C}/planted.py", "import pygls"),
    (STRANGERS, f"{S}/fronts/mcp/planted.py", "import keepgate.fronts.lsp"),
    (LSP, f"{S}/fronts/mcp/planted.py", "import lsprotocol"),
    (LSP, f"{S}/fronts/stdio/planted.py", "import pygls"),
    (MCP, f"{S}/service/planted.py", "import mcp"),
    (MCP, f"{S}/fronts/stdio/planted.py", "import pydantic"),
    (MCP, f"{S}/cli/planted.py", "from mcp_types import Tool"),
    (START, f"{S}/cli/planted.py", "import keepgate.fronts.lsp.server"),
    (START, f"{S}/fronts/terminal/planted.py", "import lsprotocol"),
    (CLIENT, f"{C}/planted.py", "import keepgate.core"),
    (CLIENT, f"{C}/planted.py", "import keepgate.store"),
    (NETWORK, f"{S}/service/planted.py", "import socket"),
    (NETWORK, f"{S}/conformance/planted.py", "import http.client"),
    (NETWORK, f"{C}/planted.py", "import http.client"),
]


def test_layers_hold(run: Run) -> None:
    """Every import contract is kept."""
    result = run(*LINT)

    assert 0 == result.returncode, f"{result.stdout}\nSee docs/architecture.md, section Layers."


@pytest.mark.parametrize(("contract", "path", "line"), PLANTED, ids=lambda value: str(value).split(" ")[-1])
def test_a_planted_import_is_refused(run: Run, copy: Path, contract: str, path: str, line: str) -> None:
    """A module that crosses a border breaks the contract that guards it."""
    planted = copy / path
    planted.parent.mkdir(exist_ok=True)
    planted.write_text(f"{line}\n", encoding="utf-8")
    try:
        result = run(*LINT, tree=copy)
    finally:
        planted.unlink()
        if path.startswith(f"{S}/newcomer"):
            planted.parent.rmdir()

    assert 1 == result.returncode
    assert f"{contract} BROKEN" in " ".join(result.stdout.split())


def test_no_contract_is_untried(root: Path) -> None:
    """Every contract of the configuration has a planted import above."""
    names = {
        line.removeprefix("name = ").strip()
        for line in (root / ".importlinter").read_text(encoding="utf-8").splitlines()
        if line.startswith("name = ")
    }

    assert names == {contract for contract, _, _ in PLANTED}
