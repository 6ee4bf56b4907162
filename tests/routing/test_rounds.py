"""Random prompts, decisions, deaths and races among processes of one workspace; nothing is lost or doubled.

``KEEPGATE_ROUNDS`` says how many rounds; each is laid out by its own number, which a failure names.
"""

import asyncio
import contextlib
import os
import random
import signal
from typing import Any

import pytest

from keepgate.protocol.errors import Fault
from keepgate_client.errors import Disconnected

ROUNDS = int(os.environ.get("KEEPGATE_ROUNDS", "200"))
PER_HOUSE = 20
WAIT_S = 30
"""The deadline of a caller, and what it may take to hear of it."""
GRACE_S = 60

DECIDING = {"experimental": {"keepgate": {"approver": True}}, "window": {"showMessage": {}}}
"""A window with prompts and an inbox."""
TROUBLES = (
    "none", "none", "active", "active", "decide", "decide", "decide", "cancel", "kill editor", "stop editor",
    "kill agent", "pause agent", "kill terminal",
    "stop terminal", "leave terminal",
)  # fmt: skip

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes are stopped as POSIX does")


class Street:
    """Two editors, two agents and a terminal, and what the agents were told so far."""

    def __init__(self, house: Any, dice: random.Random) -> None:
        self.house = house
        self.dice = dice
        self.editors: list[Any] = []
        self.agents: list[Any] = []
        self.terminal: Any = None
        self.stopped: list[int] = []
        self.told: dict[str, str] = {}
        self.given_up: set[str] = set()

    async def fill(self) -> None:
        """Have all of them alive; who came last is preferred."""
        self.editors = [each for each in self.editors if not each.connection.ended]
        self.agents = [each for each in self.agents if not each.connection.ended]
        while len(self.editors) < 2:
            self.editors.append(await self.house.editor("editor", self.answer, capabilities=DECIDING))
        if self.terminal is None or self.terminal.ended:
            self.terminal = await self.house.terminal(self.keys)
        while len(self.agents) < 2:
            self.agents.append(await self.house.agent())

    async def answer(self, _: Any) -> Any:
        """What the person at an editor does: one of the answers, at some moment."""
        await asyncio.sleep(self.dice.choice([0, 0, 0.05, 0.3]))
        return self.dice.choice(["Allow once", "Allow once", "Reject", None])

    async def keys(self) -> str:
        """The same at the terminal: yes, no, or the change first."""
        await asyncio.sleep(self.dice.choice([0, 0, 0.05, 0.3]))
        return self.dice.choice(["y\r", "y\r", "n\r", "\r", "d\r"])

    async def trouble(self, calls: list[Any]) -> None:
        """Something that happens while a question may be open."""
        editor, other = self.dice.sample(self.editors, 2)
        await asyncio.sleep(self.dice.choice([0, 0.02, 0.1]))
        match self.dice.choice(TROUBLES):
            case "active":
                await editor.active()
            case "decide":
                await self.decide(editor, other)
            case "kill editor":
                editor.kill()
                await editor.wait_exit(GRACE_S)
            case "stop editor":
                self.stop(editor.pid)
            case "kill agent":
                self.agents[0].kill()
                await self.agents[0].connection.process.wait(GRACE_S)
            case "pause agent":
                pid = self.dice.choice(self.agents).pid
                os.kill(pid, signal.SIGSTOP)
                await asyncio.sleep(0.3)
                os.kill(pid, signal.SIGCONT)
            case "kill terminal":
                await self.terminal.kill()
            case "stop terminal":
                self.stop(self.terminal.process.pid)
            case "leave terminal":
                self.terminal.type("\x03")
            case "cancel":
                text, agent, call = self.dice.choice(calls)
                self.given_up.add(text)
                await agent.connection.notify("notifications/cancelled", {"requestId": call.id})

    def stop(self, pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        self.stopped.append(pid)

    async def decide(self, editor: Any, other: Any) -> None:
        """Both editors decide from their inboxes at the same time."""
        listed = await editor.request("proposals/list", {"status": "pending"})
        for each in listed["proposals"]:
            await asyncio.gather(
                editor.request("proposals/approve", {"id": each["id"], "hash": each["hash"]}),
                other.request("proposals/dismiss", {"id": each["id"]}),
                return_exceptions=True,
            )

    def go_on(self) -> None:
        """Let what was stopped run again."""
        for pid in self.stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        self.stopped.clear()

    async def round(self, number: int) -> None:
        """One to three wishes and some trouble; every caller that lives is answered before its deadline."""
        await self.fill()
        wishes = [
            (f"Round {number}, wish {index}.", self.dice.choice(self.agents))
            for index in range(self.dice.randint(1, 3))
        ]
        calls = [(text, agent, agent.remember(text)) for text, agent in wishes]
        await self.trouble(calls)
        for text, agent, call in calls:
            if text in self.given_up:
                continue
            async with asyncio.timeout(WAIT_S + GRACE_S):
                try:
                    answer = await agent.answer(call)
                except Disconnected:
                    continue
                self.told[text] = str(answer.get("status") or answer.get("error"))
        self.go_on()


@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(0, ROUNDS, PER_HOUSE))
async def test_random_rounds(house: Any, first: int) -> None:
    """Every change has one allowed decision with its own hash; every question ends once, and in time."""
    house.settings(f"approvalTimeoutSeconds = {WAIT_S}\n")
    street = Street(house, random.Random(first))
    for number in range(first, min(first + PER_HOUSE, ROUNDS)):
        try:
            await street.round(number)
        except (AssertionError, Fault, TimeoutError, OSError) as error:
            raise AssertionError(f"round {number} of the street {first}: {error!r}") from error

    await check(await house.person(), street.told)


async def check(person: Any, told: dict[str, str]) -> None:
    """What must hold, whatever happened."""
    assert (await person.verify()).ok
    listed = (await person.proposals_list(limit=500)).proposals
    rows = (await person.audit(limit=500)).rows
    stored = [row for row in rows if row.action == "remember"]
    # One allowed decision for each change, and what was written is what its hash names.
    assert len(stored) == len({row.proposal_id for row in stored}) == len({row.text for row in stored})
    for row in stored:
        found = await person.proposals_get(id=row.proposal_id)
        (link,) = [each for each in (await person.why(id=row.entry_id)).chain if each.seq == row.seq]
        assert ("approved", found.proposal.hash) == (found.proposal.status, link.hash)
        assert row.outcome.startswith("allowed-once (via ")
        assert {"client", "channel", "connection"} <= row.by.keys()
    # Each question ended once, or waits.
    for each in listed:
        ends = [row for row in rows if row.proposal_id == each.id and "unavailable" not in row.outcome]
        assert len(ends) == (0 if each.status == "pending" else 1), (each, ends)
    # Callers were told what happened; after "unavailable" a later yes may have stored it.
    for text, word in told.items():
        is_stored = any(text in (row.text or "") for row in stored)
        assert is_stored if word == "inserted" else word in ("scope_denied", "unavailable"), (text, word)
        assert not is_stored or word != "scope_denied", (text, word)
