"""What an operation owes once its reply has been written out, such as moving a cursor past what it delivered.

A handler names it with ``ctx.after_reply(work)``; the front that writes the reply says how that went.
"""

from collections.abc import Awaitable, Callable

from keepgate.service.background import errand

Work = Callable[[], Awaitable[None]]


class AfterReply:
    """The debts of one reply, made by a front and handed to ``Sidecar.call``.

    The front calls :meth:`written` once the reply's bytes are flushed, or :meth:`lost` where they cannot be
    written any more; whichever comes first counts. A front that calls neither has lost the reply.
    """

    def __init__(self) -> None:
        self._works: list[Work] = []
        self._given_up: list[Callable[[], None]] = []

    def __call__(self, work: Work, *, lost: Callable[[], None] | None = None) -> None:
        """Owe ``work``; ``lost`` is called instead when the reply was not written."""
        self._works.append(work)
        if lost is not None:
            self._given_up.append(lost)

    @property
    def is_owed(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._works)

    async def written(self) -> None:
        """Do what is owed, in order; a failure is logged and holds up nothing."""
        works, self._works, self._given_up = self._works, [], []
        for work in works:
            await errand(work)

    def lost(self) -> None:
        """Owe nothing any more: the reply reached nobody."""
        given_up, self._works, self._given_up = self._given_up, [], []
        for tell in given_up:
            tell()
