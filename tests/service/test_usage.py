"""The usage log: what a line holds, what it never holds, and that it never stands in the way."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from keepgate.boot import open_sidecar
from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.service import usage
from keepgate.service.connection import NoPeer
from keepgate.service.maintenance import examine
from keepgate.service.usage_stats import usage_stats

DAY_MS = 86_400_000


async def _calls(home: Path, folder: Path, *calls: tuple[str, dict[str, Any]], **settings: Any) -> list[Any]:
    folder.mkdir(exist_ok=True)
    places = find_places({"KEEPGATE_HOME": str(home)})
    sidecar = await open_sidecar(
        load_settings(places, {}, options={"writePolicy": "auto", **settings}), places
    )
    try:
        connection = sidecar.connect(
            peer=NoPeer(), channel="mcp", client=ClientInfo(name="test"), folders=[str(folder)],
            approver=None, remote=True,
        )  # fmt: skip
        answers: list[Any] = []
        for method, params in calls:
            try:
                answers.append(await sidecar.call(connection, method, params))
            except Fault as fault:
                answers.append(fault)
        answers.append(next(one for one in await examine(sidecar) if one.name == "memory_verbs_usage"))
        return answers
    finally:
        await sidecar.close()


def _lines(home: Path) -> list[dict[str, Any]]:
    file = home / "state" / "usage" / "memory-verbs.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


async def test_each_verb_call_leaves_a_line(tmp_path: Path) -> None:
    """Successes, errors of the handler and errors of the params; other methods leave none, texts never."""
    await _calls(
        tmp_path / "home", tmp_path / "project",
        ("verbs/remember", {"fact": "quokka one", "provenance": "quokka source", "entity": "quokka"}),
        ("verbs/remember", {"fact": "quokka two", "provenance": " "}),
        ("verbs/recall", {"query": "quokka", "budget_tokens": 1}),
        ("verbs/recall", {"limit": "quokka"}),
        ("verbs/entity", {"name": "quokka nobody"}),
        ("memory/budgets", {}),
    )  # fmt: skip
    lines = _lines(tmp_path / "home")

    assert [
        ("remember", True, None), ("remember", False, "provenance_required"), ("recall", True, None),
        ("recall", False, "invalid_params"), ("entity", True, None),
    ] == [(line["verb"], line["ok"], line.get("error")) for line in lines]  # fmt: skip
    assert 1 == lines[2]["budget_dropped"]
    assert lines[4]["entity_found"] is False
    assert {("mcp", True)} == {(line["channel"], line["remote"]) for line in lines}
    assert all(line["latency_ms"] >= 0 for line in lines)
    assert "quokka" not in json.dumps(lines)


async def test_the_log_can_be_switched_off(tmp_path: Path) -> None:
    """The setting ``usageLog``."""
    await _calls(tmp_path / "home", tmp_path / "p", ("verbs/entity", {"name": "x"}), usageLog=False)

    assert not (tmp_path / "home" / "state" / "usage").exists()


async def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    """A file stands where the folder should be; the verb answers, and doctor says what is wrong."""
    (tmp_path / "home" / "state").mkdir(parents=True)
    (tmp_path / "home" / "state" / "usage").write_text("in the way")

    answer, finding = await _calls(tmp_path / "home", tmp_path / "p", ("verbs/entity", {"name": "x"}))

    assert answer["found"] is False
    assert not finding.ok
    assert finding.fix


async def test_doctor_has_a_line(tmp_path: Path) -> None:
    """No calls are no problem; with some it says how many, of which, and when the last one was."""
    (nothing,) = await _calls(tmp_path / "home", tmp_path / "p")
    *_, some = await _calls(tmp_path / "home", tmp_path / "p", ("verbs/entity", {"name": "x"}))

    assert (True, "no verb calls in 30d") == (nothing.ok, nothing.message)
    assert some.ok
    assert some.message.startswith("1 verb calls in 30d (entity 1); last entity at 20")


def test_a_full_log_is_rotated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit the file becomes the one before; what was there is counted still."""
    monkeypatch.setattr(usage, "ROTATE_BYTES", 300)
    log = usage.UsageLog(state_folder=str(tmp_path), now_ms=lambda: 1_700_000_000_000)
    for number in range(7):
        log._write(
            {"ts": "2023-11-14T22:13:20.000Z", "verb": "recall", "ok": True, "n": number, "pad": "x" * 50}
        )

    kept = [line["n"] for line in usage.read_lines(str(tmp_path))]

    assert ["memory-verbs.jsonl", "memory-verbs.jsonl.1"] == sorted(
        one.name for one in log.path.parent.iterdir()
    )
    assert kept == list(range(kept[0], 7))


def test_two_processes_write_one_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who holds the file that another one put aside begins the new one, and puts aside nothing."""
    monkeypatch.setattr(usage, "ROTATE_BYTES", 300)
    one, other = (usage.UsageLog(state_folder=str(tmp_path), now_ms=lambda: 0) for _ in range(2))
    for number in range(7):
        (one, other)[number % 2]._write({"verb": "recall", "n": number, "pad": "x" * 50})
    one.close()
    other.close()

    kept = [line["n"] for line in usage.read_lines(str(tmp_path))]

    assert list(range(7)) == kept


def test_a_log_that_was_deleted_is_begun_anew(tmp_path: Path) -> None:
    """What is written next stands in a file that can be found, and a closed log opens again."""
    log = usage.UsageLog(state_folder=str(tmp_path), now_ms=lambda: 0)
    for number in range(3):
        log._write({"verb": "recall", "n": number})
        if number:
            log.close()
        else:
            log.path.unlink()
    log.close()

    assert [1, 2] == [line["n"] for line in usage.read_lines(str(tmp_path))]


def test_stats_add_up(tmp_path: Path) -> None:
    """Per verb, within the days asked for; lines that are none are passed over."""
    now = 1_800_000_000_000
    log = usage.UsageLog(state_folder=str(tmp_path), now_ms=lambda: now)
    log.stamp_installed()
    rows = [
        {"ts": "2020-01-01T00:00:00.000Z", "verb": "recall", "ok": True, "latency_ms": 100},
        {
            "ts": "2027-01-15T07:00:00.000Z",
            "verb": "recall",
            "ok": True,
            "latency_ms": 1,
            "budget_dropped": 3,
        },
        {"ts": "2027-01-15T07:00:01.000Z", "verb": "recall", "ok": False, "latency_ms": 3},
        {
            "ts": "2027-01-15T07:00:02.000Z",
            "verb": "entity",
            "ok": True,
            "latency_ms": 5,
            "entity_found": True,
        },
        {
            "ts": "2027-01-15T07:00:03.000Z",
            "verb": "entity",
            "ok": True,
            "latency_ms": 5,
            "entity_found": False,
        },
    ]
    for row in rows:
        log._write(row)
    with log.path.open("ab") as file:
        file.write(b"{torn\n7\n[]\n")

    found = usage_stats(str(tmp_path), days=1, now_ms=now)

    assert 4 == found.total_calls
    recall, entity = found.by_verb["recall"], found.by_verb["entity"]
    assert (2, 1, 2.0, 3) == (recall.calls, recall.errors, recall.avg_latency_ms, recall.budget_dropped_total)
    assert (1, 1) == (entity.found, entity.missed)
    assert {"verb": "entity", "ts": "2027-01-15T07:00:03.000Z"} == found.last_call
    assert "2020-01-01T00:00:00.000Z" == found.first_call_at


def test_the_stamp_is_set_once(tmp_path: Path) -> None:
    """The first use counts; the time to the first verb call is from there."""
    for now in (1_700_000_000_000, 1_700_000_500_000):
        usage.UsageLog(state_folder=str(tmp_path), now_ms=lambda now=now: now).stamp_installed()
    log = usage.UsageLog(state_folder=str(tmp_path), now_ms=lambda: 1_700_000_060_000)
    log._write({"ts": "2023-11-14T22:14:20.000Z", "verb": "recall", "ok": True})

    assert "2023-11-14T22:13:20.000Z" == usage.installed_at(str(tmp_path))
    assert 60.0 == usage_stats(str(tmp_path), days=9999, now_ms=1_700_000_500_000).first_call_after_s


async def test_a_call_that_was_given_up_is_no_failure_of_ours(tmp_path: Path) -> None:
    """Its line says that it was cancelled, and how long it had run."""
    asked = asyncio.Event()

    class Waits:
        async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError("nobody answers")

    places = find_places({"KEEPGATE_HOME": str(tmp_path / "home")})
    sidecar = await open_sidecar(load_settings(places, {}), places)
    connection = sidecar.connect(
        peer=NoPeer(),
        channel="mcp",
        client=ClientInfo(name="test"),
        folders=[str(tmp_path)],
        approver=Waits(),
    )
    params = {"fact": "quokka", "provenance": "test"}
    call = asyncio.create_task(sidecar.call(connection, "verbs/remember", params))
    await asked.wait()
    call.cancel()
    await asyncio.wait({call})
    await sidecar.close()

    (line,) = _lines(tmp_path / "home")
    assert (False, "cancelled") == (line["ok"], line["error"])
