"""clustering: files are laid out by chosen columns, which can change without rewriting the table.

The clustering columns are kept in a metadata domain. `CLUSTER BY` asks for the feature by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import msgspec

from deltaresolver.errors import ClusteringError, DomainMetadataError, TablePropertyRefusedError
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.behaviour import Draft, FeatureBehaviour, TableState, Winner
from deltaresolver.model.clustering import Clustering, ClusteringChange
from deltaresolver.model.facts.columns import assigned_name
from deltaresolver.model.facts.keys import CLUSTERING_DOMAIN
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, walk_fields
from deltaresolver.model.support import LogTraces, Support
from deltaresolver.plugins import hookimpl


class ClusteringBehaviour(FeatureBehaviour):
    """Stores the clustering columns in a metadata domain, and refuses to drop them from the schema."""

    domains_ended_by_replace = frozenset({CLUSTERING_DOMAIN})

    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """Raise `TablePropertyRefusedError`: the feature is added together with its columns, not by name."""
        verb = "CREATE" if is_new_table else "ALTER"
        raise TablePropertyRefusedError(
            f"{key} cannot be set: a clustered table has clustering columns, which a property cannot name.",
            fix="Use CLUSTER BY with the columns.",
            details={"key": key},
            delta_condition=f"DELTA_{verb}_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
        )

    def cluster_by(self, table: TableState, columns: Sequence[FieldPath]) -> ClusteringChange:
        """The domain with these columns in place of the current ones. Raises `DomainMetadataError`."""
        domain = table.domains.get(CLUSTERING_DOMAIN)
        before = Clustering() if domain is None else Clustering(_columns(domain), is_kept=True)
        value = {"clusteringColumns": [list(path) for path in columns], "domainName": CLUSTERING_DOMAIN}
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        return ClusteringChange(before, (DomainMetadata(CLUSTERING_DOMAIN, text, removed=False),))

    def check_draft(self, draft: Draft) -> None:
        """Raise `ClusteringError` for a table that is also partitioned, or that drops a clustering column."""
        _ensure_not_partitioned(draft)
        _ensure_columns_stay(draft, draft.before.domains)

    def rebase(self, draft: Draft, winner: Winner) -> Draft:
        """Raise `ClusteringError` where the winner has clustered the table by a column that the draft drops."""
        if draft.changes_metadata:
            _ensure_columns_stay(draft, {domain.domain: domain for domain in winner.domains})
        return draft


def _columns(domain: DomainMetadata) -> tuple[FieldPath, ...]:
    try:
        value = msgspec.json.decode(domain.configuration, type=_Kept)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DomainMetadataError(
            f"The metadata domain {CLUSTERING_DOMAIN} does not hold clustering columns: {error}.",
            fix="Write the domain as delta-spark does: the lists of physical names under clusteringColumns.",
            details={"domain": CLUSTERING_DOMAIN, "configuration": domain.configuration},
        ) from error
    return value.clustering_columns


class _Kept(msgspec.Struct, rename="camel"):
    """The content of the domain."""

    clustering_columns: tuple[FieldPath, ...] = ()


def _ensure_columns_stay(draft: Draft, domains: Mapping[str, DomainMetadata]) -> None:
    before, metadata = draft.before.metadata, draft.metadata
    if draft.before.is_new or before.schema_string == metadata.schema_string or draft.operation.replaces_table:
        return
    domain = domains.get(CLUSTERING_DOMAIN)
    is_written = any(
        isinstance(action, DomainMetadata) and action.domain == CLUSTERING_DOMAIN for action in draft.actions
    )
    if domain is None or domain.removed or is_written or draft.operation.can_change_partition_columns:
        return
    here = _physical_paths(metadata)
    gone = [path for path in _columns(domain) if path in _physical_paths(before) and path not in here]
    if gone:
        names = [".".join(_physical_paths(before)[path]) for path in gone]
        raise ClusteringError(
            f"The table is clustered by {', '.join(names)}, so the column cannot be dropped.",
            fix="Cluster by other columns first, or by NONE.",
            details={"columns": names},
            delta_condition="DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN",
        )


def _physical_paths(metadata: Metadata) -> dict[FieldPath, FieldPath]:
    """The logical path of every field, by its physical one."""
    physical: dict[FieldPath, FieldPath] = {}
    for path, field in walk_fields(metadata.schema):
        name = assigned_name(field)
        physical[path] = (*physical.get(path[:-1], path[:-1]), name)
    return {there: path for path, there in physical.items()}


def _ensure_not_partitioned(draft: Draft) -> None:
    clustered = any(
        isinstance(action, DomainMetadata) and action.domain == CLUSTERING_DOMAIN and not action.removed
        for action in draft.actions
    )
    newly_partitioned = draft.changes_metadata and draft.metadata.partition_columns
    if clustered and newly_partitioned and draft.before.is_new:
        raise ClusteringError(
            "A table cannot be clustered and partitioned at once; this one would be partitioned by "
            f"{', '.join(draft.metadata.partition_columns)}.",
            fix="Leave out either the partition columns or the clustering columns.",
            details={"partition_columns": list(draft.metadata.partition_columns)},
            delta_condition="DELTA_CLUSTER_BY_WITH_PARTITIONED_BY",
        )


@hookimpl
def table_feature() -> TableFeature:
    """Declare clustering."""
    return TableFeature(
        name="clustering",
        kind=FeatureKind.WRITER,
        min_reader_version=0,
        min_writer_version=7,
        summary="Data is clustered by columns that can be changed at any time.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#clustered-table",
        requires={"domainMetadata"},
        aborts_concurrent_writers=True,
        behaviour=ClusteringBehaviour(),
        support=Support(),
        traces=LogTraces(domains=(CLUSTERING_DOMAIN,)),
    )
