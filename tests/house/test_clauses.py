"""Every clause of the contract has a test that names it, and no name is made up."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from keepgate.protocol.errors import Code
from keepgate.protocol.ops import OPERATIONS

SECTION = re.compile(r"DSH-\d+")
NAMED = re.compile(r"DSH-\d+(?:-[A-Za-z_]+(?:-[A-Za-z_]+)*)?|VERBS-[a-z_]+")
OURS = {Code.STORE_BUSY, Code.STORE_FULL, Code.STORE_READ_ONLY, Code.PAGE_NOT_FOUND}
"""Codes that keepgate adds to the contract's."""


@pytest.fixture(scope="module")
def clauses(root: Path) -> Mapping[str, str]:
    """Each clause id with what it says."""
    sections = tomllib.loads((root / "tests/house/clauses.toml").read_text(encoding="utf-8"))
    return {f"{number}-{name}": words for number, rows in sections.items() for name, words in rows.items()}


def test_every_clause_is_tested(clauses: Mapping[str, str], tests: Mapping[str, str]) -> None:
    """Each clause id stands in a docstring or comment of a test."""
    named = {name for text in tests.values() for name in NAMED.findall(text)}
    missing = [f"{clause}: {words}" for clause, words in clauses.items() if clause not in named]

    assert [] == missing, "name each in the docstring of a test that shows it:\n" + "\n".join(missing)


def test_no_clause_is_made_up(
    clauses: Mapping[str, str], tests: Mapping[str, str], sources: Mapping[str, str]
) -> None:
    """Whatever code and tests cite is a section or a clause of the list."""
    known = clauses.keys() | {match[0] for name in clauses if (match := SECTION.match(name))}
    cited = {
        f"{path}: {name}"
        for path, text in {**tests, **sources}.items()
        for name in NAMED.findall(text)
        if name not in known
    }

    assert set() == cited


def test_the_table_cites_known_clauses(clauses: Mapping[str, str]) -> None:
    """The clauses of the operation table are sections or clauses of the list."""
    sections = {match[0] for name in clauses if (match := SECTION.match(name))}
    cited = {clause for row in OPERATIONS for clause in row.clauses}

    assert set() == cited - clauses.keys() - sections


def test_every_code_of_the_contract_is_a_clause(clauses: Mapping[str, str]) -> None:
    """The contract's codes are the fault table's, keepgate's own left out."""
    assert {f"DSH-7-{code}" for code in Code if code not in OURS} == {
        name for name in clauses if name.startswith("DSH-7-")
    }
