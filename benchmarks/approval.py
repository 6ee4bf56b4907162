"""How long a question takes from an agent to the person, and the answer back, between real processes.

    python benchmarks/approval.py [--rounds 100] [--windows 2] [--json FILE]

An agent speaks to ``keepgate mcp``; the person sits at the last of some editors, each with its own sidecar.
For each wish, in milliseconds of wall clock (p50, p99, worst):

- wish to prompt: from the agent's call to ``approval/request`` at the editor;
- decision to stored: from the person's answer until the editor is told of the new fact;
- decision to answer: from the person's answer until the agent has its result.

Then the CPU that the idle processes use in five seconds, in milliseconds. Machines are noisy: read the ratios
of one run. Nothing here is a test.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from keepgate.protocol.framing import Framing
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate_client import allow_once
from keepgate_client.connection import Connection
from keepgate_client.testing import FakeEditor

IDLE_S = 5.0
SETTLE_S = 2.0
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Person:
    """Says yes at once and notes the moments."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.answered: list[float] = []

    def __call__(self, ask: ApprovalRequestParams) -> ApprovalAnswer:
        """Yes."""
        self.asked.append(time.perf_counter())
        answer = allow_once(ask)
        self.answered.append(time.perf_counter())
        return answer


async def measure(rounds: int, windows: int, folder: Path) -> dict[str, Any]:
    """The moments of each round, and the idle CPU."""
    project = folder / "project"
    project.mkdir()
    env: dict[str, str | None] = {"KEEPGATE_HOME": str(folder / "home"), "KEEPGATE_STORE": None}
    person = Person()
    async with AsyncExitStack() as stack:
        editors = [
            await stack.enter_async_context(FakeEditor.spawn(project, env=env, approver=person))
            for _ in range(windows)
        ]
        command = (sys.executable, "-m", "keepgate", "mcp", "--workspace", str(project))
        agent = await Connection.open(command, framing=Framing.LINES, env=env)
        stack.push_async_callback(agent.close, 1.0)
        await agent.request("initialize", HELLO)
        await agent.notify("notifications/initialized")
        await agent.request("tools/call", {"name": "recall", "arguments": {"query": "nothing"}})
        window = editors[-1]
        await window.request("session/active")
        await asyncio.sleep(SETTLE_S)
        spans: dict[str, list[float]] = {
            "wish to prompt": [],
            "decision to stored": [],
            "decision to answer": [],
        }
        for number in range(rounds):
            await one_round(agent, window, person, number, spans)
        pids = [agent.process.pid, *(editor.pid for editor in editors)]
        await asyncio.sleep(SETTLE_S)
        before = sum(map(cpu_ms, pids))
        await asyncio.sleep(IDLE_S)
        idle = sum(map(cpu_ms, pids)) - before
    return {**{name: summary(values) for name, values in spans.items()}, "idle CPU": idle}


async def one_round(
    agent: Connection, window: FakeEditor, person: Person, number: int, spans: dict[str, list[float]]
) -> None:
    """One wish, its yes and its answer."""
    arguments = {"fact": f"Fact number {number}.", "provenance": "benchmark"}
    begun = time.perf_counter()
    call = asyncio.ensure_future(agent.request("tools/call", {"name": "remember", "arguments": arguments}))
    stored = asyncio.ensure_future(told(window, number + 1))
    await call
    answered = time.perf_counter()
    spans["wish to prompt"].append(person.asked[number] - begun)
    spans["decision to answer"].append(answered - person.answered[number])
    spans["decision to stored"].append(await stored - person.answered[number])


async def told(window: FakeEditor, count: int) -> float:
    """The moment at which the window has heard of so many facts."""
    method = "facts/didChange"
    await window.transcript.until(
        lambda: True if len(window.notifications(method)) >= count else None, method, 30
    )
    return time.perf_counter()


def cpu_ms(pid: int) -> float:
    """CPU of a process so far, where the system tells it this way; else 0."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 10.0


def summary(seconds: Iterable[float]) -> dict[str, float]:
    """p50, p99 and the worst, in milliseconds."""
    values = sorted(value * 1000 for value in seconds)
    at = min(len(values) - 1, round(0.99 * len(values)))
    return {
        "p50": round(statistics.median(values), 1),
        "p99": round(values[at], 1),
        "worst": round(values[-1], 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--windows", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(given.rounds, given.windows, Path(folder)))
    for name, value in found.items():
        words = (
            value if isinstance(value, float) else "  ".join(f"{key} {each}" for key, each in value.items())
        )
        print(f"{name:<20} {words}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
