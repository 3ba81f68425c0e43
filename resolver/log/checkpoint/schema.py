"""The columns of a checkpoint: one struct per kind of action, as the specification's checkpoint schema has them."""

from __future__ import annotations

import pyarrow as pa

from deltaresolver.log.columnar.arrow_schema import ADD_FILES, STRING_MAP, TOMBSTONES

_NAMES = pa.list_(pa.string())
_LONG = pa.int64()

TRANSACTION = pa.struct({"appId": pa.string(), "version": _LONG, "lastUpdated": _LONG})
METADATA = pa.struct(
    {
        "id": pa.string(),
        "name": pa.string(),
        "description": pa.string(),
        "format": pa.struct({"provider": pa.string(), "options": STRING_MAP}),
        "schemaString": pa.string(),
        "partitionColumns": _NAMES,
        "configuration": STRING_MAP,
        "createdTime": _LONG,
    }
)
PROTOCOL = pa.struct(
    {
        "minReaderVersion": pa.int32(),
        "minWriterVersion": pa.int32(),
        "readerFeatures": _NAMES,
        "writerFeatures": _NAMES,
    }
)
DOMAIN = pa.struct({"domain": pa.string(), "configuration": pa.string(), "removed": pa.bool_()})
CHECKPOINT_METADATA = pa.struct({"version": _LONG, "tags": STRING_MAP})
SIDECAR = pa.struct({"path": pa.string(), "sizeInBytes": _LONG, "modificationTime": _LONG, "tags": STRING_MAP})

SMALL_COLUMNS = {"txn": TRANSACTION, "metaData": METADATA, "protocol": PROTOCOL, "domainMetadata": DOMAIN}
"""Everything in a checkpoint but the files."""

V2_COLUMNS = {"checkpointMetadata": CHECKPOINT_METADATA, "sidecar": SIDECAR}
"""What only V2 checkpoints have, in their top-level file."""

REMOVE = pa.struct([field.with_nullable(True) for field in TOMBSTONES if field.name not in ("stats", "tags")])
"""A tombstone: VACUUM alone reads it, so it goes without statistics and tags."""

_ADD_FIELDS = [field.with_nullable(True) for field in ADD_FILES if field.name != "stats"]


def add_type(
    *, stats_as_json: bool, stats_parsed: pa.StructType | None, partition_values_parsed: pa.StructType | None
) -> pa.StructType:
    """The struct of a live file; `stats` and the typed copies only where the table asks for them."""
    fields = list(_ADD_FIELDS)
    if stats_as_json:
        fields.append(pa.field("stats", pa.string()))
    if partition_values_parsed is not None:
        fields.append(pa.field("partitionValues_parsed", partition_values_parsed))
    if stats_parsed is not None:
        fields.append(pa.field("stats_parsed", stats_parsed))
    return pa.struct(fields)


def file_schema(add: pa.StructType) -> pa.Schema:
    """The columns of a sidecar."""
    return pa.schema({"add": add, "remove": REMOVE})


def classic_schema(add: pa.StructType) -> pa.Schema:
    """The columns of a classic checkpoint or of one of its parts."""
    return pa.schema({"txn": TRANSACTION, "add": add, "remove": REMOVE, **_without(SMALL_COLUMNS, "txn")})


def top_level_schema() -> pa.Schema:
    """The columns of a V2 checkpoint's Parquet top level.

    All files are in sidecars, but delta-spark cannot read a top level without their columns.
    """
    add = add_type(stats_as_json=True, stats_parsed=None, partition_values_parsed=None)
    return pa.schema({**SMALL_COLUMNS, "add": add, "remove": REMOVE, **V2_COLUMNS})


def _without(columns: dict[str, pa.DataType], name: str) -> dict[str, pa.DataType]:
    return {key: kind for key, kind in columns.items() if key != name}
