"""Moments as people and programs write them."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgate.core.model.times import (
    LATEST_MS,
    BadMoment,
    Window,
    iso,
    iso_or_none,
    parse_since,
    parse_ttl,
    parse_window,
)

NOW = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp() * 1000)
HOUR = 3_600_000
DAY = 24 * HOUR


def ms(text: str) -> int:
    """Epoch milliseconds of an ISO instant."""
    return int(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-30", ms("2026-11-30T00:00:00+00:00")),
        ("2026-11-30T10:00:00Z", NOW - 2 * HOUR),
        ("2026-11-30T10:00:00.250Z", NOW - 2 * HOUR + 250),
        ("2026-11-30T12:00:00+02:00", NOW - 2 * HOUR),
        ("2026-11-30t10:00z", NOW - 2 * HOUR),
        (" 2026-11-30 10:00:00 ", NOW - 2 * HOUR),
        ("8 hours ago", NOW - 8 * HOUR),
        ("8 HOURS", NOW - 8 * HOUR),
        ("1 week ago", NOW - 7 * DAY),
        ("2w", NOW - 14 * DAY),
        ("3d", NOW - 3 * DAY),
        ("45 min ago", NOW - 45 * 60_000),
        ("30 seconds", NOW - 30_000),
        ("0d", NOW),
        ("99999999999d", 0),
    ],
)
def test_since(text: str, moment: int) -> None:
    """VERBS-recall: ISO 8601 days and instants, and the documented phrases, everywhere."""
    assert moment == parse_since(text, NOW)


@pytest.mark.parametrize(
    "text",
    ["yesterday", "2026-02-30", "2026-13-01", "20261130", "1796040000", "-3d", "1.5h", "Nov 30 2026",
     "2026-11-30T25:00Z", "٣d", "9" * 5000 + "d", "2026-11-30T10:00:00+99:00", "", "ago", "\x00",
     "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"],
)  # fmt: skip
def test_what_is_no_moment_is_refused(text: str) -> None:
    """With the right forms in the suggestion."""
    with pytest.raises(BadMoment) as caught:
        parse_since(text, NOW)

    assert "ISO 8601" in caught.value.suggestion


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("30d", NOW + 30 * DAY),
        ("12h", NOW + 12 * HOUR),
        ("45m", NOW + 45 * 60_000),
        ("90 Seconds", NOW + 90_000),
        ("0d", NOW),
        ("2027-01-31T12:00:00Z", ms("2027-01-31T12:00:00+00:00")),
        ("2020-01-01", ms("2020-01-01T00:00:00+00:00")),
        ("9999-12-31T23:59:59.999Z", LATEST_MS),
        ("", None),
        ("  ", None),
    ],
)
def test_ttl(text: str, moment: int | None) -> None:
    """VERBS-remember: shorthand and instants, past ones too; blank is never."""
    assert moment == parse_ttl(text, NOW)


@pytest.mark.parametrize(
    ("text", "shorthand"),
    [
        ("P30D", "30d"),
        ("pt12h", "12h"),
        ("PT45M", "45m"),
        ("P2W", "14d"),
        ("P1DT12H", "36h"),
        ("P1Y", "365d"),
        ("P1M", "30d"),
        ("PT", "30d"),
    ],
)
def test_iso_durations_are_refused_with_their_correction(text: str, shorthand: str) -> None:
    """VERBS-remember: `P30D` is answered with `30d`."""
    with pytest.raises(BadMoment) as caught:
        parse_ttl(text, NOW)

    assert shorthand in caught.value.suggestion
    assert isinstance(parse_ttl(shorthand, NOW), int)


@pytest.mark.parametrize(
    "text",
    ["99999999999d", "1w", "-3d", "+3d", "1.5h", "never", "1", "2030", "P", "10000-01-01", "P" + "9" * 5000],
)
def test_other_ttls_are_refused(text: str) -> None:
    """Also what ends after the year 9999, which cannot be shown."""
    with pytest.raises(BadMoment):
        parse_ttl(text, NOW)


@given(st.integers(-62_135_596_800_000, LATEST_MS))
def test_what_is_shown_can_be_read(moment: int) -> None:
    """Milliseconds and Z, and the same moment again."""
    assert moment == parse_since(iso(moment), NOW)
    assert iso(moment).endswith("Z")
    assert len(iso(moment)) == len("2026-11-30T12:00:00.000Z")


@given(st.text(max_size=30))
def test_any_text_is_a_moment_or_refused(text: str) -> None:
    """Nothing else is raised, whatever comes in."""
    for parse in (parse_since, parse_ttl):
        moment: int | None = None
        with suppress(BadMoment):
            moment = parse(text, NOW)

        assert moment is None or moment <= LATEST_MS


def test_no_moment_is_null() -> None:
    """What never happened."""
    assert (None, "1970-01-01T00:00:00.000Z") == (iso_or_none(None), iso_or_none(0))


@pytest.mark.parametrize(
    ("since", "until", "first", "last"),
    [
        (None, None, None, None),
        ("2026-11", "2026-11", ms("2026-11-01T00:00:00+00:00"), ms("2026-12-01T00:00:00+00:00") - 1),
        ("2026-12", "2026-12", ms("2026-12-01T00:00:00+00:00"), ms("2027-01-01T00:00:00+00:00") - 1),
        (None, "9999-12", None, LATEST_MS),
        (" 2026-11-30 ", "2026-11-30", ms("2026-11-30T00:00:00+00:00"), ms("2026-12-01T00:00:00+00:00") - 1),
        ("2d", "2026-11-30T10:00:00Z", NOW - 2 * DAY, NOW - 2 * HOUR),
        ("0d", "0d", NOW, NOW),
    ],
)
def test_a_window(since: str | None, until: str | None, first: int | None, last: int | None) -> None:
    """Whole days and months count from their first millisecond to their last; instants as they are."""
    assert Window(first, last) == parse_window(since, until, NOW)


@pytest.mark.parametrize(("since", "until"), [("2026-11", "2026-10"), ("1d", "2d"), ("2026-13", None)])
def test_a_window_that_is_none(since: str, until: str | None) -> None:
    """Its end lies before its beginning, or there is no such month."""
    with pytest.raises(BadMoment):
        parse_window(since, until, NOW)


def test_both_ends_belong_to_a_window() -> None:
    """An open end holds everything on its side."""
    window = Window(1, 3)

    assert [False, True, True, False] == [window.holds(moment) for moment in (0, 1, 3, 4)]
    assert [True, False] == [Window(None, 3).holds(moment) for moment in (0, 4)]
    assert [False, True] == [Window(1, None).holds(moment) for moment in (0, 4)]
