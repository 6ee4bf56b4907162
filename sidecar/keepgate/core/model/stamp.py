"""Time and ids, handed in so that the core stays pure."""

from collections.abc import Callable

from attrs import frozen


@frozen(kw_only=True)
class Stamp:
    """One moment: ``now_ms`` in epoch milliseconds, and makers of UUID v4 ids and of ledger salts (hex)."""

    now_ms: int
    new_id: Callable[[], str]
    new_salt: Callable[[], str]
