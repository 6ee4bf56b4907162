"""What went wrong, in words for the person on stderr and, with ``--json``, as a document on stdout."""

import sys
import traceback
from collections.abc import Iterator
from typing import Any, Final
from uuid import uuid4

import click
from attrs import frozen

from keepgate.cli.output import as_json
from keepgate.cli.streams import write_document
from keepgate.core.model.text import make_visible, one_line
from keepgate.protocol.errors import Code, ExitCode, Fault

INTERNAL: Final = "INTERNAL"
INTERRUPTED: Final = 130
"""What shells expect of a command that was ended by Ctrl-C."""


_ANSWERED: Final = ("rejected", "cancelled")
"""Outcomes that the person knows: they gave them. Advice on retrying is for programs."""


@frozen(kw_only=True)
class Failure:
    """An end that is not a result: ``lines`` for people, ``error`` for programs."""

    exit_code: int
    lines: tuple[str, ...]
    error: dict[str, Any]

    @property
    def unforeseen(self) -> bool:
        """Whether nobody thought of it, so that only its traceback says what happened."""
        return bool(self.error["code"] == INTERNAL)


def failure_of(error: BaseException) -> Failure:
    """The failure that an exception stands for; what nobody foresaw gets an incident id and no details."""
    match error:
        case Fault():
            return _fault(error)
        case click.UsageError():
            usage = error.ctx.get_usage() if error.ctx is not None else ""
            hint = f"Try: {error.ctx.command_path} --help" if error.ctx is not None else ""
            lines = (error.format_message(), *usage.splitlines(), hint)
            return _plain(ExitCode.USAGE, "USAGE", error.format_message(), lines, hint)
        case click.ClickException():
            return _plain(ExitCode.FAILED, "FAILED", error.format_message(), (error.format_message(),))
        case KeyboardInterrupt() | click.Abort():
            return _plain(INTERRUPTED, "INTERRUPTED", "interrupted", ("interrupted",))
        case OSError():
            return _plain(ExitCode.FAILED, "FAILED", _system_error(error), (_system_error(error),))
        case _:
            incident = uuid4().hex[:8]
            message = f"something unforeseen went wrong (incident {incident})"
            hint = "Run it again with --log-level debug to see where."
            return _plain(ExitCode.FAILED, INTERNAL, message, (message, hint), hint)


def report(failure: Failure, *, json_wanted: bool) -> None:
    """Write a failure: words on stderr always, the document on stdout where one was wanted."""
    first, *rest = (make_visible(line) for line in failure.lines if line)
    sys.stderr.write("".join([f"keepgate: {first}\n", *(f"  {line}\n" for line in rest)]))
    sys.stderr.flush()
    if json_wanted:
        write_document(sys.stdout, as_json({"error": failure.error}))


def log_traceback(error: BaseException) -> None:
    """Write where an error came from; for ``--log-level debug`` alone, it may quote memory text."""
    sys.stderr.write("".join(traceback.format_exception(error)))


def _plain(exit_code: int, code: str, message: str, lines: tuple[str, ...], suggestion: str = "") -> Failure:
    error = {"code": code, "message": message, "details": {}, "suggestion": suggestion}
    return Failure(exit_code=exit_code, lines=lines, error=error)


def _system_error(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename is not None else reason


def _fault(fault: Fault) -> Failure:
    suggestion = _suggestion(fault)
    error = {
        "code": str(fault.code),
        "message": fault.message,
        "details": fault.details,
        "suggestion": suggestion,
    }
    advice = (
        "" if fault.code is Code.INVALID_INPUT or fault.details.get("outcome") in _ANSWERED else suggestion
    )
    lines = (one_line(fault.message.removeprefix("$.")), *map(one_line, _details(fault)), advice)
    return Failure(exit_code=fault.exit_code, lines=lines, error=error)


def _suggestion(fault: Fault) -> str:
    if fault.code is not Code.WRITE_DENIED:
        return fault.suggestion
    proposal = fault.details.get("proposalId")
    if fault.details.get("outcome") == "unavailable" and proposal is not None:
        return f"Decide it on a terminal: keepgate proposals approve {proposal}"
    return fault.suggestion


def _details(fault: Fault) -> Iterator[str]:
    problems = fault.details.get("problems", [])
    if len(problems) > 1:
        yield from (f"{item['path'].removeprefix('$.')}: {item['problem']}" for item in problems)
    yield from (f"- {text}" for text in fault.details.get("sample", []))
