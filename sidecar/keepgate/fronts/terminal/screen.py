"""Where results are drawn: aligned plain text for programs, tables and bars for a person at a terminal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from attrs import frozen

from keepgate.core.model.text import make_visible, one_line
from keepgate.fronts.terminal.question import Line, painted

if TYPE_CHECKING:
    from rich.text import Text

BAR_WIDTH: Final = 20
NEARLY: Final = 0.8
_GAP: Final = "  "
_OFF: Final = ("", "0")


@frozen(kw_only=True)
class Look:
    """How to draw: ``boxes`` for a person, ``colour`` where the person wants it."""

    boxes: bool
    colour: bool


def look_for(environ: Mapping[str, str], *, is_terminal: bool, no_color: bool) -> Look:
    """Boxes on a terminal or with ``FORCE_COLOR``; colour unless ``--no-color`` or ``NO_COLOR`` says no."""
    forced = environ.get("FORCE_COLOR", "") not in _OFF
    boxes = forced or (is_terminal and environ.get("TERM") != "dumb")
    return Look(boxes=boxes, colour=boxes and not no_color and not environ.get("NO_COLOR"))


@frozen(kw_only=True)
class Column:
    """A column's title; ``right`` for numbers. The last column of a table takes the room that is left."""

    title: str
    right: bool = False


@frozen
class Share:
    """A cell that shows how much of a limit is used."""

    used: int
    limit: int

    @property
    def percent(self) -> str:
        """The share in whole per cent, rounded down so that only a full layer reads 100 %."""
        return f"{100 * self.used // self.limit} %"


Cell = str | Share


@frozen(kw_only=True)
class Screen:
    """One output stream. Every text that reaches it is made visible and drawn as it is, never as markup."""

    stream: TextIO
    look: Look

    def line(self, text: str = "") -> None:
        """One line; line breaks inside ``text`` are shown as signs."""
        self.stream.write(one_line(text) + "\n")

    def text(self, text: str) -> None:
        """A text with its line breaks."""
        self.stream.write(make_visible(text) + "\n")

    def quote(self, text: str) -> None:
        """A memory with its line breaks, each line set in, so that none of them looks like one of ours."""
        for line in text.split("\n"):
            self.line(f"  {line}")

    def lines(self, lines: Iterable[Line]) -> None:
        """Lines of a question, in its colours."""
        self.stream.write(painted(lines, colour=self.look.colour))

    def fields(self, rows: Iterable[tuple[str, str]]) -> None:
        """Names and values, one pair a line."""
        pairs = list(rows)
        width = max((len(name) for name, _ in pairs), default=0)
        for name, value in pairs:
            self.line(f"{name:<{width}}{_GAP}{value}")

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        """A table; nothing at all when it has no rows."""
        if not rows:
            return
        if self.look.boxes:
            self._boxed(columns, rows)
        else:
            self._aligned(columns, rows)

    def _aligned(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        lines = [[column.title for column in columns]]
        lines += [[_plain(cell) for cell in row] for row in rows]
        widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
        for line in lines:
            cells = [
                cell.rjust(width) if column.right else cell.ljust(width)
                for cell, column, width in zip(line, columns, widths, strict=True)
            ]
            self.stream.write(_GAP.join(cells).rstrip() + "\n")

    def _boxed(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
        from rich import box  # noqa: PLC0415 - rich costs a tenth of a second; only a person's terminal pays
        from rich.console import Console  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415

        console = Console(
            file=self.stream,
            force_terminal=True,
            color_system="auto" if self.look.colour else None,
            markup=False,
            emoji=False,
            highlight=False,
        )
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for column in columns:
            last = column is columns[-1]
            table.add_column(
                column.title, justify="right" if column.right else "left", no_wrap=not last, overflow="fold"
            )
        for row in rows:
            table.add_row(*(_drawn(cell, ascii_only=console.options.ascii_only) for cell in row))
        console.print(table)


def bar(share: Share, *, width: int, ascii_only: bool) -> str:
    """A bar of ``width`` characters; it is empty or full only when the layer is."""
    full, empty = ("#", "-") if ascii_only else ("█", "░")
    filled = min(width, width * share.used // share.limit)
    if share.used and not filled:
        filled = 1
    return full * filled + empty * (width - filled)


def _plain(cell: Cell) -> str:
    return cell.percent if isinstance(cell, Share) else one_line(cell)


def _drawn(cell: Cell, *, ascii_only: bool) -> "Text":
    from rich.text import Text  # noqa: PLC0415

    if isinstance(cell, Share):
        style = (
            "red" if cell.used >= cell.limit else "yellow" if cell.used >= NEARLY * cell.limit else "green"
        )
        return Text(f"{bar(cell, width=BAR_WIDTH, ascii_only=ascii_only)} {cell.percent:>5}", style=style)
    return Text(one_line(cell))
