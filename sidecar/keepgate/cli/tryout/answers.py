"""Who answers the prompts of the show: the person at the keyboard, or a script."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from keepgate.fronts.terminal.tty import Terminal

ALLOW_ONCE = "Allow once"
SHOW_CHANGE = "Show change"
REJECT = "Reject"


class Answering(Protocol):
    """Chooses one of a prompt's buttons."""

    async def choose(self, titles: Sequence[str]) -> tuple[str | None, str]:
        """The title chosen, ``None`` for a closed prompt, and how to say who chose it."""


class Person:
    """Types the number of a button, or its first letters; an empty line closes the prompt."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    async def choose(self, titles: Sequence[str]) -> tuple[str | None, str]:
        """Ask until the answer names a button."""
        while True:
            self._terminal.forget_typed()
            self._terminal.write(f"  Your answer (1 to {len(titles)}, Enter alone closes the prompt): ")
            typed = await self._terminal.read_line()
            if typed is None or not typed.strip():
                return None, "You closed the prompt."
            chosen = button(typed, titles)
            if chosen is not None:
                return chosen, f"You chose: {chosen}"


def button(typed: str, titles: Sequence[str]) -> str | None:
    """The button that ``typed`` names by its number or by a beginning that no other has."""
    word = typed.strip().lower()
    if word.isdecimal():
        return titles[int(word) - 1] if 1 <= int(word) <= len(titles) else None
    begun = [title for title in titles if title.lower().startswith(word)]
    return begun[0] if len(begun) == 1 else None


class Scripted:
    """Answers as laid out, and rejects whatever comes after."""

    def __init__(self, answers: Iterable[str]) -> None:
        self._left = list(answers)

    async def choose(self, titles: Sequence[str]) -> tuple[str | None, str]:
        """The next answer, where it is one of the buttons."""
        answer = self._left.pop(0) if self._left else REJECT
        chosen = answer if answer in titles else None
        return chosen, f"The script chose: {chosen}"
