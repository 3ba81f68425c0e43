"""Moments as texts, in the time zone of a session."""

from __future__ import annotations

import datetime
import re

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?))?(Z|[+-]\d\d:\d\d)?")


def in_utc(text: str, zone: datetime.tzinfo) -> str | None:
    """A written moment with UTC's offset; None where it is not written out to the day at least."""
    found = _MOMENT.fullmatch(text.strip())
    if found is None or (found[3] and not found[2]):
        # Spark refuses a zone right after a day.
        return None
    try:
        moment = datetime.datetime.fromisoformat(f"{found[1]}T{found[2] or '00:00'}{found[3] or ''}")
        # An hour that comes twice is the earlier one, as in Spark; one that is left out moves on with the clocks.
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)
        return moment.astimezone(datetime.UTC).replace(tzinfo=None).isoformat(sep=" ") + "+00:00"
    except (ValueError, OverflowError):
        return None


def is_written(text: str, *, as_day: bool = False) -> bool:
    """Whether the text is a moment without an offset, or with `as_day` a day."""
    found = _MOMENT.fullmatch(text.strip())
    return found is not None and found[3] is None and (found[2] is None or not as_day)


def is_as_spark_writes(text: str, zone: datetime.tzinfo) -> bool:
    """Whether Spark would write a moment just so in the zone, and no other moment."""
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    fraction = f".{moment.microsecond:06}".rstrip("0") if moment.microsecond else ""
    if moment.tzinfo is not None or text != f"{moment:%Y-%m-%d %H:%M:%S}{fraction}":
        return False
    earlier, later = (moment.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    return earlier.utcoffset() == later.utcoffset()
