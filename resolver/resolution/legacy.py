"""The `legacy` policy: numbered protocols by ordered checks, as Delta decided before features had names."""

from __future__ import annotations

from collections.abc import Mapping

from deltaresolver.errors import IdentityColumnsUnsupportedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import Protocol
from deltaresolver.model.view import TableView
from deltaresolver.resolution.algebra import merge
from deltaresolver.resolution.instructions import (
    DEFAULT_READER_VERSION,
    DEFAULT_WRITER_VERSION,
    MIN_READER_VERSION,
    MIN_WRITER_VERSION,
    SESSION_READER_VERSION,
    SESSION_WRITER_VERSION,
    ensure_no_instructions,
    versions_asked_for,
)
from deltaresolver.resolution.prepared import prepare


def required_minimum_protocol(metadata: Metadata, catalog: FeatureCatalog) -> tuple[Protocol, tuple[str, ...]]:
    """The least numbered protocol the metadata needs, starting at (0, 0), and the features used, in order of check.

    Raises `IdentityColumnsUnsupportedError` for a feature that the Delta of that time checked for and refused.
    """
    view = TableView(metadata)
    reader_version = writer_version = 0
    used: list[str] = []
    legacy = [feature for feature in catalog if feature.legacy is not None]
    for feature in sorted(legacy, key=lambda one: (one.legacy.check_order if one.legacy else 0, one.name)):
        if feature.legacy is None or feature.trigger is None or not feature.trigger.fires(view):
            continue
        reader_version = max(reader_version, feature.legacy.reader_version)
        writer_version = max(writer_version, feature.legacy.writer_version)
        used.append(feature.name)
        if feature.legacy.refusal is not None:
            raise IdentityColumnsUnsupportedError(
                feature.legacy.refusal,
                fix="Resolve with the exact policy, or remove the columns.",
                details={"feature": feature.name, "featuresUsed": used},
            )
    return Protocol(reader_version, writer_version), tuple(used)


def legacy_instructions(configuration: Mapping[str, str], session: Mapping[str, str]) -> dict[str, str]:
    """The versions a new table starts from, all that instructed Delta then; its properties count in any case."""
    lowered = {key.lower(): value for key, value in configuration.items()}
    reader_version = session.get(SESSION_READER_VERSION, DEFAULT_READER_VERSION)
    writer_version = session.get(SESSION_WRITER_VERSION, DEFAULT_WRITER_VERSION)
    return {
        MIN_READER_VERSION: lowered.get(MIN_READER_VERSION.lower(), reader_version),
        MIN_WRITER_VERSION: lowered.get(MIN_WRITER_VERSION.lower(), writer_version),
    }


def legacy_protocol_for_new_table(
    metadata: Metadata, session: Mapping[str, str], catalog: FeatureCatalog
) -> tuple[Protocol, frozenset[str]]:
    """The highest of what the metadata needs, what its properties ask for and what the session defaults to."""
    required, used = required_minimum_protocol(metadata, catalog)
    reader_version, writer_version = versions_asked_for(legacy_instructions(metadata.configuration, session))
    protocol = Protocol.of(
        max(required.min_reader_version, reader_version or 0),
        max(required.min_writer_version, writer_version or 0),
        prepare(catalog).reader_features.intersection(used),
        used,
    )
    return protocol, frozenset(used)


def legacy_upgrade(
    metadata: Metadata, current: Protocol, catalog: FeatureCatalog
) -> tuple[Protocol | None, frozenset[str]]:
    """The raised protocol of an existing table, or None when it is high enough; with the features used.

    A table that lists its features by name gets those it lacks by name: no number implies them there.
    Raises `ProtocolPropertyInMetadataError` and `IdentityColumnsUnsupportedError`.
    """
    ensure_no_instructions(metadata)
    required, used = required_minimum_protocol(metadata, catalog)
    if current.lists_writer_features:
        return _listing(frozenset(used), current, catalog), frozenset(used)
    reader_version = max(required.min_reader_version, current.min_reader_version)
    writer_version = max(required.min_writer_version, current.min_writer_version)
    if (reader_version, writer_version) == (current.min_reader_version, current.min_writer_version):
        return None, frozenset(used)
    return Protocol.of(reader_version, writer_version), frozenset(used)


def _listing(used: frozenset[str], current: Protocol, catalog: FeatureCatalog) -> Protocol | None:
    prepared = prepare(catalog)
    if used <= prepared.supported(current):
        return None
    return merge(current, (prepared.lowest_protocol(prepared.closure(used)),), catalog)
