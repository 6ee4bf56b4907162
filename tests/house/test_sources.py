"""What every source file keeps to: its size, its words, its excuses."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

FILE_LINES = 250
FUNCTION_LINES = 40

LONG_FILES: Mapping[str, str] = {
    "client/keepgate_client/calls.py": "generated from the operation table",
    "sidecar/keepgate/fronts/lsp/protocol.py": "the class that stands in for pygls' own reading",
    "sidecar/keepgate/gate/gate.py": "the road of a write in order, with every way it can end",
    "sidecar/keepgate/protocol/entries.py": "types only: all that memory/* publishes, on one page",
    "sidecar/keepgate/protocol/errors.py": "the fault table and one maker per fault",
    "sidecar/keepgate/protocol/ops.py": "the operation table: one row after the other",
    "sidecar/keepgate/protocol/proposals.py": "types only: all that questions and wishes publish",
    "sidecar/keepgate/protocol/verbs.py": "types only: the frozen contract, field by field",
    "sidecar/keepgate/protocol/wire.py": "both directions of one converter, which must agree",
}
"""Files over the limit, and why."""

LONG_FUNCTIONS: Mapping[str, str] = {
    "sidecar/keepgate/boot/config.py::_problems": "one check per setting, a table in all but form",
}
"""Functions over the limit, and why."""

SOCKET_OPENERS = frozenset({
    "create_connection", "create_datagram_endpoint", "create_server", "create_unix_connection",
    "create_unix_server", "open_connection", "open_unix_connection", "start_server", "start_unix_server",
    "urlopen",
})  # fmt: skip
"""What would open a socket without importing ``socket``."""

SPAWNING = frozenset({"subprocess", "multiprocessing", "pty"})
CERTIFYING = "sidecar/keepgate/conformance/targets/child.py"
"""Starts the server that a person asked to have certified."""
EVALUATING = frozenset({"eval", "exec", "compile", "__import__"})
UNSAFE_FORMATS = frozenset({"pickle", "marshal", "shelve", "dill"})

# Written in two halves, so that this file does not name what it forbids.
FOREIGN = tuple(
    "".join(halves)
    for halves in (
        ("/wor", "k/"), ("/roo", "t/"), ("bash_", "jobs"), ("shared/", "design"), ("shared/", "seeds"),
        ("issues ", "show"), ("brief", ".md"), ("find-", "links"), (".pye", "nv"), ("sub", "agent"),
    )
)  # fmt: skip
"""Paths and words of the machines and habits of those who work on keepgate; it speaks of itself only."""

DOCUMENT = re.compile(r"\bdocs/[\w/.-]+\.md\b")
PAPER = re.compile(r"\bwire-protocol section|\barchitecture section|\bpart [ABC]\.\d|\(R-[A-Z]+\)")

EXCUSES = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


def _calls_and_imports(text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                yield name, node.lineno
            case ast.Import(names=names):
                yield from ((alias.name.split(".")[0], node.lineno) for alias in names)
            case ast.ImportFrom(module=str(module)):
                yield module.split(".")[0], node.lineno
                yield from ((alias.name, node.lineno) for alias in node.names)


def _users_of(sources: Mapping[str, str], names: frozenset[str]) -> list[str]:
    return [
        f"{path}:{line} {name}"
        for path, text in sources.items()
        for name, line in _calls_and_imports(text)
        if name in names
    ]


def test_files_are_short(sources: Mapping[str, str]) -> None:
    """A file has at most 250 lines, or stands in the list above with its reason."""
    long = {path for path, text in sources.items() if text.count("\n") > FILE_LINES}

    _compare(long, LONG_FILES)


def test_functions_are_short(sources: Mapping[str, str]) -> None:
    """A function has at most 40 lines of code; its docstring does not count."""
    long = {
        f"{path}::{node.name}"
        for path, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _lines_of(node) > FUNCTION_LINES
    }

    _compare(long, LONG_FUNCTIONS)


def _compare(long: Collection[str], excused: Mapping[str, str]) -> None:
    new, old = sorted(set(long) - excused.keys()), sorted(excused.keys() - set(long))
    assert [] == new, f"split it, or give the reason in this file: {', '.join(new)}"
    assert [] == old, f"no longer long, take it off the list: {', '.join(old)}"


def _lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    described = ast.get_docstring(node) is not None
    first = node.body[0].end_lineno if described else node.lineno - 1
    assert first is not None
    assert node.end_lineno is not None
    return node.end_lineno - first


@pytest.mark.parametrize("kind", ["sources", "tests", "documents"])
def test_it_speaks_of_itself_only(kind: str, request: pytest.FixtureRequest) -> None:
    """No file names a machine, a folder or a habit of those who wrote it."""
    texts: Mapping[str, str] = request.getfixturevalue(kind)
    found = [f"{path}: {word}" for path, text in texts.items() for word in FOREIGN if word in text]

    assert [] == found


@pytest.mark.parametrize("kind", ["sources", "tests"])
def test_comments_refer_to_documents_that_are_here(
    kind: str, request: pytest.FixtureRequest, root: Path
) -> None:
    """A document that a comment or docstring names is in the repository, and no other paper is named."""
    texts: Mapping[str, str] = request.getfixturevalue(kind)
    named = {(path, name) for path, text in texts.items() for name in DOCUMENT.findall(text)}
    missing = [f"{path}: {name}" for path, name in sorted(named) if not (root / name).exists()]
    elsewhere = [f"{path}: {match[0]}" for path, text in texts.items() for match in PAPER.finditer(text)]

    assert [] == missing + elsewhere


@pytest.mark.parametrize("kind", ["sources", "tests", "documents"])
def test_nothing_is_left_for_later(kind: str, request: pytest.FixtureRequest) -> None:
    """No file holds a note about work that was not done."""
    texts: Mapping[str, str] = request.getfixturevalue(kind)
    found = [f"{path}: {match[0]}" for path, text in texts.items() for match in EXCUSES.finditer(text)]

    assert [] == found


def test_a_skipped_test_says_why(tests: Mapping[str, str]) -> None:
    """``skip``, ``skipif`` and ``xfail`` carry a reason of some words."""
    silent = [
        f"{path}:{node.lineno}"
        for path, text in tests.items()
        for node in ast.walk(ast.parse(text))
        if _skips(node) and not _gives_reason(node)
    ]

    assert [] == silent


def _skips(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    names = ("skip", "skipif", "xfail")
    return isinstance(called, ast.Attribute) and called.attr in names and not isinstance(node, ast.Attribute)


def _gives_reason(node: ast.AST) -> bool:
    assert isinstance(node, ast.Call)
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    words = [
        value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)
    ]
    named = any(keyword.arg == "reason" for keyword in node.keywords)
    return named or any(" " in text for text in words)


def test_an_exception_to_a_rule_says_why(sources: Mapping[str, str]) -> None:
    """``pragma: no cover`` and ``type: ignore`` are followed by a reason on their line."""
    rule = re.compile(r"#\s*(?:pragma: no cover|type: ignore\[[^\]]*\])(?P<reason>.*)$", re.MULTILINE)
    bare = [
        f"{path}: {match[0]}"
        for path, text in sources.items()
        for match in rule.finditer(text)
        if len(re.findall(r"[A-Za-z]+", match["reason"])) < 2
    ]

    assert [] == bare


def test_nothing_opens_a_socket(sources: Mapping[str, str]) -> None:
    """No call of the event loop's makes a network connection; the import contracts bar the modules."""
    assert [] == _users_of(sources, SOCKET_OPENERS)


def test_nothing_evaluates_text_or_unpickles(sources: Mapping[str, str]) -> None:
    """Data never becomes code."""
    found = _users_of(sources, UNSAFE_FORMATS)
    called = [
        f"{path}:{node.lineno}"
        for path, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EVALUATING
    ]

    assert [] == found + called


def test_only_the_client_starts_processes(sources: Mapping[str, str]) -> None:
    """The sidecar has no child processes; the client spawns the sidecar, a certification its target."""
    sidecar = {
        path: text for path, text in sources.items() if path.startswith("sidecar/") and path != CERTIFYING
    }
    started = _users_of(
        sidecar, SPAWNING | {"create_subprocess_exec", "create_subprocess_shell", "Popen", "fork"}
    )

    assert [] == started


def test_no_doer_classes(sources: Mapping[str, str]) -> None:
    """A class is named after what it is: no Manager, Helper, Util or Handler."""
    doers = re.compile(r"^class (\w*(?:Manager|Helper|Utils?|Handler))\b", re.MULTILINE)
    found = [f"{path}: {match[1]}" for path, text in sources.items() for match in doers.finditer(text)]

    assert [] == found


def test_every_test_says_what_it_shows(tests: Mapping[str, str]) -> None:
    """Each test has a docstring that states a behaviour."""
    silent = [
        f"{path}::{node.name}"
        for path, text in tests.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]

    assert [] == silent
