"""Round trips and fuzz over all adapters that ship."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from keepgate.adapters.built_in import BUILT_IN
from keepgate.adapters.contract import Adapted, Adapter
from keepgate.adapters.registry import adapt, export
from keepgate.protocol.entries import LAYERS
from keepgate.protocol.errors import Code, Fault

ADAPTERS = [pytest.param(adapter, id=adapter.id) for adapter in BUILT_IN]
BY_ID = {adapter.id: adapter for adapter in BUILT_IN}

# Pieces that Markdown would take for something else, and that the escapes themselves are made of.
MARKS = [
    "\n", "\n\n", " ", "  ", "\t", "\r", "\r\n", "- ", "* ", "+ ", "-", "--", "---", "***", "# ", "## ",
    "###", "===", "```", "~~~", "|", "|---|", "> ", "1. ", "<!--", "-->", "&", "&amp;", "amp;", "#32;",
    "&#32;", "&#10;", "&amp;#45;", "\u3000", "\u2028", "\x0b", "\x1c", "\x85", "\ufeff", ":", "key: ",
    "user/workspace", "x", "\\", "`",
]  # fmt: skip
TEXTS = (
    st.lists(st.sampled_from(MARKS) | st.text(max_size=3), min_size=1, max_size=12)
    .map("".join)
    .filter(lambda text: text and "\0" not in text)
)
TAG_TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"], exclude_characters="\ufeff"),
    min_size=1,
    max_size=16,
)


@st.composite
def drafts(draw: st.DrawFn) -> list[dict[str, Any]]:
    """What entries are made of, in any layer."""
    made = draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "layer": st.sampled_from(LAYERS),
                    "text": TEXTS,
                    "tags": st.lists(TAG_TEXTS, unique=True, max_size=4).map(tuple),
                    "source": st.sampled_from(["keepgate", "memory-tool"]),
                    "agent_key": st.sampled_from(["", "reviewer"]),
                }
            ),
            max_size=6,
        )
    )
    return sorted(made, key=lambda draft: f"{draft['layer'][0]}/{draft['layer'][1]}")


def outcome_of(adapter: Adapter, payload: Any) -> Adapted | Fault:
    """What an adapter makes of a payload, or the fault it raises."""
    try:
        return adapt(adapter, payload)
    except Fault as fault:
        return fault


def entries_of(entry, made: list[dict[str, Any]]) -> list[Any]:
    """The entries that these drafts stand for."""
    return [
        entry(
            draft["text"],
            str(draft["layer"][0]),
            str(draft["layer"][1]),
            tags=draft["tags"],
            source=draft["source"],
            agent_key=draft["agent_key"],
        )
        for draft in made
    ]


@pytest.mark.parametrize("adapter_id", ["claude-code-memory-md", "server-memory", "mem0"])
@settings(deadline=None)
@given(made=drafts())
def test_texts_and_layers_survive_a_round_trip(adapter_id: str, made, entry) -> None:
    """What was exported is adapted to the same texts in the same layers (DSH-9-pure)."""
    adapter = BY_ID[adapter_id]
    payload = json.loads(json.dumps(export(adapter, entries_of(entry, made))))

    adapted = adapt(adapter, payload)

    assert [(draft["text"], *draft["layer"]) for draft in made] == [
        (each.text, each.track, each.scope) for each in adapted.entries
    ]
    assert () == adapted.notes


@settings(deadline=None)
@given(made=drafts())
def test_hermes_keeps_the_flattened_texts(made, entry) -> None:
    """Line breaks become blanks on the way out; beyond that every character survives."""
    adapter = BY_ID["hermes-memory-md"]

    adapted = adapt(adapter, export(adapter, entries_of(entry, made)))

    assert [(re.sub("\r\n|\n|\r", " ", draft["text"]), *draft["layer"]) for draft in made] == [
        (each.text, each.track, each.scope) for each in adapted.entries
    ]


@settings(deadline=None)
@given(made=drafts())
def test_mem0_keeps_tags_sources_and_keys(made, entry) -> None:
    """The JSON format has a place for everything that an import may keep."""
    adapter = BY_ID["mem0"]
    given_entries = entries_of(entry, made)

    adapted = adapt(adapter, export(adapter, given_entries))

    assert [(e.tags, e.source, e.workspace_key, e.agent_key) for e in given_entries] == [
        (each.tags, each.source, each.workspace_key, each.agent_key) for each in adapted.entries
    ]


ANY_TEXT = st.text(st.characters(), max_size=60) | st.lists(
    st.sampled_from([*MARKS, "\0", "\ud800"]), max_size=20
).map("".join)
WORDS = st.sampled_from([
    "facts", "memory", "metadata", "tags", "category", "track", "scope", "source", "text", "type", "entity",
    "relation", "name", "entityType", "observations", "from", "to", "relationType", "entities", "relations",
    "results", "user",
])  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | WORDS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize("adapter", ADAPTERS)
@settings(deadline=None)
@given(payload=JSON)
@example(payload={"type": "entity", "name": "a", "entityType": "user/workspace", "observations": ["\ud800"]})
@example(payload="- a\n  <!-- \n")
@example(payload=b"bytes")
@example(payload=object())
def test_any_payload_is_adapted_or_refused(adapter: Adapter, payload: Any) -> None:
    """Nothing but entries or ``ADAPTER_PAYLOAD`` with a reason comes out of an adapter."""
    outcome = outcome_of(adapter, payload)

    assert (
        all(entry.text for entry in outcome.entries)
        if isinstance(outcome, Adapted)
        else (outcome.code is Code.ADAPTER_PAYLOAD and outcome.message.startswith(f"{adapter.id}: "))
    )


@settings(deadline=None)
@given(text=ANY_TEXT.filter(lambda text: "<!--" not in text and "\0" not in text and text.isprintable()))
def test_claude_refuses_no_ordinary_text(text: str) -> None:
    """Prose of any shape is accepted: there is nothing to get wrong in it."""
    adapt(BY_ID["claude-code-memory-md"], text)


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize(
    "text",
    [
        "- " + " " * 200_000 + "x",
        "# a" + " #" * 100_000 + "x",
        " " * 200_000 + "```\n" + " " * 200_000 + "x",
        "a|b\n" + " " * 200_000 + "x",
        "- " * 100_000,
        "&" + "amp;" * 100_000,
        "a\n" * 100_000,
        "- a\n" * 50_000,
        "<!-- a -->" * 100_000,
        "<!-- a -->\n" * 100_000,
    ],
    ids=[
        "blanks",
        "hashes",
        "indented fence",
        "table",
        "dashes",
        "references",
        "long paragraph",
        "bullets",
        "comments",
        "comment lines",
    ],
)
def test_large_payloads_take_linear_time(adapter: Adapter, text: str) -> None:
    """Hostile repetition ends well before the test's time is up; quadratic work would not."""
    outcome = outcome_of(adapter, text)

    assert isinstance(outcome, Adapted) or outcome.code is Code.ADAPTER_PAYLOAD
