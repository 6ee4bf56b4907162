"""The controlling terminal: where a person is asked, whatever stdin and stdout are connected to."""

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Final, Protocol

from keepgate.gate.approvers import NobodyThere

POLL_SECONDS: Final = 0.05
_LINE_ENDS: Final = "\r\n"
_CTRL_C: Final = "\x03"
_CTRL_D: Final = "\x04"
_CTRL_Z: Final = "\x1a"
_FUNCTION_KEYS: Final = ("\x00", "\xe0")


class Interrupted(Exception):
    """The person pressed Ctrl-C instead of answering."""


class Terminal(Protocol):
    """One person's keyboard and screen."""

    colour: bool

    def write(self, text: str) -> None:
        """Show text at once. What the terminal's encoding lacks is shown as an escape, never an error."""

    def forget_typed(self) -> None:
        """Drop what was typed before the question could be read, so that it cannot answer it."""

    async def read_line(self) -> str | None:
        """The next line without its end; ``None`` at end of input.

        Raises :class:`Interrupted` for Ctrl-C where it arrives as a key, and ``NobodyThere`` when the
        terminal has gone.
        """

    def close(self) -> None:
        """Let go of the terminal."""


def terminal_names(platform: str) -> tuple[str, str]:
    """The names of the keyboard and the screen on a platform, as ``sys.platform`` calls it."""
    return ("CONIN$", "CONOUT$") if platform == "win32" else ("/dev/tty", "/dev/tty")


def open_terminal(encoding: str, *, colour: bool) -> Terminal | None:
    """The terminal that controls this process; ``None`` when there is none that it may read from."""
    keyboard, screen = terminal_names(sys.platform)
    return _open(keyboard, screen, encoding, colour=colour)


def line_from_keys(next_key: Callable[[], str], typed: list[str], echo: Callable[[str], None]) -> bool | None:
    """Take one key of a console that does not edit lines itself.

    ``typed`` collects the line. True when it is complete, ``None`` at end of input, else False. Raises
    :class:`Interrupted` for Ctrl-C.
    """
    key = next_key()
    if key == _CTRL_C:
        raise Interrupted
    if key in _FUNCTION_KEYS:
        next_key()
        return False
    if key in (_CTRL_D, _CTRL_Z) and not typed:
        return None
    if key in _LINE_ENDS:
        echo("\r\n")
        return True
    if key in ("\b", "\x7f"):
        if typed:
            typed.pop()
            echo("\b \b")
    elif key.isprintable():
        typed.append(key)
        echo(key)
    return False


if sys.platform != "win32":
    import select
    import termios

    class _Device:
        """A POSIX terminal device. The kernel edits the line; Ctrl-C arrives as a signal."""

        def __init__(self, descriptor: int, encoding: str, *, colour: bool) -> None:
            self.colour = colour
            self._descriptor = descriptor
            self._encoding = encoding

        def write(self, text: str) -> None:
            left = text.encode(self._encoding, errors="backslashreplace")
            try:
                while left:
                    left = left[os.write(self._descriptor, left) :]
            except OSError as error:
                raise NobodyThere(f"the terminal has gone: {error.strerror}") from None

        def forget_typed(self) -> None:
            termios.tcflush(self._descriptor, termios.TCIFLUSH)

        async def read_line(self) -> str | None:
            line = b""
            while not line.endswith((b"\n", b"\r")):
                # Polled, because kqueue and poll() refuse this device on some systems and a thread that sits
                # in a read could not be called back when the question is moot.
                while not select.select([self._descriptor], [], [], 0)[0]:  # noqa: ASYNC110 - see above
                    await asyncio.sleep(POLL_SECONDS)
                try:
                    part = os.read(self._descriptor, 4096)
                except OSError as error:
                    raise NobodyThere(f"the terminal has gone: {error.strerror}") from None
                if not part:
                    return None
                line += part
            return line.decode(self._encoding, errors="replace").rstrip(_LINE_ENDS)

        def close(self) -> None:
            os.close(self._descriptor)

    def _open(keyboard: str, _screen: str, encoding: str, *, colour: bool) -> Terminal | None:
        try:
            descriptor = os.open(keyboard, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            in_foreground = os.tcgetpgrp(descriptor) == os.getpgrp()
        except OSError:
            in_foreground = False
        if not in_foreground:
            # Reading in the background would stop the process instead of asking anybody.
            os.close(descriptor)
            return None
        return _Device(descriptor, encoding, colour=colour)

else:
    import msvcrt
    from typing import TextIO

    class _Console:
        """A Windows console. Keys come one by one, Ctrl-C among them."""

        def __init__(self, screen: TextIO, *, colour: bool) -> None:
            self.colour = colour
            self._screen = screen

        def write(self, text: str) -> None:
            try:
                self._screen.write(text.replace("\n", "\r\n"))
                self._screen.flush()
            except OSError as error:
                raise NobodyThere(f"the console has gone: {error.strerror}") from None

        def forget_typed(self) -> None:
            while msvcrt.kbhit():
                msvcrt.getwch()

        async def read_line(self) -> str | None:
            typed: list[str] = []
            while True:
                while not msvcrt.kbhit():  # noqa: ASYNC110 - the console offers no event to wait for
                    await asyncio.sleep(POLL_SECONDS)
                complete = line_from_keys(msvcrt.getwch, typed, self._echo)
                if complete is None:
                    return None
                if complete:
                    return "".join(typed)

        def _echo(self, text: str) -> None:
            self._screen.write(text)
            self._screen.flush()

        def close(self) -> None:
            self._screen.close()

    def _open(keyboard: str, screen: str, _encoding: str, *, colour: bool) -> Terminal | None:
        try:
            with open(keyboard, encoding="utf-8"):  # noqa: PTH123 - a device, not a path
                out = open(screen, "w", encoding="utf-8", errors="backslashreplace", newline="")  # noqa: PTH123, SIM115
        except OSError:
            return None
        return _Console(out, colour=colour)
