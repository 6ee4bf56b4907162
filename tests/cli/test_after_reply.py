"""What a command's reply owes is done once it was printed (VERBS-delta)."""

import os
import subprocess
import sys
from typing import Any

import pytest

WAKE = ("--json", "delta", "--session-id", "w")


@pytest.fixture
def awake(keepgate: Any) -> Any:
    """A command line whose session has woken once, and a fact since then."""
    keepgate.trusting()
    assert [] == keepgate.run(*WAKE).json["facts"]
    keepgate.run("remember", "the sky is blue", "--provenance", "test")
    return keepgate


@pytest.mark.parametrize(
    "command", [WAKE, ("call", "verbs/delta", '{"session_id": "w"}')], ids=["command", "call"]
)
def test_what_was_printed_is_not_printed_again(awake: Any, command: tuple[str, ...]) -> None:
    """The cursor has moved when the command has ended."""
    first, second = awake.run(*command), awake.run(*command)

    assert [["the sky is blue"], []] == [
        [fact["fact"] for fact in done.json["facts"]] for done in (first, second)
    ]


def test_what_nobody_could_read_is_printed_again(awake: Any) -> None:
    """The reader of stdout has left: the next command says the same."""
    reading, writing = os.pipe()
    os.close(reading)
    subprocess.run(
        [sys.executable, "-m", "keepgate", *WAKE],
        stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.DEVNULL,
        env=awake.environ, cwd=awake.workspace, check=False,
    )  # fmt: skip
    os.close(writing)

    assert ["the sky is blue"] == [fact["fact"] for fact in awake.run(*WAKE).json["facts"]]
