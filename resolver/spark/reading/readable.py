"""Whether this library reads a table, and if not, why and who does."""

from __future__ import annotations

from deltaresolver.defaults import delta_spark_catalog
from deltaresolver.errors import DeltaResolverError, ProtocolMismatchError, ReadUnsupportedError
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import NO_FEATURES, Protocol
from deltaresolver.planning import Act, TableNeeds, default_knowledge
from deltaresolver.resolution.components import automatically_enabled_features

READER_VERSIONS = (1, 2, 3)
READ_FEATURES = frozenset(
    {
        "columnMapping",
        "deletionVectors",
        "timestampNtz",
        "typeWidening",
        "typeWidening-preview",
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "variantType",
        "variantType-preview",
        "variantShredding",
        "variantShredding-preview",
    }
)
"""Features for readers that the rooms below honour."""


def ensure_readable(protocol: Protocol, metadata: Metadata) -> None:
    """Raises `ReadUnsupportedError`, and `ProtocolMismatchError` where the protocol lacks what the metadata uses."""
    if protocol.min_reader_version not in READER_VERSIONS:
        raise _unsupported(protocol, metadata, [f"reader version {protocol.min_reader_version}"])
    if protocol.lists_writer_features:
        _check_listed(protocol, metadata)  # first, since no client at all reads such a table
    missing = (protocol.reader_features or NO_FEATURES) - READ_FEATURES
    if missing:
        raise _unsupported(protocol, metadata, sorted(missing))


def _unsupported(protocol: Protocol, metadata: Metadata, missing: list[str]) -> ReadUnsupportedError:
    able = clients_that_read(protocol, metadata)
    who = f"Read it with one of these clients: {', '.join(able)}." if able else "No client known here reads it either."
    by_version = protocol.min_reader_version not in READER_VERSIONS
    return ReadUnsupportedError(
        f"The table needs {', '.join(missing)} of its readers, which deltaresolver does not read.",
        fix=who,
        details={"missing": missing, "clients": able},
        delta_class="org.apache.spark.sql.delta.actions.InvalidProtocolVersionException" if by_version else None,
        delta_condition="DELTA_INVALID_PROTOCOL_VERSION" if by_version else None,
    )


def clients_that_read(protocol: Protocol, metadata: Metadata) -> list[str]:
    """The newest releases seen that read such a table, as far as is known."""
    knowledge = default_knowledge()
    try:
        needs = TableNeeds.of(protocol, metadata)
    except DeltaResolverError:
        return []
    return sorted(client.id for client in knowledge.catalogue if knowledge.verdict(client.id, needs, Act.READ).works)


def _check_listed(protocol: Protocol, metadata: Metadata) -> None:
    enabled = automatically_enabled_features(metadata, protocol, delta_spark_catalog())
    unlisted = sorted(enabled - protocol.writer_feature_names)
    if unlisted:
        raise ProtocolMismatchError(
            f"The table's metadata switches on {', '.join(unlisted)}, which its protocol does not name.",
            fix="Add the features to the protocol with a writer that supports them, or switch them off.",
            details={"unlisted": unlisted},
            delta_condition="DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH",
        )
