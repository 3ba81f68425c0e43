"""NOT NULL columns in the schema of a read, where the files are known to hold no null.

Spark takes a column that is declared without nulls at its word: it folds `IS NULL` away and shows whatever lies in the
place of a null. So the declaration of the table alone is not enough; every file that is read must promise it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa

from deltaresolver.log.pruning.null_free import null_free
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import FieldPath, StructField, StructType
from deltaresolver.spark.reading.partition_values import PartitionColumn, Values
from deltaresolver.spark.schema import spark_schema
from deltaresolver.spark.session import is_connect, is_of_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

NO_PATHS: frozenset[FieldPath] = frozenset()
_WHOLE = {"byte": 1 << 7, "short": 1 << 15, "integer": 1 << 31, "long": 1 << 63}
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def declared_not_null(fields: Iterable[StructField], parent: FieldPath = ()) -> Iterator[tuple[FieldPath, StructField]]:
    """The fields declared NOT NULL, and those in structs."""
    for field in fields:
        path = (*parent, field.name)
        if not field.nullable:
            yield path, field
        if isinstance(field.type, StructType):
            yield from declared_not_null(field.type.fields, path)


def never_null(
    files: pa.Table,
    metadata: Metadata,
    fields: Sequence[StructField],
    partitions: Sequence[PartitionColumn],
    values: Sequence[Values],
) -> frozenset[FieldPath]:
    """The fields declared NOT NULL that hold no null in any of `files`.

    `values` are the texts of the partition columns `partitions` for each file. A struct is not null where something in
    it never is.
    """
    declared = list(declared_not_null(fields))
    if not declared:
        return NO_PATHS
    by_name = {column.name: place for place, column in enumerate(partitions)}
    leaves = {path: list(_leaves(path, field)) for path, field in declared if path[0] not in by_name}
    free = null_free(files, metadata, {leaf for found in leaves.values() for leaf in found})
    found = {path for path, below in leaves.items() if not free.isdisjoint(below)}
    for path, field in declared:
        place = by_name.get(path[0])
        if place is not None and _are_values(field.type, {each[place] for each in values}):
            found.add(path)
    return frozenset(found)


def _leaves(path: FieldPath, field: StructField) -> Iterator[FieldPath]:
    if not isinstance(field.type, StructType):
        yield path
        return
    for each in field.type.fields:
        yield from _leaves((*path, each.name), each)


def with_nullability(physical: StructField, field: StructField, paths: Collection[FieldPath]) -> StructField:
    """The physical field of `field`, and what is in its structs, not nullable where `paths` has it."""
    return _with_nullability(physical, field, paths, ()) if paths else physical


def _with_nullability(
    physical: StructField, field: StructField, paths: Collection[FieldPath], parent: FieldPath
) -> StructField:
    path, kind = (*parent, field.name), physical.type
    if isinstance(kind, StructType) and isinstance(field.type, StructType):
        pairs = zip(kind.fields, field.type.fields, strict=True)
        kind = StructType(tuple(_with_nullability(stored, own, paths, path) for stored, own in pairs))
    return msgspec.structs.replace(physical, type=kind, nullable=path not in paths)


# --- rows of data files ----------------------------------------------------------------------------


def shown_not_null(spark: SparkSession, rows: DataFrame, data: StructType) -> DataFrame:
    """The rows of Spark's Parquet reader with the nullability of `data`, which its own schema leaves out.

    On Spark Connect, and where a release makes its relations in another way, the rows as they are.
    """
    if is_connect(spark) or not any(True for _ in declared_not_null(data.fields)):
        return rows
    frame: Any = rows
    session: Any = spark
    try:
        plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - PySpark has no other way to the relation
        if plan.getClass().getSimpleName() != "LogicalRelation":
            return rows
        relation = plan.relation()
        types = session._jvm.org.apache.spark.sql.types.DataType  # noqa: SLF001
        made = relation.copy(
            relation.location(),
            relation.partitionSchema(),
            types.fromJson(spark_schema(data).json()),
            relation.bucketSpec(),
            relation.fileFormat(),
            relation.options(),
            relation.sparkSession(),
        )
        kind: Any = type(rows)
        found: DataFrame = kind(session._jsparkSession.baseRelationToDataFrame(made), spark)  # noqa: SLF001
    except Exception as error:
        if not is_of_spark(error):
            raise
        return rows
    return found


# --- partition values ------------------------------------------------------------------------------


def _are_values(kind: object, texts: Collection[str | None]) -> bool:
    """Whether each text certainly reads as a value of the type; of types with several notations that is not known."""
    return all(text is not None and _is_value(kind, text) for text in texts)


def _is_value(kind: object, text: str) -> bool:
    if kind == "string":
        return text != ""
    if kind == "boolean":
        return text in ("true", "false")
    if kind in _WHOLE:
        limit = _WHOLE[str(kind)]
        return _NUMBER.fullmatch(text) is not None and -limit <= int(text) < limit
    if kind == "date" and _DAY.fullmatch(text) is not None:
        try:
            datetime.date.fromisoformat(text)
        except ValueError:
            return False
        return True
    return False


def never_null_partition(value: Column, kind: object) -> Column:
    """A partition value that is known to be none, as a Column that Spark knows it of."""
    from pyspark.sql import functions as f

    instead: Any = {"string": "", "boolean": False, "date": datetime.date(1970, 1, 1)}.get(str(kind), 0)
    filler = f.lit(instead)
    return f.coalesce(value, filler.cast(str(kind)) if kind in _WHOLE else filler)
