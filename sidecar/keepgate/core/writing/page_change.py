"""Changes of page files. Class and field names are stored with proposals: renaming one needs a migration."""

from attrs import frozen


@frozen(kw_only=True)
class PutPage:
    """Write one page file: ``path`` below the folder ``root``, with the whole of its text.

    ``world_only`` says that the writer does not see private pages, and so touches none.
    """

    home: str
    root: str
    slug: str
    path: str
    content: str
    world_only: bool


@frozen(kw_only=True)
class AddLink:
    """Put ``[[to]]`` into the front-matter list that the ``relation`` names."""

    relation: str
    to: str


@frozen(kw_only=True)
class AddDate:
    """Put a dated line into the timeline."""

    date: str
    text: str


@frozen(kw_only=True)
class AddNote:
    """Put a dated note at the end of a page, which is made with ``title`` where there is none."""

    day: str
    clock: str
    text: str
    title: str


PageEdit = AddLink | AddDate | AddNote


@frozen(kw_only=True)
class EditPage:
    """Make one small edit of a page file, whatever else is in it by then."""

    home: str
    root: str
    slug: str
    path: str
    edit: PageEdit
    world_only: bool


@frozen(kw_only=True)
class RemovePage:
    """Delete one page file."""

    home: str
    root: str
    slug: str
    path: str
    world_only: bool


@frozen(kw_only=True)
class TrustRoot:
    """Have hooks and snapshots carry the pages of a folder that came with a repository."""

    home: str
    root: str


PageChange = PutPage | EditPage | RemovePage | TrustRoot
