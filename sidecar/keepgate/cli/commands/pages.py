"""Pages: ``pages get|list|search|backlinks|put|remove|link|timeline|capture|trust``, and ``reindex``.

The command line is a local caller: it sees private pages. What it writes it asks on its terminal.
"""

from typing import TYPE_CHECKING, Any, Final

import click

from keepgate.cli.common import Globals, agent_option, command, given_params, pass_globals
from keepgate.cli.streams import text_argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from keepgate.fronts.terminal.screen import Screen

_slug = click.argument("slug", metavar="SLUG")


def _read(given: Globals, name: str, params: dict[str, Any], show: str) -> None:
    from keepgate.cli.running import read  # noqa: PLC0415

    result, render = _drawing(name, show)
    read(given, lambda calls: calls.call(f"pages/{name}", params), result, render)


def _write(given: Globals, name: str, params: dict[str, Any], show: str, agent: str | None) -> None:
    from keepgate.cli.running import write  # noqa: PLC0415

    result, render = _drawing(name, show)
    work = lambda calls: calls.call(f"pages/{name}", params)  # noqa: E731
    write(given, work, result, render, agent=agent, insists=name == "put")


def _drawing(name: str, show: str) -> "tuple[type[Any], Callable[[Screen, Any], None]]":
    from keepgate.fronts.terminal import pages as shown  # noqa: PLC0415
    from keepgate.protocol.ops import BY_NAME  # noqa: PLC0415

    return BY_NAME[f"pages/{name}"].result, getattr(shown, show)


@command("get", example="keepgate pages get people/alice", short_help="Print a page.")
@_slug
@pass_globals
def get(given: Globals, slug: str) -> None:
    """Print the text of a page's file."""
    _read(given, "get", {"slug": slug}, "page_text")


@command("list", example="keepgate pages list --type person", short_help="List pages.")
@click.option("--prefix", metavar="TEXT", help="Only slugs that begin so, such as people/.")
@click.option("--type", "type", metavar="TYPE", help="Only pages of this type.")
@click.option("--limit", type=int, metavar="N", help="At most so many; default 100.")
@click.option("--after", metavar="CURSOR", help="Go on where the page before ended.")
@pass_globals
def listing(given: Globals, **filters: Any) -> None:
    """List the pages of this workspace and those that hold everywhere, in the order of their slugs."""
    _read(given, "list", given_params(**filters), "pages_list")


@command("search", example='keepgate pages search "oolong tea"', short_help="Find pages by words.")
@click.argument("query", metavar="WORDS")
@click.option("--limit", type=int, metavar="N", help="At most so many; default 20.")
@pass_globals
def search(given: Globals, query: str, limit: int | None) -> None:
    """Find pages whose names or text hold WORDS, best first."""
    _read(given, "search", given_params(query=query, limit=limit), "pages_found")


@command("backlinks", example="keepgate pages backlinks people/alice", short_help="What links to a page.")
@_slug
@pass_globals
def backlinks(given: Globals, slug: str) -> None:
    """List the links that lead to a page."""
    _read(given, "backlinks", {"slug": slug}, "backlinks")


@command("put", example="keepgate pages put people/alice - < alice.md", short_help="Write a page.")
@_slug
@click.argument("content", metavar="MARKDOWN|-")
@agent_option
@pass_globals
def put(given: Globals, slug: str, content: str, agent: str | None) -> None:
    """Write a page's whole file, after asking; MARKDOWN of - is read from stdin."""
    from keepgate.cli.streams import read_stdin  # noqa: PLC0415

    text = read_stdin() if content == "-" else content
    _write(given, "put", {"slug": slug, "content": text}, "page_written", agent)


@command("remove", example="keepgate pages remove people/alice", short_help="Delete a page.")
@_slug
@agent_option
@pass_globals
def remove(given: Globals, slug: str, agent: str | None) -> None:
    """Delete a page's file, after asking."""
    _write(given, "remove", {"slug": slug}, "page_written", agent)


@command("link", example="keepgate pages link people/alice companies/acme --type works_at",
         short_help="Link two pages.")  # fmt: skip
@click.argument("from_", metavar="FROM")
@click.argument("to", metavar="TO")
@click.option("--type", "type", metavar="NAME", help="What the link means; default related.")
@agent_option
@pass_globals
def link(given: Globals, from_: str, to: str, type: str | None, agent: str | None) -> None:  # noqa: A002
    """Add a link to the front matter of FROM, after asking."""
    params = given_params(to=to, type=type) | {"from": from_}
    _write(given, "link", params, "page_written", agent)


@command("timeline", example='keepgate pages timeline people/alice 2026-11-30 "Met for tea"',
         short_help="Add a dated line to a page.")  # fmt: skip
@_slug
@click.argument("date", metavar="DAY")
@click.argument("text", metavar="TEXT|-")
@agent_option
@pass_globals
def timeline(given: Globals, slug: str, date: str, text: str, agent: str | None) -> None:
    """Add a line to a page's timeline, after asking. DAY is such as 2026-11-30."""
    params = {"slug": slug, "date": date, "text": text_argument(text)}
    _write(given, "timeline", params, "page_written", agent)


@command("capture", example='keepgate pages capture "Ask about the release day"',
         short_help="Note something into the inbox page.")  # fmt: skip
@click.argument("text", metavar="TEXT|-")
@agent_option
@pass_globals
def capture(given: Globals, text: str, agent: str | None) -> None:
    """Put a dated note into the inbox page of this month, after asking."""
    _write(given, "capture", {"text": text_argument(text)}, "page_written", agent)


@command("trust", example="keepgate pages trust", short_help="Trust the pages of this workspace.")
@click.argument("root", metavar="[FOLDER]", required=False, type=click.Path(path_type=str, resolve_path=True))
@agent_option
@pass_globals
def trust(given: Globals, root: str | None, agent: str | None) -> None:
    """Say once, after a question, that pages which came with a repository may be shown at session starts."""
    _write(given, "trust", given_params(root=root), "root_trusted", agent)


@command("reindex", example="keepgate reindex", short_help="Read every page file anew.")
@pass_globals
def reindex(given: Globals) -> None:
    """Read every page file of this workspace and of the user anew, and list what is wrong with files."""
    from keepgate.cli.running import progress, read  # noqa: PLC0415

    result, render = _drawing("reindex", "reindexed")
    read(given, lambda calls: calls.call("pages/reindex", {}, progress=progress()), result, render)


COMMANDS: Final = {
    "pages": click.Group(
        name="pages",
        commands=[get, listing, search, backlinks, put, remove, link, timeline, capture, trust],
        short_help="Read and write pages.",
        help="Read and write the pages of this workspace, and those that hold everywhere.",
    ),
    "reindex": reindex,
}
