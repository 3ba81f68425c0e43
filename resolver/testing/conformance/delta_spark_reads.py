"""Whether delta-spark would read a table of this protocol and metadata, and if not, why.

These are the checks it makes before the first row: versions, reader features, and that the protocol names every
feature that the metadata enables.
"""

from __future__ import annotations

import attrs

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.resolution.capability import Capability
from deltaresolver.resolution.components import automatically_enabled_features


@attrs.frozen(slots=True)
class ReadRefusal:
    """Why a table is not read."""

    reason: str
    delta_condition: str | None


def find_refusal(protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog | None = None) -> ReadRefusal | None:
    """Why a client with exactly the features of `catalog` refuses to read; None if it reads."""
    known = delta_spark_catalog() if catalog is None else catalog
    client = Capability.of_catalog(known)
    if protocol.min_reader_version not in client.reader_versions:
        return ReadRefusal(
            f"reader version {protocol.min_reader_version} is not among {sorted(client.reader_versions)}",
            "DELTA_INVALID_PROTOCOL_VERSION",
        )
    missing = client.missing_to_read(protocol)
    if missing:
        return ReadRefusal(f"reader features {sorted(missing)} are unknown", "DELTA_UNSUPPORTED_FEATURES_FOR_READ")
    return _find_mismatch(protocol, metadata, known)


def _find_mismatch(protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog) -> ReadRefusal | None:
    if not protocol.lists_writer_features:
        return None
    try:
        enabled = automatically_enabled_features(metadata, protocol, catalog)
    except DeltaResolverError as error:
        return ReadRefusal(error.message, error.delta_condition)
    unlisted = enabled - protocol.writer_feature_names
    if unlisted:
        return ReadRefusal(
            f"the metadata switches on {sorted(unlisted)}, which the protocol does not name",
            "DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH",
        )
    return None
