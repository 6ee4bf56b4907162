"""The settings of a process."""

from pathlib import Path
from typing import Any

from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places


def test_what_is_not_served_yet_is_said(tmp_path: Path, caplog: Any) -> None:
    """The protocol fixes the names, so they are accepted; one warning names those that are set."""
    (tmp_path / "config.toml").write_text(
        'writePolicies = {facts = "off"}\n[mcp]\nsurface = "verbs"\n[embeddings]\nprovider = "x"\n'
        "[client]\nlanguageModel = true\n"
    )

    settings = load_settings(find_places({"KEEPGATE_HOME": str(tmp_path)}), {})

    assert "verbs" == settings.mcp.surface
    assert ["not served by this version: embeddings"] == [record.message for record in caplog.records]


def test_usual_settings_are_silent(tmp_path: Path, caplog: Any) -> None:
    """Nobody is warned of what nobody has set."""
    load_settings(find_places({"KEEPGATE_HOME": str(tmp_path)}), {}, options={"writePolicy": "ask"})

    assert [] == caplog.records
