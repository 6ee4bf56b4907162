"""The proof that a text is gone: a search of the raw bytes of files, in every form that it may have there."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from attrs import frozen

from keepgate.core.model.text import make_visible, one_line
from keepgate.core.reading.render import inert
from keepgate.core.reading.rendering import inline
from keepgate.store.open import Store

_CHUNK: Final = 1 << 20


def forms_of(text: str) -> tuple[str, ...]:
    """The text as columns hold it: as it is, as blocks for agents show it, and each of these inside JSON."""
    shown = (text, make_visible(text), one_line(text), inert(text), inline(text))
    return tuple(dict.fromkeys(form for part in shown for form in _in_json(part)))


def _in_json(text: str) -> tuple[str, ...]:
    once = json.dumps(text, ensure_ascii=False)[1:-1]
    return text, once, json.dumps(once, ensure_ascii=False)[1:-1], json.dumps(text)[1:-1]


@frozen
class Found:
    """What a search of raw files came to: how many were read, and which hold the text."""

    files: int
    holding: tuple[str, ...]


def search_files(store: Store, text: str, extra: Iterable[str] = ()) -> Found:
    """Search the bytes of every file of the store: beside it, in the state folder, and those named.

    For the text in UTF-8 and both kinds of UTF-16, as it is and inside JSON. A file that cannot be read
    counts as one that holds it.
    """
    needles = [
        form.encode(encoding, "surrogatepass")
        for form in forms_of(text)
        for encoding in ("utf-8", "utf-16-le", "utf-16-be")
    ]
    roots = (Path(store.path).parent, Path(store.state_folder))
    inside = (path for root in roots for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    files = dict.fromkeys([*map(str, inside), *extra])
    holding = tuple(path for path in files if _file_holds(path, needles))
    return Found(len(files), holding)


def _file_holds(path: str, needles: list[bytes]) -> bool:
    overlap, before = max(map(len, needles)), b""
    try:
        with Path(path).open("rb") as file:
            while part := file.read(_CHUNK):
                piece = before + part
                if any(needle in piece for needle in needles):
                    return True
                before = piece[-overlap:]
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
