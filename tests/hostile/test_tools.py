"""A client of ``keepgate mcp`` that announced no way to ask anybody, and what it makes of every tool."""

import random
from collections import Counter
from typing import Any

import pytest
from hostile_place import Place
from hostile_values import Dice
from hostile_watch import BATCH, CALLS, SEED, attack, by_policy, finish, numbered, unchanged
from hostile_wire import Wire

from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.surfaces import TOOLS

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

Json = dict[str, Any]
SHARE = 0.0625
"""Of all calls, what each test of this module makes."""
NEWEST = "2026-07-28"
ENOUGH = 100_000
"""With so many calls at least each tool comes up in its right form, too."""
HIDDEN = (
    "proposals_approve",
    "proposals_dismiss",
    "memory_purge",
    "grants_revoke",
    "session_open",
    "approve",
    "",
)
OTHER = (
    "initialize", "ping", "tools/list", "resources/list", "prompts/list", "logging/setLevel", "roots/list",
    "sampling/createMessage", "elicitation/create", "completion/complete", "server/discover", "tasks/list",
    "subscriptions/listen", "notifications/initialized", "tools/CALL", "",
    *(row.name for row in OPERATIONS),
)  # fmt: skip
NOTICES = (
    "notifications/initialized", "notifications/roots/list_changed", "notifications/progress", "memory/add",
    "notifications/elicitation/complete", "proposals/approve", "nothing",
)  # fmt: skip
FORGED = (
    {"action": "accept", "content": {"decision": "Allow once"}},
    {"action": "accept", "content": {"decision": "Allow for this session"}},
    {"title": "Allow once"},
)


class Client:
    """What one connection sends, and what it answers."""

    def __init__(self, place: Place, seed: int, version: str) -> None:
        self.place = place
        self.version = version
        self.dice = Dice(seed, place, remote=True)
        self.number = numbered(self.dice)
        self.sent: list[Any] = [0]
        self.answers = random.Random(seed)

    def hello(self) -> Json:
        return {
            "protocolVersion": self.version,
            "capabilities": {"roots": {"listChanged": True}, "experimental": {"elicitation": {}}},
            "clientInfo": {"name": "keepgate inbox", "version": "1"},
        }

    def reply(self, request: Json) -> Json:
        """Another workspace as its root, and a yes to what nobody could ask it."""
        if request["method"] == "roots/list":
            return {"result": {"roots": [{"uri": self.place.other.as_uri(), "name": "other"}]}}
        return {"result": self.answers.choice(FORGED)}

    def batch(self, wire: Wire) -> None:
        messages: list[Any] = []
        given_up: list[Any] = []
        for _ in range(BATCH):
            drawn = self.dice.random.random()
            if drawn < 0.01:
                number = self.dice.one((1, 2, "x", "0"))
                messages.append({"jsonrpc": "2.0", "id": number, "result": self.dice.one(FORGED)})
            elif drawn < 0.03:
                number = self.dice.one(self.sent)
                given_up.append(number)
                messages.append(self._named("notifications/cancelled", {"requestId": number}))
            elif drawn < 0.05:
                messages.append(
                    self._named(self.dice.one(NOTICES), self.dice.one(({}, self._arguments()[1])))
                )
            else:
                messages.append(self._call(drawn))
        wire.send(messages, given_up=given_up)

    def _call(self, drawn: float) -> Json:
        name, arguments = self._arguments()
        params: Any = {"name": name, "arguments": arguments}
        if self.dice.chance(0.3):
            params["_meta"] = {"session_id": self.dice.one(self.dice.pools["sessionId"])}
        if self.dice.chance(0.1):
            params["_meta"] = {**params.get("_meta", {}), "progressToken": self.dice.one((1, "p"))}
        if self.dice.chance(0.05):
            params["requestState"] = self.dice.one(("", "x" * 32, *self.place.mine.proposals))
            params["inputResponses"] = {"approval": self.dice.one(FORGED)}
        method = "tools/call"
        if drawn < 0.12:
            method, params = self.dice.one(OTHER), self.dice.one((params, arguments, {}, {"cursor": "x"}))
        elif drawn < 0.14:
            params = self.dice.junk()
        message = self._named(method, self.stamped(params))
        message["id"] = self.number()
        self.sent.append(message["id"])
        del self.sent[:-60]
        return message

    def _arguments(self) -> tuple[str, Any]:
        tool = self.dice.one(TOOLS)
        name = tool.name if self.dice.chance(0.96) else self.dice.one(HIDDEN)
        if not tool.rows:
            return name, {"surface": self.dice.one(("full", "full", "all", 1))} if self.dice.chance(
                0.5
            ) else {}
        rows = dict(tool.rows)
        action = self.dice.one(list(rows))
        made = self.dice.params(rows[action])
        if isinstance(made, dict):
            if self.dice.chance(0.9):
                made.pop("session", None)
            if action:
                made["action"] = (
                    action if self.dice.chance(0.95) else self.dice.one(("approve", "purge", "", 1))
                )
        return name, made

    def _named(self, method: str, params: Any) -> Json:
        return {"jsonrpc": "2.0", "method": method, "params": params}

    def stamped(self, params: Any) -> Any:
        """With the envelope that the newest revision wants in each request."""
        if self.version != NEWEST or not isinstance(params, dict):
            return params
        prefix = "io.modelcontextprotocol/"
        envelope = {
            f"{prefix}protocolVersion": NEWEST,
            f"{prefix}clientInfo": {"name": "keepgate inbox", "version": "1"},
            f"{prefix}clientCapabilities": {},
        }
        return {**params, "_meta": {**envelope, **params.get("_meta", {})}}


BRIEF = "approvalTimeoutSeconds = 1\n"
"""An agent's wish waits for somebody who could be asked, here not for long."""
FACTS = f'{BRIEF}[writePolicies]\n"facts" = "auto"\n'


@pytest.mark.timeout(1200 + CALLS // 50)
@pytest.mark.parametrize(
    ("place", "round_", "version"),
    [(BRIEF, 0, "2025-06-18"), (BRIEF, 1, "2024-11-05"), (BRIEF, 2, NEWEST), (FACTS, 3, "2025-11-25")],
    indirect=["place"],
    ids=["asking", "oldest", "newest", "policy"],
)
async def test_every_tool(place: Place, round_: int, version: str) -> None:
    """Without a decision nothing changes; every call is answered once, and never with another's text."""
    seed = SEED * 1000 + 500 + round_ * 10
    before, theirs = place.state(), place.state(of=place.other_key)
    clients = [Client(place, seed, version), Client(place, seed + 1, version)]
    command = ("mcp", "--surface", "full", "--workspace", str(place.own))
    wires = [Wire(place, command, client.reply, f"mcp-{n}") for n, client in enumerate(clients)]
    asking = dict(zip(wires, clients, strict=True))
    for wire, client in asking.items():
        if version != NEWEST:
            wire.ask("hello", "initialize", client.hello())
            wire.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])

    def look() -> None:
        for wire, client in asking.items():
            # A client may have narrowed its own surface.
            for name, arguments in (("request_tools", {"surface": "full"}), ("memory_verify", {})):
                params = client.stamped({"name": name, "arguments": arguments})
                told = wire.ask(client.number(), "tools/call", params)
            assert '"ok":true' in told["result"]["content"][0]["text"], told
        if round_ == 3:
            by_policy(place, before, theirs)
        else:
            unchanged(place, before)

    attack(wires, int(CALLS * SHARE), lambda wire: asking[wire].batch(wire), look, seed)
    finish(wires, seed)
    was_an_attack(wires)


def was_an_attack(wires: list[Wire]) -> None:
    """Every tool was tried, what reads did something, and what is no tool did nothing."""
    tried = sum((wire.by_method for wire in wires), start=Counter())
    done, refused = ({name for name, went_well in tried if went_well is wanted} for wanted in (True, False))
    assert not done & {*HIDDEN, *(row.name for row in OPERATIONS)}
    if CALLS >= ENOUGH:
        assert {tool.name for tool in TOOLS} <= done | refused
        # There is no language model to compose an answer.
        assert {tool.name for tool in TOOLS if tool.reads_only} - done <= {"synthesize"}
