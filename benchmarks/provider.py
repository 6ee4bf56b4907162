"""How fast the provider is, and how that changes with the number of entries.

    python benchmarks/provider.py [--sizes 100,1000,10000,100000] [--rounds 200] [--json FILE]

Entries are spread over workspaces at realistic layer sizes. Every figure is a p50 and a p99 in milliseconds;
machines are noisy, so read the ratios of one run. Nothing here is a test.
"""

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from keepgate.boot import open_sidecar
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Budgets, Settings, TrackBudgets, WritePolicy
from keepgate.service.connection import Connection, NoPeer
from keepgate.service.sidecar import Sidecar
from keepgate_client import Client

PER_WORKSPACE = 80
WORDS = (
    "build", "cache", "deploy", "editor", "format", "linter", "module", "parser",
    "release", "schema", "server", "token", "vector", "window",
)  # fmt: skip
WIDE = TrackBudgets(user_global=10_000_000, workspace=10_000_000)
WIDE_JSON = {"userGlobal": 10_000_000, "workspace": 10_000_000}


def text(number: int) -> str:
    """A memory of about sixty units; a third of them are in Chinese."""
    word, other = WORDS[number % len(WORDS)], WORDS[(number // 7) % len(WORDS)]
    if number % 3 == 0:
        return f"第{number}条：运行 {word} 之前先检查 {other} 的配置，否则会失败"
    return f"memory {number}: run the {word} step before the {other} step, always"


class Yes:
    """A person who always says yes at once."""

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """Allow."""
        return ApprovalAnswer(outcome="allowed-once", hash=question.hash)


def workspace(root: Path, number: int) -> str:
    """One of the benchmark's workspaces; the folder need not exist."""
    return str(root / f"project-{number:05d}")


async def fill(sidecar: Sidecar, connection: Connection, root: Path, size: int, per_workspace: int) -> None:
    """Seed ``size`` entries over as many workspaces as that takes."""
    for start in range(0, size, per_workspace):
        session = {"id": f"fill-{start}", "cwd": workspace(root, start // per_workspace)}
        drafts = [
            {
                "track": "user" if number % 2 else "agent",
                "scope": "workspace",
                "text": text(number),
                "tags": ["bench"],
            }
            for number in range(start, min(size, start + per_workspace))
        ]
        for first in range(0, len(drafts), 1000):
            params = {"entries": drafts[first : first + 1000], "session": session}
            await sidecar.call(connection, "memory/seed", params)


async def timed(act: Callable[[int], Awaitable[Any]], rounds: int) -> dict[str, float]:
    """p50 and p99 of an action in milliseconds, after a few rounds that do not count."""
    for number in range(min(10, rounds)):
        await act(number)
    taken = []
    for number in range(10, 10 + rounds):
        begun = time.perf_counter()
        await act(number)
        taken.append((time.perf_counter() - begun) * 1000)
    taken.sort()
    return {"p50": statistics.median(taken), "p99": taken[min(len(taken) - 1, int(len(taken) * 0.99))]}


Call = Callable[[str, dict[str, Any]], Awaitable[Any]]


def operations(call: Call, asked: Call, here: str, mark: str) -> dict[str, Callable[[int], Awaitable[Any]]]:
    """The measured actions; ``call`` writes by policy, ``asked`` asks a person who answers at once."""
    session = {"id": f"bench-{mark}", "cwd": here}
    layer = {"track": "user", "scope": "workspace"}

    def add(through: Call, kind: str) -> Callable[[int], Awaitable[Any]]:
        async def act(number: int) -> Any:
            return await through(
                "memory/add", {**layer, "text": f"{mark} {kind} {number} {text(number)}", "session": session}
            )

        return act

    async def replace(number: int) -> Any:
        return await call(
            "memory/replace",
            {
                **layer,
                "match": f"{mark} auto {number} ",
                "text": f"{mark} auto {number} again",
                "session": session,
            },
        )

    def query(needle: str | None) -> Callable[[int], Awaitable[Any]]:
        async def act(_: int) -> Any:
            return await call("memory/query", {"text": needle, "session": session})

        return act

    async def budgets(_: int) -> Any:
        return await call("memory/budgets", {"session": session})

    async def snapshot_new(number: int) -> Any:
        return await call("memory/snapshot", {"session": {**session, "id": f"snap-{mark}-{number}"}})

    async def snapshot_frozen(_: int) -> Any:
        return await call("memory/snapshot", {"session": session})

    return {
        "add, policy auto": add(call, "auto"),
        "add, answered prompt": add(asked, "asked"),
        "replace": replace,
        "query, one hit": query("memory 1:"),
        "query, common word": query("the"),
        "query, no hit": query("zebra crossing"),
        "query, CJK": query("配置"),
        "budgets": budgets,
        "snapshot, first": snapshot_new,
        "snapshot, frozen": snapshot_frozen,
    }


async def measure(size: int, rounds: int, home: Path) -> dict[str, Any]:
    """All actions at one size, in process and over stdio."""
    places = find_places({"KEEPGATE_HOME": str(home)})
    budgets = Budgets(user=WIDE, agent=WIDE)
    sidecar = await open_sidecar(Settings(budgets=budgets, write_policy=WritePolicy.AUTO), places)
    asking = await open_sidecar(Settings(budgets=budgets), places)
    try:
        root = home / "work"
        connections = [
            one.connect(
                peer=NoPeer(), channel="bench", client=ClientInfo(name="bench"), folders=[], approver=Yes()
            )
            for one in (sidecar, asking)
        ]
        await fill(sidecar, connections[0], root, size, PER_WORKSPACE)
        here = workspace(root, 0)
        acts = operations(
            lambda method, params: sidecar.call(connections[0], method, params),
            lambda method, params: asking.call(connections[1], method, params),
            here,
            "in",
        )
        inside = {name: await timed(act, rounds) for name, act in acts.items()}
    finally:
        await sidecar.close()
        await asking.close()
    over_stdio = await measure_stdio(rounds, home, here)
    return {"size": size, "in process": inside, "over stdio": over_stdio}


async def measure_stdio(rounds: int, home: Path, here: str) -> dict[str, Any]:
    """The same actions through two real sidecars, one with policy auto and one that asks."""
    env = {"KEEPGATE_HOME": str(home)}
    settings = {"budgets": {"user": WIDE_JSON, "agent": WIDE_JSON}}

    async def allow(ask: ApprovalRequestParams) -> ApprovalAnswer:
        return ApprovalAnswer(outcome="allowed-once", hash=ask.hash)

    async with (
        Client.spawn(env=env, settings={**settings, "writePolicy": "auto"}) as auto,
        Client.spawn(env=env, settings=settings, approver=allow) as asking,
    ):
        return {
            name: await timed(act, rounds)
            for name, act in operations(auto.raw, asking.raw, here, "out").items()
        }


async def one_layer(rounds: int, home: Path, size: int = 10_000) -> dict[str, Any]:
    """Query and target matching with 10,000 entries in one layer."""
    places = find_places({"KEEPGATE_HOME": str(home)})
    sidecar = await open_sidecar(
        Settings(budgets=Budgets(user=WIDE, agent=WIDE), write_policy=WritePolicy.AUTO), places
    )
    try:
        connection = sidecar.connect(
            peer=NoPeer(), channel="bench", client=ClientInfo(name="bench"), folders=[], approver=None
        )
        session = {"id": "layer", "cwd": str(home / "one")}
        for start in range(0, size, 1000):
            drafts = [
                {"track": "user", "scope": "workspace", "text": text(number)}
                for number in range(start, start + 1000)
            ]
            await sidecar.call(connection, "memory/seed", {"entries": drafts, "session": session})
        layer = {"track": "user", "scope": "workspace", "session": session}

        def query(needle: str) -> Callable[[int], Awaitable[Any]]:
            return lambda _: sidecar.call(connection, "memory/query", {"text": needle, "session": session})

        return {
            "query, one hit": await timed(query("memory 4000:"), rounds),
            "query, common word": await timed(query("step"), rounds),
            "query, no hit": await timed(query("zebra crossing"), rounds),
            "replace (target matching)": await timed(
                lambda number: sidecar.call(
                    connection,
                    "memory/replace",
                    {
                        **layer,
                        "match": f"memory {3 * number + 1}:",
                        "text": f"memory {3 * number + 1}: again",
                    },
                ),
                min(rounds, 200),
            ),
        }
    finally:
        await sidecar.close()


async def start_up(rounds: int, home: Path) -> dict[str, Any]:
    """Cold start to the answer of ``initialize``, beside a bare import of pygls; and resident memory."""
    env = {"KEEPGATE_HOME": str(home)}
    whole, base, memory_mb = [], [], 0.0
    for _ in range(rounds):
        begun = time.perf_counter()
        await (await asyncio.create_subprocess_exec(sys.executable, "-c", "import pygls.lsp.server")).wait()
        base.append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        async with Client.spawn(env=env) as client:
            whole.append((time.perf_counter() - begun) * 1000)
            memory_mb = resident_mb(client.pid)
    return {
        "spawn to initialize, ms": statistics.median(whole),
        "python -c 'import pygls.lsp.server', ms": statistics.median(base),
        "difference, ms": statistics.median(one - other for one, other in zip(whole, base, strict=True)),
        "resident, MB": memory_mb,
    }


def resident_mb(pid: int) -> float:
    """Resident memory of a process; 0 where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return 0.0
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 1024


def import_times(limit: int = 15) -> list[tuple[str, float]]:
    """The dearest imports of the serving process: module and its own milliseconds."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import keepgate.fronts.lsp.server, keepgate.boot"],
        check=True,
        capture_output=True,
        text=True,
    )
    rows = [line.removeprefix("import time:").split("|") for line in ran.stderr.splitlines() if "|" in line]
    costs = [(name.strip(), int(own) / 1000) for own, _, name in rows if own.strip().isdigit()]
    return sorted(costs, key=lambda cost: -cost[1])[:limit]


def show(results: dict[str, Any]) -> None:
    """Print everything as plain tables."""
    for side in ("in process", "over stdio"):
        sizes = [item["size"] for item in results["sizes"]]
        print(f"\n{side}: p50 / p99 in ms")
        print(f"{'entries':24}" + "".join(f"{size:>18,}" for size in sizes) + f"{'largest/smallest':>18}")
        for name in results["sizes"][0][side]:
            cells = [item[side][name] for item in results["sizes"]]
            ratio = cells[-1]["p50"] / cells[0]["p50"]
            line = "".join(f"{cell['p50']:>9.3f} /{cell['p99']:>7.3f}" for cell in cells)
            print(f"{name:24}{line}{ratio:>17.2f}x")
    print("\n10,000 entries in one layer, in process: p50 / p99 in ms")
    for name, cell in results["one layer"].items():
        print(f"{name:28}{cell['p50']:>9.3f} /{cell['p99']:>7.3f}")
    print("\nstart-up")
    for name, value in results["start-up"].items():
        print(f"{name:45}{value:>9.1f}")
    print("\ndearest imports of `keepgate serve`, own ms")
    for name, cost in results["imports"]:
        print(f"{name:45}{cost:>9.1f}")


async def run(sizes: list[int], rounds: int) -> dict[str, Any]:
    """Every measurement, each in a store of its own."""
    results: dict[str, Any] = {"python": platform.python_version(), "cpus": os.cpu_count(), "sizes": []}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            results["sizes"].append(await measure(size, rounds, Path(folder) / str(size)))
        results["one layer"] = await one_layer(rounds, Path(folder) / "layer")
        results["start-up"] = await start_up(5, Path(folder) / "start")
    results["imports"] = import_times()
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="100,1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--json", help="also write the figures here")
    options = parser.parse_args()
    results = asyncio.run(run([int(size) for size in options.sizes.split(",")], options.rounds))
    show(results)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
