"""Nothing is left behind, no memory gets into a log, and no time zone into a time (R-LIFE, R-TIME)."""

import contextlib
import gc
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from keepgate.boot.compose import compose, stamp_now
from keepgate.boot.places import find_places
from keepgate.core.model.stamp import Stamp
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.service.connection import NoPeer
from keepgate_client.testing import FakeEditor

UW = {"track": "user", "scope": "workspace"}
SESSION = {"id": "s1"}
CYCLES = 200
CYCLES_QUICK = 6
CYCLES_IN_PROCESS = 60
SECRET = "Rosebud"


@pytest.fixture
def spawn(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., AbstractAsyncContextManager[FakeEditor]]:
    """Editors with a sidecar each, on one store, in one workspace."""
    monkeypatch.setenv("KEEPGATE_HOME", str(place / "home"))
    monkeypatch.delenv("KEEPGATE_STORE", raising=False)
    (place / "project").mkdir()

    def start(**options: Any) -> AbstractAsyncContextManager[FakeEditor]:
        return FakeEditor.spawn(place / "project", **options)

    return start


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def children() -> set[int]:
    """The processes below this one that still run."""
    own = os.getpid()
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == own and fields[0] != "Z":
                found.add(int(stat.parent.name))
    return found


async def start_and_stop(spawn: Any, place: Path, cycles: int) -> None:
    """Start, write, ask, and stop in every way; then look for what is left."""
    endings: list[Callable[[FakeEditor], None]] = [
        lambda editor: None,
        lambda editor: editor.close_stdin(),
        lambda editor: editor.kill(),
    ]
    async with spawn(settings={"writePolicy": "auto"}) as editor:
        await editor.request("memory/add", {**UW, "text": "first", "session": SESSION})
    before, running = files_below(place), children()
    for number in range(cycles):
        async with spawn(settings={"writePolicy": "auto"}) as editor:
            await editor.request("memory/add", {**UW, "text": f"note {number}", "session": SESSION})
            await editor.request("memory/query", {"text": "note", "session": SESSION})
            endings[number % len(endings)](editor)
            if number % len(endings):
                await editor.wait_exit()
    async with spawn() as editor:
        verified = await editor.request("memory/verify")
    # A process that was killed leaves its presence and its reach, which the next one clears in its own time.
    left = {name for name in files_below(place) - before if not {"presence", "reach"} & set(name.split("/"))}

    assert (set(), []) == (left, verified["problems"])
    assert running == children()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the children are read from /proc")
async def test_starting_and_stopping_leaves_nothing(spawn: Any, place: Path) -> None:
    """Shut down, hung up or killed: no process, lock or temporary file stays behind."""
    await start_and_stop(spawn, place, CYCLES_QUICK)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the children are read from /proc")
async def test_starting_and_stopping_for_long_leaves_nothing(spawn: Any, place: Path) -> None:
    """The same, two hundred times."""
    await start_and_stop(spawn, place, CYCLES)


async def test_presence_of_the_killed_is_cleared(spawn: Any, place: Path) -> None:
    """What a killed process said of itself goes when the next one looks, a minute later."""
    async with spawn() as editor:
        editor.kill()
        await editor.wait_exit()
    (left,) = (place / "home/state/presence").iterdir()
    old = time.time() - 3600
    os.utime(left, (old, old))

    async with spawn():
        during = [path.name for path in (place / "home/state/presence").iterdir()]

    assert left.name not in during
    assert [] == [*(place / "home/state/presence").iterdir()]


def handles() -> int:
    """How many files this process has open."""
    return len([*Path("/proc/self/fd").iterdir()])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are read from /proc")
async def test_opening_and_closing_in_one_process(place: Path) -> None:
    """Again and again: no thread, no open file, no lock and no other file stays."""
    (place / "project").mkdir()

    async def cycle(number: int) -> None:
        settings = Settings(write_policy=WritePolicy.AUTO)
        sidecar = await compose(settings, find_places({"KEEPGATE_HOME": str(place / "home")}))
        connection = sidecar.connect(
            peer=NoPeer(),
            channel="test",
            client=ClientInfo(name="t"),
            folders=[str(place / "project")],
            approver=None,
        )
        await sidecar.start()
        for method, params in (
            ("memory/add", {**UW, "text": f"{number}"}),
            ("memory/query", {"text": "1"}),
            ("memory/remove", {**UW, "match": f"{number}"}),
        ):
            await sidecar.call(connection, method, {"session": SESSION, **params})
        await sidecar.close()

    for number in range(5):
        await cycle(number)
    gc.collect()
    threads, opened, files = threading.active_count(), handles(), files_below(place)
    for number in range(CYCLES_IN_PROCESS):
        await cycle(number)
    gc.collect()

    assert (threads, opened, files) == (threading.active_count(), handles(), files_below(place))


async def test_no_memory_in_logs(spawn: Any, place: Path) -> None:
    """Neither stderr nor the log holds a word of what was written, asked, denied, refused or looked for."""
    log = place / "keepgate.log"
    command = (sys.executable, "-m", "keepgate", "serve", "--log-file", str(log))
    requests: list[tuple[str, Any]] = [
        ("memory/add", {**UW, "text": f"{SECRET} one", "tags": [SECRET]}),
        ("memory/add", {**UW, "text": f"{SECRET} two", "source": SECRET}),
        ("memory/add", {**UW, "text": f"{SECRET} two", "trak": SECRET}),
        ("memory/add", {"track": SECRET, "scope": "workspace", "text": "x"}),
        ("memory/add", {**UW, "text": SECRET * 1000}),
        ("memory/add", {**UW, "text": f"{SECRET} two"}),
        ("memory/remove", {**UW, "match": SECRET}),
        ("memory/remove", {**UW, "match": f"{SECRET}\x00"}),
        ("memory/query", {"text": SECRET}),
        ("memory/import", {"adapter": "hermes-memory-md", "payload": f"{SECRET}"}),
        ("memory/import", {"payload": {"plugin": SECRET}}),
        ("memory/snapshot", {}),
        (f"memory/{SECRET}", {}),
    ]
    answers = ["Allow once", RuntimeError(SECRET), None]
    async with spawn(command=command, answers=answers) as editor:
        for method, params in requests:
            await editor.request_raw(method, {**params, "session": SESSION})
        await editor.request_raw("memory/get", {"id": SECRET})
        editor.send_message({"jsonrpc": "2.0", "method": "memory/add", "params": {"text": SECRET}})
        editor.send_message({"jsonrpc": "2.0", "id": "never asked", "result": {"title": SECRET}})
        await editor.request("memory/budgets")

    assert SECRET not in editor.stderr
    assert SECRET not in log.read_text(encoding="utf-8")


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/St_Johns", "UTC"])
async def test_times_know_no_zone(spawn: Any, zone: str) -> None:
    """R-TIME, DSH-2-times: milliseconds of the epoch inside, Z outside, wherever the process thinks it is."""
    environment = {"TZ": zone, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": None, "PYTHONIOENCODING": None}
    earliest = time.time_ns() // 1_000_000
    async with spawn(settings={"writePolicy": "auto"}, env=environment) as editor:
        text = "記憶 – ärger 🗝"
        entry = (await editor.request("memory/add", {**UW, "text": text, "session": SESSION}))["entry"]
        envelope = await editor.request("memory/export")
        found = await editor.request("memory/query", {"text": "記憶", "session": SESSION})
    latest = time.time_ns() // 1_000_000

    assert earliest <= entry["createdAt"] <= latest
    assert [text] == [each["text"] for each in found["entries"]]
    stated = time.strftime("%Y-%m-%dT%H", time.gmtime(entry["createdAt"] / 1000))
    later = time.strftime("%Y-%m-%dT%H", time.gmtime(latest / 1000))
    assert envelope["exportedAt"][:13] in (stated, later)
    assert envelope["exportedAt"].endswith("Z")


def test_the_command_line_in_a_plain_locale(place: Path) -> None:
    """R-ENC: without a UTF-8 locale the command line stores and shows any text."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LC_", "LANG", "PYTHON", "KEEPGATE"))
    }
    environment |= {"LC_ALL": "C", "KEEPGATE_HOME": str(place / "home")}
    (place / "home").mkdir()
    (place / "home/config.toml").write_text('writePolicy = "auto"\n')
    text = "記憶 – ärger 🗝"

    def keepgate(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "keepgate", *arguments],
            env=environment,
            cwd=place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=200,
        )

    added = keepgate("call", "memory/add", f'{{"track": "user", "scope": "workspace", "text": "{text}"}}')
    listed = keepgate("call", "memory/list", "{}")

    assert (0, b"") == (added.returncode, added.stderr)
    assert text.encode() in listed.stdout


async def test_a_clock_that_steps_back(place: Path) -> None:
    """R-TIME, DSH-2-times: no entry is older than its last state; order does not come from the clock."""
    (place / "project").mkdir()
    moment = {"now": stamp_now().now_ms}

    def stamp() -> Stamp:
        return evolve(stamp_now(), now_ms=moment["now"])

    settings = Settings(write_policy=WritePolicy.AUTO)
    sidecar = await compose(settings, find_places({"KEEPGATE_HOME": str(place / "home")}), stamp=stamp)
    connection = sidecar.connect(
        peer=NoPeer(),
        channel="test",
        client=ClientInfo(name="t"),
        folders=[str(place / "project")],
        approver=None,
    )

    async def call(method: str, **params: Any) -> Any:
        return await sidecar.call(connection, method, {"session": SESSION, **params})

    first = (await call("memory/add", **UW, text="one"))["entry"]
    await call("memory/query", text="one")
    moment["now"] -= 3_600_000
    replaced = (await call("memory/replace", **UW, match="one", text="two"))["entry"]
    await call("memory/query", text="two")
    second = (await call("memory/add", **UW, text="three"))["entry"]
    restored = (await call("memory/undo", seq=3))["restored"][0]
    listed = (await call("memory/list"))["entries"]
    verified = await call("memory/verify")
    await sidecar.close()

    times = [(entry["createdAt"], entry["updatedAt"]) for entry in (first, replaced, second, restored)]
    assert all(created <= updated for created, updated in times)
    assert first["createdAt"] - 3_600_000 == second["createdAt"]
    assert listed[0]["lastRecalled"] >= first["createdAt"]
    assert ["one", "three"] == [entry["text"] for entry in listed]
    assert [] == verified["problems"]
