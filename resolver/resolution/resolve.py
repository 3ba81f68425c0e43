"""Resolving: from a request to the smallest set of features and the lowest protocol that carries it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from deltaresolver.errors import ManualEnablementError, ProtocolVersionUnknownError, UnknownFeatureError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.facts.keys import MAPPING_MODE
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import READER_VERSION_WITH_FEATURE_LIST, WRITER_VERSION_WITH_FEATURE_LIST, Protocol
from deltaresolver.model.view import TableView
from deltaresolver.resolution.algebra import merge, unknown_features, with_features, with_unknown
from deltaresolver.resolution.components import automatically_enabled_features, required_features
from deltaresolver.resolution.instructions import (
    FEATURE_PREFIX,
    described_by_session,
    ensure_no_instructions,
    ensure_session_versions,
    features_asked_for,
    ignores_protocol_defaults,
    is_instruction,
    versions_asked_for,
    with_session_defaults,
    without_instructions,
)
from deltaresolver.resolution.legacy import legacy_protocol_for_new_table, legacy_upgrade
from deltaresolver.resolution.prepared import PreparedCatalog, prepare
from deltaresolver.resolution.relations import BrokenRelation, broken_relations, ensure_relations
from deltaresolver.resolution.resolution import Policy, Resolution

NO_SESSION: Mapping[str, str] = {}


def resolve_new_table(
    metadata: Metadata,
    catalog: FeatureCatalog,
    *,
    session: Mapping[str, str] = NO_SESSION,
    policy: Policy = Policy.EXACT,
) -> Resolution:
    """The protocol of a table about to be created with this metadata.

    Instructions in the metadata (`delta.feature.*`, `delta.minReaderVersion`, ...) and the session's protocol
    defaults count. Raises `InvalidInputError` for values that cannot be read, `UnknownFeatureError` for
    features asked for that the catalog does not have.
    """
    if session:
        ensure_session_versions(session)
    if policy is Policy.LEGACY:
        protocol, features = legacy_protocol_for_new_table(metadata, session, catalog)
        return Resolution(protocol, features, metadata, catalog, None, session, policy)
    if session:
        # Of several values that cannot be read, this is the one that delta-spark names.
        ignores_protocol_defaults(metadata.configuration, session)
        _ensure_readable(session, catalog)
    instructions = with_session_defaults(metadata.configuration, session)
    features = required_features(metadata, instructions, catalog).features
    prepared = prepare(catalog)
    if prepared.restricting:
        ensure_relations(metadata, features, catalog)
    return Resolution(prepared.lowest_protocol(features), features, metadata, catalog, None, session)


def _ensure_readable(session: Mapping[str, str], catalog: FeatureCatalog) -> None:
    """The session's defaults have values that rules can read. Raises `PropertyInvalidError`."""
    triggers = prepare(catalog).triggers
    # Of several that cannot be read, delta-spark names the mapping mode.
    for key, value in sorted(described_by_session(session).items(), key=lambda item: item[0] != MAPPING_MODE):
        # One at a time: an alias is read even where the newer spelling is set.
        if triggers.reads_property(key):
            triggers.enabled(TableView(Metadata(configuration={key: value})))


def resolve_upgrade(
    metadata: Metadata,
    protocol: Protocol,
    catalog: FeatureCatalog,
    *,
    policy: Policy = Policy.EXACT,
    before: Metadata | None = None,
) -> Resolution:
    """The protocol of an existing table after a change to this metadata; equal to `protocol` if that will do.

    Instructions in the metadata are honoured as `ALTER TABLE ... SET TBLPROPERTIES` does: versions and features
    asked for are merged in, lower numbers change nothing. The result never supports less than before. `before` is the
    metadata that the table has: relations that it does not keep to already are no reason to refuse. Raises
    `ManualEnablementError` when the metadata needs a feature that may not add itself, `FeatureRelationError` where
    features do not go together, `UnknownFeatureError` for
    a feature the catalog does not have, `ProtocolVersionUnknownError` for a protocol of versions that do not
    exist, and `InvalidInputError` for values that cannot be read.
    """
    ensure_known(protocol, catalog)
    if policy is Policy.LEGACY:
        upgraded, features = legacy_upgrade(metadata, protocol, catalog)
        return Resolution(upgraded or protocol, features, metadata, catalog, protocol, policy=policy)
    asked_metadata, base = metadata, protocol
    if any(map(is_instruction, metadata.configuration)):
        base = _with_features_asked(_with_versions_asked(protocol, metadata, catalog), metadata, catalog)
        metadata = metadata.with_configuration(without_instructions(metadata.configuration))
    upgraded = upgrade_from_metadata(metadata, base, catalog, kept=kept_relations(before, protocol, catalog)) or base
    return Resolution(upgraded, prepare(catalog).supported(upgraded), asked_metadata, catalog, protocol)


def kept_relations(before: Metadata | None, protocol: Protocol, catalog: FeatureCatalog) -> tuple[BrokenRelation, ...]:
    """The relations that a table does not keep to, however that came about; None of metadata for a new table."""
    prepared = prepare(catalog)
    if before is None or not prepared.restricting:
        return ()
    return tuple(broken_relations(before, prepared.supported(protocol), catalog))


def resolve_known_part(
    metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog, *, before: Metadata | None = None
) -> Resolution:
    """As `resolve_upgrade`, for a table that may list features unknown here too: they stay listed."""
    unknown = unknown_features(protocol, catalog)
    if not unknown:
        return resolve_upgrade(metadata, protocol, catalog, before=before)
    known = Protocol(
        protocol.min_reader_version,
        protocol.min_writer_version,
        None if protocol.reader_features is None else protocol.reader_features - unknown,
        None if protocol.writer_features is None else protocol.writer_features - unknown,
    )
    found = resolve_upgrade(metadata, known, catalog, before=before)
    if found.protocol == known:
        return attrs.evolve(found, protocol=protocol, current=protocol)
    beside = with_unknown(found.protocol, protocol, unknown, catalog)
    return attrs.evolve(found, protocol=beside, current=protocol)


def upgrade_from_metadata(
    metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog, *, kept: Iterable[BrokenRelation] = ()
) -> Protocol | None:
    """The protocol that also supports what the metadata switches on, or None when the current one will do.

    Looks at metadata only, instructions aside. Raises `ManualEnablementError`, and `FeatureRelationError` for relations
    that the table did keep to: those are not among `kept`.
    """
    prepared = prepare(catalog)
    required = automatically_enabled_features(metadata, protocol, catalog)
    supported = prepared.supported(protocol)
    if prepared.restricting:
        ensure_relations(metadata, prepared.closure(required | supported), catalog, kept)
    if required <= supported:
        return None
    missing = required - supported
    if not missing.isdisjoint(prepared.waiting):
        raise _waiting_to_be_asked(missing, supported, prepared)
    together = required | supported
    if prepared.closure(together) == together:
        return prepared.lowest_protocol(together)
    return merge(prepared.lowest_protocol(required), (protocol,), catalog)


def _waiting_to_be_asked(
    missing: frozenset[str], supported: frozenset[str], prepared: PreparedCatalog
) -> ManualEnablementError:
    waiting = sorted(missing & prepared.waiting)
    switched_on = {name for name in missing - prepared.waiting if prepared.catalog.get(name).trigger is not None}
    properties = ", ".join(f"'{FEATURE_PREFIX}{name}' = 'supported'" for name in waiting)
    return ManualEnablementError(
        f"The metadata needs {', '.join(waiting)}, which may not be added to an existing table unasked.",
        fix=f"First run ALTER TABLE ... SET TBLPROPERTIES ({properties}).",
        details={"unsupportedFeatures": waiting, "supportedFeatures": sorted(supported | switched_on)},
    )


def _with_versions_asked(protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog) -> Protocol:
    reader_version, writer_version = versions_asked_for(metadata.configuration)
    if reader_version is None and writer_version is None:
        return protocol
    asked = Protocol.of(
        protocol.min_reader_version if reader_version is None else reader_version,
        protocol.min_writer_version if writer_version is None else writer_version,
    )
    return merge(protocol, (asked,), catalog)


def _with_features_asked(protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog) -> Protocol:
    asked = features_asked_for(metadata.configuration, catalog)
    if protocol.listed_features >= set(asked):
        return protocol
    prepared = prepare(catalog)
    reader_version = 3 if prepared.closure(asked) & prepared.reader_features else protocol.min_reader_version
    carrier = Protocol.of(reader_version, WRITER_VERSION_WITH_FEATURE_LIST)
    return merge(with_features(carrier, sorted(asked), catalog), (protocol,), catalog)


def check_protocol_requirements(
    metadata: Metadata,
    current: Protocol,
    catalog: FeatureCatalog,
    *,
    policy: Policy = Policy.EXACT,
    kept: Iterable[BrokenRelation] = (),
) -> Protocol | None:
    """The protocol a table must change to for this metadata, or None.

    Raises `ProtocolPropertyInMetadataError` when the metadata still holds instructions, and as
    `upgrade_from_metadata`.
    """
    ensure_no_instructions(metadata)
    if policy is Policy.LEGACY:
        return legacy_upgrade(metadata, current, catalog)[0]
    return upgrade_from_metadata(metadata, current, catalog, kept=kept)


def ensure_known(protocol: Protocol, catalog: FeatureCatalog) -> None:
    """The protocol's versions exist and its features are in the catalog.

    Raises `ProtocolVersionUnknownError` and `UnknownFeatureError`.
    """
    _ensure_version_exists(protocol)
    unknown = unknown_features(protocol, catalog)
    if not unknown:
        return
    error = catalog.unknown(unknown, asked_by="in the table's protocol")
    which = "it" if len(unknown) == 1 else "each of them"
    raise UnknownFeatureError(
        f"{error.message}{catalog.why_absent(unknown)}",
        fix=f"Install the plugin that registers {which}, or use a client that knows {which}.",
        details=error.details,
        delta_condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
    )


def _ensure_version_exists(protocol: Protocol) -> None:
    """The versions are among those there are: what a later one would mean nobody can say."""
    reader_version, writer_version = protocol.min_reader_version, protocol.min_writer_version
    if reader_version <= READER_VERSION_WITH_FEATURE_LIST and writer_version <= WRITER_VERSION_WITH_FEATURE_LIST:
        return
    raise ProtocolVersionUnknownError(
        f"The table's protocol has reader version {reader_version} and writer version {writer_version}; the highest "
        f"known are {READER_VERSION_WITH_FEATURE_LIST} and {WRITER_VERSION_WITH_FEATURE_LIST}.",
        fix="Upgrade deltaresolver if there is a release that knows these versions; otherwise ask whoever wrote them.",
        details={
            "minReaderVersion": reader_version,
            "minWriterVersion": writer_version,
            "highestReaderVersion": READER_VERSION_WITH_FEATURE_LIST,
            "highestWriterVersion": WRITER_VERSION_WITH_FEATURE_LIST,
        },
    )


def lowest_form(protocol: Protocol, catalog: FeatureCatalog) -> Protocol:
    """The lowest protocol that supports exactly what `protocol` supports; no feature is gained or lost."""
    ensure_known(protocol, catalog)
    prepared = prepare(catalog)
    return prepared.lowest_protocol(prepared.supported(protocol))
