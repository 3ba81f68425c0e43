"""What is read from the footers of files that others wrote: their schemas, and statistics as far as those hold.

Statistics of a table decide which files are not read, so a wrong one loses rows. Only what every writer must keep is
taken over; the rest is left out, which costs nothing but a file read in vain.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import attrs
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from deltaresolver.errors import ConversionError
from deltaresolver.model.schema import base_type
from deltaresolver.spark.writing.data_folder import WrittenFile
from deltaresolver.spark.writing.statistics.file_statistics import (
    COLLECTION,
    IndexedColumn,
    StatisticsShape,
    file_statistics,
)
from deltaresolver.spark.writing.statistics.footers import FooterReading, read_footer

SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
_WRITERS_WITHOUT_NAN = ("parquet-mr",)
"""Writers that give no bounds for a column chunk with NaN; others leave NaN out, although Spark orders it last."""
UNBOUNDED = "binary"
"""A type for which only nulls are counted."""
_STORED_AS = {
    "byte": ("INT32",),
    "short": ("INT32",),
    "integer": ("INT32",),
    "long": ("INT64",),
    "float": ("FLOAT",),
    "double": ("DOUBLE",),
    "date": ("INT32",),
    "timestamp": ("INT64",),
    "timestamp_ntz": ("INT64",),
    "string": ("BYTE_ARRAY",),
    "decimal": ("INT32", "INT64", "FIXED_LEN_BYTE_ARRAY"),
}


@attrs.frozen(slots=True)
class SchemaReading(FooterReading):
    """Reads a file's schema: Spark's own note in it, or a text that equal Parquet schemas share."""

    def statistics(self, file: WrittenFile) -> str:
        """Spark's JSON, or `PARQUET_SCHEMA` and the schema, or `UNREADABLE` and why, as tasks raise no typed errors."""
        try:
            footer = read_footer(self.store, file)
        except (pa.ArrowInvalid, OSError, ValueError) as error:
            return UNREADABLE + str(error)
        noted = (footer.metadata or {}).get(SPARK_SCHEMA)
        return PARQUET_SCHEMA + str(footer.schema) if noted is None else noted.decode()


PARQUET_SCHEMA, UNREADABLE = "parquet:", "unreadable:"


@attrs.frozen(slots=True)
class ForeignStatistics(FooterReading):
    """Reads statistics of files that were not written for the table. Picklable."""

    def statistics(self, file: WrittenFile) -> str:
        """The statistics of one file. Raises `LogError` kinds."""
        footer = read_footer(self.store, file)
        return file_statistics(footer, trusted_shape(footer, self.shape))


def ensure_readable(location: str, schemas: Mapping[str, str]) -> None:
    """Raises `ConversionError` for the first file, by path, of which `SchemaReading` found that it is not Parquet."""
    for path, text in sorted(schemas.items()):
        if text.startswith(UNREADABLE):
            reason = text.removeprefix(UNREADABLE)
            raise ConversionError(
                f"{path} in {location} cannot be read as a Parquet file: {reason}.",
                fix="Move the file out of the folder, or give it a name that begins with _ or a dot.",
                details={"location": location, "path": path, "reason": reason},
                delta_condition="DELTA_FAILED_READ_FILE_FOOTER",
            )


def trusted_shape(footer: pq.FileMetaData, shape: StatisticsShape) -> StatisticsShape:
    """The columns of `shape` whose entries in the file's footer are as Spark would write them."""
    leaves = [footer.schema.column(number) for number in range(footer.num_columns)]
    times = Counter(leaf.path.lower() for leaf in leaves)
    by_path = {leaf.path: leaf for leaf in leaves}
    has_nan_bounds = not (footer.created_by or "").startswith(_WRITERS_WITHOUT_NAN)
    columns = []
    for column in shape.columns:
        dotted = ".".join(column.path)
        leaf = by_path.get(dotted)
        if leaf is None:
            # Known by another case, or absent: then all its rows are null, which only exact names show.
            inside = dotted.lower() + "."
            if times[dotted.lower()] or any(path.startswith(inside) for path in times):
                continue
            columns.append(column)
        elif times[dotted.lower()] == 1 and column.type != COLLECTION and leaf.max_repetition_level == 0:
            is_sure = _is_stored_alike(leaf, column.type) and not (
                has_nan_bounds and column.type in ("float", "double")
            )
            columns.append(column if is_sure else IndexedColumn(column.path, UNBOUNDED))
    return attrs.evolve(shape, columns=tuple(columns))


def _is_stored_alike(leaf: Any, kind: str) -> bool:
    """Whether the values of a Parquet column mean what Spark would mean by them."""
    base = base_type(kind)
    if leaf.physical_type not in _STORED_AS.get(base, ()):
        return base in ("boolean", "binary")
    logical = msgspec.json.decode(leaf.logical_type.to_json())
    name = str(logical.get("Type", "None"))
    if base in ("timestamp", "timestamp_ntz"):
        return name == "Timestamp" and logical.get("timeUnit") == "microseconds"
    if base == "decimal":
        precision, _, scale = kind.partition("(")[2].rstrip(") ").partition(",")
        stored = (logical.get("precision"), logical.get("scale"))
        return name == "Decimal" and stored == (int(precision), int(scale or 0))
    if base in ("byte", "short", "integer", "long"):
        return name == "None" or (name == "Int" and bool(logical.get("isSigned")))
    return name in {"date": ("Date",), "string": ("String",)}.get(base, ("None",))
