"""Files that hold what no reader sees: rows that deletion vectors delete, and columns that the table has no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa

from deltaresolver.model.actions import AddFile
from deltaresolver.model.metadata import Metadata
from deltaresolver.model.schema import ArrayType, DataType, MapType, StructType
from deltaresolver.spark.changes.copied_rows import kept_ids
from deltaresolver.spark.changes.live_records import physical_records
from deltaresolver.spark.schema import physical_schema
from deltaresolver.spark.writing.data_folder import WrittenFile
from deltaresolver.spark.writing.statistics.file_statistics import StatisticsShape
from deltaresolver.spark.writing.statistics.footers import FooterReading, read_footer, read_statistics, stored_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from deltaresolver.spark.changes.changed_table import ChangedTable

_OTHER, _KNOWN = "other", "known"
NO_COLUMNS = StructType()


@attrs.frozen(slots=True)
class OtherColumns(FooterReading):
    """Looks in a file's footer for columns besides those of the table. Picklable."""

    known: StructType = NO_COLUMNS
    """As data files have them."""
    more: frozenset[str] = frozenset()
    """Top columns that are the table's too, in small letters."""

    def statistics(self, file: WrittenFile) -> str:
        """Whether it has some."""
        footer = read_footer(self.store, file)
        return _OTHER if has_others(footer.schema.to_arrow_schema(), self.known, self.more) else _KNOWN


def has_others(found: Iterable[pa.Field], known: StructType, more: frozenset[str] = frozenset()) -> bool:
    """Whether a file has a field, however deep, that the table does not have there."""
    kinds = {field.name.lower(): field.type for field in known.fields}
    for field in found:
        name = field.name.lower()
        if name in kinds:
            if _has_others_inside(field.type, kinds[name]):
                return True
        elif name not in more:
            return True
    return False


def _has_others_inside(found: pa.DataType, kind: DataType) -> bool:
    if isinstance(kind, StructType) and pa.types.is_struct(found):
        return has_others(list(found), kind)
    if isinstance(kind, ArrayType) and pa.types.is_list(found):
        return _has_others_inside(found.value_type, kind.element_type)
    if isinstance(kind, MapType) and pa.types.is_map(found):
        parts = ((found.key_type, kind.key_type), (found.item_type, kind.value_type))
        return any(_has_others_inside(one, other) for one, other in parts)
    return False


def hiding_files(spark: SparkSession, changed: ChangedTable, files: Sequence[AddFile]) -> frozenset[str]:
    """The paths of those files. Raises `LogError` kinds."""
    hiding = {file.path for file in files if _has_deleted_rows(file)}
    rest = [file for file in files if file.path not in hiding]
    metadata = changed.metadata
    shape, known = StatisticsShape(()), physical_schema(metadata)
    reading = OtherColumns(changed.snapshot.store, shape, known, own_columns(metadata))
    stored = {stored_path(changed.snapshot.store, file.path): file for file in rest}
    listed = [WrittenFile(path, file.size, file.modification_time) for path, file in stored.items()]
    found = read_statistics(spark, reading, listed)
    return frozenset(hiding | {stored[path].path for path, kind in found.items() if kind == _OTHER})


def own_columns(metadata: Metadata) -> frozenset[str]:
    """Columns of data files that are not in the schema, but the table's all the same: ids of rows that have moved."""
    return frozenset(name.lower() for name in kept_ids(metadata).values())


def _has_deleted_rows(file: AddFile) -> bool:
    vector = file.deletion_vector
    return vector is not None and (physical_records(file) is None or vector.cardinality > 0)
