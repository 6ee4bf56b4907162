"""What the usage log adds up to."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from attrs import field, frozen

from keepgate.core.model.times import iso
from keepgate.service.usage import installed_at, read_lines, usage_folder

DAY_MS: Final = 86_400_000


@frozen(kw_only=True)
class VerbUsage:
    """One verb's calls; latency in milliseconds, over all of them."""

    calls: int
    errors: int
    avg_latency_ms: float
    budget_dropped_total: int
    found: int | None = None
    missed: int | None = None


@frozen(kw_only=True)
class UsageStats:
    """The calls of a time. ``first_call_after_s``: from the first use of keepgate here to its first verb."""

    days: int
    total_calls: int
    by_verb: dict[str, VerbUsage] = field(factory=dict)
    installed_at: str | None
    first_call_at: str | None
    last_call: dict[str, str] | None
    first_call_after_s: float | None
    path: str


def usage_stats(state_folder: str, *, days: int, now_ms: int) -> UsageStats:
    """Add up the last ``days``. Raises ``OSError`` for a log that cannot be read."""
    lines = list(read_lines(state_folder))
    since = iso(now_ms - days * DAY_MS)
    recent = [line for line in lines if str(line.get("ts", "")) >= since]
    verbs: dict[str, list[Mapping[str, Any]]] = {}
    for line in recent:
        verbs.setdefault(line["verb"], []).append(line)
    first = str(lines[0]["ts"]) if lines and "ts" in lines[0] else None
    stamp = installed_at(state_folder)
    last = recent[-1] if recent else None
    return UsageStats(
        days=days,
        total_calls=len(recent),
        by_verb={verb: _added_up(verb, some) for verb, some in sorted(verbs.items())},
        installed_at=stamp,
        first_call_at=first,
        last_call=None if last is None else {"verb": last["verb"], "ts": str(last.get("ts"))},
        first_call_after_s=_between_s(stamp, first),
        path=str(usage_folder(state_folder) / "memory-verbs.jsonl"),
    )


def summary(state_folder: str, *, now_ms: int) -> str:
    """The last 30 days in one line. Raises ``OSError`` for a log that cannot be read."""
    found = usage_stats(state_folder, days=30, now_ms=now_ms)
    if found.last_call is None:
        return "no verb calls in 30d"
    mix = ", ".join(f"{verb} {one.calls}" for verb, one in found.by_verb.items())
    last = found.last_call
    return f"{found.total_calls} verb calls in 30d ({mix}); last {last['verb']} at {last['ts']}"


def _added_up(verb: str, lines: Iterable[Mapping[str, Any]]) -> VerbUsage:
    some = list(lines)
    found = [line["entity_found"] for line in some if isinstance(line.get("entity_found"), bool)]
    return VerbUsage(
        calls=len(some),
        errors=sum(line.get("ok") is not True for line in some),
        avg_latency_ms=round(sum(_number(line, "latency_ms") for line in some) / len(some), 2),
        budget_dropped_total=int(sum(_number(line, "budget_dropped") for line in some)),
        found=sum(found) if verb == "entity" else None,
        missed=len(found) - sum(found) if verb == "entity" else None,
    )


def _number(line: Mapping[str, Any], name: str) -> float:
    value = line.get(name, 0)
    return value if isinstance(value, int | float) else 0


def _between_s(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    try:
        return round((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds(), 1)
    except (ValueError, TypeError):
        return None
