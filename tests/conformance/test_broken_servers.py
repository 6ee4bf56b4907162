"""Each broken server fails the cases made for its defect and no others; the well-behaved one fails none."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from keepgate.conformance.case_files import load_cases

HERE = Path(__file__).parent


def _module(folder: Path, name: str) -> ModuleType:
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


certification = _module(HERE, "certification")
DEFECTS = _module(HERE / "broken", "defects").DEFECTS
PROVIDERS = _module(HERE / "broken", "proxy").CASES


def test_the_well_behaved_server_is_certified() -> None:
    """Nothing fails, and little is skipped: what needs our own store, or a local caller."""
    outcomes = certification.run_command(certification.broken(), load_cases("verbs"))
    skipped = [name for name, outcome in outcomes.items() if outcome.status == "skipped"]

    assert [] == certification.failed(outcomes)
    assert len(skipped) < 12


@pytest.mark.parametrize("name", list(DEFECTS))
def test_a_broken_server_fails_the_case_made_for_it(name: str) -> None:
    """The cases that were made for a defect fail, run alone."""
    defect = DEFECTS[name]
    cases = [case for case in load_cases("verbs") if case.id == defect.failing[0]]
    outcomes = certification.run_command(certification.broken(name), cases, limit_s=defect.seconds)

    assert [defect.failing[0]] == certification.failed(outcomes)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(DEFECTS))
def test_a_broken_server_fails_no_other_case(name: str) -> None:
    """Of all cases those fail that the defect names."""
    defect = DEFECTS[name]
    outcomes = certification.run_command(
        certification.broken(name), load_cases("verbs"), limit_s=defect.seconds
    )

    assert sorted(defect.failing) == certification.failed(outcomes)


@pytest.mark.parametrize("name", list(PROVIDERS))
def test_a_broken_provider_fails_the_case_made_for_it(name: str) -> None:
    """The same for providers of dsh-memory-protocol."""
    cases = [case for case in load_cases("dsh") if case.id == PROVIDERS[name][0]]
    outcomes = certification.run_command(
        certification.broken(name, script="proxy.py"), cases, contract="dsh", limit_s=60
    )

    assert [PROVIDERS[name][0]] == certification.failed(outcomes)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", *PROVIDERS])
def test_a_broken_provider_fails_no_other_case(name: str) -> None:
    """Of all cases those fail that the defect names; a proxy that changes nothing breaks nothing."""
    outcomes = certification.run_command(
        certification.broken(name, script="proxy.py"), load_cases("dsh"), contract="dsh", limit_s=60
    )

    assert sorted(PROVIDERS.get(name, [])) == certification.failed(outcomes)


def test_many_cases_have_a_server_that_fails_them() -> None:
    """At least twenty-five servers, and more than half of the cases of the contract itself."""
    named = {name for defect in DEFECTS.values() for name in defect.failing}
    musts = {case.id for case in load_cases("verbs") if case.level == "must"}

    assert len(DEFECTS) >= 25
    assert len(named & musts) > len(musts) / 2
    assert named <= {case.id for case in load_cases("verbs")}
