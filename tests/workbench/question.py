"""A question in the workbench: the change in a tab, and a list of choices over it."""

import re
from typing import TYPE_CHECKING

from codeserver import until
from window import Window

if TYPE_CHECKING:
    from playwright.async_api import Locator

LOOK = "Look at the change"
LATER = "Decide later"
ALLOW = "Allow once"
ALLOW_SESSION = "Allow for this session"
REJECT = "Reject"

GUARD_MS = 1_000
"""For a moment after it appears a question takes no answer: the key or click was meant for something else."""


async def seen(window: Window, headline: str | re.Pattern[str]) -> "Locator":
    """Wait for a question with that headline and until it takes answers; its list."""
    found = await window.see("quick input", headline)
    await window.page.wait_for_timeout(GUARD_MS)
    return found


async def choose(window: Window, choice: str) -> None:
    """Choose with the mouse."""
    await window.click("quick row", choice)


async def choose_with_keys(window: Window, choice: str) -> None:
    """Choose with the arrow keys and Enter."""
    for _ in await window.texts("quick row"):
        if choice in await window.at("quick focus").inner_text():
            break
        await window.page.keyboard.press("ArrowDown")
    await window.page.keyboard.press("Enter")


async def text(window: Window, *parts: str) -> str:
    """Wait until the change that is shown has these parts; all of it that is in sight."""

    async def told() -> str:
        now = await window.editor_text()
        return now if all(part in now for part in parts) else ""

    return str(await until(told))
