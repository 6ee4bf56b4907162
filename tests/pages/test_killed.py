"""A process that is killed while it indexes leaves an index that the next one goes on with."""

import random
import subprocess
import sys
import time
from typing import Any

_INDEXER = """
import asyncio, os, sys, time, uuid
from keepgate.core.model.stamp import Stamp
from keepgate.pages.indexing import Indexing
from keepgate.pages.roots import Root
from keepgate.store.open import open_store

def stamp():
    return Stamp(now_ms=time.time_ns() // 1_000_000, new_id=lambda: str(uuid.uuid4()),
                 new_salt=lambda: os.urandom(16).hex())

async def main(path, state, home, folder):
    store = await open_store(path, state_folder=state, stamp_maker=stamp)
    indexing = Indexing(store, stamp)
    print("begun", flush=True)
    while True:
        await indexing.bring_up(Root(home, folder), every=True)

asyncio.run(main(*sys.argv[1:]))
"""

ORPHANS = """
SELECT count(*) FROM (
  SELECT page FROM page_chunks UNION ALL SELECT page FROM page_links UNION ALL
  SELECT page FROM page_aliases UNION ALL SELECT page FROM page_timeline
) WHERE page NOT IN (SELECT row FROM pages)
"""
UNSEARCHED = """
SELECT (SELECT count(*) FROM page_chunks) - (SELECT count(*) FROM page_search_docsize)
"""


async def test_kills_leave_no_half_page(corner: Any) -> None:
    """Each page is in the index as a whole or not at all, and everything is in the end."""
    text = "---\naliases: [x{0}]\n---\n# T{0}\n\nSee [[n0]].\n\n## Timeline\n- 2026-01-01: t\n"
    for at in range(300):
        corner.write(f"n{at}.md", text.format(at))
    for kill in range(4):
        process = subprocess.Popen(  # noqa: ASYNC220 - it is killed like any process
            [sys.executable, "-c", _INDEXER, corner.store.path, str(corner.state), *_root(corner)],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        corner.write(f"n{kill}.md", text.format(1_000 + kill))
        time.sleep(random.uniform(0.02, 0.6))  # noqa: ASYNC251 - a random moment, nothing is waited for
        process.kill()
        process.wait()
        process.stdout.close()
        assert (0, 0) == (await _count(corner, ORPHANS), await _count(corner, UNSEARCHED))

    await corner.indexing.bring_up(corner.root)

    pages = await corner.pages()
    assert {f"n{at}" for at in range(300)} == set(pages)
    assert [f"T{1_000 + at}" for at in range(4)] == [pages[f"n{at}"].title for at in range(4)]
    assert 300 == len({page.changed_at for page in pages.values()})
    assert (0, 0) == (await _count(corner, ORPHANS), await _count(corner, UNSEARCHED))


def _root(corner: Any) -> tuple[str, str]:
    return corner.root.home, corner.root.folder


async def _count(corner: Any, query: str) -> int:
    count: int = await corner.store.reading.run(lambda db: db.execute(query).get)
    return count
