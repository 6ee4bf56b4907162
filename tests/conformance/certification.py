"""What the tests of the certification share: a run against a command, and small servers made of one text."""

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from keepgate.conformance.case_files import Case
from keepgate.conformance.endpoints import CommandEndpoint
from keepgate.conformance.registry import schemas_of
from keepgate.conformance.runner import Outcome, Run

BROKEN = Path(__file__).parent / "broken"


def run_command(
    command: list[str],
    cases: Iterable[Case],
    *,
    contract: str = "verbs",
    limit_s: float = 20.0,
    strict: bool = True,
) -> dict[str, Outcome]:
    """The outcomes by id of cases against a command."""
    endpoint = CommandEndpoint(command=command, wire="mcp" if contract == "verbs" else "lsp")
    run = Run(
        endpoint=endpoint,
        schemas=schemas_of(contract),
        marker="kgtest",
        strict=strict,
        limit_s=limit_s,
        extra=frozenset({"synthesize"}),
    )
    try:
        return {outcome.id: outcome for outcome in run.cases(cases, lambda _: None)}
    finally:
        endpoint.close()


def failed(outcomes: dict[str, Outcome]) -> list[str]:
    """The ids of the cases that failed, sorted."""
    return sorted(name for name, outcome in outcomes.items() if outcome.status == "failed")


def broken(name: str | None = None, *, script: str = "server.py") -> list[str]:
    """The command of a server of ``broken/``; without a name the well-behaved one."""
    return [sys.executable, str(BROKEN / script), *([name] if name else [])]


def server_of(tmp_path: Path, answer: str) -> list[str]:
    """The command of a server that shakes hands and then does ``answer`` with each ``message``."""
    script = tmp_path / "server.py"
    head = """
        import json, os, sys, time

        def write(message):
            sys.stdout.write(json.dumps(message) + "\\n")
            sys.stdout.flush()

        for raw in sys.stdin:
            message = json.loads(raw)
            if "id" not in message:
                continue
            reply = {"jsonrpc": "2.0", "id": message["id"]}
            if message["method"] == "initialize":
                write({**reply, "result": {"protocolVersion": "2025-06-18", "capabilities": {}}})
            elif message["method"] == "tools/list":
                write({**reply, "result": {"tools": [{"name": "recall"}]}})
            else:
    """
    body = textwrap.indent(textwrap.dedent(answer).strip(), " " * 8)
    script.write_text(f"{textwrap.dedent(head).rstrip()}\n{body}\n", encoding="utf-8")
    return [sys.executable, str(script)]


def case(*steps: Any, name: str = "a/case", requires: tuple[str, ...] = (), level: str = "must") -> Case:
    """A case of these steps."""
    return Case(id=name, title="A case.", level=level, requires=requires, steps=tuple(steps))
