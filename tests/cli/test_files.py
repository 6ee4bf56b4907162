"""Files that the command line writes and reads: whole, private, never by accident over another."""

import json
import stat
import sys
from pathlib import Path

import pytest

from keepgate.cli.files import documents_of, numbered, write_files
from keepgate.protocol.errors import Fault

AGREEING = "Do that? y = yes, anything else = no: "


@pytest.fixture
def stocked(keepgate):
    """A command line with two memories, its owner letting writes through."""
    keepgate.trusting()
    keepgate.here("add", "Uses tabs.", "--tag", "style")
    keepgate.here("add", "漢字 <b>", "--track", "agent", "--scope", "user-global")
    return keepgate


def test_an_export_is_a_private_file_that_an_import_takes(stocked, tmp_path):
    """What was written out comes back in another store with layers, tags and texts."""
    path = tmp_path / "out.json"

    written = stocked.here("--json", "export", str(path)).json
    other = ("--store", str(tmp_path / "other.db"))
    stocked.here(*other, "import", str(path))

    back = stocked.here(*other, "--json", "list").json["entries"]
    assert {"paths": [str(path)]} == written
    assert [("Uses tabs.", ["style"], "user"), ("漢字 <b>", [], "agent")] == [
        (entry["text"], entry["tags"], entry["track"]) for entry in back
    ]
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(path.stat().st_mode)


def test_an_export_does_not_write_over_a_file(stocked, tmp_path):
    """Without ``--force`` a file that is there stays as it is."""
    path = tmp_path / "out.json"
    path.write_text("mine", encoding="utf-8")

    refused = stocked.here("export", str(path))
    kept = path.read_text(encoding="utf-8")
    forced = stocked.here("export", str(path), "--force")

    assert (2, "mine", 0) == (refused.code, kept, forced.code)
    assert "memory-export-v1" == json.loads(path.read_text(encoding="utf-8"))["schema"]


def test_an_export_that_fails_leaves_nothing_behind(stocked, tmp_path):
    """A folder that is not there is said, and no half a file stays anywhere."""
    done = stocked.here("export", str(tmp_path / "no" / "out.json"))

    assert 1 == done.code
    assert str(tmp_path / "no") in done.err


def test_stdout_gets_the_bare_envelope(stocked):
    """``export`` alone writes what a file would hold, so that it can be piped."""
    alone, dashed = stocked.here("export").json, stocked.here("export", "-").json

    assert ("memory-export-v1", 2) == (alone["schema"], len(dashed["entries"]))


def test_a_markdown_export_is_markdown(stocked):
    """An adapter whose payload is a text writes the text, not JSON around it."""
    done = stocked.here("export", "--adapter", "claude-code-memory-md")

    assert "- Uses tabs." in done.out.splitlines()


def test_import_reads_stdin_and_tolerates_a_mark(stocked):
    """``-`` takes an envelope, or a text for an adapter, with or without a byte-order mark."""
    envelope = stocked.here("export").out

    by_envelope = stocked.here("--json", "import", "-", stdin=b"\xef\xbb\xbf" + envelope.encode()).json
    by_text = stocked.here(
        "--json", "import", "-", "--adapter", "claude-code-memory-md", stdin="- één\n".encode()
    ).json

    assert (2, 1, "één") == (by_envelope["added"], by_text["added"], by_text["entries"][0]["text"])


def test_bytes_that_are_no_text_are_refused(stocked):
    """Stdin that is not UTF-8, or not JSON without an adapter, changes nothing."""
    latin = stocked.here("--json", "import", "-", stdin=b"\xe9").json["error"]
    prose = stocked.here("--json", "import", "-", stdin=b"- one\n").json["error"]

    assert ("stdin: is not UTF-8 at byte 0", "INVALID_INPUT") == (latin["message"], latin["code"])
    assert "INVALID_INPUT" == prose["code"]


def test_a_dry_run_asks_nobody_and_stores_nothing(keepgate):
    """It shows what would come in, also where nobody could be asked."""
    (keepgate.workspace / "MEMORY.md").write_text("## Style\n- Uses tabs.\n", encoding="utf-8")

    done = keepgate.run("import", "MEMORY.md", "--adapter", "claude-code-memory-md", "--dry-run")

    assert (0, []) == (done.code, keepgate.here("--json", "list").json["entries"])
    assert "Uses tabs." in done.out
    assert "1 memory would be added; nothing was stored." in done.out


def test_an_import_is_one_question_with_every_memory_in_it(keepgate):
    """All memories are shown at once, and one yes stores them all."""
    (keepgate.workspace / "MEMORY.md").write_text("- one\n- two\n- three\n", encoding="utf-8")

    asked = keepgate.at_terminal(
        "import", "MEMORY.md", "--adapter", "claude-code-memory-md", env={"NO_COLOR": "1"}
    )
    done = asked.finish("y\r")

    assert "keepgate asks: add 3 memories?" in done.out
    assert "user/user-global:\n+ one\nuser/user-global:\n+ two\n" in done.out
    assert 3 == len(keepgate.here("--json", "list").json["entries"])


def test_more_than_a_thousand_memories_become_several_files(tmp_path):
    """Parts are numbered files, each whole; nothing is written when one of them is in the way."""
    parts = {"parts": [{"part": 1}, {"part": 2}]}
    (tmp_path / "taken-2.json").write_text("mine", encoding="utf-8")

    written = write_files(tmp_path / "all.json", documents_of(parts, adapted=False), force=False, store="/s")
    with pytest.raises(Fault):
        write_files(tmp_path / "taken.json", documents_of(parts, adapted=False), force=False, store="/s")

    assert [tmp_path / "all-1.json", tmp_path / "all-2.json"] == written
    assert [{"part": 1}, {"part": 2}] == [json.loads(path.read_text(encoding="utf-8")) for path in written]
    assert not (tmp_path / "taken-1.json").exists()
    assert [tmp_path / "x"] == numbered(tmp_path / "x", 1)


def test_an_adapters_payload_is_one_file_whatever_it_looks_like():
    """Only the envelope comes in parts; a payload that has a member of that name is still the adapter's."""
    payload = {"parts": [{"part": 1}, {"part": 2}]}

    assert [payload] == [json.loads(text) for text in documents_of(payload, adapted=True)]


def test_a_backup_restores_the_same_content(stocked, tmp_path):
    """After changes, restoring at a terminal brings back what was there, with the same content hash."""
    copy = tmp_path / "copy.db"
    made = stocked.here("--json", "backup", str(copy)).json
    stocked.here("remove", "tabs")

    restoring = stocked.at_terminal("--json", "restore", str(copy), piped_stdout=True)
    restoring.until(AGREEING)
    restoring.type("y\r")
    restored = json.loads(restoring.process.stdout.read())

    assert (0, made["contentHash"]) == (restoring.end(), restored["contentHash"])
    assert Path(restored["kept"]).is_file()
    assert 2 == len(stocked.here("--json", "list").json["entries"])
    assert stocked.here("--json", "verify").json["ok"]


def test_restoring_can_be_declined(stocked, tmp_path):
    """Anything but ``y`` leaves the store as it is."""
    copy = tmp_path / "copy.db"
    stocked.here("backup", str(copy))
    stocked.here("remove", "tabs")

    restoring = stocked.at_terminal("restore", str(copy))
    restoring.until(AGREEING)
    restoring.type("\r")

    assert (3, 1) == (restoring.end(), len(stocked.here("--json", "list").json["entries"]))


def test_a_backup_can_stand_in_for_a_store_that_cannot_be_read(stocked, tmp_path):
    """The advice for a corrupt store works: it is set aside unchanged, and the backup takes its place."""
    copy = tmp_path / "copy.db"
    stocked.here("backup", str(copy))
    store = stocked.home / "data" / "memory.db"
    for name in ("memory.db-wal", "memory.db-shm"):
        (store.parent / name).unlink(missing_ok=True)
    store.write_bytes(b"no database at all, but long enough to be told from an empty file")

    restoring = stocked.at_terminal("restore", str(copy))
    restoring.until(AGREEING)
    restoring.type("y\r")
    code = restoring.end()

    aside = [path for path in store.parent.iterdir() if ".damaged-" in path.name]
    assert (0, 2) == (code, len(stocked.here("--json", "list").json["entries"]))
    assert [b"no database"] == [path.read_bytes()[:11] for path in aside]


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to be told from an empty file", None]
)
def test_a_backup_that_is_of_no_use_changes_nothing(stocked, tmp_path, content):
    """A damaged store stays where it is, and where there is none, none is made."""
    copy = tmp_path / "copy.db"
    copy.write_bytes(b"not a database, and long enough to be no empty one")
    folder = stocked.home / "data"
    for path in folder.iterdir():
        path.unlink()
    if content is not None:
        (folder / "memory.db").write_bytes(content)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    restoring = stocked.at_terminal("restore", str(copy))
    restoring.until(AGREEING)
    restoring.type("y\r")

    assert 7 == restoring.end()
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_backup_can_begin_a_store(stocked, tmp_path):
    """Where there is none yet, nothing is kept, and the backup becomes the store."""
    copy = tmp_path / "copy.db"
    stocked.here("backup", str(copy))
    other = tmp_path / "new" / "other.db"

    restoring = stocked.at_terminal("--store", str(other), "--json", "restore", str(copy), piped_stdout=True)
    restoring.until(AGREEING)
    restoring.type("y\r")
    restored = json.loads(restoring.process.stdout.read())

    assert (0, None, 2) == (restoring.end(), restored["kept"], restored["entries"])
    assert stocked.here("--store", str(other), "--json", "verify").json["ok"]


def test_a_backup_does_not_write_over_a_file(stocked, tmp_path):
    """What is at the path stays."""
    path = tmp_path / "copy.db"
    path.write_text("mine", encoding="utf-8")

    done = stocked.here("backup", str(path))

    assert (2, "mine") == (done.code, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("where", ["store", "beside", "link", "settings", "key folder", "page"])
def test_an_export_writes_over_no_file_of_keepgates_own(stocked, tmp_path, where):
    """Not even with ``--force``, and however the file is named."""
    store = stocked.home / "data" / "memory.db"
    (tmp_path / "link").symlink_to(store)
    pages = stocked.workspace / ".keepgate" / "pages"
    pages.mkdir(parents=True)
    path = {
        "store": store,
        "beside": store.with_name("memory.db-wal"),
        "link": tmp_path / "link",
        "settings": stocked.home / "config.toml",
        "key folder": stocked.home / "state" / "x",
        "page": pages / "x.md",
    }[where]

    done = stocked.run("export", "--force", str(path))

    assert (2, True) == (done.code, "a file of keepgate's own" in done.err)
    assert 0 == stocked.run("verify").code


@pytest.mark.parametrize("server", ["serve", "mcp"])
def test_a_log_goes_into_no_store(stocked, server):
    """A log that is appended to the store would be its end."""
    done = stocked.run(server, "--log-file", str(stocked.home / "data" / "memory.db"))

    assert (2, True) == (done.code, "a file of keepgate's own" in done.err)
    assert 0 == stocked.run("verify").code
