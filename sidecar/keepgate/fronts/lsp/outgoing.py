"""Requests to the client that are still open, under ids of their own.

pygls keeps them in one table with the client's requests, where a client can cancel a prompt by its id and
a late answer raises. Here an answer reaches the request it names, once, or nothing.
"""

import itertools
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from functools import partial
from typing import Any

from keepgate.fronts.stdio.messages import ABSENT, MessageId, Response, is_id
from keepgate.service.connection import PeerError


class Outgoing:
    """What was asked and not answered. ``on_cancelled`` is called with the id of a request given up."""

    def __init__(self, on_cancelled: Callable[[MessageId], None]) -> None:
        self._on_cancelled = on_cancelled
        self._open: dict[MessageId, Future[Any]] = {}
        self._numbers = itertools.count(1)

    def open(self, number: MessageId | None = None) -> tuple[MessageId, Future[Any]]:
        """A new id, or this one, and the future of its result: decoded JSON, or a :class:`PeerError`."""
        # A word in front: clients that number their own requests from 1 sometimes mix both tables up.
        own = number if number is not None else f"keepgate-{next(self._numbers)}"
        future = self._open[own] = Future[Any]()
        future.add_done_callback(partial(self._done, own))
        return own, future

    def settle(self, response: Response) -> bool:
        """Hand an answer to the request it names, and say whether there is one.

        A late answer, or one to nothing, changes nothing.
        """
        future = self._open.get(response.id) if is_id(response.id) else None
        if future is None:
            return False
        if response.error is not None:
            _settle(future, _peer_error(response.error))
        else:
            _settle(future, None if response.result is ABSENT else response.result)
        return True

    def fail_all(self, reason: str) -> None:
        """Fail what is open with a :class:`PeerError`."""
        for future in tuple(self._open.values()):
            _settle(future, PeerError(reason))

    def _done(self, number: MessageId, future: Future[Any]) -> None:
        del self._open[number]
        if future.cancelled():
            self._on_cancelled(number)


def _peer_error(error: Any) -> PeerError:
    known = error if isinstance(error, dict) else {}
    number, message = known.get("code"), known.get("message")
    return PeerError(
        message if isinstance(message, str) else "the client answered with an error",
        number if type(number) is int else None,
    )


def _settle(future: Future[Any], outcome: Any) -> None:
    try:
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
    except InvalidStateError:
        # Given up a moment ago.
        return
