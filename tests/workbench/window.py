"""One browser window with the workbench in it, as a person sees it and works it.

What this file knows of the markup of VS Code is in ``PLACES``; a new version of VS Code may want it changed.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from codeserver import WAIT_S

if TYPE_CHECKING:
    from playwright.async_api import Browser, Locator, Page

WIDTH, HEIGHT = 1280, 800
PLACES: Mapping[str, str] = {
    "loaded": ".monaco-workbench .part.statusbar .statusbar-item",
    "dialog": ".monaco-dialog-box",
    "dialog button": ".monaco-dialog-box .dialog-buttons .monaco-button",
    "quick input": ".quick-input-widget:not([style*='display: none'])",
    "quick row": ".quick-input-list .monaco-list-row",
    "quick focus": ".quick-input-list .monaco-list-row.focused",
    "toast": ".notification-toast .notification-list-item",
    "toast button": ".notification-list-item-buttons-container .monaco-button",
    "view row": ".part.sidebar .pane-body .monaco-list-row",
    "pane": ".part.sidebar .pane",
    "pane header": ".part.sidebar .pane-header",
    "activity": ".part.activitybar .action-item a.action-label",
    "status": ".part.statusbar .statusbar-item",
    "diff": ".editor-instance .monaco-diff-editor",
    "editor line": ".editor-instance .view-line",
    "tab": ".tabs-container .tab",
    "menu item": ".context-view .monaco-menu .action-item",
}


IN_ORDER = """(lines) => {
  const texts = [...new Set(lines.map((line) => line.parentElement))];
  const top = (line) => line.getBoundingClientRect().top;
  return texts.flatMap((text) =>
    lines.filter((line) => line.parentElement === text).sort((one, other) => top(one) - top(other)),
  ).map((line) => line.textContent);
}"""
"""The editor keeps its lines in any order in the page."""


class Window:
    """The window; made by :func:`open_window`."""

    def __init__(self, page: "Page") -> None:
        self.page = page
        page.set_default_timeout(WAIT_S * 1000)

    def at(self, place: str, text: str | re.Pattern[str] | None = None) -> "Locator":
        """What is at a place, with a text in it."""
        found = self.page.locator(PLACES[place])
        return found if text is None else found.filter(has_text=text)

    async def see(self, place: str, text: str | re.Pattern[str] | None = None) -> "Locator":
        """Wait until it is there; the first of them."""
        found = self.at(place, text).first
        await found.wait_for(state="visible")
        return found

    async def gone(self, place: str, text: str | re.Pattern[str] | None = None) -> None:
        """Wait until no such thing is visible."""
        await self.at(place, text).first.wait_for(state="hidden")

    async def shows(self, place: str, text: str | re.Pattern[str] | None = None) -> bool:
        """Whether it can be seen now."""
        return await self.at(place, text).filter(visible=True).count() > 0

    async def click(self, place: str, text: str | re.Pattern[str] | None = None, **options: object) -> None:
        """Click what is there."""
        found = await self.see(place, text)
        await found.click(**options)

    async def texts(self, place: str) -> list[str]:
        """What stands at a place, from top to bottom."""
        return await self.at(place).all_inner_texts()

    async def command(self, title: str) -> None:
        """Run a command by its title from the palette, with the keyboard alone."""
        await self.page.keyboard.press("F1")
        await self.see("quick input")
        await self.page.keyboard.type(title)
        await self.see("quick row", title)
        await self.page.keyboard.press("Enter")

    async def widen(self, width: int) -> None:
        """Drag the border of the side bar until it is so many pixels wide."""
        box = await self.page.locator(".part.sidebar").bounding_box()
        assert box is not None
        edge, middle = box["x"] + box["width"] + 1, HEIGHT / 2
        await self.page.mouse.move(edge, middle)
        await self.page.mouse.down()
        await self.page.mouse.move(box["x"] + width, middle, steps=5)
        await self.page.mouse.up()

    async def editor_text(self) -> str:
        """What is in sight of the open texts; a line that was wrapped is one again where its parts meet."""
        lines = await self.at("editor line").evaluate_all(IN_ORDER)
        return "".join(lines).replace("\xa0", " ")

    async def reload(self) -> None:
        """Load the page anew, as "Reload Window" does."""
        await self.page.reload()
        await self.see("loaded")

    async def close(self) -> None:
        """Close the window."""
        await self.page.close()

    async def picture(self, path: Path) -> None:
        """Keep what is seen."""
        await self.page.mouse.move(WIDTH // 2, 2)
        await self.page.screenshot(path=path, animations="disabled", caret="hide")


async def open_window(browser: "Browser", address: str, folder: Path) -> Window:
    """Open the folder in a window of its own, with a profile of its own."""
    context = await browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    window = Window(await context.new_page())
    await window.page.goto(f"{address}/?folder={folder}")
    await window.see("loaded")
    return window
