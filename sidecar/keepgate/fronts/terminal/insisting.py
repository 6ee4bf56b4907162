"""The person at the terminal insists on storing what looks like a secret, by typing a word."""

from collections.abc import Sequence
from typing import Final

from keepgate.fronts.terminal.prompt import interruptible, typed
from keepgate.fronts.terminal.question import Line, Tone, painted
from keepgate.fronts.terminal.tty import Interrupted, Terminal
from keepgate.gate.approvers import NobodyThere
from keepgate.protocol.errors import SecretHit

WORD: Final = "store-the-secret"
ASKING: Final = f"Type {WORD} to go on; anything else = no: "


async def insist(terminal: Terminal, hits: Sequence[SecretHit]) -> bool:
    """Say where secrets were found and of what kind, and whether the person typed the word, to the letter.

    A yes leads to the question about the whole change. Ctrl-C and a terminal that has gone are a no.
    """
    lines = [
        Line("keepgate: this looks like a secret.", Tone.TITLE),
        *(Line(f"  {hit.path.removeprefix('$.')}, offset {hit.offset}: {hit.kind}") for hit in hits),
        Line(
            "Every agent that reads this memory would be shown it, and backups would keep it.", Tone.WARNING
        ),
    ]
    try:
        terminal.write(f"\n{painted(lines, colour=terminal.colour)}\n")
        return await interruptible(typed(terminal, ASKING)) == WORD
    except (Interrupted, NobodyThere):
        return False
