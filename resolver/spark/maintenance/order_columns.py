"""By which columns OPTIMIZE lays a table out: those it is asked for, or those the table is clustered by."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from deltaresolver.errors import ClusteredOptimizeError, UnknownColumnError, ZOrderColumnError
from deltaresolver.expressions.stored_column import find_column
from deltaresolver.log.checkpoint.indexed_leaves import indexed_leaves
from deltaresolver.model.facts.keys import CLUSTERING_DOMAIN
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.rules import read_boolean
from deltaresolver.model.schema import FieldPath
from deltaresolver.spark.maintenance.bins import BinSizes
from deltaresolver.spark.maintenance.cubes import Cubes, CubeSizes
from deltaresolver.spark.maintenance.layouts import Clustered, Compaction, Layout, ZOrder
from deltaresolver.spark.maintenance.table_detail import clustering_columns
from deltaresolver.transaction.ddl.token_stream import TokenStream, read_all

if TYPE_CHECKING:
    from deltaresolver.spark.changes.changed_table import ChangedTable
    from deltaresolver.spark.maintenance.optimize import Optimize

CHECKS_STATISTICS = "spark.databricks.delta.optimize.zorder.checkStatsCollection.enabled"


def chosen_layout(changed: ChangedTable, asked: Optimize, sizes: BinSizes, session: Mapping[str, str]) -> Layout:
    """The layout that the table and the request call for. Raises `ZOrderColumnError`, `ClusteredOptimizeError`."""
    domain = changed.snapshot.domains.get(CLUSTERING_DOMAIN)
    is_clustered = domain is not None and not domain.removed
    columns = clustering_columns(changed.snapshot) if is_clustered else []
    if is_clustered:
        _ensure_whole(asked)
    if asked.is_full and not columns:
        raise ClusteredOptimizeError(
            "OPTIMIZE FULL is only supported for clustered tables with non-empty clustering columns.",
            fix="Leave out full, or cluster the table with ALTER TABLE ... CLUSTER BY first.",
            delta_class="DeltaUnsupportedOperationException",
            delta_condition="DELTA_OPTIMIZE_FULL_NOT_SUPPORTED",
        )
    if columns and domain is not None:
        stored = tuple(tuple(path) for path in json.loads(domain.configuration)["clusteringColumns"])
        cubes = Cubes(columns, CubeSizes.of(session), is_full=asked.is_full)
        return Clustered(cubes, stored, sizes, asked.is_auto)
    if asked.z_order_by:
        checks = read_boolean(CHECKS_STATISTICS, session.get(CHECKS_STATISTICS, "true"))
        ordered = z_order_columns(changed.metadata, asked.z_order_by, checks=checks)
        return ZOrder(tuple(map(_as_told, asked.z_order_by)), ordered, sizes)
    return Compaction(sizes, asked.is_auto)


def _as_told(name: str) -> str:
    """A column's name as history has it: quoted only where a dot is part of it."""
    return ".".join(f"`{part}`" if "." in part else part for part in read_all(name, TokenStream.read_path))


def _ensure_whole(asked: Optimize) -> None:
    if asked.where:
        raise ClusteredOptimizeError(
            "OPTIMIZE command for Delta table with clustering doesn't support partition predicates. Please remove the "
            f"predicates: {', '.join(asked.where)}.",
            fix="Leave the restriction out.",
            details={"where": list(asked.where)},
            delta_class="DeltaUnsupportedOperationException",
            delta_condition="DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
        )
    if asked.z_order_by:
        raise ClusteredOptimizeError(
            "OPTIMIZE command for Delta table with clustering cannot specify ZORDER BY. Please remove ZORDER BY "
            f"({', '.join(asked.z_order_by)}).",
            fix="Leave the columns out: the table is laid out by its clustering columns.",
            details={"columns": list(asked.z_order_by)},
            delta_class="DeltaAnalysisException",
            delta_condition="DELTA_CLUSTERING_WITH_ZORDER_BY",
        )


def z_order_columns(metadata: Metadata, names: Sequence[str], *, checks: bool = True) -> tuple[FieldPath, ...]:
    """The columns as data files have them; with `checks`, all must have statistics. Raises `ZOrderColumnError`."""
    indexed = {leaf.physical for leaf in indexed_leaves(metadata)}
    found, blind = [], []
    for name in names:
        try:
            column = find_column(metadata, read_all(name, TokenStream.read_path))
        except UnknownColumnError as error:
            raise ZOrderColumnError(
                f"Z-Ordering column {name} does not exist in data schema.",
                fix=error.fix,
                details={"column": name},
                delta_condition="DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST",
            ) from error
        if column.is_partition:
            raise ZOrderColumnError(
                f"{name} is a partition column. Z-Ordering can only be performed on data columns",
                fix="Name other columns; to restrict OPTIMIZE to partitions, use where.",
                details={"column": name},
                delta_class="IllegalArgumentException",
                delta_condition="DELTA_ZORDERING_ON_PARTITION_COLUMN",
            )
        if checks and column.physical_path not in indexed:
            blind.append(name)
        found.append(column.physical_path)
    if blind:
        raise ZOrderColumnError(
            f"Z-Ordering on [{', '.join(blind)}] will be ineffective, because we currently do not collect stats for "
            f"these columns. You can disable this check by setting SET {CHECKS_STATISTICS} = false",
            fix="Name columns among the first 32, or let delta.dataSkippingStatsColumns name these.",
            details={"columns": blind},
            delta_condition="DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS",
        )
    return tuple(found)
