"""Keeps docs/protocol.md in step with the operation table.

Each section of the page carries a digest of its row: the shape of params and result, access, faults. After a
change of the table, read the sections that this names, correct them, and accept the new digests with

    python tests/house/protocol_page.py --accept
"""

import argparse
import enum
import hashlib
import json
import re
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from keepgate.protocol.operation import Operation
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES, ServerMessage

PAGE = Path(__file__).parents[2] / "docs/protocol.md"
COMMAND = "python tests/house/protocol_page.py --accept"
MARK = re.compile(r"<!-- row (?P<digest>[0-9a-f]{12}) -->")


def digest_of(row: Operation | ServerMessage) -> str:
    """Twelve hexadecimal digits that change with anything a client of this row can notice."""
    noticed: dict[str, Any] = {"params": shape(row.params), "result": shape(row.result)}
    if isinstance(row, Operation):
        noticed |= {
            "access": row.access,
            "latency": row.latency,
            "session": row.session_required,
            "faults": sorted(row.faults),
        }
    return hashlib.sha256(json.dumps(noticed, sort_keys=True).encode()).hexdigest()[:12]


def shape(kind: Any) -> Any:
    """What JSON a type stands for: names, types, what may be left out. Descriptions do not count."""
    if isinstance(kind, type) and attrs.has(kind):
        hints = typing.get_type_hints(kind)
        return {
            field.name: [shape(hints[field.name]), field.default is attrs.NOTHING]
            for field in attrs.fields(kind)
        }
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return [item.value for item in kind]
    inner = [shape(item) for item in typing.get_args(kind)]
    if not inner:
        return getattr(kind, "__name__", str(kind))
    origin = typing.get_origin(kind)
    return ["union" if origin in (typing.Union, types.UnionType) else origin.__name__, *inner]


def heading_of(row: Operation | ServerMessage) -> str:
    """The heading of a row's section; a notification may share its name with an operation."""
    kind = "" if isinstance(row, Operation) else " (request)" if row.result else " (notification)"
    return f"### `{row.name}`{kind}"


def section_of(page: str, row: Operation | ServerMessage) -> str:
    """The text of a row's section, empty when there is none."""
    found = re.search(
        rf"^{re.escape(heading_of(row))}$(?P<body>.*?)(?=^#{{1,3}} |\Z)", page, re.MULTILINE | re.DOTALL
    )
    return found["body"] if found else ""


def stale_sections(page: str) -> Iterator[str]:
    """The headings of the sections that are missing or were written for another row."""
    for row in (*OPERATIONS, *SERVER_MESSAGES):
        mark = MARK.search(section_of(page, row))
        if mark is None or mark["digest"] != digest_of(row):
            yield heading_of(row)


def accepted(page: str) -> str:
    """The page with the digests of the present table."""
    for row in (*OPERATIONS, *SERVER_MESSAGES):
        body = section_of(page, row)
        if body:
            page = page.replace(body, MARK.sub(f"<!-- row {digest_of(row)} -->", body))
    return page


def main() -> int:
    """Say which sections are stale, or accept them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--accept", action="store_true", help="the sections say what the table says")
    page = PAGE.read_text(encoding="utf-8")
    if parser.parse_args().accept:
        PAGE.write_text(accepted(page), encoding="utf-8")
        return 0
    stale = list(stale_sections(page))
    for name in stale:
        sys.stdout.write(f"docs/protocol.md: read the section '{name}' again, then: {COMMAND}\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
