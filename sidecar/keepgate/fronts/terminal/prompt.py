"""The person at the terminal: one question at a time, answered by a letter and Enter."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterable
from types import FrameType
from typing import Final

from keepgate.fronts.terminal.question import Line, everything_lines, painted, question_lines
from keepgate.fronts.terminal.tty import Interrupted, Terminal
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams

ASKING: Final = "Allow this? y = yes, d = every detail, anything else = no: "
CLOSED: Final = "\nThis question is closed; an answer would change nothing.\n"


class TerminalApprover:
    """Puts questions to the person at ``terminal``.

    ``y`` allows once, ``d`` shows every detail and asks again, anything else rejects, an empty line and end
    of input included. Ctrl-C cancels.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        """Show the whole change and wait for a line. Raises ``NobodyThere`` when the terminal has gone."""
        self._terminal.write(f"\n{painted(question_lines(question), colour=self._terminal.colour)}\n")
        try:
            yes = await confirm(self._terminal, ASKING, lambda: everything_lines(question))
        except Interrupted:
            return ApprovalAnswer(outcome="cancelled", hash=question.hash)
        except asyncio.CancelledError:
            self._terminal.write(CLOSED)
            raise
        return ApprovalAnswer(outcome="allowed-once" if yes else "rejected", hash=question.hash)


async def confirm(
    terminal: Terminal, asking: str, details: Callable[[], Iterable[Line]] = lambda: ()
) -> bool:
    """Whether the person answers ``y``; ``d`` shows ``details`` and asks again, anything else is a no.

    Raises :class:`Interrupted` for Ctrl-C and ``NobodyThere`` when the terminal has gone.
    """
    while True:
        answer = await interruptible(typed(terminal, asking))
        if answer is None:
            terminal.write("\n")
            return False
        # To the letter: a yes that is guessed from something like it is nobody's.
        shown = painted(details(), colour=terminal.colour) if answer == "d" else ""
        if not shown:
            return answer == "y"
        terminal.write(f"\n{shown}\n")


async def typed(terminal: Terminal, asking: str) -> str | None:
    """The line that is typed after ``asking``; ``None`` at end of input."""
    terminal.forget_typed()
    terminal.write(asking)
    return await terminal.read_line()


async def interruptible(answer: Coroutine[None, None, str | None]) -> str | None:
    """Await a typed line; Ctrl-C ends that alone. Raises :class:`Interrupted`."""
    asking = asyncio.create_task(answer)
    interrupted = False

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        asking.get_loop().call_soon_threadsafe(asking.cancel)

    # Ctrl-C answers the question instead of tearing the command down, so that the denial is recorded as what
    # it was. Only the main thread may set signal handlers, and only there does the signal arrive.
    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, interrupt) if main else None
    try:
        return await asking
    except asyncio.CancelledError:
        if interrupted:
            raise Interrupted from None
        raise
    finally:
        if main:
            signal.signal(signal.SIGINT, before)
