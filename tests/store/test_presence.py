"""Presence: who lives, told by locked files."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from keepgate.store.open import Store
from keepgate.store.presence import SWEEP_AGE_S, Presence


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A folder for presence files."""
    return str(tmp_path / "presence")


def test_a_token_lives_until_it_is_released(folder: str) -> None:
    """Two holders see each other; releasing twice is releasing once."""
    one, two = Presence(folder), Presence(folder)
    assert one.token != two.token
    assert one.alive(one.token)
    assert one.alive(two.token)
    two.release()
    two.release()
    assert not one.alive(two.token)
    assert not two.alive(two.token)
    one.release()
    assert [] == list(Path(folder).iterdir())


def test_an_unknown_token_is_not_alive_and_leaves_no_file(folder: str) -> None:
    """Asking makes nothing."""
    one = Presence(folder)
    assert not one.alive("unknown")
    one.release()
    assert [] == list(Path(folder).iterdir())


async def test_a_killed_process_is_gone_at_once(store: Store, actor: Callable[..., Any]) -> None:
    """The system drops its lock; no heartbeat has to time out."""
    other = actor("keep-open")
    _, _, token = (await asyncio.to_thread(other.line)).split()
    living = store.presence.alive(token)
    other.kill()
    assert living
    assert not store.presence.alive(token)
    assert not store.presence.alive(token)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this platform stops no processes")
async def test_a_stopped_process_lives(store: Store, actor: Callable[..., Any]) -> None:
    """It may go on at any time."""
    other = actor("keep-open")
    _, _, token = (await asyncio.to_thread(other.line)).split()
    other.process.send_signal(signal.SIGSTOP)
    assert store.presence.alive(token)


def test_old_files_of_dead_processes_are_swept(folder: str) -> None:
    """Fresh ones stay, because their process may be about to lock them; held ones stay, however old."""
    held = Presence(folder)
    for name in ("old", "fresh"):
        (Path(folder) / f"{name}.lock").touch()
    long_ago = time.time() - SWEEP_AGE_S - 10
    for name in ("old", held.token):
        os.utime(Path(folder) / f"{name}.lock", (long_ago, long_ago))
    Presence(folder).release()
    left = {path.stem for path in Path(folder).iterdir()}
    alive = held.alive(held.token)
    held.release()
    assert {"fresh", held.token} == left
    assert alive


def test_a_place_without_room_for_files_holds_no_token(tmp_path: Path) -> None:
    """There is a token all the same; nobody is told that it lives."""
    (tmp_path / "file").touch()
    one = Presence(str(tmp_path / "file" / "presence"))
    assert one.token
    assert not one.alive(one.token)
    one.release()
