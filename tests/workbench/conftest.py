"""A workbench with the packaged extension, the workspace of the house open in it."""

import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import install
from codeserver import CodeServer, until
from window import Window, open_window

PICTURES = install.ROOT / "docs/editors/images"
PICTURED = bool(os.environ.get("KEEPGATE_SCREENSHOTS"))
FAILURES = install.FOLDER / "failures"
"""What the windows of failed tests showed in the end, and what their servers wrote."""
FAILED = pytest.StashKey[bool]()
GRACE = "--reconnection-grace-time=5"
"""How many seconds the server waits for a window that is gone; without it three hours."""


class Workbench:
    """The server and the browser; :meth:`open` gives windows of the workspace."""

    def __init__(self, house: Any, server: CodeServer, browser: Any) -> None:
        self.house = house
        self.server = server
        self.browser = browser

    async def open(self) -> Window:
        """Open the workspace in a new window, once it can be asked."""
        before = self.house.windows()
        window = await open_window(self.browser, self.server.address, self.house.project)
        await until(lambda: self.house.windows() - before)
        return window

    def sidecars(self) -> list[int]:
        """The keepgate processes that the workbench started and that are alive."""
        return self.server.processes("serve")

    async def keep(self, name: str) -> None:
        """Keep what a person would look at after a failure."""
        folder = FAILURES / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pages = [page for context in self.browser.contexts for page in context.pages]
        for number, page in enumerate(pages):
            await page.screenshot(path=folder / f"window-{number}.png")
        for log in self.server.folder.rglob("*.log"):
            shutil.copy(log, folder / f"{log.parent.name}-{log.name}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """Tell the fixtures of a test whether it failed."""
    report = yield
    if call.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """The folder of a test; where pictures are kept, one with a name that may stand in them."""
    if not PICTURED:
        yield tmp_path
        return
    folder = Path(tempfile.gettempdir()) / "example"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def packed() -> Path:
    """The package of the extension."""
    if not install.PACKED.exists():
        pytest.fail("there is no packed extension; run: make test-editors")
    return install.PACKED


@pytest.fixture
async def workbench(
    house: Any, tmp_path: Path, packed: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Workbench]:
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
            made = Workbench(house, server, browser)
            yield made
            if request.node.stash.get(FAILED, False):
                await made.keep(request.node.name)
            await browser.close()
    finally:
        await server.stop()


@pytest.fixture
def picture() -> Callable[[Window, str], Awaitable[None]]:
    """Keeps what a window shows under ``docs/editors/images``, where ``KEEPGATE_SCREENSHOTS`` is set."""

    async def keep(window: Window, name: str) -> None:
        if PICTURED:
            PICTURES.mkdir(parents=True, exist_ok=True)
            await window.picture(PICTURES / f"{name}.png")

    return keep
