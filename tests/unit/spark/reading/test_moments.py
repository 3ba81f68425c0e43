"""Moments that a read is asked for: without a zone they are in the session's."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from deltaresolver.errors import ReadOptionInvalidError
from deltaresolver.spark.reading.read_options import Moment, as_moment

ZONE = "America/New_York"
FIVE = timezone(timedelta(hours=5))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("2024-01-02 03:04:05", datetime(2024, 1, 2, 8, 4, 5, tzinfo=UTC)),
        (datetime(2024, 1, 2, 3, 4, 5), datetime(2024, 1, 2, 8, 4, 5, tzinfo=UTC)),
        (datetime(2024, 1, 2, 3, 4, 5, tzinfo=FIVE), datetime(2024, 1, 1, 22, 4, 5, tzinfo=UTC)),
        (date(2024, 1, 2), datetime(2024, 1, 2, 5, tzinfo=UTC)),
        ("2024-01-02", datetime(2024, 1, 2, 5, tzinfo=UTC)),
        # The hour that does not exist, and the first of the one that comes twice, as Java takes them.
        (datetime(2024, 3, 10, 2, 30), datetime(2024, 3, 10, 7, 30, tzinfo=UTC)),
        (datetime(2024, 11, 3, 1, 30), datetime(2024, 11, 3, 5, 30, tzinfo=UTC)),
        (1_700_000_000_000, 1_700_000_000_000),
    ],
)
def test_a_moment_is_in_the_sessions_zone_unless_it_names_one(given: Moment, wanted: Moment) -> None:
    found = as_moment(given, ZONE)
    if isinstance(found, datetime) and isinstance(wanted, datetime):
        found, wanted = found.astimezone(UTC), wanted.astimezone(UTC)
    assert found == wanted


@pytest.mark.parametrize("given", ["soon", "2024-13-01", 1.5, None, object()])
def test_what_is_not_a_moment_is_refused(given: Moment) -> None:
    with pytest.raises(ReadOptionInvalidError):
        as_moment(given, ZONE)
