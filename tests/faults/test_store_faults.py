"""Every fault of the contract through the real process; none of them loses anything."""

import asyncio
import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeVar

import apsw
import pytest

from keepgate.protocol.errors import FAULTS, Code, Fault
from keepgate_client.testing import FakeEditor

T = TypeVar("T", bound=Callable[..., Any])
UW = {"track": "user", "scope": "workspace"}
SESSION = {"id": "s1"}
PROVOKED: set[Code] = set()
APPROVER = {"experimental": {"keepgate": {"approver": True}}, "window": {"showMessage": {}}}
ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
STORE = "home/data/memory.db"


def provokes(code: Code) -> Callable[[T], T]:
    """Says that a test brings about a fault, through the real process."""

    def mark(test: T) -> T:
        PROVOKED.add(code)
        return test

    return mark


def test_every_code_is_provoked_here() -> None:
    """A new code needs a test in this file that brings it about."""
    assert set(Code) == PROVOKED


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


def auto(**settings: Any) -> dict[str, Any]:
    """Options of an editor whose person allows everything beforehand."""
    return {"settings": {"writePolicy": "auto", **settings}}


def add(text: str, **more: Any) -> dict[str, Any]:
    return {**UW, "text": text, "session": SESSION, **more}


async def fault_of(editor: FakeEditor, method: str, params: Any) -> Fault:
    """The fault of a request; its error object must have the number, the code and the advice."""
    answer = await editor.request_raw(method, params)
    error = answer["error"]
    data = error["data"]
    fault = Fault(Code(data["code"]), error["message"], data["details"], number=error["code"])
    assert fault.number in (FAULTS[fault.code].number, -32602)
    assert data["suggestion"]
    return fault


async def texts(editor: FakeEditor) -> list[str]:
    return [entry["text"] for entry in (await editor.request("memory/list", {"session": None}))["entries"]]


async def actions(editor: FakeEditor) -> list[str]:
    rows = (await editor.request("memory/audit", {"session": None}))["rows"]
    return [row["action"] for row in reversed(rows)]


async def make_store(spawn: Any) -> None:
    """A whole store with one entry, that nobody has open."""
    async with spawn(**auto()) as editor:
        await editor.request("memory/add", add("kept"))


# The faults of a request.


INVALID = [
    ("memory/add", {"text": ""}, -32050, "$.text"),
    ("memory/add", {"text": "a\x00b"}, -32050, "$.text"),
    ("memory/add", {"text": "\ud83d"}, -32050, "$.text"),
    ("memory/add", {"text": "\udc4d\ud83d"}, -32050, "$.text"),
    ("memory/add", {"tags": ["\ud83d"]}, -32050, "$.tags[0]"),
    ("memory/add", {"session": {"id": "\ud83d"}}, -32050, "$.session.id"),
    ("memory/add", {"track": "nobody"}, -32050, "$.track"),
    ("memory/add", {"tags": [f"t{n}" for n in range(20)]}, -32050, "$.tags"),
    ("memory/add", {"text": 5}, -32602, "$.text"),
    ("memory/add", {"text": None}, -32602, "$.text"),
    ("memory/add", {"text": ["x"]}, -32602, "$.text"),
    ("memory/add", {"tags": {"a": 1}}, -32602, "$.tags"),
    ("memory/add", {"source": {"name": "x"}}, -32602, "$.source"),
    ("memory/add", {"session": "s1"}, -32602, "$.session"),
    ("memory/add", {"agentkey": "x"}, -32602, "$.agentkey"),
    ("memory/seed", {"entries": [{}], "scope": None}, -32602, "$.scope"),
    ("memory/query", {"limit": 1.5}, -32602, "$.limit"),
    ("memory/query", {"text": "\ud83d"}, -32050, "$.text"),
]


@provokes(Code.INVALID_INPUT)
async def test_invalid_input(spawn: Any) -> None:
    """DSH-7-INVALID_INPUT: NUL, lone surrogates, wrong types, unknown fields and values; nobody is asked."""
    async with spawn() as editor:
        faults = [await fault_of(editor, method, {**add("x"), **change}) for method, change, _, _ in INVALID]
        left = await actions(editor)

    assert {Code.INVALID_INPUT} == {fault.code for fault in faults}
    for (*_, number, path), fault in zip(INVALID, faults, strict=True):
        assert (number, path) == (fault.number, _complaint(fault, path))
    assert ([], []) == (editor.prompts, left)


def _complaint(fault: Fault, path: str) -> str:
    """The path, when it is complained about, or all complaints."""
    paths = [problem["path"] for problem in fault.details["problems"]]
    return path if path in paths else str(fault.details["problems"])


@provokes(Code.WRITE_REQUIRES_AGENT)
async def test_write_requires_agent(spawn: Any) -> None:
    """DSH-7-WRITE_REQUIRES_AGENT: a write without a session, whatever else is wrong with it."""
    async with spawn() as editor:
        fault = await fault_of(editor, "memory/add", {"text": 5})

    assert Code.WRITE_REQUIRES_AGENT == fault.code


@provokes(Code.BUDGET_EXCEEDED)
@pytest.mark.parametrize("units", [2001, 5_000_000])
async def test_budget_exceeded(spawn: Any, units: int) -> None:
    """DSH-7-BUDGET_EXCEEDED, DSH-5-never-cut: a text over the limit, also a huge one."""
    async with spawn() as editor:
        fault = await fault_of(editor, "memory/add", add("x" * units))
        left = await texts(editor)

    assert (Code.BUDGET_EXCEEDED, {**UW, "used": 0, "limit": 2000, "needed": units}) == (
        fault.code,
        fault.details,
    )
    assert ([], []) == (editor.prompts, left)


@provokes(Code.ENTRY_NOT_FOUND)
@provokes(Code.AMBIGUOUS_MATCH)
async def test_no_target_and_several(spawn: Any) -> None:
    """DSH-7-ENTRY_NOT_FOUND, DSH-7-AMBIGUOUS_MATCH: with what was looked for, and what was found."""
    async with spawn(**auto()) as editor:
        for text in ("tea one", "tea two"):
            await editor.request("memory/add", add(text))
        target = {**UW, "session": SESSION}
        none = await fault_of(editor, "memory/remove", {**target, "match": "coffee"})
        both = await fault_of(editor, "memory/remove", {**target, "match": "TEA"})

    assert (Code.ENTRY_NOT_FOUND, {**UW, "match": "coffee"}) == (none.code, none.details)
    sample = {**UW, "match": "TEA", "candidates": 2, "sample": ["tea one", "tea two"]}
    assert (Code.AMBIGUOUS_MATCH, sample) == (both.code, both.details)


ANSWERS = [
    ("Reject", "rejected"),
    (None, "cancelled"),
    ("Allow", "cancelled"),
    ("allow once", "cancelled"),
    ({"title": "Allow once "}, "cancelled"),
    (["Allow once"], "cancelled"),
    (True, "cancelled"),
    (RuntimeError("no screen"), "unavailable"),
]


@provokes(Code.WRITE_DENIED)
async def test_write_denied(spawn: Any) -> None:
    """DSH-7-WRITE_DENIED: rejected, dismissed, answered with what was never offered, or not answerable."""
    async with spawn(answers=[answer for answer, _ in ANSWERS]) as editor:
        faults = [await fault_of(editor, "memory/add", add(f"x{number}")) for number in range(len(ANSWERS))]
        left, rows = await texts(editor), await actions(editor)

    expected = [(Code.WRITE_DENIED, outcome) for _, outcome in ANSWERS]
    assert expected == [(fault.code, fault.details["outcome"]) for fault in faults]
    assert ([], ["add-denied"] * len(ANSWERS)) == (left, rows)


@provokes(Code.PROPOSAL_NOT_FOUND)
async def test_proposal_not_found(spawn: Any) -> None:
    """DSH-7-PROPOSAL_NOT_FOUND: unknown, or decided already."""
    async with spawn(capabilities=APPROVER) as editor:
        change = {"action": "add", **UW, "text": "x"}
        made = (await editor.request("proposals/create", {"change": change, "session": SESSION}))["proposal"]
        await editor.request("proposals/dismiss", {"id": made["id"]})
        decided = await fault_of(editor, "proposals/approve", {"id": made["id"], "hash": made["hash"]})
        unknown = await fault_of(editor, "proposals/dismiss", {"id": "nobody"})

    assert [(Code.PROPOSAL_NOT_FOUND, made["id"]), (Code.PROPOSAL_NOT_FOUND, "nobody")] == [
        (fault.code, fault.details["id"]) for fault in (decided, unknown)
    ]


@provokes(Code.ADAPTER_NOT_FOUND)
@provokes(Code.ADAPTER_PAYLOAD)
async def test_adapters(spawn: Any) -> None:
    """DSH-7-ADAPTER_NOT_FOUND, DSH-7-ADAPTER_PAYLOAD: with the id, and the line where there is one."""
    async with spawn() as editor:
        unknown = await fault_of(editor, "memory/export", {"adapter": "nobody"})
        params = {"adapter": "hermes-memory-md", "payload": "- a\n- b\nno bullet", "session": SESSION}
        refused = await fault_of(editor, "memory/import", params)

    assert (Code.ADAPTER_NOT_FOUND, {"adapterId": "nobody"}) == (unknown.code, unknown.details)
    expected = (Code.ADAPTER_PAYLOAD, {"adapterId": "hermes-memory-md", "line": 3})
    assert expected == (refused.code, refused.details)


# Stores that cannot be opened.


def not_a_database(store: Path) -> None:
    store.write_bytes(b"not a database, but long enough to have a header\n" * 100)


def cut_in_the_middle(store: Path) -> None:
    os.truncate(store, store.stat().st_size // 2 + 100)


def scribbled_over(store: Path) -> None:
    content = bytearray(store.read_bytes())
    for page in range(2, len(content) // 4096):
        content[page * 4096 : page * 4096 + 64] = b"\xff" * 64
    store.write_bytes(content)


def of_another_application(store: Path) -> None:
    store.unlink()
    _run(store, "CREATE TABLE entries (id TEXT); PRAGMA application_id = 7")


def without_a_table(store: Path) -> None:
    _run(store, "DROP TABLE feed")


def of_version_nothing(store: Path) -> None:
    _run(store, "PRAGMA user_version = 0")


def _run(store: Path, statements: str) -> None:
    db = apsw.Connection(str(store))
    db.execute(statements)
    db.close()


async def refused_start(spawn: Any) -> Fault:
    """The fault of ``initialize``, and the code that the process then leaves with."""
    async with spawn(initialize=False) as editor:
        return await fault_of(editor, "initialize", editor.initialize_params)


@provokes(Code.STORE_CORRUPT)
@pytest.mark.parametrize(
    "spoil",
    [
        not_a_database,
        cut_in_the_middle,
        scribbled_over,
        of_another_application,
        without_a_table,
        of_version_nothing,
    ],
    ids=lambda spoil: spoil.__name__,
)
async def test_store_corrupt(spawn: Any, place: Path, spoil: Callable[[Path], None]) -> None:
    """DSH-7-STORE_CORRUPT: an error of initialize with the path; not a byte of the file changes."""
    await make_store(spawn)
    store = place / STORE
    spoil(store)
    before = store.read_bytes()

    fault = await refused_start(spawn)

    assert (Code.STORE_CORRUPT, str(store)) == (fault.code, fault.details["path"])
    assert before == store.read_bytes()


async def test_a_folder_in_the_place_of_the_store(spawn: Any, place: Path) -> None:
    """DSH-7-STORE_CORRUPT: it is said to be one."""
    (place / STORE).mkdir(parents=True)

    fault = await refused_start(spawn)

    assert Code.STORE_CORRUPT == fault.code
    assert "folder" in str(fault)


async def test_an_empty_file_is_a_new_store(spawn: Any, place: Path) -> None:
    """Zero bytes hold nothing that could be lost."""
    (place / STORE).parent.mkdir(parents=True)
    (place / STORE).touch()

    await make_store(spawn)

    assert (place / STORE).stat().st_size > 0


@provokes(Code.STORE_UNSUPPORTED_VERSION)
async def test_store_unsupported_version(spawn: Any, place: Path) -> None:
    """DSH-7-STORE_UNSUPPORTED_VERSION, DSH-1-newer: refused loudly, never read, never changed."""
    await make_store(spawn)
    store = place / STORE
    _run(store, "PRAGMA user_version = 999")
    before = store.read_bytes()

    fault = await refused_start(spawn)

    assert Code.STORE_UNSUPPORTED_VERSION == fault.code
    assert {"path": str(store), "found": 999, "supported": 2} == fault.details
    assert before == store.read_bytes()


# Stores that cannot be written.


@provokes(Code.STORE_BUSY)
async def test_store_busy(spawn: Any, place: Path) -> None:
    """W11: a lock that another process keeps is not corruption; reads go on, writing works afterwards."""
    await make_store(spawn)
    other = apsw.Connection(str(place / STORE))
    other.execute("BEGIN IMMEDIATE")
    try:
        async with spawn(**auto()) as editor:
            fault = await fault_of(editor, "memory/add", add("x"))
            during = await texts(editor)
            other.execute("ROLLBACK")
            await editor.request("memory/add", add("x"))
            after = await texts(editor)
    finally:
        other.close()

    assert Code.STORE_BUSY == fault.code
    assert fault.details["waitedMs"] >= 4900
    assert (["kept"], ["kept", "x"]) == (during, after)


async def test_a_lock_that_goes_in_time(spawn: Any, place: Path) -> None:
    """A write waits for the lock, and is stored when it comes within five seconds."""
    await make_store(spawn)
    other = apsw.Connection(str(place / STORE))
    other.execute("BEGIN IMMEDIATE")
    try:
        async with spawn(**auto()) as editor:
            writing = editor.begin("memory/add", add("x"))
            await asyncio.sleep(0.5)
            early = writing.answer.done()
            other.execute("ROLLBACK")
            answer = await editor.answer_of(writing)
    finally:
        other.close()

    assert (False, "x") == (early, answer["result"]["entry"]["text"])


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    """A file system of two megabytes for the store."""
    home = place / "home"
    home.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "none", str(home)], check=True)
    yield home
    subprocess.run(["umount", "-l", str(home)], check=True)


MOUNTS = pytest.mark.skipif(
    not (ROOT and sys.platform == "linux" and shutil.which("mount")),
    reason="only root on Linux can mount a small file system; test_disk.py fails writes without one",
)


def may_mount(folder: Path) -> bool:
    """Whether this process may mount; root in a container often may not."""
    tried = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4k", "none", str(folder)], check=False, stderr=-3
    )
    if tried.returncode == 0:
        subprocess.run(["umount", str(folder)], check=True)
    return tried.returncode == 0


@pytest.fixture
def disk(place: Path, request: pytest.FixtureRequest) -> Path:
    """The small file system, where it can be had."""
    if not may_mount(place):
        pytest.skip("this root may not mount a file system; test_disk.py fails writes without one")
    mounted: Path = request.getfixturevalue("small_disk")
    return mounted


@provokes(Code.STORE_FULL)
@MOUNTS
async def test_store_full(disk: Path, spawn: Any) -> None:
    """A full disk stores nothing by halves; what is there can be read, and room lets writing go on."""
    await make_store(spawn)
    filler = disk / "filler"
    budgets = {"user": {"userGlobal": 10**7, "workspace": 10**7}, "agent": {"userGlobal": 1, "workspace": 1}}
    async with spawn(**auto(budgets=budgets)) as editor:
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        fault = await fault_of(editor, "memory/add", add("x" * 300_000))
        during = await texts(editor)
        filler.unlink()
        await editor.request("memory/add", add("room again"))
        after, verified = await texts(editor), await editor.request("memory/verify")

    assert (Code.STORE_FULL, str(disk / "data/memory.db")) == (fault.code, fault.details["path"])
    assert (["kept"], ["kept", "room again"], []) == (during, after, verified["problems"])


def _remount_read_only(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)


@provokes(Code.PAGE_NOT_FOUND)
async def test_page_not_found(spawn: Any) -> None:
    """A page that is not there can be neither read nor changed."""
    async with spawn(**auto()) as editor:
        read = await fault_of(editor, "pages/get", {"slug": "people/nobody"})
        changed = await fault_of(editor, "pages/remove", {"slug": "people/nobody", "session": SESSION})

    assert [Code.PAGE_NOT_FOUND] * 2 == [read.code, changed.code]
    assert {"slug": "people/nobody"} == read.details


@provokes(Code.STORE_READ_ONLY)
async def test_store_read_only(place: Path, spawn: Any, request: pytest.FixtureRequest) -> None:
    """A store that cannot be written is read all the same, and says so in its status."""
    if ROOT:
        disk: Path = request.getfixturevalue("disk")
    await make_store(spawn)
    if ROOT:
        _remount_read_only(disk)
    else:
        (place / STORE).chmod(0o400)
        (place / STORE).parent.chmod(0o500)
    try:
        async with spawn(**auto()) as editor:
            fault = await fault_of(editor, "memory/add", add("x"))
            found = await editor.request("memory/query", {"session": SESSION})
            status = await editor.request("memory/status")
    finally:
        if not ROOT:
            (place / STORE).parent.chmod(0o700)

    assert (Code.STORE_READ_ONLY, str(place / STORE)) == (fault.code, fault.details["path"])
    assert ["kept"] == [entry["text"] for entry in found["entries"]]
    assert "ok" != status["health"]


# While the person thinks.


def slow_person(then: Any = "Allow once") -> tuple[Any, asyncio.Event, asyncio.Event]:
    """A person who answers when told to: the answers, and the events of being asked and of going on."""
    asked, go = asyncio.Event(), asyncio.Event()

    async def answer(_: Any) -> Any:
        asked.set()
        await go.wait()
        return then

    return answer, asked, go


async def test_the_client_dies_with_a_question_open(spawn: Any) -> None:
    """The process goes with it; the wish waits in the inbox, and the ledger says that nobody answered."""
    answer, asked, _ = slow_person()
    async with spawn(answers=[answer]) as editor:
        editor.begin("memory/add", add("x"))
        await asked.wait()
        editor.close_stdin()
        code = await editor.wait_exit()
    async with spawn(capabilities=APPROVER) as later:
        (waiting,) = (await later.request("proposals/list", {"status": "pending"}))["proposals"]
        rows = await actions(later)
        await later.request("proposals/approve", {"id": waiting["id"], "hash": waiting["hash"]})
        stored = await texts(later)

    assert (1, ["add-denied"], ["x"]) == (code, rows, stored)


async def test_the_sidecar_is_killed_with_a_question_open(spawn: Any) -> None:
    """The next one finds the wish, and says for the dead one that nobody answered."""
    answer, asked, _ = slow_person()
    async with spawn(answers=[answer]) as editor:
        editor.begin("memory/add", add("x"))
        await asked.wait()
        editor.kill()
        await editor.wait_exit()
    async with spawn() as later:
        await later.wait_for_notification("proposals/didChange")
        (waiting,) = (await later.request("proposals/list", {"status": "pending"}))["proposals"]
        rows = (await later.request("memory/audit", {"session": None}))["rows"]

    assert "x" == waiting["text"]
    assert [("add-denied", "unavailable (via approval, writePolicy ask)")] == [
        (row["action"], row["outcome"]) for row in rows
    ]


async def test_a_late_answer(spawn: Any) -> None:
    """After the request was cancelled, a yes finds the wish closed and changes nothing."""
    answer, asked, go = slow_person()
    async with spawn(answers=[answer]) as editor:
        call = editor.begin("memory/add", add("x"))
        await asked.wait()
        editor.cancel(call.id)
        cancelled = await editor.answer_of(call)
        go.set()
        await editor.request("memory/budgets")
        left, rows = await texts(editor), await actions(editor)

    assert -32800 == cancelled["error"]["code"]
    assert ([], ["add-denied"]) == (left, rows)


async def test_two_approvals_from_two_processes(spawn: Any) -> None:
    """W17: at the same moment; one stores it, the other finds nothing pending."""
    async with spawn(capabilities=APPROVER) as one, spawn(capabilities=APPROVER) as two:
        for number in range(5):
            change = {"action": "add", **UW, "text": f"wish {number}"}
            made = (await one.request("proposals/create", {"change": change, "session": SESSION}))["proposal"]
            params = {"id": made["id"], "hash": made["hash"]}
            answers = await asyncio.gather(
                *(editor.request_raw("proposals/approve", params) for editor in (one, two))
            )
            codes = [answer["error"]["data"]["code"] for answer in answers if "error" in answer]
            assert ["PROPOSAL_NOT_FOUND"] == codes
        stored = await texts(two)

    assert [f"wish {number}" for number in range(5)] == stored


async def test_a_decision_in_another_window(spawn: Any) -> None:
    """The first valid decision wins: the caller gets its entry, the late prompt changes nothing."""
    answer, asked, go = slow_person("Reject")
    async with spawn(answers=[answer]) as asker, spawn(capabilities=APPROVER) as other:
        call = asker.begin("memory/add", add("x"))
        await asked.wait()
        told = await other.wait_for_notification("approval/asked")
        approved = await other.request("proposals/approve", {"id": told["id"], "hash": told["hash"]})
        result = await asker.answer_of(call)
        go.set()
        await asker.request("memory/budgets")
        rows = await actions(asker)

    assert ("x", "approved") == (result["result"]["entry"]["text"], approved["proposal"]["status"])
    assert ["add"] == rows


async def test_the_target_is_rewritten_by_another_process(spawn: Any) -> None:
    """DSH-3-reresolve: the person is asked again, with the new text."""
    await make_store(spawn)
    answer, asked, go = slow_person()
    async with spawn(answers=[answer, "Reject"]) as editor, spawn(**auto()) as other:
        call = editor.begin("memory/remove", {**UW, "match": "kept", "session": SESSION})
        await asked.wait()
        rewriting = {**UW, "match": "kept", "text": "kept, but changed", "session": SESSION}
        await other.request("memory/replace", rewriting)
        go.set()
        answered = await editor.answer_of(call)
        prompts = await editor.wait_for_prompts(2)
        left = await texts(editor)

    assert "kept, but changed" in prompts[1]["message"]
    assert ("rejected", ["kept, but changed"]) == (answered["error"]["data"]["details"]["outcome"], left)


async def test_the_budget_is_used_up_by_another_process(spawn: Any) -> None:
    """W28: the yes comes too late; the caller gets the numbers, and the ledger says so."""
    budgets = {"user": {"userGlobal": 10, "workspace": 10}, "agent": {"userGlobal": 10, "workspace": 10}}
    answer, asked, go = slow_person()
    async with (
        spawn(answers=[answer], settings={"budgets": budgets}) as editor,
        spawn(**auto(budgets=budgets)) as other,
    ):
        call = editor.begin("memory/add", add("1234567"))
        await asked.wait()
        await other.request("memory/add", add("abcdefg"))
        go.set()
        answered = await editor.answer_of(call)
        rows = await actions(editor)

    details = answered["error"]["data"]["details"]
    assert (7, 10, 14) == tuple(details[name] for name in ("used", "limit", "needed"))
    assert ["add", "add-refused"] == rows


# Odd but harmless.


async def test_huge_and_odd_requests_leave_the_process_well(spawn: Any) -> None:
    """Large matches, deep and wide params: each gets its answer, and the next request is served."""
    wide = [{**UW, "text": "x"}] * 100_000
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    async with spawn() as editor:
        codes = [
            (
                await fault_of(editor, "memory/remove", {**UW, "match": "y" * 5_000_000, "session": SESSION})
            ).code,
            (await fault_of(editor, "memory/seed", {"entries": wide, "session": SESSION})).code,
            (await fault_of(editor, "memory/seed", {"entries": deep, "session": SESSION})).code,
            (await fault_of(editor, "memory/get", {"id": json.dumps(deep)})).code,
        ]
        left = await texts(editor)

    assert [Code.ENTRY_NOT_FOUND, Code.INVALID_INPUT, Code.INVALID_INPUT, Code.ENTRY_NOT_FOUND] == codes
    assert [] == left
