"""CONVERT TO DELTA of a table by its name: what the catalog knows of it, and the name that becomes a Delta table's."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from deltaresolver.errors import ConversionError, ConversionSourceError
from deltaresolver.log.storage.log_store import StoredFile
from deltaresolver.model.schema import StructType
from deltaresolver.spark.maintenance.convert.source import PARQUET
from deltaresolver.spark.names.entry import CatalogEntry
from deltaresolver.spark.names.identifiers import parse_name, path_of, shown_name
from deltaresolver.spark.names.session_catalog import catalog_of
from deltaresolver.spark.schema import delta_schema
from deltaresolver.spark.session import is_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FORMATS = (PARQUET, "delta", "iceberg", "hudi", "orc", "json", "csv", "avro", "text")


@attrs.frozen(slots=True, eq=False)
class NamedSource:
    """A table of the session catalog, of Parquet files or Delta's already."""

    spark: SparkSession
    entry: CatalogEntry

    @classmethod
    def named(cls, spark: SparkSession, identifier: str) -> NamedSource | None:
        """The table of that name; None for a path and for a name without such a table.

        Raises `ConversionSourceError` for one whose name cannot become a Delta table's.
        """
        name = parse_name(identifier.strip())
        if name is None or path_of(name) is not None or (len(name) == 2 and name[0].lower() in _FORMATS):
            return None
        entry = catalog_of(spark).find(name)
        if entry is None or entry.is_view or entry.location is None:
            return None
        if entry.is_delta:
            return cls(spark, entry)
        if (entry.provider or "").lower() != PARQUET:
            return None
        if entry.is_managed and is_connect(spark):
            raise ConversionSourceError(
                f"{shown_name(entry.name)} is a managed table, which Spark Connect cannot turn into another kind.",
                fix="Convert it in a classic session, or convert parquet.`path` and give that a name of its own.",
                details={"name": list(entry.name)},
            )
        return cls(spark, entry)

    @property
    def partition_columns(self) -> StructType:
        """Those that the catalog has."""
        own = {column.name for column in self.spark.catalog.listColumns(self.entry.quoted) if column.isPartition}
        shown = delta_schema(self.spark.table(self.entry.quoted).schema)
        return StructType(tuple(field for field in shown.fields if field.name in own))

    def ensure_same_files(self, files: Iterable[StoredFile]) -> None:
        """Raises `ConversionError` where Spark reads other files of the table than lie in its folder.

        Partitions of a catalog may lie elsewhere, and folders may be no partition of it: rows would be lost or come up.
        """
        folder = _path(self.entry.path.rstrip("/"))
        known = {f"{folder}/{file.path}" for file in files}
        read = {_path(text) for text in self.spark.table(self.entry.quoted).inputFiles()}
        odd = sorted(known ^ read)
        if odd:
            name = shown_name(self.entry.name)
            raise ConversionError(
                f"Spark reads other files of {name} than lie in its folder: {', '.join(odd[:3])}.",
                fix="Run MSCK REPAIR TABLE, or move partitions that lie elsewhere into the folder.",
                details={"name": list(self.entry.name), "files": odd[:20]},
            )

    def become_delta(self) -> None:
        """Let the name mean the Delta table that is now in the folder, if it does not yet."""
        if not self.entry.is_delta:
            catalog_of(self.spark).become_delta(self.entry)


def _path(text: str) -> str:
    """A file's path, whether it is given as a URI or as a path."""
    parts = urllib.parse.urlsplit(text)
    return urllib.parse.unquote(parts.path) if parts.scheme else text
