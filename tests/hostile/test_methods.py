"""A client of ``keepgate serve`` that announced no approver, and what it makes of every method.

``KEEPGATE_HOSTILE`` says how many calls are made, here and over MCP together; ``KEEPGATE_HOSTILE_SEED`` where
the seeds begin.
"""

import random
from collections import Counter
from typing import Any

import pytest
from hostile_place import SLUGS, Place
from hostile_values import Dice
from hostile_watch import BATCH, CALLS, SEED, attack, by_policy, finish, numbered, unchanged
from hostile_wire import Wire

from keepgate.protocol.operation import Access
from keepgate.protocol.ops import OPERATIONS

Json = dict[str, Any]
SHARE = 0.15
"""Of all calls, what each test of this module makes."""
NAMES = [row.name for row in OPERATIONS]
DECIDING = [row.name for row in OPERATIONS if row.access is Access.DECIDE]
ENOUGH = 100_000
"""With so many calls at least each method comes up in its right form, too."""
READS = [row.name for row in OPERATIONS if row.access is Access.READ]
COMMANDS = [f"keepgate.{name.replace('/', '.')}" for name in (*NAMES, *DECIDING * 8)]
OTHER = (
    "initialize", "initialized", "session/active", "approval/shown", "$/cancelRequest", "$/setTrace",
    "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders", "textDocument/didOpen",
    "workspace/didChangeWatchedFiles", "window/workDoneProgress/cancel", "approval/request", "tools/call",
    "approval/asked", "memory/added", "adapters/adapt", "keepgate/status", "verbs/", "", "memory/ADD",
)  # fmt: skip
ANSWERS = (
    None, {}, [], "Allow once", {"title": "allow once"}, {"title": "Allow once "}, {"title": ["Allow once"]},
    {"title": "Allow"}, {"title": "Reject"}, {"title": "Show change"}, {"outcome": "allowed-once"}, True,
    {"label": "Allow once"}, {"action": "accept", "content": {"decision": "Allow once"}},
)  # fmt: skip
FORGED = (
    {"title": "Allow once"},
    {"title": "Allow for this session"},
    {"outcome": "allowed-once", "hash": "0" * 64},
    {"action": "accept", "content": {"decision": "Allow once"}},
)


class Client:
    """What one connection sends, and what it answers."""

    def __init__(self, place: Place, seed: int) -> None:
        self.place = place
        self.dice = Dice(seed, place, remote=False)
        self.number = numbered(self.dice)
        self.sent: list[Any] = [0]
        # Answers are drawn by another thread than calls.
        self.answers = random.Random(seed)

    def hello(self) -> Json:
        return {
            "processId": None,
            "clientInfo": {"name": "keepgate inbox", "version": "1"},
            "capabilities": {"experimental": {"keepgate": {"approver": "true", "approvalRequest": 1}}},
            "workspaceFolders": [{"uri": self.place.own.as_uri(), "name": "own"}],
        }

    def reply(self, request: Json) -> Json:
        """Anything but one of the titles that allow."""
        if request["method"] == "window/showMessageRequest" and self.answers.random() < 0.5:
            return {"error": {"code": -32601, "message": "no such method"}}
        return {"result": self.answers.choice(ANSWERS)}

    def batch(self, wire: Wire) -> None:
        messages: list[Any] = []
        nameless = 0
        for _ in range(BATCH):
            drawn = self.dice.random.random()
            if drawn < 0.02:
                messages.append(
                    self.dice.one(("{broken", "[]", '[{"jsonrpc":"2.0","id":1}]', "\ufeff?", "1"))
                )
                nameless += 1
            elif drawn < 0.03:
                answer = {
                    "jsonrpc": "2.0",
                    "id": self.dice.one((1, 2, "x", "0")),
                    "result": self.dice.one(FORGED),
                }
                messages.append(answer)
            elif drawn < 0.06:
                messages.append(self._named("$/cancelRequest", {"id": self.dice.one(self.sent)}))
            else:
                messages.append(self._call(drawn))
        wire.send(messages, nameless=nameless)

    def _call(self, drawn: float) -> Json:
        row = self.dice.row()
        method, params = row.name, self.dice.params(row)
        if drawn < 0.14:
            method, params = "workspace/executeCommand", self._command(params)
        elif drawn < 0.18:
            method, params = self.dice.one(OTHER), self._other(params)
        elif drawn < 0.20:
            method, params = self.dice.one(DECIDING), self.dice.one((params, self.dice.pools["ids"]()))
        message = self._named(method, params)
        if drawn < 0.97 or method in ("shutdown", "exit"):
            message["id"] = self.number()
            self.sent.append(message["id"])
            del self.sent[:-60]
        return message

    def _named(self, method: str, params: Any) -> Json:
        return {"jsonrpc": "2.0", "method": method, "params": params}

    def _command(self, params: Any) -> Any:
        name = self.dice.one(COMMANDS)
        arguments = self.dice.one(([params], [params, params], [], params, None))
        return {"command": name if self.dice.chance(0.95) else self.dice.junk(), "arguments": arguments}

    def _other(self, params: Any) -> Any:
        deep = (self.place.own / "deep").as_uri()
        folders = [{"uri": self.dice.one((deep, "file:///nowhere/at/all", "x:y", "")), "name": "deep"}]
        event = {"added": self.dice.one((folders, [], params)), "removed": self.dice.one((folders, []))}
        files = [{"uri": (self.place.own / ".keepgate/pages" / f"{SLUGS[0]}.md").as_uri(), "type": 1}]
        return self.dice.one(({"event": event}, {"changes": files}, params, {"id": self.dice.one(self.sent)}))


LABELS = '[writePolicies]\n"source:ci" = "auto"\n"source:bot" = "auto"\n'
"""A policy for labels, which a caller could put on what it wants to store."""
FACTS = '[writePolicies]\n"facts" = "auto"\n'


@pytest.mark.timeout(1200 + CALLS // 50)
@pytest.mark.parametrize(
    ("place", "round_"),
    [("", 0), ("", 1), ("", 2), (LABELS, 3), (FACTS, 4)],
    indirect=["place"],
    ids=["asking1", "asking2", "asking3", "labels", "policy"],
)
async def test_every_method(place: Place, round_: int) -> None:
    """Without a decision nothing changes; every call is answered once, and never with another's text."""
    seed = SEED * 1000 + round_ * 10
    before, theirs = place.state(), place.state(of=place.other_key)
    clients = [Client(place, seed), Client(place, seed + 1)]
    wires = [Wire(place, ("serve",), client.reply, f"serve-{n}") for n, client in enumerate(clients)]
    asking = dict(zip(wires, clients, strict=True))
    for wire, client in asking.items():
        wire.ask("hello", "initialize", client.hello())
        wire.send([{"jsonrpc": "2.0", "method": "initialized", "params": {}}])

    def look() -> None:
        for wire in wires:
            verified = wire.ask(asking[wire].number(), "memory/verify", {})["result"]
            assert verified["ok"], verified["problems"]
        if round_ == 4:
            by_policy(place, before, theirs)
        else:
            unchanged(place, before)

    attack(wires, int(CALLS * SHARE), lambda wire: asking[wire].batch(wire), look, seed)
    finish(wires, seed)
    was_an_attack(wires)


def was_an_attack(wires: list[Wire]) -> None:
    """Questions were put, each method was tried, what reads was answered, and nothing decided."""
    tried = sum((wire.by_method for wire in wires), start=Counter())
    asked = sum((wire.asked for wire in wires), start=Counter())
    done, refused = ({name for name, went_well in tried if went_well is wanted} for wanted in (True, False))
    assert asked["window/showMessageRequest"] > 0 < asked["approval/asked"]
    assert not done & {*DECIDING, *(f"keepgate.{name.replace('/', '.')}" for name in DECIDING)}
    if CALLS >= ENOUGH:
        assert set(NAMES) <= done | refused
        # There is no language model to compose an answer.
        assert set(READS) - done <= {"verbs/synthesize"}
