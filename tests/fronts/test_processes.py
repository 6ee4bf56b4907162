"""Whether a process lives."""

import os
import subprocess
import sys

import pytest

from keepgate.fronts.stdio.processes import Lifeline, has_ended, is_alive


@pytest.mark.parametrize("pid", [0, -1, 2**32, 2**80])
def test_no_process_has_such_an_id(pid: int) -> None:
    """Ids that no process can have are not alive, and no error."""
    assert not is_alive(pid)


def test_this_process_and_its_parent_live() -> None:
    """A running process is alive, whoever it belongs to."""
    assert [True, True, True] == [is_alive(os.getpid()), is_alive(os.getppid()), is_alive(1)]


def test_a_process_that_ended_does_not_live() -> None:
    """Neither before its parent has collected it, nor after."""
    child = subprocess.Popen([sys.executable, "-c", "pass"], stdin=subprocess.DEVNULL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

    alive_uncollected = is_alive(child.pid)
    child.wait()

    assert [False, False] == [alive_uncollected, is_alive(child.pid)]


@pytest.mark.parametrize(
    ("stat", "expected"),
    [
        ("12 (python) S 1 12 12 0", False),
        ("12 (python) Z 1 12 12 0", True),
        ("12 (a) Z (b) R 1 12", False),
        ("12 (Z X) X 1", True),
        ("", False),
    ],
)
def test_state_in_the_process_table(stat: str, expected: bool) -> None:
    """The state stands behind the name, which may look like anything."""
    assert expected == has_ended(stat)


def test_a_parent_that_lives_is_held_on_to() -> None:
    """A lifeline to the running parent holds."""
    assert Lifeline(os.getppid()).holds()
