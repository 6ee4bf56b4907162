"""Sections 1 and 2 of the contract: versions, and what an entry is."""

import re
from itertools import pairwise
from typing import Any

LAYER = {"track": "user", "scope": "workspace"}
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
FIELDS = {
    "id", "track", "scope", "workspaceKey", "agentKey", "text", "source", "tags", "version", "createdAt",
    "updatedAt", "lastRecalled", "recallCount", "sessionId",
}  # fmt: skip
EMOJI, FAMILY = "👍", "👨‍👩‍👧‍👦"


async def test_an_entry_has_its_fourteen_fields(provider: Any, tmp_path: Any) -> None:
    """DSH-2-fields: all are present, with their types and first values."""
    entry = await provider.add("Likes tea.", tags=["drink"])

    assert FIELDS == entry.keys()
    assert UUID4.fullmatch(entry["id"])
    assert {
        "track": "user", "scope": "workspace", "workspaceKey": str(tmp_path / "project"), "agentKey": "",
        "text": "Likes tea.", "source": "keepgate", "tags": ["drink"], "version": 1, "lastRecalled": None,
        "recallCount": 0, "sessionId": "s1",
    } == {name: entry[name] for name in FIELDS - {"id", "createdAt", "updatedAt"}}  # fmt: skip


async def test_an_entry_counts_its_versions(provider: Any) -> None:
    """DSH-1-entry-version, DSH-2-times: 1, then one more with each replace; the id and createdAt stay."""
    first = await provider.add("Likes tea.")
    second = (await provider.call("memory/replace", **LAYER, match="tea", text="Likes coffee."))["entry"]
    third = (await provider.call("memory/replace", **LAYER, match="coffee", text="Likes water."))["entry"]

    assert [1, 2, 3] == [entry["version"] for entry in (first, second, third)]
    assert {first["id"]} == {second["id"], third["id"]}
    assert {first["createdAt"]} == {second["createdAt"], third["createdAt"]}
    assert first["createdAt"] <= second["updatedAt"] <= third["updatedAt"]


async def test_layers_are_a_closed_set(provider: Any, fault_of: Any) -> None:
    """DSH-2-layers, DSH-7-INVALID_INPUT: any other track or scope is refused, and nothing is stored."""
    others = [{"track": "team"}, {"scope": "project"}, {"track": ""}, {"scope": "User-Global"}]

    faults = [await fault_of(provider.add("Likes tea.", **params)) for params in others]

    assert [("INVALID_INPUT", -32050)] * 4 == [(fault.code, fault.number) for fault in faults]
    assert ([], []) == (await provider.texts(), provider.person.questions)


async def test_a_user_global_entry_has_no_workspace(provider: Any) -> None:
    """DSH-2-workspace-key: its key is empty."""
    assert "" == (await provider.add("Likes tea.", scope="user-global"))["workspaceKey"]


async def test_links_lead_to_one_workspace(open_provider: Any, tmp_path: Any) -> None:
    """DSH-2-workspace-key: the key is canonical, so a link and its target are one workspace."""
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to("project", target_is_directory=True)
    async with open_provider("link") as provider:
        through_link = await provider.add("Likes tea.")
    async with open_provider("project") as provider:
        found = await provider.texts()

    assert str(tmp_path / "project") == through_link["workspaceKey"]
    assert ["Likes tea."] == found


async def test_text_counts_as_in_javascript(provider: Any) -> None:
    """DSH-2-text, DSH-5-count: the unit is the UTF-16 code unit; tags do not count; nothing is trimmed."""
    units = {"tea": 3, "茶": 1, EMOJI: 2, FAMILY: 11, " ": 1, "a\u0301": 2}
    used, kept = [0], []
    for text in units:
        result = await provider.call("memory/add", **LAYER, text=text, tags=["not counted"])
        used.append(result["usage"]["used"])
        kept.append(result["entry"]["text"])

    assert (list(units), list(units.values())) == (kept, [after - before for before, after in pairwise(used)])


async def test_text_that_cannot_be_kept_is_refused(provider: Any, fault_of: Any) -> None:
    """DSH-2-text, DSH-7-INVALID_INPUT: empty, with U+0000, with half a surrogate pair."""
    faults = [await fault_of(provider.add(text)) for text in ("", "a\x00b", "\ud800")]

    assert ["INVALID_INPUT"] * 3 == [fault.code for fault in faults]
    assert ["$.text"] * 3 == [problem["path"] for fault in faults for problem in fault.details["problems"]]


async def test_tags_are_cleaned(provider: Any) -> None:
    """DSH-2-tags: trimmed as JavaScript trims, repeats dropped, in the order given."""
    entry = await provider.add("Likes tea.", tags=[" b ", "a", "\u3000b\ufeff", "B"])

    assert ["b", "a", "B"] == entry["tags"]


async def test_tags_have_limits(provider: Any, fault_of: Any) -> None:
    """DSH-2-tags: at most 16 of at most 32 units each, none blank, none with a control character."""
    many = [f"t{number}" for number in range(17)]
    refused = [[""], ["  "], ["a\nb"], ["x" * 33], [EMOJI * 17], many]

    faults = [await fault_of(provider.add("Likes tea.", tags=tags)) for tags in refused]

    assert ["INVALID_INPUT"] * 6 == [fault.code for fault in faults]


async def test_the_limits_of_tags_are_inclusive(provider: Any) -> None:
    """DSH-2-tags: 16 tags of 32 units are allowed, and repeats do not count."""
    tags = [f"{n:032}" for n in range(16)]

    assert tags == (await provider.add("Likes tea.", tags=[*tags, *tags]))["tags"]


async def test_an_agents_entries_are_its_own(provider: Any) -> None:
    """DSH-2-agent-key, DSH-2-visibility, DSH-2-management: one's own and shared; management sees all."""
    one, other = {"id": "s1", "agentPreset": "one"}, {"id": "s2", "agentPreset": "other"}
    await provider.add("of one", session=one)
    await provider.add("of other", session=other)
    await provider.add("shared", session=one, agentKey="")

    seen = [set(await provider.texts(session=who)) for who in (one, other, {"id": "s3"}, None)]

    assert [
        {"of one", "shared"}, {"of other", "shared"}, {"shared"}, {"of one", "of other", "shared"},
    ] == seen  # fmt: skip


async def test_nobody_writes_for_another_agent(provider: Any, fault_of: Any) -> None:
    """DSH-2-agent-key: a foreign key is INVALID_INPUT."""
    fault = await fault_of(provider.add("Likes tea.", session={"id": "s1", "agentPreset": "a"}, agentKey="b"))

    assert "INVALID_INPUT" == fault.code


async def test_a_session_sees_its_workspace_only(open_provider: Any, tmp_path: Any, fault_of: Any) -> None:
    """DSH-2-visibility: entries of another workspace are neither found nor changed nor shown in errors."""
    here, there = ({"id": name, "cwd": str(tmp_path / name)} for name in ("here", "there"))
    async with open_provider("here", "there") as provider:
        await provider.add("the secret of here", session=here)
        await provider.add("everywhere", session=here, scope="user-global")

        seen = await provider.texts(session=there)
        fault = await fault_of(provider.call("memory/remove", **LAYER, match="secret", session=there))

    assert ["everywhere"] == seen
    assert "ENTRY_NOT_FOUND" == fault.code
    assert "of here" not in str(fault.data())


async def test_management_sees_open_workspaces_and_all_on_request(open_provider: Any, tmp_path: Any) -> None:
    """DSH-2-management: without a session every agent's entries, of all workspaces only on request."""
    async with open_provider("here") as provider:
        await provider.add("of here", session={"id": "s1", "agentPreset": "one"})
    async with open_provider("there") as provider:
        narrow = await provider.texts()
        wide = await provider.texts(allWorkspaces=True)

    assert ([], ["of here"]) == (narrow, wide)
