"""The contract once more, small and slow: what the provider is compared with.

Written from dsh-memory-protocol/v1 and the product's own decisions, with nothing of keepgate imported. Ids
are symbols (:class:`Sym`) that the machine binds to the real ones when it first sees them.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

LAYERS = [("user", "user-global"), ("user", "workspace"), ("agent", "user-global"), ("agent", "workspace")]
HIDDEN = "\u202e\u200b\ufeff\x07\u2028"
"""The hidden characters that the machine's texts are made of."""
ASK, AUTO, OFF = "ask", "auto", "off"
STRICTER = [AUTO, ASK, OFF]
MONTH_MS = 30 * 24 * 3600 * 1000
UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda _: "UNKNOWN"})()
"""Equal to anything."""


class Sym:
    """Stands for an id that the provider makes."""

    def __init__(self) -> None:
        self.real: str | None = None

    def __repr__(self) -> str:
        return f"<{self.real or 'unbound'}>"


class Refusal(Exception):
    """The fault that the contract asks for; ``details`` are those that it fixes."""

    def __init__(self, code: str, **details: Any) -> None:
        super().__init__(code)
        self.code = code
        self.details = details


@dataclass(frozen=True)
class Who:
    """A session; an empty workspace is none."""

    session: str
    agent: str
    workspace: str


@dataclass(repr=False)
class Item:
    """An entry. ``born`` and ``touched`` are ledger seqs: creation order, and the order of equal times."""

    id: Sym
    track: str
    scope: str
    workspace: str
    agent: str
    text: str
    source: str
    tags: list[str]
    version: int
    created: int
    updated: int
    session: str
    recalled: int | None = None
    count: int = 0
    born: int = 0
    touched: int = 0

    def __repr__(self) -> str:
        return f"Item({self.track}/{self.scope} {self.agent!r} v{self.version} {self.text!r})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    @property
    def layer(self) -> tuple[str, str, str]:
        return self.track, self.scope, self.workspace

    def wire(self, *, recalls: bool = True) -> dict[str, Any]:
        return {
            "id": self.id, "track": self.track, "scope": self.scope, "workspaceKey": self.workspace,
            "agentKey": self.agent, "text": self.text, "source": self.source, "tags": self.tags,
            "version": self.version, "createdAt": self.created, "updatedAt": self.updated,
            "lastRecalled": self.recalled if recalls else UNKNOWN,
            "recallCount": self.count if recalls else UNKNOWN, "sessionId": self.session,
        }  # fmt: skip


@dataclass
class Step:
    """One entry's step of a change: its ledger action, and copies of the entry before and after."""

    action: str
    before: Item | None
    after: Item | None
    seq: int = 0

    @property
    def item(self) -> Item:
        found = self.after or self.before
        assert found is not None
        return found


@dataclass
class Planned:
    """What a change would do. ``content`` is all that the person's yes is bound to."""

    kind: str
    who: Who
    change: dict[str, Any]
    steps: list[Step]
    text: str
    source: str | None
    content: Any
    warned: bool

    @property
    def layers(self) -> list[tuple[str, str, str]]:
        return list(dict.fromkeys(step.item.layer for step in self.steps))


@dataclass(repr=False)
class Wish:
    """A proposal."""

    id: Sym
    kind: str
    who: Who
    change: dict[str, Any]
    text: str
    source: str | None
    content: Any
    form: Any
    expires: int
    status: str = "pending"
    waiting: bool = False
    outcome: str | None = None
    steps: list[Step] = field(default_factory=list)

    @property
    def homes(self) -> set[str]:
        """All workspaces that it speaks of; who does not see them all does not see it."""
        drafts = self.change.get("entries", ()) if self.kind == "seed" else ()
        return {self.who.workspace, *(draft.get("workspaceKey", "") for draft in drafts)} - {""}

    def status_at(self, now: int) -> str:
        """A pending one whose time is up reads as expired."""
        return "expired" if self.status == "pending" and self.expires <= now else self.status

    def __repr__(self) -> str:
        return f"Wish({self.kind} {self.status} of {self.who}: {self.text!r})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))


def units(text: str) -> int:
    """UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def fold(text: str) -> str:
    """A to Z in lower case, nothing else."""
    return re.sub("[A-Z]", lambda found: found[0].lower(), text)


def cut(text: str, limit: int) -> str:
    """The longest beginning of whole characters within the limit, and an ellipsis where something is cut."""
    if units(text) <= limit:
        return text
    return next(text[:end] for end in range(len(text), -1, -1) if units(text[:end]) <= limit) + "…"


class Oracle:
    """Entries, ledger rows and proposals as the contract wants them."""

    def __init__(
        self, limits: dict[tuple[str, str], int], policies: dict[str, str], queue: tuple[int, int]
    ) -> None:
        self.limits = limits
        self.policies = policies
        self.queue = queue
        self.items: list[Item] = []
        self.rows: list[dict[str, Any]] = []
        self.changes: list[list[Step]] = []
        self.wishes: list[Wish] = []
        self.grants: dict[Any, tuple[str, str, str]] = {}
        self.over: list[tuple[str, str, str]] = []
        self.frozen: dict[Who, dict[str, Any]] = {}

    # What is seen.

    def visible(self, who: Who) -> list[Item]:
        """Shared entries and the agent's own, user-global or of the session's workspace; creation order."""
        return sorted(
            (
                item
                for item in self.items
                if item.agent in ("", who.agent) and item.workspace in ("", who.workspace)
            ),
            key=lambda item: item.born,
        )

    def used(self, layer: tuple[str, str, str]) -> int:
        return sum(units(item.text) for item in self.items if item.layer == layer)

    def usage(self, layer: tuple[str, str, str]) -> dict[str, Any]:
        track, scope, _ = layer
        return {"track": track, "scope": scope, "used": self.used(layer), "limit": self.limits[track, scope]}

    def budgets(self, workspace: str) -> list[dict[str, Any]]:
        return [
            self.usage((track, scope, workspace if scope == "workspace" else "")) for track, scope in LAYERS
        ]

    def query(
        self, seen: Iterable[Item], text: str, track: str | None, scope: str | None, tags: Sequence[str]
    ) -> list[Item]:
        hits = [
            item
            for item in seen
            if fold(text) in fold(item.text)
            and track in (None, item.track)
            and scope in (None, item.scope)
            and set(tags) <= set(item.tags)
        ]
        return sorted(hits, key=lambda item: (-item.count, -item.updated, -item.touched))

    def recall(self, who: Who, hits: Sequence[Item], text: Any, track: Any, scope: Any, now: int) -> None:
        for item in hits:
            item.count += 1
            item.recalled = max(item.recalled or 0, now)
        self.row("recalled", track, scope, None, text, "ok", "keepgate", who.session)

    # What a change would do.

    def resolve(self, who: Who, track: str, scope: str, target: dict[str, Any]) -> Item:
        layer = (track, scope, who.workspace if scope == "workspace" else "")
        seen = [item for item in self.visible(who) if item.layer == layer]
        name = target.get("match", target.get("id"))
        if "id" in target:
            hits = [item for item in seen if item.id is target["id"]]
            hits = [item for item in hits if target.get("version") in (None, item.version)]
        else:
            hits = [item for item in seen if fold(target["match"]) in fold(item.text)]
        where = {"track": track, "scope": scope, "match": name}
        if not hits:
            raise Refusal("ENTRY_NOT_FOUND", **where)
        if len(hits) > 1:
            sample = [cut(item.text, 200) for item in hits[:10]]
            raise Refusal("AMBIGUOUS_MATCH", **where, candidates=len(hits), sample=sample)
        return hits[0]

    def plan(self, kind: str, change: dict[str, Any], who: Who, now: int) -> Planned:
        """Steps, question and warnings of a change on the store as it is. Raises :class:`Refusal`."""
        steps = getattr(self, f"_{kind}")(change, who, now)
        deltas: dict[Any, int] = {}
        for step in steps:
            grown = units(step.after.text) if step.after else 0
            shrunk = units(step.before.text) if step.before else 0
            deltas[step.item.layer] = deltas.get(step.item.layer, 0) + grown - shrunk
        for layer, delta in deltas.items():
            limit, used = self.limits[layer[:2]], self.used(layer)
            if delta > 0 and used + delta > limit:
                raise Refusal(
                    "BUDGET_EXCEEDED",
                    track=layer[0],
                    scope=layer[1],
                    used=used,
                    limit=limit,
                    needed=used + delta,
                )
        source = self._named_source(kind, change, steps)
        content = (kind, who.agent, who.workspace, source, tuple(_bound(step) for step in steps))
        text = payload(kind, change, steps)
        return Planned(kind, who, change, steps, text, source, content, self._warned(who, steps))

    def _new(self, who: Who, draft: dict[str, Any], agent: str, now: int) -> Item:
        self._require_workspace(draft, who)
        return Item(
            id=Sym(), track=draft["track"], scope=draft["scope"],
            workspace=draft.get("workspaceKey", who.workspace) if draft["scope"] == "workspace" else "",
            agent=agent, text=draft["text"],
            source=draft.get("source") or "keepgate", tags=list(dict.fromkeys(draft.get("tags") or ())),
            version=1, created=now, updated=now, session=who.session,
        )  # fmt: skip

    def _add(self, change: dict[str, Any], who: Who, now: int) -> list[Step]:
        return [Step("add", None, self._new(who, change, change.get("agentKey", who.agent), now))]

    def _seed(self, change: dict[str, Any], who: Who, now: int) -> list[Step]:
        return [self._add(draft, who, now)[0] for draft in change["entries"]]

    def _remove(self, change: dict[str, Any], who: Who, now: int) -> list[Step]:
        self._require_workspace(change, who)
        return [Step("remove", copy(self.resolve(who, change["track"], change["scope"], change)), None)]

    def _replace(self, change: dict[str, Any], who: Who, now: int) -> list[Step]:
        self._require_workspace(change, who)
        item = self.resolve(who, change["track"], change["scope"], change)
        after = copy(item)
        after.text = change["text"]
        after.tags = item.tags if change.get("tags") is None else list(dict.fromkeys(change["tags"]))
        after.version, after.updated, after.session = item.version + 1, max(now, item.updated), who.session
        return [Step("replace", copy(item), after)]

    def _consolidate(self, change: dict[str, Any], who: Who, now: int) -> list[Step]:
        self._require_workspace(change, who)
        found: list[Item] = []
        for match in change["matches"]:
            item = self.resolve(who, change["track"], change["scope"], {"match": match})
            if item in found:
                raise Refusal("ENTRY_NOT_FOUND", track=change["track"], scope=change["scope"], match=match)
            found.append(item)
        agent = who.agent if any(item.agent for item in found) else ""
        added = self._new(who, change, change.get("agentKey", agent), now)
        return [
            *(Step("consolidate-remove", copy(item), None) for item in found),
            Step("consolidate-add", None, added),
        ]

    def _undo(self, change: dict[str, Any], who: Who, now: int) -> list[Step]:
        seq = change["seq"]
        done = next((steps for steps in self.changes if steps[0].seq <= seq <= steps[-1].seq), None)
        if done is None and 0 < seq <= len(self.rows) and self.rows[seq - 1]["action"] == "seed":
            # A batch's own row stands in front of its entries' rows.
            done = next(steps for steps in self.changes if steps[0].seq == seq + 1)
        # Of a batch that reached into several workspaces, each takes back its part.
        own = [step for step in done or () if self._seen(who, step.item)]
        if not own:
            raise Refusal("INVALID_INPUT")
        # What was taken back with another part of the same change is left as it is.
        left = [step for step in own if not self._undone(step)]
        return [self._inverse(step, who, now) for step in reversed(left or own)]

    def _undone(self, step: Step) -> bool:
        lives = [later for steps in self.changes for later in steps if later.item.id is step.item.id]
        return step is not lives[-1] and step is lives[-2] and lives[-1].action.startswith("undo-")

    def _inverse(self, step: Step, who: Who, now: int) -> Step:
        latest = [later for steps in self.changes for later in steps if later.item.id is step.item.id][-1]
        if latest is not step:
            raise Refusal("INVALID_INPUT")
        current = next((item for item in self.items if item.id is step.item.id), None)
        if step.before is None:
            assert current is not None
            return Step("undo-remove", copy(current), None)
        back = copy(step.before)
        last = current or step.before
        back.version, back.updated, back.session = last.version + 1, max(now, last.updated), who.session
        back.recalled, back.count = (current.recalled, current.count) if current else (None, 0)
        return Step("undo-replace" if current else "undo-add", copy(current) if current else None, back)

    def _require_workspace(self, change: dict[str, Any], who: Who) -> None:
        if change["scope"] == "workspace" and not who.workspace:
            raise Refusal("INVALID_INPUT")

    def _seen(self, who: Who, item: Item) -> bool:
        return item.agent in ("", who.agent) and item.workspace in ("", who.workspace)

    def _named_source(self, kind: str, change: dict[str, Any], steps: list[Step]) -> str | None:
        if kind == "remove":
            return steps[0].item.source
        if kind == "seed":
            sources = {step.item.source for step in steps}
            return sources.pop() if len(sources) == 1 else "keepgate"
        return change.get("source") or "keepgate"

    def _warned(self, who: Who, steps: list[Step]) -> bool:
        hidden = any(set(step.after.text) & set(HIDDEN) for step in steps if step.after)
        gone = {step.item.id for step in steps if step.after is None}
        twins = [
            item
            for step in steps
            if step.before is None
            for item in self.visible(who)
            if item.layer == step.item.layer
            and fold(item.text) == fold(step.item.text)
            and item.id not in gone
        ]
        touched = {step.item.id for step in steps}
        alike = any(
            nearly(item.text, step.item.text)
            for step in [step for step in steps if step.before is None][:20]
            for item in self.visible(who)
            if item.layer == step.item.layer and item.id not in touched
        )
        return hidden or bool(twins) or alike

    # What becomes of it.

    def policy(self, planned: Planned, *, given: bool) -> str:
        """``given``: the caller named a source, which can only make things stricter."""
        layers = {f"{item.track}/{item.scope}" for item in (step.item for step in planned.steps)}
        found = [self.policies.get(layer, self.policies["*"]) for layer in layers]
        if not given and planned.kind not in ("remove", "undo") and "source:keepgate" in self.policies:
            found = [self.policies["source:keepgate"]]
        sources = {item.source for step in planned.steps for item in (step.before, step.after) if item}
        if planned.source:
            sources.add(planned.source)
        found += [rule for key, rule in self.policies.items() if key.removeprefix("source:") in sources]
        return max(found, key=STRICTER.index)

    def open(self, planned: Planned, now: int, *, given: bool) -> list[Step] | Wish:
        """A write before anyone is asked: done by policy or grant, or a wish to be decided."""
        self.expire(now)
        policy = self.policy(planned, given=given)
        if policy == OFF:
            self._denied(planned, "rejected (via policy, writePolicy off)")
            raise Refusal("WRITE_DENIED", outcome="rejected", reason="policy")
        if policy == AUTO:
            return self.commit(planned, "allowed-once (via policy, writePolicy auto)")
        if (grant := self._grant(planned)) and grant in self.grants:
            return self.commit(planned, "allowed-once (via session grant, writePolicy ask)")
        for wish in self.wishes:
            # By somebody of this workspace and agent, the same, and nobody waits for it any more.
            same = wish.content == planned.content and wish.form == form(planned)
            if wish.status == "pending" and same and not wish.waiting:
                wish.waiting, wish.who = True, planned.who
                return wish
        return self._propose(planned, now, waiting=True)

    def create(self, planned: Planned, now: int, *, given: bool) -> Wish:
        """A wish for the inbox; nobody is asked."""
        self.expire(now)
        if self.policy(planned, given=given) == OFF:
            self._denied(planned, "rejected (via policy, writePolicy off)")
            raise Refusal("WRITE_DENIED", outcome="rejected", reason="policy")
        alike = [
            wish
            for wish in self.wishes
            if (wish.status, wish.content, wish.form) == ("pending", planned.content, form(planned))
        ]
        if alike:
            return min(alike, key=lambda wish: wish.waiting)
        wish = self._propose(planned, now, waiting=False)
        self._wish_row(wish, "proposal", "pending")
        return wish

    def expire(self, now: int) -> None:
        """Wishes that nobody decided in time are closed before anything else is stored."""
        for wish in self.wishes:
            if wish.status_at(now) != wish.status:
                self.deny(wish, "cancelled", "expiry", status="expired")

    def _propose(self, planned: Planned, now: int, *, waiting: bool) -> Wish:
        pending = [wish for wish in self.wishes if wish.status == "pending"]
        of_session = [wish for wish in pending if wish.who.session == planned.who.session]
        of_workspace = [wish for wish in pending if wish.who.workspace == planned.who.workspace]
        if len(of_session) >= self.queue[0] or len(of_workspace) >= self.queue[1]:
            self._denied(planned, "unavailable (via approval, writePolicy ask)")
            raise Refusal("WRITE_DENIED", outcome="unavailable", reason="queue-full")
        wish = Wish(
            Sym(), planned.kind, planned.who, planned.change, planned.text, planned.source, planned.content,
            form(planned), now + MONTH_MS, waiting=waiting,
        )  # fmt: skip
        self.wishes.append(wish)
        return wish

    def allow(
        self, wish: Wish, content: Any, via: str, now: int, *, session: bool = False
    ) -> list[Step] | None:
        """A yes to ``content``: the steps done, or ``None`` when the change is another one by now."""
        if wish.status_at(now) != "pending":
            raise Refusal("PROPOSAL_NOT_FOUND", id=wish.id)
        label = f"allowed-once (via {via}, writePolicy ask)"
        try:
            planned = self.plan(wish.kind, wish.change, wish.who, now)
        except Refusal as refusal:
            wish.status, wish.waiting = "refused", False
            self._wish_row(wish, f"{wish.kind}-refused", f"{refusal.code} ({label})")
            raise
        if self.policy(planned, given=self.labelled(wish.kind, wish.change)) == OFF:
            self.deny(wish, "rejected", "policy", policy=OFF)
            raise Refusal("WRITE_DENIED", outcome="rejected")
        if planned.content != wish.content:
            wish.content, wish.text = planned.content, planned.text
        if planned.content != content:
            return None
        wish.steps = self.commit(planned, label)
        if session and (grant := self._grant(planned)) and grant not in self.grants:
            item = planned.steps[0].item
            whose = f"kept for {item.agent}" if item.agent else "shared"
            told = (item.track, f"adding to {item.track}/workspace, {whose}", planned.who.session)
            self.grants[grant] = told
            self._grant_row("grant", told, "given")
        wish.status, wish.waiting, wish.outcome = "approved", False, "allowed-once"
        return wish.steps

    def restart(self) -> None:
        """What was allowed for the rest of sessions is over with them; a sweep will tell the ledger."""
        self.over += self.grants.values()
        self.grants.clear()

    def sweep(self, now: int) -> None:
        """What is noted of what is over."""
        self.expire(now)
        for told in self.over:
            self._grant_row("grant-ended", told, "process gone")
        self.over.clear()

    def deny(
        self, wish: Wish, outcome: str, via: str, *, policy: str = ASK, status: str = "dismissed"
    ) -> None:
        wish.status, wish.waiting, wish.outcome = status, False, outcome
        self._wish_row(wish, f"{wish.kind}-denied", f"{outcome} (via {via}, writePolicy {policy})")

    def leave(self, wish: Wish) -> None:
        """Nobody decided: it stays in the inbox."""
        wish.waiting = False
        self._wish_row(wish, f"{wish.kind}-denied", "unavailable (via approval, writePolicy ask)")

    def commit(self, planned: Planned, label: str) -> list[Step]:
        if planned.kind == "seed":
            self.row("seed", None, None, None, planned.text, label, planned.source, planned.who.session)
        for step in planned.steps:
            item = step.item
            seq = self.row(
                step.action,
                item.track,
                item.scope,
                item.id,
                item.text,
                label,
                item.source,
                planned.who.session,
            )
            step.seq = seq
            at = next((index for index, old in enumerate(self.items) if old.id is item.id), None)
            if step.after is None:
                assert at is not None
                del self.items[at]
                continue
            kept = copy(step.after)
            kept.born, kept.touched = kept.born or seq, seq
            step.after = copy(kept)
            if at is None:
                self.items.append(kept)
            else:
                self.items[at] = kept
        self.changes.append(planned.steps)
        return planned.steps

    def row(self, *values: Any) -> int:
        names = ("action", "track", "scope", "entryId", "text", "outcome", "source", "sessionId")
        self.rows.append({"seq": len(self.rows) + 1, **dict(zip(names, values, strict=True))})
        return len(self.rows)

    def _denied(self, planned: Planned, outcome: str) -> None:
        track, scope = _place(planned.kind, planned.steps)
        session = planned.who.session
        self.row(f"{planned.kind}-denied", track, scope, None, planned.text, outcome, planned.source, session)

    def _grant_row(self, action: str, told: tuple[str, str, str], outcome: str) -> None:
        track, text, session = told
        self.row(action, track, "workspace", None, text, outcome, None, session)

    def _wish_row(self, wish: Wish, action: str, outcome: str) -> None:
        batch = wish.kind in ("seed", "undo")
        track, scope = ("batch", "batch") if batch else (wish.change["track"], wish.change["scope"])
        self.row(action, track, scope, None, wish.text, outcome, wish.source, wish.who.session)

    def labelled(self, kind: str, change: dict[str, Any]) -> bool:
        """Whether a change gives a label other than the product's own."""
        drafts = change["entries"] if kind == "seed" else [change]
        return any((draft.get("source") or "keepgate") != "keepgate" for draft in drafts)

    def _grant(self, planned: Planned) -> Any:
        if planned.kind != "add" or planned.warned or planned.steps[0].item.scope != "workspace":
            return None
        item = planned.steps[0].item
        return planned.who.session, planned.who.agent, item.layer, item.agent


def nearly(one: str, other: str) -> bool:
    """Whether two texts share 72 in 100 of their runs of three letters, digits and blanks."""
    first, second = _runs(one), _runs(other)
    return bool(first and second) and len(first & second) >= 0.72 * len(first | second)


def _runs(text: str) -> set[str]:
    words = "".join(char if char.isalnum() else " " for char in text.casefold()).split()
    plain = f" {' '.join(words or text.casefold().split())} "
    return {plain[place : place + 3] for place in range(len(plain) - 2)}


def form(planned: Planned) -> Any:
    """How a change names its targets: of two that do the same today, each may do something else tomorrow."""
    change = planned.change
    match planned.kind:
        case "replace" | "remove":
            target = tuple(change.get(name) for name in ("match", "id", "version"))
            return (target, None if change.get("tags") is None else tuple(dict.fromkeys(change["tags"])))
        case "consolidate":
            return tuple(change["matches"]), change.get("agentKey")
        case "undo":
            return change["seq"]
    return None


def payload(kind: str, change: dict[str, Any], steps: list[Step]) -> str:
    """The text of the question: the whole change."""
    match kind:
        case "add" | "remove":
            return steps[0].item.text
        case "replace":
            return _from_to(steps[0])
        case "consolidate":
            lines = []
            for match, step in zip(change["matches"], steps[:-1], strict=True):
                lines += [f"remove: {match}", cut(step.item.text, 300)]
            return "\n".join([*lines, f"new text: {change['text']}"])
        case "seed":
            return "\n".join(f"{step.item.track}/{step.item.scope}: {step.item.text}" for step in steps)
    texts: dict[str, Callable[[Step], str]] = {
        "undo-add": lambda step: f"restore:\n{step.item.text}",
        "undo-remove": lambda step: f"remove:\n{step.item.text}",
        "undo-replace": _from_to,
    }
    return "\n\n".join(texts[step.action](step) for step in steps)


def _from_to(step: Step) -> str:
    assert step.before is not None
    assert step.after is not None
    return f"from:\n{step.before.text}\n\nto:\n{step.after.text}"


def _place(kind: str, steps: list[Step]) -> tuple[str, str]:
    return ("batch", "batch") if kind in ("seed", "undo") else (steps[0].item.track, steps[0].item.scope)


def _bound(step: Step) -> Any:
    before, after = step.before, step.after
    return (
        step.action,
        before and (before.id, before.version, before.text),
        after and (after.layer, after.agent, after.text, tuple(after.tags), after.source),
    )
