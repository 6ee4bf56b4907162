"""A raw client: it frames by hand, can send anything, and trusts nothing of keepgate's own client."""

import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WAIT_S = 90.0
SERVE = (sys.executable, "-m", "keepgate", "serve")
Json = dict[str, Any]


def headed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def line(body: bytes) -> bytes:
    return body + b"\n"


class RawServer:
    """One ``keepgate serve`` process and what it wrote, message by message."""

    def __init__(
        self,
        home: Path,
        *args: str,
        framing: str = "lsp",
        env: dict[str, str] | None = None,
        command: tuple[str, ...] = SERVE,
        reading: bool = True,
        cwd: Path | None = None,
    ) -> None:
        self.framing = framing
        self.received: list[Json] = []
        self.broken: str | None = None
        self._reader: threading.Thread | None = None
        self._stderr = home / f"stderr-{time.monotonic_ns()}.txt"
        self._news = threading.Condition()
        self._ids = itertools.count(1)
        home.mkdir(parents=True, exist_ok=True)
        with self._stderr.open("wb") as stderr:
            self.process = subprocess.Popen(
                [*command, *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, "KEEPGATE_HOME": str(home), **(env or {})},
                cwd=cwd or home,
            )
        if reading:
            self.start_reading()

    def start_reading(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def framed(self, message: Any) -> bytes:
        body = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return headed(body) if self.framing == "lsp" else line(body)

    def send(self, message: Any) -> None:
        self.send_bytes(self.framed(message))

    def begin(self, method: str, params: Any = None, *, number: Any = None) -> Any:
        number = f"raw-{next(self._ids)}" if number is None else number
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.send(message if params is None else message | {"params": params})
        return number

    def notify(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        self.send(message if params is None else message | {"params": params})

    def reply(self, request: Json, result: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def begin_asked(
        self, method: str, params: Any, ask: str = "window/showMessageRequest"
    ) -> tuple[Any, Json]:
        """Begin a request and wait until the person is asked about it: its id, and the question."""
        asked = len(self.requests(ask))
        number = self.begin(method, params)
        return number, self.request_of_server(ask, asked + 1)

    def answer(self, number: Any) -> Json:
        """The response with this id; types count, so 1 is not ``True``."""
        return self.until(
            lambda message: (
                "method" not in message and message["id"] == number and type(message["id"]) is type(number)
            )
        )

    def answer_to_nothing(self) -> Json:
        """The response with the id null."""
        return self.until(lambda message: "method" not in message and message["id"] is None)

    def ask(self, method: str, params: Any = None, *, number: Any = None) -> Json:
        return self.answer(self.begin(method, params, number=number))

    def result(self, method: str, params: Any = None) -> Any:
        answer = self.ask(method, params)
        assert "error" not in answer, answer
        return answer["result"]

    def error(self, method: str, params: Any = None) -> Json:
        answer = self.ask(method, params)
        assert "error" in answer, answer
        error: Json = answer["error"]
        return error

    def request_of_server(self, method: str, count: int = 1) -> Json:
        """The server's request number ``count`` for ``method``, once it has come."""
        self.until(lambda _: len(self.requests(method)) >= count)
        return self.requests(method)[count - 1]

    def requests(self, method: str) -> list[Json]:
        return [each for each in self.received if each.get("method") == method and "id" in each]

    def notifications(self, method: str) -> list[Any]:
        return [
            each.get("params") for each in self.received if each.get("method") == method and "id" not in each
        ]

    def notification(self, method: str, holds: Callable[[Any], bool] = lambda _: True) -> Any:
        return self.until(
            lambda each: each.get("method") == method and "id" not in each and holds(each["params"])
        )["params"]

    def initialize(self, folder: Path | None = None, **params: Any) -> Json:
        if folder is not None:
            params.setdefault("workspaceFolders", [{"uri": folder.as_uri(), "name": folder.name}])
        result: Json = self.result("initialize", {"processId": None, "capabilities": {}, **params})
        self.notify("initialized", {})
        return result

    def until(self, holds: Callable[[Json], bool], timeout_s: float = WAIT_S) -> Json:
        deadline = time.monotonic() + timeout_s
        with self._news:
            while True:
                for message in self.received:
                    if holds(message):
                        return message
                left = deadline - time.monotonic()
                assert left > 0, f"nothing came; stderr: {self.stderr}; last: {self.received[-3:]}"
                assert self.broken is None, f"{self.broken}; stderr: {self.stderr}"
                self._news.wait(min(left, 1.0))

    def close_stdin(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def exit_code(self, timeout_s: float = WAIT_S) -> int:
        return self.process.wait(timeout_s)

    @property
    def stderr(self) -> str:
        return self._stderr.read_text(encoding="utf-8", errors="replace")

    def end(self) -> None:
        """Leave no process and no pipe behind, however the test went."""
        self.close_stdin()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        assert self.process.stdout is not None
        if self._reader is not None:
            self._reader.join(10)
        self.process.stdout.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        next_body = self._headed_body if self.framing == "lsp" else self._line_body
        reason = "the server closed its output"
        try:
            while (body := next_body(self.process.stdout)) is not None:
                message = json.loads(body)
                with self._news:
                    self.received.append(message)
                    self._news.notify_all()
        except (ValueError, OSError) as error:
            reason = f"the server wrote something that is no message: {error}"
        with self._news:
            self.broken = reason
            self._news.notify_all()

    @staticmethod
    def _headed_body(stream: Any) -> bytes | None:
        header = stream.readline()
        if not header:
            return None
        if not header.startswith(b"Content-Length: "):
            raise ValueError(f"{header[:80]!r} in front of a frame")
        assert stream.readline() == b"\r\n"
        return bytes(stream.read(int(header.split()[1])))

    @staticmethod
    def _line_body(stream: Any) -> bytes | None:
        return stream.readline() or None


Spawn = Callable[..., RawServer]


@pytest.fixture(scope="session")
def start_server() -> Callable[..., RawServer]:
    """Starts a server that its caller ends: for fixtures that several tests share."""
    return RawServer


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where configuration, data and state of a test's processes live."""
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A workspace folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def spawn(home: Path) -> Iterator[Spawn]:
    """Start servers; each is gone when the test ends."""
    servers: list[RawServer] = []

    def start(*args: str, **options: Any) -> RawServer:
        server = RawServer(options.pop("home", home), *args, **options)
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.end()


@pytest.fixture
def server(spawn: Spawn, project: Path) -> RawServer:
    """A server that is initialized with one workspace."""
    started = spawn()
    started.initialize(project)
    return started


@pytest.fixture
def wish() -> Json:
    """Params of ``memory/add`` with a text and a session that no other test has."""
    word = uuid.uuid4().hex
    return {"session": {"id": word}, "track": "agent", "scope": "workspace", "text": f"Use tabs {word}."}


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawServer]:
    """One initialized server for all tests of a module that leave it as it was."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "project").mkdir()
    started = RawServer(folder / "home")
    try:
        started.initialize(folder / "project")
        yield started
    finally:
        started.end()
