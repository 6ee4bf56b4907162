"""Plain values, and a store in memory that does by brute force what the core asks of a store."""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, settings

from keepgate.core.model.entry import Layer, layer_of
from keepgate.core.model.fact import Fact
from keepgate.core.model.stamp import Stamp
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import Seed
from keepgate.core.writing.ledger import GENESIS, Decision, Row, Sealed, seal
from keepgate.core.writing.match import Hits
from keepgate.core.writing.mutation import FactStep
from keepgate.core.writing.plan import Plan
from keepgate.core.writing.states import Recorded, recorded, states_of, subject_of
from keepgate.protocol.entries import Entry, Scope, Track

# A machine that is busy with other things must not fail a test.
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

NOW_MS = 1_700_000_000_000


def make_layer(name: str = "user/workspace", workspace_key: str = "/srv/tides") -> Layer:
    """A layer from ``track/scope``; the key counts for workspace layers only."""
    track, scope = name.split("/")
    return Layer(Track(track), Scope(scope), workspace_key if scope == "workspace" else "")


def make_entry(text: str, layer: Layer | str = "user/workspace", **fields: Any) -> Entry:
    """An entry of a layer with plain values; its id is made from its text unless given."""
    home = make_layer(layer) if isinstance(layer, str) else layer
    return Entry(
        **{
            "id": f"id-of-{text[:40]}",
            "track": home.track,
            "scope": home.scope,
            "workspace_key": home.workspace_key,
            "agent_key": "",
            "text": text,
            "source": "keepgate",
            "tags": (),
            "version": 1,
            "created_at": NOW_MS,
            "updated_at": NOW_MS,
            "session_id": "s-before",
            **fields,
        }
    )


def make_author(agent_key: str = "", workspace_key: str = "/srv/tides", session_id: str = "s-1") -> Author:
    """The session behind a write."""
    return Author(session_id=session_id, agent_key=agent_key, workspace_key=workspace_key)


def folded(text: str) -> str:
    """The contract's folding, letter by letter."""
    return "".join(char.lower() if "A" <= char <= "Z" else char for char in text)


class MemoryStore:
    """Entries in creation order and a sealed ledger; every answer is found by looking at all of them."""

    def __init__(self, *entries: Entry) -> None:
        self.entries: dict[str, Entry] = {entry.id: entry for entry in entries}
        self.facts: dict[int, Fact] = {}
        self.taints: dict[tuple[str, str], tuple[str, ...]] = {}
        self.rows: list[Sealed] = []
        self._count = itertools.count(1)

    def stamp(self, now_ms: int = NOW_MS + 1) -> Stamp:
        """A moment with ids that no other entry of this store has."""
        return Stamp(
            now_ms=now_ms,
            new_id=lambda: f"e-{next(self._count)}",
            new_salt=lambda: f"{next(self._count):032x}",
        )

    def used(self, layer: Layer) -> int:
        """The texts of the layer, in UTF-16 units."""
        texts = (entry.text for entry in self.entries.values() if layer_of(entry) == layer)
        return sum(len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts)

    def _sight(self, layer: Layer, agent_key: str) -> Iterator[Entry]:
        for entry in self.entries.values():
            if layer_of(entry) == layer and entry.agent_key in ("", agent_key):
                yield entry

    def find(self, layer: Layer, agent_key: str, match: str) -> Hits:
        """The layer's visible entries that contain ``match``; the store hands over ten of them at most."""
        hits = [entry for entry in self._sight(layer, agent_key) if folded(match) in folded(entry.text)]
        return Hits(len(hits), tuple(hits[:10]))

    def entry(self, entry_id: str) -> Entry | None:
        """The entry, whoever may see it."""
        return self.entries.get(entry_id)

    def twin(self, layer: Layer, agent_key: str, text: str) -> Entry | None:
        """The first visible entry of the layer with that text."""
        same = (entry for entry in self._sight(layer, agent_key) if folded(text) == folded(entry.text))
        return next(same, None)

    def change_of(self, seq: int) -> tuple[Recorded, ...]:
        """The steps of the change that a row belongs to."""
        if not 0 < seq <= len(self.rows):
            return ()
        place, length = json.loads(self.rows[seq - 1].payload or "{}")["of"]
        rows = self.rows[seq - 1 - place : seq - 1 - place + length]
        steps = ((row.seq, recorded(row)) for row in rows)
        return tuple(Recorded(seq=seq, step=step) for seq, step in steps if step is not None)

    def changes_by_session(self, session_id: str) -> tuple[tuple[Recorded, ...], ...]:
        """The session's changes, one for each row."""
        steps = ((row.seq, recorded(row)) for row in self.rows if row.session_id == session_id)
        return tuple((Recorded(seq=seq, step=step),) for seq, step in steps if step is not None)

    def written_by(self, session_id: str) -> tuple[tuple[Entry, ...], tuple[Fact, ...]]:
        """The entries and facts that carry the session's id."""
        entries = tuple(entry for entry in self.entries.values() if entry.session_id == session_id)
        return entries, tuple(fact for fact in self.facts.values() if fact.session_id == session_id)

    def held_of(self, session_id: str) -> tuple[Recorded, ...]:
        """Nothing: this store has no quarantine."""
        return ()

    def newest_change(self, entry_id: str) -> int | None:
        """The newest row of an entry."""
        return max((row.seq for row in self.rows if row.entry_id == entry_id), default=None)

    def taint(self, session_id: str, workspace_key: str) -> tuple[str, ...]:
        """What the session has read."""
        return self.taints.get((session_id, workspace_key), ())

    def fact(self, fact_id: int) -> Fact | None:
        """The fact, whoever may see it."""
        return self.facts.get(fact_id)

    def neighbours(self, layer: Layer, agent_key: str, limit: int) -> tuple[Entry, ...]:
        """The newest visible entries of the layer."""
        found = list(self._sight(layer, agent_key))
        return tuple(reversed(found))[:limit]

    def facts_about(self, home: str, entity: str | None, now_ms: int, limit: int) -> tuple[Fact, ...]:
        """The newest active facts about that."""
        found = [fact for fact in self.facts.values() if (fact.home, fact.entity) == (home, entity)]
        return tuple(fact for fact in reversed(found) if fact.is_active(now_ms))[:limit]

    def fact_twins(self, home: str, text: str, now_ms: int) -> tuple[Fact, ...]:
        """Active facts of the home with the same letters and digits."""
        words = [char for char in text.casefold() if char.isalnum()]
        return tuple(
            fact
            for fact in self.facts.values()
            if fact.home == home
            and fact.is_active(now_ms)
            and words == [char for char in fact.text.casefold() if char.isalnum()]
        )

    def next_fact_id(self) -> int:
        """One more than there are."""
        return len(self.facts) + 1

    def commit(self, plan: Plan, now_ms: int = NOW_MS + 1) -> list[int]:
        """Do what the plan says, with its ledger rows; returns their seqs."""
        summaries = 1 if isinstance(plan.change, Seed) else 0
        length = len(plan.steps) + summaries
        first = len(self.rows) + 1
        if summaries:
            self.append(Row(ts=now_ms, action="seed", decision=Decision.ALLOWED, outcome="allowed-once",
                            payload={"text": "a summary", "of": [0, length]}))  # fmt: skip
        for place, step in enumerate(plan.steps, summaries):
            states = states_of(step)
            self.append(Row(ts=now_ms, action=step.action, decision=Decision.ALLOWED, outcome="allowed-once",
                            entry_id=subject_of(step), payload=states | {"of": [place, length]}))  # fmt: skip
            if isinstance(step, FactStep):
                assert self.facts.get(step.after.id) == step.before, "a plan starts from the store as it is"
                self.facts[step.after.id] = step.after
            else:
                self._apply(step.before, step.after)
        return list(range(first, len(self.rows) + 1))

    def _apply(self, before: Entry | None, after: Entry | None) -> None:
        if before is not None:
            assert self.entries[before.id] == before, "a plan starts from the store as it is"
        if after is not None:
            self.entries[after.id] = after
        elif before is not None:
            del self.entries[before.id]

    def append(self, row: Row) -> Sealed:
        """Seal a row over the newest one."""
        previous = self.rows[-1].hash if self.rows else GENESIS
        self.rows.append(seal(row, seq=len(self.rows) + 1, salt=self.stamp().new_salt(), previous=previous))
        return self.rows[-1]

    def without_recalls(self) -> dict[str, Entry]:
        """The entries as the ledger knows them."""
        plain = (evolve(entry, last_recalled=None, recall_count=0) for entry in self.entries.values())
        return {entry.id: entry for entry in plain}


@pytest.fixture(scope="session")
def store_of() -> Callable[..., MemoryStore]:
    """Makes a store that holds the given entries."""
    return MemoryStore


@pytest.fixture(scope="session")
def entry() -> Callable[..., Entry]:
    """Makes an entry from a text, a layer and any other fields."""
    return make_entry


@pytest.fixture(scope="session")
def layer() -> Callable[..., Layer]:
    """Makes a layer from its name and a workspace."""
    return make_layer


@pytest.fixture(scope="session")
def author() -> Callable[..., Author]:
    """Makes an author from an agent preset and a workspace."""
    return make_author
