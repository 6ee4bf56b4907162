"""What is attacked: a store with two workspaces, of which the client's is one; and what must hold of it."""

import hashlib
import sqlite3
from pathlib import Path
from typing import Any, Final

from attrs import define, field, frozen

from keepgate.boot.compose import compose
from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Settings
from keepgate.service.connection import Connection, NoPeer
from keepgate.service.sidecar import Sidecar

CANARY: Final = "qzkanarie7"
"""Stands in every text, name and label of the other workspace, and in nothing that the client sends."""

SLUGS: Final = ("people/anna", "people/ben", "notes/plan", "companies/acme")
"""The same in both workspaces."""

_CANONICAL: Final = (
    """SELECT id, track, scope, workspace_key, agent_key, text, source, tags, version, created_at, updated_at,
    session_id, created_seq, ledger_seq FROM entries WHERE workspace_key GLOB ? ORDER BY id""",
    """SELECT id, home, entity, text, kind, visibility, provenance, created_at, valid_until, expired_at,
    superseded_by, reason, session_id, version, ledger_seq FROM facts WHERE home GLOB ? ORDER BY id""",
    "SELECT id, home, root, slug, path, digest_after, state FROM page_writes WHERE home GLOB ? ORDER BY id",
)
_ALLOWED: Final = "SELECT seq, action, outcome FROM ledger WHERE decision = 'allowed' ORDER BY seq"
_GRANTS: Final = "SELECT id FROM grants"


class _Person:
    """Says yes to everything, for the rest of the session where that is offered."""

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        outcome = "allowed-session" if question.for_session else "allowed-once"
        return ApprovalAnswer(outcome=outcome, hash=question.hash)


@define
class Harvest:
    """What a client could know or guess of a workspace, none of it text: ids, hashes, row numbers, names."""

    entries: list[str] = field(factory=list)
    facts: list[str] = field(factory=list)
    proposals: list[str] = field(factory=list)
    hashes: list[str] = field(factory=list)
    grants: list[str] = field(factory=list)


@frozen
class State:
    """What must not change without a decision: memories, facts, page files; and what was allowed so far."""

    canonical: str
    files: str
    allowed: tuple[tuple[int, str, str], ...]
    grants: frozenset[str]


@frozen(kw_only=True)
class Place:
    """A home with its store, the client's own workspace, and another one."""

    home: Path
    own: Path
    other: Path
    own_key: str
    other_key: str
    mine: Harvest
    theirs: Harvest

    @property
    def store(self) -> Path:
        return self.home / "data" / "memory.db"

    def state(self, *, of: str = "*") -> State:
        """What there is now; ``of`` is a workspace key, or all of them and what is the user's own."""
        db = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, timeout=60)
        try:
            rows = [db.execute(statement, (of,)).fetchall() for statement in _CANONICAL]
            allowed = tuple(db.execute(_ALLOWED).fetchall())
            grants = frozenset(row[0] for row in db.execute(_GRANTS))
        finally:
            db.close()
        folders = (self.own, self.other) if of == "*" else (Path(of),)
        return State(_digest(repr(rows).encode()), _files(folders), allowed, grants)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _files(folders: tuple[Path, ...]) -> str:
    found = {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted((folder / ".keepgate" / "pages").rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
    return _digest(repr(found).encode())


async def fill(folder: Path, settings: str) -> Place:
    """Make the place. Everything in it was allowed by a person; ``settings`` come into force afterwards."""
    home, own, other = folder / "home", folder / "own", folder / "other"
    for each in (home, own / "deep", other):
        each.mkdir(parents=True)
    places = find_places({"KEEPGATE_HOME": str(home)})
    sidecar = await compose(Settings(), places)
    try:
        keys, found = [], []
        for root, mark in ((own, "own"), (other, CANARY)):
            connection = _connect(sidecar, root)
            keys.append(next(iter(connection.keys)))
            found.append(await _write(sidecar, connection, mark))
        both = _connect(sidecar, own, other)
        await _seed_both(sidecar, both, keys)
    finally:
        await sidecar.close()
    # Links from the client's pages and folders into the other workspace.
    (own / ".keepgate" / "pages" / "link").symlink_to(other / ".keepgate" / "pages")
    (own / ".keepgate" / "pages" / "one.md").symlink_to(other / ".keepgate" / "pages" / "people" / "anna.md")
    (home / "config.toml").write_text(settings, encoding="utf-8")
    load_settings(places, {})
    return Place(
        home=home, own=own, other=other, own_key=keys[0], other_key=keys[1], mine=found[0], theirs=found[1]
    )


def _connect(sidecar: Sidecar, *folders: Path) -> Connection:
    return sidecar.connect(
        peer=NoPeer(),
        channel="test",
        client=ClientInfo(name="the person's"),
        folders=[str(folder) for folder in folders],
        approver=_Person(),
        may_decide=True,
    )


async def _write(sidecar: Sidecar, connection: Connection, mark: str) -> Harvest:
    """Memories, facts, pages, wishes, leaves, a quarantine, a taint and what was taken away again."""
    kept = Harvest()

    async def call(method: str, session: str = "writer", preset: str = "", **params: Any) -> Any:
        who = {"id": session, **({"agentPreset": preset} if preset else {})}
        return await sidecar.call(connection, method, {**params, "session": who})

    layer = {"track": "agent", "scope": "workspace"}
    for number in range(4):
        preset = f"preset-{mark}" if number == 3 else ""
        text = f"Use tabs, says {mark} {number}."
        added = await call("memory/add", preset=preset, **layer, text=text, tags=[f"tag-{mark}"])
        kept.entries.append(added["entry"]["id"])
    await call("memory/replace", **layer, id=kept.entries[0], text=f"Use spaces, says {mark}.")
    await call("memory/remove", **layer, id=kept.entries[1])
    for number, slug in enumerate(SLUGS):
        page = f"---\naliases: [the {mark}]\n---\n# {slug} of {mark}\n\nSays {mark}. See [[people/ben]].\n"
        await call("pages/put", slug=slug, content=page)
        fact = {"fact": f"Says {mark} about tabs {number}.", "provenance": f"from {mark}", "entity": slug}
        visibility = "private" if number == 3 else "world"
        made = await call("verbs/remember", **fact, visibility=visibility)
        kept.facts.append(str(made["id"]))
    await call("pages/put", slug=f"only/{mark}", content=f"# Only {mark}\n")
    await call("verbs/forget", id=kept.facts[1], reason=f"because of {mark}")
    made = await call("verbs/remember", session="put-away", fact=f"Put away {mark}.", provenance=mark)
    await call("memory/quarantine", sessionId="put-away", reason=f"reads {mark}")
    await call("session/taint", session="tainted", sources=[f"https://example.org/{mark}"])
    for number in range(3):
        change = {"action": "add", **layer, "text": f"A wish of {mark} {number}."}
        proposal = (await call("proposals/create", session="wisher", change=change))["proposal"]
        kept.proposals.append(proposal["id"])
        kept.hashes.append(proposal["hash"])
    await sidecar.call(connection, "proposals/dismiss", {"id": kept.proposals[2], "reason": f"no {mark}"})
    kept.grants += [each["id"] for each in (await sidecar.call(connection, "grants/list", {}))["grants"]]
    return kept


async def _seed_both(sidecar: Sidecar, both: Connection, keys: list[str]) -> None:
    """One batch that reaches into both workspaces, stored, and one that waits."""
    layer = {"track": "user", "scope": "workspace"}
    for method, word in (("memory/seed", "Stored"), ("proposals/create", "Waits")):
        entries = [
            {**layer, "text": f"{word} at {mark}.", "workspaceKey": key}
            for key, mark in zip(keys, ("own", CANARY), strict=True)
        ]
        params: dict[str, Any] = {"entries": entries}
        if method == "proposals/create":
            params = {"change": {"action": "seed", **params}}
        await sidecar.call(both, method, {**params, "session": {"id": "both"}})
