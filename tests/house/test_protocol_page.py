"""docs/protocol.md and the reference pages describe the operations that there are."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from keepgate.protocol import entries, language_model, looking_back, pages, portability, proposals, verbs
from keepgate.protocol.naming import wire_name
from keepgate.protocol.ops import BY_NAME, OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.wire import structure

Run = Callable[..., subprocess.CompletedProcess[str]]

FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
PARTS = ("**Params**", "**Result**", "**Errors**", "**Example**")
PROTOCOL = "docs/protocol.md"


def _fenced(text: str, language: str) -> list[str]:
    return [match["text"] for match in FENCED.finditer(text) if match["language"] == language]


def test_the_protocol_page_is_of_this_table(run: Run) -> None:
    """Each section carries the digest of its row."""
    result = run("tests/house/protocol_page.py")

    assert 0 == result.returncode, result.stdout


def test_a_changed_row_is_noticed(run: Run, copy: Path, root: Path) -> None:
    """A field that nobody wrote about makes its section stale, and the message has the command."""
    page = copy / "tests/house/protocol_page.py"
    page.parent.mkdir(parents=True)
    page.write_text((root / "tests/house/protocol_page.py").read_text(encoding="utf-8"), encoding="utf-8")
    (copy / "docs").mkdir()
    (copy / PROTOCOL).write_text((root / PROTOCOL).read_text(encoding="utf-8"), encoding="utf-8")
    entries = copy / "sidecar/keepgate/protocol/entries.py"
    before = 'class GetParams:\n    """Params of ``memory/get``."""\n'
    source = entries.read_text(encoding="utf-8")
    entries.write_text(
        source.replace(before, f"{before}\n    hint: str | None = None\n", 1), encoding="utf-8"
    )

    result = run("tests/house/protocol_page.py", tree=copy)

    assert source.count(before) == 1
    assert 1 == result.returncode
    remedy = "python tests/house/protocol_page.py --accept"
    assert [f"docs/protocol.md: read the section '### `memory/get`' again, then: {remedy}"] == (
        result.stdout.splitlines()
    )


@pytest.mark.parametrize("name", [row.name for row in OPERATIONS])
def test_every_operation_is_described(documents: Mapping[str, str], name: str) -> None:
    """An operation's section says params, result, errors, and shows an exchange."""
    section = _section(documents[PROTOCOL], f"### `{name}`")

    assert [] == [part for part in PARTS if part not in section]


def _section(page: str, heading: str) -> str:
    _, _, rest = page.partition(f"\n{heading}\n")
    return re.split(r"^#{1,3} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("row", [*OPERATIONS, *SERVER_MESSAGES], ids=lambda row: row.name)
def test_every_row_is_in_the_reference(root: Path, row: Any) -> None:
    """Each operation and message has its heading on the generated pages."""
    page = "operations.md" if row in OPERATIONS else "messages.md"
    text = (root / "docs/reference" / page).read_text(encoding="utf-8")

    assert f"\n## `{row.name}`\n" in text


def test_the_examples_have_the_types_of_the_table(documents: Mapping[str, str]) -> None:
    """Every params and result on the protocol page is one that the sidecar takes and gives."""
    shown: list[str] = []
    for row in OPERATIONS:
        asked, answered = (
            json.loads(text) for text in _fenced(_section(documents[PROTOCOL], f"### `{row.name}`"), "json")
        )
        assert row.name == asked["method"]
        structure(asked["params"], row.params, forbid_unknown=True)
        structure(answered["result"], row.result, forbid_unknown=True)
        shown.append(row.name)

    assert list(BY_NAME) == shown


TYPES = {
    kind.__name__.removesuffix("Params"): kind
    for module in (entries, language_model, looking_back, pages, portability, proposals, verbs)
    for kind in vars(module).values()
    if isinstance(kind, type) and attrs.has(kind)
} | {"Question": proposals.ApprovalRequestParams}
INTERFACE = re.compile(r"^interface (?P<name>\w+) \{(?P<body>.*?)\}$", re.MULTILINE | re.DOTALL)
MEMBER = re.compile(r"(?P<name>\w+)(?P<optional>\?)?: ")


def _members(body: str) -> set[str]:
    # A dictionary's own notation names no member.
    return {match["name"] for match in MEMBER.finditer(re.sub(r"\{ \[.*?\] *:? ?.*?\}", "object", body))}


def _wire_names(kind: type) -> set[str]:
    return {wire_name(kind, field.name) for field in attrs.fields(kind)}


def test_the_types_have_the_members_of_the_code(documents: Mapping[str, str]) -> None:
    """Each interface of the section Types names what its type has, no more and no less."""
    section = documents[PROTOCOL].partition("\n## Types\n")[2].partition("\n## ")[0]
    shown = {match["name"]: _members(match["body"]) for match in INTERFACE.finditer(section)}

    assert len(shown) > 10
    assert {name: _wire_names(TYPES[name]) for name in shown} == shown


@pytest.mark.parametrize("row", [*OPERATIONS, *SERVER_MESSAGES], ids=lambda row: row.name)
def test_params_and_results_have_the_members_of_the_code(documents: Mapping[str, str], row: Any) -> None:
    """The first blocks of a section name the members of the row's types."""
    kind = "" if row in OPERATIONS else " (request)" if row.result else " (notification)"
    params, *results = _fenced(_section(documents[PROTOCOL], f"### `{row.name}`{kind}"), "typescript")

    assert _wire_names(row.params) == _members(params)
    if row.name != "memory/export":  # Its result depends on what was asked for.
        expected = [_wire_names(row.result)] if row.result else []
        assert expected == [_members(text) for text in results]


def test_every_json_block_is_json(documents: Mapping[str, str]) -> None:
    """Whatever is marked as JSON parses."""
    broken = [f"{path}: {text[:40]}" for path, text in _json_blocks(documents) if not _parses(text)]

    assert [] == broken


def _json_blocks(documents: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for path, text in documents.items():
        yield from ((path, block) for block in _fenced(text, "json"))


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
