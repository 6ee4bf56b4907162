"""What the documents show is what happens."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
HARNESS = "docs/guides/harness.md"

VARYING = (
    (re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r'"connection":"[0-9a-f]{12}"'), '"connection":"ID"'),
    (re.compile(r"\b1[0-9]{12}\b"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?"), "TIME"),
    (re.compile(r"process \d+"), "process N"),
    (re.compile(r"\S*/keepgate-try-\w+"), "STORE"),
    (re.compile(r'"\S*/samples/MEMORY.md"'), "SAMPLE"),
    (re.compile(r"[^ \"]*/demo\b"), "FOLDER"),
)
CUT = "…"


def _steady(text: str) -> str:
    for varying, word in VARYING:
        text = varying.sub(word, text)
    return text


@pytest.fixture
def at_home(tmp_path: Path) -> dict[str, str]:
    """The environment of a new user, with this checkout's commands on the path."""
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": commands, "KEEPGATE_HOME": str(tmp_path / "home"), "NO_COLOR": "1"}


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    """The folder that the documents call a project."""
    folder = tmp_path / "demo"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("path", ["README.md", HARNESS])
def test_the_shown_session_takes_place(
    documents: Mapping[str, str], path: str, at_home: dict[str, str], demo: Path
) -> None:
    """Each line that goes out is followed by the lines that the document shows, in their order."""
    script = next(text for text in _fenced(documents[path], "text") if text.startswith("→ "))
    sidecar = subprocess.Popen(
        [sys.executable, "-m", "keepgate", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=at_home,
    )
    assert sidecar.stdin is not None
    assert sidecar.stdout is not None
    missing: list[str] = []
    # A line that never comes must not keep the test waiting.
    watchdog = threading.Timer(60, sidecar.kill)
    watchdog.start()
    try:
        for line in script.replace("/projects/demo", str(demo)).splitlines():
            if line.startswith("→ "):
                sidecar.stdin.write(line[2:] + "\n")
                sidecar.stdin.flush()
            elif not any(_is_shown(told, line[2:]) for told in sidecar.stdout):
                missing.append(line)
        code = sidecar.wait(10)
    finally:
        watchdog.cancel()
        sidecar.kill()
        sidecar.communicate()

    assert ([], 0) == (missing, code)


def _is_shown(told: str, shown: str) -> bool:
    beginning, cut, _ = _steady(shown).partition(CUT)
    line = _steady(told).strip()
    return line.startswith(beginning.strip()) if cut else line == beginning


def test_the_programs_of_the_harness_guide_run(
    documents: Mapping[str, str], at_home: dict[str, str], demo: Path
) -> None:
    """Both store the memory and show it to the next session."""
    programs = _fenced(documents[HARNESS], "python")
    ends = []
    for number, program in enumerate(programs):
        home = at_home | {"KEEPGATE_HOME": f"{at_home['KEEPGATE_HOME']}-{number}"}
        result = subprocess.run(
            [sys.executable, "-c", program, "--yes"],
            cwd=demo, env=home, capture_output=True, encoding="utf-8", check=False, timeout=200,
        )  # fmt: skip
        ends.append((result.returncode, result.stderr, result.stdout.splitlines()[-1:]))

    assert [(0, "", ["- The tests need a database on port 5433."])] * 2 == ends


def test_the_transcript_of_the_readme_is_what_happens(
    documents: Mapping[str, str], at_home: dict[str, str], demo: Path
) -> None:
    """Each line of the transcript that is not cut is printed by ``keepgate try``."""
    transcript = next(text for text in _fenced(documents["README.md"], "text") if "keepgate try:" in text)
    result = subprocess.run(
        [sys.executable, "-m", "keepgate", "try", "--script"],
        cwd=demo, env=at_home, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
        check=False, timeout=200,
    )  # fmt: skip
    printed = {_steady(line).rstrip() for line in result.stdout.splitlines()}
    shown = [_steady(line).rstrip() for line in transcript.splitlines() if CUT not in line]

    assert 0 == result.returncode, result.stderr
    assert [] == [line for line in shown if line not in printed]


@pytest.mark.skipif(sys.platform == "win32", reason="the terminal of this test is a POSIX one")
def test_the_question_of_the_readme_is_asked(
    documents: Mapping[str, str], at_home: dict[str, str], demo: Path
) -> None:
    """The first command of the README, on a terminal, prints each line that the README shows."""
    asking = (text for text in _fenced(documents["README.md"], "console") if "Allow this?" in text)
    shown = next(asking).splitlines()
    command = shlex.split(shown[0].removeprefix("$ keepgate "))
    printed = _answered(command, demo, at_home)
    lines = {_steady(line).rstrip() for line in printed.splitlines()}

    assert [] == [line for line in shown[1:] if _steady(line).rstrip() not in lines]


@pytest.mark.skipif(sys.platform == "win32", reason="the terminal of this test is a POSIX one")
def test_the_verbs_of_the_readme_work(
    documents: Mapping[str, str], at_home: dict[str, str], demo: Path
) -> None:
    """What the first of its commands remembers, after a yes, the other two show."""
    quickstart = next(
        text for text in _fenced(documents["README.md"], "console") if "keepgate remember" in text
    )
    remember, *others = [shlex.split(line.removeprefix("$ keepgate ")) for line in quickstart.splitlines()]

    printed = _answered(remember, demo, at_home)
    shown = [_answered(command, demo, at_home) for command in others]

    assert "I prefer dark mode in every editor" in printed
    assert ["I prefer dark mode in every editor" in text for text in shown] == [True, True]


ON_A_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, "-m", "keepgate", *sys.argv[1:]])
"""


def _answered(command: list[str], folder: Path, environ: dict[str, str]) -> str:
    """What a command prints on a terminal of its own, whose person answers its question with yes."""
    ours, theirs = os.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", ON_A_TERMINAL, *command],
        stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        cwd=folder, env=environ | {"TERM": "dumb", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(theirs)
    watchdog = threading.Timer(60, child.kill)
    watchdog.start()
    printed = b""
    # The end of a terminal is an error on Linux and an empty read elsewhere.
    with contextlib.suppress(OSError):
        while data := os.read(ours, 4096):
            printed += data
            if printed.endswith(b" = no: "):
                os.write(ours, b"y\n")
    watchdog.cancel()
    os.close(ours)
    child.wait(10)
    return printed.decode().replace("\r\n", "\n")


def _fenced(text: str, language: str) -> list[str]:
    return [match["text"] for match in FENCED.finditer(text) if match["language"] == language]
