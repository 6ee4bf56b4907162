"""The sidecar in this process: the same operations, without a wire."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from attrs import define

from keepgate import __version__
from keepgate.boot import open_sidecar
from keepgate.boot.config import load_settings
from keepgate.boot.places import find_places
from keepgate.conformance.replies import SILENT, Reply, TargetFailure
from keepgate.conformance.targets.lsp import ALLOW
from keepgate.conformance.targets.naming import VERBS, method_of, params_of, tools_of
from keepgate.gate.approvers import ClientInfo, NobodyThere
from keepgate.protocol.errors import Fault
from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.wire import decode, encode, unstructure
from keepgate.service.connection import Connection, NoPeer
from keepgate.service.dispatch import UnknownMethod
from keepgate.service.sidecar import Sidecar


class _Person:
    """Answers as the case says, and keeps what was asked."""

    def __init__(self) -> None:
        self.answer: str | None = None
        self.asked: list[dict[str, Any]] = []

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        self.asked.append({"method": "approval/request", **decode(encode(unstructure(question)))})
        outcome, _, how = (self.answer or ALLOW).partition(":")
        if outcome == "nobody":
            raise NobodyThere("nobody is there")
        return ApprovalAnswer(outcome=outcome, hash="0" * 64 if how == "stale" else question.hash)


@define(kw_only=True)
class InsideTarget:
    """A sidecar of this process. ``remote`` callers are treated as MCP's are."""

    home: str
    folder: str
    remote: bool
    features: frozenset[str] = frozenset()
    _loop: asyncio.Runner | None = None
    _sidecar: Sidecar | None = None
    _connection: Connection | None = None
    _person: _Person | None = None

    def start(self, limit_s: float) -> None:
        """Open the store and connect."""
        self._loop = asyncio.Runner()
        self._run(self._opened, limit_s)
        place = {"remote"} if self.remote else {"local", "approvals"}
        self.features |= {*place, *(f"tool:{name}" for name in tools_of(row.name for row in OPERATIONS))}

    async def _opened(self) -> None:
        environ = {"KEEPGATE_HOME": self.home}
        places = find_places(environ)
        self._person = _Person()
        self._sidecar = await open_sidecar(load_settings(places, environ), places)
        self._connection = self._sidecar.connect(
            peer=NoPeer(),
            channel="conformance",
            client=ClientInfo(name="keepgate conformance", version=__version__),
            folders=[self.folder],
            approver=self._person,
            may_decide=not self.remote,
            remote=self.remote,
        )
        await self._sidecar.start()

    def call(self, name: str, arguments: Any, *, limit_s: float, person: str | None) -> Reply:
        """Do an operation."""
        assert self._person is not None
        self._person.answer, self._person.asked = person, []
        method = method_of(name)
        return self._reply(method, params_of(method, arguments), limit_s, is_verb=name in VERBS)

    def request(self, method: str, params: Any, *, limit_s: float) -> Reply:
        """Do an operation by its method."""
        return self._reply(method, params, limit_s, is_verb=method.startswith("verbs/"))

    def _reply(self, method: str, params: Any, limit_s: float, *, is_verb: bool) -> Reply:
        assert self._sidecar is not None
        assert self._connection is not None
        sidecar, connection, began = self._sidecar, self._connection, time.monotonic()
        about: dict[str, Any] = {"rpcError": False}
        try:
            result = self._run(lambda: sidecar.call(connection, method, params), limit_s)
            body = decode(encode(result))
        except UnknownMethod:
            body, about = {}, {"rpcError": True, "number": -32601}
        except Fault as fault:
            data = fault.data()
            body = decode(encode(data))
            about = {
                "rpcError": True,
                "number": fault.number,
                "code": data.get("error") or data.get("code"),
                "message": fault.message,
            }
        except TargetFailure:
            raise
        except Exception as error:  # noqa: BLE001 - what a front would answer with, too
            body, about = {"error": "internal"}, {"rpcError": True, "number": -32603, "code": "internal"}
            about["message"] = repr(error)
        if is_verb and isinstance(body, dict):
            about["meta"] = body.pop("_meta", {})
        about["latencyMs"] = (time.monotonic() - began) * 1000
        asked = self._person.asked if self._person is not None else []
        return Reply(ok=not about["rpcError"], body=body, about=about, asked=asked)

    def _run(self, work: Callable[[], Coroutine[Any, Any, Any]], limit_s: float) -> Any:
        assert self._loop is not None

        async def limited() -> Any:
            return await asyncio.wait_for(work(), limit_s)

        try:
            return self._loop.run(limited())
        except TimeoutError:
            raise TargetFailure(SILENT, "the target did not answer in time") from None

    def send(self, raw: str) -> None:
        """There is no wire to send anything on."""

    def close(self) -> None:
        """Close the store."""
        if self._loop is None:
            return
        if self._sidecar is not None:
            self._loop.run(self._sidecar.close())
        self._loop.close()
        self._loop = self._sidecar = None
