"""The generated client calls."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeVar

import pytest
from attrs import evolve

from keepgate.derive.examples import full, minimal
from keepgate.derive.files import derived_files
from keepgate.derive.python_client import CALLS_PATH, calls_module, method_name
from keepgate.protocol.entries import UNSET, SessionParam
from keepgate.protocol.ops import BY_NAME, OPERATIONS
from keepgate.protocol.verbs import DryRun
from keepgate.protocol.wire import structure, unstructure
from keepgate_client.calls import Calls, SyncCalls

T = TypeVar("T")
ROOT = Path(__file__).parents[2]


class Recorded(Calls):
    """Records what would be sent and answers with a fixed result."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.sent: list[tuple[str, Any]] = []

    async def call(self, name: str, params: Any, result: type[T]) -> T:
        """Note the request as JSON."""
        self.sent.append((name, unstructure(params)))
        return structure(self.answer, result)


class SyncRecorded(SyncCalls):
    """The blocking twin."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.sent: list[tuple[str, Any]] = []

    def call(self, name: str, params: Any, result: type[T]) -> T:
        """Note the request as JSON."""
        self.sent.append((name, unstructure(params)))
        return structure(self.answer, result)


def arguments(cls: type, payload: dict[str, Any]) -> dict[str, Any]:
    """A payload as the typed keyword arguments of a call."""
    typed = structure(payload, cls)
    return {name: getattr(typed, name) for name in inspect.signature(cls).parameters}


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
async def test_each_operation_has_both_calls(row) -> None:
    """Every argument reaches the wire under its name, and the answer comes back as its type."""
    # All parameters given, a verb with ``dry_run`` says what it would do.
    tries = row.other_results == (DryRun,)
    answer = full(DryRun if tries else row.result)
    asked, blocking = Recorded(answer), SyncRecorded(answer)
    given = arguments(row.params, full(row.params))

    one = await getattr(asked, method_name(row.name))(**given)
    two = getattr(blocking, method_name(row.name))(**given)

    assert [(row.name, full(row.params))] == asked.sent == blocking.sent
    typed = DryRun if tries else Any if row.other_results else row.result
    expected = structure(answer, typed)
    assert expected == one == two


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
async def test_required_arguments_are_enough(row) -> None:
    """Whatever has a default may be left out, and an absent session is not sent as ``null``."""
    asked = Recorded(full(row.result))
    typed = structure(minimal(row.params), row.params)
    given = {
        name: getattr(typed, name)
        for name, parameter in inspect.signature(getattr(Calls, method_name(row.name))).parameters.items()
        if parameter.default is parameter.empty and name != "self"
    }

    answered = await getattr(asked, method_name(row.name))(**given)

    assert not row.is_verb or isinstance(answered, row.result)
    (_, sent), *_ = asked.sent
    assert typed == structure(sent, row.params)
    assert "session" not in sent


def test_names_hide_no_builtin_and_no_keyword() -> None:
    """Names are the last word of a memory method and both words of any other."""
    names = {row.name: method_name(row.name) for row in OPERATIONS}

    assert len(set(names.values())) == len(names)
    assert ("add", "import_", "list_entries") == tuple(
        names[name] for name in ("memory/add", "memory/import", "memory/list")
    )
    assert ("session_open", "adapters_list") == (names["session/open"], names["adapters/list"])
    assert "as_of" == method_name("memory/asOf")
    with pytest.raises(ValueError, match="memory/print needs a name"):
        method_name("memory/print")


def test_ruff_agrees_with_the_layout() -> None:
    """The generated text is clean and formatted as it stands, so formatting the tree changes nothing."""
    text = derived_files()[CALLS_PATH]
    place = ["--config", str(ROOT / "pyproject.toml"), "--stdin-filename", str(ROOT / CALLS_PATH), "-"]

    formatted, checked = (
        subprocess.run(
            [sys.executable, "-m", "ruff", verb, *place],
            input=text,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=200,
            check=False,
        )
        for verb in ("format", "check")
    )

    assert text == formatted.stdout
    assert (0, "") == (checked.returncode, checked.stderr)


def test_a_new_row_needs_no_hand_in_the_generator() -> None:
    """A row that is made up here comes out as a method of both classes, and as valid Python."""
    toy = evolve(BY_NAME["memory/get"], name="pages/backLinks", summary="Who links here.", faults=())

    text = calls_module([*OPERATIONS, toy])

    compile(text, "calls.py", "exec")
    assert 1 == text.count("    async def pages_back_links(\n")
    assert 1 == text.count("    def pages_back_links(\n")
    assert 2 == text.count('        """Who links here."""\n')


def test_the_session_default_is_unset() -> None:
    """``UNSET`` is the connection's session, ``None`` the management view; the signatures tell them apart."""
    parameter = inspect.signature(Calls.query).parameters["session"]

    assert UNSET is parameter.default
    assert type(None) in SessionParam.__args__[0].__args__
