"""The reference pages hold every row and every link leads somewhere."""

import json
import re

import pytest

from keepgate.derive.examples import example_params
from keepgate.derive.fields import fields_of
from keepgate.derive.files import derived_files
from keepgate.derive.markdown import anchor
from keepgate.protocol.errors import FAULTS, ExitCode, RpcNumber
from keepgate.protocol.ops import OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.settings import Settings
from keepgate.protocol.wire import unstructure

PAGES = {path.rsplit("/", 1)[1]: text for path, text in derived_files().items() if path.endswith(".md")}


def section(page: str, name: str) -> str:
    """What stands under the heading that consists of ``name`` as code."""
    return PAGES[page].split(f"\n## `{name}`\n", 1)[1].split("\n## `", 1)[0]


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_every_operation_is_described(row) -> None:
    """Summary, each param, each result field, each fault and a request that can be copied."""
    text = section("operations.md", row.name)
    fields = [*fields_of(row.params), *([] if row.other_results else fields_of(row.result))]
    request = json.loads(re.search("```json\n(.*?)```", text, re.DOTALL)[1])

    assert row.summary in text
    assert [] == [field.wire_name for field in fields if f"| `{field.wire_name}` |" not in text]
    assert [] == [code for code in row.faults if f"[`{code}`](errors.md#" not in text]
    assert {"jsonrpc": "2.0", "id": 1, "method": row.name, "params": example_params(row)} == request


@pytest.mark.parametrize("row", SERVER_MESSAGES, ids=lambda row: row.name)
def test_every_server_message_is_described(row) -> None:
    """Summary, kind and each param."""
    text = section("messages.md", row.name)

    assert row.summary in text
    assert ("(request)" if row.result else "(notification)") in text
    assert [] == [f.wire_name for f in fields_of(row.params) if f"| `{f.wire_name}` |" not in text]


@pytest.mark.parametrize("code", FAULTS, ids=str)
def test_every_fault_is_described(code) -> None:
    """Number, details, advice and the operations that raise it."""
    text = section("errors.md", str(code))
    raised = [row.name for row in OPERATIONS if code in row.faults]

    assert str(FAULTS[code].number) in text
    assert FAULTS[code].suggestion in text
    assert [] == [name for name in FAULTS[code].details if f"`{name}`" not in text]
    assert [] == [name for name in raised if f"[`{name}`](operations.md#" not in text]


def test_every_number_and_exit_code_is_listed() -> None:
    """JSON-RPC's own numbers and all exit codes of the command line."""
    text = PAGES["errors.md"]

    assert [] == [number.name for number in RpcNumber if f"| {int(number)} | {number.name} |" not in text]
    assert [] == [code.name for code in ExitCode if f"| {int(code)} | {code.name} |" not in text]


def test_every_setting_is_listed_with_a_meaning() -> None:
    """Each key, also those inside objects, has a row whose last cell is not empty."""
    rows = re.findall(r"^\| `([\w.]+)` \| .* \| (.*) \|$", PAGES["settings.md"], re.MULTILINE)

    assert set(_keys(unstructure(Settings()))) == {key for key, _ in rows}
    assert [] == [key for key, meaning in rows if not meaning.strip()]


def _keys(value: dict, above: str = "") -> list[str]:
    keys = []
    for name, inner in value.items():
        keys.append(above + name)
        if isinstance(inner, dict):
            keys += _keys(inner, f"{above}{name}.")
    return keys


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_heading(page: str) -> None:
    """Links inside a page and to the other pages name a heading that is there."""
    headings = {
        name: {anchor(line.lstrip("# ")) for line in text.splitlines() if line.startswith("#")}
        for name, text in PAGES.items()
    }
    links = re.findall(r"\]\(([\w.]*)#([\w-]+)\)", PAGES[page])

    assert [] == [f"{target}#{name}" for target, name in links if name not in headings[target or page]]


@pytest.mark.parametrize("page", PAGES)
def test_tables_have_as_many_cells_in_every_row(page: str) -> None:
    """A bar inside a cell is escaped, so that no row falls apart."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", PAGES[page], re.MULTILINE)
    counts = [{len(re.split(r"(?<!\\)\|", row)) for row in block.splitlines()} for block in blocks]

    assert counts
    assert [] == [count for count in counts if len(count) != 1]
