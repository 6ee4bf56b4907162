"""A corpus of any size from a seed: pages with aliases, links and a timeline, and facts about them.

    python benchmarks/corpus.py FOLDER --pages 2000 [--facts 2000] [--seed 1]

makes FOLDER/home (a KEEPGATE_HOME) and FOLDER/project (a workspace with its page files), indexed, with facts
stored through the gate's own steps. The same seed gives the same corpus.
"""

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from keepgate.boot import open_sidecar
from keepgate.boot.places import find_places
from keepgate.core.model.viewer import Author
from keepgate.core.writing.change import FactDraft, Remember
from keepgate.gate import wishes
from keepgate.gate.approvers import ClientInfo
from keepgate.gate.policies import Rules
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.protocol.verbs import FactKind, Visibility
from keepgate.service.connection import NoPeer
from keepgate.service.sidecar import Sidecar
from keepgate.store.memory import Transaction, Writer

VOCABULARY = 20_000
LINKS = 4
KINDS = tuple(FactKind)
SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
FOLDERS = ("people", "companies", "projects", "notes")


@define
class Corpus:
    """What a seed and a size give. Words are Zipf-distributed, as in real text."""

    pages: int
    facts: int
    seed: int = 1
    _words: list[str] = field(init=False)
    _weights: list[float] = field(init=False)

    def __attrs_post_init__(self) -> None:
        dice = random.Random(self.seed)
        self._words = ["".join(dice.choices(SYLLABLES, k=dice.randint(2, 4))) for _ in range(VOCABULARY)]
        total, self._weights = 0.0, []
        for rank in range(1, VOCABULARY + 1):
            total += 1 / rank
            self._weights.append(total)

    def slug(self, number: int) -> str:
        """The slug of a page."""
        return f"{FOLDERS[number % len(FOLDERS)]}/{self.name(number).lower().replace(' ', '-')}"

    def name(self, number: int) -> str:
        """The title of a page; each is its own."""
        first, second = self._words[number % 997], self._words[(number * 31 + 7) % 1999]
        return f"{first.title()} {second.title()} {number}"

    def alias(self, number: int) -> str:
        """The alias of a page; each is its own."""
        return f"the {self._words[(number * 17) % 4999]} of {number}"

    def rare_word(self, number: int) -> str:
        """A word that few pages have."""
        return self._words[2000 + number * 37 % 15_000]

    def sentence(self, dice: random.Random, length: int) -> str:
        """Words as they come."""
        chosen = dice.choices(self._words, cum_weights=self._weights, k=length)
        return " ".join(chosen).capitalize() + "."

    def page(self, number: int) -> str:
        """A page's file."""
        dice = random.Random(self.seed * 1_000_003 + number)
        others = [self.slug(dice.randrange(self.pages)) for _ in range(LINKS)]
        body = " ".join(self.sentence(dice, dice.randint(6, 18)) for _ in range(dice.randint(3, 8)))
        return (
            f"---\ntitle: {self.name(number)}\naliases: [{self.alias(number)}]\n"
            f"works_with: [[[{others[0]}]]]\ntags: [bench]\n---\n\n"
            f"{self.sentence(dice, 12)}\n\n{body} See [[{others[1]}]] and [[{others[2]}]].\n\n"
            f"## Timeline\n\n- 2026-1{number % 2}-{number % 27 + 1:02}: {self.sentence(dice, 6)}\n"
        )

    def drafts(self, home: str) -> Iterator[FactDraft]:
        """The facts, about pages in turn."""
        for number in range(self.facts):
            dice = random.Random(self.seed * 2_000_003 + number)
            yield FactDraft(
                home=home,
                entity=self.slug(number % self.pages),
                text=f"{self.sentence(dice, 10)} ({number})",
                kind=KINDS[number % len(KINDS)],
                visibility=Visibility.PRIVATE if number % 50 == 0 else Visibility.WORLD,
                provenance="benchmark",
                valid_until=None,
            )


@frozen
class Built:
    """Where a corpus stands."""

    home: Path
    project: Path
    corpus: Corpus
    seconds: dict[str, float]


def settings() -> Settings:
    """Writes by policy, as a user may configure it."""
    return Settings(write_policy=WritePolicy.AUTO)


async def open_at(home: Path, project: Path) -> tuple[Sidecar, Any]:
    """An open sidecar over a built corpus, and a local connection to it."""
    sidecar = await open_sidecar(settings(), find_places({**os.environ, "KEEPGATE_HOME": str(home)}))
    connection = sidecar.connect(
        peer=NoPeer(),
        channel="benchmark",
        client=ClientInfo(name="benchmark", version=None),
        folders=[str(project)],
        approver=None,
    )
    return sidecar, connection


def write_pages(corpus: Corpus, root: Path) -> None:
    """The page files, a thousand to a folder."""
    for number in range(corpus.pages):
        file = root / f"{corpus.slug(number)}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(corpus.page(number), encoding="utf-8")


def remember_all(txn: Transaction, drafts: Sequence[FactDraft], author: Author) -> None:
    """Store facts through the gate's steps, many in one transaction."""
    rules = Rules(settings=settings())
    for draft in drafts:
        wish = wishes.Wish(
            change=Remember(draft=draft, supersedes=None, world_only=False), author=author, asked_by={}
        )
        wishes.open_wish(
            txn, wish, rules, granted=lambda _: False, waiter="benchmark", awaited=lambda _: False
        )


async def build(folder: Path, corpus: Corpus) -> Built:
    """Write, index and remember a corpus; a folder that holds one is taken as it is."""
    home, project = folder / "home", folder / "project"
    built = Built(home, project, corpus, {})
    if (folder / "done").exists():
        return built
    project.mkdir(parents=True, exist_ok=True)
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('writePolicy = "auto"\n', encoding="utf-8")
    begun = time.perf_counter()
    write_pages(corpus, project / ".keepgate/pages")
    built.seconds["write"] = time.perf_counter() - begun
    sidecar, connection = await open_at(home, project)
    try:
        begun = time.perf_counter()
        await sidecar.call(connection, "pages/reindex", {})
        built.seconds["index"] = time.perf_counter() - begun
        begun = time.perf_counter()
        key = connection.workspaces[0].key
        author = Author(session_id="benchmark", agent_key="", workspace_key=key)
        drafts, writer = corpus.drafts(key), Writer(sidecar.store)
        while batch := list(islice(drafts, 500)):
            await writer.run(lambda txn, batch=batch: remember_all(txn, batch, author))
        built.seconds["remember"] = time.perf_counter() - begun
    finally:
        await sidecar.disconnect(connection)
        await sidecar.close()
    (folder / "done").touch()
    return built


def main() -> int:
    """Build a corpus and say how long it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--facts", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    facts = given.pages if given.facts is None else given.facts
    built = asyncio.run(build(given.folder, Corpus(given.pages, facts, given.seed)))
    told = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in built.seconds.items())
    print(told or "it is there already")
    return 0


if __name__ == "__main__":
    sys.exit(main())
