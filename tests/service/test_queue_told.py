"""``approval/queued``: the queue behind an open question as it grows and shrinks."""

import asyncio
import contextlib
from typing import Any


async def test_an_open_question_is_told_of_its_queue(house: Any, people: Any) -> None:
    """Of what joins it and of what leaves it; of nothing where the client puts no structured questions."""
    client = house.client(person=people(always="waits"))
    house.sidecar.make_reachable(client.connection, acknowledges=True)
    plain = house.client("s2", person=people(always="waits"))
    calls = [asyncio.create_task(each.add("one")) for each in (client, plain)]
    for each in (client, plain):
        await each.person.asked.wait()
    calls += [asyncio.create_task(each.add("two")) for each in (client, plain)]

    (grown,) = await client.hears("approval/queued")
    calls[2].cancel()
    shrunk = (await client.hears("approval/queued", 2))[1]

    assert (["two"], []) == ([each.text for each in grown.waiting], shrunk.waiting)
    assert client.person.questions[0].id == grown.id == shrunk.id
    assert [] == plain.told("approval/queued")
    for call in calls:
        call.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await call
