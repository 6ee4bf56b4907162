"""``memory/history`` and ``memory/why``: what became of an entry, a fact or a page, and who was behind it."""

from typing import Final

from attrs import evolve

from keepgate.core.model.digest import digest_of
from keepgate.core.model.text import excerpt, units
from keepgate.protocol import entries as e
from keepgate.protocol.errors import Fault, entry_not_found
from keepgate.service.context import ReadCtx
from keepgate.service.reading import fact_state
from keepgate.service.threads import in_thread
from keepgate.store import reads
from keepgate.store.connection import Connection
from keepgate.store.quarantine import holds_page
from keepgate.store.reads.histories import Subject, WrittenPage

TEXTS_UNITS_MAX: Final = 400_000
"""Of a page's texts so many units are shown whole, from the newest on."""
CUT_UNITS: Final = 300


async def history(ctx: ReadCtx, params: e.HistoryParams) -> e.HistoryResult:
    """Every state of what is or was in sight, oldest first; also after it was removed."""
    viewer = ctx.viewer(ctx.author(params.session), all_workspaces=params.all_workspaces)

    def look(db: Connection) -> tuple[Subject | None, list[e.Version]]:
        subject = reads.subject_seen(db, viewer, params.id)
        return subject, reads.history(db, subject) if subject else []

    subject, versions = await ctx.store.reading.run(look)
    if subject is None or not versions:
        raise entry_not_found(track="", scope="", match=params.id)
    return e.HistoryResult(versions=versions if subject.slug is None else _that_fit(versions))


def _that_fit(versions: list[e.Version]) -> list[e.Version]:
    """A page may be long and have many versions: the older texts are cut."""
    kept: list[e.Version] = []
    room = TEXTS_UNITS_MAX
    for version in reversed(versions):
        size = units(version.text or "")
        is_whole = size <= room or not kept
        room -= size if is_whole else CUT_UNITS
        kept.append(version if is_whole else _cut(version))
    return kept[::-1]


def _cut(version: e.Version) -> e.Version:
    text = version.text or ""
    return evolve(version, text=excerpt(text, CUT_UNITS), cut=True) if units(text) > CUT_UNITS else version


async def why(ctx: ReadCtx, params: e.WhyParams) -> e.WhyResult:
    """The chain from an entry, a fact or a page to the approvals, sessions and clients behind it."""
    viewer = ctx.viewer(ctx.author(params.session), all_workspaces=params.all_workspaces)

    def look(db: Connection) -> tuple[e.WhyResult, Subject | None, WrittenPage | None, bool]:
        subject = reads.subject_seen(db, viewer, params.id)
        chain = reads.why(db, subject) if subject else []
        fact = reads.visible_fact(db, viewer, params.id)
        known = None if fact is None else fact_state(fact, ctx.stamp().now_ms)
        result = e.WhyResult(entry=reads.visible_entry(db, viewer, params.id), chain=chain, fact=known)
        if subject is None or subject.slug is None:
            return result, None, None, False
        home, slug = subject.home or "", subject.slug
        return result, subject, reads.written_page(db, home, slug), holds_page(db, home, slug)

    result, page, written, is_held = await ctx.store.reading.run(look)
    if not result.chain:
        raise entry_not_found(track="", scope="", match=params.id)
    if page is None or page.slug is None or written is None:
        return result
    state = e.PageState(
        slug=page.slug,
        workspace_key=page.home or "",
        path=f"{written.root}/{written.path}",
        on_disk=await _on_disk(ctx, written),
        quarantined=is_held,
    )
    return evolve(result, page=state)


async def _on_disk(ctx: ReadCtx, written: WrittenPage) -> str:
    try:
        text = await in_thread(ctx.page_files.page_text, written.root, written.path)
    except Fault:
        return "unreadable"
    if text is None:
        return "gone"
    return "as-written" if digest_of(text) == written.digest else "changed"
