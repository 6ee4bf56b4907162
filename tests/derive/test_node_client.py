"""The types and calls of the client for Node; ``tests/editors/test_node.py`` compiles and runs them."""

import re
from typing import Any

import attrs
import pytest
from attrs import evolve, field, frozen

from keepgate.derive.fields import fields_of, is_enum, reachable
from keepgate.derive.files import derived_files
from keepgate.derive.node_client import NODE_CALLS_PATH, node_calls_module, node_method_name
from keepgate.derive.node_types import CODES_PATH, TYPES_PATH, comment, type_text, types_module
from keepgate.protocol.entries import UNSET, Entry, Track, Unset
from keepgate.protocol.errors import FAULTS, Code, RpcNumber
from keepgate.protocol.ops import BY_NAME, OPERATIONS, SERVER_MESSAGES
from keepgate.protocol.settings import Settings
from keepgate.protocol.verb_errors import VerbCode

TYPES = derived_files()[TYPES_PATH]
CALLS = derived_files()[NODE_CALLS_PATH]
SENT = reachable([*(row.params for row in OPERATIONS), *(row.result for row in SERVER_MESSAGES), Settings])
TOLD = reachable([*(row.result for row in OPERATIONS), *(row.params for row in SERVER_MESSAGES)])


def interface(name: str, text: str = TYPES) -> dict[str, tuple[bool, str]]:
    """The members of an interface: by name whether they must be there, and their type."""
    (body,) = re.findall(rf"^export interface {name} \{{\n(.*?)^\}}$", text, re.MULTILINE | re.DOTALL)
    members = re.findall(r'^  (?:readonly )?"?([\w/]+)"?(\??): (.*);$', body, re.MULTILINE)
    return {member: (optional == "", hint) for member, optional, hint in members}


def words(name: str) -> list[str]:
    """The members of a union of words."""
    (body,) = re.findall(rf"^export type {name} =\n(.*?);$", TYPES, re.MULTILINE | re.DOTALL)
    return re.findall(r'^  \| "(.*)"$', body, re.MULTILINE)


@pytest.mark.parametrize(
    "cls", sorted(SENT | TOLD, key=lambda cls: cls.__name__), ids=lambda cls: cls.__name__
)
def test_each_type_is_there_with_its_fields(cls: Any) -> None:
    """A closed set is a union of its words, anything else has its fields under their wire names."""
    if is_enum(cls):
        assert [item.value for item in cls] == words(cls.__name__)
    elif not fields_of(cls):
        assert f"export type {cls.__name__} = Readonly<Record<string, never>>;\n" in TYPES
    else:
        assert [item.wire_name for item in fields_of(cls)] == list(interface(cls.__name__))


def test_what_is_sent_may_leave_out_what_has_a_default_and_what_is_told_is_whole() -> None:
    """What is optional may be left out or ``undefined``; what is told always has its fields."""
    assert {
        "track": (True, "Track"),
        "scope": (True, "Scope"),
        "text": (True, "string"),
        "tags": (False, "readonly string[] | null | undefined"),
        "source": (False, "string | null | undefined"),
        "agentKey": (False, "string | null | undefined"),
        "session": (False, "SessionRef | null | undefined"),
    } == interface("AddParams")
    assert (True, "number | null") == interface("Entry")["lastRecalled"]
    assert (False, "readonly AskFact[]") == interface("ApprovalAsked")["facts"]
    assert (False, "unknown") == interface("ImportParams")["payload"]


def test_no_type_is_both_sent_and_told() -> None:
    """Otherwise a told one would be optional where it is always there."""
    both = [cls.__name__ for cls in SENT & TOLD if attrs.has(cls)]

    assert [] == both


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (str | None, "string | null"),
        (int | float, "number"),
        (str | Unset, "string"),
        (Any, "unknown"),
        (list[Any] | None, "readonly unknown[] | null"),
        (tuple[str, ...], "readonly string[]"),
        (list[str | int], "readonly (string | number)[]"),
        (dict[str, Any], "Readonly<Record<string, unknown>>"),
        (list[dict[str, int]], "readonly Readonly<Record<string, number>>[]"),
        (Track, "Track"),
        (list[Entry], "readonly Entry[]"),
    ],
)
def test_hints(hint: Any, expected: str) -> None:
    """Each kind of hint that the table uses."""
    assert expected == type_text(hint)


def test_codes_are_unions_and_have_their_numbers() -> None:
    """Every code of a fault, of a verb and of JSON-RPC, and the number that travels with it."""
    text = derived_files()[CODES_PATH]

    assert [str(code) for code in Code] == words("FaultCode")
    assert [str(code) for code in VerbCode] == words("VerbErrorCode")
    assert [row.name for row in RpcNumber] == words("RpcErrorCode")
    assert all(f"  {code}: {row.number},\n" in text for code, row in FAULTS.items())


def test_maps_name_every_method_once() -> None:
    """Operations, requests of the sidecar and its notifications, by method."""
    assert [row.name for row in OPERATIONS] == list(interface("Operations"))
    assert [row.name for row in SERVER_MESSAGES if row.result] == list(interface("ServerRequests"))
    assert [row.name for row in SERVER_MESSAGES if not row.result] == list(interface("Notifications"))


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_each_operation_has_its_call(row: Any) -> None:
    """The method sends the operation's name; params of which nothing is required may be left out."""
    name = node_method_name(row.name)
    default = "" if any(item.required for item in fields_of(row.params)) else r" = \{\}"

    (sent,) = re.findall(
        rf"^  {name}\(\s*params: wire\.{row.params.__name__}{default},\s*options\?: CallOptions,?\s*\)"
        r': [^\n]* \{\n    return this\.call\("([\w/]+)", params, options\)',
        CALLS,
        re.MULTILINE,
    )

    assert row.name == sent


def test_names() -> None:
    """Words of the memory and the verbs stand alone, all others after their family; no two are alike."""
    names = {row.name: node_method_name(row.name) for row in OPERATIONS}

    assert len(set(names.values())) == len(names)
    assert ("add", "asOf", "contextPack", "proposalsList", "sessionOpen", "pagesPut") == tuple(
        names[name]
        for name in (
            "memory/add",
            "memory/asOf",
            "verbs/context_pack",
            "proposals/list",
            "session/open",
            "pages/put",
        )
    )


def test_names_that_cannot_be_are_refused() -> None:
    """A name that the class has already, and one that two operations would share."""
    toy = BY_NAME["memory/get"]

    with pytest.raises(ValueError, match="memory/constructor needs another name"):
        node_calls_module([evolve(toy, name="memory/constructor")])
    with pytest.raises(ValueError, match="memory/recall and verbs/recall would share a name"):
        node_calls_module([evolve(toy, name="memory/recall"), BY_NAME["verbs/recall"]])


def test_a_new_row_needs_no_hand_in_the_generator() -> None:
    """A row that is made up here, with params of its own, comes out as a method and a type."""

    @frozen(kw_only=True)
    class ToyParams:
        """Params of a toy: no */ ends this."""

        wanted: str
        also: str | Unset = UNSET
        many: list[str] = field(factory=list)

    toy = evolve(BY_NAME["memory/get"], name="toys/takeOut", params=ToyParams, summary="Play.", faults=())

    assert (
        "  /** Play. */\n  toysTakeOut(params: wire.ToyParams, options?: CallOptions)"
        in node_calls_module([toy])
    )
    text = types_module([toy], [])
    assert "/** Params of a toy: no *\\/ ends this. */\n" in text
    assert {
        "wanted": (True, "string"),
        "also": (False, "string | undefined"),
        "many": (False, "readonly string[] | undefined"),
    } == interface("ToyParams", text)
    assert "  /** Default: `[]`. */\n  readonly many?" in text


def test_dry_runs_answer_by_their_flag() -> None:
    """What answers something else to ``dry_run`` has a signature for each way."""
    assert re.search(r"remember\([^)]*readonly dry_run: true[^)]*\): Promise<wire\.DryRun>;", CALLS)
    assert re.search(r"remember\([^)]*dry_run\?: false[^)]*\): Promise<wire\.RememberResult>;", CALLS)
    assert "Promise<wire.RememberResult | wire.DryRun> {" in CALLS


def test_lines_keep_to_the_width() -> None:
    """Whatever is generated can be read."""
    assert [] == [line for line in (TYPES + CALLS).splitlines() if len(line) > 110]


def test_comments_are_wrapped_and_closed() -> None:
    """A short comment takes one line, a long one a block of lines within the width, nothing takes none."""
    long = comment("word " * 40, "More.", margin="  ").splitlines()

    assert "" == comment("")
    assert "/** One line. */\n" == comment("One line.")
    assert ("  /**", "   *", "   * More.", "   */") == (long[0], long[-3], long[-2], long[-1])
    assert all(len(line) <= 110 for line in long)
