"""The values that Delta's table properties take: what CREATE TABLE and ALTER TABLE refuse to write."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from deltaresolver.errors import PropertyInvalidError
from deltaresolver.log.upkeep.retention import (
    LOG_RETENTION,
    TOMBSTONE_RETENTION,
    TRANSACTION_RETENTION,
    TRUNCATION_RETENTION,
    duration_ms,
    log_retention_ms,
    tombstone_retention_ms,
)
from deltaresolver.log.upkeep.settings import (
    CHECKPOINT_INTERVAL,
    CHECKPOINT_POLICY,
    CHECKPOINT_PROTECTION,
    EXPIRED_LOG_CLEANUP,
    INDEXED_COLUMNS,
    STATS_AS_JSON,
    STATS_AS_STRUCT,
    STATS_COLUMNS,
    STRING_PREFIX,
    checkpoint_interval,
    checkpoint_policy,
    indexed_column_limit,
)
from deltaresolver.model.commit.draft import IsolationLevel
from deltaresolver.model.facts.keys import (
    APPEND_ONLY,
    CHANGE_DATA_FEED,
    DELETION_VECTORS,
    IN_COMMIT_TIMESTAMPS,
    MAPPING_MODE,
    MAX_COLUMN_ID,
    ROW_TRACKING,
    TIMESTAMPS_SINCE_TIME,
    TIMESTAMPS_SINCE_VERSION,
    TYPE_WIDENING,
)
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.model.rules import read_boolean
from deltaresolver.resolution.instructions import IGNORE_PROTOCOL_DEFAULTS, MIN_READER_VERSION, MIN_WRITER_VERSION
from deltaresolver.transaction.metadata.isolation import ISOLATION_PROPERTY, table_isolation
from deltaresolver.transaction.policies import PROTOCOL_RISE, read_guard

UNIVERSAL_FORMATS = "delta.universalFormat.enabledFormats"
AUTO_COMPACTION = "delta.autoOptimize.autoCompact"
FORMAT_VERSION = "delta.parquet.format.version"

_BOOLEANS = (
    APPEND_ONLY,
    "delta.autoOptimize",
    "delta.autoOptimize.optimizeWrite",
    "delta.castIcebergTimeType",
    STATS_AS_JSON,
    STATS_AS_STRUCT,
    "delta.compatibility.symlinkFormatManifest.enabled",
    "delta.enableChangeDataCapture",
    CHANGE_DATA_FEED,
    DELETION_VECTORS,
    EXPIRED_LOG_CLEANUP,
    "delta.enableFullRetentionRollback",
    "delta.enableIcebergCompatV1",
    "delta.enableIcebergCompatV2",
    "delta.enableIcebergCompatV3",
    IN_COMMIT_TIMESTAMPS,
    "delta.enableMaterializePartitionColumnsFeature",
    ROW_TRACKING,
    TYPE_WIDENING,
    "delta.enableVariantShredding",
    "delta.ignoreIcebergBucketPartition",
    IGNORE_PROTOCOL_DEFAULTS,
    "delta.randomizeFilePrefixes",
    "delta.rowTrackingSuspended",
    "delta.universalFormat.iceberg.atomicConversion.supported",
    "delta.writePartitionColumnsToParquet",
)
_DURATIONS = (
    "delta.checkpointRetentionDuration",
    "delta.sampleRetentionDuration",
    LOG_RETENTION,
    TOMBSTONE_RETENTION,
    TRANSACTION_RETENTION,
    TRUNCATION_RETENTION,
)
_OTHERS = (
    CHECKPOINT_INTERVAL,
    CHECKPOINT_POLICY,
    MAPPING_MODE,
    "delta.coordinatedCommits.commitCoordinator-preview",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
    "delta.coordinatedCommits.tableConf-preview",
    INDEXED_COLUMNS,
    STATS_COLUMNS,
    STRING_PREFIX,
    TIMESTAMPS_SINCE_TIME,
    TIMESTAMPS_SINCE_VERSION,
    FORMAT_VERSION,
    "delta.randomPrefixLength",
    "delta.redirectReaderWriter-preview",
    "delta.redirectWriterOnly-preview",
    CHECKPOINT_PROTECTION,
    AUTO_COMPACTION,
    UNIVERSAL_FORMATS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    ISOLATION_PROPERTY,
    MAX_COLUMN_ID,
)
KNOWN_PROPERTIES = (*_BOOLEANS, *_DURATIONS, *_OTHERS)
"""Every property that Delta itself gives a meaning, as the log spells it."""
_LEAST: Mapping[str, int | None] = {
    STRING_PREFIX: 0,
    TIMESTAMPS_SINCE_TIME: None,
    TIMESTAMPS_SINCE_VERSION: None,
    "delta.randomPrefixLength": 1,
    CHECKPOINT_PROTECTION: 0,
}
"""Whole numbers, and the smallest that is taken."""


def ensure_value(key: str, value: str) -> None:
    """The property may have the value. Raises `PropertyInvalidError`, `IsolationLevelInvalidError`."""
    if key in _BOOLEANS:
        read_boolean(key, value)
    elif key in _DURATIONS:
        _ensure_not_negative(key, value)
    elif key in _LEAST:
        _ensure_whole(key, value, _LEAST[key])
    elif key in _CHECKS:
        _CHECKS[key](Metadata(configuration={key: value}))
    elif key == ISOLATION_PROPERTY:
        _ensure_serializable(value)
    elif key == PROTOCOL_RISE:
        read_guard(value)
    elif key == FORMAT_VERSION:
        _ensure_format_version(value)
    elif key in _CHOICES:
        _ensure_choice(key, value)


def _ensure_not_negative(key: str, value: str) -> None:
    """A retention of less than nothing lets go of what is still needed. Raises `PropertyInvalidError`."""
    if duration_ms(value, key) < 0:
        raise PropertyInvalidError(
            f"{key} must not be negative, found {value!r}.",
            fix=f"Set {key} to something like 'interval 30 days'.",
            details={"key": key, "found": value},
        )


def _ensure_serializable(value: str) -> None:
    """The isolation level is the one that a table may ask for. Raises `PropertyInvalidError`."""
    level = table_isolation(Metadata(configuration={ISOLATION_PROPERTY: value}))
    if level is not IsolationLevel.SERIALIZABLE:
        raise PropertyInvalidError(
            f"{ISOLATION_PROPERTY} must be Serializable, found {value!r}.",
            fix=f"Set {ISOLATION_PROPERTY} to Serializable, or unset it.",
            details={"key": ISOLATION_PROPERTY, "found": value},
        )


def ensure_retentions_fit(changes: Mapping[str, str]) -> None:
    """The log is kept for as long as removed files, by what is set at once. Raises `PropertyInvalidError`."""
    if not changes.keys() & {LOG_RETENTION, TOMBSTONE_RETENTION}:
        return
    asked = Metadata(configuration=dict(changes))
    log, files = log_retention_ms(asked), tombstone_retention_ms(asked)
    if log < files:
        raise PropertyInvalidError(
            f"{LOG_RETENTION} ({log} ms) must not be shorter than {TOMBSTONE_RETENTION} ({files} ms).",
            fix="Set both at once, the log's at least as long.",
            details={"log_retention_ms": log, "tombstone_retention_ms": files},
        )


def _ensure_whole(key: str, value: str, least: int | None) -> None:
    if re.fullmatch(r"[+-]?\d+", value, re.ASCII) and (least is None or int(value) >= least):
        return
    wanted = "a whole number" if least is None else f"a whole number of at least {least}"
    raise PropertyInvalidError(
        f"{key} must be {wanted}, found {value!r}.", fix=f"Set {key} to one.", details={"key": key, "found": value}
    )


def _ensure_format_version(value: str) -> None:
    """A release of the Parquet format, 1.0.0 or later. Raises `PropertyInvalidError`."""
    release = re.match(r"(\d+)\.(\d+)\.(\d+)(?!\d|\.\d)", value, re.ASCII)
    if release is None or int(release[1]) < 1:
        raise PropertyInvalidError(
            f"{FORMAT_VERSION} must be a release of the Parquet format in three parts, found {value!r}.",
            fix=f"Set {FORMAT_VERSION} to 1.0.0 or 2.12.0.",
            details={"key": FORMAT_VERSION, "found": value},
        )


def _ensure_choice(key: str, value: str) -> None:
    found = value.rstrip(",").split(",") if key == UNIVERSAL_FORMATS and value else [value.lower()]
    if len(set(found)) == len(found) and set(found) <= set(_CHOICES[key]):
        return
    raise PropertyInvalidError(
        f"{key} takes {', '.join(_CHOICES[key])}, found {value!r}.",
        fix=f"Set {key} to {' or '.join(_CHOICES[key])}.",
        details={"key": key, "found": value, "choices": list(_CHOICES[key])},
    )


_CHOICES: Mapping[str, tuple[str, ...]] = {
    AUTO_COMPACTION: ("false", "true"),
    MIN_READER_VERSION: tuple(map(str, range(1, READER_VERSION_WITH_FEATURE_LIST + 1))),
    MIN_WRITER_VERSION: tuple(map(str, range(1, WRITER_VERSION_WITH_FEATURE_LIST + 1))),
    UNIVERSAL_FORMATS: ("", "hudi", "iceberg"),
}
_CHECKS: Mapping[str, Callable[[Metadata], object]] = {
    CHECKPOINT_INTERVAL: checkpoint_interval,
    CHECKPOINT_POLICY: checkpoint_policy,
    INDEXED_COLUMNS: indexed_column_limit,
}
