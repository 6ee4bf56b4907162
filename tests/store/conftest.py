"""Real stores on real files, and other processes that work on them."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import apsw
import pytest

from keepgate.store.connection import Patience, connect
from keepgate.store.memory import Writer
from keepgate.store.open import Store

_SCRIPT = Path(__file__).with_name("acting.py")


@pytest.fixture(scope="session")
def acting() -> ModuleType:
    """The helpers of ``acting.py``."""
    spec = importlib.util.spec_from_file_location("acting", _SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
async def store(acting: ModuleType, tmp_path: Path) -> AsyncIterator[Store]:
    """A fresh store, closed at the end."""
    opened: Store = await acting.open_at(tmp_path)
    yield opened
    await opened.close()


@pytest.fixture
def writer(store: Store) -> Writer:
    """The canonical writer of the store."""
    return Writer(store)


@pytest.fixture
def raw(store: Store) -> Iterator[apsw.Connection]:
    """A connection to the store's file that goes through no door."""
    db = connect(store.path, Patience())
    yield db
    db.close()


class Actor:
    """Another process at work on a test's store."""

    def __init__(self, *arguments: str, environ: dict[str, str] | None = None, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(_SCRIPT), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environ or {})},
            **options,
        )

    def line(self) -> str:
        """The next line it says; empty at its end."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def tell(self, line: str = "") -> None:
        """Give it a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def rest(self, seconds: float = 60) -> list[str]:
        """Let it come to its end; all lines that are left."""
        out, _ = self.process.communicate(timeout=seconds)
        return out.splitlines()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def actor(tmp_path: Path) -> Iterator[Callable[..., Actor]]:
    """Start another process on this test's store: ``actor("write", "5", "label")``."""
    started: list[Actor] = []

    def start(act: str, *arguments: str, **options: Any) -> Actor:
        made = Actor(act, str(tmp_path), *arguments, **options)
        started.append(made)
        return made

    yield start
    for made in started:
        if made.process.poll() is None:
            made.kill()
        for stream in (made.process.stdin, made.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()
