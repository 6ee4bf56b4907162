"""A new operation touches its types, its row, its handler and one line of HANDLERS; nothing else."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keepgate_client.testing import FakeEditor

Run = Callable[..., subprocess.CompletedProcess[str]]

TYPES = '''"""A toy."""

from attrs import frozen


@frozen(kw_only=True)
class EchoParams:
    """Params of ``toy/echo``."""

    text: str
    times: int = 1


@frozen(kw_only=True)
class EchoResult:
    """Result of ``toy/echo``."""

    texts_said: list[str]
'''
HANDLER = '''"""A toy."""

from keepgate.protocol.toy import EchoParams, EchoResult
from keepgate.service.context import ReadCtx


async def echo(ctx: ReadCtx, params: EchoParams) -> EchoResult:
    """Say it again."""
    return EchoResult(texts_said=[params.text] * params.times)
'''
ROW = """
from keepgate.protocol import toy  # noqa: E402

OPERATIONS = (
    *OPERATIONS,
    Operation(
        name="toy/echo",
        params=toy.EchoParams,
        result=toy.EchoResult,
        access=Access.READ,
        latency=Latency.INSTANT,
        summary="Say it again.",
    ),
)
"""
TABLE_END = "\nBY_NAME: "
HANDLERS = "HANDLERS: Final[dict[str, Handler]] = {\n"


@pytest.fixture(scope="module")
def with_toy(copy: Path) -> Path:
    """A checkout with one more operation."""
    keepgate = copy / "sidecar/keepgate"
    (keepgate / "protocol/toy.py").write_text(TYPES, encoding="utf-8")
    (keepgate / "service/toy.py").write_text(HANDLER, encoding="utf-8")
    _insert(keepgate / "protocol/ops.py", before=TABLE_END, text=ROW)
    _insert(
        keepgate / "service/dispatch.py",
        before="from keepgate.service.connection import",
        text="from keepgate.service import toy\n",
    )
    _insert(keepgate / "service/dispatch.py", after=HANDLERS, text='    "toy/echo": toy.echo,\n')
    return copy


def _insert(path: Path, *, text: str, before: str = "", after: str = "") -> None:
    source = path.read_text(encoding="utf-8")
    anchor = before or after
    assert 1 == source.count(anchor), f"{path.name} is not as this test knows it"
    path.write_text(source.replace(anchor, text + anchor if before else anchor + text), encoding="utf-8")


@pytest.fixture
def at_home(with_toy: Path, tmp_path: Path) -> dict[str, str]:
    """The environment of a process that uses that checkout and a store of its own."""
    paths = [str(with_toy / "sidecar"), str(with_toy / "client")]
    return {"PYTHONPATH": os.pathsep.join(paths), "KEEPGATE_HOME": str(tmp_path / "home")}


async def test_editors_can_call_a_toy_operation(at_home: dict[str, str], tmp_path: Path) -> None:
    """The LSP front offers the toy, parses its params strictly and mirrors it as a command."""
    async with FakeEditor.spawn(tmp_path, env=at_home) as editor:
        answers: list[Any] = [
            await editor.request("toy/echo", {"text": "hear", "times": 2}),
            await editor.request(
                "workspace/executeCommand", {"command": "keepgate.toy.echo", "arguments": [{"text": "hear"}]}
            ),
            (await editor.request_raw("toy/echo", {"text": 5}))["error"]["code"],
        ]
        offered = editor.initialize_result["capabilities"]["experimental"]["keepgate"]["methods"]

    assert [{"textsSaid": ["hear", "hear"]}, {"textsSaid": ["hear"]}, -32602] == answers
    assert "toy/echo" in offered


def test_the_command_line_can_call_a_toy_operation(run: Run, at_home: dict[str, str], tmp_path: Path) -> None:
    """``keepgate call`` knows the toy, too."""
    result = run("-m", "keepgate", "call", "toy/echo", '{"text": "hear"}', cwd=tmp_path, env=at_home)

    assert (0, "") == (result.returncode, result.stderr)
    assert {"textsSaid": ["hear"]} == json.loads(result.stdout)


def test_a_row_without_a_handler_keeps_the_sidecar_from_starting(run: Run, copy: Path) -> None:
    """Start-up compares the table with the handlers."""
    probe = (
        "from keepgate.protocol.ops import OPERATIONS\n"
        "from keepgate.service.dispatch import HANDLERS, require_complete\n"
        "require_complete(OPERATIONS, {**HANDLERS, 'toy/forgotten': None})\n"
    )
    result = run("-c", probe, tree=copy)

    assert "LookupError: operations without a handler or the reverse: ['toy/forgotten']" in result.stderr
