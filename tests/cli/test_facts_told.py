"""What the commands for memories tell of facts: the ledger, the reasons, and taking a change back."""

import pytest

FACT = "Prefers small commits."


@pytest.fixture
def remembered(keepgate):
    """A fact that was forgotten, in a store whose owner lets writes through."""
    keepgate.trusting()
    keepgate.here("remember", FACT, "--provenance", "said in chat", "--entity", "people/me")
    keepgate.here("forget", "1", "--reason", "not any more")


def test_why_shows_the_fact_and_each_change(keepgate, remembered):
    """And that it has expired."""
    said = keepgate.here("why", "1").out

    assert FACT in said
    assert "This fact has expired." in said
    assert ["Version 1, remember", "Version 2, forget"] == [
        line.partition(":")[0] for line in said.splitlines() if line.startswith("Version")
    ]


def test_the_audit_shows_the_rows_of_a_fact(keepgate, remembered):
    """With facts in the place of the track that they do not have."""
    rows = keepgate.here("audit", "--entry", "1").out

    assert "forget" in rows
    assert "remember" in rows
    assert "facts/workspace" in rows


def test_an_undo_tells_what_became_of_the_fact(keepgate, remembered):
    """Brought back, and expired again."""
    assert f"Brought back fact 1: {FACT}" in keepgate.here("undo", "2").out
    assert f"Expired fact 1: {FACT}" in keepgate.here("undo", "3").out
