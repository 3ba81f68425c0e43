"""Whether the features of a table let this library write checkpoints of its log, or delete what expired of it."""

from __future__ import annotations

from deltaresolver.errors import LogUpkeepUnsupportedError, PropertyInvalidError
from deltaresolver.log.upkeep.retention import find_transaction_retention_ms, tombstone_retention_ms
from deltaresolver.log.upkeep.settings import (
    EXPIRED_LOG_CLEANUP,
    checkpoint_policy,
    cleans_up_expired_log,
    indexed_column_limit,
    writes_stats_as_json,
    writes_stats_as_struct,
)
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import (
    READER_VERSION_WITH_FEATURE_LIST,
    WRITER_VERSION_WITH_FEATURE_LIST,
    Protocol,
)
from deltaresolver.model.support import Task

NO_FEATURES_KNOWN = FeatureCatalog(())
"""With this catalog, a table that lists any feature is left alone."""


def find_unknown_features(protocol: Protocol, catalog: FeatureCatalog, task: Task) -> tuple[str, ...]:
    """Listed features that are not known or whose support of `task` is refused outright, and versions not known."""
    listed = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    unknown = sorted(name for name in listed if not _lets(catalog, name, task))
    if protocol.min_reader_version > READER_VERSION_WITH_FEATURE_LIST:
        unknown.append(f"reader version {protocol.min_reader_version}")
    if protocol.min_writer_version > WRITER_VERSION_WITH_FEATURE_LIST:
        unknown.append(f"writer version {protocol.min_writer_version}")
    return tuple(unknown)


def find_reason(protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog, task: Task) -> str | None:
    """The reason that a feature gives for refusing `task` for this very table; None where none does."""
    listed = sorted({*(protocol.reader_features or ()), *(protocol.writer_features or ())})
    features = (catalog.find(name) for name in listed)
    reasons = (feature.support.why_refused(task, metadata) for feature in features if feature is not None)
    return next((reason for reason in reasons if reason), None)


def _lets(catalog: FeatureCatalog, name: str, task: Task) -> bool:
    feature = catalog.find(name)
    return feature is not None and not feature.support.is_refused(task)


def ensure_understood(protocol: Protocol, metadata: Metadata, location: str, catalog: FeatureCatalog) -> None:
    """Raises `LogUpkeepUnsupportedError` where a checkpoint might lose what a feature relies on."""
    unknown = find_unknown_features(protocol, catalog, Task.CHECKPOINT)
    if unknown:
        raise LogUpkeepUnsupportedError(
            f"No checkpoint of {location} is written: it needs {', '.join(unknown)}, and what that asks of a "
            "checkpoint is unknown here.",
            fix="Let a client that supports these write the checkpoint.",
            details={"location": location, "unknown": list(unknown)},
        )
    reason = find_reason(protocol, metadata, catalog, Task.CHECKPOINT)
    if reason is not None:
        raise LogUpkeepUnsupportedError(
            f"No checkpoint of {location} is written: {reason}.",
            fix="Let a client that supports these features write the checkpoint.",
            details={"location": location, "unknown": [], "reason": reason},
        )


def ensure_settings(metadata: Metadata) -> None:
    """The properties by which a checkpoint is written can be read. Raises `PropertyInvalidError`."""
    for read in (
        checkpoint_policy,
        writes_stats_as_json,
        writes_stats_as_struct,
        indexed_column_limit,
        tombstone_retention_ms,
        find_transaction_retention_ms,
    ):
        read(metadata)


def find_obstacle(protocol: Protocol, metadata: Metadata, location: str, catalog: FeatureCatalog) -> str | None:
    """Why tables of this protocol get no checkpoint here; None if they do."""
    try:
        ensure_understood(protocol, metadata, location, catalog)
        ensure_settings(metadata)
    except (LogUpkeepUnsupportedError, PropertyInvalidError) as error:
        return error.message
    return None


def find_refusal(
    protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog = NO_FEATURES_KNOWN, *, is_asked_for: bool = False
) -> str | None:
    """Why the log of a table is never cleaned up here, whatever its age; None if it is."""
    if not is_asked_for and not cleans_up_expired_log(metadata):
        return f"{EXPIRED_LOG_CLEANUP} is false"
    reason = find_reason(protocol, metadata, catalog, Task.CLEAN_UP)
    if reason is not None:
        return reason
    unknown = find_unknown_features(protocol, catalog, Task.CLEAN_UP)
    return f"it is unknown what {', '.join(unknown)} need of the log" if unknown else None
