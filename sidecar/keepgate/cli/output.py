"""Results: one JSON document for programs, text for people."""

import json
import os
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from attrs import frozen

from keepgate.cli.common import Globals
from keepgate.cli.streams import write_document

if TYPE_CHECKING:
    from keepgate.fronts.terminal.screen import Screen

T = TypeVar("T")


def as_json(document: Any) -> str:
    """A document as it stands on stdout: readable, its texts in their own script, a line end at the end.

    What would steer a terminal or turn the direction of what it shows is escaped, which is the same JSON.
    """
    written = json.dumps(document, ensure_ascii=False, indent=2)
    return _STEERING.sub(lambda found: json.dumps(found[0])[1:-1], written) + "\n"


_STEERING: Final = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


@frozen
class Output:
    """Where a command puts its result."""

    given: Globals

    @property
    def screen(self) -> "Screen":
        """Stdout for people."""
        from keepgate.fronts.terminal.screen import Screen, look_for  # noqa: PLC0415

        look = look_for(os.environ, is_terminal=sys.stdout.isatty(), no_color=self.given.no_color)
        return Screen(stream=sys.stdout, look=look)

    def result(self, document: Any, cls: type[T], render: "Callable[[Screen, T], None]") -> None:
        """Show an operation's result: in wire form with ``--json``, else drawn by ``render``."""
        from keepgate.protocol.wire import structure  # noqa: PLC0415

        if self.given.as_json:
            self.document(document)
        else:
            render(self.screen, structure(document, cls))

    def document(self, document: Any) -> None:
        """Print one JSON document."""
        write_document(sys.stdout, as_json(document))

    def text(self, text: str) -> None:
        """Print a text that is a file's content."""
        write_document(sys.stdout, text if text.endswith("\n") else text + "\n")
