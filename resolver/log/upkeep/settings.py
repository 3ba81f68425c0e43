"""The table properties that say how the log is kept, with delta-spark's defaults."""

from __future__ import annotations

import enum

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.model.metadata import Metadata

CHECKPOINT_INTERVAL = "delta.checkpointInterval"
CHECKPOINT_POLICY = "delta.checkpointPolicy"
STATS_AS_JSON = "delta.checkpoint.writeStatsAsJson"
STATS_AS_STRUCT = "delta.checkpoint.writeStatsAsStruct"
EXPIRED_LOG_CLEANUP = "delta.enableExpiredLogCleanup"
CHECKPOINT_PROTECTION = "delta.requireCheckpointProtectionBeforeVersion"
INDEXED_COLUMNS = "delta.dataSkippingNumIndexedCols"
STATS_COLUMNS = "delta.dataSkippingStatsColumns"
STRING_PREFIX = "delta.dataSkippingStringPrefixLength"

EVERY_COLUMN = -1
"""The value of `INDEXED_COLUMNS` that sets no limit."""


class CheckpointPolicy(enum.Enum):
    """Which checkpoint specification a table's checkpoints follow."""

    CLASSIC = "classic"
    V2 = "v2"


def checkpoint_interval(metadata: Metadata) -> int:
    """After how many commits a checkpoint is due. Raises `PropertyInvalidError`."""
    interval = _whole(metadata, CHECKPOINT_INTERVAL, 10)
    if interval <= 0:
        raise _invalid(CHECKPOINT_INTERVAL, "a positive whole number", str(interval))
    return interval


def checkpoint_policy(metadata: Metadata) -> CheckpointPolicy:
    """The checkpoint specification the table asks for. Raises `PropertyInvalidError`."""
    text = metadata.configuration.get(CHECKPOINT_POLICY, CheckpointPolicy.CLASSIC.value)
    try:
        return CheckpointPolicy(text)
    except ValueError:
        raise _invalid(CHECKPOINT_POLICY, "'classic' or 'v2'", text) from None


def writes_stats_as_json(metadata: Metadata) -> bool:
    """Whether checkpoints keep statistics as text. Raises `PropertyInvalidError`."""
    return _flag(metadata, STATS_AS_JSON)


def writes_stats_as_struct(metadata: Metadata) -> bool:
    """Whether checkpoints keep statistics and partition values as typed columns. Raises `PropertyInvalidError`.

    delta-spark's default is true, where the specification's text says false; both are valid to readers.
    """
    return _flag(metadata, STATS_AS_STRUCT)


def cleans_up_expired_log(metadata: Metadata) -> bool:
    """Whether expired log files may be deleted. Raises `PropertyInvalidError`."""
    return _flag(metadata, EXPIRED_LOG_CLEANUP)


def checkpoint_protection_version(metadata: Metadata) -> int:
    """Checkpoints of table versions before this one are protected; 0 protects none. Raises `PropertyInvalidError`."""
    return _whole(metadata, CHECKPOINT_PROTECTION, 0)


def indexed_column_limit(metadata: Metadata) -> int:
    """Over how many leaf columns statistics reach; `EVERY_COLUMN` for all. Raises `PropertyInvalidError`."""
    limit = _whole(metadata, INDEXED_COLUMNS, 32)
    if limit < EVERY_COLUMN:
        raise _invalid(INDEXED_COLUMNS, f"a whole number of at least {EVERY_COLUMN}", str(limit))
    return limit


def string_prefix_length(metadata: Metadata) -> int:
    """How many characters of a string its bounds keep. Raises `PropertyInvalidError`."""
    length = _whole(metadata, STRING_PREFIX, 32)
    if length < 0:
        raise _invalid(STRING_PREFIX, "a whole number of at least 0", str(length))
    return length


def _flag(metadata: Metadata, key: str) -> bool:
    text = metadata.configuration.get(key, "true")
    value = {"true": True, "false": False}.get(text.lower())
    if value is None:
        raise _invalid(key, "true or false", text)
    return value


def _whole(metadata: Metadata, key: str, default: int) -> int:
    text = metadata.configuration.get(key)
    if text is None:
        return default
    try:
        return int(text)
    except ValueError:
        raise _invalid(key, "a whole number", text) from None


def _invalid(key: str, expected: str, found: str) -> PropertyInvalidError:
    return PropertyInvalidError(
        f"{key} must be {expected}, found {found!r}.",
        fix=f"Set {key} to {expected}, or remove it.",
        details={"key": key, "expected": expected, "found": found},
    )
