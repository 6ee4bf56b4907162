"""The rules of the machine: writes, questions and their answers, decisions, reads, clocks and restarts."""

import asyncio
from typing import Any

from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from oracle import HIDDEN, LAYERS, Oracle, Refusal
from world import (
    BODIES,
    FOLDERS,
    KINDS,
    LIMITS,
    MARK,
    POLICIES,
    QUEUES,
    REASKS_MAX,
    SCOPES,
    TRACKS,
    WORDS,
    Actor,
    Broken,
    Front,
    Turn,
    World,
    marks_in,
)

from keepgate.gate.approvers import NobodyThere
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.wire import unstructure


class Machine(World):
    """Rules draw sessions, changes and people; everything that comes back is compared with the oracle."""

    @initialize(limits=LIMITS, policies=POLICIES, queue=QUEUES)
    def begin(self, limits: Any, policies: Any, queue: Any) -> None:
        """A few entries of several sessions are there before anything else happens."""
        self.oracle = Oracle(dict(limits), policies, queue)
        self.run(self.open())
        self.calm = True
        for number in range(8):
            actor = self.actors[number * 4 % len(self.actors)]
            scope = SCOPES[number // 2 % 2] if actor.who.workspace else "user-global"
            text = f"#{number:05d}h#{number:05d}ttabs"
            self.own(text, actor.who.workspace if scope == "workspace" else "", actor.who.agent)
            change = {"track": TRACKS[number % 2], "scope": scope, "text": text}
            self.run(self.write_once(actor, "add", change))
        self.calm = False

    # Writing.

    @rule(data=st.data())
    def add(self, data: Any) -> None:
        self.write(data, "add")

    @rule(data=st.data())
    def replace(self, data: Any) -> None:
        self.write(data, "replace")

    @rule(data=st.data())
    def remove(self, data: Any) -> None:
        self.write(data, "remove")

    @rule(data=st.data())
    def consolidate(self, data: Any) -> None:
        self.write(data, "consolidate")

    @rule(data=st.data())
    def seed(self, data: Any) -> None:
        self.write(data, "seed")

    @rule(data=st.data())
    def undo(self, data: Any) -> None:
        self.write(data, "undo")

    def write(self, data: Any, kind: str) -> None:
        self.data = data
        actor = self.draw(st.sampled_from(self.actors))
        self.run(self.write_once(actor, kind, self.draw_change(kind, actor)))

    async def write_once(self, actor: Actor, kind: str, change: dict[str, Any]) -> None:
        note(f"{actor} {kind} {change}")
        turn, expected = self.predict(kind, change, actor)
        front = self.fronts[actor.connection]
        front.turn = turn
        task = asyncio.ensure_future(self.call(front, f"memory/{kind}", change, actor))
        if turn is not None:
            turn.task = task
        try:
            answer: Any = await task
        except asyncio.CancelledError:
            answer = "cancelled"
        finally:
            front.turn = None
        if front.leaving is not None:
            await front.leaving
            front.leaving = None
            self.connect(front)
        if turn is not None:
            if turn.errand is not None:
                await turn.errand
                self.settle_elsewhere(turn)
            expected = turn.outcome
            assert expected is not None, "a person should have been asked"
        if isinstance(expected, list):
            expected = self.result(kind, expected, elsewhere=turn is not None and turn.elsewhere)
        if expected == "cancelled":
            assert expected == answer
        else:
            self.compare(expected, answer)

    # The person.

    async def asked(self, front: Front, question: ApprovalRequestParams) -> ApprovalAnswer:
        turn = front.turn
        assert turn is not None, "nobody should have been asked"
        self.check_question(front, turn, question)
        turn.asked += 1
        if self.calm:
            return await self.answer(front, turn, question, "allowed-once")
        busy = {name for name, other in self.fronts.items() if other.turn is not None}
        if len(busy) == 1 and self.draw(st.integers(0, 2), "meanwhile") == 0:
            await self.meanwhile(busy, turn)
        if turn.wish.status != "pending":
            return ApprovalAnswer(outcome="allowed-once", hash=question.hash)
        return await self.answer(front, turn, question, self.draw(WORDS, "answer"))

    async def answer(
        self, front: Front, turn: Turn, question: ApprovalRequestParams, word: str
    ) -> ApprovalAnswer:
        note(f"    the person: {word}")
        wish, oracle = turn.wish, self.oracle
        if word in ("nobody", "broken", "gone"):
            oracle.leave(wish)
            turn.outcome = Refusal("WRITE_DENIED", outcome="unavailable", proposalId=wish.id)
            if word == "gone":
                front.leaving = asyncio.ensure_future(front.sidecar.disconnect(front.connection))
                await asyncio.Event().wait()
            raise NobodyThere if word == "nobody" else Broken
        if word in ("rejected", "cancelled", "other-hash", "withdrawn"):
            outcome = "rejected" if word == "rejected" else "cancelled"
            oracle.deny(wish, outcome, "approval")
            turn.outcome = Refusal("WRITE_DENIED", outcome=outcome, proposalId=wish.id)
            if word == "withdrawn":
                turn.outcome = "cancelled"
                assert turn.task is not None
                turn.task.cancel()
                await asyncio.Event().wait()
            hash_ = "0" * 64 if word == "other-hash" else question.hash
            return ApprovalAnswer(outcome="allowed-once" if word == "other-hash" else word, hash=hash_)
        try:
            steps = oracle.allow(
                wish, self.hashes[question.hash], "approval", self.now, session=word == "allowed-session"
            )
        except Refusal as refusal:
            turn.outcome = refusal
        else:
            turn.outcome = steps
            if steps is None and turn.asked > REASKS_MAX:
                oracle.deny(wish, "cancelled", "approval")
                turn.outcome = Refusal("WRITE_DENIED", outcome="cancelled", proposalId=wish.id)
        return ApprovalAnswer(outcome=word, hash=question.hash)

    def settle_elsewhere(self, turn: Turn) -> None:
        """What the caller gets when another connection decided first."""
        wish = turn.wish
        if turn.outcome is not None or wish.status == "pending":
            return
        turn.elsewhere = True
        outcome = "rejected" if wish.outcome == "rejected" else "cancelled"
        refusal = Refusal("WRITE_DENIED", outcome=outcome, proposalId=wish.id)
        turn.outcome = wish.steps if wish.status == "approved" else refusal

    def check_question(self, front: Front, turn: Turn, question: ApprovalRequestParams) -> None:
        planned = (
            turn.planned
            if turn.asked == 0
            else self.oracle.plan(turn.wish.kind, turn.wish.change, turn.wish.who, self.now)
        )
        self.must_not_leak(planned.who, unstructure(question), marks_in(planned.change))
        self.agree(turn.wish.id, question.id)
        assert (planned.kind, planned.text, planned.source) == (
            question.action,
            question.text,
            question.source,
        )
        assert planned.warned == bool(question.warnings)
        targets = [step.before for step in planned.steps if step.before]
        self.agree(
            [{"id": item.id, "version": item.version, "text": item.text} for item in targets],
            [{"id": item.id, "version": item.version, "text": item.text} for item in question.targets],
        )
        added = [step.after for step in planned.steps if step.after]
        assert [(item.layer, item.agent, item.text, item.tags, item.source) for item in added] == [
            ((item.track, item.scope, item.workspace_key), item.agent_key, item.text, item.tags, item.source)
            for item in question.entries
        ]
        # The hash stands for exactly the content: never two hashes for one, never one for two.
        assert planned.content == self.hashes.setdefault(question.hash, planned.content)
        assert [question.hash] == [
            hash_ for hash_, content in self.hashes.items() if content == planned.content
        ]

    async def meanwhile(self, busy: set[str], turn: Turn) -> None:
        """Something happens while the person thinks."""
        what = self.draw(
            st.sampled_from(["write", "write", "rewrite", "rewrite", "rewrite", "decide", "query"]), "what"
        )
        others = [actor for actor in self.actors if actor.connection not in busy]
        targets = [step.before for step in turn.planned.steps if step.before]
        if what == "decide":
            decider = self.fronts["both" if "one" in busy else "one"]
            # The question is withdrawn as soon as it is decided; the decider must not go with it.
            turn.errand = asyncio.ensure_future(self.decide(decider, turn.wish))
            await asyncio.shield(turn.errand)
        elif what == "query":
            await self.query_once(self.draw(st.sampled_from(others)))
        elif what == "rewrite" and targets:
            item = self.draw(st.sampled_from(targets))
            seers = [actor for actor in others if item.agent in ("", actor.who.agent)]
            seers = [actor for actor in seers if item.workspace in ("", actor.who.workspace)]
            await self.rewrite(self.draw(st.sampled_from(seers or others)), item)
        else:
            actor, kind = self.draw(st.sampled_from(others)), self.draw(KINDS)
            await self.write_once(actor, kind, self.draw_change(kind, actor))

    async def rewrite(self, actor: Actor, item: Any) -> None:
        """Another session changes the very target; what it says still matches what was asked for."""
        end = MARK.search(item.text).end()  # type: ignore[union-attr]  # every text has its mark
        change = {"track": item.track, "scope": item.scope, "id": item.id}
        await self.write_once(
            actor, "replace", {**change, "text": item.text[:end] + self.draw(BODIES, "text")}
        )

    # Deciding.

    @rule(data=st.data())
    def propose(self, data: Any) -> None:
        self.data = data
        actor = self.draw(st.sampled_from(self.actors))
        kind = self.draw(KINDS.filter(lambda kind: kind != "undo"))
        self.run(self.propose_once(actor, kind, self.draw_change(kind, actor)))

    async def propose_once(self, actor: Actor, kind: str, change: dict[str, Any]) -> None:
        note(f"{actor} proposes {kind} {change}")
        expected: Any
        try:
            planned = self.oracle.plan(kind, change, actor.who, self.now)
            for step in planned.steps:
                self.own(step.item.text, step.item.workspace, step.item.agent)
            wish = self.oracle.create(planned, self.now, given=self.oracle.labelled(kind, change))
            expected = {"proposal": self.shown(wish)}
        except Refusal as refusal:
            expected = refusal
        params = {"change": {"action": kind, **change}}
        self.compare(
            expected, await self.call(self.fronts[actor.connection], "proposals/create", params, actor)
        )

    @rule(data=st.data())
    def judge(self, data: Any) -> None:
        self.data = data
        if self.oracle.wishes:
            front = self.fronts[self.draw(st.sampled_from([*FOLDERS]))]
            pending = [wish for wish in self.oracle.wishes if wish.status == "pending"]
            wishes = pending if pending and self.draw(st.integers(0, 4), "pending") else self.oracle.wishes
            self.run(self.decide(front, self.draw(st.sampled_from(wishes))))

    async def decide(self, front: Front, wish: Any) -> None:
        """Approve or dismiss a wish, wherever it stands, by the hash of now, of then, or of another."""
        word = self.draw(
            st.sampled_from(["approve", "approve", "approve old", "approve other", "dismiss"]), "decide"
        )
        note(f"{front.name} decides {wish.id}: {word}")
        shown, got = await self.look_at(front, wish)
        if not shown or front.name == "none" or wish.status_at(self.now) != "pending":
            expected = (
                Refusal("WRITE_DENIED") if front.name == "none" else Refusal("PROPOSAL_NOT_FOUND", id=wish.id)
            )
            params = {"id": wish.id, **({} if word == "dismiss" else {"hash": "0" * 64})}
            self.compare(expected, await self.call(front, f"proposals/{word.split()[0]}", params))
            return
        if word == "dismiss":
            self.oracle.deny(wish, "rejected", "inbox")
            answer = await self.call(front, "proposals/dismiss", {"id": wish.id})
            self.compare({"proposal": self.shown(wish), "results": []}, answer)
            return
        hash_ = got["ask"]["hash"] if word == "approve" and got["ask"] else got["proposal"]["hash"]
        await self.approve(front, wish, "0" * 64 if word == "approve other" else hash_)

    async def look_at(self, front: Front, wish: Any) -> tuple[bool, Any]:
        """Whether the connection may see the wish, and what it is shown of it."""
        seen = wish.homes <= {*front.connection.keys}
        got = await self.call(front, "proposals/get", {"id": wish.id, "session": None})
        if not seen:
            self.compare(Refusal("PROPOSAL_NOT_FOUND", id=wish.id), got)
            return False, None
        self.agree(self.shown(wish), got["proposal"])
        if wish.status_at(self.now) == "pending":
            try:
                planned = self.oracle.plan(wish.kind, wish.change, wish.who, self.now)
            except Refusal as refusal:
                expected = (None, refusal.code)
            else:
                expected = (planned.text, None)
                self.hashes.setdefault(got["ask"]["hash"], planned.content)
            problem = got["problem"] and got["problem"].split(":")[0]
            assert expected == (got["ask"] and got["ask"]["text"], problem)
        return True, got

    async def approve(self, front: Front, wish: Any, hash_: str) -> None:
        expected: Any
        try:
            steps = self.oracle.allow(wish, self.hashes.get(hash_, object()), "inbox", self.now)
            expected = Refusal("WRITE_DENIED", outcome="cancelled", proposalId=wish.id, reason="changed")
        except Refusal as refusal:
            steps, expected = None, refusal
        answer = await self.call(front, "proposals/approve", {"id": wish.id, "hash": hash_})
        if steps is None:
            self.compare(expected, answer)
            return
        first = steps[0].seq - (1 if wish.kind == "seed" else 0)
        seqs = [*range(first, steps[-1].seq + 1)]
        self.compare({"proposal": self.shown(wish), "seqs": seqs, "results": []}, answer)
        for step in steps:
            (row,) = await self.rows_at(step.seq)
            self.agree(step.item.id, row["entryId"])

    # Reading.

    @rule(data=st.data())
    def query(self, data: Any) -> None:
        self.data = data
        self.run(self.query_once(self.draw(st.sampled_from([*self.actors, *FOLDERS]))))

    async def query_once(self, reader: Any) -> None:
        """By a session, which counts, or by a connection's management view, which does not."""
        params = {
            "text": self.draw(st.just("") | st.builds(self.draw_match), "text"),
            "track": self.draw(st.sampled_from([None, None, *TRACKS])),
            "scope": self.draw(st.sampled_from([None, None, *SCOPES])),
            "tags": self.draw(st.sampled_from([[], [], [], ["x"], ["x", "標"]])),
            "limit": self.draw(st.sampled_from([None, 1, 2, 50])),
            "offset": self.draw(st.sampled_from([None, None, 1])),
        }
        start, length = params["offset"] or 0, params["limit"] or 20
        actor = reader if isinstance(reader, Actor) else None
        seen = self.oracle.visible(actor.who) if actor else self.managed(self.fronts[reader])
        hits = self.oracle.query(seen, params["text"], params["track"], params["scope"], params["tags"])
        page = hits[start : start + length]
        expected = {
            "entries": [item.wire() for item in page],
            "total": len(hits),
            "truncated": start + len(page) < len(hits),
        }
        if actor:
            answer = await self.call(self.fronts[actor.connection], "memory/query", params, actor)
            self.compare(expected, answer)
            self.oracle.recall(actor.who, page, params["text"], params["track"], params["scope"], self.now)
        else:
            answer = await self.call(self.fronts[reader], "memory/query", {**params, "session": None})
            self.compare(expected, answer)

    @rule(data=st.data())
    def read(self, data: Any) -> None:
        self.data = data
        self.run(self.read_once(self.draw(st.sampled_from(self.actors))))

    async def read_once(self, actor: Actor) -> None:
        """Get, history, why, list, budgets, audit and proposals of one session."""
        front, who = self.fronts[actor.connection], actor.who
        self.compare(
            {"budgets": self.oracle.budgets(who.workspace)},
            await self.call(front, "memory/budgets", {}, actor),
        )
        listed = await self.call(front, "memory/list", {"limit": 1000}, actor)
        self.compare({"entries": [item.wire() for item in self.oracle.visible(who)], "next": None}, listed)
        await self.call(front, "memory/audit", {"limit": 1000}, actor)
        proposals = await self.call(front, "proposals/list", {}, actor)
        wishes = [
            wish
            for wish in self.oracle.wishes
            if wish.homes <= {who.workspace} and wish.who.agent in ("", who.agent)
        ]
        self.compare({"proposals": [self.shown(wish) for wish in wishes]}, proposals)
        if self.oracle.changes:
            step = self.draw(st.sampled_from(self.draw(st.sampled_from(self.oracle.changes))))
            await self.read_entry(front, actor, step.item)

    async def read_entry(self, front: Front, actor: Actor, item: Any) -> None:
        seen = item.agent in ("", actor.who.agent) and item.workspace in ("", actor.who.workspace)
        current = next((each for each in self.oracle.items if each.id is item.id), None)
        steps = [step for steps in self.oracle.changes for step in steps if step.item.id is item.id]
        missing = Refusal("ENTRY_NOT_FOUND", match=item.id)
        got = await self.call(front, "memory/get", {"id": item.id}, actor)
        self.compare({"entry": current.wire()} if seen and current else missing, got)
        history = await self.call(front, "memory/history", {"id": item.id}, actor)
        why = await self.call(front, "memory/why", {"id": item.id}, actor)
        if not seen:
            self.compare(missing, history)
            self.compare(missing, why)
            return
        states = [
            (step.seq, step.action, step.item.version, step.item.text, step.item.tags) for step in steps
        ]
        assert states == [
            (each["seq"], each["action"], each["version"], each["text"], each["tags"])
            for each in history["versions"]
        ]
        assert [state[:3] for state in states] == [
            (each["seq"], each["action"], each["version"]) for each in why["chain"]
        ]

    @rule(data=st.data())
    def snapshot(self, data: Any) -> None:
        self.data = data
        self.run(self.snapshot_once(self.draw(st.sampled_from(self.actors))))

    async def snapshot_once(self, actor: Actor) -> None:
        """Frozen at the first request; one line for each visible entry; the true use in the headings."""
        answer = await self.call(self.fronts[actor.connection], "memory/snapshot", {}, actor)
        if actor.who in self.oracle.frozen:
            assert self.oracle.frozen[actor.who] == answer
            return
        self.oracle.frozen[actor.who] = answer
        self.oracle.row("snapshot", None, None, None, answer["text"], "ok", "keepgate", actor.who.session)
        seen = self.oracle.visible(actor.who)
        assert (len(seen), self.now) == (answer["entries"], answer["frozenAt"])
        assert bool(seen) == bool(answer["text"])
        lines = answer["text"].split("\n")
        by_layer = [
            item for track, scope in LAYERS for item in seen if (item.track, item.scope) == (track, scope)
        ]
        marks = [MARK.search(item.text)[1] for item in by_layer]  # type: ignore[index]  # every text has its mark
        assert marks == [mark for line in lines if line.startswith("- ") for mark in MARK.findall(line)]
        uses = [
            f"{usage['used']}/{usage['limit']} chars used"
            for usage in self.oracle.budgets(actor.who.workspace)
            if any((item.track, item.scope) == (usage["track"], usage["scope"]) for item in seen)
        ]
        assert uses == [line.split(" — ")[1] for line in lines if line.startswith("## ")]
        assert not set(HIDDEN) & set(answer["text"])

    # The world.

    @rule(step_ms=st.integers(-3000, 5000))
    def tick(self, step_ms: int) -> None:
        """The clock goes on, stands still or steps back."""
        self.now += step_ms

    @rule(days=st.sampled_from([1, 29, 31]), sweep=st.booleans())
    def wait_long(self, days: int, sweep: bool) -> None:
        """Days pass, and old wishes expire, whether anybody looks or not."""
        self.now += days * 24 * 3600 * 1000
        if sweep:
            self.oracle.sweep(self.now)
            self.run(self.sidecars[days % 2].gate.sweep())

    @rule(limits=LIMITS)
    def restart(self, limits: Any) -> None:
        """The process ends and another one opens the store, perhaps with other budgets."""
        self.oracle.limits = dict(limits)
        self.oracle.restart()
        self.run(self.reopen())

    async def reopen(self) -> None:
        await self.close()
        await self.open()
