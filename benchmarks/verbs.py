"""How fast the verbs are, and how that changes with the number of pages and facts.

    python benchmarks/verbs.py [--sizes 2000,20000] [--rounds 200] [--keep FOLDER] [--json FILE]

For each size a corpus (benchmarks/corpus.py), then: every verb in process and through `keepgate mcp` over
stdio (p50 and p99 wall clock, CPU of the serving process per call, in milliseconds), resident memory, and
start-up. Machines are noisy: read the ratios of one run. Nothing here is a test.
"""

import argparse
import asyncio
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from corpus import Built, Corpus, build, open_at

Params = dict[str, Any]
Verbs = dict[str, Callable[[int], tuple[str, Params]]]
STARTS = 7
BARE_SERVER = """
import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult, ListToolsResult, TextContent

async def tools(context, params):
    return ListToolsResult(tools=[])

async def call(context, params):
    return CallToolResult(content=[TextContent(type="text", text="{}")])

async def main():
    server = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())

anyio.run(main)
"""


def verbs(corpus: Corpus, mark: str) -> Verbs:
    """The measured calls by name: for a round its tool and arguments. ``mark`` keeps two runs apart."""

    def name(number: int) -> str:
        return (corpus.name, corpus.alias, corpus.slug)[number % 3](number * 7919 % corpus.pages)

    def eight(number: int) -> str:
        return ", ".join(corpus.slug((number * 8 + k) * 104_729 % corpus.pages) for k in range(8))

    def query(number: int) -> str:
        return f"{corpus.rare_word(number)} {corpus.rare_word(number + 1)}"

    return {
        # First, because a session that has read what nobody vouches for may be asked before it writes.
        "remember": lambda n: (
            "remember",
            {"fact": f"Fact {n} of {mark}", "provenance": "benchmark", "entity": corpus.slug(n % 97)},
        ),
        "forget": lambda n: ("forget", {"id": readable_fact(n), "reason": "benchmark"}),
        "entity": lambda n: ("entity", {"name": name(n)}),
        "entity, a miss": lambda n: ("entity", {"name": f"nobody-{n}"}),
        "recall by query": lambda n: ("recall", {"query": query(n)}),
        "recall by entity": lambda n: ("recall", {"entity": corpus.slug(n * 7919 % corpus.pages)}),
        "recall, newest": lambda _: ("recall", {"budget_tokens": 400}),
        "context_pack of eight": lambda n: ("context_pack", {"entities": eight(n), "budget_tokens": 800}),
        "delta of a session": lambda n: ("delta", {"session_id": f"bench-{mark}", "budget_tokens": 400}),
    }


def readable_fact(number: int) -> str:
    """The id of a fact that is not private, which one in fifty is."""
    return str(50 * (number // 49) + number % 49 + 2)


Call = Callable[[str, Params], Awaitable[Any]]


async def measured(call: Call, plan: Verbs, rounds: int, cpu_ms: Callable[[], float]) -> dict[str, Any]:
    """p50, p99 and CPU per call of every verb, after a few rounds that do not count."""
    figures: dict[str, Any] = {}
    warm = min(20, rounds)
    for name, act in plan.items():
        for number in range(warm):
            await call(*act(number))
        taken, spent = [], cpu_ms()
        for number in range(warm, warm + rounds):
            tool, params = act(number)
            begun = time.perf_counter()
            await call(tool, params)
            taken.append((time.perf_counter() - begun) * 1000)
        taken.sort()
        figures[name] = {
            "p50": statistics.median(taken),
            "p99": taken[min(len(taken) - 1, int(len(taken) * 0.99))],
            "cpu": (cpu_ms() - spent) / rounds,
        }
    return figures


async def in_process(built: Built, rounds: int) -> dict[str, Any]:
    """Every verb through the service, as an editor's sidecar runs it but for the pipe."""
    sidecar, connection = await open_at(built.home, built.project)
    try:

        async def call(tool: str, params: Params) -> Any:
            return await sidecar.call(connection, f"verbs/{tool}", params)

        plan = verbs(built.corpus, f"process-{time.time_ns()}")
        figures = await measured(call, plan, rounds, lambda: time.process_time() * 1000)
        return {"verbs": figures, "resident MB": resident_mb(os.getpid())}
    finally:
        await sidecar.disconnect(connection)
        await sidecar.close()


class McpClient:
    """The least client that speaks to an MCP server over stdio, so that its own cost is small."""

    def __init__(self, command: list[str], built: Built) -> None:
        self._ids = itertools.count(1)
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=built.project,
            env={**os.environ, "KEEPGATE_HOME": str(built.home)},
        )
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "b", "version": "1"},
        }
        self.request("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, method: str, params: Params) -> Any:
        """One request; its result."""
        number = next(self._ids)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == number and "method" not in message:
                return message["result"]
        raise RuntimeError("the server ended")

    async def call(self, tool: str, params: Params) -> Any:
        """One call of a tool."""
        result = self.request("tools/call", {"name": tool, "arguments": params})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result

    def _send(self, message: Params) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def close(self) -> None:
        """Go away and wait for the server to end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(10)


KEEPGATE_MCP = [sys.executable, "-m", "keepgate", "mcp", "--surface", "verbs"]


@contextmanager
def mcp_server(built: Built, command: list[str]) -> Iterator[McpClient]:
    """A server over the corpus."""
    client = McpClient(command, built)
    try:
        yield client
    finally:
        client.close()


async def over_mcp(built: Built, rounds: int) -> dict[str, Any]:
    """Every verb through `keepgate mcp`, pipes and JSON included."""
    with mcp_server(built, KEEPGATE_MCP) as client:
        plan = verbs(built.corpus, f"mcp-{time.time_ns()}")
        # What the process before this one forgot is forgotten; these go on behind it.
        plan["forget"] = lambda n: ("forget", {"id": readable_fact(n + 2 * rounds), "reason": "benchmark"})
        figures = await measured(client.call, plan, rounds, lambda: child_cpu_ms(client.process.pid))
        return {"verbs": figures, "resident MB": resident_mb(client.process.pid)}


def start_up(built: Built) -> dict[str, float]:
    """Medians in milliseconds: the first answer of a bare server and of ours, and a recall from a shell."""
    first: dict[str, list[float]] = {"bare SDK server": [], "keepgate mcp": [], "keepgate recall": []}
    for _ in range(STARTS):
        for name, command in (
            ("bare SDK server", [sys.executable, "-c", BARE_SERVER]),
            ("keepgate mcp", KEEPGATE_MCP),
        ):
            begun = time.perf_counter()
            with mcp_server(built, command) as client:
                client.request("tools/call", {"name": "entity", "arguments": {"name": "nobody"}})
                first[name].append((time.perf_counter() - begun) * 1000)
        begun = time.perf_counter()
        shell = [sys.executable, "-m", "keepgate", "recall", "--entity", built.corpus.slug(1)]
        env = {**os.environ, "KEEPGATE_HOME": str(built.home)}
        subprocess.run(shell, check=True, capture_output=True, cwd=built.project, env=env)
        first["keepgate recall"].append((time.perf_counter() - begun) * 1000)
    return {name: statistics.median(times) for name, times in first.items()}


def resident_mb(pid: int) -> float | None:
    """Resident memory, where the system tells it."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def child_cpu_ms(pid: int) -> float:
    """CPU time of another process, where the system tells it."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


async def run(folder: Path, sizes: list[int], rounds: int) -> dict[str, Any]:
    """All measurements."""
    results: dict[str, Any] = {}
    for size in sizes:
        built = await build(folder / str(size), Corpus(size, size))
        results[str(size)] = {
            "build seconds": built.seconds,
            "in process": await in_process(built, rounds),
            "over MCP stdio": await over_mcp(built, rounds),
            "start-up ms": start_up(built),
        }
        show(size, results[str(size)])
    return results


def show(size: int, result: dict[str, Any]) -> None:
    """A size as a table."""
    print(f"\n{size} pages, {size} facts")
    print(f"  {'':24}{'in process':^27}{'over MCP stdio':^27}")
    print(f"  {'milliseconds':24}" + f"{'p50':>9}{'p99':>9}{'CPU':>9}" * 2)
    for name in result["in process"]["verbs"]:
        cells = [result[way]["verbs"][name] for way in ("in process", "over MCP stdio")]
        print(f"  {name:24}" + "".join(f"{c['p50']:9.2f}{c['p99']:9.2f}{c['cpu']:9.2f}" for c in cells))
    for way in ("in process", "over MCP stdio"):
        print(f"  resident, {way}: {result[way]['resident MB'] or 0:.0f} MB")
    print("  start-up: " + ", ".join(f"{name} {ms:.0f} ms" for name, ms in result["start-up ms"].items()))
    built = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in result["build seconds"].items())
    print(f"  built: {built or 'before'}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", default="2000,20000", help="pages, and as many facts")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="where corpora are kept and looked for")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as temporary:
        results = asyncio.run(run(given.keep or Path(temporary), sizes, given.rounds))
    if given.json is not None:
        given.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
