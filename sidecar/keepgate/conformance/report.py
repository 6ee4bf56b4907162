"""What a run came to: one document for programs, a table for people."""

from collections.abc import Sequence
from typing import Any

from keepgate.conformance.runner import FAILED, SKIPPED, Outcome, counts


def as_document(outcomes: Sequence[Outcome], *, contract: str, target: str, marker: str) -> dict[str, Any]:
    """The result as JSON; ``ok`` is true when nothing failed and something passed."""
    found = counts(outcomes)
    return {
        "contract": contract,
        "target": target,
        "marker": marker,
        "ok": is_certified(outcomes),
        **found,
        "cases": [
            {
                "id": outcome.id,
                "title": outcome.title,
                "level": outcome.level,
                "status": outcome.status,
                **({"message": outcome.message} if outcome.message else {}),
                "ms": outcome.took_ms,
            }
            for outcome in outcomes
        ],
    }


def is_certified(outcomes: Sequence[Outcome]) -> bool:
    """Nothing failed, and not because nothing was run."""
    found = counts(outcomes)
    return found["failed"] == 0 and found["passed"] > 0


def rows(outcomes: Sequence[Outcome]) -> list[list[str]]:
    """Group, passed, failed and skipped, in the order in which the groups were met."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.id.partition("/")[0], []).append(outcome)
    return [
        [name, *(str(counts(some)[status]) for status in ("passed", "failed", "skipped"))]
        for name, some in groups.items()
    ]


def failures(outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each failed case, and one under it that says what was wrong."""
    lines = []
    for outcome in outcomes:
        if outcome.status == FAILED:
            lines += [f"failed  {outcome.id}: {outcome.title}", f"        {outcome.message}"]
    return lines


def skips(outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each reason with the cases that were skipped for it."""
    reasons: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.status == SKIPPED:
            reasons.setdefault(outcome.message, []).append(outcome.id)
    return [f"skipped {', '.join(names)}: {reason}" for reason, names in reasons.items()]


def verdict(outcomes: Sequence[Outcome]) -> str:
    """The last line."""
    found = counts(outcomes)
    words = "certified" if is_certified(outcomes) else "not certified"
    return f"{words}: {found['passed']} passed, {found['failed']} failed, {found['skipped']} skipped"
