"""Workspaces of a connection: folders that open and close, sessions without one, and project files."""

from pathlib import Path
from typing import Any

import pytest

from keepgate.gate.approvers import ClientInfo
from keepgate.protocol.errors import Code, Fault
from keepgate.protocol.settings import Budgets, TrackBudgets, WritePolicy
from keepgate.service.connection import NoPeer

UW = {"track": "user", "scope": "workspace"}
AUTO, OFF = WritePolicy.AUTO, WritePolicy.OFF


@pytest.fixture
def demand(tmp_path: Path) -> Any:
    """Writes the project file of a folder."""

    def write(folder: str, *lines: str) -> None:
        (tmp_path / folder / ".keepgate").mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / ".keepgate" / "config.toml").write_text("\n".join(lines))

    return write


@pytest.mark.parametrize("folders", [(), ("other", "project"), ("project",)])
async def test_a_project_s_off_holds_however_it_is_reached(build: Any, demand: Any, folders: Any) -> None:
    """Also for a session that only says where it works, with no folder open."""
    demand("project", 'writePolicy = "off"')
    client = (await build(write_policy=AUTO)).client(folders=folders, cwd="project")

    fault = await client.fault("memory/add", **UW, text="x")

    assert (Code.WRITE_DENIED, "policy") == (fault.code, fault.details["reason"])


async def test_a_project_s_demands_are_its_own(build: Any, demand: Any) -> None:
    """They hold for its workspace, also in a batch, and for no other that the same process serves."""
    demand("strict", 'writePolicy = "off"')
    house = await build(write_policy=AUTO)
    client = house.client(folders=("free", "strict"))
    drafts = [{**UW, "text": "a"}, {**UW, "text": "b", "workspaceKey": house.key("strict")}]

    fault = await client.fault("memory/seed", entries=drafts)
    entry = await client.add("fine")

    assert (Code.WRITE_DENIED, house.key("free")) == (fault.code, entry["workspaceKey"])


async def test_a_project_s_demands_go_with_its_folder(build: Any, demand: Any) -> None:
    """User-global writes are free again once the strict folder is closed."""
    demand("strict", 'writePolicy = "off"')
    client = (await build(write_policy=AUTO)).client(folders=("strict", "free"))
    fault = await client.fault("memory/add", track="user", scope="user-global", text="x")

    strict = client.connection.workspaces[0].uri
    client.sidecar.change_folders(client.connection, added=[], removed=[strict])

    assert Code.WRITE_DENIED == fault.code
    assert "y" == (await client.add("y", scope="user-global"))["text"]


async def test_a_user_s_source_key_does_not_beat_a_project_s_layer(build: Any, demand: Any) -> None:
    """``source:keepgate`` is looser than the project allows, so it does not count there."""
    demand("project", "[writePolicies]", '"user/workspace" = "off"')
    client = (await build(write_policies={"source:keepgate": AUTO})).client()

    fault = await client.fault("memory/add", **UW, text="x")

    assert (Code.WRITE_DENIED, "policy") == (fault.code, fault.details["reason"])
    assert "y" == (await client.add("y", track="agent"))["text"]


async def test_budgets_are_the_project_s(build: Any, demand: Any) -> None:
    """What is reported and what is enforced is the narrowed number."""
    demand("project", "[budgets.user]", "workspace = 5")
    wide = Budgets(user=TrackBudgets(user_global=50, workspace=50))
    client = (await build(budgets=wide)).client(folders=(), cwd="project")

    rows = (await client.call("memory/budgets"))["budgets"]
    fault = await client.fault("memory/add", **UW, text="123456")

    assert (5, 5) == (next(row["limit"] for row in rows if row.items() >= UW.items()), fault.details["limit"])


async def test_a_broken_project_file_opens_no_folder(build: Any, demand: Any, tmp_path: Path) -> None:
    """Neither at the start nor later, and what was open stays open."""
    demand("broken", "writePolicy =")
    client = (await build()).client()
    before = list(client.connection.workspaces)

    with pytest.raises(Fault, match=r"config\.toml"):
        client.sidecar.change_folders(client.connection, added=[str(tmp_path / "broken")], removed=[])
    with pytest.raises(Fault, match=r"config\.toml"):
        (await build()).client(folders=("broken",))

    assert before == client.connection.workspaces


@pytest.fixture
def trees(tmp_path: Path) -> list[Path]:
    """A repository's main work tree and a linked one, as git lays them out."""
    main, linked = tmp_path / "main", tmp_path / "linked"
    own = main / ".git" / "worktrees" / "linked"
    own.mkdir(parents=True)
    linked.mkdir()
    (own / "commondir").write_text("../..\n")
    (linked / ".git").write_text(f"gitdir: {own}\n")
    return [main, linked]


async def test_each_folder_of_a_shared_workspace_is_closed_alone(build: Any, trees: list[Path]) -> None:
    """Closing one of two work trees leaves their memory in sight until the other is closed, too."""
    house = await build(workspace_identity="repository")
    connection = house.client(folders=("main", "linked")).connection
    seen = []

    for tree in trees:
        house.sidecar.change_folders(connection, added=[], removed=[f"{tree.as_uri()}/"])
        seen.append(connection.keys)

    assert [frozenset({str(trees[0].resolve())}), frozenset()] == seen


async def test_a_project_file_of_a_work_tree_counts(build: Any, trees: list[Path], demand: Any) -> None:
    """The memory is the repository's; a floor of the tree that is open holds all the same."""
    demand("linked", 'writePolicy = "off"')
    client = (await build(workspace_identity="repository", write_policy=AUTO)).client(folders=("linked",))

    assert Code.WRITE_DENIED == (await client.fault("memory/add", **UW, text="x")).code


async def test_opening_a_folder_again_changes_nothing(house: Any) -> None:
    """A folder is one folder, whether as a path or as a URI."""
    client = house.client()
    (only,) = client.connection.workspaces

    house.sidecar.change_folders(client.connection, added=[only.uri, f"{only.path}/."], removed=[])

    assert [only] == client.connection.workspaces


async def test_a_closed_session_takes_its_workspace_along(house: Any) -> None:
    """With no folder open, a connection sees the workspaces of its sessions that are not closed."""
    client = house.client(None, folders=())
    for name in ("one", "two"):
        await client.call("session/open", id=name, cwd=str(house.folder / name))

    await client.call("session/close", id="one")

    assert frozenset({house.key("two")}) == client.connection.keys


@pytest.mark.parametrize(
    "folder",
    [
        "file:///tmp/a%00b", "file://[x/y", "file://a℀b/c", "file:///tmp/%ED%A0%80\ud800", "http://x", "/",
        # What would be one folder for all of its kind, if it were taken.
        "file:///tmp/%ff", "file:///tmp/%FE", "file:///tmp/%ED%A0%80", "file://host/%ff", "file:///C:/%ff",
        "file:///tmp/a#b", "file:///tmp/a?b", "file:///tmp/a#", "file:///tmp/a\nb", "file:///tmp/a\tb",
    ],
)  # fmt: skip
async def test_folders_that_cannot_be(house: Any, folder: str) -> None:
    """R-SCOPE: they are refused as bad input, wherever they are named, so none shares another's memory."""
    connection = house.client().connection
    places = (
        lambda: house.sidecar.connect(
            peer=NoPeer(), channel="test", client=ClientInfo(name="t"), folders=[folder], approver=None
        ),
        lambda: house.sidecar.change_folders(connection, added=[folder], removed=[]),
        lambda: house.sidecar.change_folders(connection, added=[], removed=[folder]),
    )

    codes = []
    for place in places:
        with pytest.raises(Fault) as caught:
            place()
        codes.append(caught.value.code)

    assert [Code.INVALID_INPUT] * 3 == codes


@pytest.mark.parametrize("identity", ["path", "repository"])
@pytest.mark.parametrize("folders", [(), ("project",)])
async def test_a_working_directory_that_cannot_be(build: Any, folders: Any, identity: str) -> None:
    """U+0000 is refused, a name that is too long is taken as it is: neither is an internal error."""
    client = (await build(workspace_identity=identity)).client(None, folders=folders)

    fault = await client.fault("memory/query", session={"id": "s", "cwd": "/a\x00b"})
    long = {"id": "s", "cwd": str(client.sidecar.store.path) + "/" + "x" * 5000}
    other = await client.fault("memory/get", id="none", session=long)

    assert Code.INVALID_INPUT == fault.code
    assert (Code.INVALID_INPUT if folders else Code.ENTRY_NOT_FOUND) == other.code
