"""The sealing key: made once, whole, for this user alone."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from keepgate.protocol.errors import Code, Fault
from keepgate.store.keyring import KEY_BYTES, load_key, peek_key


def test_a_key_is_made_on_first_use_and_kept(tmp_path: Path) -> None:
    """Later loads give the same key; its id tells nothing of it."""
    assert peek_key(str(tmp_path / "state")) is None
    key = load_key(str(tmp_path / "state"))
    path = tmp_path / "state" / "ledger.key"
    assert key == load_key(str(tmp_path / "state")) == peek_key(str(tmp_path / "state"))
    assert KEY_BYTES == path.stat().st_size
    assert key.id not in path.read_bytes().hex()
    assert key.secret.hex() not in repr(key)
    assert 64 == len(key.mac("00" * 32))
    if os.name == "posix":
        assert 0o600 == stat.S_IMODE(path.stat().st_mode)
        assert 0o700 == stat.S_IMODE(path.parent.stat().st_mode)


def test_two_installations_have_two_keys(tmp_path: Path) -> None:
    """Seals tell them apart."""
    one, two = load_key(str(tmp_path / "one")), load_key(str(tmp_path / "two"))
    assert one.id != two.id
    assert one.mac("x") != two.mac("x")


def test_processes_that_ask_at_once_get_one_key(tmp_path: Path) -> None:
    """Whoever comes second uses what the first has made."""
    code = (
        "import sys; from keepgate.store.keyring import load_key; print('ready', flush=True); "
        "sys.stdin.readline(); print(load_key(sys.argv[1]).id)"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "state")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for process in started:
        assert process.stdout is not None
        assert "ready" == process.stdout.readline().strip()
    said = {process.communicate("go\n", timeout=200)[0] for process in started}
    assert {load_key(str(tmp_path / "state")).id} == {line.strip() for line in said}


def test_a_key_of_the_wrong_size_is_not_used(tmp_path: Path) -> None:
    """Nor is it replaced: rows were perhaps sealed with what it was."""
    path = tmp_path / "ledger.key"
    path.write_bytes(b"short")
    with pytest.raises(Fault) as raised:
        load_key(str(tmp_path))
    assert (Code.STORE_READ_ONLY, {"path": str(path)}) == (raised.value.code, raised.value.details)
    assert b"short" == path.read_bytes()


def test_a_place_that_keeps_no_key_takes_no_writes(tmp_path: Path) -> None:
    """The fault names the key's path."""
    (tmp_path / "file").touch()
    with pytest.raises(Fault) as raised:
        load_key(str(tmp_path / "file"))
    assert Code.STORE_READ_ONLY == raised.value.code


def test_a_key_that_another_process_has_just_made_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between looking and locking, somebody else was faster."""
    key = load_key(str(tmp_path))
    real = Path.exists
    seen: list[Path] = []

    def first_time_blind(path: Path) -> bool:
        seen.append(path)
        return real(path) if len(seen) > 1 else False

    monkeypatch.setattr(Path, "exists", first_time_blind)
    assert key == load_key(str(tmp_path))


def test_a_key_that_another_process_never_finishes_is_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait is bounded; the caller may try again."""
    monkeypatch.setattr("keepgate.store.keyring.WAIT_MS", 20)
    with FileLock(tmp_path / "ledger.key.lock"), pytest.raises(Fault) as raised:
        load_key(str(tmp_path))

    assert (Code.STORE_BUSY, {"waitedMs": 20}) == (raised.value.code, raised.value.details)
