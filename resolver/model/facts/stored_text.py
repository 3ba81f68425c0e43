"""Values that the log keeps as text: partition values, and statistics of days and moments.

A log may hold what another writer, or somebody's hand, put there. Python reads more than Spark (`1_0` and Arabic
digits as numbers, `20240102` as a day) and less (`2024-1-2`); what Spark would read otherwise must not choose files.
"""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Callable, Mapping

from deltaresolver.model.schema import base_type

Stored = bool | int | float | decimal.Decimal | datetime.date | datetime.datetime | str | bytes

_BLANK = "".join(map(chr, range(33)))
_TRIMMED = _BLANK + "\x7f"
"""Numbers with a point are trimmed by Java, which keeps the last of these; everything else by Spark."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_BEYOND_NUMBERS = re.compile(r"nan|[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
_DAY = re.compile(r"\+?0{0,2}([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2}))?)?")
_TIME = re.compile(r"[ T]([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]{0,9}))?(.*))?", re.DOTALL)
_ZONE = re.compile(r"([+-])(?:([0-9]{1,2})(?::([0-9]{1,2}))?|([0-9]{2})([0-9]{2}))")
_MAX_HOURS_AWAY = datetime.timedelta(hours=18)
_BITS: Mapping[str, int] = {"byte": 8, "short": 16, "integer": 32, "long": 64}
_TRUE, _FALSE = frozenset({"true", "t", "yes", "y", "1"}), frozenset({"false", "f", "no", "n", "0"})


def read_stored(kind: str, text: str) -> Stored:
    """The value of a leaf type as Spark casts it from text; a `timestamp` has a zone only where the text names one.

    Raises `ValueError` for what is not such a value, and for the years that Python does not count.
    """
    base = base_type(kind)
    if base in _BITS:
        return _whole(text.strip(_TRIMMED), _BITS[base])
    if base == "binary":
        return text.encode()
    read = _READERS.get(base)
    return text if read is None else read(text.strip(_BLANK if base in _WITH_A_POINT else _TRIMMED))


def _whole(text: str, bits: int) -> int:
    number = int(_matched(_WHOLE, text)[0])
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise ValueError(text)
    return number


def _matched(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return found


def _fraction(text: str) -> float:
    if _BEYOND_NUMBERS.fullmatch(text):
        return float(text)
    return float(_matched(_NUMBER, text[:-1] if text[-1:] in "dDfF" and text else text)[0])


def _exact(text: str) -> decimal.Decimal:
    try:
        return decimal.Decimal(_matched(_NUMBER, text)[0])
    except decimal.InvalidOperation as error:  # an exponent beyond those that Python counts
        raise ValueError(text) from error


def _boolean(text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise ValueError(text)


def _day(text: str) -> datetime.date:
    """The day, whatever follows a full one after a blank or a T."""
    start = re.split("[ T]", text, maxsplit=1)[0]
    found = _matched(_DAY, start)
    if found[3] is None and start != text:
        raise ValueError(text)
    return _day_of(found)


def _day_of(found: re.Match[str]) -> datetime.date:
    return datetime.date(int(found[1]), int(found[2] or 1), int(found[3] or 1))


def _moment(text: str) -> datetime.datetime:
    day = _DAY.match(text)
    if day is None:
        raise ValueError(text)
    midnight = datetime.datetime.combine(_day_of(day), datetime.time())
    if day.end() == len(text):
        return midnight
    if day[3] is None:
        raise ValueError(text)
    found = _matched(_TIME, text[day.end() :])
    micros = int((found[4] or "").ljust(6, "0")[:6])
    return midnight.replace(
        hour=int(found[1]), minute=int(found[2]), second=int(found[3] or 0), microsecond=micros, tzinfo=_zone(found[5])
    )


def _zone(text: str | None) -> datetime.tzinfo | None:
    """A distance from UTC of at most 18 hours; regions are not read."""
    if not text:
        return None
    name = text.strip(_BLANK)
    if name in ("Z", "UTC"):
        return datetime.UTC
    found = _matched(_ZONE, name)
    hours, minutes = int(found[2] or found[4]), int(found[3] or found[5] or 0)
    away = datetime.timedelta(hours=hours, minutes=minutes)
    if minutes > 59 or away > _MAX_HOURS_AWAY:
        raise ValueError(text)
    return datetime.timezone(-away if found[1] == "-" else away)


_WITH_A_POINT = frozenset({"float", "double", "decimal"})
_READERS: Mapping[str, Callable[[str], Stored]] = {
    "float": _fraction,
    "double": _fraction,
    "decimal": _exact,
    "boolean": _boolean,
    "date": _day,
    "timestamp": _moment,
    "timestamp_ntz": lambda text: _moment(text).replace(tzinfo=None),
}
