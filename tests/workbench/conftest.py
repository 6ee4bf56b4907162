"""A workbench with the packaged extension, the workspace of the house open in it."""

import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import install
from codeserver import CodeServer
from window import Window, open_window

PICTURES = install.ROOT / "docs/editors/images"
GRACE = "--reconnection-grace-time=5"
"""How many seconds the server waits for a window that is gone; without it three hours."""


class Workbench:
    """The server and the browser; :meth:`open` gives windows of the workspace."""

    def __init__(self, house: Any, server: CodeServer, browser: Any) -> None:
        self.house = house
        self.server = server
        self.browser = browser

    async def open(self) -> Window:
        """Open the workspace in a new window."""
        return await open_window(self.browser, self.server.address, self.house.project)

    def sidecars(self) -> list[int]:
        """The keepgate processes that the workbench started and that are alive."""
        return self.server.processes("keepgate")


@pytest.fixture(scope="session")
def packed() -> Path:
    """The package of the extension."""
    if not install.PACKED.exists():
        pytest.fail("there is no packed extension; run: make test-editors")
    return install.PACKED


@pytest.fixture
async def workbench(house: Any, tmp_path: Path, packed: Path) -> AsyncIterator[Workbench]:
    """A server of its own with the extension, and a browser; both end with the test."""
    from playwright.async_api import async_playwright

    server = CodeServer(tmp_path / "server", house.env)
    server.settings()
    await server.install(packed)
    try:
        await server.start(GRACE)
        async with async_playwright() as playwright:
            # No sandbox: it needs rights that root in a container has not.
            browser = await playwright.chromium.launch(
                executable_path=install.browser(), args=["--no-sandbox"]
            )
            yield Workbench(house, server, browser)
            await browser.close()
    finally:
        await server.stop()


@pytest.fixture
def picture() -> Callable[[Window, str], Awaitable[None]]:
    """Keeps what a window shows under ``docs/editors/images``, where ``KEEPGATE_SCREENSHOTS`` is set."""

    async def keep(window: Window, name: str) -> None:
        if os.environ.get("KEEPGATE_SCREENSHOTS"):
            PICTURES.mkdir(parents=True, exist_ok=True)
            await window.picture(PICTURES / f"{name}.png")

    return keep
