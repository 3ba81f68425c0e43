"""Files that hold what no reader sees: rows that deletion vectors delete, and columns that the table has no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow.parquet as pq

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


@attrs.frozen(slots=True)
class OtherColumns(FooterReading):
    """Looks in a file's footer for columns besides those of the table; `paths` are dotted and in small letters."""

    paths: frozenset[str] = frozenset()

    def statistics(self, file: WrittenFile) -> str:
        """Whether it has some."""
        return _OTHER if has_others(read_footer(self.store, file), self.paths) else _KNOWN


def has_others(footer: pq.FileMetaData, paths: frozenset[str]) -> bool:
    """Whether a file has a leaf that is not below one of these paths."""
    for number in range(footer.num_columns):
        parts = footer.schema.column(number).path.lower().split(".")
        if not any(".".join(parts[: depth + 1]) in paths for depth in range(len(parts))):
            return True
    return False


def hiding_files(spark: SparkSession, changed: ChangedTable, files: Sequence[AddFile]) -> frozenset[str]:
    """The paths of those files. Raises `LogError` kinds."""
    hiding = {file.path for file in files if _has_deleted_rows(file)}
    rest = [file for file in files if file.path not in hiding]
    reading = OtherColumns(changed.snapshot.store, StatisticsShape(()), known_paths(changed.metadata))
    stored = {stored_path(changed.snapshot.store, file.path): file for file in rest}
    listed = [WrittenFile(path, file.size, file.modification_time) for path, file in stored.items()]
    found = read_statistics(spark, reading, listed)
    return frozenset(hiding | {stored[path].path for path, kind in found.items() if kind == _OTHER})


def known_paths(metadata: Metadata) -> frozenset[str]:
    """Paths in data files below which all is the table's: leaves, and elements of arrays and maps that are leaves.

    Within arrays and maps of structs, names of files differ between writers, so these count as a whole.
    """
    own = (*kept_ids(metadata).values(), *metadata.partition_columns)
    return frozenset((*(path.lower() for path in _leaves(physical_schema(metadata), "")), *map(str.lower, own)))


def _leaves(kind: DataType, path: str) -> Iterable[str]:
    if isinstance(kind, StructType):
        for field in kind.fields:
            yield from _leaves(field.type, f"{path}.{field.name}" if path else field.name)
    elif isinstance(kind, ArrayType | MapType) or path:
        yield path


def _has_deleted_rows(file: AddFile) -> bool:
    vector = file.deletion_vector
    return vector is not None and (physical_records(file) is None or vector.cardinality > 0)
