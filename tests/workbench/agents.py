"""What agents of the house do beside remembering facts."""

from collections.abc import Callable, Iterable
from typing import Any

from keepgate.protocol.proposals import ProposalStatus


def memory(agent: Any, action: str, text: str, **arguments: Any) -> Any:
    """Begin a call of the tool ``memory`` about the agent's memory of the workspace."""
    place = {"action": action, "track": "agent", "scope": "workspace", "text": text}
    return agent.connection.begin("tools/call", {"name": "memory", "arguments": {**place, **arguments}})


async def remembered(house: Any, wishes: Callable[[Any], Iterable[Any]]) -> None:
    """Have an agent's wishes allowed in another editor, which is gone afterwards."""
    editor = await house.editor("other", lambda _: "Allow once")
    agent = await house.agent()
    for call in wishes(agent):
        await agent.answer(call)
    agent.kill()
    editor.kill()


async def rows(house: Any, *actions: str) -> list[Any]:
    """The ledger's rows of these actions, oldest first; the ledger proves the store."""
    person = await house.person()
    assert (await person.verify()).ok
    found = (await person.audit(limit=500)).rows
    return [row for row in reversed(found) if row.action in actions]


async def pending(house: Any) -> list[str]:
    """The facts of the wishes that wait."""
    person = await house.person()
    wishes = (await person.proposals_list(status=ProposalStatus.PENDING)).proposals
    return [wish.text.splitlines()[0].removeprefix("fact: ") for wish in wishes]
