"""Where a session's pages lie: its workspace's roots and the user's own, and the file that a slug names."""

from attrs import frozen

from keepgate.core.model.page_path import path_of
from keepgate.core.model.viewer import Author
from keepgate.pages.roots import Root
from keepgate.protocol.errors import Problem, invalid_input, page_not_found
from keepgate.protocol.verbs import Visibility
from keepgate.service.context import ReadCtx
from keepgate.service.pages.homes import homes_of
from keepgate.service.threads import in_thread
from keepgate.store.page_writes import page_alike, path_in
from keepgate.store.quarantine import holds_page

USER_HOME = "user"


@frozen
class Found:
    """The place of a page's file, whether it is there already or not."""

    root: Root
    slug: str
    path: str
    is_there: bool


async def roots_of(ctx: ReadCtx, home: str) -> list[Root]:
    """The roots of a workspace, as settings and its project's file name them; of ``""`` the user's own.

    Raises ``INVALID_INPUT`` for a project's file that cannot be used.
    """
    ctx.rules_for([home] if home else [])
    homes = await in_thread(homes_of, [ctx.connection], ctx.rules_for, ctx.data_folder)
    return [root for found in homes if found.key == home for root in found.roots]


async def find(ctx: ReadCtx, author: Author, slug: str) -> Found:
    """The file that a slug names: in the session's workspace, else user-global, else where a new one goes.

    Raises ``PAGE_NOT_FOUND`` for a private page and a remote caller, and ``INVALID_INPUT`` for a file that is
    none or in quarantine, for the slug of another page but for capitals, and where a new page has no place.
    """
    for home in dict.fromkeys((author.workspace_key, "")):
        await _refuse_alike(ctx, home, slug)
        for root in await roots_of(ctx, home):
            path = await ctx.store.reading.run(path_in, root.home, root.folder, slug) or path_of(slug)
            text = await in_thread(ctx.page_files.page_text, root.folder, path)
            if text is None:
                continue
            if ctx.connection.remote and ctx.page_files.page_visibility(text) is Visibility.PRIVATE:
                raise page_not_found(slug)
            if await ctx.store.reading.run(holds_page, root.home, slug):
                raise invalid_input(
                    Problem("$.slug", f"page {slug} is in quarantine; a person can release it")
                )
            return Found(root, slug, path, is_there=True)
    usual = await roots_of(ctx, "" if ctx.settings.facts.home == USER_HOME else author.workspace_key)
    if not usual:
        raise invalid_input(Problem("$.slug", "this workspace has no folder of pages inside it"))
    return Found(usual[0], slug, path_of(slug), is_there=False)


async def _refuse_alike(ctx: ReadCtx, home: str, slug: str) -> None:
    """Of two such files one would be no page, and on many systems both are the same file."""
    found = await ctx.store.reading.run(page_alike, home, slug)
    if found is None:
        return
    other, visibility = found
    if ctx.connection.remote and visibility is Visibility.PRIVATE:
        raise page_not_found(slug)
    raise invalid_input(Problem("$.slug", f"is the slug of page {other} but for capitals; give that one"))
