"""The machine's world: clients, sessions and people, what is drawn, and how answers are compared."""

import asyncio
import json
import os
import random
import re
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine
from oracle import HIDDEN, UNKNOWN, Refusal, Sym, Who, Wish

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.core.model.stamp import Stamp
from keepgate.gate.approvers import ClientInfo, NobodyThere
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Budgets, ProposalLimits, Settings, TrackBudgets, WritePolicy
from keepgate.protocol.wire import unstructure
from keepgate.service.connection import Connection
from keepgate.service.sidecar import Sidecar

TRACKS, SCOPES = ["user", "agent"], ["user-global", "workspace"]
REASKS_MAX = 3
FOLDERS = {"one": ["one/project"], "two": ["two/project"], "both": ["one/project", "three"], "none": []}
"""Connections and their folders: two of the same name, one connection with two roots, one with none."""

BY_THE_OTHER = ("both", "none")
"""Connections of a second sidecar on the same store; all it knows of the first is what the store says."""

SESSIONS = [
    ("one", "s1", "", None), ("one", "s2", "a", None), ("one", "s3", "b", "one/project/below"),
    ("two", "s4", "", None), ("two", "s5", "a", None),
    ("both", "s6", "a", None), ("both", "s7", "", "three"), ("both", "s8", "b", "three/deep"),
    ("none", "s9", "a", None),
]  # fmt: skip
"""Connection, session id, agent preset and working directory."""

PIECES = [
    *"abAB tabsTABS%_'\"\\ÄäßİıΟΣσς漢字记忆é\n\t", "tabs", "e\u0301", "😀", "👍", "❤\ufe0f",
    "👨\u200d👩\u200d👧", *HIDDEN,
]  # fmt: skip
BODIES = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
TAGS = st.lists(st.sampled_from(["x", "y", "Zed", "標"]), max_size=3)
SOURCES = st.sampled_from([None, None, None, "bot", "keepgate"])
LIMITS = st.fixed_dictionaries(
    {
        ("user", "user-global"): st.sampled_from([150, 60]),
        ("user", "workspace"): st.sampled_from([130, 70]),
        ("agent", "user-global"): st.sampled_from([200, 90]),
        ("agent", "workspace"): st.sampled_from([90, 400]),
    }
)
POLICIES = st.sampled_from(
    [
        {"*": "ask"},
        {"*": "ask"},
        {"*": "ask"},
        {"*": "ask"},
        {"*": "ask"},
        {"*": "ask", "agent/workspace": "auto"},
        {"*": "ask", "source:bot": "off", "user/user-global": "auto"},
        {"*": "ask", "source:bot": "auto", "source:keepgate": "auto"},
        {"*": "off", "source:keepgate": "ask"},
        {"*": "auto", "source:bot": "ask", "user/workspace": "off"},
    ]
)
QUEUES = st.sampled_from([(32, 200), (2, 3)])
WORDS = st.sampled_from(
    ["allowed-once"] * 8
    + ["allowed-session", "rejected", "cancelled", "nobody", "other-hash", "broken", "withdrawn", "gone"]
)
KINDS = st.sampled_from(["add"] * 4 + ["replace"] * 3 + ["remove", "consolidate", "seed", "undo", "undo"])
MARK = re.compile(r"#(\d{5})t")
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class Broken(Exception):
    """What a front raises that does not know what it is doing."""


class Actor:
    """A session, where it sits and how it introduces itself."""

    def __init__(self, base: Path, connection: str, session: str, agent: str, cwd: str | None) -> None:
        self.connection = connection
        roots = [str(base / folder) for folder in FOLDERS[connection]]
        at = None if cwd is None else str(base / cwd)
        workspace = next((root for root in roots if at and at.startswith(root)), roots[0] if roots else "")
        self.who = Who(session, agent, workspace)
        self.name = f"{session} of {connection}"
        self.ref = {"id": session, "agentPreset": agent, **({"cwd": at} if at else {})}

    def __repr__(self) -> str:
        return self.name


class Turn:
    """A write that a person may be asked about: the wish, how often it was asked, and what comes of it."""

    def __init__(self, wish: Any, planned: Any) -> None:
        self.wish = wish
        self.planned = planned
        self.asked = 0
        self.elsewhere = False
        self.outcome: Any = None
        self.task: asyncio.Task[Any] | None = None
        self.errand: asyncio.Task[None] | None = None


class Front:
    """A connection of the machine's: its person, and what its client is told."""

    def __init__(self, machine: "World", name: str) -> None:
        self.machine = machine
        self.name = name
        self.turn: Turn | None = None
        self.connection: Connection
        self.sidecar: Sidecar
        self.leaving: asyncio.Task[None] | None = None

    def notify(self, method: str, params: Any) -> None:
        with self.machine.remembering():
            self.machine.must_not_leak(self.connection, {method: unstructure(params)})

    async def request(self, method: str, params: Any, result: type[Any]) -> Any:
        raise AssertionError(f"unexpected request {method}")

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        with self.machine.remembering():
            return await self.machine.asked(self, question)


class World(RuleBasedStateMachine):
    """A provider, its clients and sessions, and the oracle; whatever comes back is compared."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        shared = "/dev/shm"
        self.base = Path(os.path.realpath(tempfile.mkdtemp(dir=shared if Path(shared).is_dir() else None)))
        for folders in FOLDERS.values():
            for folder in folders:
                (self.base / folder).mkdir(parents=True, exist_ok=True)
        self.actors = [Actor(self.base, *spec) for spec in SESSIONS]
        self.now = 1_700_000_000_000
        self.random = random.Random(0)
        self.marks: dict[str, set[tuple[str, str]]] = {}
        self.bound: dict[str, Any] = {}
        self.hashes: dict[str, Any] = {}
        self.calm = False
        self.failures: list[Exception] = []
        self.data: Any = None
        self.sidecars: list[Sidecar] = []

    # Opening, closing.

    async def open(self) -> None:
        limits = self.oracle.limits
        rules = {key: WritePolicy(rule) for key, rule in self.oracle.policies.items()}
        chosen = Settings(
            budgets=Budgets(
                user=TrackBudgets(
                    user_global=limits["user", "user-global"], workspace=limits["user", "workspace"]
                ),
                agent=TrackBudgets(
                    user_global=limits["agent", "user-global"], workspace=limits["agent", "workspace"]
                ),
            ),
            write_policy=rules.pop("*"),
            write_policies=rules,
            proposals=ProposalLimits(
                max_per_session=self.oracle.queue[0], max_per_workspace=self.oracle.queue[1]
            ),
        )
        places = find_places({"KEEPGATE_HOME": str(self.base / "home")})
        self.sidecars = [await compose(chosen, places, stamp=self.stamp) for _ in range(2)]
        self.fronts = {name: Front(self, name) for name in FOLDERS}
        for front in self.fronts.values():
            self.connect(front)

    async def close(self) -> None:
        for sidecar in self.sidecars:
            await sidecar.close()

    def connect(self, front: Front) -> None:
        front.sidecar = self.sidecars[front.name in BY_THE_OTHER]
        front.connection = front.sidecar.connect(
            peer=front,
            channel="test",
            client=ClientInfo(name=front.name),
            folders=[str(self.base / folder) for folder in FOLDERS[front.name]],
            approver=front,
            may_decide=front.name != "none",
        )

    def stamp(self) -> Stamp:
        return Stamp(
            now_ms=self.now,
            new_id=lambda: str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
            new_salt=lambda: f"{self.random.getrandbits(128):032x}",
        )

    def teardown(self) -> None:
        try:
            if self.sidecars:
                self.run(self.finish())
        finally:
            self.loop.close()
            shutil.rmtree(self.base)

    async def finish(self) -> None:
        """The ledger proves the store, and has exactly the rows that it should."""
        try:
            verified = await self.call(self.fronts["one"], "memory/verify", {})
            assert [] == verified["problems"], verified["problems"]
            rows: list[Any] = []
            before = None
            while before is not None or not rows:
                params = {"session": None, "allWorkspaces": True, **({"before": before} if before else {})}
                page = await self.call(self.fronts["none"], "memory/audit", params)
                rows += page["rows"]
                before = page["next"]
                if not page["rows"]:
                    break
            names = ("seq", "action", "track", "scope", "entryId", "text", "outcome", "source", "sessionId")
            self.agree(self.oracle.rows, [{name: row[name] for name in names} for row in reversed(rows)])
            listed = await self.call(
                self.fronts["none"], "memory/list", {"allWorkspaces": True, "limit": 1000}
            )
            expected = sorted(self.oracle.items, key=lambda item: item.born)
            self.agree([item.wire() for item in expected], listed["entries"])
        finally:
            await self.close()

    def run(self, work: Any) -> None:
        """Run to the end; what went wrong inside a question or a notification went wrong here."""
        self.loop.run_until_complete(work)
        if self.failures:
            raise self.failures[0]

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """The provider answers for people and clients that fail, so their failures are kept here."""
        try:
            yield
        except Exception as error:
            if not isinstance(error, NobodyThere | Broken):
                self.failures.append(error)
            raise

    # Comparing.

    def agree(self, expected: Any, actual: Any, path: str = "$") -> None:
        """Equal but for ids, which are bound at first sight to the symbols that stand for them."""
        if expected is UNKNOWN:
            return
        if isinstance(expected, Sym):
            if expected.real is None:
                assert UUID4.fullmatch(actual), (path, actual)
                assert actual not in self.bound, path
                expected.real = actual
                self.bound[actual] = expected
            assert expected.real == actual, path
        elif isinstance(expected, dict):
            assert expected.keys() == actual.keys(), (path, expected, actual)
            for name, value in expected.items():
                self.agree(value, actual[name], f"{path}.{name}")
        elif isinstance(expected, list):
            assert len(expected) == len(actual), (path, expected, actual)
            for index, value in enumerate(expected):
                self.agree(value, actual[index], f"{path}[{index}]")
        else:
            assert expected == actual, (path, expected, actual)

    def must_not_leak(self, seer: Any, answer: Any, own: frozenset[str] = frozenset()) -> None:
        """Nothing in ``answer`` is what this session, or this connection, may not see and has not said."""
        for mark in marks_in(answer) - own:
            owners = self.marks[mark]
            if isinstance(seer, Who):
                allowed = any(
                    key in ("", seer.workspace) and agent in ("", seer.agent) for key, agent in owners
                )
            else:
                allowed = any(key in ("", *seer.keys) for key, _ in owners)
            assert allowed, f"{owners} leaked to {seer}: {answer}"

    def own(self, text: str, key: str, agent: str) -> None:
        for mark in MARK.findall(text):
            self.marks.setdefault(mark, set()).add((key, agent))

    async def call(self, front: Front, method: str, params: Any, actor: Actor | None = None) -> Any:
        """The result, or the :class:`Fault`; leaks are looked for in both."""
        sent = params if actor is None else {**params, "session": actor.ref}
        try:
            answer: Any = await front.sidecar.call(front.connection, method, _real(sent))
            shown = answer
            if method in ("memory/query", "memory/snapshot"):
                # A slow disk may hold evidence back; the next step must find it there.
                await front.sidecar.store._evidence_lane.run(lambda db: None)
        except Fault as fault:
            answer, shown = fault, [fault.message, fault.data()]
        if not params.get("allWorkspaces"):
            self.must_not_leak(actor.who if actor else front.connection, shown, marks_in(sent))
        return answer

    def compare(self, expected: Any, answer: Any) -> None:
        if not isinstance(expected, Refusal):
            assert not isinstance(answer, Fault), (answer, getattr(answer, "details", None))
            self.agree(expected, answer)
            return
        assert isinstance(answer, Fault), (expected.code, expected.details, answer)
        assert expected.code == answer.code, (expected.details, answer.message)
        if expected.code != "INVALID_INPUT":
            details = {name: value for name, value in answer.details.items() if name in expected.details}
            self.agree(expected.details, details)

    # Drawing.

    def draw(self, strategy: Any, label: str | None = None) -> Any:
        return self.data.draw(strategy, label=label)

    def draw_text(self, actor: Actor, key: str, scope: str) -> str:
        number = f"{len(self.marks):05d}"
        text = f"#{number}h#{number}t{self.draw(BODIES, 'text')}"
        seen = [
            item for item in self.oracle.visible(actor.who) if item.workspace == key and item.scope == scope
        ]
        if seen and self.draw(st.integers(0, 9), "again") == 0:
            text = self.draw(st.sampled_from(seen)).text
        self.own(text, key, actor.who.agent)
        return text

    def draw_match(self, item: Any = None) -> str:
        """The mark of an entry, a piece of its text, or a word that is common or missing."""
        kind = self.draw(st.integers(0, 19), "match")
        item = item or (
            self.draw(st.sampled_from(self.oracle.items), "target") if self.oracle.items else None
        )
        if item is not None and kind < 17:
            head = item.text[: item.text.index("t")]
            return (
                head if kind < 13 else str(self.draw(st.sampled_from([head.upper(), "H#", item.text[-3:]])))
            )
        return str(
            self.draw(st.sampled_from(["tabs", "TABS", "%", "_", "#", "漢字", "nowhere to be found", "ß"]))
        )

    def draw_aim(self, actor: Actor) -> Any:
        """An entry to aim at: mostly one that the session sees, now and then one that it must not."""
        seen = self.oracle.visible(actor.who)
        items = seen if seen and self.draw(st.integers(0, 5), "seen") else self.oracle.items
        return self.draw(st.sampled_from(items), "aim") if items else None

    def draw_change(self, kind: str, actor: Actor) -> dict[str, Any]:
        if kind == "undo":
            done = [step.seq for steps in self.oracle.changes for step in steps]
            known = st.sampled_from(done) if done and self.draw(st.integers(0, 5), "done") else st.nothing()
            return {"seq": self.draw(known | st.integers(1, len(self.oracle.rows) + 1), "seq")}
        if kind == "seed":
            count = self.draw(st.integers(1, 3))
            return {"entries": [self.draw_draft(actor, anywhere=True) for _ in range(count)]}
        if kind == "add":
            return self.draw_draft(actor)
        aim = self.draw_aim(actor)
        change = self.draw_draft(actor, near=aim, with_text=kind != "remove")
        if kind == "consolidate":
            layer = [
                item for item in self.oracle.visible(actor.who) if aim is None or item.layer == aim.layer
            ]
            more = st.lists(st.sampled_from(layer), max_size=2) if layer else st.just([])
            targets = [aim, *(item for item in self.draw(more, "targets") if item is not aim)]
            return {**change, "matches": [self.draw_match(item) for item in targets]}
        unused = ("agentKey", "tags", "source") if kind == "remove" else ("agentKey",)
        change = {name: value for name, value in change.items() if name not in unused}
        return change | self.draw_target(aim)

    def draw_target(self, aim: Any) -> dict[str, Any]:
        if aim is None or self.draw(st.booleans(), "by match"):
            return {"match": self.draw_match(aim)}
        return {"id": aim.id, **self.draw(st.sampled_from([{}, {"version": aim.version}, {"version": 9}]))}

    def draw_draft(
        self, actor: Actor, *, near: Any = None, with_text: bool = True, anywhere: bool = False
    ) -> dict[str, Any]:
        draft = {"track": self.draw(st.sampled_from(TRACKS)), "scope": self.draw(st.sampled_from(SCOPES))}
        if near is not None and self.draw(st.integers(0, 9), "elsewhere"):
            draft = {"track": near.track, "scope": near.scope}
        key = actor.who.workspace if draft["scope"] == "workspace" else ""
        roots = [str(self.base / folder) for folder in FOLDERS[actor.connection]]
        if anywhere and draft["scope"] == "workspace" and len(roots) > 1 and self.draw(st.booleans(), "root"):
            draft["workspaceKey"] = key = self.draw(st.sampled_from(roots), "root")
        if with_text:
            draft["text"] = self.draw_text(actor, key, draft["scope"])
        for name, values in (
            ("tags", st.none() | TAGS),
            ("source", SOURCES),
            ("agentKey", st.sampled_from([None, ""])),
        ):
            value = self.draw(values, name)
            if value is not None:
                draft[name] = value
        return draft

    def predict(self, kind: str, change: Any, actor: Actor) -> tuple[Turn | None, Any]:
        drafts = change["entries"] if kind == "seed" else [change]
        given = any(draft.get("source") is not None for draft in drafts)
        try:
            planned = self.oracle.plan(kind, change, actor.who, self.now)
            for step in planned.steps:
                self.own(step.item.text, step.item.workspace, step.item.agent)
            opened = self.oracle.open(planned, self.now, given=given)
        except Refusal as refusal:
            return None, refusal
        return (Turn(opened, planned), None) if isinstance(opened, Wish) else (None, opened)

    def result(self, kind: str, steps: Any, *, elsewhere: bool) -> dict[str, Any]:
        """The answer that these steps make; recall counts are not in a ledger row that is read back."""
        recalls = not elsewhere
        first = steps[0].item
        usage = self.oracle.usage(first.layer)
        after = [step.after.wire(recalls=recalls) for step in steps if step.after]
        before = [step.before.wire(recalls=recalls) for step in steps if step.before and not step.after]
        match kind:
            case "add":
                return {"entry": after[0], "usage": usage}
            case "remove":
                return {"entry": before[0], "usage": usage}
            case "replace":
                return {"previous": steps[0].before.wire(recalls=recalls), "entry": after[0], "usage": usage}
            case "consolidate":
                return {"removed": before, "entry": after[0], "usage": usage}
            case "seed":
                return {"added": len(steps), "entries": after}
        layers = list(dict.fromkeys(step.item.layer for step in steps))
        usage = [self.oracle.usage(layer) for layer in layers]
        return {"removed": before, "restored": after, "usage": usage, "facts": [], "pages": [], "left": []}

    def shown(self, wish: Any) -> dict[str, Any]:
        batch = wish.kind in ("seed", "undo")
        return {
            "id": wish.id, "kind": wish.kind, "status": wish.status_at(self.now),
            "workspaceKey": wish.who.workspace,
            "track": "batch" if batch else wish.change["track"],
            "scope": "batch" if batch else wish.change["scope"],
            "agentKey": wish.who.agent, "source": wish.source, "sessionId": wish.who.session,
            "text": wish.text, "hash": UNKNOWN, "createdAt": UNKNOWN, "expiresAt": wish.expires,
            "decidedAt": UNKNOWN,
            "outcome": UNKNOWN if wish.status == "refused" else wish.outcome,
        }  # fmt: skip

    def managed(self, front: Front) -> list[Any]:
        keys = ("", *front.connection.keys)
        return sorted(
            (item for item in self.oracle.items if item.workspace in keys), key=lambda item: item.born
        )

    async def rows_at(self, seq: int) -> list[Any]:
        params = {"session": None, "allWorkspaces": True, "before": seq + 1, "limit": 1}
        answer = await self.call(self.fronts["none"], "memory/audit", params)
        return list(answer["rows"])


def marks_in(value: Any) -> frozenset[str]:
    """The marks of all texts in a message."""
    return frozenset(MARK.findall(json.dumps(_real(value), ensure_ascii=False)))


def _real(value: Any) -> Any:
    """The value with real ids in the place of symbols."""
    if isinstance(value, Sym):
        return value.real or str(uuid.uuid4())
    if isinstance(value, dict):
        return {name: _real(item) for name, item in value.items()}
    return [_real(item) for item in value] if isinstance(value, list) else value
