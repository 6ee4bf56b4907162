"""The usage of the verbs, for ``keepgate protocol stats``."""

import time

from keepgate.cli.common import Globals
from keepgate.cli.output import Output
from keepgate.cli.running import store_place
from keepgate.fronts.terminal.screen import Column, Screen
from keepgate.protocol.wire import unstructure
from keepgate.service.usage_stats import UsageStats, usage_stats

_NOTE = "This log stays on this machine and holds no text."


def show_stats(given: Globals, days: int) -> None:
    """Add up the log and show it. Raises ``OSError`` for a log that cannot be read."""
    _, state_folder = store_place(given)
    found = usage_stats(state_folder, days=days, now_ms=time.time_ns() // 1_000_000)
    output = Output(given)
    if given.as_json:
        output.document({**as_snake(found), "note": _NOTE})
    else:
        _draw(output.screen, found)


def as_snake(stats: UsageStats) -> dict[str, object]:
    """The stats as a document, named as the verbs' own fields are."""
    verbs = {
        verb: {
            "calls": one.calls,
            "errors": one.errors,
            "avg_latency_ms": one.avg_latency_ms,
            "budget_dropped_total": one.budget_dropped_total,
            **({} if one.found is None else {"found": one.found, "missed": one.missed}),
        }
        for verb, one in stats.by_verb.items()
    }
    return {
        "days": stats.days,
        "total_calls": stats.total_calls,
        "by_verb": verbs,
        "installed_at": stats.installed_at,
        "first_call_at": stats.first_call_at,
        "first_call_after_s": stats.first_call_after_s,
        "last_call": unstructure(stats.last_call),
        "path": stats.path,
    }


def _draw(screen: Screen, stats: UsageStats) -> None:
    screen.line(f"{stats.total_calls} verb calls in {stats.days} days")
    screen.table(
        [
            Column(title="verb"),
            *(Column(title=title, right=True) for title in ("calls", "errors", "ms", "dropped", "found")),
        ],
        [
            [
                verb,
                str(one.calls),
                str(one.errors),
                f"{one.avg_latency_ms:.1f}",
                str(one.budget_dropped_total),
                "" if one.found is None else f"{one.found}/{one.found + (one.missed or 0)}",
            ]
            for verb, one in stats.by_verb.items()
        ],
    )
    if stats.first_call_after_s is not None:
        screen.line(f"First verb call {stats.first_call_after_s:.0f} s after keepgate was first used here.")
    screen.line(f"{stats.path}. {_NOTE}")
