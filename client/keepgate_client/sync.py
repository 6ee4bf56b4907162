"""The same client for scripts without an event loop: every call blocks until it is answered."""

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Self, TypeVar

from keepgate.protocol.entries import SessionRef
from keepgate.protocol.framing import Framing
from keepgate.protocol.lifecycle import KeepgateCapabilities, SessionOpenResult, WorkspaceInfo
from keepgate.protocol.portability import AdapterInfo
from keepgate_client.adapters import ClientAdapter
from keepgate_client.approver import Approver
from keepgate_client.calls import SyncCalls
from keepgate_client.client import CLIENT_NAME, Client
from keepgate_client.handshake import Folder
from keepgate_client.language_model import LanguageModel

P = TypeVar("P")
T = TypeVar("T")


class SyncClient(SyncCalls):
    """A sidecar of one's own and blocking calls to it, from any thread but the client's own.

    Its event loop runs in a background thread. Callbacks of :meth:`on` run in that thread and must not
    call the client; an approver and a language model run in threads of their own and may block for as
    long as they take.
    """

    def __init__(self, spawning: AbstractAsyncContextManager[Client]) -> None:
        self._spawning = spawning
        self._client: Client
        self._loop: asyncio.AbstractEventLoop
        self._holding: asyncio.Task[None] | None = None
        self._running = threading.Event()
        self._started: Future[None] = Future()
        self._thread = threading.Thread(target=self._run_loop, name="keepgate-client", daemon=True)

    @classmethod
    @contextmanager
    def spawn(  # noqa: PLR0913 - the parameters of Client.spawn, one for one
        cls,
        workspace: Folder | None = None,
        *,
        workspaces: Sequence[Folder] = (),
        command: Sequence[str] | None = None,
        approver: Approver | None = None,
        language_model: LanguageModel | None = None,
        settings: Mapping[str, Any] | None = None,
        session: SessionRef | None = None,
        framing: Framing = Framing.LSP,
        client_name: str = CLIENT_NAME,
        client_version: str | None = None,
        env: Mapping[str, str | None] | None = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> Iterator[Self]:
        """Start a sidecar and end it on leaving; parameters and errors as in :meth:`Client.spawn`."""
        client = cls(
            Client.spawn(
                workspace,
                workspaces=workspaces,
                command=command,
                approver=None if approver is None else _in_a_thread(approver),
                language_model=None if language_model is None else _in_a_thread(language_model),
                settings=settings,
                session=session,
                framing=framing,
                client_name=client_name,
                client_version=client_version,
                env=env,
                capabilities=capabilities,
            )
        )
        client._thread.start()
        try:
            client._started.result()
            yield client
        finally:
            client._stop()

    @property
    def capabilities(self) -> KeepgateCapabilities:
        """What the sidecar announced."""
        return self._client.capabilities

    @property
    def workspaces(self) -> tuple[WorkspaceInfo, ...]:
        """The workspaces that were open at the start, with their keys."""
        return self._client.workspaces

    @property
    def default_session(self) -> SessionOpenResult | None:
        """The session that was opened at the start."""
        return self._client.default_session

    @property
    def stderr(self) -> str:
        """What the sidecar logged so far, at most the last 256 KiB."""
        return self._client.stderr

    @property
    def pid(self) -> int:
        """The sidecar's process id."""
        return self._client.pid

    def call(self, name: str, params: Any, result: type[T]) -> T:
        """One typed call; the methods of this class are written in terms of it."""
        return self._wait_for(self._client.call(name, params, result))

    def raw(self, method: str, params: Any = None, *, timeout_s: float | None = None) -> Any:
        """Call any method with JSON params; returns the JSON result."""
        return self._wait_for(self._client.raw(method, params, timeout_s=timeout_s))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self._wait_for(self._client.notify(method, params))

    def on(self, method: str, callback: Callable[[Any], None]) -> Callable[[], None]:
        """Call back in the client's thread for each notification; see :meth:`Client.on`."""
        return self._wait_for(self._subscribe(method, callback))

    def register_adapter(self, adapter: ClientAdapter) -> AdapterInfo:
        """Offer an adapter, whose conversions run in the client's thread."""
        return self._wait_for(self._client.adapters.register(adapter))

    def unregister_adapter(self, adapter_id: str) -> None:
        """Withdraw an adapter of this client."""
        self._wait_for(self._client.adapters.unregister(adapter_id))

    async def _subscribe(self, method: str, callback: Callable[[Any], None]) -> Callable[[], None]:
        withdraw = self._client.on(method, callback)

        def withdraw_soon() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the subscription with it
                self._loop.call_soon_threadsafe(withdraw)

        return withdraw_soon

    def _wait_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        if threading.current_thread() is self._thread or not self._thread.is_alive():
            coroutine.close()
            state = "cannot be called from its own callbacks" if self._thread.is_alive() else "is closed"
            raise RuntimeError(f"this client {state}")
        running: list[asyncio.Task[Any]] = []

        async def run() -> T:
            running.extend(task for task in (asyncio.current_task(),) if task)
            return await coroutine

        try:
            return asyncio.run_coroutine_threadsafe(run(), self._loop).result()
        except BaseException:
            # Also an interrupt from the keyboard, which may come before the future is in anybody's hands,
            # cancels the call at the sidecar.
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the call with it
                self._loop.call_soon_threadsafe(lambda: [task.cancel() for task in running])
            raise

    def _run_loop(self) -> None:
        try:
            asyncio.run(self._hold())
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            if self._started.done():
                raise
            self._started.set_exception(error)
        finally:
            self._running.set()

    async def _hold(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._holding = asyncio.current_task()
        self._running.set()
        async with self._spawning as self._client:
            self._started.set_result(None)
            await asyncio.Event().wait()

    def _stop(self) -> None:
        self._running.wait()
        if self._holding is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended already
                self._loop.call_soon_threadsafe(self._holding.cancel)
        self._thread.join()


def _in_a_thread(answering: Callable[[P], T | Awaitable[T]]) -> Callable[[P], Awaitable[T]]:
    async def ask(params: P) -> T:
        answer = await _run_in_a_thread(lambda: answering(params))
        return await answer if inspect.isawaitable(answer) else answer

    return ask


async def _run_in_a_thread(function: Callable[[], T]) -> T:
    # Not the loop's own executor: its threads are waited for at exit, and this one may wait for a person.
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def deliver(settle: Callable[[Any], None], outcome: Any) -> None:
        if not future.done():
            settle(outcome)

    def run() -> None:
        try:
            settle: Callable[[Any], None] = future.set_result
            outcome: Any = function()
        except Exception as error:  # noqa: BLE001 - raised again where the answer is awaited
            settle, outcome = future.set_exception, error
        with contextlib.suppress(RuntimeError):  # the loop has ended, nobody waits for the answer
            loop.call_soon_threadsafe(deliver, settle, outcome)

    threading.Thread(target=run, name="keepgate-approver", daemon=True).start()
    return await future
