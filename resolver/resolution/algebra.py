"""What can be done with protocols: add features, normalise, merge, compare, remove a feature.

Each function takes the catalog, because what a version implies depends on the features known. The names
and outcomes are those of Delta's own table feature support.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from deltaresolver.errors import FeatureNotRemovableError, ReaderVersionTooLowError, WriterVersionTooLowError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.protocol import (
    NO_FEATURES,
    READER_VERSION_WITH_FEATURE_LIST,
    WRITER_VERSION_WITH_FEATURE_LIST,
    Protocol,
)
from deltaresolver.resolution.prepared import prepare

HIGHEST_PROTOCOL = Protocol.of(READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST)
"""List form on both sides with nothing listed: any feature can be added to it."""


# --- adding features ----------------------------------------------------------------------------


def with_feature(protocol: Protocol, feature: str, catalog: FeatureCatalog) -> Protocol:
    """The protocol with a feature and what it requires supported, versions unchanged.

    A feature that the versions imply already is not listed again. Raises `UnknownFeatureError`, and
    `ReaderVersionTooLowError` or `WriterVersionTooLowError` when the versions cannot carry the feature; what else they
    cannot carry is in `details["also"]`.
    """
    return with_features(protocol, (feature,), catalog)


def with_features(protocol: Protocol, features: Iterable[str], catalog: FeatureCatalog) -> Protocol:
    """The protocol with several features supported; see `with_feature`."""
    records = [catalog.get(name) for name in features]
    if protocol.reader_features is not None and protocol.writer_features is not None:
        prepared = prepare(catalog)
        added = prepared.closure(record.name for record in records)
        return Protocol(
            protocol.min_reader_version,
            protocol.min_writer_version,
            protocol.reader_features | (added & prepared.reader_features),
            protocol.writer_features | added,
        )
    before = protocol
    try:
        for record in records:
            protocol = _add_one(protocol, record, catalog)
    except (ReaderVersionTooLowError, WriterVersionTooLowError) as first:
        faults = {fault.message: fault.to_json() for fault in _faults(before, records, catalog)}
        faults.pop(first.message, None)
        first.details["also"] = list(faults.values())
        raise
    return protocol


def _faults(
    protocol: Protocol, features: Iterable[TableFeature], catalog: FeatureCatalog
) -> Iterator[ReaderVersionTooLowError | WriterVersionTooLowError]:
    """Everything that the versions cannot carry, of the features and of all that they require."""
    for name in sorted(prepare(catalog).closure(feature.name for feature in features)):
        feature = catalog.get(name)
        carried = feature.is_legacy and feature.min_reader_version <= protocol.min_reader_version
        if feature.is_reader_feature and not protocol.lists_reader_features and not carried:
            yield _reader_version_too_low(protocol, feature)
        carried = feature.is_legacy and feature.min_writer_version <= protocol.min_writer_version
        if not protocol.lists_writer_features and not carried:
            yield _writer_version_too_low(protocol, feature)


def _add_one(protocol: Protocol, feature: TableFeature, catalog: FeatureCatalog) -> Protocol:
    list_for_readers = feature.is_reader_feature and not _reader_version_implies(protocol, feature)
    list_for_writers = not _writer_version_implies(protocol, feature)
    for required in sorted(feature.requires):
        protocol = _add_one(protocol, catalog.get(required), catalog)
    if list_for_readers and protocol.reader_features is None:
        raise _reader_version_too_low(protocol, feature)
    if list_for_writers and protocol.writer_features is None:
        raise _writer_version_too_low(protocol, feature)
    reader_features, writer_features = protocol.reader_features, protocol.writer_features
    if list_for_readers and reader_features is not None:
        reader_features |= {feature.name}
    if list_for_writers and writer_features is not None:
        writer_features |= {feature.name}
    return Protocol(protocol.min_reader_version, protocol.min_writer_version, reader_features, writer_features)


def _reader_version_implies(protocol: Protocol, feature: TableFeature) -> bool:
    """Whether the reader version does without a list. Raises when it has none and is too low."""
    if not feature.is_legacy or protocol.lists_reader_features:
        return False
    if feature.min_reader_version <= protocol.min_reader_version:
        return True
    raise _reader_version_too_low(protocol, feature)


def _writer_version_implies(protocol: Protocol, feature: TableFeature) -> bool:
    """Whether the writer version does without a list. Raises when it has none and is too low."""
    if not feature.is_legacy or protocol.lists_writer_features:
        return False
    if feature.min_writer_version <= protocol.min_writer_version:
        return True
    raise _writer_version_too_low(protocol, feature)


def _reader_version_too_low(protocol: Protocol, feature: TableFeature) -> ReaderVersionTooLowError:
    needed = feature.min_reader_version
    return ReaderVersionTooLowError(
        f"{feature.name} needs reader version {needed}, the protocol has {protocol.min_reader_version}.",
        fix=f"Raise minReaderVersion to {needed}, or to {READER_VERSION_WITH_FEATURE_LIST} to list features by name.",
        details={"feature": feature.name, "required": needed, "current": protocol.min_reader_version},
    )


def _writer_version_too_low(protocol: Protocol, feature: TableFeature) -> WriterVersionTooLowError:
    needed = feature.min_writer_version
    return WriterVersionTooLowError(
        f"{feature.name} needs writer version {needed}, the protocol has {protocol.min_writer_version}.",
        fix=f"Raise minWriterVersion to {needed}, or to {WRITER_VERSION_WITH_FEATURE_LIST} to list features by name.",
        details={"feature": feature.name, "required": needed, "current": protocol.min_writer_version},
    )


def protocol_for_feature(feature: str, catalog: FeatureCatalog) -> Protocol:
    """The list-form protocol that names a feature and what it directly requires, as Delta's `forTableFeature`."""
    record = catalog.get(feature)
    names = record.requires | {record.name}
    listed = [catalog.get(name) for name in names]
    readers = [one for one in listed if one.is_reader_feature and not one.is_legacy]
    reader_version = max((one.min_reader_version for one in readers), default=1)
    return Protocol(
        reader_version,
        WRITER_VERSION_WITH_FEATURE_LIST,
        frozenset(one.name for one in readers) or None,
        names,
    )


# --- what a protocol supports -------------------------------------------------------------------


def implicitly_supported_features(protocol: Protocol, catalog: FeatureCatalog) -> frozenset[str]:
    """The features that the versions alone imply."""
    if protocol.lists_writer_features:
        return NO_FEATURES
    return prepare(catalog).implied_by(protocol.min_reader_version, protocol.min_writer_version)


def supported_features(protocol: Protocol, catalog: FeatureCatalog) -> frozenset[str]:
    """Every known feature the protocol supports, implied or named. Delta calls it implicitly and explicitly."""
    return prepare(catalog).supported(protocol)


def supports(protocol: Protocol, feature: str, catalog: FeatureCatalog) -> bool:
    """Whether the protocol supports one feature."""
    return catalog.get(feature).name in supported_features(protocol, catalog)


def unknown_features(protocol: Protocol, catalog: FeatureCatalog) -> frozenset[str]:
    """The features a protocol names that the catalog does not have."""
    listed = protocol.listed_features
    return listed - catalog.names and frozenset(name for name in listed if name not in catalog)


# --- normal forms -------------------------------------------------------------------------------


def normalized(protocol: Protocol, catalog: FeatureCatalog) -> Protocol:
    """The weakest protocol that supports the same features; a legacy protocol is returned as it is.

    Features the catalog does not know stay listed where they were. Raises when the listed features are not closed
    over their requirements and the lower versions cannot carry what is missing.
    """
    if protocol.writer_features is None:
        return protocol
    prepared = prepare(catalog)
    listed = prepared.known(protocol.listed_features)
    if prepared.closure(listed) == listed:
        lowest = prepared.lowest_protocol(listed)
    else:
        reader_version, _ = prepared.minimum_versions(listed)
        base = Protocol.of(reader_version, WRITER_VERSION_WITH_FEATURE_LIST)
        lowest = with_features(base, sorted(listed), catalog)
    unknown = unknown_features(protocol, catalog)
    return with_unknown(lowest, protocol, unknown, catalog) if unknown else lowest


def with_unknown(lowest: Protocol, protocol: Protocol, unknown: frozenset[str], catalog: FeatureCatalog) -> Protocol:
    """A protocol that also lists the names that `protocol` has and the catalog does not."""
    prepared = prepare(catalog)
    known = prepared.supported(lowest)
    readers = protocol.reader_feature_names & unknown
    writers = (protocol.writer_feature_names & unknown) | known
    if not readers and lowest.min_reader_version < READER_VERSION_WITH_FEATURE_LIST:
        return Protocol(lowest.min_reader_version, WRITER_VERSION_WITH_FEATURE_LIST, None, writers)
    listed = readers | (known & prepared.reader_features)
    return Protocol(READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST, listed, writers)


def denormalized(protocol: Protocol, catalog: FeatureCatalog) -> Protocol:
    """The list form of a legacy protocol; any other is returned as it is."""
    if protocol.lists_writer_features:
        return protocol
    prepared = prepare(catalog)
    implied = prepared.implied_by(protocol.min_reader_version, protocol.min_writer_version)
    reader_version, _ = prepared.minimum_versions(implied)
    return with_features(Protocol.of(reader_version, WRITER_VERSION_WITH_FEATURE_LIST), sorted(implied), catalog)


def denormalized_normalized(protocol: Protocol, catalog: FeatureCatalog) -> Protocol:
    """Both in turn, which repairs legacy protocols with numbers higher than their features need, such as (2, 3)."""
    return normalized(denormalized(protocol, catalog), catalog)


# --- comparing and combining --------------------------------------------------------------------


def merge(protocol: Protocol, others: Iterable[Protocol], catalog: FeatureCatalog) -> Protocol:
    """The weakest protocol that supports everything any of them supports. Raises as `normalized` does."""
    protocols = (protocol, *others)
    merged = Protocol.of(
        max(one.min_reader_version for one in protocols),
        max(one.min_writer_version for one in protocols),
        NO_FEATURES.union(*(one.reader_feature_names for one in protocols)),
        NO_FEATURES.union(*(one.writer_feature_names for one in protocols)),
    )
    implied = NO_FEATURES.union(*(implicitly_supported_features(one, catalog) for one in protocols))
    return denormalized_normalized(with_features(merged, sorted(implied), catalog), catalog)


def can_upgrade_to(protocol: Protocol, to: Protocol, catalog: FeatureCatalog) -> bool:
    """Whether `to` supports everything that `protocol` supports."""
    prepared = prepare(catalog)
    return prepared.supported(protocol) <= prepared.supported(to)


def can_downgrade_to(
    protocol: Protocol,
    to: Protocol,
    dropped_feature: str,
    catalog: FeatureCatalog,
    *,
    allowed_additions: frozenset[str] = frozenset(),
) -> bool:
    """Whether `to` is `protocol` without `dropped_feature`, give or take `allowed_additions`.

    Dropping a feature may add a guard for the history that still needs it; the caller names which.
    """
    prepared = prepare(catalog)
    before, after = prepared.supported(protocol), prepared.supported(to)
    additions = after - before
    dropped = catalog.find(dropped_feature)
    return additions <= allowed_additions and before - {dropped.name if dropped else None} == after - additions


def can_transition_to(
    protocol: Protocol,
    to: Protocol,
    catalog: FeatureCatalog,
    *,
    dropped_feature: str | None = None,
    allowed_additions: frozenset[str] = frozenset(),
) -> bool:
    """Whether a commit may change `protocol` to `to`: an upgrade, or a downgrade when it drops a feature."""
    if dropped_feature is None:
        return can_upgrade_to(protocol, to, catalog)
    return can_downgrade_to(protocol, to, dropped_feature, catalog, allowed_additions=allowed_additions)


def remove_feature(protocol: Protocol, feature: str, catalog: FeatureCatalog) -> Protocol:
    """The weakest protocol without one feature. Raises `FeatureNotRemovableError`, and as `normalized` does."""
    record = catalog.get(feature)
    if not record.is_removable:
        raise FeatureNotRemovableError(
            f"{record.name} cannot be removed from a table.",
            fix="Copy the data into a new table that never had the feature.",
            details={"feature": record.name},
        )
    listed = denormalized(protocol, catalog)
    reader_features = listed.reader_features
    if record.is_reader_feature and reader_features is not None:
        reader_features -= {record.name}
    return normalized(
        Protocol(
            listed.min_reader_version,
            listed.min_writer_version,
            reader_features,
            listed.writer_feature_names - {record.name},
        ),
        catalog,
    )
