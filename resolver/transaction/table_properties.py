"""Table properties as ALTER TABLE and CREATE TABLE take them: how keys are spelt, which may be set, and to what."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from deltaresolver.errors import PropertyInvalidError, TablePropertyRefusedError
from deltaresolver.log.retention import LOG_RETENTION, TOMBSTONE_RETENTION, TRANSACTION_RETENTION, duration_ms
from deltaresolver.log.writing.table_settings import checkpoint_interval, checkpoint_policy, indexed_column_limit
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST
from deltaresolver.model.rules import read_boolean
from deltaresolver.resolution.instructions import (
    FEATURE_PREFIX,
    IGNORE_PROTOCOL_DEFAULTS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
)
from deltaresolver.transaction.policies import PROTOCOL_RISE, read_guard

COMMENT = "comment"
TRUNCATION_RETENTION = "delta.dropFeatureTruncateHistory.retentionDuration"
_CONSTRAINTS = "delta.constraints."
_MAX_COLUMN_ID = "delta.columnMapping.maxColumnId"
_ISOLATION = "delta.isolationLevel"
UNIVERSAL_FORMATS = "delta.universalFormat.enabledFormats"

_BOOLEANS = (
    "delta.appendOnly",
    "delta.autoOptimize",
    "delta.autoOptimize.autoCompact",
    "delta.autoOptimize.optimizeWrite",
    "delta.castIcebergTimeType",
    "delta.checkpoint.writeStatsAsJson",
    "delta.checkpoint.writeStatsAsStruct",
    "delta.enableChangeDataCapture",
    "delta.enableChangeDataFeed",
    "delta.enableDeletionVectors",
    "delta.enableExpiredLogCleanup",
    "delta.enableFullRetentionRollback",
    "delta.enableIcebergCompatV1",
    "delta.enableIcebergCompatV2",
    "delta.enableIcebergCompatV3",
    "delta.enableInCommitTimestamps",
    "delta.enableMaterializePartitionColumnsFeature",
    "delta.enableRowTracking",
    "delta.enableTypeWidening",
    "delta.enableVariantShredding",
    "delta.ignoreIcebergBucketPartition",
    "delta.randomizeFilePrefixes",
    "delta.rowTrackingSuspended",
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
    "delta.checkpointInterval",
    "delta.checkpointPolicy",
    "delta.columnMapping.mode",
    "delta.coordinatedCommits.commitCoordinator-preview",
    "delta.coordinatedCommits.commitCoordinatorConf-preview",
    "delta.coordinatedCommits.tableConf-preview",
    "delta.dataSkippingNumIndexedCols",
    "delta.dataSkippingStatsColumns",
    "delta.dataSkippingStringPrefixLength",
    "delta.inCommitTimestampEnablementTimestamp",
    "delta.inCommitTimestampEnablementVersion",
    "delta.parquet.format.version",
    "delta.randomPrefixLength",
    "delta.redirectReaderWriter-preview",
    "delta.redirectWriterOnly-preview",
    "delta.requireCheckpointProtectionBeforeVersion",
    UNIVERSAL_FORMATS,
    "delta.universalFormat.iceberg.atomicConversion.supported",
    IGNORE_PROTOCOL_DEFAULTS,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    _ISOLATION,
    _MAX_COLUMN_ID,
)
_ELSEWHERE = {
    "location": "Create a table at the other location.",
    "provider": "Create a table of the other format.",
    "owner": "Set the owner in the catalog.",
    "external": "Decide on that in the catalog.",
}


def normalized_keys(keys: Iterable[str], catalog: FeatureCatalog) -> list[str]:
    """The keys as the log spells them: known ones in their own spelling, features in lower case."""
    known = _known(catalog)
    return [_normalized(key, known) for key in keys]


def normalized_changes(changes: Mapping[str, str], catalog: FeatureCatalog) -> dict[str, str]:
    """The properties to set, with the keys as the log spells them."""
    return dict(zip(normalized_keys(changes, catalog), changes.values(), strict=True))


def _normalized(key: str, known: Mapping[str, str]) -> str:
    lowered = key.lower()
    return lowered if lowered.startswith(FEATURE_PREFIX) else known.get(lowered, key)


@lru_cache(maxsize=32)
def _known(catalog: FeatureCatalog) -> Mapping[str, str]:
    names = {*_BOOLEANS, *_DURATIONS, *_OTHERS}
    for feature in catalog:
        if feature.trigger is not None:
            names |= feature.trigger.hints().properties
    return {name.lower(): name for name in names}


def ensure_settable(changes: Mapping[str, str], catalog: FeatureCatalog, *, is_new_table: bool = False) -> None:
    """Every key may be set, to that value. Raises `TablePropertyRefusedError`, `PropertyInvalidError`."""
    known = _known(catalog)
    for key, value in changes.items():
        lowered = key.lower()
        if lowered.startswith(_CONSTRAINTS) and not is_new_table:
            raise _refused(
                key,
                "is a CHECK constraint, which has to be tested on every row first",
                f"Run ALTER TABLE ... ADD CONSTRAINT {key[len(_CONSTRAINTS) :]} CHECK ({value}) in Spark.",
                "DELTA_ADD_CONSTRAINTS",
            )
        if lowered in _ELSEWHERE:
            raise _refused(
                key, "is no property of a table", _ELSEWHERE[lowered], "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"
            )
        if key == _MAX_COLUMN_ID:
            raise _refused(key, "is kept by the table itself", "Leave it out.", "DELTA_CANNOT_MODIFY_TABLE_PROPERTY")
        if lowered.startswith(FEATURE_PREFIX):
            _check_request(key, catalog, is_new_table=is_new_table)
        elif lowered.startswith("delta.") and lowered not in known and not lowered.startswith(_CONSTRAINTS):
            raise _unknown(key, known)
        _ensure_value(key, value)


def ensure_unsettable(keys: Iterable[str]) -> None:
    """Every key may be unset. Raises `TablePropertyRefusedError`."""
    for key in keys:
        if key.lower() in _ELSEWHERE:
            raise TablePropertyRefusedError(
                f"{key} cannot be unset: it is no property of a table.",
                fix=_ELSEWHERE[key.lower()],
                details={"key": key},
                delta_condition="UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY",
            )


def _check_request(key: str, catalog: FeatureCatalog, *, is_new_table: bool) -> None:
    feature = catalog.find(key[len(FEATURE_PREFIX) :])
    if feature is not None and feature.behaviour is not None:
        feature.behaviour.check_request(key, is_new_table=is_new_table)


def _refused(key: str, reason: str, fix: str, condition: str) -> TablePropertyRefusedError:
    return TablePropertyRefusedError(
        f"{key} cannot be set: it {reason}.", fix=fix, details={"key": key}, delta_condition=condition
    )


def _unknown(key: str, known: Mapping[str, str]) -> TablePropertyRefusedError:
    near = difflib.get_close_matches(key.lower(), known, n=1)
    suggestion = f" (did you mean {known[near[0]]}?)" if near else ""
    return TablePropertyRefusedError(
        f"{key} is no property that Delta knows{suggestion}.",
        fix="Correct the name; properties of your own must not begin with delta.",
        details={"key": key, "closest": known[near[0]] if near else None},
        delta_condition="DELTA_UNKNOWN_CONFIGURATION",
    )


def _ensure_value(key: str, value: str) -> None:
    if key in _BOOLEANS:
        read_boolean(key, value)
    elif key in _DURATIONS:
        duration_ms(value, key)
    elif key in _CHECKS:
        _CHECKS[key](Metadata(configuration={key: value}))
    elif key == _ISOLATION and value.lower() != "serializable":
        raise PropertyInvalidError(
            f"{key} must be Serializable, found {value!r}.",
            fix=f"Set {key} to Serializable, or unset it.",
            details={"key": key, "found": value},
        )
    elif key == PROTOCOL_RISE:
        read_guard(value)
    elif key in _CHOICES:
        _ensure_choice(key, value)


def _ensure_choice(key: str, value: str) -> None:
    found = [part.strip().lower() for part in value.split(",")] if key == UNIVERSAL_FORMATS else [value]
    if set(found) <= set(_CHOICES[key]):
        return
    raise PropertyInvalidError(
        f"{key} takes {', '.join(_CHOICES[key])}, found {value!r}.",
        fix=f"Set {key} to {' or '.join(_CHOICES[key])}.",
        details={"key": key, "found": value, "choices": list(_CHOICES[key])},
    )


_CHOICES: Mapping[str, tuple[str, ...]] = {
    MIN_READER_VERSION: tuple(map(str, range(1, READER_VERSION_WITH_FEATURE_LIST + 1))),
    MIN_WRITER_VERSION: tuple(map(str, range(1, WRITER_VERSION_WITH_FEATURE_LIST + 1))),
    UNIVERSAL_FORMATS: ("hudi", "iceberg"),
}
_CHECKS: Mapping[str, Callable[[Metadata], object]] = {
    "delta.checkpointInterval": checkpoint_interval,
    "delta.checkpointPolicy": checkpoint_policy,
    "delta.dataSkippingNumIndexedCols": indexed_column_limit,
}


def is_known_property(key: str, catalog: FeatureCatalog) -> bool:
    """Whether Delta or a feature gives the key a meaning."""
    return key.lower() in _known(catalog)
