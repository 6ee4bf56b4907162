"""Who is reachable, who is preferred, and whose turn a question is; the files of several processes in one."""

import os
import time
from pathlib import Path

import pytest

from keepgate.gate.routes import PATIENCE_S, Turns
from keepgate.store.presence import Presence
from keepgate.store.reach import Reach

HERE = frozenset({"/work"})


@pytest.fixture
def window(tmp_path: Path):
    """Makes the reach of one more process."""
    made = []

    def make(*keys: str, store: str = "store") -> Reach:
        presence = Presence(str(tmp_path / "presence"))
        made.append(presence)
        reach = Reach(store, str(tmp_path), presence)
        reach.enter(keys)
        return reach

    yield make
    for presence in made:
        presence.release()


def grow_old(tmp_path: Path, question: str, reach: Reach) -> None:
    """Let a mark be older than anybody's patience."""
    old = time.time() - PATIENCE_S - 1
    os.utime(tmp_path / "reach" / "marks" / f"{question}.{reach.token}", (old, old))


def test_the_latest_activity_is_preferred(window):
    """The one that said so last comes first; the others follow in the same way."""
    one, other, third = window("/work"), window("/work"), window("/work")
    one.active()

    assert [one.token, third.token, other.token] == one.reachable(HERE)


def test_only_those_of_the_workspace(window):
    """Of several workspaces all must be open, and what is of none is everybody's."""
    one, both, nobody = window("/work"), window("/work", "/home"), window()

    assert [both.token] == one.reachable({"/work", "/home"})
    assert {one.token, both.token, nobody.token} == set(nobody.reachable(frozenset()))
    assert [] == nobody.reachable({"/else"})
    nobody.enter(None)
    assert {one.token, both.token} == set(nobody.reachable(frozenset()))


def test_another_store_has_other_windows(window):
    """The same folder with another store is another place."""
    one, other = window("/work"), window("/work", store="another")

    assert ([one.token], [other.token]) == (one.reachable(HERE), other.reachable(HERE))


def test_a_process_that_has_gone(window):
    """Nothing is left of it, and a workspace that is closed is left at once."""
    one, other = window("/work", "/home"), window("/work")
    one.enter({"/home"})
    gone = one.reachable(HERE)
    other._presence.release()

    assert ([other.token], []) == (gone, one.reachable(HERE))


def test_a_folder_that_takes_no_files(tmp_path):
    """The process is not reachable, and nothing is raised."""
    (tmp_path / "reach").write_text("a file")
    presence = Presence(str(tmp_path / "presence"))
    reach = Reach("store", str(tmp_path), presence)

    reach.enter({"/work"})
    reach.active()
    reach.hold("q")
    reach.decline("q")
    reach.let_go("q")

    assert ([], None) == (reach.reachable(HERE), reach.silent_s("q", reach.token))
    presence.release()


def test_old_marks_are_forgotten(window, tmp_path):
    """What killed processes left is removed by one that comes; younger ones stay."""
    one = window("/work")
    one.hold("q")
    one.hold("young")
    long_ago = time.time() - 3 * 24 * 3600
    os.utime(tmp_path / "reach" / "marks" / f"q.{one.token}", (long_ago, long_ago))

    window("/work")

    assert one.silent_s("q", one.token) is None
    assert one.silent_s("young", one.token) is not None


class TestTurns:
    """One question and several windows."""

    def turns(self, reach, waiter=None):
        return Turns(reach, "q", HERE, waiter)

    def test_the_preferred_one_first(self, window):
        """The others wait."""
        other, one = window("/work"), window("/work")

        assert (True, False) == (self.turns(one).is_mine(), self.turns(other).is_mine())

    def test_a_fresh_mark_keeps_it(self, window):
        """As long as it is renewed."""
        other, one = window("/work"), window("/work")
        one.hold("q")
        turns = self.turns(other)

        assert (False, False) == (turns.is_mine(), turns.nobody_else())

    def test_an_old_mark_passes_it_on(self, window, tmp_path):
        """To the next as well, and for good."""
        other, one = window("/work"), window("/work")
        one.hold("q")
        grow_old(tmp_path, "q", one)
        turns = self.turns(other)

        assert (True, True) == (turns.is_mine(), turns.nobody_else())
        one.hold("q")
        assert turns.is_mine()

    def test_a_clear_no_passes_it_on_at_once(self, window):
        """So does the end of the process."""
        third, other, one = window("/work"), window("/work"), window("/work")
        one.decline("q")
        other._presence.release()

        assert self.turns(third).is_mine()

    def test_the_caller_comes_first_where_it_asks_itself(self, window):
        """Its mark says so, also when it is no window for others."""
        one, caller = window("/work"), window()
        before = self.turns(one, caller.token).is_mine()
        caller.hold("q")

        assert (True, False) == (before, self.turns(one, caller.token).is_mine())

    def test_a_stranger_has_no_turn(self, window):
        """A process that is not reachable shows nothing."""
        stranger = window()
        window("/work")

        assert (False, False) == (self.turns(stranger).is_mine(), self.turns(stranger).nobody_else())

    def test_what_is_user_global_goes_to_others_last(self, window):
        """First the windows of the wish's workspace, then any."""
        here, none = window("/work"), window()

        def order(reach):
            return Turns(reach, "q", HERE, None, for_all=True)

        assert (True, False) == (order(here).is_mine(), order(none).is_mine())
        here.decline("q")
        assert (True, False) == (order(none).is_mine(), self.turns(none).is_mine())


def test_a_window_of_another_workspace_is_never_next(window):
    """Neither while others are, nor when they have all been passed over."""
    here, elsewhere = window("/work"), window("/other")
    alone = Turns(elsewhere, "q-1", {"/nobody"}, None)
    turns = Turns(elsewhere, "q-2", HERE, None)

    first = turns.is_mine()
    here.decline("q-2")

    assert [False, False, False] == [alone.is_mine(), first, turns.is_mine()]
    assert turns.nobody_else()
