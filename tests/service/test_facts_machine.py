"""Facts over a whole provider, at random: local and remote callers of two workspaces, and an oracle."""

import asyncio
import os
import tempfile
from pathlib import Path
from typing import Any

from attrs import define
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from keepgate.boot.compose import compose, stamp_now
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Settings
from keepgate.service.connection import NoPeer

EXAMPLES = int(os.environ.get("KEEPGATE_EXAMPLES", "40"))
CALLERS = [("one", False), ("one", True), ("two", False), ("two", True)]
"""Folders, and whether the caller is remote."""
TEXTS = ["Knots.", "  knots. ", "KNOTS.", "Metres", "metres!", "月"]


@define
class Known:
    """What the oracle knows of a fact."""

    home: str
    words: str
    entity: str | None
    kind: str
    visibility: str
    text: str
    active: bool = True


class Person:
    """Says yes, or no, as the machine has it."""

    def __init__(self) -> None:
        self.answer = "allowed-once"
        self.asked = 0

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        self.asked += 1
        return ApprovalAnswer(outcome=self.answer, hash=question.hash)


class Machine(RuleBasedStateMachine):
    """Every answer is what the oracle expects, nobody is asked in vain, and the ledger proves the store."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        base = Path(os.path.realpath(self.folder.name))
        places = find_places({"KEEPGATE_HOME": str(base / "home")})
        self.sidecar = self.run(compose(Settings(), places, stamp=stamp_now))
        self.person = Person()
        self.facts: dict[int, Known] = {}
        self.callers = []
        for name, remote in CALLERS:
            (base / name).mkdir(exist_ok=True)
            self.callers.append(
                self.sidecar.connect(
                    peer=NoPeer(),
                    channel="test",
                    client=ClientInfo(name="tester"),
                    folders=[str(base / name)],
                    approver=self.person,
                    remote=remote,
                )
            )

    def run(self, work: Any) -> Any:
        return self.loop.run_until_complete(work)

    def call(self, caller: int, method: str, **params: Any) -> Any:
        """The result, or the code of the error."""
        try:
            return self.run(self.sidecar.call(self.callers[caller], method, params))
        except Fault as fault:
            return str(fault.code)

    def home(self, caller: int) -> str:
        return self.callers[caller].workspaces[0].key

    def sees(self, caller: int, fact: Known) -> bool:
        remote = CALLERS[caller][1]
        return fact.home == self.home(caller) and not (remote and fact.visibility == "private")

    def seen(self, caller: int, fact_id: int) -> Known | None:
        fact = self.facts.get(fact_id)
        return fact if fact is not None and self.sees(caller, fact) else None

    def twin(self, caller: int, wanted: Known) -> int | None:
        """The oldest active fact in sight that says the same."""
        same = (
            fact_id
            for fact_id, fact in self.facts.items()
            if fact.active
            and self.sees(caller, fact)
            and (fact.words, fact.entity, fact.kind, fact.visibility)
            == (wanted.words, wanted.entity, wanted.kind, wanted.visibility)
        )
        return next(same, None)

    @rule(
        caller=st.integers(0, 3),
        text=st.sampled_from(TEXTS),
        entity=st.sampled_from([None, "People/Me"]),
        kind=st.sampled_from(["fact", "belief"]),
        visibility=st.sampled_from(["world", "private"]),
        answer=st.sampled_from(["allowed-once"] * 4 + ["rejected"]),
    )
    def remember(
        self, caller: int, text: str, entity: str | None, kind: str, visibility: str, answer: str
    ) -> None:
        wanted = Known(
            self.home(caller), " ".join(text.casefold().split()), entity, kind, visibility, text.strip()
        )
        twin = self.twin(caller, wanted)
        asked, self.person.answer = self.person.asked, answer
        result = self.call(
            caller, "verbs/remember", fact=text, provenance="chat", entity=entity, kind=kind,
            visibility=visibility,
        )  # fmt: skip
        if twin is not None:
            assert (str(twin), "duplicate") == (result["id"], result["status"])
            assert asked == self.person.asked
        elif answer == "rejected":
            assert "scope_denied" == result
        else:
            assert (str(len(self.facts) + 1), "inserted") == (result["id"], result["status"])
            assert CALLERS[caller][1] == ("cannot read" in result["status_text"]) or visibility == "world"
            self.facts[len(self.facts) + 1] = wanted

    @rule(caller=st.integers(0, 3), old=st.integers(1, 6), visibility=st.sampled_from(["world", "private"]))
    def supersede(self, caller: int, old: int, visibility: str) -> None:
        self.person.answer = "allowed-once"
        text = f"new {len(self.facts)}"
        wanted = Known(self.home(caller), text, None, "fact", visibility, text)
        before = self.seen(caller, old)
        result = self.call(
            caller, "verbs/remember", fact=text, provenance="chat", visibility=visibility, supersedes=str(old)
        )
        if before is None or not before.active:
            assert "not_found" == result
            return
        assert (str(len(self.facts) + 1), "superseded") == (result["id"], result["status"])
        before.active = False
        self.facts[len(self.facts) + 1] = wanted

    @precondition(lambda self: self.facts)
    @rule(caller=st.integers(0, 3), fact_id=st.integers(1, 8), dry=st.booleans())
    def forget(self, caller: int, fact_id: int, dry: bool) -> None:
        self.person.answer = "allowed-once"
        asked, fact = self.person.asked, self.seen(caller, fact_id)
        result = self.call(caller, "verbs/forget", id=str(fact_id), **({"dry_run": True} if dry else {}))
        if fact is None:
            assert "not_found" == result
        elif dry:
            assert ("forget" if fact.active else "nothing") == result["action"]
        else:
            assert fact.active == result["expired"]
        if fact is None or dry or not fact.active:
            assert asked == self.person.asked
        else:
            fact.active = False

    @rule()
    def remotes_find_nothing_private(self) -> None:
        """Neither in the ledger nor by the fact's id."""
        for caller, (_, remote) in enumerate(CALLERS):
            rows = self.call(caller, "memory/audit", limit=1000)["rows"]
            told = {int(row["entryId"]) for row in rows if row["entryId"] is not None}
            assert told == {fact_id for fact_id, fact in self.facts.items() if self.sees(caller, fact)}
            if remote:
                hidden = [fact_id for fact_id in self.facts if self.seen(caller, fact_id) is None]
                assert {"ENTRY_NOT_FOUND"} >= {
                    self.call(caller, "memory/why", id=str(fact_id)) for fact_id in hidden[:2]
                }

    def teardown(self) -> None:
        verified = self.call(0, "memory/verify")
        stored = self.run(
            self.sidecar.store.reading.run(
                lambda db: db.execute("SELECT id, text, expired_at IS NULL FROM facts ORDER BY id").fetchall()
            )
        )
        self.run(self.sidecar.close())
        self.loop.close()
        self.folder.cleanup()
        assert [] == verified["problems"]
        assert [(fact_id, fact.text, int(fact.active)) for fact_id, fact in self.facts.items()] == stored


def test_facts_are_what_their_callers_were_told() -> None:
    """VERBS-remember, VERBS-forget: duplicates, superseding and forgetting never leave a caller's sight."""
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=25,
            derandomize=True,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
