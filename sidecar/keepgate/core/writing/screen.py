"""The screen for secrets: which texts of a change are looked at, and what counts as a secret.

A hit names path, kind and offset, never the secret, so that answers, ledger rows and logs may hold it
(docs/adr/0031-secrets.md).
"""

import base64
import binascii
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Final, assert_never

from attrs import frozen

from keepgate.core.model.text import hidden_positions, units
from keepgate.core.writing.change import (
    Add,
    Change,
    Consolidate,
    Draft,
    FactDraft,
    Forget,
    Quarantine,
    Release,
    Remember,
    Remove,
    Replace,
    Seed,
    Undo,
    UndoSession,
)
from keepgate.core.writing.page_change import (
    AddDate,
    AddLink,
    AddNote,
    EditPage,
    PageEdit,
    PutPage,
    RemovePage,
    TrustRoot,
)
from keepgate.protocol.errors import SecretHit

WINDOW: Final = 4096
"""Finders see a text in pieces of so many characters, so that their time grows with it and not faster."""
OVERLAP: Final = 1024
HITS_MAX: Final = 20
"""Of a text in which much is found, no more is told."""


@frozen
class Secret:
    """Something in a text that counts as a secret: its kind, and the index at which it begins."""

    kind: str
    start: int


Finder = Callable[[str], Iterable[Secret]]
"""Looks for secrets in a piece of text; pure, or at least without any effect."""


def secrets_in(change: Change, finders: Iterable[Finder]) -> tuple[SecretHit, ...]:
    """What the screen finds in the new texts of a change, in the order of its fields."""
    chosen = (own_secrets, *finders)
    hits = (hit for path, text in new_fields(change) for hit in look(path, text, chosen))
    return tuple(hit for hit, _ in zip(hits, range(HITS_MAX), strict=False))


def look(path: str, text: str, finders: Iterable[Finder]) -> list[SecretHit]:
    """The secrets in one text, each once. Hidden characters do not keep one from being found."""
    seen, places = _without_hidden(text)
    found: dict[int, str] = {}
    # What is left behind the last of these is in its window.
    for begin in range(0, max(len(seen) - OVERLAP, 1), WINDOW - OVERLAP):
        piece = seen[begin : begin + WINDOW]
        for finder in finders:
            for secret in finder(piece):
                found.setdefault(begin + secret.start, secret.kind)
    return [
        SecretHit(path=path, kind=kind, offset=units(text[: places(start)]))
        for start, kind in sorted(found.items())
    ]


def _without_hidden(text: str) -> tuple[str, Callable[[int], int]]:
    hidden = hidden_positions(text)
    if not hidden:
        return text, lambda index: index
    # How many characters of what is left stand before each hidden one.
    before = [position - count for count, position in enumerate(hidden)]
    gone = set(hidden)
    left = "".join(char for index, char in enumerate(text) if index not in gone)
    return left, lambda index: index + bisect_right(before, index)


def new_fields(change: Change) -> Iterator[tuple[str, str]]:
    """Every text that a change would bring into the store, with its path in the params of the operation.

    What only names something that is there already, such as a match, and what an undo brings back, is old.
    """
    match change:
        case Add(draft=draft):
            yield from _of_draft(draft, "$")
        case Replace() | Consolidate():
            yield from _of_entry("$", change.text, change.tags or (), change.source)
        case Seed(drafts=drafts):
            for index, draft in enumerate(drafts):
                yield from _of_draft(draft, f"$.entries[{index}]")
        case Remember(draft=fact):
            yield from _of_fact(fact)
        case Forget(reason=reason) | Quarantine(reason=reason):
            yield "$.reason", reason or ""
        case PutPage():
            yield "$.slug", change.slug
            yield "$.content", change.content
        case EditPage():
            yield "$.slug", change.slug
            yield from _of_edit(change.edit)
        case Remove() | Undo() | UndoSession() | Release() | RemovePage() | TrustRoot():
            return
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(change)


def _of_draft(draft: Draft, root: str) -> Iterator[tuple[str, str]]:
    yield from _of_entry(root, draft.text, draft.tags, draft.source)


def _of_entry(root: str, text: str, tags: Iterable[str], source: str) -> Iterator[tuple[str, str]]:
    yield f"{root}.text", text
    for index, tag in enumerate(tags):
        yield f"{root}.tags[{index}]", tag
    yield f"{root}.source", source


def _of_fact(fact: FactDraft) -> Iterator[tuple[str, str]]:
    yield "$.fact", fact.text
    yield "$.provenance", fact.provenance
    yield "$.entity", fact.entity or ""


def _of_edit(edit: PageEdit) -> Iterator[tuple[str, str]]:
    match edit:
        case AddLink(relation=relation, to=to):
            yield "$.type", relation
            yield "$.to", to
        case AddDate(text=text) | AddNote(text=text):
            yield "$.text", text
        case _:  # pragma: no cover - the union is closed, which the type checker proves
            assert_never(edit)


_PRIVATE_KEY: Final = re.compile(
    # A header without a body is prose about keys.
    r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,10} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s\S]{0,400}?[A-Za-z0-9+/]{32}"
    r"|\bb3BlbnNzaC1rZXktdjE[A-Za-z0-9+/]{16}"
    r"|\bPuTTY-User-Key-File-[23]:[\s\S]{0,1000}?Private-Lines:"
    r"|\bAGE-SECRET-KEY-1[0-9A-Z]{50}"
)
_PASSWORD_IN_URL: Final = re.compile(
    r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/?#@:\"'<>]{0,128}:([^\s/?#@\"'<>]{3,256})@[^\s/?#]"
)
_USER_OF_URL: Final = re.compile(r"\bhttps?://([A-Za-z0-9_-]{20,255})@[^\s/?#]")
_QUERY_OF_URL: Final = re.compile(
    r"(?i)[?&#;](?:access_?token|refresh_?token|id_?token|auth_?token|token|api_?key|apikey|key|secret|client_?secret|"
    r"password|passwd|pwd|sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature|auth|code)="
    r"([^\s&#\"'<>)\]]{6,512})"
)
_JWT: Final = re.compile(r"\b(eyJ[A-Za-z0-9_-]{10,400})\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,2000}")
_ASSIGNED: Final = re.compile(r"//\S{1,100}/:_authToken=([^\s\"'$<]{16,200})")
_BY_PREFIX: Final = re.compile(
    r"\bsk-(?:ant|proj|svcacct)-[A-Za-z0-9_-]{32}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}"
    r"|\bgithub_pat_[A-Za-z0-9_]{50}|\bAIza[A-Za-z0-9_-]{35}\b|\bhf_[A-Za-z]{34}\b|\bnpm_[A-Za-z0-9]{36}\b"
    r"|\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b"
)
# What documents write where a secret would stand.
_MADE_UP: Final = re.compile(
    r"(?i)[*x.•_-]+|your[-_ ]?\w*|my[-_]?(?:pass\w*|secret|token|key)|[$%{\[(<].*|\d{1,5}"
    r"|.*(?:example|placeholder|redacted|changeme|dummy).*"
    r"|(?:pass(?:word|wd)?|pwd|secret|token|key|user|api[-_]?key)\d*"
)
_RANDOM_RUN: Final = re.compile(r"[A-Za-z0-9]{16}")


def own_secrets(text: str) -> Iterator[Secret]:
    """Private keys, passwords and tokens in addresses, JSON web tokens, some tokens by how they begin."""
    for match in _PRIVATE_KEY.finditer(text):
        yield Secret("private-key", match.start())
    if "://" in text or "_authToken" in text:
        yield from _in_addresses(text)
    for match in _JWT.finditer(text):
        if _is_header(match[1]):
            yield Secret("jwt", match.start())
    for match in _BY_PREFIX.finditer(text):
        yield Secret("token", match.start())


def _in_addresses(text: str) -> Iterator[Secret]:
    for match in _PASSWORD_IN_URL.finditer(text):
        if not _MADE_UP.fullmatch(match[1]):
            yield Secret("url-password", match.start(1))
    for match in _USER_OF_URL.finditer(text):
        if _looks_random(match[1]):
            yield Secret("url-token", match.start(1))
    for match in _QUERY_OF_URL.finditer(text):
        if _looks_random(match[1]) and not _MADE_UP.fullmatch(match[1]):
            yield Secret("url-token", match.start(1))
    for match in _ASSIGNED.finditer(text):
        yield Secret("npm-token", match.start(1))


def _looks_random(value: str) -> bool:
    """Whether a value has a long run of letters and digits, mixed as words and numbers are not."""
    return any(
        sum(map(str.isdigit, run[0])) >= 2 and sum(map(str.isalpha, run[0])) >= 2
        for run in _RANDOM_RUN.finditer(value)
    )


def _is_header(encoded: str) -> bool:
    padded = encoded + "=" * (-len(encoded) % 4)
    try:
        header = json.loads(base64.urlsafe_b64decode(padded))
    except (binascii.Error, ValueError):
        return False
    return isinstance(header, dict) and "alg" in header
