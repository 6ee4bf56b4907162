"""Runs cases against a target: one after the other, whatever the target does."""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from attrs import define, field, frozen

from keepgate.conformance.case_files import STRICT, Case
from keepgate.conformance.replies import SILENT, UNREACHABLE, TargetFailure
from keepgate.conformance.steps import Mismatch, Steps
from keepgate.conformance.target import MAIN, Endpoint, Target

PASSED: Final = "passed"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"
PATIENCE: Final = 4
"""After so many silences, or starts that failed in a row, the rest is given up."""

_WHY: Final[Mapping[str, str]] = {
    "strict": "stricter than the contract; --strict asks for it",
    "synthesize": "it may cost money; --synthesize allows it",
    "fresh": "it needs a store that is empty, and this one is not the runner's",
    "remote": "this target treats the runner as a local caller",
    "local": "this target treats the runner as a remote caller",
    "own": "it is about a store that the runner has made",
    "restart": "the runner did not start this target",
    "approvals": "this target cannot ask the runner for approval",
    "mcp": "it is about MCP, which this target does not speak",
    "stdio": "it is about a process on pipes",
}


@frozen(kw_only=True)
class Outcome:
    """How a case ended; ``message`` says why unless it passed."""

    id: str
    title: str
    level: str
    status: str
    message: str
    took_ms: int


@define(kw_only=True)
class Run:
    """One certification: the connections that are open, and how often the target failed to answer."""

    endpoint: Endpoint
    schemas: Mapping[str, Any]
    marker: str
    strict: bool
    limit_s: float
    extra: frozenset[str] = frozenset()
    _open: dict[str, Target] = field(factory=dict)
    _silences: int = 0
    _failed_starts: int = 0
    _count: int = 0

    def cases(self, cases: Iterable[Case], told: Callable[[Outcome], None]) -> list[Outcome]:
        """Run the cases in order; ``told`` hears of each as it ends."""
        outcomes = []
        try:
            for case in cases:
                began = time.monotonic()
                status, message = self._case(case)
                took_ms = round((time.monotonic() - began) * 1000)
                outcome = Outcome(
                    id=case.id,
                    title=case.title,
                    level=case.level,
                    status=status,
                    message=message,
                    took_ms=took_ms,
                )
                outcomes.append(outcome)
                told(outcome)
        finally:
            self._let_go()
        return outcomes

    def _case(self, case: Case) -> tuple[str, str]:
        if case.level == STRICT and not self.strict:
            return SKIPPED, _WHY["strict"]
        if (missing := self._missing(case, self.endpoint.features, known_only=True)) is not None:
            return SKIPPED, missing
        if self._silences >= PATIENCE or self._failed_starts >= PATIENCE:
            return FAILED, "given up: the target failed to answer too often"
        try:
            return self._judged(case)
        except Mismatch as error:
            return FAILED, str(error)
        except TargetFailure as error:
            self._silences += error.kind in (SILENT, UNREACHABLE)
            failure = f"{error.where or 'start'}: {error.kind}: {error}"
        except RecursionError:
            failure = "garbage: the answer is nested too deeply to be judged"
        self._let_go()
        return FAILED, failure

    def _judged(self, case: Case) -> tuple[str, str]:
        main = self.connection(MAIN)
        if (missing := self._missing(case, main.features, known_only=False)) is not None:
            return SKIPPED, missing
        self._count += 1
        Steps(run=self, word=f"{self.marker}x{self._count}").all(case.steps)
        return PASSED, ""

    def _missing(self, case: Case, has: frozenset[str], *, known_only: bool) -> str | None:
        """Why a target cannot run a case, or ``None``. Before it is started only some things are known."""
        later = ("tool:", "remote", "local", "approvals", "mcp", "stdio")
        for feature in case.requires:
            if feature in has or feature in self.extra or (known_only and feature.startswith(later)):
                continue
            if feature.startswith("tool:"):
                return f"the target does not offer {feature.removeprefix('tool:')}"
            if feature.startswith("as:"):
                return f"the runner cannot speak to this target as {feature.removeprefix('as:')!r}"
            return _WHY.get(feature, f"the target is not {feature}")
        return None

    def connection(self, role: str) -> Target:
        """The started connection of a role. Raises ``TargetFailure``."""
        if role not in self._open:
            target = self.endpoint.connect(role)
            try:
                target.start(max(self.limit_s, 10.0))
            except TargetFailure:
                self._failed_starts += 1
                target.close()
                raise
            self._failed_starts = 0
            target.features |= self.endpoint.features
            self._open[role] = target
        return self._open[role]

    def restart(self) -> None:
        """Let every connection go; the next use starts it again."""
        self._let_go()

    def _let_go(self) -> None:
        for target in self._open.values():
            target.close()
        self._open.clear()


def counts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """How many passed, failed and were skipped."""
    found = dict.fromkeys((PASSED, FAILED, SKIPPED), 0)
    for outcome in outcomes:
        found[outcome.status] += 1
    return found
