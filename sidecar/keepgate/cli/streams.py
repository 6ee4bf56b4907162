"""Standard streams that never raise over a character, on any platform and locale."""

import os
import sys
from collections.abc import Mapping
from typing import Final, TextIO

from keepgate.protocol.errors import Problem, invalid_input

STDIN_BYTES_MAX: Final = 16 * 1024 * 1024
_ESCAPING: Final = "backslashreplace"


def output_encoding(environ: Mapping[str, str], *, is_terminal: bool, announced: str) -> str:
    """The encoding of an output stream: what ``PYTHONIOENCODING`` or a terminal says, else UTF-8."""
    chosen = environ.get("PYTHONIOENCODING", "").partition(":")[0]
    return chosen or (announced if is_terminal else "utf-8")


def prepare() -> None:
    """Let stdout and stderr write what their encoding lacks as escapes, and leave line ends alone."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            encoding = output_encoding(os.environ, is_terminal=stream.isatty(), announced=stream.encoding)
            reconfigure(encoding=encoding, errors=_ESCAPING)


def write_document(stream: TextIO, text: str) -> None:
    """Write text for a program: UTF-8 with plain line feeds, whatever the stream would encode."""
    stream.flush()
    raw = getattr(stream, "buffer", None)
    if raw is None:
        stream.write(text)
    else:
        raw.write(text.encode("utf-8", _ESCAPING))
        raw.flush()


def read_stdin() -> str:
    """All of stdin as UTF-8, byte for byte. Raises ``INVALID_INPUT`` for other bytes and above 16 MiB."""
    data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
    if len(data) > STDIN_BYTES_MAX:
        raise invalid_input(Problem("stdin", f"is larger than {STDIN_BYTES_MAX} bytes"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise invalid_input(Problem("stdin", f"is not UTF-8 at byte {error.start}")) from None


def text_argument(given: str) -> str:
    """A text from the command line; ``-`` reads it from stdin, less the one line end that ``echo`` adds."""
    if given != "-":
        return given
    text = read_stdin()
    return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")
