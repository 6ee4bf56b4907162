"""Whatever happens to files, and in whatever order, the index ends as the files are."""

import asyncio
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from keepgate.pages import keeper as keeping

NAMES = ("a", "b", "c", "d", "日本", "e f")


@pytest.mark.parametrize("seed", range(6))
async def test_random_operations_end_in_the_same_index(
    corner: Any, until: Any, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Files and folders are written, saved by rename, moved, removed, and the root is replaced."""
    monkeypatch.setattr(keeping, "HEARTBEAT_S", 0.1)
    monkeypatch.setattr("keepgate.pages.keeping.BEGIN_S", 0.0)
    chance = random.Random(seed)
    pages = corner.keep()
    pages.start()
    try:
        for step in range(120):
            _act(corner, chance, step)
            if chance.random() < 0.3:
                await asyncio.sleep(chance.choice((0.0, 0.01, 0.12, 0.3)))

        async def same() -> bool:
            return _truth(corner.folder) == {
                slug: page.title for slug, page in (await corner.pages()).items()
            }

        await until(same)
    finally:
        await pages.close()


def _truth(root: Path) -> dict[str, str]:
    return {
        file.relative_to(root).as_posix().removesuffix(".md"): file.read_text(encoding="utf-8")[2:].strip()
        for file in root.rglob("*.md")
        if not any(part.startswith(".") for part in file.relative_to(root).parts)
    }


def _act(corner: Any, chance: random.Random, step: int) -> None:
    root: Path = corner.folder
    path = "/".join(chance.choice(NAMES) for _ in range(chance.randint(0, 2)))
    folder = root / path
    file = folder / f"{chance.choice(NAMES)}.md"
    act = chance.random()
    if act < 0.45:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(f"# Title {step}\n", encoding="utf-8")
    elif act < 0.6:
        folder.mkdir(parents=True, exist_ok=True)
        saved = folder / f".{file.name}.tmp"
        saved.write_text(f"# Saved {step}\n", encoding="utf-8")
        saved.replace(file)
    elif act < 0.75:
        file.unlink(missing_ok=True)
    elif act < 0.85 and folder.is_dir() and folder != root:
        target = root / f"moved{step}"
        folder.rename(target)
    elif act < 0.93 and folder.is_dir() and folder != root:
        shutil.rmtree(folder)
    elif act > 0.98:
        root.rename(root.with_name(f"old{step}"))
        if chance.random() < 0.5:
            shutil.copytree(root.with_name(f"old{step}"), root)
