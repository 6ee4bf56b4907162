"""``initialize``: what is read, what is answered, what is refused and may be tried again."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from keepgate import __version__
from keepgate.protocol.ops import OPERATIONS

WRITE = {"session": {"id": "s1"}, "track": "agent", "scope": "workspace", "text": "Use tabs."}
PROMPT = "window/showMessageRequest"


def test_the_result(spawn: Any, project: Path, home: Path) -> None:
    """Server info, no document sync, the commands, workspace folders and keepgate's own announcement."""
    server = spawn()

    result = server.initialize(project)

    assert {"name": "keepgate", "version": __version__} == result["serverInfo"]
    capabilities = result["capabilities"]
    keepgate = capabilities.pop("experimental")["keepgate"]
    assert {
        "textDocumentSync": 0,
        "executeCommandProvider": {"commands": [row.command for row in OPERATIONS if row.command]},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    } == capabilities
    assert {
        "protocolVersion": 1,
        "contracts": {"dsh-memory-protocol": 1, "MEMORY_VERBS": 1},
        "methods": [row.name for row in OPERATIONS if row.command],
        "framing": "lsp",
        "approval": "message",
        "storePath": str(home / "data" / "memory.db"),
        "workspaces": [{"uri": project.as_uri(), "key": str(project), "rule": "folder"}],
    } == keepgate


@pytest.mark.parametrize("options", [None, {}])
def test_no_options(spawn: Any, project: Path, options: Any) -> None:
    """``null`` and ``{}`` mean the defaults."""
    server = spawn()

    server.initialize(project, initializationOptions=options)

    assert [2000, 2000, 4000, 4000] == [row["limit"] for row in server.result("memory/budgets")["budgets"]]


@pytest.mark.parametrize(
    ("options", "code", "path"),
    [
        ({"storepath": "/x", "budgets": {"usr": 1}}, -32602, "storepath"),
        ({"queryLimit": "5"}, -32602, "queryLimit"),
        ({"queryLimit": 0}, -32050, "queryLimit"),
        ({"writePolicy": "always"}, -32050, "writePolicy"),
        ({"storePath": "relative.db"}, -32050, "storePath"),
        ([], -32602, "initializationOptions"),
        ("x", -32602, "initializationOptions"),
    ],
)
def test_bad_options_may_be_corrected(spawn: Any, project: Path, options: Any, code: int, path: str) -> None:
    """They are refused with their place, and a second ``initialize`` is served."""
    server = spawn()

    error = server.error("initialize", {"capabilities": {}, "initializationOptions": options})
    unserved = server.error("memory/budgets")
    server.initialize(project)

    assert code == error["code"]
    assert path in " ".join(problem["path"] for problem in error["data"]["problems"])
    assert unserved["code"] == -32002
    assert "result" in server.ask("memory/budgets")


@pytest.mark.parametrize("params", [None, [], {"capabilities": []}, {"processId": "1", "capabilities": {}}])
def test_bad_params_may_be_corrected(spawn: Any, params: Any) -> None:
    """The same holds for params of the wrong shape."""
    server = spawn()

    error = server.error("initialize", params)
    server.initialize()

    assert error["code"] == -32602


def test_a_store_that_cannot_be_opened(spawn: Any, project: Path, tmp_path: Path) -> None:
    """A fault of the store is the error of ``initialize``; another store may be tried."""
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database" * 100)
    server = spawn()

    error = server.error(
        "initialize", {"capabilities": {}, "initializationOptions": {"storePath": str(broken)}}
    )
    server.initialize(project, initializationOptions={"storePath": str(tmp_path / "fine.db")})

    assert (-32057, "STORE_CORRUPT") == (error["code"], error["data"]["code"])
    assert str(tmp_path / "fine.db") == server.result("memory/status")["storePath"]
    assert broken.read_bytes().startswith(b"this is no database")


def test_a_folder_that_is_no_file(spawn: Any) -> None:
    """A folder of another scheme cannot be a workspace."""
    server = spawn()

    error = server.error(
        "initialize",
        {"capabilities": {}, "workspaceFolders": [{"uri": "vscode-vfs://github/x", "name": "x"}]},
    )

    assert error["data"]["problems"][0]["path"] == "$.workspaceFolders[0]"


def test_a_folder_that_is_refused(spawn: Any, project: Path) -> None:
    """The root of the file system is no workspace; another folder may be tried."""
    server = spawn()

    error = server.error("initialize", {"capabilities": {}, "rootUri": "file:///"})
    server.initialize(project)

    assert error["data"]["code"] == "INVALID_INPUT"
    assert "result" in server.ask("memory/status")


def test_initialized_twice(server: Any) -> None:
    """The second one is ignored."""
    server.notification("keepgate/status")

    server.notify("initialized", {})
    server.notify("initialized")

    assert "result" in server.ask("memory/status")
    assert len(server.notifications("keepgate/status")) == 1


def test_initialize_once(server: Any) -> None:
    """After success a second one is refused and changes nothing."""
    error = server.error("initialize", {"capabilities": {}})

    assert error["code"] == -32600
    assert len(server.result("memory/status")["workspaces"]) == 1


@pytest.mark.parametrize("form", ["rootUri", "rootPath", "workspaceFolders"])
def test_one_root_in_three_forms(spawn: Any, project: Path, form: str) -> None:
    """The folder may come as a list, as a URI or as a path."""
    forms: dict[str, Any] = {
        "rootUri": {"rootUri": project.as_uri(), "workspaceFolders": None},
        "rootPath": {"rootPath": str(project), "rootUri": None, "workspaceFolders": []},
        "workspaceFolders": {
            "workspaceFolders": [{"uri": project.as_uri(), "name": "p"}],
            "rootUri": "file:///x",
        },
    }
    server = spawn()

    result = server.initialize(**forms[form])

    workspaces = result["capabilities"]["experimental"]["keepgate"]["workspaces"]
    assert [str(project)] == [workspace["key"] for workspace in workspaces]


def test_many_roots(spawn: Any, tmp_path: Path) -> None:
    """Each folder is a workspace of its own; folders come and go; a session says which one it is in."""
    folders = [tmp_path / name for name in ("one", "two ö", "three")]
    for folder in folders:
        folder.mkdir()
    uris = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
    server = spawn()
    server.initialize(workspaceFolders=uris[:2], initializationOptions={"writePolicy": "auto"})
    in_two = {**WRITE, "session": {"id": "s", "cwd": str(folders[1])}}
    added = server.result("memory/add", in_two)["entry"]["workspaceKey"]

    server.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": uris[2:], "removed": uris[:1]}})
    after = [workspace["key"] for workspace in server.result("memory/status")["workspaces"]]
    outside = server.error("memory/add", {**WRITE, "session": {"id": "s", "cwd": str(folders[0])}})

    assert str(folders[1]) == added
    assert [str(folders[1]), str(folders[2])] == after
    assert outside["data"]["code"] == "INVALID_INPUT"


@pytest.mark.parametrize(
    "params",
    [
        None, [], {"event": None}, {"event": {"added": {}}}, {"event": {"added": [{"uri": "untitled:y"}]}},
        {"event": {"added": [{"uri": "file:///tmp/%ff"}]}}, {"event": {"removed": [{"uri": "file:///tmp/%ff"}]}},
    ],
)  # fmt: skip
def test_a_folder_change_that_cannot_be_made(shared_server: Any, params: Any) -> None:
    """It is ignored as a whole, the client's log says why, and everything else goes on."""
    told = len(shared_server.notifications("window/logMessage"))

    shared_server.notify("workspace/didChangeWorkspaceFolders", params)
    shared_server.until(lambda _: len(shared_server.notifications("window/logMessage")) == told + 1)

    warned = shared_server.notifications("window/logMessage")[-1]
    assert warned["type"] == 2
    assert warned["message"].startswith("workspace/didChangeWorkspaceFolders was ignored: ")
    assert len(shared_server.result("memory/status")["workspaces"]) == 1


def test_a_default_session_in_the_options(spawn: Any, project: Path) -> None:
    """Requests that carry no session use it."""
    server = spawn()
    server.initialize(project, initializationOptions={"session": {"id": "mine"}, "writePolicy": "auto"})

    entry = server.result("memory/add", {name: value for name, value in WRITE.items() if name != "session"})[
        "entry"
    ]

    assert entry["sessionId"] == "mine"


def test_the_client_in_the_ledger(spawn: Any, project: Path) -> None:
    """Who decided is kept with name and version."""
    server = spawn()
    server.initialize(project, clientInfo={"name": "an editor", "version": "1.2"})
    number = server.begin("memory/add", WRITE)
    server.reply(server.request_of_server(PROMPT), {"title": "Allow once"})
    entry = server.answer(number)["result"]["entry"]

    why = str(server.result("memory/why", {"id": entry["id"]}))

    assert ("an editor" in why, "1.2" in why, "lsp" in why) == (True, True, True)


def test_the_environment_cannot_loosen_the_gate(spawn: Any, project: Path) -> None:
    """No variable makes a write pass unasked, and a project file neither."""
    names = (
        "KEEPGATE_WRITE_POLICY",
        "KEEPGATE_WRITEPOLICY",
        "KEEPGATE_POLICY",
        "KEEPGATE_YES",
        "KEEPGATE_AUTO",
    )
    (project / ".keepgate").mkdir()
    (project / ".keepgate" / "config.toml").write_text(
        'writePolicy = "auto"\n[writePolicies]\n"agent/workspace" = "auto"\n'
    )
    server = spawn(env=dict.fromkeys(names, "auto"))
    server.initialize(project)

    number = server.begin("memory/add", WRITE)
    server.reply(server.request_of_server(PROMPT), {"title": "Reject"})

    assert server.answer(number)["error"]["data"]["code"] == "WRITE_DENIED"


def test_a_project_can_narrow_in_any_folder(spawn: Any, tmp_path: Path) -> None:
    """The project file of a second folder counts too, for what is written there."""
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    (folders[1] / ".keepgate").mkdir()
    (folders[1] / ".keepgate" / "config.toml").write_text('writePolicy = "off"\n')
    server = spawn()
    server.initialize(
        workspaceFolders=[{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
        initializationOptions={"writePolicy": "auto"},
    )

    error = server.error("memory/add", {**WRITE, "session": {"id": "s", "cwd": str(folders[1])}})

    assert ("WRITE_DENIED", "rejected") == (error["data"]["code"], error["data"]["details"]["outcome"])
    assert "entry" in server.result("memory/add", WRITE)


@pytest.mark.skipif(os.name == "nt", reason="file modes are POSIX")
def test_what_is_created_is_private(spawn: Any, project: Path, home: Path) -> None:
    """The store and its folders are this user's alone."""
    server = spawn()
    server.initialize(project)

    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (home / "data", home / "data" / "memory.db")
    }

    assert {"data": 0o700, "memory.db": 0o600} == modes


def test_leftover_documents_are_removed_at_the_start(spawn: Any, project: Path, home: Path) -> None:
    """What a killed server showed does not stay on the disk."""
    changes = home / "state" / "changes"
    changes.mkdir(parents=True)
    (changes / "change-4194304-1.txt").write_text("Use tabs.")
    server = spawn()

    server.initialize(project)

    assert [] == list(changes.iterdir())


def test_a_first_folder_that_is_no_text(spawn: Any) -> None:
    """A name that is not UTF-8 is refused, not taken for every other such name; the client may try again."""
    server = spawn()
    folder = {"uri": "file:///tmp/%ff", "name": "x"}

    refused = server.error("initialize", {"capabilities": {}, "workspaceFolders": [folder]})

    assert ("INVALID_INPUT", "$.workspaceFolders[0]") == (
        refused["data"]["code"],
        refused["data"]["problems"][0]["path"],
    )
    assert server.initialize(rootUri="file:///tmp/%C3%BF")
