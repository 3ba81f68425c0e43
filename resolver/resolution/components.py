"""Which features a table needs, and the lowest versions that carry them: the building blocks of a resolution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import NO_FEATURES, WRITER_VERSION_WITH_FEATURE_LIST, Protocol
from deltaresolver.model.view import TableView
from deltaresolver.resolution.instructions import ensure_session_versions, features_asked_for, versions_asked_for
from deltaresolver.resolution.prepared import prepare


class Components(NamedTuple):
    """Versions and features side by side, for callers who want to know what caused the versions."""

    min_reader_version: int
    min_writer_version: int
    features: frozenset[str]


class RequiredFeatures(NamedTuple):
    """What a new table needs, and from where each part comes."""

    features: frozenset[str]
    """Everything together, closed over dependencies."""
    asked: Mapping[str, str]
    """Asked for by name, with the property that asks."""
    enabled: frozenset[str]
    """Switched on by metadata."""
    implied: frozenset[str]
    """Implied by versions asked for."""


def automatically_enabled_features(metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog) -> frozenset[str]:
    """The features the protocol names or the metadata switches on, and all they require.

    Raises `PropertyInvalidError` and `SchemaMalformedError` for metadata a trigger cannot read.
    """
    prepared = prepare(catalog)
    # A trigger that stands back for a listed feature knows it by its exact name, as clients that look for it do.
    named = protocol.listed_features if protocol.lists_writer_features else prepared.supported(protocol)
    enabled = prepared.triggers.enabled(TableView(metadata, named))
    return prepared.closure(prepared.known(protocol.writer_feature_names).union(enabled))


def unlisted_features(protocol: Protocol, metadata: Metadata, catalog: FeatureCatalog) -> frozenset[str]:
    """What the metadata switches on and a feature list does not name, and what the features in it need.

    Raises what a trigger raises that cannot read the metadata.
    """
    if not protocol.lists_writer_features:
        return frozenset()
    return automatically_enabled_features(metadata, protocol, catalog) - protocol.writer_feature_names


def minimum_components_from_automatic_features(
    metadata: Metadata, protocol: Protocol, catalog: FeatureCatalog
) -> Components:
    """The least versions and the set of automatically enabled features; 0 where no feature needs a version."""
    prepared = prepare(catalog)
    features = automatically_enabled_features(metadata, protocol, catalog)
    return Components(
        max((prepared.reader_versions[name] for name in features), default=0),
        max((prepared.writer_versions[name] for name in features), default=0),
        features,
    )


def required_features(metadata: Metadata, instructions: Mapping[str, str], catalog: FeatureCatalog) -> RequiredFeatures:
    """What a table with this metadata needs if properties among `instructions` ask for more; no protocol is given.

    Raises the errors of `features_asked_for` and `versions_asked_for`, and of triggers.
    """
    prepared = prepare(catalog)
    asked = features_asked_for(instructions, catalog)
    enabled = prepared.triggers.enabled(TableView(metadata, prepared.closure(asked)))
    implied = _implied_by_versions_asked_for(instructions, catalog)
    # What a version implies requires nothing further: admission sees to that.
    features = prepared.closure(enabled.union(asked)) | implied
    return RequiredFeatures(features, asked, frozenset(enabled), implied)


def _implied_by_versions_asked_for(instructions: Mapping[str, str], catalog: FeatureCatalog) -> frozenset[str]:
    reader_version, writer_version = versions_asked_for(instructions)
    if reader_version is None or writer_version is None or writer_version >= WRITER_VERSION_WITH_FEATURE_LIST:
        return NO_FEATURES
    # Reader 3 needs writer 7; with a lower writer version it can mean no more than reader 2.
    return prepare(catalog).implied_by(min(2, reader_version), writer_version)


def minimum_components_from_metadata(
    metadata: Metadata, catalog: FeatureCatalog, session: Mapping[str, str] | None = None
) -> Components:
    """The least versions and features that satisfy metadata and instructions.

    The session's defaults are not considered, only checked: raises `PropertyInvalidError` for versions that do not
    exist.
    """
    ensure_session_versions(session or {})
    prepared = prepare(catalog)
    features = required_features(metadata, metadata.configuration, catalog).features
    protocol = prepared.lowest_protocol(features)
    return Components(protocol.min_reader_version, protocol.min_writer_version, features)
