"""One schema for files that have several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from deltaresolver.errors import ConversionSchemaError, DeltaResolverError
from deltaresolver.log.storage.local_store import LocalStore
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.model.schema import (
    ArrayType,
    DataType,
    FieldPath,
    MapType,
    StructField,
    StructType,
    parse_schema,
    quote_path,
)
from deltaresolver.spark.file_systems import spark_location
from deltaresolver.spark.maintenance.convert.footers import PARQUET_SCHEMA
from deltaresolver.spark.reading.file_location import FileLocation
from deltaresolver.spark.schema import delta_schema, schema_with

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WHOLE = ("byte", "short", "integer")
_NULL_TYPES = ("void", "null")


def table_schema(spark: SparkSession, store: LogStore, texts: Mapping[str, str], partitions: StructType) -> StructType:
    """The schema of all files by the texts of their footers, with the partition columns.

    A partition column that files have too stays where they have it, with the declared type; the others come last.
    Raises `ConversionSchemaError`.
    """
    merged = StructType()
    seen: set[str] = set()
    for path, text in texts.items():
        if text in seen:
            continue
        seen.add(text)
        found = _schema_of(spark, store, path, text)
        try:
            merged = _merged(merged, found, ())
        except _DifferentError as error:
            raise ConversionSchemaError(
                f"Failed to merge schema of file {path}: {error}.",
                fix="Write the file again with the types of the others, or move it out of the folder.",
                details={"path": path, "reason": str(error)},
                delta_condition="DELTA_FAILED_TO_MERGE_FIELDS",
            ) from error
    declared = {field.name.lower(): field for field in partitions.fields}
    inside = {field.name.lower() for field in merged.fields}
    fields = tuple(declared.get(field.name.lower(), field) for field in merged.fields)
    return StructType((*fields, *(field for field in partitions.fields if field.name.lower() not in inside)))


class _DifferentError(Exception):
    """Two types do not go together."""


def _schema_of(spark: SparkSession, store: LogStore, path: str, text: str) -> StructType:
    """The schema in the words of Spark: as it has noted it, else as it understands the file."""
    if not text.startswith(PARQUET_SCHEMA):
        try:
            return schema_with(parse_schema(text), _plain)
        except DeltaResolverError:
            pass  # a note that cannot be read is passed over, as Spark does
    location = f"file:{store.location}" if isinstance(store, LocalStore) else spark_location(store.location)
    place = FileLocation(f"{location}/{path}").spark_path
    found = spark.read.option("recursiveFileLookup", "true").parquet(place).schema
    return schema_with(delta_schema(found), _plain)


def _plain(field: StructField, data_type: DataType) -> StructField:
    """The field as a new table's: it may be null, and of its metadata only the comment stays."""
    comment = (field.metadata or {}).get("comment")
    if isinstance(data_type, ArrayType):
        data_type = msgspec.structs.replace(data_type, contains_null=True)
    if isinstance(data_type, MapType):
        data_type = msgspec.structs.replace(data_type, value_contains_null=True)
    return StructField(field.name, data_type, True, {} if comment is None else {"comment": comment})


def _merged(one: StructType, other: StructType, path: FieldPath) -> StructType:
    given = {field.name.lower(): field for field in other.fields}
    known = {field.name.lower() for field in one.fields}
    fields = [_merged_field(field, given.get(field.name.lower()), path) for field in one.fields]
    return StructType((*fields, *(field for field in other.fields if field.name.lower() not in known)))


def _merged_field(field: StructField, other: StructField | None, path: FieldPath) -> StructField:
    if other is None or other.type == field.type:
        return field
    return msgspec.structs.replace(field, type=_merged_type(field.type, other.type, (*path, field.name)))


def _merged_type(one: DataType, other: DataType, path: FieldPath) -> DataType:
    if one == other or other in _NULL_TYPES:
        return one
    if one in _NULL_TYPES:
        return other
    if isinstance(one, StructType) and isinstance(other, StructType):
        return _merged(one, other, path)
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        return ArrayType(_merged_type(one.element_type, other.element_type, (*path, "element")))
    if isinstance(one, MapType) and isinstance(other, MapType):
        key = _merged_type(one.key_type, other.key_type, (*path, "key"))
        return MapType(key, _merged_type(one.value_type, other.value_type, (*path, "value")))
    if one in _WHOLE and other in _WHOLE:
        return max(str(one), str(other), key=_WHOLE.index)
    shown = [each if isinstance(each, str) else type(each).__name__ for each in (one, other)]
    raise _DifferentError(f"column {quote_path(path)} is {shown[0]} in other files and {shown[1]} in this one")
