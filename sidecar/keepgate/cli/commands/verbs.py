"""The verbs: ``recall``, ``remember``, ``entity``, ``synthesize``, ``forget``, ``context-pack``, ``delta``.

The command line is a local caller: it sees private facts and pages. What it writes it asks on its terminal.
"""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, agent_option, command, options, pass_globals
from keepgate.cli.streams import text_argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from keepgate.fronts.terminal.calls import Calls
    from keepgate.fronts.terminal.screen import Screen

KINDS: Final = ("event", "preference", "commitment", "belief", "fact")
VISIBILITIES: Final = ("world", "private")

_budget = click.option(
    "--budget-tokens", type=float, metavar="N", help="Pack the answer into so many tokens."
)
_since = click.option("--since", metavar="WHEN", help="From then on: ISO 8601, or such as '8 hours ago'.")
_private = click.option("--include-private", is_flag=True, help="Private facts and pages too.")
_session = click.option("--session-id", metavar="ID", help="A session's own facts or cursor.")
_dry_run = click.option("--dry-run", is_flag=True, help="Say what would happen and do nothing.")


def _params(**named: Any) -> dict[str, Any]:
    """Params in the names of the verbs, without what was not given."""
    return {name: value for name, value in named.items() if value is not None and value is not False}


def _read(given: Globals, verb: str, params: dict[str, Any], show: str, agent: str | None = None) -> None:
    from keepgate.cli.running import read  # noqa: PLC0415

    result, render = _drawing(verb, show)
    read(given, lambda calls: calls.call(f"verbs/{verb}", params), result, render, agent=agent)


def _write(
    given: Globals, verb: str, params: dict[str, Any], show: str, agent: str | None, *, dry_run: bool
) -> None:
    from keepgate.cli.running import write  # noqa: PLC0415
    from keepgate.fronts.terminal.verbs import dry_run as tried  # noqa: PLC0415
    from keepgate.protocol.verbs import DryRun  # noqa: PLC0415

    result, render = (DryRun, tried) if dry_run else _drawing(verb, show)
    insists = verb == "remember" and not dry_run
    rows: list[int] = []

    async def work(calls: "Calls") -> Any:
        done = await calls.call(f"verbs/{verb}", params)
        if not (dry_run or given.as_json) and _changed_something(done):
            past = await calls.call("memory/history", {"id": done["id"]})
            rows.append(past["versions"][-1]["seq"])
        return done

    def draw(screen: "Screen", drawn: Any) -> None:
        render(screen, drawn)
        for row in rows:
            screen.line(f"Ledger row {row}; `keepgate undo {row}` takes it back.")

    write(given, work, result, draw, agent=agent, insists=insists)


def _changed_something(done: dict[str, Any]) -> bool:
    """Whether a verb left a row in the ledger: what was there, or was gone already, leaves none."""
    return bool(done.get("expired", done.get("status") != "duplicate"))


def _drawing(verb: str, show: str) -> "tuple[type[Any], Callable[[Screen, Any], None]]":
    from keepgate.fronts.terminal import verbs as shown  # noqa: PLC0415
    from keepgate.protocol.ops import BY_NAME  # noqa: PLC0415

    return BY_NAME[f"verbs/{verb}"].result, getattr(shown, show)


@command("recall", example='keepgate recall "release day" --entity projects/apollo --budget-tokens 400',
         short_help="Retrieve facts and pages.")  # fmt: skip
@click.argument("query", required=False, metavar="[QUERY]")
@click.option("--entity", metavar="NAME", help="Only facts about it: a slug, a title or an alias.")
@_since
@click.option("--limit", type=float, metavar="N", help="Facts, and pages, at most; default 50.")
@_budget
@_session
@click.option("--include-expired", is_flag=True, help="Also what is forgotten or past its ttl.")
@agent_option
@pass_globals
def recall(given: Globals, agent: str | None, **named: Any) -> None:
    """Retrieve facts, and with QUERY the pages that match; without QUERY the newest facts."""
    _read(given, "recall", _params(**named), "recalled", agent)


@command("remember", example='keepgate remember "I prefer dark mode" --provenance demo --entity people/me',
         short_help="Save a fact.")  # fmt: skip
@click.argument("fact", metavar="FACT|-")
@click.option("--provenance", required=True, metavar="TEXT", help="Where it comes from.")
@click.option("--entity", metavar="NAME", help="The person, company or project that it is about.")
@click.option("--kind", type=click.Choice(KINDS), help="Default fact.")
@click.option("--ttl", metavar="TIME", help="How long it holds: 30d, 12h, 45m, or an ISO 8601 instant.")
@click.option("--visibility", type=click.Choice(VISIBILITIES), help="Default world: every agent reads it.")
@click.option("--supersedes", metavar="ID", help="The fact whose place it takes.")
@_dry_run
@agent_option
@pass_globals
def remember(given: Globals, fact: str, agent: str | None, **named: Any) -> None:
    """Save FACT with where it comes from, after asking. FACT of - is read from stdin."""
    params = _params(fact=text_argument(fact), **named)
    _write(given, "remember", params, "remembered", agent, dry_run=named["dry_run"])


@command("forget", example="keepgate forget 42 --reason outdated", short_help="Expire a fact.")
@click.argument("fact", metavar="ID")
@click.option("--reason", metavar="TEXT", help="Kept in the ledger.")
@_dry_run
@agent_option
@pass_globals
def forget(given: Globals, fact: str, agent: str | None, **named: Any) -> None:
    """Expire the fact with this ID, after asking. The ledger keeps it; undo brings it back."""
    _write(given, "forget", _params(id=fact, **named), "forgotten", agent, dry_run=named["dry_run"])


@command("entity", example="keepgate entity Alice", short_help="One person, company or project.")
@click.argument("name")
@agent_option
@pass_globals
def entity(given: Globals, name: str, agent: str | None) -> None:
    """Show what is known of NAME: an alias, a title, a slug, or the end of one."""
    _read(given, "entity", {"name": name}, "entity_card", agent)


@command("synthesize", example='keepgate synthesize "When is the release cut?"',
         short_help="Answer a question with a language model.")  # fmt: skip
@click.argument("question")
@_since
@click.option("--until", metavar="WHEN", help="Until then; a day or month counts to its end.")
@agent_option
@pass_globals
def synthesize(given: Globals, question: str, agent: str | None, **named: Any) -> None:
    """Answer QUESTION from several pages. Needs a language model, which the command line has none of yet."""
    _read(given, "synthesize", _params(question=question, **named), "synthesized", agent)


_block_options = options(_since, _budget, _session, _private)


@command("context-pack", example="keepgate context-pack people/alice,projects/apollo --budget-tokens 800",
         short_help="A block of context for entities.")  # fmt: skip
@click.argument("entities", metavar="NAMES")
@_block_options
@click.option("--deadline-ms", type=float, metavar="N", help="Answer in that time with what there is.")
@agent_option
@pass_globals
def context_pack(given: Globals, agent: str | None, **named: Any) -> None:
    """Print the block for NAMES, comma-separated: cards, open threads and facts, packed into the budget."""
    _read(given, "context_pack", _params(**named), "block", agent)


@command("delta", example="keepgate delta --since '1 day ago'", short_help="What changed.")
@_block_options
@click.option("--since-slug", metavar="SLUG", help="Go on after this page of next_cursor.")
@click.option("--since-fact", metavar="ID", help="Go on after this fact of next_cursor.")
@click.option("--entities", metavar="NAMES", help="Whose open threads to add, comma-separated.")
@agent_option
@pass_globals
def delta(given: Globals, agent: str | None, **named: Any) -> None:
    """Print what changed since an instant, or since a session asked last: pages, facts and threads."""
    _read(given, "delta", _params(**named), "changes", agent)


COMMANDS: Final = {
    "recall": recall,
    "remember": remember,
    "forget": forget,
    "entity": entity,
    "synthesize": synthesize,
    "context-pack": context_pack,
    "delta": delta,
}
