"""Writers in processes of their own, cheap enough to be killed by the hundred.

``python worker.py`` is a nursery. For each line of JSON on stdin it forks a writer (``{"start": job}``) or
waits for one (``{"end": pid, "kill": true}``), and answers with the pid. It alone collects its writers, so
that no signal meets another process that got an old pid.

A writer does what its role says (``ROLES``) and notes what it does in its own file, a line of JSON each, so
that what it had said before it was killed can be read.
"""

import asyncio
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from keepgate.boot.compose import compose
from keepgate.boot.known_secrets import known_secrets
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Budgets, Settings, TrackBudgets, WritePolicy
from keepgate.service.connection import NoPeer

WAIT_S = 90.0
LAYER = {"track": "agent", "scope": "workspace"}


class Yes:
    """A person who allows everything, or says nothing for ever."""

    def __init__(self, writer: "Writer", *, answers: bool) -> None:
        self.writer = writer
        self.answers = answers

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        if not self.answers:
            self.writer.note("asked", id=question.id)
            await asyncio.Event().wait()
        return ApprovalAnswer(outcome="allowed-once", hash=question.hash)


class Writer:
    """One session in one folder of a store that others use, too."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.notes = os.open(job["notes"], os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        self.random = random.Random(job.get("seed", 0))

    def note(self, event: str, **more: Any) -> None:
        """One write, so that a killed writer leaves whole lines."""
        os.write(self.notes, json.dumps({"event": event, **more}).encode() + b"\n")

    async def open(self) -> None:
        units = self.job.get("budget", 10**6)
        one = TrackBudgets(user_global=units, workspace=units)
        settings = Settings(
            budgets=Budgets(user=one, agent=one), write_policy=WritePolicy(self.job.get("policy", "auto"))
        )
        places = find_places({"KEEPGATE_HOME": self.job["home"]})
        self.sidecar = await compose(settings, places)
        self.connection = self.sidecar.connect(
            peer=NoPeer(),
            channel="test",
            client=ClientInfo(name="writer"),
            folders=[self.job["folder"]],
            approver=Yes(self, answers=self.job.get("answers", True)),
        )
        self.note("open")

    async def call(self, method: str, **params: Any) -> Any:
        """The result. Only a store that was busy for five seconds may be asked again."""
        session = {"id": self.job["session"]}
        while True:
            try:
                return await self.sidecar.call(self.connection, method, {"session": session, **params})
            except Fault as fault:
                if fault.code is not Code.STORE_BUSY or fault.details["waitedMs"] < 4900:
                    raise
                self.note("busy", waited=fault.details["waitedMs"])

    async def texts(self) -> list[str]:
        listed = await self.call("memory/list", limit=1000)
        return sorted(entry["text"] for entry in listed["entries"])

    # Roles.

    async def adds(self) -> None:
        """Add so many entries and leave."""
        for number in range(self.job["count"]):
            entry = await self.call("memory/add", **LAYER, text=f"{self.job['session']} note {number}")
            self.note("added", id=entry["entry"]["id"])

    async def fills(self) -> None:
        """Add seven units at a time until there is no room."""
        while True:
            try:
                entry = await self.call("memory/add", **LAYER, text=f"{self.random.randrange(10**7):07d}")
            except Fault as fault:
                self.note("full", code=fault.code, details=fault.details)
                return
            self.note("added", id=entry["entry"]["id"])

    async def waits(self) -> None:
        """Ask for one entry, and wait for the answer for ever."""
        await self.call("memory/add", **LAYER, text="waited for")

    async def changes(self) -> None:
        """Change the folder's entries in every way, for ever; note what a step leaves before it and after."""
        texts = await self.texts()
        while True:
            method, params, after = self.step(texts)
            self.note("begun", before=texts, after=sorted(after))
            await self.call(method, **params)
            texts = sorted(after)
            self.note("done", after=texts)
            if self.random.random() < 0.3:
                await self.call("memory/query", text="x", limit=2)

    def step(self, texts: list[str]) -> tuple[str, dict[str, Any], list[str]]:
        """A method, its params, and the texts that it leaves behind."""
        new = f"{self.job['session']} {self.random.randrange(10**9)} " + "x" * self.random.randrange(40)
        if len(texts) < 3:
            drafts = [{**LAYER, "text": f"{new}{letter}"} for letter in "abc"]
            return "memory/seed", {"entries": drafts}, [*texts, *(draft["text"] for draft in drafts)]
        one, two, *_ = self.random.sample(texts, len(texts))
        rest = [text for text in texts if text != one]
        match self.random.choice(["add", "replace", "remove", "consolidate"]):
            case "add" if len(texts) < 12:
                return "memory/add", {**LAYER, "text": new}, [*texts, new]
            case "replace":
                return "memory/replace", {**LAYER, "match": one, "text": new}, [*rest, new]
            case "consolidate":
                kept = [text for text in rest if text != two]
                return "memory/consolidate", {**LAYER, "matches": [one, two], "text": new}, [*kept, new]
        return "memory/remove", {**LAYER, "match": one}, rest


ROLES = ("adds", "fills", "waits", "changes")


def wait_for_start(job: dict[str, Any]) -> None:
    """Go when the others go: when the file is there that the job names."""
    deadline = time.monotonic() + WAIT_S
    while "go" in job and not Path(job["go"]).exists() and time.monotonic() < deadline:
        time.sleep(0.0005)


async def work(job: dict[str, Any]) -> None:
    """Open the store and play the role."""
    writer = Writer(job)
    try:
        await writer.open()
        assert job["role"] in ROLES
        await getattr(writer, job["role"])()
        await writer.sidecar.close()
        writer.note("left")
    except Exception as error:
        details = getattr(error, "details", None)
        writer.note("failed", error=type(error).__name__, message=str(error), details=details)
        raise


def nursery() -> None:
    """Fork and collect writers, until there are no more lines."""
    # What is loaded at the first write is loaded here, once for all of them.
    list(known_secrets("nothing"))
    for line in sys.stdin:
        order = json.loads(line)
        pid = start(order["start"]) if "start" in order else end(order["end"], kill=order["kill"])
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def start(job: dict[str, Any]) -> int:
    """Fork a writer."""
    pid = os.fork()
    if pid == 0:
        os.close(0)
        random.seed()
        try:
            wait_for_start(job)
            asyncio.run(work(job))
        finally:
            os._exit(0)
    return pid


def end(pid: int, *, kill: bool) -> int:
    """Collect a writer, killed first or when it is over; 0 when it is not over in time."""
    if kill:
        os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return pid
        time.sleep(0.001)
    return 0


if __name__ == "__main__":
    nursery()
