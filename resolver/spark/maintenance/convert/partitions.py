"""Partition values from the names of folders, `day=2024-01-01`, checked against the declared partition columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from deltaresolver.errors import PartitionFoldersError
from deltaresolver.log.names import NULL_FOLDER
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.model.schema import StructField, StructType
from deltaresolver.spark.schema import spark_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")
Values = Mapping[str, str | None]


def partition_values(path: str, declared: Sequence[StructField], *, is_case_sensitive: bool = False) -> Values:
    """The values of one file by declared column. Raises `PartitionFoldersError`."""
    found = _pairs(path)
    expected = [field.name for field in declared]
    names = [name for name, _ in found]
    if len(names) != len(expected):
        raise PartitionFoldersError(
            f"Expecting {len(expected)} partition column(s): {_shown(expected)}, but found {len(names)} partition "
            f"column(s): {_shown(names)} from parsing the file name: {path}",
            fix="Give the partition columns, with types, in the order of the folders."
            if names
            else "Leave the partition schema out, or move the file into the folder of a partition.",
            details={"path": path, "expected": expected, "found": names},
            delta_condition="DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
        )
    for wanted, name in zip(expected, names, strict=True):
        if wanted != name and (is_case_sensitive or wanted.lower() != name.lower()):
            raise PartitionFoldersError(
                f"Expecting partition column {wanted}, but found partition column {name} from parsing the file name: "
                f"{path}",
                fix="Give the partition columns in the order of the folders.",
                details={"path": path, "expected": wanted, "found": name},
                delta_condition="DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME",
            )
    return {wanted: value for wanted, (_, value) in zip(expected, found, strict=True)}


def ensure_values_fit(spark: SparkSession, values: Sequence[Values], declared: StructType) -> None:
    """Raises `PartitionFoldersError` for a value that its column's type does not have: it would be read as null.

    Spark itself judges, over the values there are.
    """
    from pyspark.sql import functions as f

    columns = spark_schema(declared).fields
    for field, kind in zip(declared.fields, columns, strict=True):
        texts = sorted({text for each in values if (text := each[field.name]) is not None})
        if not texts or field.type == "string":
            continue
        frame = spark.createDataFrame([(text,) for text in texts], "value string")
        wrong = frame.where(f.col("value").try_cast(kind.dataType).isNull()).first()
        if wrong is not None:
            raise PartitionFoldersError(
                f"Failed to cast partition value `{wrong['value']}` to {kind.dataType.simpleString()}",
                fix=f"Give {field.name} a type that all values have, such as STRING.",
                details={"column": field.name, "value": wrong["value"], "type": kind.dataType.simpleString()},
                delta_condition="DELTA_FAILED_CAST_PARTITION_VALUE",
            )


def values_by_path(
    files: Sequence[StoredFile], declared: StructType, *, is_case_sensitive: bool = False
) -> dict[str, Values]:
    """The values of all files. Raises as `partition_values`."""
    by_folder: dict[str, Values] = {}
    found: dict[str, Values] = {}
    for file in files:
        folder = file.path.rpartition("/")[0]
        if folder not in by_folder:
            by_folder[folder] = partition_values(file.path, declared.fields, is_case_sensitive=is_case_sensitive)
        found[file.path] = by_folder[folder]
    return found


def _pairs(path: str) -> list[tuple[str, str | None]]:
    """Column and value of the innermost run of folders that are called so."""
    pairs: list[tuple[str, str | None]] = []
    for folder in reversed(path.split("/")[:-1]):
        name, mark, value = folder.partition("=")
        if not mark:
            if pairs:
                break
            continue
        if not name or not value:
            raise PartitionFoldersError(
                f"The folder {folder} of {path} has no {'value' if name else 'column'} beside its equals sign.",
                fix="Rename the folder: column=value, with __HIVE_DEFAULT_PARTITION__ for null.",
                details={"path": path, "folder": folder},
            )
        text = _unescaped(value)
        pairs.append((_unescaped(name), None if text == NULL_FOLDER else text))
    return pairs[::-1]


def _unescaped(text: str) -> str:
    """As Hive and Spark escape names of folders: each character that must not stand there by its number."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _shown(names: Sequence[str]) -> str:
    return "[" + ", ".join(f"`{name}`" for name in names) + "]"
