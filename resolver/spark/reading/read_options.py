"""Options of a read, as `DataFrameReader.option` takes them: one parser for the DataFrame API and the data source."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import attrs

from deltaresolver.errors import ReadOptionInvalidError

Moment = int | str | date
"""Milliseconds since the epoch, an ISO 8601 text, a datetime or a day's beginning."""

_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d\d))?(?::?(\d\d))?")
_NAMES = (
    "versionAsOf",
    "timestampAsOf",
    "readChangeFeed",
    "readChangeData",
    "startingVersion",
    "startingTimestamp",
    "endingVersion",
    "endingTimestamp",
)
_KNOWN = {name.lower(): name for name in _NAMES}


@attrs.frozen(slots=True, kw_only=True)
class ChangeFeed:
    """A range of changes, both ends included; without an end, to the latest version."""

    starting_version: int | None = None
    starting_timestamp: Moment | None = None
    ending_version: int | None = None
    ending_timestamp: Moment | None = None


@attrs.frozen(slots=True)
class ReadRequest:
    """What is to be read: the latest version, an earlier one, or changes."""

    version: int | None = None
    timestamp: Moment | None = None
    changes: ChangeFeed | None = None

    @property
    def is_of_a_moment(self) -> bool:
        """Whether the user named what to read, so that it can never be anything else."""
        return self != ReadRequest()


def parse_read_options(options: Mapping[str, str]) -> ReadRequest:
    """The request in a reader's options. Names are case-insensitive; options of others are left alone.

    Raises `ReadOptionInvalidError`.
    """
    given = {_KNOWN[key.lower()]: str(value) for key, value in options.items() if key.lower() in _KNOWN}
    feed = ChangeFeed(
        starting_version=_whole(given, "startingVersion"),
        starting_timestamp=given.get("startingTimestamp"),
        ending_version=_whole(given, "endingVersion"),
        ending_timestamp=given.get("endingTimestamp"),
    )
    asked = _flag(given, "readChangeFeed") or _flag(given, "readChangeData")
    request = ReadRequest(_whole(given, "versionAsOf"), given.get("timestampAsOf"), feed if asked else None)
    check_request(request)
    return request


def is_read_option(key: str) -> bool:
    """Whether a read takes an option of this name."""
    return key.lower() in _KNOWN


def ensure_read_options(options: Mapping[str, str]) -> None:
    """Raises `ReadOptionInvalidError` for a name that no read takes: without it, other rows would be read unasked."""
    for key in options:
        if not is_read_option(key):
            raise _unknown(key, _closest(key, 0.5))


def ensure_none_misspelt(options: Mapping[str, str]) -> None:
    """The same for a name that was clearly meant to be one of a read; options of others may stand beside."""
    for key in options:
        closest = None if is_read_option(key) else _closest(key, 0.75)
        if closest is not None:
            raise _unknown(key, closest)


def _closest(key: str, cutoff: float) -> str | None:
    near = difflib.get_close_matches(key.lower(), _KNOWN, n=1, cutoff=cutoff)
    return _KNOWN[near[0]] if near else None


def _unknown(key: str, closest: str | None) -> ReadOptionInvalidError:
    hint = "" if closest is None else f" (did you mean {closest}?)"
    return ReadOptionInvalidError(
        f"{key} is not a valid read option{hint}.",
        fix=f"Use {', '.join(_NAMES)}; where, columns and storage_options are arguments of their own.",
        details={"option": key, "closest": closest},
    )


def check_request(request: ReadRequest) -> None:
    """Raises `ReadOptionInvalidError` where one thing is asked for in two ways, or changes without a start."""
    if request.version is not None and request.timestamp is not None:
        raise _invalid(
            "versionAsOf and timestampAsOf are both given.", "Give one of the two.", "DELTA_ONEOF_IN_TIMETRAVEL"
        )
    feed = request.changes
    if feed is None:
        return
    if request.version is not None or request.timestamp is not None:
        raise _invalid(
            "Changes and an earlier version of the table are both asked for.",
            "Leave out versionAsOf and timestampAsOf; endingVersion and endingTimestamp say where changes end.",
            "DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS",
        )
    for side, version, moment in (
        ("starting", feed.starting_version, feed.starting_timestamp),
        ("ending", feed.ending_version, feed.ending_timestamp),
    ):
        if version is not None and moment is not None:
            raise _invalid(
                f"{side}Version and {side}Timestamp are both given.",
                "Give one of the two.",
                "DELTA_MULTIPLE_CDC_BOUNDARY",
            )
    if feed.starting_version is None and feed.starting_timestamp is None:
        raise _invalid(
            "Changes are asked for without a version or timestamp to start from.",
            "Give startingVersion or startingTimestamp.",
            "DELTA_NO_START_FOR_CDC_READ",
        )


def as_moment(value: Moment, zone: str) -> int | datetime:
    """A moment that names its zone, or milliseconds; a text, datetime or day without one is in the session's `zone`.

    PySpark hands a datetime to delta-spark as text, which is read so too.

    Raises `ReadOptionInvalidError`.
    """
    if isinstance(value, int):
        return value
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise _invalid(
                f"The provided timestamp ({value!r}) cannot be converted to a valid timestamp.",
                "Write it as 2024-05-01 12:30:00, with an offset such as +02:00 if it is not in the session's zone.",
                "DELTA_TIMESTAMP_INVALID",
            ) from None
    if not isinstance(value, datetime):
        if not isinstance(value, date):
            raise _invalid(f"{value!r} is not a moment.", "Give milliseconds, a text, a datetime or a date.")
        value = datetime.combine(value, time())
    return value if value.tzinfo is not None else value.replace(tzinfo=find_zone(zone))


def find_zone(name: str) -> tzinfo:
    """A zone by the name Spark has for it: an offset, or a region. Raises `ReadOptionInvalidError`."""
    if name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        amount = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0), seconds=int(offset[4] or 0))
        return timezone(amount if offset[1] == "+" else -amount)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise _invalid(
            f"The session's time zone {name!r} is not known to Python.",
            "Give the timestamp with an offset, or install the tzdata package.",
        ) from error


def _whole(given: Mapping[str, str], name: str) -> int | None:
    text = given.get(name)
    if text is None:
        return None
    if re.fullmatch(r"\s*\d+\s*", text) is None:
        condition = "DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE" if name == "versionAsOf" else "DELTA_VERSION_INVALID"
        if name == "versionAsOf" and re.fullmatch(r"\s*-\d+\s*", text) is not None:
            condition = "DELTA_VERSION_NOT_FOUND"
        raise _invalid(f"{name} is {text!r}, not a table version.", "Give a whole number from 0.", condition)
    return int(text)


def _flag(given: Mapping[str, str], name: str) -> bool:
    text = given.get(name, "false").strip().lower()
    if text not in ("true", "false"):
        raise _invalid(f"{name} is {text!r}.", "Give true or false.", "DELTA_ILLEGAL_OPTION")
    return text == "true"


def _invalid(message: str, fix: str, condition: str | None = None) -> ReadOptionInvalidError:
    return ReadOptionInvalidError(message, fix=fix, details={"problem": message}, delta_condition=condition)
