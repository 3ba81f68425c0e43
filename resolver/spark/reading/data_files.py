"""Data files through Spark's Parquet reader, and what has to be known of them before."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from deltaresolver.errors import (
    DataFileMissingError,
    FieldIdsNeededError,
    HiddenDataFileError,
    StoredFileMissingError,
)
from deltaresolver.log.storage.log_store import LogStore
from deltaresolver.log.storage.stored_input import StoredInput
from deltaresolver.model.facts.keys import PARQUET_FIELD_ID
from deltaresolver.model.file_key import decoded
from deltaresolver.model.schema import StructField, StructType, walk_fields
from deltaresolver.spark.every_row import EVERY_FILE, READ_FIELD_IDS
from deltaresolver.spark.file_systems import missing_file_system
from deltaresolver.spark.held_settings import session_settings
from deltaresolver.spark.not_null import shown_not_null
from deltaresolver.spark.reading.file_location import FileLocation, TableRoot
from deltaresolver.spark.reading.many_paths import read_paths
from deltaresolver.spark.schema import spark_schema
from deltaresolver.spark.session import find_setting, is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FIRST_KIND = "spark.sql.sources.useV1SourceList"
"""Formats that Spark reads by its first kind of source: only that one tells where in a file a row is."""
_LIST_ON_DRIVER = {"spark.sql.sources.parallelPartitionDiscovery.threshold": str(1 << 30)}
_WITHOUT_DICTIONARIES = ("parquet.filter.dictionary.enabled", "false")
"""Spark leaves out what a file's dictionary does not hold, and looks there for `0.0` by its bits: `-0.0` is lost."""
_FRACTIONS = ("float", "double")
_STORED_ID = b"PARQUET:field_id"


@attrs.frozen(slots=True)
class InFolders:
    """Columns whose values stand in the names of folders below `base`, or below the table's."""

    fields: Sequence[StructField] = ()
    base: FileLocation | None = None


NO_FOLDERS = InFolders()


def read_parquet(
    spark: SparkSession,
    root: TableRoot,
    locations: Sequence[FileLocation],
    data: StructType,
    in_folders: InFolders = NO_FOLDERS,
    *,
    as_session: bool = False,
) -> DataFrame:
    """The rows of these files, with the columns `data` and those that the names of folders hold.

    Columns of `data` that are not nullable must hold no null in any of the files. Files that are missing or damaged end
    the query; with `as_session` the session says what becomes of them.

    Raises `DataFileMissingError` and `StorageUnsupportedError` where Spark looks for the files at once, which Spark
    Connect does only later.
    """
    reader = spark.read.schema(spark_schema(StructType((*data.fields, *in_folders.fields))))
    if not as_session:
        reader = reader.options(**EVERY_FILE)
    if any(field.type in _FRACTIONS for _, field in walk_fields(data)):
        reader = reader.option(*_WITHOUT_DICTIONARIES)
    if in_folders.fields:
        reader = reader.option("basePath", (in_folders.base or FileLocation(root.location)).spark_path)
    # Local files are found faster from here than by a job, and they are looked for in this very call.
    settings = _LIST_ON_DRIVER if root.is_local and not is_connect(spark) else {}
    first_kind = find_setting(spark, _FIRST_KIND)
    if first_kind is not None and "parquet" not in first_kind.lower():
        settings = {**settings, _FIRST_KIND: "parquet"}
    try:
        with session_settings(spark, settings):
            rows = read_paths(spark, reader, [location.spark_path for location in locations])
            return shown_not_null(spark, rows, data)
    except Exception as error:
        unreachable = missing_file_system(str(error), root.location)
        if unreachable is not None:
            raise unreachable from error
        missing = _missing_path(error)
        if missing is None:
            raise
        raise DataFileMissingError(
            f"The data file {missing} is in the table's log but is not there.",
            fix="Restore the file, read a table version that does not need it, or remove it from the log.",
            details={"path": missing},
        ) from error


def _missing_path(error: Exception) -> str | None:
    condition: Callable[[], str | None] = getattr(error, "getCondition", lambda: None)
    if condition() != "PATH_NOT_FOUND":
        return None
    parameters: Callable[[], Mapping[str, str] | None] = getattr(error, "getMessageParameters", dict)
    return (parameters() or {}).get("path", str(error))


def is_hidden(name: str) -> bool:
    """Whether Spark passes over a file of this name, though it was given the file itself to read."""
    return (name.startswith("_") and "=" not in name) or name.startswith(".") or name.endswith("._COPYING_")


def ensure_shown(paths: Iterable[str], location: str) -> None:
    """Check that Spark reads all of these files, as the log names them. Raises `HiddenDataFileError`."""
    for path in paths:
        written = path.rpartition("/")[2]
        if written[:1] not in "._" and "%" not in written and written[-1:] != "_":
            continue  # as nearly all of a table's files, of which there may be millions
        name = urllib.parse.unquote(written)
        if is_hidden(name):
            raise HiddenDataFileError(
                f"Spark does not read the data file {name} of {location}: it hides files with such names.",
                fix='Read the table with spark.read.format("deltaresolver"). To change rows, overwrite it with its own '
                "first: the new files have other names.",
                details={"location": location, "file": path},
            )


def ensure_names_tell_columns(spark: SparkSession, store: LogStore, files: pa.Table, data: StructType) -> None:
    """Check that files of a table mapped by id also carry the names of its columns.

    Spark reads columns by id only where the session says so, at the time the query runs. Files of Delta writers
    carry both; those that another format brought along do not. The oldest and the newest file are looked at.
    Raises `FieldIdsNeededError`.
    """
    wanted = {
        str(field.metadata[PARQUET_FIELD_ID]): field.name
        for field in data.fields
        if field.metadata and PARQUET_FIELD_ID in field.metadata
    }
    if not wanted or (find_setting(spark, READ_FIELD_IDS) or "").lower() == "true":
        return
    order = pc.sort_indices(files.column("modificationTime"))
    for place in {order[0].as_py(), order[-1].as_py()}:
        path, size = files.column("path")[place].as_py(), files.column("size")[place].as_py() or 0
        for number, name in _stored_ids(store, decoded(path), size).items():
            if wanted.get(number, name) != name:
                raise FieldIdsNeededError(
                    f"Column {number} is called {name} in {path} and {wanted[number]} in the table.",
                    fix=f"Set {READ_FIELD_IDS} to true in the session for as long as the result is used.",
                    details={"path": path, "id": number, "found": name, "expected": wanted[number]},
                )


def _stored_ids(store: LogStore, path: str, size: int) -> dict[str, str]:
    """Names of a file's top columns by their ids; nothing where the file cannot be read from here."""
    try:
        schema = pq.read_schema(StoredInput(store, path, size))
    except (StoredFileMissingError, pa.ArrowException, OSError, ValueError):
        return {}
    return {field.metadata[_STORED_ID].decode(): field.name for field in schema if _STORED_ID in (field.metadata or {})}
