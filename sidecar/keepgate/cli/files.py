"""Files that a command writes: whole or not at all, for this user alone."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from keepgate.boot.places import find_places
from keepgate.cli.output import as_json
from keepgate.protocol.errors import Problem, invalid_input

_STORE_ENDS: Final = ("", "-wal", "-shm", "-journal")
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


def require_foreign(path: Path, *, store: str, among: Sequence[str] = ()) -> None:
    """Raise ``INVALID_INPUT`` for a file that is keepgate's own, however it is named.

    That is the store with the files beside it, the settings, all in the folders ``among``, and all below a
    ``.keepgate``: pages are changed through the gate alone.
    """
    real, kept = Path(os.path.realpath(path)), Path(os.path.realpath(store))
    is_store = real.parent == kept.parent and real.name in {f"{kept.name}{end}" for end in _STORE_ENDS}
    is_settings = str(real) == os.path.realpath(find_places(os.environ).config_file)
    is_inside = any(real.is_relative_to(os.path.realpath(folder)) for folder in among)
    if is_store or is_settings or is_inside or ".keepgate" in real.parts:
        raise invalid_input(Problem(str(path), "is a file of keepgate's own"))


def require_log_file(path: str, *, store: str | None) -> None:
    """Raise ``INVALID_INPUT`` for a log file that is the store or the settings."""
    require_foreign(Path(path), store=store or find_places(os.environ).store_path)


def write_files(path: Path, texts: Sequence[str], *, force: bool, store: str) -> list[Path]:
    """Write each text to its own file, readable by this user alone, and return their absolute paths.

    Raises ``INVALID_INPUT`` before anything is written where a file is there already, unless ``force`` is
    given, and for keepgate's own in any case; and ``OSError``.
    """
    paths = [one.absolute() for one in numbered(path, len(texts))]
    places = find_places(os.environ)
    for one in paths:
        require_foreign(one, store=store, among=(places.data_folder, places.state_folder))
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
