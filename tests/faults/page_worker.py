"""A process that writes pages and stops where it is told: ``page_worker.py HOME FOLDER STOP [CALL...]``.

STOP is ``before`` (the commit is made, the file is not), ``after`` (the file is there, which has not been
noted) or ``never``. Each CALL is a JSON pair of method and params. It says what it has done, line by line.
Whoever is asked says yes.
"""

import asyncio
import json
import sys
import time
from typing import Any

from keepgate.boot.compose import compose
from keepgate.boot.places import find_places
from keepgate.gate.approvers import ClientInfo
from keepgate.pages.disk import Disk
from keepgate.protocol.entries import SessionRef
from keepgate.protocol.errors import Fault
from keepgate.protocol.proposals import ApprovalAnswer, ApprovalRequestParams
from keepgate.protocol.settings import Settings, WritePolicy
from keepgate.service.connection import NoPeer


def say(word: Any) -> None:
    sys.stdout.write(json.dumps(word) + "\n")
    sys.stdout.flush()


class StoppingDisk(Disk):
    """The disk of the product, on which a write takes for ever, before it begins or when it is done."""

    stop = "never"

    def put(self, root: str, path: str, content: str, *, digest_before: str | None, home: str) -> bool:
        self._halt("before")
        done = super().put(root, path, content, digest_before=digest_before, home=home)
        self._halt("after")
        return done

    def remove(self, root: str, path: str, *, digest_before: str) -> bool:
        self._halt("before")
        done = super().remove(root, path, digest_before=digest_before)
        self._halt("after")
        return done

    def _halt(self, point: str) -> None:
        if point == self.stop:
            say("stopped")
            time.sleep(3600)


class Yes:
    """A person who allows everything, such as a purge, which no policy answers."""

    async def ask(self, question: ApprovalRequestParams) -> ApprovalAnswer:
        return ApprovalAnswer(outcome="allowed-once", hash=question.hash)


async def main(home: str, folder: str, stop: str, *calls: str) -> None:
    StoppingDisk.stop = stop
    settings = Settings(write_policy=WritePolicy.AUTO)
    sidecar = await compose(settings, find_places({"KEEPGATE_HOME": home}), disk=StoppingDisk)
    connection = sidecar.connect(
        peer=NoPeer(),
        channel="test",
        client=ClientInfo(name="worker"),
        folders=[folder],
        approver=Yes(),
        session=SessionRef(id="worker"),
    )
    for call in calls:
        method, params = json.loads(call)
        try:
            say(await sidecar.call(connection, method, params))
        except Fault as fault:
            say({"fault": str(fault.code), "details": fault.details})
    await sidecar.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
