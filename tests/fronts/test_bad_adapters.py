"""Code of others inside the process cannot keep it alive."""

import signal
from pathlib import Path
from typing import Any

import pytest

ADAPTER = """
import threading
import time


class Bad:
    id = "bad"
    name = "Bad"
    description = "Hangs on import."
    version = "1"
    import_formats = ("text",)
    export_format = "objects"

    def adapt(self, payload):
        threading.Thread(target=time.sleep, args=(3600,)).start()
        while True:
            time.sleep(0.1)

    def export(self, entries):
        return []
"""


@pytest.fixture
def infected(spawn: Any, tmp_path: Path, project: Path) -> Any:
    """A server with an installed adapter that hangs."""
    folder = tmp_path / "site"
    info = folder / "bad-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "bad.py").write_text(ADAPTER, encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[keepgate.adapters]\nbad = bad:Bad\n")
    server = spawn(env={"PYTHONPATH": str(folder)})
    server.initialize(project)
    assert "bad" in [adapter["id"] for adapter in server.result("adapters/list")["adapters"]]
    return server


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGHUP])
def test_a_loop_that_is_held_up(infected: Any, number: signal.Signals | None) -> None:
    """An adapter that never returns, and a thread of its, cannot keep the process: EOF and signals end it."""
    infected.begin("memory/import", {"session": {"id": "s"}, "adapter": "bad", "payload": "x"})
    infected.begin("memory/budgets")

    if number is None:
        infected.close_stdin()
    else:
        infected.process.send_signal(number)

    assert infected.exit_code() == 1
