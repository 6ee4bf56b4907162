"""Generated calls: valid-looking, nearly valid and wrong, with everything that the client could know."""

import json
import random
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

import attrs
from hostile_place import SLUGS, Harvest, Place

from keepgate.protocol.naming import wire_name
from keepgate.protocol.operation import Access, Latency, Operation
from keepgate.protocol.ops import OPERATIONS

Json = dict[str, Any]

CORPUS: Final = [
    item["text"]
    for item in json.loads((Path(__file__).parents[1] / "redteam" / "corpus.json").read_text("utf-8"))
    if len(item["text"]) < 2000
]
SECRETS: Final = ("ghp_" + "A1b2C3d4" * 4 + "A1b2", "AKIA" + "Q2W3E4R5" * 2)
NUMBERS: Final = (
    0,
    1,
    -1,
    2,
    3,
    20,
    500,
    1001,
    2**31,
    2**53,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**30,
    0.5,
    1e300,
)
WORDS: Final = (
    "",
    "tabs",
    "TABS",
    "x",
    "\x00",
    "\ud800",
    "\u202e",
    "*",
    "%",
    "_",
    "'; --",
    "../..",
    "[[x]]",
    "漢字",
)
RARE: Final = 0.1
"""How often a call of what takes long is made where another is made once."""


class Dice:
    """Draws calls for one place. The same seed draws the same calls, given the same answers in between.

    ``remote``: the client speaks MCP. A local one may ask for other workspaces and read files, as
    docs/threat-model.md says, so those two are never drawn for it in their right form.
    """

    def __init__(self, seed: int, place: Place, *, remote: bool) -> None:
        self.random = random.Random(seed)
        self.place = place
        self.remote = remote
        self.rows = OPERATIONS
        self.weights = [
            RARE if row.latency is Latency.LONG or "purge" in row.name else 1 for row in OPERATIONS
        ]
        self.pools = self._pools()

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def one(self, values: Any) -> Any:
        return values[int(self.random.random() * len(values))]

    def row(self) -> Operation:
        return self.random.choices(self.rows, self.weights)[0]

    def params(self, row: Operation) -> Any:
        """Params for an operation: what it takes, most of the time."""
        if self.chance(0.03):
            return self.junk()
        made = self._object(row.params)
        if row.access in (Access.WRITE, Access.READ) and self.chance(0.6) and "session" not in made:
            made["session"] = self._session()
        if self.chance(0.12):
            self._spoil(made)
        if not self.remote:
            self._keep_local(made)
        return made

    def junk(self, depth: int = 2) -> Any:  # noqa: PLR0911 - one kind a line
        """Any JSON at all."""
        kind = int(self.random.random() * (9 if depth else 7))
        match kind:
            case 0:
                return None
            case 1:
                return self.chance(0.5)
            case 2 | 3:
                return self.one(NUMBERS)
            case 4 | 5:
                return self.one(WORDS)
            case 6:
                return self.text()
            case 7:
                return [self.junk(depth - 1) for _ in range(self.random.randrange(4))]
            case _:
                return {self.one((*WORDS, "id", "session", "text")): self.junk(depth - 1) for _ in range(3)}

    def text(self) -> str:
        """Something to be stored: plain, hostile, or a secret."""
        drawn = self.random.random()
        if drawn < 0.45:
            return f"Use tabs, number {self.random.randrange(50)}."
        if drawn < 0.9:
            return str(self.one(CORPUS))
        return (
            f"it is {self.one(SECRETS)}"
            if drawn < 0.92
            else str(self.one(WORDS)) * self.random.randrange(1, 400)
        )

    def _object(self, cls: type) -> Json:
        made = {}
        kinds = get_type_hints(cls)
        for item in attrs.fields(cls):
            name = wire_name(cls, item.name)
            if item.default is attrs.NOTHING or self.chance(0.3):
                made[name] = self._value(name, kinds[item.name])
        return made

    def _value(self, name: str, kind: Any) -> Any:
        if self.chance(0.03):
            return self.junk()
        pool = self.pools.get(name)
        if pool is not None and self.chance(0.9):
            return pool() if callable(pool) else self.one(pool)
        return self._typed(kind)

    def _typed(self, kind: Any) -> Any:  # noqa: PLR0911 - one kind a line
        members = [member for member in get_args(kind) if member is not type(None)]
        if get_origin(kind) is list:
            return [self._value("", members[0]) for _ in range(self.random.randrange(4))]
        if isinstance(kind, type) and attrs.has(kind):
            return self._object(kind)
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return str(self.one([*kind]))
        if kind is bool:
            return self.chance(0.5)
        if kind in (int, float):
            return self.one(NUMBERS) if self.chance(0.3) else self.random.randrange(1, 100)
        if kind is str:
            return self.text() if self.chance(0.4) else self.one(WORDS)
        return self._value("", self.one(members)) if members and get_origin(kind) is not dict else self.junk()

    def _spoil(self, made: Json) -> None:
        """Make it nearly right: a member missing, misnamed, of another type, or one too many."""
        names = list(made)
        match self.random.randrange(6):
            case 0 if names:
                del made[self.one(names)]
            case 1 if names:
                made[self.one(names)] = self.junk()
            case 2 if names:
                name = self.one(names)
                made[str(name).upper()] = made.pop(name)
            case 3 if names:
                name = self.one(names)
                made[name] = [made[name]]
            case 4:
                made[self.one(("allWorkspaces", "all_workspaces"))] = self.one((True, "true", 1))
            case _:
                made[
                    self.one(
                        ("approved", "outcome", "hash", "decision", "approver", "force", "channel", "via")
                    )
                ] = self.one((True, "allowed-once", "Allow once", *self.place.mine.hashes))

    def _keep_local(self, made: Json) -> None:
        for name in ("allWorkspaces", "all_workspaces"):
            if made.get(name) is True:
                made[name] = "true"

    def _session(self) -> Any:
        if self.chance(0.04):
            return self.junk()
        made = {"id": self.one(self.pools["sessionId"])}
        if self.chance(0.3):
            made["agentPreset"] = self.one(("", "planner", "preset-own", "x" * 300))
        if self.chance(0.15):
            made["cwd"] = self.one(self.pools["cwd"])
        return made

    def _draft(self) -> Json:
        made: Json = {
            "track": self.one(("user", "agent")),
            "scope": self.one(("workspace", "workspace", "user-global")),
        }
        made["text"] = self.text()
        if self.chance(0.3):
            made["workspaceKey"] = self.one((self.place.own_key, self.place.other_key, "", "/"))
        if self.chance(0.2):
            made["agentKey"] = self.one(("", "planner", "preset-own"))
        if self.chance(0.2):
            made["source"] = self.one(self.pools["source"])
        return made

    def _change(self) -> Json:
        writes = ("memory/add", "memory/replace", "memory/remove", "memory/consolidate", "memory/seed")
        name = self.one(writes)
        row = next(each for each in self.rows if each.name == name)
        made = self._object(row.params)
        made.pop("session", None)
        return {"action": self.one((name.split("/")[1], "purge", "undo", "forget", "remember", ""))
                if self.chance(0.2) else name.split("/")[1], **made}  # fmt: skip

    def _choices(self) -> list[Any]:
        picked = [self.random.randrange(4) for _ in range(self.random.randrange(4))]
        both: list[Harvest] = [self.place.mine, self.place.theirs]
        return [
            {"id": harvest.proposals[number % 3], "hash": harvest.hashes[number % 3]}
            for number in picked
            for harvest in both
        ]

    def _payload(self) -> Any:
        if self.chance(0.4):
            return self.one(
                ("- a\n§\n- b", '{"type":"entity","name":"x"}', "# T\n\nUse tabs.", {"facts": [self.text()]})
            )
        return {
            "plugin": "dsh-memento",
            "schema": "memory-export-v1",
            "entries": [self._draft() for _ in range(self.random.randrange(4))],
        }

    def _pools(self) -> Json:
        place, mine, theirs = self.place, self.place.mine, self.place.theirs
        ids = [*mine.entries, *theirs.entries, *mine.facts, *theirs.facts, *mine.proposals, *theirs.proposals]
        grants = [*mine.grants, *theirs.grants]
        slugs = [
            *SLUGS,
            "link/people/anna",
            "one",
            "../../other/.keepgate/pages/people/anna",
            "new/page",
            "Anna",
        ]
        known = ["s1", "s2", "s3", "writer", "wisher", "tainted", "put-away", "both"]
        sessions = [*known, *known, "", "x" * 300]
        times = ["1h", "2026-01-01", "7 days ago", "0s", "never", "9" * 30 + "h", "2026-13-45"]
        return {
            "id": [*ids, *ids, *grants, "1", "0", "mem0", "hostile"],
            "ids": self._choices,
            "hash": [*mine.hashes, *theirs.hashes, "0" * 64],
            "entryId": ids,
            "after": ids,
            "supersedes": [*mine.facts, *theirs.facts, "999"],
            "match": ["tabs", "spaces", "Use", "Says", "says", "number 1", "a"],
            "matches": lambda: [
                self.one(("tabs", "spaces", "Says")) for _ in range(self.random.randrange(3))
            ],
            "text": self.text,
            "fact": self.text,
            "content": lambda: f"---\nvisibility: world\n---\n# T\n\n{self.text()}\n",
            "query": ["tabs", "Says", "anna", "notes/plan", "*", "", "a b c", "Put away", "wish"],
            "question": ["What about tabs?", "who is anna", ""],
            "provenance": ["a person said so", "test", ""],
            "reason": ["out of date", self.one(SECRETS), ""],
            "entity": [*slugs, "anna", "Acme"],
            "entities": [",".join(SLUGS), "anna", "people/anna, notes/plan", ",,,"],
            "name": [*slugs, "anna", "plan"],
            "names": lambda: [self.one(slugs) for _ in range(3)],
            "slug": slugs,
            "since_slug": slugs,
            "since_fact": [*mine.facts, *theirs.facts],
            "prefix": ["people/", "link/", "only/", "", "../"],
            "from": slugs,
            "to": slugs,
            "type": ["works_at", "person", "", "x y"],
            "date": ["2026-11-30", "2026-02-31", "today"],
            "root": [".keepgate/pages", "..", str(place.other), "link", "/"],
            "session": self._session,
            "sessionId": sessions,
            "session_id": sessions,
            "cwd": [str(place.own), str(place.own / "deep"), str(place.other), "/", "relative", ""],
            "seq": lambda: self.random.randrange(1, 80),
            "before": lambda: self.random.randrange(1, 500),
            "at": [0, 1, 1_796_071_441_000, 2**53],
            "since": times,
            "until": times,
            "ttl": times,
            "tags": lambda: [self.one(("a", " b ", "tag-own", "\x00", "t" * 70)) for _ in range(3)],
            "source": ["ci", "keepgate", "bot", "Not A Slug", ""],
            "sources": lambda: [f"https://example.org/{self.random.randrange(9)}"],
            "entries": lambda: [self._draft() for _ in range(self.random.randrange(4))],
            "change": self._change,
            "payload": self._payload,
            "path": [str(place.own / "none"), "/etc/hostname", "/dev/null", "", "\x00", str(place.own)],
            "adapter": [
                "mem0",
                "hermes-memory-md",
                "claude-code-memory-md",
                "server-memory",
                "hostile",
                "none",
            ],
            "action": ["add", "remember", "add-denied", "recalled", "quarantine", "nothing"],
            "limit": [1, 5, 10, 20, 50, 500, 0, -1, 10**9],
            "budget_tokens": [1, 50, 2000, 0, -5, 1e308],
            "deadline_ms": [0, 1, 50, 1000],
            "allWorkspaces": [False, False, "true", True if self.remote else 1],
            "workDoneToken": ["t1", 1],
        }
