"""clustering: files are laid out by chosen columns, which can change without rewriting the table.

The clustering columns are kept in a metadata domain. `CLUSTER BY` asks for the feature by name.
"""

from __future__ import annotations

from deltaresolver.errors import ClusteringError, TablePropertyRefusedError
from deltaresolver.model.actions import DomainMetadata
from deltaresolver.model.behaviour import Draft, FeatureBehaviour
from deltaresolver.model.feature import FeatureKind, TableFeature
from deltaresolver.plugins import hookimpl

DOMAIN = "delta.clustering"


class ClusteringBehaviour(FeatureBehaviour):
    """Knows the metadata domain that holds the clustering columns."""

    domains_ended_by_replace = frozenset({DOMAIN})

    def check_request(self, key: str, *, is_new_table: bool) -> None:
        """Raise `TablePropertyRefusedError`: the feature comes with its columns."""
        verb = "CREATE" if is_new_table else "ALTER"
        raise TablePropertyRefusedError(
            f"{key} cannot be set: a clustered table has clustering columns, which a property cannot name.",
            fix="Use CLUSTER BY in Spark.",
            details={"key": key},
            delta_condition=f"DELTA_{verb}_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED",
        )

    def check_draft(self, draft: Draft) -> None:
        """Raise `ClusteringError` for a clustered table that is partitioned too, by this commit."""
        clustered = any(
            isinstance(action, DomainMetadata) and action.domain == DOMAIN and not action.removed
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
        summary="Data is clustered by columns that can be changed at any time.",
        spec_url="https://github.com/delta-io/delta/blob/master/PROTOCOL.md#clustered-table",
        requires={"domainMetadata"},
        aborts_concurrent_writers=True,
        behaviour=ClusteringBehaviour(),
    )
