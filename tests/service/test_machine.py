"""Random sessions, people, drifts and restarts; an oracle says what must come back."""

import importlib
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

EXAMPLES = int(os.environ.get("KEEPGATE_EXAMPLES", "40"))
EXAMPLES_SLOW = int(os.environ.get("KEEPGATE_EXAMPLES_SLOW", "2000"))
PROFILE: dict[str, Any] = {
    "deadline": None,
    "phases": [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    "suppress_health_check": list(HealthCheck),
    "print_blob": True,
}


@pytest.fixture(scope="module")
def machine() -> Any:
    """The machine's class; its three files lie beside this one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parent)
        return importlib.import_module("machine").Machine


@pytest.mark.timeout(600)
def test_the_provider_does_what_the_contract_says(machine: Any) -> None:
    """DSH-2-visibility, DSH-3-gate, DSH-3-reresolve, DSH-6-rebuild: the same runs each time.

    Whatever the sessions, the people and the clock do, every answer is the oracle's, nobody is shown what is
    not theirs, the ledger has exactly the rows that it should, and it proves the store.
    """
    run_state_machine_as_test(
        machine, settings=settings(max_examples=EXAMPLES, stateful_step_count=40, derandomize=True, **PROFILE)
    )


@pytest.mark.slow
def test_the_provider_does_what_the_contract_says_for_long(machine: Any) -> None:
    """The same, with other runs each time, many more and longer ones."""
    run_state_machine_as_test(
        machine, settings=settings(max_examples=EXAMPLES_SLOW, stateful_step_count=60, **PROFILE)
    )
