"""In which calendar a Parquet file counts its days and moments, and how to bring them into today's.

Spark before version 3, and later releases in sessions that ask for it, write dates before 1582-10-15 in the Julian
calendar and moments before 1900 by rules of time zones that nobody else follows. The footer names the release that
wrote the file and marks such files. A date keeps its year, month and day; a moment keeps what a clock in the zone
of its writer showed.

The days from 1582-10-05 to 1582-10-14 are not in that calendar. Spark hands what it compares with to readers as Java's
old dates, which make 1582-10-15 of them: `d = DATE'1582-10-10'` then passes over files that hold the day.
"""

from __future__ import annotations

import datetime
import os
import re
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

FIRST_GREGORIAN_DAY = -141_427
"""1582-10-15, in days since 1970-01-01. From here on, dates are the same in both calendars."""
FIRST_EQUAL_MOMENT = -2_208_988_800_000_000
"""1900-01-01 in microseconds since 1970. From here on, moments are the same, whatever the zone."""

_FIRST_DATE = datetime.date(1582, 10, 15)
_AROUND_FIRST_DATE = (
    datetime.datetime(1582, 10, 14, tzinfo=datetime.UTC),
    datetime.datetime(1582, 10, 17, tzinfo=datetime.UTC),
)

LEGACY = "LEGACY"
DATETIME_READ_MODE = "spark.sql.parquet.datetimeRebaseModeInRead"
INT96_READ_MODE = "spark.sql.parquet.int96RebaseModeInRead"
_VERSION = b"org.apache.spark.version"
_ZONE = b"org.apache.spark.timeZone"
_DATETIME = (b"org.apache.spark.legacyDateTime", "3.0.0")
_INT96 = (b"org.apache.spark.legacyINT96", "3.1.0")
_EPOCH_JULIAN_DAY = 2_440_588
_DAY = 86_400_000_000
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)")
_TABLE = "julian-gregorian-rebase-micros.json"

Numbers = npt.NDArray[np.int64]


@attrs.frozen(slots=True)
class FileCalendar:
    """What of a file is in the legacy calendar: dates and 64-bit moments, and moments of 96 bits."""

    datetimes: bool = False
    int96: bool = False
    zone: str | None = None
    """The zone of the session that wrote the file, where the footer has it."""

    @classmethod
    def of(cls, footer: Mapping[bytes, bytes] | None, modes: Mapping[str, str] | None = None) -> FileCalendar:
        """By the footer's metadata; `modes` are a session's settings for files that Spark has not written."""
        found, modes = footer or {}, modes or {}
        zone = found.get(_ZONE)
        return cls(
            _is_legacy(found, *_DATETIME, modes.get(DATETIME_READ_MODE)),
            _is_legacy(found, *_INT96, modes.get(INT96_READ_MODE)),
            None if zone is None else zone.decode(),
        )


def marked_as_todays(schema: pa.Schema) -> pa.Schema:
    """The schema with what tells Spark, in a file's footer, that days are counted in today's calendar.

    Without the release that wrote a file, sessions with `datetimeRebaseModeInRead` `LEGACY` make other days of it.
    """
    import pyspark

    return schema.with_metadata({**(schema.metadata or {}), _VERSION: pyspark.__version__.encode()})


def _is_legacy(footer: Mapping[bytes, bytes], mark: bytes, release: str, mode: str | None) -> bool:
    version = footer.get(_VERSION)
    if version is None:
        return (mode or "").upper() == LEGACY
    # Compared as text, as Spark does.
    return version.decode() < release or mark in footer


def may_be_another_day(value: object) -> bool:
    """Whether a value of a filter that Spark pushed down may have been a day that the legacy calendar lacks."""
    if isinstance(value, datetime.datetime):
        return value.tzinfo is not None and _AROUND_FIRST_DATE[0] <= value < _AROUND_FIRST_DATE[1]
    if isinstance(value, list | tuple):
        return any(may_be_another_day(each) for each in value)
    return value == _FIRST_DATE


def gregorian_days(days: Numbers) -> Numbers:
    """Legacy days since 1970-01-01 as days of today's calendar with the same year, month and day.

    The 29th of February of a year that has none today becomes the 1st of March.
    """
    return np.where(days < FIRST_GREGORIAN_DAY, _from_julian(days), days)


def _from_julian(days: Numbers) -> Numbers:
    count = days + _EPOCH_JULIAN_DAY + 32_082
    year = (4 * count + 3) // 1461
    in_year = count - 1461 * year // 4
    month = (5 * in_year + 2) // 153
    day = in_year - (153 * month + 2) // 5
    # Years begin with March here, so that a leap day comes last.
    century_days = 365 * year + year // 4 - year // 100 + year // 400
    return century_days + (153 * month + 2) // 5 + day - 32_044 - _EPOCH_JULIAN_DAY


def gregorian_micros(micros: Numbers, zone: str | None) -> Numbers:
    """Legacy microseconds since 1970 as those at which a clock in `zone` shows the same time by today's rules.

    Raises `LookupError` where that takes rules that this process does not have.
    """
    if not len(micros) or micros.min() >= FIRST_EQUAL_MOMENT:
        return micros
    offset = _OFFSET.fullmatch(zone or "")
    if offset is not None:
        return _by_offset(micros, int(f"{offset[1]}{int(offset[2]) * 60 + int(offset[3])}") * 60_000_000)
    rules = _spark_rules().get(zone or "")
    if rules is None:
        raise LookupError(f"the rules of Spark's legacy calendar for the zone {zone or 'of the writer'} are not here")
    switches, shifts = rules
    if micros.min() < switches[0]:
        raise LookupError("moments before the year 1 are not converted from Spark's legacy calendar")
    return micros + shifts[np.searchsorted(switches, micros, side="right") - 1]


def _by_offset(micros: Numbers, offset: int) -> Numbers:
    """Where a zone is but an offset, Spark changes calendars at the midnight of UTC, and not at the zone's own."""
    days = (micros + offset) // _DAY
    shifted = micros + (_from_julian(days) - days) * _DAY
    return np.where(micros < FIRST_GREGORIAN_DAY * _DAY, shifted, micros)


@cache
def _spark_rules() -> Mapping[str, tuple[Numbers, Numbers]]:
    """From which moment on how many microseconds are added, by zone: Spark's own table, from its JAR."""
    for jar in _jars():
        with zipfile.ZipFile(jar) as archive:
            if _TABLE in archive.namelist():
                rows: list[Any] = msgspec.json.decode(archive.read(_TABLE))
                return {row["tz"]: (_micros(row["switches"]), _micros(row["diffs"])) for row in rows}
    return {}


def _jars() -> list[Path]:
    import pyspark

    homes = [os.environ.get("SPARK_HOME"), str(Path(pyspark.__file__).parent)]
    folders = [Path(home, "jars") for home in homes if home]
    return [jar for folder in folders for jar in sorted(folder.glob("spark-*.jar")) if "sql-api" in jar.name]


def _micros(seconds: list[int]) -> Numbers:
    return np.asarray(seconds, np.int64) * 1_000_000
