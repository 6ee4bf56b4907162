"""A certification as a command: choose the target, run the cases, show what it came to."""

import os
import sys
from collections.abc import Callable
from typing import Final

import click
from attrs import frozen

from keepgate.cli.common import Globals
from keepgate.cli.output import Output
from keepgate.conformance import report
from keepgate.conformance.case_files import BadCase, chosen, load_cases
from keepgate.conformance.endpoints import BadTarget, endpoint_of
from keepgate.conformance.registry import schemas_of
from keepgate.conformance.replies import TargetFailure
from keepgate.conformance.runner import Outcome, Run
from keepgate.conformance.target import MAIN
from keepgate.core.model.text import one_line
from keepgate.fronts.terminal.screen import Column

Told = Callable[[Outcome, int, int], None]

_COLUMNS: Final = ("cases", "passed", "failed", "skipped")


@frozen(kw_only=True)
class Wanted:
    """What the command line asks for; ``strict`` is ``None`` where it does not say."""

    target: str | None
    token: str | None
    contract: str
    synthesize: bool
    strict: bool | None
    pattern: str | None
    timeout: float


def certify(given: Globals, wanted: Wanted, told: Told | None) -> bool:
    """Run a certification and show it; returns whether nothing failed. Raises ``UsageError``."""
    try:
        endpoint = endpoint_of(
            wanted.target, contract=wanted.contract, token=wanted.token, limit_s=wanted.timeout
        )
        cases = chosen(load_cases(wanted.contract), wanted.pattern)
    except (BadTarget, BadCase) as error:
        raise click.UsageError(str(error)) from error
    if not cases:
        endpoint.close()
        raise click.UsageError(f"no case is named like {wanted.pattern}")
    marker = f"kg{os.urandom(4).hex()}"
    outcomes: list[Outcome] = []

    def hear(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if told is not None:
            told(outcome, len(outcomes), len(cases))

    run = Run(
        endpoint=endpoint,
        schemas=schemas_of(wanted.contract),
        marker=marker,
        strict="own" in endpoint.features if wanted.strict is None else wanted.strict,
        limit_s=wanted.timeout,
        extra=frozenset({"synthesize"}) if wanted.synthesize else frozenset(),
    )
    try:
        if (failure := _unreachable(run)) is not None:
            _say(f"cannot reach {endpoint.label}: {failure}")
        else:
            if endpoint.note:
                _say(endpoint.note.format(marker=marker))
            run.cases(cases, hear)
    finally:
        endpoint.close()
    if failure is not None and not given.as_json:
        return False
    _show(given, outcomes, contract=wanted.contract, target=endpoint.label, marker=marker)
    return report.is_certified(outcomes)


def _unreachable(run: Run) -> str | None:
    """Why the target cannot be started, if so: one line instead of the same failure for each case."""
    try:
        run.connection(MAIN)
    except TargetFailure as error:
        return str(error)
    return None


def _say(text: str) -> None:
    sys.stderr.write(f"{one_line(text)}\n")
    sys.stderr.flush()


def _show(given: Globals, outcomes: list[Outcome], *, contract: str, target: str, marker: str) -> None:
    output = Output(given)
    if given.as_json:
        output.document(report.as_document(outcomes, contract=contract, target=target, marker=marker))
        return
    screen = output.screen
    screen.line(f"{target}, contract {contract}")
    screen.table([Column(title=title) for title in _COLUMNS], report.rows(outcomes))
    for line in (*report.failures(outcomes), *report.skips(outcomes), report.verdict(outcomes)):
        screen.line(line)
