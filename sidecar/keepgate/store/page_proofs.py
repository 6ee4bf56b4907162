"""Verifying page writes against the ledger. The files are left out: people change them by hand."""

import json
from collections.abc import Iterator
from typing import Any, Final

import apsw

from keepgate.core.model.digest import digest_of
from keepgate.core.writing.states import PAGE_SUBJECT
from keepgate.protocol.entries import VerifyProblem
from keepgate.store.page_writes import ABANDONED, ABANDONED_ACTION, PENDING

_WRITES: Final = """
SELECT l.seq, l.entry_id, l.workspace_key, l.payload, w.id, w.home, w.root, w.slug, w.path, w.digest_before,
  w.digest_after, w.content, w.state
FROM ledger AS l LEFT JOIN page_writes AS w ON w.ledger_seq = l.seq
WHERE l.entry_id BETWEEN 'page:' AND 'page;' AND l.decision = 'allowed'
  AND l.action NOT IN ('quarantine', 'release')
ORDER BY l.seq
"""
_GIVEN_UP: Final = "SELECT json_extract(payload, '$.write') FROM ledger WHERE action = ?"


def page_write_problems(db: apsw.Connection) -> Iterator[VerifyProblem]:
    """Approved writes without their row, rows that say something else, and ends that no note tells of."""
    given_up = {seq for (seq,) in db.execute(_GIVEN_UP, (ABANDONED_ACTION,))}
    for seq, subject, home, payload, *columns in db.execute(_WRITES):
        if columns[0] is None:
            yield _problem(seq, "has no page write")
        elif payload is not None and columns[1:8] != _told(subject, home, json.loads(payload), columns):
            yield _problem(seq, "and its page write differ")
        elif (columns[8] == ABANDONED) is not (seq in given_up):
            yield _problem(seq, f"has a page write that is {columns[8]}, and the ledger tells another end")


def _told(subject: str, home: str, payload: dict[str, Any], columns: list[Any]) -> list[Any]:
    before, after = payload["before"], payload["after"]
    place = after or before
    content = after and after["content"]
    return [
        home,
        place["root"],
        subject.removeprefix(PAGE_SUBJECT),
        place["path"],
        _digest(before) if before else None,
        digest_of(content) if after else None,
        content if columns[8] == PENDING else None,
    ]


def _digest(state: dict[str, Any]) -> str:
    # Of what a purge took out of a file the ledger keeps the digest alone.
    digest: str | None = state.get("digest")
    return digest or digest_of(state["content"])


def _problem(seq: int, what: str) -> VerifyProblem:
    return VerifyProblem(kind="divergence", seq=seq, message=f"ledger row {seq} {what}")
