"""Which features this writer's checkpoints do justice to, and the refusal of tables that have others."""

from __future__ import annotations

from collections.abc import Collection

from deltaresolver.errors import LogUpkeepUnsupportedError
from deltaresolver.model.protocol import (
    READER_VERSION_WITH_FEATURE_LIST,
    WRITER_VERSION_WITH_FEATURE_LIST,
    Protocol,
)

UNDERSTOOD_FEATURES = frozenset(
    {
        "allowColumnDefaults",
        "appendOnly",
        "catalogManaged",
        "changeDataFeed",
        "checkConstraints",
        "checkpointProtection",
        "clustering",
        "columnMapping",
        "coordinatedCommits-preview",
        "deletionVectors",
        "domainMetadata",
        "generatedColumns",
        "geospatial",
        "geospatial-dev",
        "icebergCompatV1",
        "icebergCompatV2",
        "icebergCompatV3",
        "identityColumns",
        "inCommitTimestamp",
        "invariants",
        "materializePartitionColumns",
        "rowTracking",
        "timestampNtz",
        "typeWidening",
        "typeWidening-preview",
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "variantShredding",
        "variantShredding-preview",
        "variantType",
        "variantType-preview",
    }
)
"""Features whose actions and fields a checkpoint written here keeps whole, or that add none."""

CATALOG_FEATURES = frozenset({"catalogManaged", "coordinatedCommits-preview"})
"""Where a catalog decides what may be deleted."""


def find_unknown_features(protocol: Protocol, also_understood: Collection[str] = ()) -> tuple[str, ...]:
    """Features, and versions spelt out, for which it is unknown what upkeep of the log must heed."""
    listed = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    unknown = sorted(listed - UNDERSTOOD_FEATURES - set(also_understood))
    if protocol.min_reader_version > READER_VERSION_WITH_FEATURE_LIST:
        unknown.append(f"reader version {protocol.min_reader_version}")
    if protocol.min_writer_version > WRITER_VERSION_WITH_FEATURE_LIST:
        unknown.append(f"writer version {protocol.min_writer_version}")
    return tuple(unknown)


def ensure_understood(protocol: Protocol, location: str, also_understood: Collection[str] = ()) -> None:
    """Raises `LogUpkeepUnsupportedError` where a checkpoint might lose what a feature relies on."""
    unknown = find_unknown_features(protocol, also_understood)
    if unknown:
        raise LogUpkeepUnsupportedError(
            f"No checkpoint of {location} is written: it needs {', '.join(unknown)}, and what that asks of a "
            "checkpoint is unknown here.",
            fix="Let a client that supports these write the checkpoint.",
            details={"location": location, "unknown": list(unknown)},
        )
