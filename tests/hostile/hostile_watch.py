"""An attack from its first call to its last, with looks at what must hold in between."""

import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any, Final

from hostile_place import Place, State
from hostile_values import Dice
from hostile_wire import Wire

CALLS: Final = int(os.environ.get("KEEPGATE_HOSTILE", "100000"))
"""Calls over all tests of the folder that hold connections."""
SEED: Final = int(os.environ.get("KEEPGATE_HOSTILE_SEED", "1"))
"""Where the seeds of a run begin; a failure names its own."""
LOOKS: Final = 4
BATCH: Final = 32


def attack(
    wires: Sequence[Wire], calls: int, draw: Callable[[Wire], None], look: Callable[[], None], seed: int
) -> None:
    """Make so many calls, alternately over the connections, and look now and then.

    ``draw`` sends a batch of messages over one of them. Raises ``AssertionError`` that names the seed.
    """
    turns = itertools.cycle(wires)
    try:
        for part in range(1, LOOKS + 1):
            while sum(wire.calls for wire in wires) < calls * part / LOOKS:
                draw(next(turns))
                for wire in wires:
                    assert not wire.faults, wire.faults[:3]
            for wire in wires:
                wire.drain()
            look()
    except (AssertionError, OSError) as error:
        raise AssertionError(f"seed {seed}, after {[wire.calls for wire in wires]} calls: {error}") from error


def finish(wires: Sequence[Wire], seed: int) -> None:
    """End the connections; nothing that they wrote may tell of what must not be."""
    for wire in wires:
        wire.end()
    faults = [fault for wire in wires for fault in wire.faults]
    assert not faults, (f"seed {seed}", faults[:3])


def unchanged(place: Place, before: State) -> None:
    """No memory, fact, page or leave came or went, and nothing was allowed."""
    now = place.state()
    assert now.allowed == before.allowed, set(now.allowed) - set(before.allowed)
    assert now.grants <= before.grants
    assert (now.canonical, now.files) == (before.canonical, before.files)


def by_policy(place: Place, before: State, theirs: State) -> None:
    """What changed was allowed by the policy, each row says so, and nothing of the other workspace did."""
    now = place.state()
    assert now.allowed[: len(before.allowed)] == before.allowed
    for _, action, outcome in now.allowed[len(before.allowed) :]:
        of_facts = action.removeprefix("undo-") in ("remember", "supersede", "forget")
        assert (outcome, of_facts) == (POLICY, True), (action, outcome)
    assert now.grants <= before.grants
    others = place.state(of=place.other_key)
    assert (others.canonical, others.files) == (theirs.canonical, theirs.files)


POLICY: Final = "allowed-once (via policy, writePolicy auto)"


def numbered(dice: Dice) -> Callable[[], Any]:
    """Ids of requests: numbers and strings in turn, none twice."""
    counter = itertools.count(1)

    def following() -> Any:
        number = next(counter)
        return number if dice.chance(0.7) else f"n-{number}"

    return following
