"""MCP over Streamable HTTP: one POST a message, the answer as JSON or as server-sent events.

The only module of keepgate that opens a network connection, and only to the address that a person named on
the command line of a certification (docs/adr/0024-certification.md). Redirects are not followed, so a token
goes to the named address alone.
"""

import http.client
import json
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit

from attrs import define, field

from keepgate.conformance.replies import DIED, GARBAGE, SILENT, UNREACHABLE, TargetFailure
from keepgate.conformance.target import server_message_answer
from keepgate.conformance.targets.child import MESSAGE_BYTES_MAX
from keepgate.conformance.targets.framing import parse
from keepgate.conformance.targets.mcp import REVISION

_OK: Final = (200, 202, 204)


@define(kw_only=True)
class HttpWire:
    """One MCP session with an address; ``token`` is sent as a bearer token."""

    url: str
    token: str | None = None
    limit_s: float
    _session: str | None = None
    _last_id: int = 0
    _open: set[http.client.HTTPConnection] = field(factory=set)

    def start(self) -> None:
        """Nothing is opened before the first message. Raises ``TargetFailure`` for what is no address."""
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
        except ValueError:
            usable = False
        if not usable:
            raise TargetFailure(UNREACHABLE, f"{self.url} is no address")

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._limited(lambda: self._post({"jsonrpc": "2.0", "method": method, "params": params}, None))

    def request(self, method: str, params: Any, limit_s: float) -> dict[str, Any]:
        """The response to a request. Raises ``TargetFailure``."""
        self._last_id += 1
        wanted = self._last_id
        message = {"jsonrpc": "2.0", "id": wanted, "method": method, "params": params}
        found: dict[str, Any] | None = self._limited(lambda: self._post(message, wanted), limit_s)
        if found is None:
            raise TargetFailure(GARBAGE, "the body holds no response to the request")
        return found

    def send_raw(self, raw: str) -> None:
        """Post a text that may be no message; whatever comes back is let go."""
        self._limited(lambda: self._exchange(raw.encode("utf-8", "surrogatepass"), lambda _: None))

    def close(self) -> None:
        """End the session."""
        for connection in list(self._open):
            connection.close()

    def _limited(self, work: Callable[[], Any], limit_s: float | None = None) -> Any:
        """Do ``work`` in a thread and wait for it so long: a body may drip for ever."""
        done: queue.Queue[Any] = queue.Queue()

        def run() -> None:
            try:
                done.put((work(), None))
            except TargetFailure as failure:
                done.put((None, failure))
            except (OSError, http.client.HTTPException, ValueError) as error:
                why = str(error) or type(error).__name__
                done.put((None, TargetFailure(DIED, f"the connection failed: {why}")))

        threading.Thread(target=run, daemon=True).start()
        try:
            found, failure = done.get(timeout=limit_s or self.limit_s)
        except queue.Empty:
            self.close()
            raise TargetFailure(SILENT, "the target did not answer in time") from None
        if failure is not None:
            raise failure
        return found

    def _post(self, message: dict[str, Any], wanted: int | None) -> dict[str, Any] | None:
        return self._exchange(json.dumps(message).encode(), lambda body: self._response(body, wanted))

    def _exchange(
        self, body: bytes, read: Callable[[http.client.HTTPResponse], dict[str, Any] | None]
    ) -> dict[str, Any] | None:
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(str(parts.hostname), parts.port, timeout=self.limit_s)
        self._open.add(connection)
        try:
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, body, self._headers())
            with connection.getresponse() as response:
                if response.status not in _OK:
                    raise TargetFailure(UNREACHABLE, _refusal(response))
                self._session = response.headers.get("Mcp-Session-Id", self._session)
                return read(response)
        finally:
            self._open.discard(connection)
            connection.close()

    def _headers(self) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": REVISION,
        }
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        return headers

    def _response(self, response: http.client.HTTPResponse, wanted: int | None) -> dict[str, Any] | None:
        if wanted is None:
            return None
        if response.headers.get_content_type() == "text/event-stream":
            texts = events(response)
        else:
            texts = iter([_whole(response)])
        for text in texts:
            message = parse(text)
            if "method" in message and "id" in message:
                answer = {"jsonrpc": "2.0", "id": message["id"], **server_message_answer(message["method"])}
                self._post(answer, None)
            elif "method" not in message and message.get("id") == wanted:
                if ("result" in message) == ("error" in message):
                    raise TargetFailure(GARBAGE, "a response has neither or both of result and error")
                return message
        return None


def events(response: Any) -> Iterator[bytes]:
    """The data of server-sent events, as their lines arrive."""
    data: list[bytes] = []
    while line := response.readline(MESSAGE_BYTES_MAX):
        if sum(map(len, data)) + len(line) >= MESSAGE_BYTES_MAX:
            raise TargetFailure(GARBAGE, "a message is longer than 32 MiB")
        line = line.rstrip(b"\r\n")
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


def _whole(response: http.client.HTTPResponse) -> bytes:
    body = response.read(MESSAGE_BYTES_MAX)
    if len(body) >= MESSAGE_BYTES_MAX:
        raise TargetFailure(GARBAGE, "a message is longer than 32 MiB")
    return body


def _refusal(response: http.client.HTTPResponse) -> str:
    if response.status in (401, 403):
        return f"the address refuses the token ({response.status})"
    if 300 <= response.status < 400:
        return f"the address sends on to {response.headers.get('Location')}; name that one as the target"
    return f"the address answered {response.status} {response.reason}"
