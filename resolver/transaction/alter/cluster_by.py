"""ALTER TABLE CLUSTER BY, and the rules for the clustering columns of a new table."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from deltaresolver.errors import ClusteringError, UnknownColumnError
from deltaresolver.expressions.stored_column import StoredColumn, find_column
from deltaresolver.log.checkpoint.indexed_leaves import indexed_leaves
from deltaresolver.model.behaviour import TableState
from deltaresolver.model.catalog import FeatureCatalog
from deltaresolver.model.clustering import ClusteringChange
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, base_type, quote_path, walk_fields
from deltaresolver.resolution.instructions import FEATURE_PREFIX
from deltaresolver.transaction.alter.table_change import PlannedChange
from deltaresolver.transaction.behaviours import behaviours_of
from deltaresolver.transaction.operation import operation

MAX_COLUMNS = 4
_ORDERED = frozenset({"byte", "short", "integer", "long", "float", "double", "decimal", "date", "timestamp",
                      "timestamp_ntz", "string"})  # fmt: skip


@attrs.frozen(slots=True)
class ClusterBy:
    """Lay files out by these columns from now on; by none to stop."""

    columns: tuple[FieldPath, ...]

    def plan(self, table: TableState, catalog: FeatureCatalog) -> PlannedChange | None:
        """None for a table that was never clustered and is not to be. Raises `ClusteringError`."""
        metadata = table.metadata
        named_columns(metadata, self.columns)
        if metadata.partition_columns:
            raise ClusteringError(
                f"A table cannot be clustered and partitioned at once; this one is partitioned by "
                f"{', '.join(metadata.partition_columns)}.",
                fix="Write the rows into a new table that is clustered.",
                details={"partition_columns": list(metadata.partition_columns)},
                delta_condition="DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED",
            )
        physical = clustering_columns(metadata, self.columns)
        found = clustering_change(table, physical, catalog)
        if found is None:
            raise _no_feature()
        change = found.change
        if not (self.columns or change.before.is_kept):
            return None
        names = {"oldClusteringColumns": _logical(metadata, change.before.columns), "newClusteringColumns": self._shown}
        shown = operation("CLUSTER BY", names)
        asking = None if found.feature in table.supported else asking_for(metadata, found.feature)
        return PlannedChange(shown, asking, tuple(change.actions))

    @property
    def _shown(self) -> str:
        return ",".join(map(quote_path, self.columns))


def clustering_columns(metadata: Metadata, columns: Sequence[FieldPath]) -> list[FieldPath]:
    """The columns by physical names. Raises `ClusteringError` for columns that a table cannot be clustered by."""
    found = named_columns(metadata, columns)
    unordered = [path for path, one in zip(columns, found, strict=True) if base_type(one.type) not in _ORDERED]
    if unordered:
        named = ", ".join(map(quote_path, unordered))
        told = f"{named} has no lowest and highest value by which files could be told apart"
        raise _refused(told, unordered, "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED")
    indexed = {leaf.physical for leaf in indexed_leaves(metadata)}
    blind = [path for path, one in zip(columns, found, strict=True) if one.physical_path not in indexed]
    if blind:
        told = f"no statistics are kept for {', '.join(map(quote_path, blind))}"
        raise _refused(told, blind, "DELTA_CLUSTERING_COLUMN_MISSING_STATS")
    return [one.physical_path for one in found]


def named_columns(metadata: Metadata, columns: Sequence[FieldPath]) -> list[StoredColumn]:
    """The columns as they are stored. Raises `ClusteringError` for ones not there, there twice, or too many."""
    try:
        found = [find_column(metadata, path) for path in columns]
    except UnknownColumnError as error:
        raise ClusteringError(
            error.message, fix=error.fix, details=error.details, delta_condition="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"
        ) from None
    stored = [one.physical_path for one in found]
    twice = [path for path, one in zip(columns, stored, strict=True) if stored.count(one) > 1]
    if twice:
        raise _refused(f"{quote_path(twice[0])} is named twice", twice, "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY")
    if len(columns) > MAX_COLUMNS:
        told = f"by {MAX_COLUMNS} columns at most, not by {len(columns)}"
        raise _refused(told, columns, "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS")
    return found


@attrs.frozen(slots=True)
class FeatureChange:
    """What the feature that clusters tables would do."""

    feature: str
    change: ClusteringChange


def clustering_change(table: TableState, columns: Sequence[FieldPath], catalog: FeatureCatalog) -> FeatureChange | None:
    """What clusters a table by columns, given by physical names; None if no feature of the catalog can.

    Features that the table supports are asked before all others, since it is they that lay it out already.
    """
    asked = behaviours_of(catalog).all_with("cluster_by")
    for name, behaviour in sorted(asked, key=lambda one: one[0] not in table.supported):
        change = behaviour.cluster_by(table, columns)
        if change is not None:
            return FeatureChange(name, change)
    return None


def asking_for(metadata: Metadata, feature: str) -> Metadata:
    """The metadata with the feature asked for by name."""
    return metadata.with_configuration({**metadata.configuration, f"{FEATURE_PREFIX}{feature}": "supported"})


def _logical(metadata: Metadata, columns: Sequence[FieldPath]) -> str:
    """The columns as users know them; one that is gone under the name it has in files."""
    known = {find_column(metadata, path).physical_path: path for path, _ in walk_fields(metadata.schema)
             if not {"element", "key", "value"} & set(path)}  # fmt: skip
    return ",".join(quote_path(known.get(path, path)) for path in columns)


def _refused(told: str, columns: Sequence[FieldPath], condition: str) -> ClusteringError:
    return ClusteringError(
        f"The table cannot be clustered like this: {told}.",
        fix="Cluster by other columns.",
        details={"columns": [quote_path(path) for path in columns]},
        delta_condition=condition,
    )


def _no_feature() -> ClusteringError:
    return ClusteringError(
        "No feature in the catalog clusters tables.", fix="Use a catalog with a feature that does, such as clustering."
    )
