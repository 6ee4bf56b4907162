"""How well recall finds what was asked for: facts and pages, in several languages.

    python benchmarks/retrieval.py [--set FILE] [--misses] [--json FILE]

stores benchmarks/retrieval_set.json in a store of its own, through the verbs, and asks its queries with
recall. For each kind of query: how often an expected answer came first (hit@1) or among the first five
(hit@5), and the mean reciprocal rank (MRR). Of queries that must find nothing: how many found something.
The figures are the same on every run, so that a change of analysis or ranking shows. Nothing here is a test.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from corpus import open_at

from keepgate.service.connection import Connection
from keepgate.service.sidecar import Sidecar

NOTHING = "nothing"
OVERALL = "all that has an answer"
FIRST = 5


@frozen(kw_only=True)
class Outcome:
    """What one query found of one sort: the rank of the first expected hit, from 1; 0 for none.

    ``expected`` is false for a query that must find nothing.
    """

    kind: str
    sort: str
    query: str
    rank: int
    found: Sequence[str]
    expected: bool


def write_pages(root: Path, pages: Collection[dict[str, Any]]) -> None:
    """The page files of the set."""
    for page in pages:
        file = root / f"{page['slug']}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        aliases = json.dumps(page["aliases"], ensure_ascii=False)
        file.write_text(
            f"---\ntitle: {json.dumps(page['title'], ensure_ascii=False)}\naliases: {aliases}\n---\n\n"
            f"{page['text']}\n",
            encoding="utf-8",
        )


async def remember_all(sidecar: Sidecar, connection: Connection, facts: dict[str, str]) -> dict[str, str]:
    """Store the facts; the names that the set gives them, by their ids."""
    names = {}
    for name, text in facts.items():
        params = {"fact": text, "provenance": "benchmark"}
        stored = await sidecar.call(connection, "verbs/remember", params)
        names[stored["id"]] = name
    return names


def rank_of(found: Sequence[str], wanted: Collection[str]) -> int:
    """The place of the first hit that was wanted, from 1; 0 where there is none."""
    return next((place for place, name in enumerate(found, 1) if name in wanted), 0)


async def outcomes(given: dict[str, Any], home: Path, project: Path) -> list[Outcome]:
    """Store the set and ask all of its queries."""
    write_pages(project / ".keepgate/pages", given["pages"])
    sidecar, connection = await open_at(home, project)
    try:
        await sidecar.call(connection, "pages/reindex", {})
        names = await remember_all(sidecar, connection, given["facts"])
        done = []
        for asked in given["queries"]:
            answer = await sidecar.call(connection, "verbs/recall", {"query": asked["query"]})
            found = {
                "facts": [names[fact["fact_id"]] for fact in answer["facts"]],
                "pages": [page["slug"] for page in answer["results"]],
            }
            done += [
                Outcome(
                    kind=asked["kind"],
                    sort=sort,
                    query=asked["query"],
                    rank=rank_of(found[sort], asked[sort]),
                    found=found[sort],
                    expected=bool(asked[sort]),
                )
                for sort in found
                if asked[sort] or asked["kind"] == NOTHING
            ]
        return done
    finally:
        await sidecar.disconnect(connection)
        await sidecar.close()


def figures(done: Collection[Outcome]) -> dict[str, float]:
    """Of queries that have an answer: how many, and how well they found it."""
    count = len(done)
    return {
        "queries": count,
        "hit@1": sum(one.rank == 1 for one in done) / count,
        "hit@5": sum(0 < one.rank <= FIRST for one in done) / count,
        "MRR": sum(1 / one.rank for one in done if one.rank) / count,
    }


def summary(done: Sequence[Outcome]) -> dict[str, Any]:
    """All figures by sort and kind; of what must find nothing how many queries found something."""
    told: dict[str, Any] = {}
    for sort in ("facts", "pages"):
        answered = [one for one in done if one.sort == sort and one.expected]
        kinds = dict.fromkeys(one.kind for one in answered)
        nothing = [one for one in done if one.sort == sort and one.kind == NOTHING]
        told[sort] = {
            **{kind: figures([one for one in answered if one.kind == kind]) for kind in kinds},
            OVERALL: figures(answered),
            NOTHING: {"queries": len(nothing), "wrong": sum(bool(one.found) for one in nothing)},
        }
    return told


def table(told: dict[str, Any]) -> Iterator[str]:
    """The figures as lines."""
    for sort, kinds in told.items():
        yield f"\n{sort:26}{'queries':>9}{'hit@1':>8}{'hit@5':>8}{'MRR':>8}"
        for kind, of_kind in kinds.items():
            if kind == NOTHING:
                wrong = f"   found something: {of_kind['wrong']}"
                yield f"  {'must find nothing':24}{of_kind['queries']:9}{wrong}"
            else:
                shares = "".join(f"{of_kind[name]:8.3f}" for name in ("hit@1", "hit@5", "MRR"))
                yield f"  {kind:24}{of_kind['queries']:9}{shares}"


def misses(done: Collection[Outcome]) -> Iterator[str]:
    """What was not first, and what was found although there is nothing."""
    for one in done:
        if one.rank != 1 and (one.expected or one.found):
            yield f"  {one.sort}, {one.kind}: {one.query!r} at {one.rank}, found {list(one.found[:FIRST])}"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--set", type=Path, default=Path(__file__).with_name("retrieval_set.json"))
    parser.add_argument("--misses", action="store_true", help="also list the queries that failed")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args()
    given = json.loads(options.set.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as temporary:
        home, project = Path(temporary, "home"), Path(temporary, "project")
        home.mkdir()
        project.mkdir()
        done = asyncio.run(outcomes(given, home, project))
    told = summary(done)
    print(f"{len(given['facts'])} facts, {len(given['pages'])} pages, {len(given['queries'])} queries")
    print("\n".join([*table(told), *(misses(done) if options.misses else ())]))
    if options.json is not None:
        options.json.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
