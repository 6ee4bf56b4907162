"""Params of the editor protocol that this server reads, parsed as strictly as its own.

pygls' converter takes ``"abc"`` for an array and ``True`` for 1, and refuses a whole ``initialize`` for a
capability nobody here reads. So the few fields in use have types of their own, parsed by ``protocol.wire``
with the same faults as every operation, and are then handed to pygls in its types.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from attrs import field, frozen
from lsprotocol import types

from keepgate.protocol.errors import Problem, invalid_input
from keepgate.protocol.wire import structure

Token = str | int


@frozen(kw_only=True)
class _ClientInfo:
    name: str = ""
    version: str | None = None


@frozen(kw_only=True)
class _Folder:
    uri: str
    name: str = ""


@frozen(kw_only=True)
class _Initialize:
    process_id: int | None = None
    client_info: _ClientInfo | None = None
    root_uri: str | None = None
    root_path: str | None = None
    workspace_folders: list[_Folder] | None = None
    initialization_options: Any = None
    # Absent capabilities mean none: a harness that is no editor has nothing to say there.
    capabilities: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class _ExecuteCommand:
    command: str
    arguments: list[Any] | None = None
    work_done_token: Any = None


@frozen(kw_only=True)
class _FoldersEvent:
    added: list[_Folder] = field(factory=list)
    removed: list[_Folder] = field(factory=list)


@frozen(kw_only=True)
class _ChangeFolders:
    event: _FoldersEvent


@frozen(kw_only=True)
class _FileEvent:
    uri: str
    type: int


@frozen(kw_only=True)
class _WatchedFiles:
    changes: list[_FileEvent]


@frozen(kw_only=True)
class _WithToken:
    token: Token


@frozen(kw_only=True)
class _Trace:
    value: str


def initialize(raw: Any) -> types.InitializeParams:
    """Of the capabilities only those in use are read, and one of another type counts as absent."""
    given = structure(raw, _Initialize)
    return types.InitializeParams(
        process_id=given.process_id,
        client_info=types.ClientInfo(given.client_info.name, given.client_info.version)
        if given.client_info
        else None,
        root_uri=given.root_uri,
        root_path=given.root_path,
        workspace_folders=_folders(given.workspace_folders or []),
        initialization_options=given.initialization_options,
        capabilities=_capabilities(given.capabilities),
    )


def execute_command(raw: Any) -> types.ExecuteCommandParams:
    """``arguments`` are left as decoded JSON."""
    given = structure(raw, _ExecuteCommand)
    token = given.work_done_token if is_token(given.work_done_token) else None
    return types.ExecuteCommandParams(given.command, given.arguments, token)


def change_folders(raw: Any) -> types.DidChangeWorkspaceFoldersParams:
    """Absent lists are empty."""
    event = structure(raw, _ChangeFolders).event
    return types.DidChangeWorkspaceFoldersParams(
        types.WorkspaceFoldersChangeEvent(added=_folders(event.added), removed=_folders(event.removed))
    )


def watched_files(raw: Any) -> types.DidChangeWatchedFilesParams:
    """Of each change its file; what happened to it is seen in the file itself."""
    changes = structure(raw, _WatchedFiles).changes
    return types.DidChangeWatchedFilesParams(
        [types.FileEvent(change.uri, types.FileChangeType.Changed) for change in changes]
    )


def cancel_progress(raw: Any) -> types.WorkDoneProgressCancelParams:
    """The token as the client sent it."""
    return types.WorkDoneProgressCancelParams(structure(raw, _WithToken).token)


def set_trace(raw: Any) -> types.SetTraceParams:
    """Raises ``INVALID_INPUT`` for a value that is none of the protocol's."""
    value = structure(raw, _Trace).value
    try:
        return types.SetTraceParams(types.TraceValue(value))
    except ValueError:
        raise invalid_input(Problem("$.value", "is not a trace value")) from None


def nothing(raw: Any) -> None:
    """Methods without params take whatever a client sends along."""


PARSERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    types.INITIALIZE: initialize,
    types.INITIALIZED: nothing,
    types.SHUTDOWN: nothing,
    types.SET_TRACE: set_trace,
    types.WORKSPACE_EXECUTE_COMMAND: execute_command,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: change_folders,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: watched_files,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: cancel_progress,
}
"""The methods of the editor protocol that this server serves, and how their params are read."""


def is_token(value: Any) -> bool:
    """Whether a progress token may look like this."""
    return type(value) in (str, int)


def member(value: Any, *path: str) -> Any:
    """The value at ``path`` inside decoded JSON; ``None`` where a step is missing or no object."""
    for name in path:
        if type(value) is not dict:
            return None
        value = value.get(name)
    return value


def _folders(given: list[_Folder]) -> list[types.WorkspaceFolder]:
    return [types.WorkspaceFolder(folder.uri, folder.name) for folder in given]


def _capabilities(raw: dict[str, Any]) -> types.ClientCapabilities:
    window = types.WindowClientCapabilities(
        work_done_progress=member(raw, "window", "workDoneProgress") is True,
        show_message=types.ShowMessageRequestClientCapabilities()
        if type(member(raw, "window", "showMessage")) is dict
        else None,
        show_document=types.ShowDocumentClientCapabilities(
            support=member(raw, "window", "showDocument", "support") is True
        ),
    )
    dynamic = member(raw, "workspace", "didChangeWatchedFiles", "dynamicRegistration") is True
    diagnostics = type(member(raw, "textDocument", "publishDiagnostics")) is dict
    return types.ClientCapabilities(
        window=window,
        workspace=types.WorkspaceClientCapabilities(
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=dynamic
            )
        ),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities() if diagnostics else None
        ),
        experimental=member(raw, "experimental"),
    )
