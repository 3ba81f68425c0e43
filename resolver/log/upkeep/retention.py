"""How long a table remembers: the retention properties, as durations in milliseconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.actions import SetTransaction
from deltaresolver.model.metadata import Metadata

TRANSACTION_RETENTION = "delta.setTransactionRetentionDuration"
TOMBSTONE_RETENTION = "delta.deletedFileRetentionDuration"
LOG_RETENTION = "delta.logRetentionDuration"
TRUNCATION_RETENTION = "delta.dropFeatureTruncateHistory.retentionDuration"

_MILLISECONDS = {
    "microsecond": Fraction(1, 1000),
    "millisecond": Fraction(1),
    "second": Fraction(1000),
    "minute": Fraction(60_000),
    "hour": Fraction(3_600_000),
    "day": Fraction(86_400_000),
    "week": Fraction(604_800_000),
}
_DAYS = frozenset({"day", "week"})
_MAX_DAYS = 2**31
_MAX_TIME_MS = Fraction(2**63, 1000)
"""Spark's durations have days of 32 bits and, apart from them, microseconds of 64 bits; more is not a duration."""
_MAX_DIGITS = 100
"""Of a number in a duration. Python refuses to read thousands, and no table is so old."""
_PART = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]+?)s?(?=\s|$)")


def find_transaction_retention_ms(metadata: Metadata) -> int | None:
    """How long a transaction is remembered after its last update; `None` is for ever, the default.

    Raises `PropertyInvalidError`.
    """
    text = metadata.configuration.get(TRANSACTION_RETENTION)
    return None if text is None else duration_ms(text, TRANSACTION_RETENTION)


def remembered_transactions(
    transactions: Mapping[str, SetTransaction], metadata: Metadata, clock: Callable[[], int]
) -> Mapping[str, SetTransaction]:
    """Those that are not past their retention, by application; without the property, all of them.

    Raises `PropertyInvalidError`.
    """
    retention = find_transaction_retention_ms(metadata)
    if retention is None:
        return transactions
    limit = clock() - retention
    return {
        app_id: each
        for app_id, each in transactions.items()
        if each.last_updated is not None and each.last_updated > limit
    }


def tombstone_retention_ms(metadata: Metadata) -> int:
    """How long a removed file is remembered."""
    return duration_ms(metadata.configuration.get(TOMBSTONE_RETENTION, "interval 1 week"), TOMBSTONE_RETENTION)


def log_retention_ms(metadata: Metadata) -> int:
    """How long commits are kept."""
    return duration_ms(metadata.configuration.get(LOG_RETENTION, "interval 30 days"), LOG_RETENTION)


def truncation_retention_ms(metadata: Metadata) -> int:
    """How long versions are kept whose features are dropped with their history."""
    return duration_ms(metadata.configuration.get(TRUNCATION_RETENTION, "interval 24 hours"), TRUNCATION_RETENTION)


def duration_ms(text: str, key: str) -> int:
    """A duration such as `interval 1 week 2 days`; months and years have no fixed length and are refused.

    Raises `PropertyInvalidError` naming the property `key`.
    """
    lowered = text.strip().lower()
    rest = lowered.removeprefix("interval")
    days = time = Fraction(0)
    position = 0
    end = len(rest.rstrip())
    while position < end:
        match = _PART.match(rest, position)
        if match is None or match[2] not in _MILLISECONDS or len(match[1]) > _MAX_DIGITS:
            raise _invalid(text, key)
        length = Fraction(match[1]) * _MILLISECONDS[match[2]]
        days, time = (days + length, time) if match[2] in _DAYS else (days, time + length)
        position = match.end()
    if position == 0 or abs(days) >= _MAX_DAYS * _MILLISECONDS["day"] or abs(time) >= _MAX_TIME_MS:
        raise _invalid(text, key)
    return int(days + time)


def _invalid(text: str, key: str) -> PropertyInvalidError:
    return PropertyInvalidError(
        f"{key} must be a duration in weeks, days, hours, minutes or seconds, found {text!r}.",
        fix=f"Set {key} to something like 'interval 30 days'.",
        details={"key": key, "found": text},
        delta_class="DeltaIllegalArgumentException",
        delta_condition="DELTA_INVALID_INTERVAL",
    )
