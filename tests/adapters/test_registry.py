"""The registry, and that nothing an adapter does wrong gets past it."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import define, evolve

from keepgate.adapters.contract import Adapted, AdaptedEntry, PureAdapter
from keepgate.adapters.describing import described, load_entry_points
from keepgate.adapters.registry import Registry, adapt, adapted_drafts, export
from keepgate.protocol.entries import Scope, Track
from keepgate.protocol.errors import Code, Fault, Problem, invalid_input
from keepgate.protocol.portability import AdapterInfo, ImportNote

ONE = AdaptedEntry(track=Track.USER, scope=Scope.WORKSPACE, text="one", tags=("a",))


def plain(**changes: Any) -> PureAdapter:
    """A working adapter, changed."""
    return evolve(
        PureAdapter(
            id="plain",
            name="Plain",
            description="One entry.",
            version="1",
            import_formats=("text/plain",),
            export_format="text/plain",
            adapt=lambda _: Adapted((ONE,)),
            export=lambda entries: [entry.text for entry in entries],
        ),
        **changes,
    )


def test_lists_what_ships_sorted_by_id(built_in) -> None:
    """The four built-in adapters are listed by id with what they read and write (DSH-9-built-in)."""
    registry = Registry(built_in.values())

    assert ["claude-code-memory-md", "hermes-memory-md", "mem0", "server-memory"] == [
        info.id for info in registry.list()
    ]
    assert all(info.description and info.import_formats for info in registry.list())


def test_a_registration_can_be_taken_back(built_in) -> None:
    """The disposer removes its own registration, once, and no later one of that id (DSH-9-register)."""
    registry = Registry(built_in.values())
    first = registry.register(plain())
    first()
    second = plain(name="Second")
    registry.register(second)

    first()

    assert second is registry.get("plain")


def test_a_listing_stays_as_it_was(built_in) -> None:
    """A table that was read before a registration does not change under the reader."""
    registry = Registry(built_in.values())
    before = registry.list()

    dispose = registry.register(plain(import_formats=()))

    assert 4 == len(before)
    assert (
        AdapterInfo(
            id="plain",
            name="Plain",
            description="One entry.",
            version="1",
            import_formats=[],
            export_format="text/plain",
        )
        in registry.list()
    )
    dispose()
    assert before == registry.list()


@pytest.mark.parametrize("adapter_id", ["nope", "", "Mem0", "plain"])
def test_an_unknown_id_is_not_found(adapter_id: str) -> None:
    """Any id that nobody registered, one that was taken back included (DSH-9-not-found)."""
    registry = Registry()
    registry.register(plain())()

    with pytest.raises(Fault) as caught:
        registry.get(adapter_id)

    assert Code.ADAPTER_NOT_FOUND is caught.value.code
    assert {"adapterId": adapter_id} == caught.value.details


BAD = {
    "a taken id": ({"id": "mem0"}, ["$.id"]),
    "an id with capitals": ({"id": "Plain"}, ["$.id"]),
    "an id with a blank at the end": ({"id": "plain\n"}, ["$.id"]),
    "an id that begins with a dash": ({"id": "-plain"}, ["$.id"]),
    "blank words": ({"name": " ", "version": ""}, ["$.name", "$.version"]),
    "words that are no text": ({"id": 5, "description": None}, ["$.id", "$.description"]),
    "formats that are text": ({"import_formats": "text"}, ["$.importFormats"]),
    "an empty format": ({"import_formats": ("",)}, ["$.importFormats"]),
    "no export format": ({"export_format": ""}, ["$.exportFormat"]),
    "no functions": ({"adapt": None, "export": 5}, ["$.adapt", "$.export"]),
}


@pytest.mark.parametrize(("changes", "paths"), BAD.values(), ids=BAD.keys())
def test_a_bad_registration_is_invalid_input(changes: dict[str, Any], paths: list[str], built_in) -> None:
    """Every attribute that is wrong is named, and the table stays as it was."""
    registry = Registry(built_in.values())

    with pytest.raises(Fault) as caught:
        registry.register(plain(**changes))

    assert Code.INVALID_INPUT is caught.value.code
    assert paths == [problem["path"] for problem in caught.value.details["problems"]]
    assert 4 == len(registry.list())


def test_a_description_without_an_adapter_is_checked_alike() -> None:
    """What a client registers has no functions; its description passes the same check."""

    class Announced:
        id, name, description, version = "x", "X", "x", "1"
        import_formats, export_format = ["a"], "b"

    assert ["a"] == described(Announced()).import_formats


def fail(error: BaseException) -> Callable[[Any], Any]:
    """A function that raises ``error``."""

    def run(_: Any) -> Any:
        raise error

    return run


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise ValueError


WRONG_ANSWERS = {
    "an exception": fail(KeyError("memory")),
    "an exception that cannot be shown": fail(UnprintableError()),
    "leaving the process": fail(SystemExit(3)),
    "endless recursion": fail(RecursionError()),
    "another fault": fail(invalid_input(Problem("$", "no"))),
    "nothing": lambda _: None,
    "a dict without entries": lambda _: {"facts": []},
    "a list of entries": lambda _: Adapted([ONE]),  # type: ignore[arg-type]
    "a draft": lambda _: Adapted(({"text": "one"},)),  # type: ignore[arg-type]
    "an empty text": lambda _: Adapted((evolve(ONE, text=""),)),
    "a text that is none": lambda _: Adapted((evolve(ONE, text=None),)),
    "U+0000": lambda _: Adapted((evolve(ONE, text="a\0"),)),
    "a lone surrogate": lambda _: Adapted((evolve(ONE, text="\ud800"),)),
    "an unknown track": lambda _: Adapted((evolve(ONE, track="team"),)),
    "a track that is none": lambda _: Adapted((evolve(ONE, track=[]),)),
    "tags in a list": lambda _: Adapted((evolve(ONE, tags=["a"]),)),
    "a tag that is none": lambda _: Adapted((evolve(ONE, tags=(5,)),)),
    "a long tag": lambda _: Adapted((evolve(ONE, tags=("x" * 33,)),)),
    "seventeen tags": lambda _: Adapted((evolve(ONE, tags=tuple(map(str, range(17)))),)),
    "a source that is none": lambda _: Adapted((evolve(ONE, source=5),)),
    "notes in a list": lambda _: Adapted((ONE,), [1]),  # type: ignore[arg-type]
    "a note that is none": lambda _: Adapted((ONE,), (ImportNote(path="$", problem=5),)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("run", WRONG_ANSWERS.values(), ids=WRONG_ANSWERS.keys())
def test_whatever_adapt_does_wrong_is_adapter_payload(run: Callable[[Any], Any]) -> None:
    """Foreign exceptions and malformed answers are the contract's fault, with the id (DSH-9-payload)."""
    with pytest.raises(Fault) as caught:
        adapt(plain(adapt=run), "payload")

    assert Code.ADAPTER_PAYLOAD is caught.value.code
    assert "plain" == caught.value.details["adapterId"]


WRONG_PAYLOADS = {
    "an exception": fail(ZeroDivisionError()),
    "an object": lambda _: object(),
    "bytes": lambda _: b"x",
    "NaN": lambda _: [float("nan")],
    "a key that is none": lambda _: {(1, 2): 3},
}


@pytest.mark.parametrize("run", WRONG_PAYLOADS.values(), ids=WRONG_PAYLOADS.keys())
def test_whatever_export_does_wrong_is_adapter_payload(run: Callable[[Any], Any], entry) -> None:
    """What cannot be sent as JSON is the adapter's fault, found before anything is sent."""
    with pytest.raises(Fault) as caught:
        export(plain(export=run), [entry("one")])

    assert Code.ADAPTER_PAYLOAD is caught.value.code


def test_a_good_answer_is_typed_and_trimmed(entry) -> None:
    """Plain words for track and scope are taken, tags are trimmed and repeats dropped."""
    loose = evolve(ONE, track="agent", scope="workspace", tags=(" a ", "a"))

    adapted = adapt(plain(adapt=lambda _: Adapted((loose,), (ImportNote(path="$", problem="x"),))), None)

    assert (evolve(ONE, track=Track.AGENT),) == adapted.entries
    assert Scope.WORKSPACE is adapted.entries[0].scope
    assert ["one"] == export(plain(), [entry("one")])


def test_the_reason_of_a_failure_is_told() -> None:
    """The message names the exception and what it said, cut to a sentence's length."""
    with pytest.raises(Fault) as caught:
        adapt(plain(adapt=fail(ValueError("row 7 has no text " + "x" * 5_000))), None)

    assert "plain: the adapter failed: ValueError: row 7 has no text" in caught.value.message
    assert len(caught.value.message) < 400


def test_drafts_of_a_client_are_checked() -> None:
    """A client's drafts use the envelope's names; unknown members of theirs are ignored."""
    draft = {
        "track": "user",
        "scope": "workspace",
        "text": "one",
        "tags": ["a"],
        "agentKey": "",
        "workspaceKey": "/w",
        "id": "theirs",
    }

    adapted = adapted_drafts("plain", [draft])

    assert (evolve(ONE, workspace_key="/w", agent_key=""),) == adapted.entries


@pytest.mark.parametrize(
    "drafts",
    [None, {}, ["x"], [{"text": "one"}], [{"track": "x", "scope": "workspace", "text": "one"}]],
    ids=repr,
)
def test_bad_drafts_of_a_client_are_adapter_payload(drafts: Any) -> None:
    """A malformed answer is the adapter's fault, not the caller's."""
    with pytest.raises(Fault) as caught:
        adapted_drafts("plain", drafts)

    assert Code.ADAPTER_PAYLOAD is caught.value.code


def test_a_mapping_with_drafts_is_taken() -> None:
    """DSH-9: a package needs no type of this one; plain drafts in the envelope's field names are enough."""
    draft = {"track": "user", "scope": "workspace", "text": "one", "tags": ["a"]}
    note = {"path": "$[0]", "problem": "dated entries lose their date"}

    bare = adapt(plain(adapt=lambda _: {"entries": [draft]}), "x")
    noted = adapt(plain(adapt=lambda _: {"entries": (draft,), "notes": [note]}), "x")

    assert ((ONE,), ()) == (bare.entries, bare.notes)
    assert ((ONE,), (ImportNote(**note),)) == (noted.entries, noted.notes)


@pytest.mark.parametrize(
    "found",
    [
        {},
        {"drafts": []},
        {"entries": None},
        {"entries": "text"},
        {"entries": ["x"]},
        {"entries": [{"text": "one"}]},
        {"entries": [{"track": "user", "scope": "workspace", "text": ""}]},
        {"entries": [], "notes": 5},
        {"entries": [], "notes": ["x"]},
        [{"track": "user", "scope": "workspace", "text": "one"}],
    ],
    ids=repr,
)
def test_a_mapping_of_anything_else_is_adapter_payload(found: Any) -> None:
    """What is missing or misshapen is the adapter's fault, never an empty import."""
    with pytest.raises(Fault) as caught:
        adapt(plain(adapt=lambda _: found), "x")

    assert Code.ADAPTER_PAYLOAD is caught.value.code


class Point:
    """An entry point: its name and what it loads."""

    def __init__(self, name: str, load: Callable[[], Any]) -> None:
        self.name = name
        self.load = load


def test_entry_points_are_loaded_one_by_one() -> None:
    """Instances and classes are taken; whatever fails is a sentence and stops nobody else."""

    class Made:
        id, name, description, version = "made", "Made", "Made here.", "1"
        import_formats, export_format = ("a",), "b"

        def adapt(self, payload: Any) -> Adapted:
            return Adapted((ONE,))

        def export(self, entries: Any) -> Any:
            return []

    def broken() -> Any:
        raise ModuleNotFoundError("No module named 'gone'")

    adapters, problems = load_entry_points(
        [
            Point("one", plain),
            Point("two", lambda: Made),
            Point("three", broken),
            Point("four", lambda: plain(id="Bad")),
            Point("five", lambda: plain(name="Again")),
            Point("six", lambda: 5),
            Point("seven", lambda: int.from_bytes),
        ]
    )

    assert ["plain", "made"] == [adapter.id for adapter in adapters]
    assert ["three", "four", "five", "six", "seven"] == [problem.split()[1] for problem in problems]
    assert "No module named 'gone'" in problems[0]


@define
class Package:
    """Stands for an installed package that offers one adapter, and counts how often it is loaded."""

    name: str
    adapter: PureAdapter
    loaded: int = 0

    def load(self) -> PureAdapter:
        self.loaded += 1
        return self.adapter


@pytest.fixture
def package() -> Package:
    """A package with an adapter that no other has."""
    return Package("extra", plain(id="extra"))


def test_installed_adapters_wait_until_they_are_asked_for(package: Package) -> None:
    """A built-in one is found without looking for them."""
    registry = Registry([plain()], lambda: [package])
    registry.get("plain")
    before = package.loaded

    listed = [info.id for info in registry.list()]

    assert (0, ["extra", "plain"], 1) == (before, listed, package.loaded)
    assert package.adapter is registry.get("extra")
    assert 1 == package.loaded


def test_an_installed_adapter_cannot_take_a_built_in_id(package: Package) -> None:
    """It is left out, which is told once."""
    package.adapter = plain(name="Impostor")
    registry = Registry([plain()], lambda: [package])

    names = [info.name for info in registry.list()]

    assert ["Plain"] == names
    assert ["adapter plain was left out: $.id: plain is registered already"] == list(registry.take_notices())
    assert [] == list(registry.take_notices())
