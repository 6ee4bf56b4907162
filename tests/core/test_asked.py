"""What a person is told beside the texts: where a change goes, who will see it, which tags change."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from keepgate.core.reading.asked import facts, fields_of, place_of, workspaces_of
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.proposals import ApprovalRequestParams, AskEntry, AskPage, AskTarget

TIDES, CHARTS = "/srv/tides", "/srv/charts"
PLACE = {"track": Track.AGENT, "scope": Scope.WORKSPACE, "workspace_key": TIDES, "agent_key": "", "text": "x"}


def coming(**fields: Any) -> AskEntry:
    """An entry that a change would add or leave behind."""
    return AskEntry(**({**PLACE, "tags": [], "source": "claude"} | fields))


def going(**fields: Any) -> AskTarget:
    """An entry that a change would rewrite or remove."""
    return AskTarget(**({**PLACE, "id": "e-1", "version": 1, "tags": []} | fields))


def everywhere(make: Callable[..., Any], **fields: Any) -> Any:
    """An item that belongs to no workspace."""
    return make(scope=Scope.USER_GLOBAL, workspace_key="", **fields)


def asked(*items: AskEntry | AskTarget, **fields: Any) -> ApprovalRequestParams:
    """A question about some entries."""
    plain = {
        "id": "p-1", "action": "add", "track": "agent", "scope": "workspace", "workspace_key": TIDES,
        "agent_key": "", "source": "claude", "session_id": "s-1", "text": "x", "hash": "ab", "deadline": 1,
        "warnings": [],
        "targets": [item for item in items if isinstance(item, AskTarget)],
        "entries": [item for item in items if isinstance(item, AskEntry)],
    }  # fmt: skip
    return ApprovalRequestParams(**(plain | fields))


BATCH = {"track": "batch", "scope": "batch"}


@pytest.mark.parametrize(
    ("expected", "question"),
    [
        ([TIDES], asked(coming())),
        ([TIDES], asked(everywhere(coming))),
        ([], asked(everywhere(coming), workspace_key="")),
        ([CHARTS, TIDES], asked(coming(), going(workspace_key=CHARTS))),
        ([CHARTS, TIDES], asked(coming(workspace_key=CHARTS), coming(), workspace_key="", **BATCH)),
    ],
)
def test_every_workspace_of_a_change_is_named(expected: list[str], question: ApprovalRequestParams) -> None:
    """The question's own and those of all entries that come or go, once each, in a fixed order."""
    assert expected == workspaces_of(question)


@pytest.mark.parametrize(
    ("expected", "question"),
    [
        ([], asked(everywhere(coming), workspace_key="")),
        ([("workspace", TIDES)], asked(coming())),
        ([("workspaces", f"{CHARTS}, {TIDES}")], asked(coming(workspace_key=CHARTS))),
        ([("workspace", TIDES), ("seen by", "every agent")], asked(coming(), agent_key="pilot")),
        (
            [("workspace", TIDES), ("seen by", "agent pilot alone")],
            asked(coming(agent_key="pilot"), agent_key="pilot"),
        ),
        (
            [("workspace", TIDES), ("seen by", "agent pilot alone; every agent")],
            asked(going(agent_key="pilot"), coming()),
        ),
        (
            [("workspace", TIDES), ("layers", "agent/workspace, agent/user-global")],
            asked(coming(), everywhere(coming), coming(), **BATCH),
        ),
    ],
)
def test_a_question_says_where_a_change_goes_and_who_will_see_it(
    expected: list[tuple[str, str]], question: ApprovalRequestParams
) -> None:
    """Readers are named where a preset is involved, layers where there may be several."""
    assert expected == list(facts(question))


def test_an_empty_batch_has_only_its_workspace() -> None:
    """There is no entry to say more of."""
    assert [("workspace", TIDES)] == list(facts(asked(**BATCH, agent_key="pilot")))


@pytest.mark.parametrize(
    ("expected", "items"),
    [
        ([], [coming()]),
        (["sea, sky"], [coming(tags=["sea", "sky"])]),
        (["sea"], [going(tags=["sea"])]),
        (["sea"], [going(tags=["sea"]), coming(tags=["sea"])]),
        (["sky (before: sea)"], [going(tags=["sea"]), coming(tags=["sky"])]),
        (["none (before: sea)"], [going(tags=["sea"]), coming()]),
        (["sea (before: none)"], [going(), coming(tags=["sea"])]),
        (["sky (before: sea, sun)"], [going(tags=["sea"]), going(tags=["sun", "sea"]), coming(tags=["sky"])]),
    ],
)
def test_a_question_says_which_tags_change(expected: list[str], items: list[AskEntry | AskTarget]) -> None:
    """Those that come, and those that were there where they differ; a removal says what goes."""
    assert expected == [value for name, value in facts(asked(*items)) if name == "tags"]


def test_a_batch_leaves_tags_to_its_entries() -> None:
    """One list for all of them would say nothing."""
    assert "tags" not in dict(facts(asked(coming(tags=["sea"]), **BATCH)))


@pytest.mark.parametrize(
    ("expected", "item"),
    [
        (
            [
                ("layer", "agent/workspace"),
                ("workspace", TIDES),
                ("seen by", "every agent"),
                ("source", "claude"),
            ],
            coming(),
        ),
        (
            [("layer", "agent/user-global"), ("seen by", "agent pilot alone"), ("tags", "sea, sky")],
            everywhere(going, agent_key="pilot", tags=["sea", "sky"]),
        ),
    ],
)
def test_a_memory_is_told_in_full(expected: list[tuple[str, str]], item: AskEntry | AskTarget) -> None:
    """Layer, workspace, readers, source and tags, as far as it has them."""
    assert expected == list(fields_of(item))


@pytest.mark.parametrize(
    ("expected", "item", "several"),
    [
        ("agent/workspace", coming(), False),
        ("agent/workspace of /srv/tides", coming(), True),
        ("agent/user-global", everywhere(coming), True),
        ("agent/workspace, agent pilot alone, tags sea", going(agent_key="pilot", tags=["sea"]), False),
    ],
)
def test_a_memory_is_told_on_one_line(expected: str, item: AskEntry | AskTarget, several: bool) -> None:
    """With its workspace where there are several to mix up."""
    assert expected == place_of(item, among_several=several)


@pytest.mark.parametrize(
    "preset",
    ["coder alone; every agent", "x alone\nSeen by: every agent", "every agent", 'a" alone; every agent; "'],
)
def test_a_preset_cannot_say_who_else_sees_it(preset: str) -> None:
    """It is free text of the caller's, so it stands in quotes that it cannot close, and on its line."""
    seen_by = dict(facts(asked(coming(agent_key=preset), agent_key=preset)))["seen by"]

    quoted = seen_by.removeprefix("agent ").removesuffix(" alone")
    assert preset == json.loads(quoted)
    assert "\n" not in seen_by
    assert f"agent/workspace, agent {quoted} alone" == place_of(coming(agent_key=preset), among_several=False)


@pytest.mark.parametrize(
    ("expected", "tags"),
    [
        ("sea, sky", ["sea", "sky"]),
        ('"sea, sky"', ["sea, sky"]),
        ('"sea (before: sky)"', ["sea (before: sky)"]),
        ('"none"', ["none"]),
        ("none", []),
        ("標, ärger", ["標", "ärger"]),
    ],
)
def test_a_tag_cannot_pass_for_others(expected: str, tags: list[str]) -> None:
    """What is no plain word is quoted, so that a list of tags is read as what it is."""
    question = asked(going(tags=["old"]), coming(tags=tags))

    assert f"{expected} (before: old)" == dict(facts(question))["tags"]


def test_a_folder_cannot_pass_for_others() -> None:
    """Of several workspaces each is told apart, whatever it is called."""
    sly = "/srv/api, agent coder alone"
    question = asked(coming(workspace_key=sly))

    assert f'"{sly}", {TIDES}' == dict(facts(question))["workspaces"]
    assert f'agent/workspace of "{sly}"' == place_of(question.entries[0], among_several=True)


def a_page(**fields: Any) -> AskPage:
    """A page that a change would write."""
    plain = {"action": "page-put", "workspace_key": TIDES, "root": f"{TIDES}/pages", "slug": "notes/sea",
             "path": "notes/sea.md", "before": None, "content": "x"}  # fmt: skip
    return AskPage(**(plain | fields))


@pytest.mark.parametrize(
    ("expected", "page"),
    [
        ([("page", "notes/sea"), ("file", f"{TIDES}/pages/notes/sea.md")], a_page()),
        (
            [("page", "sea"), ("file", "/own/sea.md"), ("read in", "every workspace")],
            a_page(workspace_key="", root="/own", slug="sea", path="sea.md"),
        ),
        (
            [
                ("page", "notes/sea"),
                ("file", f"{TIDES}/pages/notes/sea.md"),
                ("on disk", "the file stays as it is"),
            ],
            a_page(action="quarantine"),
        ),
        ([("folder", f"{TIDES}/pages")], a_page(action="trust", slug="", path="", content=None)),
    ],
)
def test_a_page_is_told_with_its_file(expected: list[tuple[str, str]], page: AskPage) -> None:
    """Whoever reads it elsewhere is named, and that a file stays; of trust there is the folder alone."""
    question = asked(action=page.action, pages=[page])

    assert [("workspace", TIDES), *expected] == list(facts(question))
