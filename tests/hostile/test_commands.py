"""Every command of the command line without a terminal, hundreds of times, with generated words.

The mass runs in one process, call after call, and each command several times as a process of its own.
``KEEPGATE_HOSTILE_COMMANDS`` says how often each command is run, ``KEEPGATE_HOSTILE_PROCESSES`` how often as
a process.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import click
import pytest
from hostile_place import CANARY, SLUGS, Place
from hostile_values import Dice
from hostile_watch import SEED, unchanged

from keepgate.cli.root import keepgate as program

TIMES: Final = int(os.environ.get("KEEPGATE_HOSTILE_COMMANDS", "200"))
AS_PROCESSES: Final = int(os.environ.get("KEEPGATE_HOSTILE_PROCESSES", "3"))
PARTS: Final = 4
LASTING: Final = ("serve", "mcp", "try", "protocol conformance")
"""Serve until their client leaves, have a store of their own, or speak to a server: tested as processes."""
DECIDING: Final = ("inbox approve", "inbox dismiss", "proposals approve", "proposals dismiss", "purge")
CODES: Final = range(8)

RUNNER: Final = """
import io, json, sys
from keepgate.cli.root import run
wire = sys.stdout
for line in sys.stdin:
    given = json.loads(line)
    sys.stdin = io.TextIOWrapper(io.BytesIO(given["stdin"].encode("utf-8", "surrogatepass")))
    outs = [io.BytesIO(), io.BytesIO()]
    sys.stdout, sys.stderr = (io.TextIOWrapper(out, encoding="utf-8") for out in outs)
    code = run(given["arguments"])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    told = [out.getvalue().decode("utf-8", "replace") for out in outs]
    print(json.dumps({"code": code, "out": told[0], "err": told[1]}), file=wire, flush=True)
"""
"""Runs command lines of the real program one after the other; it has no terminal."""


def leaves() -> dict[str, click.Command]:
    """Every command that does something, by its words."""
    context = click.Context(program)

    def below(command: click.Command, words: str) -> Iterator[tuple[str, click.Command]]:
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from below(inner, f"{words} {name}".strip())
        else:
            yield words, command

    return dict(below(program, ""))


class Words:
    """Draws command lines for one place."""

    def __init__(self, place: Place, seed: int) -> None:
        self.dice = Dice(seed, place, remote=True)
        self.place = place
        mine, theirs = place.mine, place.theirs
        ids = [*mine.entries, *theirs.entries, *mine.entries, "0", "nothing"]
        out = place.home.parent / "out"
        out.mkdir(exist_ok=True)
        self.pools: dict[str, list[str]] = {
            "entry": ids, "entries": ids, "match": ["tabs", "Says", "a"], "matches": ["tabs", "spaces"],
            "words": ["tabs"], "fact": [*mine.facts, *theirs.facts, "a fact"], "supersedes": theirs.facts,
            "proposal": [*mine.proposals, *theirs.proposals, "x"], "grant": [*mine.grants, *theirs.grants],
            "session": ["writer", "put-away", "tainted", "both", "s1", ""], "session_id": ["writer", "s1"],
            "seq": [str(number) for number in range(80)], "slug": [*SLUGS, "link/people/anna", "one", "../x"],
            "from_": [*SLUGS], "to": [*SLUGS], "name": ["Anna", "Entry", *SLUGS], "entity": [*SLUGS, "anna"],
            "entities": [",".join(SLUGS)], "query": ["tabs", "Says", "anna"], "since": ["1h", "2026-01-01"],
            "as_of": ["1", "20", "2026-11-30", "1h"], "path": [str(out / "a"), str(place.store), "-"],
            "root": [str(place.other), ".keepgate/pages", "link"], "status": ["pending", "all"],
            "adapter": ["mem0", "hermes-memory-md", "none"], "agent": ["planner", "preset-own", ""],
            "method": [row.name for row in self.dice.rows], "limit": ["1", "50", "0", "-1"],
            "date": ["2026-11-30", "x"], "prefix": ["people/", "link/"], "client": ["claude-code", "text"],
            "source": ["ci", "bot"],
        }  # fmt: skip

    def line(self, words: str, command: click.Command) -> list[str]:
        drawn = [] if self.dice.chance(0.6) else ["--json"]
        drawn += words.split()
        for parameter in command.params:
            wanted = parameter.required or isinstance(parameter, click.Argument)
            if parameter.name == "all_workspaces" or not self.dice.chance(0.9 if wanted else 0.2):
                continue
            drawn += self._one(parameter, words)
        return drawn

    def _one(self, parameter: click.Parameter, words: str) -> list[str]:
        if parameter.name in ("workspace", "store", "as_json", "no_color", "log_level", "log_file", "help"):
            return []
        if isinstance(parameter, click.Option) and parameter.is_flag:
            return [parameter.opts[0]]
        value = self._value(parameter, words)
        return [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]

    def _value(self, parameter: click.Parameter, words: str) -> str:
        if words == "call" and parameter.name == "params":
            return json.dumps(self.dice.params(self.dice.row()))
        if isinstance(parameter.type, click.Choice) and self.dice.chance(0.9):
            return str(self.dice.one(list(parameter.type.choices)))
        pool = self.pools.get(str(parameter.name))
        if pool and self.dice.chance(0.85):
            return str(self.dice.one(pool))
        # An argument of a process holds no zero byte.
        drawn = (
            self.dice.text() if self.dice.chance(0.7) else str(self.dice.one((-1, 0, 2**70, "", "--", "-")))
        )
        return drawn.replace("\x00", "").encode("utf-8", "replace").decode()


def environ(place: Place) -> dict[str, str]:
    return {**os.environ, "KEEPGATE_HOME": str(place.home), "PYTHONIOENCODING": "utf-8"}


def judge(told: Any, arguments: list[str], seed: int) -> None:
    """A code of the list, no traceback, no incident, and nothing of the other workspace."""
    assert told["code"] in CODES, (seed, arguments, told)
    for name in ("out", "err"):
        for word in ("Traceback", "incident", CANARY):
            assert word not in told[name], (seed, arguments, told["code"], told[name][-2000:])


@pytest.mark.timeout(600 + TIMES * 10)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_command(place: Place, part: int) -> None:
    """Without a terminal nothing is decided, nothing crashes, and nothing of another workspace is told."""
    seed = SEED * 1000 + 800 + part
    before = place.state()
    words = Words(place, seed)
    commands = [item for item in leaves().items() if item[0] not in LASTING][part::PARTS]
    codes: Counter[tuple[str, bool]] = Counter()
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ(place),
        cwd=place.own,
        start_new_session=True,
    ) as runner:
        assert runner.stdin is not None
        assert runner.stdout is not None
        for _ in range(TIMES):
            for name, command in commands:
                arguments = words.line(name, command)
                given = {"arguments": arguments, "stdin": words.dice.text()}
                runner.stdin.write(json.dumps(given).encode() + b"\n")
                runner.stdin.flush()
                told = json.loads(runner.stdout.readline() or "{}")
                assert told, (seed, arguments, "the process ended")
                judge(told, arguments, seed)
                codes[name, told["code"] == 0] += 1
            unchanged(place, before)
        runner.stdin.close()
    assert not {name for name, went_well in codes if went_well} & set(DECIDING)
    verified(place)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_command_as_a_process(place: Place, part: int) -> None:
    """The same with a process for each command, a few times."""
    seed = SEED * 1000 + 900 + part
    before = place.state()
    words = Words(place, seed)
    for name, command in [item for item in leaves().items() if item[0] not in LASTING][part::PARTS]:
        for _ in range(AS_PROCESSES):
            arguments = words.line(name, command)
            done = subprocess.run(
                [sys.executable, "-m", "keepgate", *arguments],
                input=words.dice.text().encode("utf-8", "surrogatepass"),
                capture_output=True,
                env=environ(place),
                cwd=place.own,
                start_new_session=True,
                timeout=120,
                check=False,
            )
            out, err = (data.decode("utf-8", "replace") for data in (done.stdout, done.stderr))
            judge({"code": done.returncode, "out": out, "err": err}, arguments, seed)
    unchanged(place, before)
    verified(place)


def verified(place: Place) -> None:
    """The ledger holds, and its replay is the store."""
    done = subprocess.run(
        [sys.executable, "-m", "keepgate", "verify"],
        capture_output=True, env=environ(place), cwd=place.own, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
