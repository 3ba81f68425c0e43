"""Whether this library reads a table, and if not, why and who does."""

from __future__ import annotations

from deltaresolver.defaults import built_in_catalog, default_catalog, delta_spark_catalog
from deltaresolver.errors import DeltaResolverError, ProtocolMismatchError, ReadUnsupportedError
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.feature import TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.protocol import NO_FEATURES, Protocol
from deltaresolver.model.support import ReadAs, Task
from deltaresolver.planning import Act, TableNeeds, default_knowledge
from deltaresolver.resolution.components import automatically_enabled_features
from deltaresolver.resolution.graph import asking_order
from deltaresolver.resolution.prepared import prepare
from deltaresolver.spark.reading.shown_rows import ShownRows

READER_VERSIONS = (1, 2, 3)


def ensure_readable(protocol: Protocol, metadata: Metadata, task: Task = Task.READ) -> None:
    """Raise where the rows of such a table, or with `task` the changes of its rows, cannot be shown here.

    Raises `ReadUnsupportedError`, and `ProtocolMismatchError` where the protocol lacks what the metadata uses.
    """
    if protocol.min_reader_version not in READER_VERSIONS:
        raise _unsupported(protocol, metadata, [f"reader version {protocol.min_reader_version}"])
    if protocol.lists_writer_features:
        _check_listed(protocol, metadata)  # first, since no client at all reads such a table
    catalog = catalog_for(protocol)
    listed = (catalog.find(name) or name for name in sorted(protocol.listed_features))
    missing: dict[str, str] = {}
    for feature in listed:
        if isinstance(feature, str):
            if feature in protocol.reader_feature_names:
                missing[feature] = ""
            continue
        for asked in dict.fromkeys((Task.READ, task)):
            reason = feature.support.why_refused(asked, metadata)
            if reason is not None:
                missing.setdefault(feature.name, reason)
    if missing:
        raise _unsupported(protocol, metadata, [f"{name} ({why})" if why else name for name, why in missing.items()])


def ensure_shown_as_stored(protocol: Protocol, metadata: Metadata, task: Task = Task.READ) -> None:
    """Rows are shown just as they are stored, for readers that evaluate no expressions. Raises as `ensure_readable`."""
    ensure_readable(protocol, metadata, task)
    shown = shown_rows(protocol, metadata)
    if not shown.changes_nothing:
        names = shown.names
        raise ReadUnsupportedError(
            f"The table's rows are shown as {', '.join(names)} will have them, which is not applied here.",
            fix="Read the table with deltaresolver.spark.read.",
            details={"missing": names, "clients": []},
        )


def shown_rows(protocol: Protocol, metadata: Metadata) -> ShownRows:
    """What the features of a readable table make of its rows. Raises `FeatureReadFailedError`."""
    catalog = catalog_for(protocol)
    showing = catalog.derived(_showing)
    supported = prepare(catalog).supported(protocol) if showing else NO_FEATURES
    return ShownRows.of((one for one in showing if one.name in supported), metadata)


def catalog_for(protocol: Protocol) -> FeatureCatalog:
    """The built-in features where the protocol lists no others; with installed ones where it does.

    So a plugin that cannot be used does not keep anybody from reading tables that have nothing to do with it.
    """
    built_in = built_in_catalog()
    return built_in if protocol.listed_features <= built_in.names else default_catalog()


def _showing(catalog: FeatureCatalog) -> tuple[TableFeature, ...]:
    """The features that show rows otherwise, a feature after those it requires."""
    ordered = (catalog.get(name) for name in asking_order(catalog))
    return tuple(feature for feature in ordered if isinstance(feature.support.read, ReadAs))


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
