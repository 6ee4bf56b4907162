"""What the index has of page files already: what a look at a folder is compared with."""

from typing import Final

import apsw

_HOME_OF_ROOTS: Final = "SELECT root FROM page_roots WHERE home = ? ORDER BY root"
_KNOWN: Final = "SELECT path, size, mtime_ns FROM pages WHERE home = ? AND root = ?"
_DIGEST: Final = "SELECT digest FROM pages WHERE home = ? AND root = ? AND path = ?"
_FLAWED: Final = "SELECT DISTINCT path FROM page_problems WHERE home = ? AND root = ?"


def roots_of(db: apsw.Connection, home: str) -> list[str]:
    """The roots that the index has of a home."""
    return [root for (root,) in db.execute(_HOME_OF_ROOTS, (home,))]


def known_files(db: apsw.Connection, home: str, root: str) -> dict[str, tuple[int, int]]:
    """Size and time in ns of every page's file of a root, by path."""
    return {path: (size, mtime_ns) for path, size, mtime_ns in db.execute(_KNOWN, (home, root))}


def digest_at(db: apsw.Connection, home: str, root: str, path: str) -> str | None:
    """The digest that the index has of a file."""
    row = db.execute(_DIGEST, (home, root, path)).fetchone()
    return row[0] if row is not None else None


def flawed_files(db: apsw.Connection, home: str, root: str) -> set[str]:
    """The paths of the files of a root that have problems."""
    return {path for (path,) in db.execute(_FLAWED, (home, root))}
