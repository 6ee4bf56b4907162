"""Files that a command writes: whole or not at all, for this user alone."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from keepgate.cli.output import as_json
from keepgate.protocol.errors import Problem, invalid_input

_TEXT_PAYLOAD: Final = frozenset({"plugin", "text"})
"""What adapters whose format is a text put around it."""


def documents_of(exported: Any, *, adapted: bool) -> list[str]:
    """The texts of the files that the result of ``memory/export`` makes.

    ``adapted`` says that an adapter was named: the result is then its payload, whatever that looks like, and
    one file; else it is the envelope, or its parts.
    """
    if not adapted:
        return [as_json(part) for part in exported.get("parts", [exported])]
    text = exported.get("text") if isinstance(exported, dict) and set(exported) == _TEXT_PAYLOAD else exported
    return [text if isinstance(text, str) else as_json(exported)]


def numbered(path: Path, count: int) -> list[Path]:
    """``path`` for one file; ``name-1.json``, ``name-2.json`` and so on for several."""
    if count == 1:
        return [path]
    return [path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(1, count + 1)]


def write_files(path: Path, texts: Sequence[str], *, force: bool) -> list[Path]:
    """Write each text to its own file, readable by this user alone, and return their absolute paths.

    Raises ``INVALID_INPUT`` before anything is written where a file is there already, unless ``force`` is
    given, and ``OSError``.
    """
    paths = [one.absolute() for one in numbered(path, len(texts))]
    for one in paths:
        if one.exists() and not force:
            raise invalid_input(Problem(str(one), "is there already; --force writes over it"))
    for one, text in zip(paths, texts, strict=True):
        _replace(one, text.encode("utf-8", "backslashreplace"))
    return paths


def _replace(path: Path, content: bytes) -> None:
    # mkstemp makes the file for this user alone; the rename shows the content whole or not at all.
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)  # noqa: PTH105 - mkstemp gives a string
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108
        raise
