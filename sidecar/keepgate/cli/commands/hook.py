"""``hook``: what a harness's own hooks run to give a model its memory."""

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, command, options, pass_globals
from keepgate.cli.hooking import CLIENTS

if TYPE_CHECKING:
    from keepgate.cli.hooking import Deadline, HookCall
    from keepgate.fronts.terminal.calls import Calls

BUDGET_TOKENS: Final = 1_500
DEADLINE_MS: Final = 2_000
DEADLINE_MS_MAX: Final = 3_600_000
NAMES_MAX: Final = 8
SETTLE_S: Final = 0.2
"""What is left of the deadline for noting what was shown."""


@click.group("hook", short_help="Give a model its memory, from a harness's hook.")
def hook() -> None:
    """Print what is known of the workspace, in the form in which a harness's hook adds it to the context.

    Only what every agent may read is printed, and pages of the workspace only from folders that are trusted.
    It never holds up a session: past its deadline, and where anything fails, it prints nothing and ends well.
    """


_hook_options = options(
    click.option("--entities", metavar="NAMES", help="Comma-separated; default: those touched last."),
    click.option("--deadline-ms", type=click.IntRange(1, DEADLINE_MS_MAX), default=DEADLINE_MS,
                 show_default=True, metavar="N", help="When to end in any case."),
    click.option("--budget", type=click.IntRange(min=1), default=BUDGET_TOKENS, show_default=True,
                 metavar="N", help="Tokens at most (characters / 4)."),
    click.option("--client", type=click.Choice(CLIENTS), help="The harness; default: told by what it sends."),
    click.option("--strict", is_flag=True, help="Let a failure show in the exit code."),
)  # fmt: skip


@command("session-start", example="keepgate hook session-start --client claude-code",
         short_help="At the beginning of a session.")  # fmt: skip
@_hook_options
@pass_globals
def session_start(given: Globals, **named: Any) -> None:
    """Print the memory that a session begins with. A session that is resumed is not told the same again."""
    _run(given, **named, again=False)


@command("compact", example="keepgate hook compact --client claude-code --budget 800",
         short_help="After a conversation was compacted.")  # fmt: skip
@_hook_options
@pass_globals
def compact(given: Globals, **named: Any) -> None:
    """Print the memory once more, for a context that has just lost it."""
    _run(given, **named, again=True)


def _run(
    given: Globals,
    *,
    entities: str | None,
    deadline_ms: int,
    budget: int,
    client: str | None,
    strict: bool,
    again: bool,
) -> None:
    from keepgate.cli.hooking import Deadline, hook_call, read_hook_json  # noqa: PLC0415
    from keepgate.cli.running import inside, store_place  # noqa: PLC0415

    deadline = Deadline(deadline_ms / 1000, exit_code=1 if strict else 0)
    try:
        call = hook_call(read_hook_json(), client)
        if given.workspace is None and call.cwd is not None:
            os.chdir(call.cwd)
        # A hook makes no store where nobody has kept anything yet.
        if os.path.exists(store_place(given)[0]):  # noqa: PTH110 - a path that need not be one of this system
            inside(given, lambda calls: _answer(calls, call, deadline, entities, budget, again=again))
    except Exception as error:
        if strict:
            raise
        sys.stderr.write(f"keepgate: no memory for this session: {type(error).__name__}\n")
    finally:
        deadline.lift()


async def _answer(
    calls: "Calls", call: "HookCall", deadline: "Deadline", entities: str | None, budget: int, *, again: bool
) -> None:
    import asyncio  # noqa: PLC0415

    from keepgate.cli.hooking import rendered  # noqa: PLC0415

    names = entities if entities is not None else await _recent(calls)
    params = {
        "entities": names,
        "budget_tokens": budget,
        "deadline_ms": max(deadline.left_ms - SETTLE_S * 1000, 1),
        "trusted_only": True,
        **({} if call.session_id is None else {"session_id": call.session_id}),
    }
    text = (await calls.call("verbs/context_pack", params))["text"]
    if not again and call.source == "resume" and await _was_shown(calls, call, text):
        return
    deadline.write(rendered(call, text))
    async with asyncio.timeout(deadline.left_ms / 1000):
        await calls.after_reply.written()


async def _recent(calls: "Calls") -> str:
    from keepgate.core.model.fact import sight_of  # noqa: PLC0415
    from keepgate.store.reads.packs import recent_names  # noqa: PLC0415

    sight = sight_of(calls.connection.keys, world_only=True)
    now_ms = calls.sidecar.stamp().now_ms
    names = await calls.sidecar.store.reading.run(
        recent_names, sight, now_ms=now_ms, limit=NAMES_MAX, instant=True
    )
    return ",".join(names)


async def _was_shown(calls: "Calls", call: "HookCall", text: str) -> bool:
    from keepgate.store.reads.packs import was_shown  # noqa: PLC0415

    if call.session_id is None:
        return False
    return await calls.sidecar.store.reading.run(was_shown, call.session_id, text, instant=True)


for _one in (session_start, compact):
    hook.add_command(_one)

COMMANDS: Final = {"hook": hook}
