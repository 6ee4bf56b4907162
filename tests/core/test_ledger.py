"""Ledger rows: how they are sealed, and what is noticed afterwards (DSH-6)."""

import hashlib
import json

import attrs
import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from keepgate.core.writing.ledger import (
    CHAINED,
    GENESIS,
    Decision,
    Row,
    Sealed,
    canonical,
    chain_breaks,
    seal,
)
from keepgate.core.writing.mutation import Mutation
from keepgate.core.writing.states import entry_from, recorded, state_of

SALT = "00112233445566778899aabbccddeeff"
COLUMNS = [item.name for item in attrs.fields(Sealed)]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
OPTIONAL = st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


def row(text: str = "Knots.", **fields) -> Row:
    """A row that adds an entry."""
    return Row(
        **{
            "ts": 1_700_000_000_000,
            "action": "add",
            "decision": Decision.ALLOWED,
            "outcome": "allowed-once (via approval, writePolicy ask)",
            "track": "user",
            "scope": "workspace",
            "workspace_key": "/srv/tides",
            "agent_key": "",
            "entry_id": "e-1",
            "source": "keepgate",
            "session_id": "s-1",
            "proposal_id": "p-1",
            "shown_hash": "ab" * 32,
            "by": {"client": "vim"},
            "payload": {"text": text},
        }
        | fields
    )


def chain(count: int = 5) -> list[Sealed]:
    """Sealed rows, each over the one before."""
    rows: list[Sealed] = []
    for number in range(1, count + 1):
        previous = rows[-1].hash if rows else GENESIS
        rows.append(seal(row(f"Tide {number}"), seq=number, salt=SALT, previous=previous))
    return rows


def breaks(rows) -> list[tuple[str, int]]:
    """What a walk finds: kind and seq."""
    return [(found.kind, found.seq) for found in chain_breaks(rows)]


def test_a_row_is_sealed_as_published() -> None:
    """``digest`` over salt and payload, ``hash`` over every other column in order, both SHA-256 of UTF-8."""
    sealed = seal(row("月"), seq=7, salt=SALT, previous="cd" * 32)

    payload = '{"text":"月"}'
    digest = hashlib.sha256(bytes.fromhex(SALT) + payload.encode()).hexdigest()
    columns = [
        7, 1_700_000_000_000, "add", "allowed", "allowed-once (via approval, writePolicy ask)", "user",
        "workspace", "/srv/tides", None, "", "e-1", "keepgate", "s-1", "p-1", "ab" * 32, '{"client":"vim"}',
        digest, "cd" * 32,
    ]  # fmt: skip
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    assert (payload, SALT, digest) == (sealed.payload, sealed.salt, sealed.digest)
    assert hashlib.sha256(text.encode()).hexdigest() == sealed.hash


def test_the_chain_covers_every_column_but_the_payload() -> None:
    """Only what a purge drops, and the hash itself, are left out."""
    assert set(COLUMNS) - {"payload", "salt", "hash"} == set(CHAINED)


@given(JSON)
def test_canonical_json_is_one_text_per_value(value) -> None:
    """Names in order, no blanks, and it reads back as it was."""
    text = canonical(value)

    assert value == json.loads(text)
    assert text == canonical(json.loads(text))


def test_canonical_json_sorts_names_at_every_depth() -> None:
    """The order in which a mapping was filled does not show."""
    assert '{"a":[{"b":1,"ä":2}],"b":"月"}' == canonical({"b": "月", "a": [{"ä": 2, "b": 1}]})


@given(st.text(max_size=5), st.fixed_dictionaries(dict.fromkeys(("track", "entry_id", "source"), OPTIONAL)))
def test_a_row_that_nobody_touched_holds(text: str, fields) -> None:
    """Whatever it says."""
    assert [] == breaks([seal(row(text, **fields), seq=1, salt=SALT, previous=GENESIS)])


def test_whole_rows_hold() -> None:
    """Nothing is found in a chain as it was written."""
    assert [] == breaks(chain())


def edits_of(sealed: Sealed) -> list[tuple[str, object]]:
    """Every column with other values that could stand there; without its payload alone, a row is purged."""
    found: list[tuple[str, object]] = []
    for column in {*COLUMNS} - {"seq"}:
        value = getattr(sealed, column)
        others = {None, "", str(value).swapcase(), f"{value} ", f"{value}x"} - {value}
        if column == "payload":
            others -= {None}
        found += [(column, other) for other in others]
    return sorted(found, key=str)


@pytest.mark.parametrize(("column", "edited"), edits_of(chain()[2]))
def test_every_edit_of_a_column_is_found(column: str, edited: object) -> None:
    """Another value, no value, another spelling: the edited row is named."""
    rows = chain()
    rows[2] = evolve(rows[2], **{column: edited})

    assert ("edit", 3) in breaks(rows)


@pytest.mark.parametrize("salt", ["", "zz", "0", SALT.upper(), f" {SALT}", f"{SALT}\n", SALT + "7b", "ſ"])
def test_a_spoiled_salt_is_an_edit(salt: str) -> None:
    """Also where it is no hex, or other hex for the same bytes."""
    rows = chain()
    rows[2] = evolve(rows[2], salt=salt)

    assert [("edit", 3)] == breaks(rows)


def test_payload_and_salt_cannot_trade_bytes() -> None:
    """A byte moved from one to the other leaves the digest as it was, but no payload that is JSON."""
    sealed = chain(1)[0]
    moved = evolve(sealed, salt=sealed.salt + "7b", payload=sealed.payload[1:])

    assert None is recorded(moved)


def test_every_edit_of_the_number_is_found() -> None:
    """A renumbered row is an edited one."""
    rows = chain()
    rows[2] = evolve(rows[2], seq=33)

    assert ("edit", 33) in breaks(rows)


@given(st.sampled_from(CHAINED), st.integers(0, 4), st.text(max_size=3) | st.integers() | st.none())
@example("track", 0, "")
def test_no_edit_goes_unseen(column: str, place: int, value) -> None:
    """Whatever stands there now, if it is something else."""
    rows = chain()
    if getattr(rows[place], column) == value:
        return
    rows[place] = evolve(rows[place], **{column: value})
    if column == "seq" and not isinstance(value, int):
        rows[place] = evolve(rows[place], seq=place + 77)

    assert breaks(rows)


def test_a_resealed_row_breaks_the_next() -> None:
    """Whoever computes the hash anew leaves a successor that follows another row."""
    rows = chain()
    forged = seal(row("Forged."), seq=3, salt=SALT, previous=rows[1].hash)

    assert [("reorder", 4)] == breaks([*rows[:2], forged, *rows[3:]])


@pytest.mark.parametrize(
    ("expected", "gone"), [([("gap", 3)], {2}), ([("gap", 5)], {2, 3, 4}), ([("gap", 2)], {1}), ([], {5})]
)
def test_a_missing_row_is_a_gap(expected, gone: set[int]) -> None:
    """Each hole is named once, at the row after it; a cut tail is the anchor's business."""
    assert expected == breaks([item for item in chain() if item.seq not in gone])


def test_a_gap_names_the_rows() -> None:
    """First and last of what is missing."""
    (found,) = chain_breaks([item for item in chain() if item.seq in (1, 5)])

    assert "rows 2 to 4 are missing" == found.message


@pytest.mark.parametrize(
    ("expected", "order"),
    [
        ([("gap", 3), ("reorder", 2), ("gap", 4)], [1, 3, 2, 4, 5]),
        ([("reorder", 2)], [1, 2, 2, 3, 4, 5]),
        ([("gap", 5), ("reorder", 4), ("reorder", 3), ("reorder", 2), ("reorder", 1)], [5, 4, 3, 2, 1]),
    ],
)
def test_rows_out_of_order_are_noticed(expected, order: list[int]) -> None:
    """A row that comes again or too late was moved."""
    rows = chain()

    assert expected == breaks([rows[number - 1] for number in order])


def test_a_row_moved_to_another_number_is_noticed() -> None:
    """Two rows that trade their numbers are both edited."""
    rows = chain()
    traded = [*rows[:1], evolve(rows[2], seq=2), evolve(rows[1], seq=3), *rows[3:]]

    assert [("edit", 2), ("edit", 3)] == breaks(traded)[:2]


def test_a_chain_may_be_walked_from_the_middle() -> None:
    """From a row whose hash and number are known."""
    rows = chain()

    assert [] == list(chain_breaks(rows[2:], previous=rows[1].hash, after_seq=2))
    assert [("reorder", 3)] == [
        (found.kind, found.seq) for found in chain_breaks(rows[2:], previous=GENESIS, after_seq=2)
    ]


@pytest.mark.parametrize("place", range(5))
def test_a_purge_keeps_the_chain(place: int) -> None:
    """Payload and salt may go; everything else still holds."""
    rows = chain()
    rows[place] = evolve(rows[place], payload=None, salt=None)

    assert [] == breaks(rows)


def test_what_else_a_purge_touches_is_an_edit() -> None:
    """The digest stays, so that a payload cannot be put back unseen."""
    rows = chain()
    rows[2] = evolve(rows[2], payload='{"text":"Forged."}', salt=SALT)

    assert [("edit", 3)] == breaks(rows)


def test_an_entry_survives_being_written_down(entry) -> None:
    """All but its recall counts, which are derived."""
    full = entry(
        "月\n",
        "agent/user-global",
        agent_key="pilot",
        source="mem0",
        tags=("b", "a"),
        version=9,
        session_id=None,
    )
    read = evolve(full, recall_count=3, last_recalled=1)

    assert full == entry_from(json.loads(canonical(state_of(read))))


def step_row(before, after, **fields) -> Sealed:
    """A sealed row that holds an entry's step."""
    payload = {"before": before and state_of(before), "after": after and state_of(after), "of": [0, 1]}
    return seal(row(payload=payload, **fields), seq=4, salt=SALT, previous=GENESIS)


def test_a_step_is_read_back(entry) -> None:
    """Before, after, and the ledger's word."""
    old, new = entry("Knots."), entry("Miles.", version=2)

    step = recorded(step_row(old, new, action="replace"))

    assert Mutation(action="replace", before=old, after=new) == step


def test_a_removal_leaves_the_entry_it_took(entry) -> None:
    """The step's entry is the one that went."""
    step = recorded(step_row(entry("Knots."), None))

    assert (None, entry("Knots.")) == (step.after, step.entry)


@pytest.mark.parametrize(
    "fields",
    [
        {"decision": Decision.DENIED},
        {"decision": Decision.REFUSED},
        {"decision": Decision.EVIDENCE},
        {"decision": Decision.NOTE},
        {"entry_id": None},
    ],
)
def test_other_rows_hold_no_step(fields, entry) -> None:
    """Denials, refusals, evidence, notes and summaries change no entry."""
    assert None is recorded(step_row(None, entry("Knots."), **fields))


@pytest.mark.parametrize(
    "payload",
    [
        None, "", "nonsense", "[]", "7", '"before"', "{}", '{"before":null}', '{"before":null,"after":null}',
        '{"before":null,"after":{"id":"e-1"}}', '{"before":7,"after":null}', '{"before":"x","after":null}',
        '{"before":null,"after":["x"]}',
    ],
)  # fmt: skip
def test_an_unreadable_payload_holds_no_step(payload, entry) -> None:
    """A walk over a damaged ledger goes on; the chain says that the row was edited."""
    damaged = evolve(step_row(None, entry("Knots.")), payload=payload)

    assert None is recorded(damaged)
