"""The operations delta-spark knows, by name: what each may do, and how history shows its parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from deltaresolver.model.operation import Operation

_CHANGE_DATA = frozenset(
    {
        "WRITE",
        "STREAMING UPDATE",
        "DELETE",
        "TRUNCATE",
        "CONVERT",
        "MERGE",
        "UPDATE",
        "CREATE TABLE AS SELECT",
        "REPLACE TABLE",
        "REPLACE TABLE AS SELECT",
        "CREATE OR REPLACE TABLE",
        "CREATE OR REPLACE TABLE AS SELECT",
        "RESTORE",
        "CLONE",
    }
)
_REPLACE = frozenset(
    {
        "REPLACE TABLE",
        "REPLACE TABLE AS SELECT",
        "CREATE OR REPLACE TABLE",
        "CREATE OR REPLACE TABLE AS SELECT",
    }
)
_CHANGE_PARTITIONING = _REPLACE | {
    "CREATE TABLE",
    "CREATE TABLE AS SELECT",
    "RENAME COLUMN",
    "Manual Update",
    "CLONE",
}
_IN_PLACE = frozenset({"DROP FEATURE", "COMPUTE STATS", "ROW TRACKING BACKFILL", "ROW TRACKING UNBACKFILL"})
_ANY_BOUNDS = frozenset(
    {
        "Manual Update",
        "COMPUTE STATS",
        "RESTORE",
        "CLONE",
        "OPTIMIZE CHECKPOINT",
        "ROW TRACKING BACKFILL",
        "ROW TRACKING UNBACKFILL",
    }
)


def operation(name: str, parameters: Mapping[str, Any] | None = None, **more: Any) -> Operation:
    """The operation called `name`, allowed what delta-spark allows it. Unknown names are allowed nothing special.

    `more` are further fields of `Operation`, such as `user_metadata` or `metrics`.
    """
    known = Operation(
        name,
        dict(parameters or {}),
        changes_data=name in _CHANGE_DATA,
        can_change_partition_columns=name in _CHANGE_PARTITIONING,
        updates_files_in_place=None if name == "Manual Update" else name in _IN_PLACE,
        demands_wide_bounds=name not in _ANY_BOUNDS,
        replaces_table=name in _REPLACE,
    )
    return attrs.evolve(known, **more)


def _listed(values: Sequence[str]) -> str:
    return json.dumps(list(values), separators=(",", ":"), ensure_ascii=False)


def _mapped(values: Mapping[str, str]) -> str:
    return json.dumps(dict(values), separators=(",", ":"), ensure_ascii=False)


def write(
    mode: str = "Append",
    partition_by: Sequence[str] | None = None,
    predicate: str | None = None,
    *,
    overwrites_schema: bool = False,
    merges_schema: bool = False,
    overwrites_dynamically: bool = False,
) -> Operation:
    """Rows are appended, or put in place of others; only an overwrite of the schema may change the partitioning."""
    parameters: dict[str, Any] = {"mode": mode}
    if partition_by is not None:
        parameters["partitionBy"] = _listed(partition_by)
    if predicate is not None:
        parameters["predicate"] = predicate
    allowed = {
        "isDynamicPartitionOverwrite": overwrites_dynamically,
        "canOverwriteSchema": overwrites_schema,
        "canMergeSchema": merges_schema,
    }
    parameters.update({name: True for name, is_allowed in allowed.items() if is_allowed})
    changes = mode == "Overwrite" and overwrites_schema
    return operation("WRITE", parameters, can_change_partition_columns=changes)


def with_predicate(name: str, predicates: Sequence[str] = ()) -> Operation:
    """DELETE, UPDATE or COMPUTE STATS where `predicates` hold."""
    return operation(name, {"predicate": _listed(predicates)})


def merge(predicates: Sequence[str] = ()) -> Operation:
    """MERGE on `predicates`, without telling its clauses."""
    clauses = ("matchedPredicates", "notMatchedPredicates", "notMatchedBySourcePredicates")
    return operation("MERGE", {"predicate": _listed(predicates), **dict.fromkeys(clauses, "[]")})


def streaming_update(output_mode: str, query_id: str, epoch_id: int) -> Operation:
    """One micro-batch of a streaming query."""
    return operation("STREAMING UPDATE", {"outputMode": output_mode, "queryId": query_id, "epochId": str(epoch_id)})


def optimize(
    predicates: Sequence[str] = (),
    z_order_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    *,
    auto: bool = False,
    is_full: bool = False,
) -> Operation:
    """Files are rewritten without changing a row; for clustered tables alone it is noted whether all files were."""
    lists = {"predicate": _listed(predicates), "zOrderBy": _listed(z_order_by), "clusterBy": _listed(cluster_by)}
    return operation("OPTIMIZE", {**lists, "auto": auto, **({"isFull": is_full} if cluster_by else {})})


def vacuum_start(*, checks_retention: bool, configured_ms: int, asked_ms: int | None) -> Operation:
    """VACUUM begins to delete files."""
    asked = {} if asked_ms is None else {"specifiedRetentionMillis": asked_ms}
    parameters = {"retentionCheckEnabled": checks_retention, "defaultRetentionMillis": configured_ms, **asked}
    return operation("VACUUM START", parameters)


def vacuum_end(*, is_completed: bool) -> Operation:
    """VACUUM has deleted files, or failed to."""
    return operation("VACUUM END", {"status": "COMPLETED" if is_completed else "FAILED"})


def restore(table_version: int | None, timestamp: str | None) -> Operation:
    """A table is put back to a version, or to a moment."""
    return operation("RESTORE", {"version": table_version, "timestamp": timestamp})


def convert(
    files: int, partition_by: Sequence[str], *, collects_statistics: bool, source_format: str, name: str | None = None
) -> Operation:
    """Files that are there become a table, which the session's catalog may know by a name."""
    shown = {"numFiles": files, "partitionedBy": _listed(partition_by), "collectStats": collects_statistics}
    named = {} if name is None else {"catalogTable": name}
    return operation("CONVERT", {**shown, **named, "sourceFormat": source_format})


def clone(source: str, source_version: int) -> Operation:
    """A table names the files of another."""
    return operation("CLONE", {"source": source, "sourceVersion": source_version})


def reorg(predicates: Sequence[str] = ()) -> Operation:
    """REORG TABLE ... APPLY (PURGE)."""
    return operation("REORG", {"predicate": _listed(predicates), "applyPurge": True})


def table_creation(
    name: str = "CREATE TABLE",
    *,
    partition_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    description: str | None = None,
    is_managed: bool = False,
    properties: Mapping[str, str] | None = None,
) -> Operation:
    """CREATE TABLE or REPLACE TABLE, in any of their forms."""
    parameters = {
        "partitionBy": _listed(partition_by),
        "clusterBy": _listed(cluster_by),
        "description": description,
        "isManaged": "true" if is_managed else "false",
        "properties": _mapped(properties or {}),
    }
    return operation(name, parameters)


def set_properties(properties: Mapping[str, str]) -> Operation:
    """ALTER TABLE SET TBLPROPERTIES."""
    return operation("SET TBLPROPERTIES", {"properties": _mapped(properties)})


def unset_properties(keys: Sequence[str], *, if_exists: bool) -> Operation:
    """ALTER TABLE UNSET TBLPROPERTIES."""
    return operation("UNSET TBLPROPERTIES", {"properties": _listed(keys), "ifExists": if_exists})


def upgrade_uniform(properties: Mapping[str, str]) -> Operation:
    """The first commit of REORG TABLE ... APPLY (UPGRADE UNIFORM): the properties that it sets."""
    return operation("REORG TABLE UPGRADE UNIFORM", {"properties": _mapped(properties)})


def drop_feature(feature: str, *, truncate_history: bool = False) -> Operation:
    """ALTER TABLE DROP FEATURE."""
    parameters = {"featureName": feature, "truncateHistory": truncate_history}
    return operation("DROP FEATURE", parameters, drops_feature=feature)


def upgrade_protocol(protocol_json: Mapping[str, Any]) -> Operation:
    """A protocol written as asked; `protocol_json` is the action's JSON."""
    names = ("minReaderVersion", "minWriterVersion", "readerFeatures", "writerFeatures")
    text = json.dumps({name: protocol_json.get(name) for name in names}, separators=(",", ":"))
    return operation("UPGRADE PROTOCOL", {"newProtocol": text})


def row_tracking_backfill(batch: int = 0) -> Operation:
    """Files get the row ids they lack."""
    return operation("ROW TRACKING BACKFILL", {"batchId": str(batch)})


def row_tracking_unbackfill(batch: int = 0) -> Operation:
    """Files lose their row ids, before row tracking is dropped."""
    return operation("ROW TRACKING UNBACKFILL", {"batchId": str(batch)})


def manual_update() -> Operation:
    """A commit of which nothing more is known."""
    return operation("Manual Update")


def together(operations: Sequence[Operation]) -> Operation:
    """Several operations as one: the only one, or TRANSACTION with the names of all, their metrics added up."""
    if len(operations) == 1:
        return operations[0]
    sums: dict[str, int] = {"numStatements": len(operations)}
    for each in operations:
        for name, value in each.metrics.items():
            if value.isdecimal():
                sums[name] = sums.get(name, 0) + int(value)
    return Operation(
        "TRANSACTION",
        {"statements": _listed([each.name for each in operations])},
        changes_data=any(each.changes_data for each in operations),
        can_change_partition_columns=any(each.can_change_partition_columns for each in operations),
        demands_wide_bounds=any(each.demands_wide_bounds for each in operations),
        user_metadata=next((each.user_metadata for each in operations if each.user_metadata is not None), None),
        metrics={name: str(value) for name, value in sums.items()},
    )
