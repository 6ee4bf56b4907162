"""Moments as the verbs take and show them: epoch milliseconds inside, ISO 8601 at the edge (VERBS-recall)."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from attrs import frozen

LATEST_MS: Final = 253_402_300_799_999
"""The end of the year 9999; what is later cannot be written as ISO 8601."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_SHOWN: Final = _EPOCH.replace(tzinfo=None)
_MS: Final = timedelta(milliseconds=1)
_SECOND, _MINUTE, _HOUR, _DAY, _WEEK = 1_000, 60_000, 3_600_000, 86_400_000, 604_800_000
_UNITS: Final = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), _SECOND),
    **dict.fromkeys(("m", "min", "minute", "minutes"), _MINUTE),
    **dict.fromkeys(("h", "hr", "hour", "hours"), _HOUR),
    **dict.fromkeys(("d", "day", "days"), _DAY),
}
_SINCE_UNITS: Final = {**_UNITS, **dict.fromkeys(("w", "week", "weeks"), _WEEK)}
_AMOUNT: Final = re.compile(r"([0-9]{1,18})\s*([a-z]+)", re.IGNORECASE | re.ASCII)
_MONTH: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_AGO: Final = re.compile(r"\s+ago$", re.IGNORECASE)
_INSTANT: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}:?[0-9]{2})?)?",
    re.ASCII,
)
_DURATION: Final = re.compile(
    r"P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?",
    re.IGNORECASE | re.ASCII,
)
# In the shorthand: months and years have no fixed length, 30 and 365 days are what is meant.
_SHORTHAND: Final = ((365, "d"), (30, "d"), (7, "d"), (1, "d"), (1, "h"), (1, "m"), (1, "s"))

SINCE_ADVICE: Final = "Use ISO 8601, such as 2026-11-30 or 2026-11-30T12:00:00Z, or `8 hours ago`."
TTL_ADVICE: Final = (
    "Use a duration such as 30d, 12h or 45m, or an ISO 8601 instant such as 2027-01-31T12:00:00Z."
)


class BadMoment(ValueError):
    """A text names no moment. ``suggestion`` says what to write instead."""

    def __init__(self, message: str, suggestion: str) -> None:
        super().__init__(message)
        self.suggestion = suggestion


def iso(moment_ms: int) -> str:
    """A moment as ISO 8601 with milliseconds and ``Z``."""
    return f"{(_EPOCH_SHOWN + timedelta(milliseconds=moment_ms)).isoformat(timespec='milliseconds')}Z"


def iso_or_none(moment_ms: int | None) -> str | None:
    """The same, where there may be none."""
    return None if moment_ms is None else iso(moment_ms)


def parse_since(text: str, now_ms: int) -> int:
    """The moment that ``since`` names: an ISO day (its UTC midnight) or instant, or ``N unit [ago]``.

    An instant without an offset is UTC. Raises :class:`BadMoment`.
    """
    asked = text.strip()
    ago = _AMOUNT.fullmatch(_AGO.sub("", asked))
    if ago and (unit_ms := _SINCE_UNITS.get(ago[2].lower())):
        # Longer ago than anything can be is all there is.
        return max(now_ms - int(ago[1]) * unit_ms, 0)
    moment_ms = _instant(asked)
    if moment_ms is None:
        raise BadMoment("since names no moment", SINCE_ADVICE)
    return moment_ms


def parse_ttl(text: str, now_ms: int) -> int | None:
    """When something with this ttl expires; ``None`` for never, which a blank text means.

    Takes ``30d``, ``12h``, ``45m``, ``90s`` and their long forms, and ISO days and instants, also past ones.
    Raises :class:`BadMoment`; for an ISO duration its suggestion is the shorthand of it.
    """
    asked = text.strip()
    if not asked:
        return None
    amount = _AMOUNT.fullmatch(asked)
    moment_ms: int | None
    if amount and (unit_ms := _UNITS.get(amount[2].lower())):
        moment_ms = now_ms + int(amount[1]) * unit_ms
    elif len(asked) > 1 and (duration := _DURATION.fullmatch(asked)):
        raise BadMoment("ttl takes no ISO 8601 durations", f"Use {_shorthand(duration)} instead.")
    else:
        moment_ms = _instant(asked)
    if moment_ms is None:
        raise BadMoment("ttl names no duration and no moment", TTL_ADVICE)
    if moment_ms > LATEST_MS:
        raise BadMoment("ttl ends after the year 9999", "Leave ttl out for a fact that never expires.")
    return moment_ms


def _instant(text: str) -> int | None:
    if not _INSTANT.fullmatch(text):
        return None
    try:
        moment = datetime.fromisoformat(text.upper())
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        # In UTC: an offset can lead out of the years that can be written.
        return (aware.astimezone(UTC) - _EPOCH) // _MS
    except (ValueError, OverflowError):
        # A day that the calendar does not have.
        return None


def _shorthand(duration: re.Match[str]) -> str:
    named = zip(duration.groups(), _SHORTHAND, strict=True)
    parts = [(int(found) * factor, unit) for found, (factor, unit) in named if found]
    if not parts:
        return "30d"
    # The shorthand has one unit: the smallest that is named.
    sizes = {"d": _DAY, "h": _HOUR, "m": _MINUTE, "s": _SECOND}
    unit = parts[-1][1]
    total_ms = sum(amount * sizes[name] for amount, name in parts)
    return f"{total_ms // sizes[unit]}{unit}"


@frozen
class Window:
    """A span of time; ``None`` is an open end. ``until_ms`` still belongs to it."""

    since_ms: int | None
    until_ms: int | None

    def holds(self, moment_ms: int) -> bool:
        """Whether a moment lies in it."""
        late_enough = self.since_ms is None or moment_ms >= self.since_ms
        return late_enough and (self.until_ms is None or moment_ms <= self.until_ms)


def parse_window(since: str | None, until: str | None, now_ms: int) -> Window:
    """The span between two moments as :func:`parse_since` takes them, or months such as ``2026-11``.

    A day or month as its end counts to its last millisecond. Raises :class:`BadMoment`, also for an end
    before the beginning.
    """
    since_ms = None if since is None else _edge(since, now_ms, last=False)
    until_ms = None if until is None else _edge(until, now_ms, last=True)
    if since_ms is not None and until_ms is not None and until_ms < since_ms:
        raise BadMoment("until lies before since", "Give the earlier moment as since.")
    return Window(since_ms, until_ms)


def _edge(text: str, now_ms: int, *, last: bool) -> int:
    asked = text.strip()
    if month := _MONTH.fullmatch(asked):
        year, number = int(month[1]), int(month[2])
        following = (year + 1, 1) if number == 12 else (year, number + 1)
        first_ms = parse_since(f"{year:04}-{number:02}-01", now_ms)
        if not last:
            return first_ms
        if following[0] > 9999:
            return LATEST_MS
        return parse_since("{:04}-{:02}-01".format(*following), now_ms) - 1
    moment_ms = parse_since(asked, now_ms)
    return moment_ms + _DAY - 1 if last and _DATE.fullmatch(asked) else moment_ms
