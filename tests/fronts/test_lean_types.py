"""The lean import of the editor protocol's types: cheaper, and the same for everything that is sent."""

import json
import subprocess
import sys
from typing import Any

import pytest

SCRIPT = """
import json, sys
if "lean" in sys.argv:
    from keepgate.fronts.lsp import lean_types
    lean_types.load()
import attrs
from lsprotocol import converters, types
converter = converters.get_converter()
given = json.loads(sys.argv[1])
params = converter.structure(given, types.InitializeParams)
shown = types.ShowMessageRequestParams(
    type=types.MessageType.Info, message="m", actions=[types.MessageActionItem("a")]
)

@attrs.define
class Ordinary:
    x: int

print(json.dumps({
    "again": converter.unstructure(params),
    "shown": converter.unstructure(shown),
    "lean": "__eq__" not in vars(types.MessageActionItem),
    "restored": Ordinary(1) == Ordinary(1),
}))
"""
INITIALIZE = {
    "processId": 5,
    "rootUri": "file:///w",
    "capabilities": {
        "window": {"showDocument": {"support": True}},
        "experimental": {"keepgate": {"approver": True}},
    },
    "workspaceFolders": [{"uri": "file:///w", "name": "w"}],
}


def run(*words: str) -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(INITIALIZE), *words],
        check=True,
        capture_output=True,
        text=True,
    )
    answer: dict[str, Any] = json.loads(ran.stdout)
    return answer


@pytest.fixture(scope="module")
def lean() -> dict[str, Any]:
    """What a process with the lean types sees."""
    return run("lean")


def test_lean_types_carry_the_same_messages(lean: dict[str, Any]) -> None:
    """Structuring and unstructuring agree with the ordinary types."""
    ordinary = run()

    assert (ordinary["again"], ordinary["shown"]) == (lean["again"], lean["shown"])


def test_lean_types_are_lean(lean: dict[str, Any]) -> None:
    """The classes have no comparison; if attrs or lsprotocol change, this says that the saving is gone."""
    assert lean["lean"] is True


def test_attrs_is_left_as_it_was(lean: dict[str, Any]) -> None:
    """Classes defined afterwards compare as ever."""
    assert lean["restored"] is True


CONCURRENT = """
import threading, time
import attrs
from keepgate.fronts.lsp import lean_types

usual, others = attrs.define, []
loading = threading.Thread(target=lean_types.load)
loading.start()
while loading.is_alive():
    while loading.is_alive() and attrs.define is usual:
        time.sleep(0.001)

    @attrs.define
    class Ordinary:
        x: int

    others.append(Ordinary)
lean_types.load()
print(len(others) > 0, all(other(1) == other(1) for other in others), attrs.define is usual)
"""


def test_classes_of_others_are_made_as_ever() -> None:
    """Also those that another thread defines while the types are loaded; a second load does nothing."""
    ran = subprocess.run([sys.executable, "-c", CONCURRENT], check=True, capture_output=True, text=True)

    assert "True True True" == ran.stdout.strip()
