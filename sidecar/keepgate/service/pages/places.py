"""Where a session's pages lie: its workspace's roots and the user's own, and the file that a slug names."""

from attrs import frozen

from keepgate.core.model.page_path import path_of
from keepgate.core.model.viewer import Author
from keepgate.pages import files
from keepgate.pages.files import Content
from keepgate.pages.folders import UnusableError
from keepgate.pages.parse import visibility_in
from keepgate.pages.roots import Root
from keepgate.protocol.errors import Problem, invalid_input, page_not_found
from keepgate.protocol.verbs import Visibility
from keepgate.service.context import ReadCtx
from keepgate.service.pages.homes import homes_of
from keepgate.service.threads import in_thread
from keepgate.store.page_writes import path_in

USER_HOME = "user"


@frozen
class Found:
    """A page's file and what is in it now; ``content`` is ``None`` where there is no such file yet."""

    root: Root
    slug: str
    path: str
    content: Content | None


def roots_of(ctx: ReadCtx, home: str) -> list[Root]:
    """The roots of a workspace, as settings and its project's file name them; of ``""`` the user's own.

    Raises ``INVALID_INPUT`` for a project's file that cannot be used.
    """
    ctx.rules_for([home] if home else [])
    homes = homes_of([ctx.connection], ctx.rules_for, ctx.data_folder)
    return [root for found in homes if found.key == home for root in found.roots]


async def find(ctx: ReadCtx, author: Author, slug: str) -> Found:
    """The file that a slug names: in the session's workspace, else user-global, else where a new one goes.

    Raises ``PAGE_NOT_FOUND`` for a private page and a remote caller, and ``INVALID_INPUT`` for a file that is
    none, and where there is no place for a new page.
    """
    own = roots_of(ctx, author.workspace_key) if author.workspace_key else []
    for root in (*own, *roots_of(ctx, "")):
        path = await ctx.store.reading.run(path_in, root.home, root.folder, slug) or path_of(slug)
        content = await in_thread(_read, root.folder, path)
        if content is not None:
            if ctx.connection.remote and visibility_in(content.data) is Visibility.PRIVATE:
                raise page_not_found(slug)
            return Found(root, slug, path, content)
    usual = own if ctx.settings.facts.home != USER_HOME and author.workspace_key else roots_of(ctx, "")
    if not usual:
        raise invalid_input(Problem("$.slug", "this workspace has no folder of pages inside it"))
    return Found(usual[0], slug, path_of(slug), None)


def _read(root: str, path: str) -> Content | None:
    try:
        return files.read(root, path)
    except UnusableError as error:
        raise invalid_input(Problem("$.slug", f"the file {path} {error}")) from None
    except OSError as error:
        raise invalid_input(Problem("$.slug", f"the file {path} cannot be read: {error.strerror}")) from None
