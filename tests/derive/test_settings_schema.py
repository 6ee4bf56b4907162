"""The schema of the settings agrees with what loading them accepts."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.derive.examples import full
from keepgate.derive.protocol_schema import settings_schema
from keepgate.protocol.errors import Fault
from keepgate.protocol.settings import Settings
from keepgate.protocol.wire import unstructure

VALIDATOR = Draft202012Validator(settings_schema())


def test_defaults_and_the_full_example_are_valid() -> None:
    """The settings as they are written out, and with every option given."""
    assert [] == list(VALIDATOR.iter_errors(unstructure(Settings())))
    assert [] == list(VALIDATOR.iter_errors(full(Settings)))
    assert [] == list(VALIDATOR.iter_errors({}))


def test_defaults_stand_in_the_schema() -> None:
    """A reader of the schema sees what an absent option means."""
    properties = settings_schema()["properties"]

    assert "ask" == properties["writePolicy"]["default"]
    assert {"userGlobal": 2000, "workspace": 2000} == properties["budgets"]["default"]["user"]
    assert "default" not in properties["storePath"]


BAD = [
    {"unknown": 1},
    {"budgets": {"user": {"userGlobal": 0, "workspace": 1}}},
    {"budgets": {"user": {"userGlobal": 1, "workspace": 1, "more": 1}}},
    {"writePolicy": "deny"},
    {"writePolicies": {"user/workspace": "deny"}},
    {"approvalTimeoutSeconds": 0},
    {"approvalTimeoutSeconds": 2**31 + 1},
    {"queryLimit": 1001},
    {"queryLimit": "20"},
    {"facts": {"home": "team"}},
    {"facts": {"scoreFloor": 1.5}},
    {"mcp": {"surface": "all"}},
    {"workspaceIdentity": "name"},
    {"session": {"id": ""}},
    {"client": {"approver": "yes"}},
    {"pages": {"roots": "pages"}},
]


@pytest.mark.parametrize("options", BAD, ids=repr)
def test_bad_settings_are_refused_by_schema_and_loader(options: dict[str, Any], tmp_path: Path) -> None:
    """What an editor would underline is what the sidecar would refuse."""
    places = find_places({"KEEPGATE_HOME": str(tmp_path)})

    assert list(VALIDATOR.iter_errors(options))
    with pytest.raises(Fault):
        load_settings(places, {}, options=options)
