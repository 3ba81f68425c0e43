"""Rows of the Arrow tables of files as actions, for callers who want values instead of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from deltaresolver.errors import ActionMalformedError
from deltaresolver.model.actions import AddFile, DeletionVector, RemoveFile

_BATCH = 10_000


def iterate_rows(table: pa.Table) -> Iterator[Mapping[str, Any]]:
    """The rows one by one, converted a batch at a time. Raises `ActionMalformedError` for what is not a string."""
    for batch in table.to_batches(max_chunksize=_BATCH):
        try:
            rows = batch.to_pylist()
        except UnicodeDecodeError as error:
            raise ActionMalformedError(
                f"A text of a file's action is not UTF-8: {error}.",
                fix="Restore the checkpoint that holds it from a backup, or delete it if all commits are still there.",
                details={"reason": str(error)},
            ) from error
        yield from rows


def add_from_row(row: Mapping[str, Any]) -> AddFile:
    """The action of a row shaped `arrow_schema.ADD_FILES`; a column that the row lacks, beside the path, is null."""
    return AddFile(
        path=row["path"],
        partition_values=dict(row.get("partitionValues") or ()),
        size=row.get("size") or 0,
        modification_time=row.get("modificationTime") or 0,
        data_change=bool(row.get("dataChange")),
        stats=row.get("stats"),
        tags=_mapping(row.get("tags")),
        deletion_vector=vector_from_row(row.get("deletionVector")),
        base_row_id=row.get("baseRowId"),
        default_row_commit_version=row.get("defaultRowCommitVersion"),
        clustering_provider=row.get("clusteringProvider"),
    )


def remove_from_row(row: Mapping[str, Any]) -> RemoveFile:
    """The action of a row shaped `arrow_schema.TOMBSTONES`."""
    return RemoveFile(
        path=row["path"],
        deletion_timestamp=row["deletionTimestamp"],
        data_change=bool(row["dataChange"]),
        extended_file_metadata=row["extendedFileMetadata"],
        partition_values=_mapping(row["partitionValues"]),
        size=row["size"],
        stats=row["stats"],
        tags=_mapping(row["tags"]),
        deletion_vector=vector_from_row(row["deletionVector"]),
        base_row_id=row["baseRowId"],
        default_row_commit_version=row["defaultRowCommitVersion"],
    )


def _mapping(items: Any) -> dict[str, str | None] | None:
    return None if items is None else dict(items)


def row_from_vector(vector: DeletionVector | None) -> dict[str, Any] | None:
    """A deletion vector as the column `deletionVector` holds it."""
    if vector is None:
        return None
    return {
        "storageType": vector.storage_type,
        "pathOrInlineDv": vector.path_or_inline,
        "offset": vector.offset,
        "sizeInBytes": vector.size_in_bytes,
        "cardinality": vector.cardinality,
        "maxRowIndex": vector.max_row_index,
    }


def vector_from_row(value: Mapping[str, Any] | None) -> DeletionVector | None:
    """The deletion vector that a value of the column `deletionVector` describes."""
    if value is None:
        return None
    if value["storageType"] is None or value["pathOrInlineDv"] is None:
        raise ActionMalformedError(
            "A deletion vector has no storageType or no pathOrInlineDv.",
            fix="Find the writer of this action; the file that holds it has to be restored or repaired.",
            details={"deletionVector": {name: value[name] for name in ("storageType", "pathOrInlineDv")}},
        )
    return DeletionVector(
        storage_type=value["storageType"],
        path_or_inline=value["pathOrInlineDv"],
        offset=value["offset"],
        size_in_bytes=value["sizeInBytes"] or 0,
        cardinality=value["cardinality"] or 0,
        max_row_index=value["maxRowIndex"],
    )
