"""``docs/reference/errors.md`` and ``docs/reference/settings.md``."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from keepgate.derive.fields import doc_of, fields_of, is_enum, is_nullable, members_of
from keepgate.derive.limits import LIMITS, Keywords
from keepgate.derive.markdown import WRITTEN_BY, as_json, link, table
from keepgate.protocol.errors import FAULTS, Code, ExitCode, RpcNumber
from keepgate.protocol.ops import OPERATIONS
from keepgate.protocol.settings import Settings
from keepgate.protocol.verb_errors import EXIT_CODES, VERB_ERROR_NUMBER, VerbCode
from keepgate.protocol.wire import unstructure

ERRORS_PATH: Final = "docs/reference/errors.md"
SETTINGS_PATH: Final = "docs/reference/settings.md"
_ERRORS_INTRO: Final = (
    "A fault is a JSON-RPC error whose `data` is `{code, details, suggestion}`. Branch on `data.code`: "
    "messages are for people. Nothing was stored unless the details say so.\n"
)
_SETTINGS_INTRO: Final = (
    "The same names stand in the `initializationOptions` of a client and in the user's `config.toml`; "
    "unknown keys are refused. A project's `.keepgate/config.toml` can only narrow.\n"
)
_VERBS_INTRO: Final = (
    f"`verbs/*` answer with number {VERB_ERROR_NUMBER}; `data` is the contract's envelope `{{error, message, "
    "suggestion, detail?, protocol_version}` and `code`, equal to `error`. `detail` names the fault behind. "
    "A fault of the gate or the store keeps its own exit code.\n"
)
_VERB_ERRORS: Final[Mapping[VerbCode, str]] = {
    VerbCode.INVALID_PARAMS: "A parameter is missing, of the wrong type, or outside what the verb takes.",
    VerbCode.PROVENANCE_REQUIRED: "The provenance is blank.",
    VerbCode.NOT_FOUND: "No fact in the caller's sight has that id.",
    VerbCode.SCOPE_DENIED: "A person or a policy said no.",
    VerbCode.UNAVAILABLE: "What it needs is not there: a person to ask, a language model, the store.",
    VerbCode.BUDGET_UNSATISFIABLE: "Reserved.",
    VerbCode.INTERNAL: "Unforeseen; the log has the rest.",
}
_RPC: Final[Mapping[RpcNumber, str]] = {
    RpcNumber.PARSE_ERROR: "The message is not JSON; the answer has no id.",
    RpcNumber.INVALID_REQUEST: "Not a request, a batch, or a request after `shutdown`.",
    RpcNumber.METHOD_NOT_FOUND: "No such method, or it is not offered to this connection.",
    RpcNumber.INVALID_PARAMS: "`INVALID_INPUT` for a missing field, a wrong type or a write's unknown field.",
    RpcNumber.INTERNAL_ERROR: "Unforeseen; `data` has an incident id, the log has the rest.",
    RpcNumber.SERVER_NOT_INITIALIZED: "A request before `initialize`.",
    RpcNumber.REQUEST_CANCELLED: "The client sent `$/cancelRequest`.",
}
_EXIT: Final[Mapping[ExitCode, str]] = {
    ExitCode.OK: "Done.",
    ExitCode.FAILED: "Failed in a way that no other code names.",
    ExitCode.USAGE: "Wrong usage or bad input.",
    ExitCode.DENIED: "A person, a policy or the absence of a person said no.",
    ExitCode.NOT_FOUND: "The thing named is not there.",
    ExitCode.CONFLICT: "More than one thing is meant, or it changed meanwhile.",
    ExitCode.OVER_BUDGET: "The layer has no room.",
    ExitCode.STORE: "The store cannot be used as it is.",
}


def errors_page() -> str:
    """Every fault with number, details, advice and the methods that raise it."""
    rows = [
        [link(str(code)), str(kind.number), str(int(kind.exit_code)), kind.summary]
        for code, kind in FAULTS.items()
    ]
    parts = [
        WRITTEN_BY,
        "# Errors\n",
        _ERRORS_INTRO,
        table(["code", "number", "exit code", "meaning"], rows),
        *(_fault(code) for code in FAULTS),
        "# Errors of the verbs\n",
        _VERBS_INTRO,
        *(_verb_error(code) for code in VerbCode),
        "# JSON-RPC's own errors\n",
        table(["number", "name", "meaning"], [[str(int(n)), n.name, _RPC[n]] for n in RpcNumber]),
        "# Exit codes of the command line\n",
        table(["exit code", "name", "meaning", "faults"], [_exit(code) for code in ExitCode]),
    ]
    return "\n".join(parts)


def _fault(code: Code) -> str:
    kind = FAULTS[code]
    raised = [link(row.name, "operations.md") for row in OPERATIONS if code in row.faults]
    details = ", ".join(f"`{name}`" for name in kind.details) or "none"
    lines = [
        f"## `{code}`\n",
        f"{kind.summary} {kind.suggestion}\n",
        f"- Number: {kind.number}",
        f"- Details: {details}",
        f"- Worth repeating as it is: {'yes' if kind.retryable else 'no'}",
        f"- Raised by: {', '.join(raised) or 'opening the store, so by `initialize`'}\n",
    ]
    return "\n".join(lines)


def _verb_error(code: VerbCode) -> str:
    raised = [link(row.name, "operations.md") for row in OPERATIONS if code in row.verb_errors]
    return "\n".join(
        [
            f"## `{code}`\n",
            f"{_VERB_ERRORS[code]}\n",
            f"- Exit code: {int(EXIT_CODES[code])}",
            f"- Raised by: {', '.join(raised) or 'nothing; the contract reserves it'}\n",
        ]
    )


def _exit(code: ExitCode) -> list[str]:
    faults = [link(str(fault)) for fault, kind in FAULTS.items() if kind.exit_code is code]
    return [str(int(code)), code.name, _EXIT[code], ", ".join(faults)]


def settings_page() -> str:
    """Every setting with its type, default and bounds."""
    parts = [
        WRITTEN_BY,
        "# Settings\n",
        _SETTINGS_INTRO,
        table(["key", "type", "default", "meaning"], _settings(Settings, unstructure(Settings()), "")),
    ]
    return "\n".join(parts)


def _settings(cls: type, defaults: Mapping[str, Any], above: str) -> Iterator[list[str]]:
    for field in fields_of(cls):
        key, default = above + field.wire_name, defaults[field.wire_name]
        (member, *_) = members_of(field.hint)
        if attrs.has(member) and default is not None:
            yield [f"`{key}`", "object", "", field.note or doc_of(member)]
            yield from _settings(member, default, f"{key}.")
        else:
            allowed = _allowed(field.hint, LIMITS.get((cls, field.name), {}))
            shown = "" if default is None else f"`{as_json(default)}`"
            yield [f"`{key}`", allowed, shown, field.note or (doc_of(member) if is_enum(member) else "")]


def _allowed(hint: Any, limits: Keywords) -> str:
    """The type in words, with the words or bounds that hold for it."""
    (member, *_) = members_of(hint)
    words = [item.value for item in member] if is_enum(member) else limits.get("enum")
    if words:
        return " or ".join(f"`{word}`" for word in words)
    if attrs.has(member):
        named = f"object with {', '.join(f'`{field.wire_name}`' for field in fields_of(member))}"
    else:
        named = _NAMES.get(getattr(member, "__origin__", member), "value")
    bounds = [f"{word} {limits[key]}" for key, word in _BOUNDS if key in limits]
    return " ".join([named, *bounds, *(["or null"] if is_nullable(hint) else [])])


_NAMES: Final[Mapping[Any, str]] = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    list: "array",
    dict: "object",
}
_BOUNDS: Final = (("minimum", "from"), ("maximum", "to"))
