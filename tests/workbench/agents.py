"""What agents of the house do beside remembering facts."""

from typing import Any

from keepgate.protocol.proposals import ProposalStatus


def memory(agent: Any, action: str, text: str, **arguments: Any) -> Any:
    """Begin a call of the tool ``memory`` about the agent's memory of the workspace."""
    place = {"action": action, "track": "agent", "scope": "workspace", "text": text}
    return agent.connection.begin("tools/call", {"name": "memory", "arguments": {**place, **arguments}})


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
