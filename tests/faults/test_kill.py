"""``kill -9`` at random moments: acknowledged writes are there, others whole or absent."""

import os
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

KILLS = int(os.environ.get("KEEPGATE_KILLS", "10000"))
KILLS_QUICK = 240
ROUNDS_PER_STORE = 12
FOLDERS = ("one", "two")


def last_state(notes: list[dict[str, Any]], before: list[str]) -> list[list[str]]:
    """What may be there: the last state that was acknowledged, or that of the change that had begun."""
    done = [note["after"] for note in notes if note["event"] == "done"]
    acknowledged = done[-1] if done else before
    begun = [note for note in notes if note["event"] == "begun"]
    if len(begun) > len(done):
        return [acknowledged, begun[-1]["after"]]
    return [acknowledged]


async def whole(look: Any) -> dict[str, list[str]]:
    """The texts of each folder; ledger, totals and entries must agree."""
    verified = await look.call("memory/verify")
    assert [] == verified["problems"]
    found: dict[str, list[str]] = {folder: [] for folder in FOLDERS}
    for entry in await look.entries():
        found[Path(entry["workspaceKey"]).name].append(entry["text"])
    return {folder: sorted(texts) for folder, texts in found.items()}


def kill_and_look(nursery: Any, look: Any, place: Path, kills: int) -> int:
    """Two writers at a time, killed at random moments; returns how many changes were acknowledged."""
    chance = random.Random(kills)
    acknowledged, mean_s = 0, 0.05
    for number in range(kills // len(FOLDERS)):
        if number % ROUNDS_PER_STORE == 0:
            home = place / f"home-{number}"
            texts: dict[str, list[str]] = {folder: [] for folder in FOLDERS}
        policy = chance.choice(["auto", "ask"])
        writers = {
            folder: nursery.start(
                "changes", f"{folder}{number}", folder=folder, home=home, policy=policy, seed=number
            )
            for folder in FOLDERS
        }
        # From the first breath, opening the store included, to the middle of many changes.
        if chance.random() < 0.7:
            writers[FOLDERS[0]].until("open")
        time.sleep(chance.expovariate(1 / mean_s))
        for writer in writers.values():
            writer.kill()
        found = look(home, whole)
        for folder, writer in writers.items():
            notes = writer.notes()
            assert [] == [note for note in notes if note["event"] == "failed"]
            assert found[folder] in last_state(notes, texts[folder])
            acknowledged += sum(note["event"] == "done" for note in notes)
            writer.notes_file.unlink(missing_ok=True)
        # On a machine that is busy a change takes longer; kills that come before all of them show little.
        if acknowledged < number:
            mean_s = min(mean_s * 1.2, 0.4)
        texts = found
        nursery.writers.clear()
        if number % ROUNDS_PER_STORE == ROUNDS_PER_STORE - 1:
            shutil.rmtree(home)
    return acknowledged


@pytest.mark.timeout(600)
def test_a_few_hundred_kills(nursery: Any, look: Any, place: Path) -> None:
    """W14, W16, DSH-3-pipeline, DSH-6-rebuild: also while the store is made, and with a person asked."""
    assert kill_and_look(nursery, look, place, KILLS_QUICK) > KILLS_QUICK / 10


@pytest.mark.slow
def test_ten_thousand_kills(nursery: Any, look: Any, place: Path) -> None:
    """The same, as often as KEEPGATE_KILLS says; 10,000 when it says nothing."""
    assert kill_and_look(nursery, look, place, KILLS) > KILLS / 10
